"""By what an event may be the same as another: rules, codes, the state that explains it, what was asked for, its words.

Keys are made of text that is redacted already, so they can be kept and compared anywhere.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec.structs import replace

from afterglow.harvest.events.claims import (
    LINE_END,
    REPORT,
    coarse,
    failed_test,
    is_summary,
    is_telling,
    is_verdict,
)
from afterglow.harvest.failure_kinds import DEVELOPMENT, SETUP, missing_program
from afterglow.harvest.lint_lines import TYPES
from afterglow.harvest.user_speech import about, remarks
from afterglow.records.problems import Event, TellingLine
from afterglow.text.fingerprint import reduced

MAX_CODES = 3  # error codes of one event
MAX_TESTS = 3  # by name, of one event
MAX_LINE_KEYS = 3  # telling lines by which one event is compared
MAX_KEY_CHARACTERS = 160

ABSENT_PROGRAM = "absent program"

_CODE = re.compile(
    rf"(?<![\w/.-])(?:[A-Z]{{1,6}}\d{{3,5}}|{'|'.join(errno.errorcode.values())}|ERR_[A-Z_]{{3,40}}|HTTP [45]\d\d)"
    r"(?![\w/-])"
)
_RULE_AT_END = re.compile(
    r"\S \(([a-z][\w-]{2,30})\)$|\S \[([a-z][\w/-]{2,40})\]$|  ([a-z@][\w/-]*[/-][\w/-]{2,40})$"
)
_VARYING_START = re.compile(r"(?:<\w+>:?\s*)+")
_VARYING_WORD = re.compile(r"<\w+>|(?<!\S)--?\w|[\[({]")
_ADDRESS = re.compile(r"<ip>|\d+(?:\.\d+){3}")
_NUMBERS = re.compile(r"\d+(?:\.\d+)*|0x[0-9a-f]+|\b[0-9a-f]{7,}\b")


def keyed(event: Event) -> Event:
    keys = dict.fromkeys(key[:MAX_KEY_CHARACTERS] for key in _keys(event))
    return replace(event, keys=tuple(keys))


def _keys(event: Event) -> Iterator[str]:
    if event.kind == "person":
        # Words that had the work done over were about how it is done, however they were put.
        lays_down = event.remedy is not None or remarks(event.person)
        manner = "said" if lays_down else "asked"
        yield f"{manner} {about(event.person)}"
        return
    if event.kind == "refused":
        yield f"refused {event.program}"
        if about(event.person):
            yield f"said {about(event.person)}"
        return
    if event.kind == "empty":
        yield f"empty {event.program}"
        return
    texts = [line.text for line in event.lines]
    yield from (f"rule {rule}" for rule in event.rules if not TYPES.match(rule))
    yield from _rules_at_ends(texts)
    if event.state:
        yield f"state {event.state}"
    yield from _missing_programs(texts)
    yield from _failed_tests(texts)
    yield from _targets(event.target)
    yield from _codes(texts)
    yield from _line_keys(event)
    if event.host:
        yield f"host {_ADDRESS.sub('<address>', event.host)}"


def _rules_at_ends(texts: list[str]) -> Iterator[str]:
    for text in texts:
        match = _RULE_AT_END.search(text.rstrip())
        if match is None or is_verdict(text):
            continue
        rule = match[match.lastindex or 0]
        if not TYPES.match(rule):
            yield f"rule {rule}"


def _missing_programs(texts: list[str]) -> Iterator[str]:
    """Each by its name; and all of them together: which ones are there, is one thing to know of a machine."""
    names = list(filter(None, map(missing_program, texts[:MAX_LINE_KEYS])))
    yield from (f"program {name}" for name in names)
    if names:
        yield ABSENT_PROGRAM


def _failed_tests(texts: list[str]) -> Iterator[str]:
    """Each by its name, without the modules it stands in: logs of elsewhere and runs here write these in their own way."""
    names = dict.fromkeys(filter(None, map(failed_test, texts)))
    yield from (f"test {_last_part(name)}" for name in list(names)[:MAX_TESTS])


def _last_part(name: str) -> str:
    return name.rpartition("::")[2] if " " not in name else name


def _targets(path: str) -> Iterator[str]:
    """Of a file that was not there, its name and its folder: either may be what is guessed again."""
    folder, _, name = path.replace("\\", "/").rpartition("/")
    if name:
        yield f"file {name}"
    if folder.count("/") > 1:
        yield f"folder {'/'.join(folder.split('/')[-2:])}"


def place_key(repo: str, path: str) -> str:
    """By which items are known that say where else something is."""
    return f"place|{repo}|{path}"


def place_keys(repo: str, path: str) -> list[str]:
    """The keys of items about a path that was looked up in vain, or about its folder: by their ends, for it may be
    told from the root of the disk."""
    parts = [part for part in path.replace("\\", "/").split("/") if part]
    ends = ["/".join(parts[start:]) for start in range(len(parts))]
    folders = ["/".join(parts[start:-1]) for start in range(len(parts) - 1)]
    places = (*ends, *(f"{end}/" for end in ends), *(f"{end}/" for end in folders))
    return [place_key(repo, place) for place in places]


def _codes(texts: list[str]) -> Iterator[str]:
    codes = dict.fromkeys(code for text in texts for code in _CODE.findall(text))
    yield from (f"code {code}" for code in list(codes)[:MAX_CODES])


def _line_keys(event: Event) -> Iterator[str]:
    """The words of the telling lines, with all that varies taken out. Of failures of ordinary development the names
    stay: a test that fails again is the same, another test is not."""
    name = event.program or event.tool
    words = [key for line in event.lines[:MAX_LINE_KEYS] for key in _words(line)]
    yield from (f"line {key}" for key in words)
    is_plain = max((line.strength for line in event.lines), default=0) < REPORT
    if not words or (is_plain and event.program != event.tool):
        yield f"mute {name}"
    for line in event.lines[:1]:
        yield f"exact {name}: {_exact(line)}"
        if beginning := _beginning(line):
            yield f"alike {name}: {beginning}"


def _words(line: TellingLine) -> list[str]:
    """Of the line, and of what stands below it."""
    head, _, detail = line.text.partition(f" {LINE_END} ")
    return [words for part in (head, detail) if part and (words := _reduced(part))]


@lru_cache(maxsize=8192)
def _reduced(text: str) -> str:
    is_development = DEVELOPMENT.search(text) and not SETUP.search(text)
    words = _NUMBERS.sub("<n>", text) if is_development else coarse(text)
    return "" if is_summary(text) or not is_telling(words) else words


def _exact(line: TellingLine) -> str:
    return reduced(line.text.partition(f" {LINE_END} ")[0])


def _beginning(line: TellingLine) -> str:
    """How a message begins, up to what varies in it: `error: unknown flag:`. Failures of ordinary development are many
    and begin alike, which says nothing."""
    text = line.text.partition(f" {LINE_END} ")[0]
    if is_summary(text) or DEVELOPMENT.search(text):
        return ""
    words = _VARYING_WORD.split(_VARYING_START.sub("", coarse(text)), maxsplit=1)[0]
    return words.strip() if is_telling(words) else ""


def without_numbers(text: str) -> str:
    """A line as it is told apart from others: its names stay."""
    return " ".join(_NUMBERS.sub("<n>", text).split())


def makes(key: str, line: TellingLine) -> bool:
    """Whether it is this line by which an event has the key."""
    kind, _, rest = key.partition(" ")
    text = line.text
    if kind == "rule":
        return rest.rpartition(" ")[2] in text
    if kind == "program":
        return missing_program(text) == rest
    if kind == "absent":
        return bool(missing_program(text))
    if kind == "test":
        return _last_part(failed_test(text)) == rest
    if kind in {"file", "folder", "code"}:
        return rest in text
    if kind == "line":
        return rest in (words[:MAX_KEY_CHARACTERS] for words in _words(line))
    if kind == "alike":
        return rest.endswith(f": {_beginning(line)}") and bool(_beginning(line))
    return kind == "exact" and rest.endswith(f": {_exact(line)}")
