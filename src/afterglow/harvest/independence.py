"""How many sessions speak for something by themselves: days and people, not copies of one text.

`independent` counts sessions for whoever wants to know how much stands behind an item. `witnesses` counts those that
may make it active: sessions in which an agent or a person did or said it without having it from outside.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from afterglow.harvest.human_text import is_prose
from afterglow.harvest.trust import RUN
from afterglow.records.knowledge import Evidence

LONG = 200  # characters that do not come out the same twice by themselves
DAY = 86400.0
# Seconds that lie between two days of one person: a session over midnight, wherever midnight is, is of the same day.
NIGHT = 6 * 3600.0
OUTSIDE = "outside"
OBEYED = "obeyed"

_WORDS = re.compile(r"\w+")
_COMMAND = re.compile(r"\{[^:]{0,20}\"(?:command|cmd|code)\"\s*:")

Sessions = Mapping[str, Sequence[Evidence]]


def independent(evidence: Sequence[Evidence]) -> int:
    """How many independent sessions are behind something.

    Sessions of one person on one day are one witness, and so are all of which nobody knows the day. So are sessions
    that hold one text, from wherever it was copied, and forks, which repeat a session with all its words. Text from
    outside never vouches for other text from outside: who wants to be believed says the same thing in many places. So
    all sessions that rest on it are one witness. So are all that did what a program's output told them.
    """
    return len(set(_witness_of_sessions(evidence).values()))


def _witness_of_sessions(evidence: Sequence[Evidence]) -> dict[str, str]:
    """Session -> the one that stands for all that are one witness with it."""
    sessions = _by_session(evidence)
    foreign = {
        _words(span)
        for span in evidence
        if span.trust in {"file", "external"} and not _is_command(span)
    }
    days = _days(sessions)
    witness = {name: name for name in sessions}
    first_witness: dict[object, str] = {}
    for name, spans in sessions.items():
        for mark in {days[name], *_marks(spans, foreign)}:
            _join(witness, first_witness.setdefault(mark, name), name)
    return {name: _root(witness, name) for name in sessions}


def witnesses(evidence: Sequence[Evidence]) -> int:
    """How many of them found it by themselves: what came from outside is no witness, however often, and neither is what
    a program printed where nobody acted on it."""
    return independent(_witnessing(evidence))


def _witnessing(evidence: Iterable[Evidence]) -> list[Evidence]:
    return [
        span
        for spans in _by_session(evidence).values()
        if _is_acted_on(spans) and not any(map(_is_from_outside, spans))
        for span in spans
    ]


def witnessing_people(evidence: Sequence[Evidence]) -> int:
    """How many people found it by themselves. Who shares every witness with somebody else, because both hold one text,
    adds nobody."""
    clean = _witnessing(evidence)
    people = {span.author for span in clean}
    if len(people) < 2:
        return len(people)
    authors: dict[str, set[str]] = defaultdict(set)
    witness = _witness_of_sessions(clean)
    for span in clean:
        authors[witness[span.session]].add(span.author)
    alone = {name for names in authors.values() if len(names) == 1 for name in names}
    shared = [names for names in authors.values() if names.isdisjoint(alone)]
    return len(alone) + bool(shared)


def acting_witnesses(evidence: Sequence[Evidence]) -> int:
    """The same of sessions in which an agent did something, or a person said it: what an agent only says it may have read
    a moment before."""
    acts = {
        span.session
        for span in evidence
        if span.part == "arguments" or span.trust == "user"
    }
    return witnesses([span for span in evidence if span.session in acts])


def _by_session(evidence: Iterable[Evidence]) -> dict[str, list[Evidence]]:
    sessions: dict[str, list[Evidence]] = {}
    for span in evidence:
        sessions.setdefault(span.session, []).append(span)
    return sessions


def _is_acted_on(spans: Iterable[Evidence]) -> bool:
    """An agent or a person did or said something; not just a program."""
    return any(span.part != "result" for span in spans)


def is_obeying(evidence: Iterable[Evidence]) -> bool:
    """Whether some session had it from what a program printed."""
    return any(map(_is_obeyed, evidence))


def _is_obeyed(span: Evidence) -> bool:
    """What an agent did has the agent's trust, or a program's where that told it to."""
    return span.part != "result" and span.trust == "tool"


def _is_from_outside(span: Evidence) -> bool:
    return span.trust == "external" or (span.trust == "file" and _is_told(span))


def _days(sessions: Sessions) -> dict[str, object]:
    """Whose day each session is of. Somebody unknown may be anybody who worked that day."""
    starts = {name: _start(spans) for name, spans in sessions.items()}
    dated = sorted((time, name) for name, time in starts.items() if time is not None)
    days: dict[str, object] = dict.fromkeys(starts, ("day", None))
    working_days: dict[str, tuple[float, float]] = {}  # of an author: first and last
    authors_of: dict[int, set[str]] = defaultdict(set)
    unknown: list[tuple[str, int]] = []
    for time, name in dated:
        author = sessions[name][0].author
        first, last = working_days.get(author, (float("-inf"), float("-inf")))
        if not _is_same_day(first, last, time):
            first = time
        working_days[author] = first, time
        day = int(first // DAY)
        days[name] = "day", day, author
        if author:
            authors_of[day].add(author)
        else:
            unknown.append((name, day))
    for name, day in unknown:
        if authors_of[day]:
            days[name] = "day", day, min(authors_of[day])
    return days


def _is_same_day(first: float, last: float, time: float) -> bool:
    """Whether a session at a time is of the day that began with one and went on with another."""
    if time - first >= DAY:
        return False
    return time - last < NIGHT or first // DAY == time // DAY


def _start(spans: Iterable[Evidence]) -> float | None:
    return min((span.time for span in spans if span.time is not None), default=None)


def _marks(spans: Sequence[Evidence], foreign: Collection[str]) -> Iterable[object]:
    """What two sessions must not share to count as two. `foreign` is what somebody else wrote, as far as is known: the
    same words in a session that does not show where they come from are no second witness."""
    yield _fork_mark(spans)
    for span in spans:
        yield from _copy_marks(span, foreign)


def _fork_mark(spans: Sequence[Evidence]) -> object:
    """The same spans at the same times; of several long ones the words alone say enough."""
    hashes = frozenset(span.hash for span in spans)
    longest = max(span.length for span in spans)
    if len(hashes) > 1 and longest >= LONG:
        return "fork", hashes, None
    times = frozenset(span.time for span in spans)
    return "fork", hashes, times


def _copy_marks(span: Evidence, foreign: Collection[str]) -> Iterable[object]:
    if span.trust == "user":
        # A prompt that is pasted again; short words said again are meant again.
        if span.length >= LONG:
            yield "text", span.hash
        return
    if _is_from_outside(span):
        yield OUTSIDE
    if _is_obeyed(span):
        yield OBEYED
    if span.trust == "tool" or _is_command(span):
        return
    words = _words(span)
    if not words or words not in foreign:
        return
    yield "text", words
    if span.trust == "file":
        parts = words.split()
        for at in range(len(parts) - RUN + 1):
            yield ("run", *parts[at : at + RUN])


def _words(span: Evidence) -> str:
    return " ".join(_WORDS.findall(span.quote.lower()))


def _is_told(span: Evidence) -> bool:
    """Somebody's sentences, or what an agent wrote down from them; not what it did, nor what a program showed. Words that
    nobody can see may be anybody's."""
    is_written = span.part == "arguments" and not _is_command(span)
    return is_written or not span.quote or is_prose(span.quote)


def _is_command(span: Evidence) -> bool:
    """A command that stands in a project's own files may be run again and again: each run is a fact of its own."""
    return (
        span.part == "arguments"
        and span.start == 0
        and _COMMAND.match(span.quote) is not None
    )


def _root(witness: dict[str, str], name: str) -> str:
    while witness[name] != name:
        witness[name] = name = witness[witness[name]]
    return name


def _join(witness: dict[str, str], first: str, second: str) -> None:
    witness[_root(witness, second)] = _root(witness, first)
