"""windows: stretches of finished sessions that a model should read, because rules could not tell what they teach.

Sessions with the most trouble are read first. What was told of, or looked at and marked as done, is not offered again;
the marks live in the catalogue, which may be deleted: the worst that happens is that a window is read twice.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path

from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import NotFound, UnreadableSource, UsageError
from afterglow.flows.harvest.windows_read import READ, note_facts, note_read
from afterglow.flows.redactor import redactor_of
from afterglow.harvest.lessons.candidates import Spot, spots
from afterglow.harvest.lessons.render_window import SIZES, Raw, raw_lines, shown
from afterglow.harvest.trail import Trail
from afterglow.records.catalog import Entry, state
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.lessons import MINER, KnownItem, Window, Windows
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.records.session import Session
from afterglow.sessions import load
from afterglow.store.catalog import Catalog
from afterglow.store.knowledge import Knowledge
from afterglow.text.redact import Redactor
from afterglow.text.tokens import within

__all__ = [
    "WINDOW_LIMIT",
    "WINDOW_TOKENS",
    "Window",
    "Windows",
    "prompt",
    "windows",
]

WINDOW_LIMIT, WINDOW_TOKENS = 5, 6000
SMALLEST_WINDOW = 300  # tokens of a window that can still be understood
LARGEST_WINDOW = 1600
MAX_SESSIONS_WITH_WINDOWS = 40  # read for one answer, so that it does not take minutes
MAX_SESSIONS_WITHOUT = 200  # those without any are noted, and not read the next time
VERSION = 2  # raised when sessions would give other windows
MAX_WINDOWS_OF_A_SESSION = 4  # in one answer; others would be crowded out
WORTH_OF_A_REPEAT = 0.4  # what a window counts whose error another one shows already
MIN_WORTH = 1.0  # of a window that is offered: one clear sign
MAX_KNOWN_ITEMS = 8  # named with a window


class _Candidate(Struct, frozen=True):
    """A spot of a session, and its texts."""

    id: str
    entry: Entry
    spot: Spot
    raw: tuple[Raw, ...]


def windows(
    config: Config,
    selection: Selection = EVERYTHING,
    *,
    session: str | None = None,
    limit: int = WINDOW_LIMIT,
    tokens: int = WINDOW_TOKENS,
    largest: int = LARGEST_WINDOW,
    read: Sequence[str] = (),
    now: float | None = None,
) -> Windows:
    """The best windows, at most `limit` of them in at most `tokens`, none longer than `largest`, of sessions that fit.
    Those in `read` (ids of windows) are marked as looked at first."""
    if limit < 1 or tokens < SMALLEST_WINDOW:
        raise UsageError(
            f"a limit of at least 1 and at least {SMALLEST_WINDOW} tokens would work"
        )
    with Catalog(config.catalog) as catalog:
        if read:
            note_read(catalog, read)
        over = {
            name
            for (name,) in catalog.rows(
                "SELECT name FROM facts WHERE name LIKE 'window %'"
            )
        }
        when = time.time() if now is None else now
        entries = (
            [_named(catalog, session)]
            if session
            else _finished(catalog, selection, when)
        )
        if not entries:
            return Windows(
                windows=(),
                tokens=0,
                reason="no finished session fits; `afterglow scan` finds sessions",
            )
        with Knowledge(config.knowledge) as knowledge:
            candidates, dry = _searched(knowledge, entries, over)
            chosen, size = _fitted(
                _ranked(candidates),
                knowledge,
                redactor_of(config),
                limit,
                tokens,
                largest,
            )
        if dry:
            note_facts(catalog, map(_dry, dry))
    reason = (
        ""
        if chosen
        else "nothing is left that rules did not state, or that was not looked at already"
    )
    return Windows(
        windows=chosen,
        tokens=size,
        remaining=len(candidates) - len(chosen),
        reason=reason,
    )


def _searched(
    knowledge: Knowledge, entries: Iterable[Entry], over: Collection[str]
) -> tuple[list[_Candidate], list[Entry]]:
    """What the first sessions hold, and which of them hold nothing (more): those need not be read the next time."""
    candidates: list[_Candidate] = []
    dry: list[Entry] = []
    rich = 0
    for entry in entries:
        if rich >= MAX_SESSIONS_WITH_WINDOWS or len(dry) >= MAX_SESSIONS_WITHOUT:
            break
        if _dry(entry) in over:
            continue
        here = _of_session(knowledge, entry, over)
        candidates += here
        rich += bool(here)
        if not here:
            dry.append(entry)
    return candidates, dry


def _dry(entry: Entry) -> str:
    """What is noted of a session that holds no window, until it goes on."""
    return f"window none {VERSION} {entry.key} {entry.messages} {entry.repo}"


def prompt() -> str:
    """What to tell an agent that is to harvest: the text of the skills, for agents that have none."""
    return (
        files("afterglow.harvest.lessons")
        .joinpath("prompt.md")
        .read_text(encoding="utf-8")
    )


def _named(catalog: Catalog, session: str) -> Entry:
    entries = [entry for entry in catalog.find(session) if not entry.gone]
    if len(entries) != 1:
        problem = "no session is" if not entries else f"{len(entries)} sessions are"
        raise NotFound(
            f"{problem} called {session!r}; `afterglow sessions list` shows what there is"
        )
    return entries[0]


def _finished(catalog: Catalog, selection: Selection, now: float) -> list[Entry]:
    """Finished sessions, those with the most trouble first."""
    finished = [
        entry
        for entry in catalog.entries(selection, profiles=True)
        if entry.origin == "main" and state(entry, now) != "active"
    ]
    return sorted(
        finished, key=lambda entry: (-_trouble(entry), -(entry.end or 0.0), entry.id)
    )


def _trouble(entry: Entry) -> float:
    """What the catalogue knows of how much went wrong, before a session is read."""
    profile = entry.profile
    if profile is None:
        return 0.0
    manner = profile.manner
    errors = sum(1 + 0.2 * (times - 1) for times in profile.errors.values())
    people = (
        2.0 * manner.corrections + manner.interrupts + 1.5 * profile.outcomes.count("b")
    )
    return errors + people + 0.02 * profile.messages


def _of_session(
    knowledge: Knowledge, entry: Entry, over: Collection[str]
) -> list[_Candidate]:
    """The spots of a session that nobody has looked at; nothing where its source cannot be read."""
    session = _loaded(entry)
    if session is None:
        return []
    told_lines, answered = set[int](), set[int]()
    for line, items in _lines(knowledge, entry.id).items():
        if any(item.miner == MINER for item in items):
            told_lines.add(line)
        # What rules could only ask is what a model may answer.
        if any(item.category != "question" for item in items):
            answered.add(line)
    trail = Trail(session, entry.repo)
    candidates: list[_Candidate] = []
    for spot in spots(trail, answered):
        id = _id(entry, spot)
        if spot.worth < MIN_WORTH or READ + id in over:
            continue
        raw = raw_lines(trail, spot)
        if told_lines.isdisjoint(raw_line.line for raw_line in raw):
            candidates.append(_Candidate(id, entry, spot, raw))
    candidates.sort(key=lambda candidate: -candidate.spot.worth)
    return candidates[: 3 * MAX_WINDOWS_OF_A_SESSION]


def _loaded(entry: Entry) -> Session | None:
    try:
        for session in load(Path(entry.source), only={entry.id}):
            if session.id == entry.id:
                return session
    except (UnreadableSource, OSError):
        return None
    return None


def _lines(knowledge: Knowledge, session: str) -> dict[int, list[KnowledgeItem]]:
    """What rests on which line of a session."""
    by_line: dict[int, list[KnowledgeItem]] = defaultdict(list)
    ids = knowledge.of_sessions([session]).get(session, [])
    for item in knowledge.find(ids).values():
        for line in {
            evidence.line for evidence in item.evidence if evidence.session == session
        }:
            by_line[line].append(item)
    return by_line


def _id(entry: Entry, spot: Spot) -> str:
    words = f"{entry.agent}\0{entry.id}\0{spot.lines[0]}"
    return (
        "w" + blake2b(words.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()
    )


def _ranked(candidates: Iterable[_Candidate]) -> list[_Candidate]:
    """The best first; one whose errors others show already counts less, and no session crowds out the rest."""
    marks: Counter[str] = Counter()
    sessions: Counter[int] = Counter()
    ranked = []
    for candidate in sorted(
        candidates,
        key=lambda candidate: (
            -candidate.spot.worth,
            -(candidate.entry.end or 0.0),
            candidate.id,
        ),
    ):
        again = max((marks[mark] for mark in candidate.spot.marks), default=0)
        crowd = sessions[candidate.entry.key] // MAX_WINDOWS_OF_A_SESSION
        ranked.append(
            (
                candidate.spot.worth
                * WORTH_OF_A_REPEAT**again
                * WORTH_OF_A_REPEAT**crowd,
                candidate,
            )
        )
        marks.update(candidate.spot.marks)
        sessions[candidate.entry.key] += 1
    return [candidate for _, candidate in sorted(ranked, key=lambda pair: -pair[0])]


def _fitted(
    candidates: Sequence[_Candidate],
    knowledge: Knowledge,
    redactor: Redactor,
    limit: int,
    tokens: int,
    largest: int,
) -> tuple[tuple[Window, ...], int]:
    chosen: list[Window] = []
    remaining = tokens
    for candidate in candidates:
        if len(chosen) == limit or remaining < SMALLEST_WINDOW:
            break
        window = _window(candidate, knowledge, redactor, min(largest, remaining))
        if window is not None:
            chosen.append(window)
            remaining -= window.tokens
    return tuple(chosen), tokens - remaining


def _window(
    candidate: _Candidate, knowledge: Knowledge, redactor: Redactor, room: int
) -> Window | None:
    """Cut to the room there is: shorter texts first, then without the lines furthest from its signs."""
    count = within(room)
    known_items = _known(candidate, knowledge)
    facts = "".join(item.fact for item in known_items)
    raw = candidate.raw
    for sizes in (*SIZES, *[SIZES[-1]] * len(candidate.raw)):
        lines = shown(raw, redactor, sizes)
        size = count(
            facts
            + "".join(
                f"{line.line} {line.who} {line.tool} {line.text}\n" for line in lines
            )
        )
        if size <= room:
            break
        if sizes is SIZES[-1]:
            raw = _nearer(raw)
    else:
        return None
    return Window(
        id=candidate.id,
        session=candidate.entry.id,
        agent=candidate.entry.agent,
        repo=candidate.entry.repo,
        time=candidate.entry.end,
        why=candidate.spot.why,
        worth=candidate.spot.worth,
        tokens=size,
        lines=lines,
        known_items=known_items,
    )


def _nearer(raw: tuple[Raw, ...]) -> tuple[Raw, ...]:
    """Without the line that is furthest from any sign; the last one behind the others where all are signs."""
    signs = [at for at, raw_line in enumerate(raw) if raw_line.sign] or [0]
    far = max(
        range(len(raw)),
        key=lambda at: (min(abs(at - sign) for sign in signs), at),
        default=0,
    )
    return raw[:far] + raw[far + 1 :]


def _known(candidate: _Candidate, knowledge: Knowledge) -> tuple[KnownItem, ...]:
    lines = {raw.line for raw in candidate.raw}
    items: dict[str, KnowledgeItem] = {}
    for line, resting in _lines(knowledge, candidate.entry.id).items():
        if line in lines:
            items.update((item.id, item) for item in resting)
    live = [item for item in items.values() if item.status in {"active", "candidate"}]
    live.sort(key=lambda item: (-item.confidence, item.id))
    return tuple(KnownItem(item.id, item.fact) for item in live[:MAX_KNOWN_ITEMS])
