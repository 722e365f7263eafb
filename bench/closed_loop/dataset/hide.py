"""Nothing of the machine a loop ran on stays in a text: its folders become words, secrets are redacted, and what is
left is looked at once more before anything is written."""

from __future__ import annotations

import getpass
import re
import socket
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from afterglow.text.redact import Redactor

# Names that are words or everybody's: they tell of no machine, and stand in many a text.
ORDINARY = frozenset("root user nobody localhost runner ubuntu debian".split())
# Folders at the top that any machine may have; others are this one's own.
STANDARD = frozenset(
    "bin boot dev etc home lib lib32 lib64 libx32 lost+found media mnt opt proc projects root run sbin srv sys tmp usr "
    "var".split()
)
# Folders that name somebody, or a place that only one machine has, whoever wrote them down.
PRIVATE = re.compile(
    r"(?<![\w.~-])(?:/(?:home|Users)/[\w.-]+|/root(?![\w-])|/var/folders/\w+|/tmp/tmp\w{6,10}"
    r"|[A-Z]:\\+Users\\+[\w.-]+)"
)
SOMEWHERE = "~"
# What programs print that list sockets: of others' work on the machine, too.
SOCKETS = re.compile(r"(?m)^[ \t]*(?:LISTEN|ESTAB|UNCONN|TIME-WAIT|tcp6?|udp6?)\b.*$")
A_SOCKET = "<a socket of the machine>"
OF_THIS_MACHINE = Path(
    "/opt"
)  # a standard folder, in which everybody has something else


class Hidden:
    """Takes this machine out of texts. `counts` says what was redacted, by rule."""

    def __init__(self, out: Path) -> None:
        self.counts: Counter[str] = Counter()
        self._redactor = Redactor()
        self._names = tuple(_names_of_this_machine())
        self._places = tuple(_places_of_this_machine(out))

    def text(self, text: str) -> str:
        for pattern, words in self._places:
            text = pattern.sub(words, text)
        for name in self._names:
            text = name.sub("<machine>", text)
        text = SOCKETS.sub(A_SOCKET, text)
        redacted = self._redactor.redact(PRIVATE.sub(SOMEWHERE, text))
        self.counts.update(redacted.counts)
        return redacted.text

    def value(self, value: Any) -> Any:
        """The same for every text inside lists and objects; names of fields stay."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {name: self.value(part) for name, part in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(part) for part in value]
        return value


def leaks(value: Any) -> Iterator[str]:
    """Stretches of a row that name somebody's folder after all."""
    if isinstance(value, str):
        for match in PRIVATE.finditer(value):
            yield value[max(0, match.start() - 20) : match.end() + 20]
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from leaks(name)
            yield from leaks(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from leaks(part)


def _places_of_this_machine(out: Path) -> Iterator[tuple[re.Pattern[str], str]]:
    """Longest first: a room lies in the loop's folder, that perhaps in a home."""
    for folder in _spellings(out):
        room = rf"{re.escape(folder)}/home/runs/[^/\s\"']+/[^/\s\"']+"
        yield re.compile(rf"{room}/projects(?=/)"), "/projects"
        yield re.compile(room), "<room>"
        yield re.compile(rf"{re.escape(folder)}(?![\w-])"), "<loop>"
    temporary = re.escape(tempfile.gettempdir())
    yield re.compile(rf"{temporary}/tmp\w{{6,10}}(?=/)"), "/projects"
    for place, words in ((sys.prefix, "<python>"), (sys.base_prefix, "<python>")):
        yield re.compile(rf"{re.escape(place)}(?![\w-])"), words
    for folder in _spellings(Path(__file__).parents[3]):
        yield re.compile(rf"{re.escape(folder)}(?![\w-])"), "<checkout>"
    yield re.compile(rf"{re.escape(str(Path.home()))}(?![\w-])"), "~"
    yield re.compile(r"(?<![\w.~-])(?:/[\w.-]+)+/\.venv(?![\w-])"), "<python>"
    for name in sorted(path.name for path in Path("/").iterdir() if path.is_dir()):
        if name not in STANDARD:
            own_folder = rf"(?<![\w.~<>/-])/{re.escape(name)}(?:/[\w.@%+~-]*)*(?![\w-])"
            yield re.compile(own_folder), "<path>"


def _spellings(folder: Path) -> list[str]:
    return list(dict.fromkeys([str(folder.resolve()), str(folder.absolute())]))


def _names_of_this_machine() -> Iterator[re.Pattern[str]]:
    host = socket.gethostname()
    for name in dict.fromkeys((getpass.getuser(), host, host.split(".")[0])):
        if len(name) > 3 and name.lower() not in ORDINARY:
            yield re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.IGNORECASE)
    if OF_THIS_MACHINE.is_dir():
        for entry in sorted(OF_THIS_MACHINE.iterdir(), reverse=True):
            folder = re.escape(f"{OF_THIS_MACHINE}/")
            yield re.compile(rf"(?m)^(?:{folder})?{re.escape(entry.name)}$")
