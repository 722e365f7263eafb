"""What was asked for in vain, where a problem is about something that varies: files, programs, fields, flags.

Three episodes show three names; a lesson can name all that come back, if it sees them counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from afterglow.harvest.events.keys import makes
from afterglow.harvest.failure_kinds import missing_program
from afterglow.records.problems import Event, Problem
from afterglow.records.tools import is_shell
from afterglow.text.numbers import count

MIN_SESSIONS_OF_NAME = 2  # that make a name one that is asked for again
MAX_NAMES = 6  # in one line
# Of a folder in which different names were guessed: how many, and in how many sessions; how many of them are told.
MIN_NAMES_IN_FOLDER, MIN_SESSIONS_OF_FOLDER, MAX_NAMES_IN_FOLDER = 3, 3, 3
MAX_TALLY_CHARACTERS = 280  # about 80 tokens
MAX_NAME_CHARACTERS = 60  # of a name: a longer one is a text
MAX_PATH_PARTS = 3  # of a path, from its end: enough to know it again

_WORD = r"['\"`‘]?([\w@~./+:*-]{1,200}?)['\"`’]?"
# In this order: a shell's place (`cd:1: no such file or directory: quay`) reads like a name.
_ABSENT = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:no such file or directory|no matches found): {_WORD}(?:\s|$)",
        rf"(?:^|[\s:]){_WORD}: (?:no such file|does not exist|not a directory)",
        r"(?:unknown|unrecogni[sz]ed|invalid|unexpected|unsupported|illegal|no such|missing)"
        r"(?: [a-z]{2,12}){0,2} (?:flag|option|argument|(?:sub)?command|field|parameter|key|script|task)s?"
        rf":? {_WORD}(?:\s|$)",
    )
)
_PATH = re.compile(r"[\w@~.*-]*(?:/[\w@.*-]+)+/?|[\w-]+\.[A-Za-z]{1,5}\b")


class Tally(Struct, frozen=True):
    """A name that was asked for in vain, or a folder with the `guesses` at names in it: how often, in how many sessions,
    and what was found in its place, if that is seen."""

    name: str
    times: int
    sessions: int
    instead: str = ""
    guesses: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        if not self.guesses:
            return f"`{self.name}`"
        return f"in `{self.name}/` {', '.join(f'`{guess}`' for guess in self.guesses)}"


def tally_of(problem: Problem) -> list[Tally]:
    """The names that come back, the most frequent first; none where the problem is about one name anyway."""
    by_name: dict[str, list[tuple[str, Event]]] = {}
    for event in problem.events:
        for path in _asked_for(problem.key, event):
            by_name.setdefault(_last_part(path), []).append((path, event))
    if len(by_name) < 2:
        return []
    tallies = [_tally(pairs) for pairs in by_name.values()]
    lasting = [item for item in tallies if item.sessions >= MIN_SESSIONS_OF_NAME]
    lasting.sort(key=lambda item: (-item.sessions, -item.times, item.name))
    return lasting[:MAX_NAMES]


def tally_text(problem: Problem) -> str:
    """The names in one line, and folders in which several were guessed; empty where none comes back."""
    text = ""
    tallies = [*tally_of(problem), *folders_of(problem)]
    for item in sorted(tallies, key=lambda tally: -tally.sessions):
        times = f"{count(item.times, 'time')} in {count(item.sessions, 'session')}"
        instead = f" ({item.instead})" if item.instead else ""
        longer = f"{text}, {item.text} {times}{instead}"
        if len(longer) > MAX_TALLY_CHARACTERS:
            break
        text = longer
    return f"asked for in vain: {text[2:]}" if text else ""


def folders_of(problem: Problem) -> list[Tally]:
    """Folders in which sessions guessed different names, with those, and the file that most of them read there then."""
    by_folder: dict[str, list[Event]] = {}
    for event in problem.events:
        parts = _parts(event.target)
        if len(parts) > 1:
            by_folder.setdefault("/".join(parts[-MAX_PATH_PARTS:-1]), []).append(event)
    tallies = [_folder(folder, events) for folder, events in by_folder.items()]
    lasting = [
        tally
        for tally in tallies
        if tally is not None and tally.sessions >= MIN_SESSIONS_OF_FOLDER
    ]
    return sorted(lasting, key=lambda tally: (-tally.sessions, tally.name))


def _folder(folder: str, events: Sequence[Event]) -> Tally | None:
    names = dict.fromkeys(_last_part(event.target) for event in events)
    if len(names) < MIN_NAMES_IN_FOLDER:
        return None
    read_then = Counter(
        path
        for event in events
        for path in dict.fromkeys(
            _read_in(folder, call.command) for call in event.following
        )
        if path
    )
    then, times = next(iter(read_then.most_common(1)), ("", 0))
    instead = f"then `{then}`" if times >= MIN_SESSIONS_OF_NAME else ""
    guesses = tuple(names)[:MAX_NAMES_IN_FOLDER]
    sessions = len({event.session for event in events})
    return Tally(folder, len(events), sessions, instead, guesses)


def _read_in(folder: str, command: str) -> str:
    """The file of a folder that a call names, if it names one."""
    for path in _PATH.findall(command.partition("\n")[0]):
        head, name = path.rpartition("/")[0], _last_part(path)
        if head.endswith(folder) and "." in name and "*" not in name:
            return name
    return ""


def _asked_for(key: str, event: Event) -> Iterator[str]:
    """Each name once: the file of the call, else what the lines of this problem say is not there."""
    if event.target:
        yield event.target
        return
    lines = [line.text for line in event.lines if makes(key, line)]
    names = dict.fromkeys(map(_missing, lines or [""]))
    yield from (name for name in names if 1 < len(name) <= MAX_NAME_CHARACTERS)


def _missing(line: str) -> str:
    if program := missing_program(line):
        return program
    matches = (pattern.search(line) for pattern in _ABSENT)
    return next((match[1].rstrip(".,;:") for match in matches if match), "")


def _tally(pairs: Sequence[tuple[str, Event]]) -> Tally:
    events = [event for _, event in pairs]
    name = _shared_end([path for path, _ in pairs])
    sessions = len({event.session for event in events})
    return Tally(name, len(events), sessions, _instead(name, events))


def _shared_end(paths: Sequence[str]) -> str:
    """As much of the ends of paths as all of them have; a folder that was named as one stays one."""
    split = [_parts(path)[::-1] for path in paths]
    end: list[str] = []
    for parts in zip(*split, strict=False):
        if len(set(parts)) > 1 or len(end) == MAX_PATH_PARTS:
            break
        end.insert(0, parts[0])
    is_folder = all(path.endswith("/") for path in paths)
    return "/".join(end) + ("/" if is_folder else "")


def _parts(path: str) -> list[str]:
    parts = path.replace("\\", "/").split("/")
    return [part for part in parts if part not in {"", ".", "~"}] or [path]


def _last_part(path: str) -> str:
    return _parts(path)[-1]


def _instead(name: str, events: Sequence[Event]) -> str:
    """Where most calls that reached the goal went. The same call that worked later says that the name came to be."""
    endings = Counter(filter(None, (_ending(name, event) for event in events)))
    return endings.most_common(1)[0][0] if endings else ""


def _ending(name: str, event: Event) -> str:
    remedy = event.remedy
    if remedy is None or not remedy.command:
        return ""
    if remedy.again:
        return "there later"
    if not _PATH.fullmatch(name) and "/" not in name:  # a field, a flag, a program
        return ""
    call, failed = remedy.command.partition("\n")[0], _PATH.findall(event.command)
    paths = [path for path in _PATH.findall(call) if path not in failed]
    alike = [path for path in paths if _last_part(path) == _last_part(name)]
    chosen = alike or paths
    if len(chosen) != 1 and (is_shell(event.tool) or not chosen):
        return ""
    parts = _parts(chosen[0])[-MAX_PATH_PARTS:]
    return f"then found: `{'/'.join(parts)}`" if alike else f"then `{'/'.join(parts)}`"
