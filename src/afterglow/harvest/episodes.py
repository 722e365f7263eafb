"""Which events of a problem show it best, and what of them: the lines that made them part of it, and what ended them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from afterglow.harvest.events.claims import is_summary, is_verdict, names_test
from afterglow.harvest.events.keys import makes, without_numbers
from afterglow.harvest.families import company_of, is_coarse
from afterglow.records.problems import Event, FollowingCall, Problem, TellingLine
from afterglow.records.tools import is_shell, tool_kind

MAX_EPISODES = 3  # the first that was solved, the newest, and another cause between
MAX_TELLING_LINES = 3  # of one failure
MAX_RULE_LINES = (
    2  # of a rule: the lines of a linter that name others are beside the point
)
MAX_HELPING_CHANGES = 2  # before the same call passed
MAX_CAUSES = 3  # that are counted in one line
MIN_SESSIONS_OF_CAUSE = 2  # that make a cause one that comes back
# Of what was ended, the share that edits of code ended where a problem is ordinary work.
ENDED_BY_EDITS = 0.6
# Of the events of a problem, the share with a cause that two sessions met, from which on something comes back.
COMING_BACK = 0.34
# Who keeps looking for what is not there should know it, whatever came next.
MIN_SESSIONS_OF_ABSENCE = 3

_FOLDERS = re.compile(r"[^\s'\"`:]*/")
_WORD = re.compile(r"\w{3,}")


class Cause(Struct, frozen=True):
    """One telling line of a problem, without its numbers: how often it came, in how many sessions, when last."""

    line: str
    times: int
    sessions: int
    last: float | None


def episodes(key: str, events: Sequence[Event]) -> list[Event]:
    """Up to three events that show most, oldest first: one a session, the best ended first, spread over time and over
    causes."""
    best: dict[str, Event] = {}
    for event in events:
        earlier = best.get(event.session)
        if earlier is None or _worth(key, event) > _worth(key, earlier):
            best[event.session] = event
    by_time = sorted(best.values(), key=_time)
    by_worth = sorted(by_time, key=lambda event: -_worth(key, event))
    most = _worth(key, by_worth[0]) if by_worth else 0
    usable = [event for event in by_time if _worth(key, event) == most]
    chosen = [usable[0], usable[-1]] if usable else []
    causes = {cause_of(key, event) for event in chosen}
    middle = len(usable) // 2
    rest = [*usable[middle:], *usable[:middle], *by_worth]
    rest.sort(key=lambda event: cause_of(key, event) in causes)
    first = {id(event): event for event in [*chosen, *rest]}
    return sorted(list(first.values())[:MAX_EPISODES], key=_time)


def _time(event: Event) -> float:
    return event.time or 0.0


def _worth(key: str, event: Event) -> int:
    """How much an event shows of a problem: that it was ended and how, and that it is about this and nothing else."""
    shows_ending = 4 if is_ended(event) else 0
    shows_words = 2 if event.person or event.remedy else 0
    is_about = any(makes(key, line) for line in event.lines[:1])
    return shows_ending + shows_words + is_about


def is_ended(event: Event) -> bool:
    """Whether it shows how it was ended: by another call, or by a change before the same call."""
    remedy = event.remedy
    if remedy is None or not remedy.command:
        return False
    return not remedy.again or any(map(_is_change, event.tried))


def _is_change(call: FollowingCall) -> bool:
    return call.worked and call.changes


def lines_of(key: str, event: Event) -> list[TellingLine]:
    """The telling lines of an event as a part of this problem: those that made it one, then others that say something."""
    making: list[TellingLine] = []
    further: list[TellingLine] = []
    for line in event.lines:
        if makes(key, line):
            making.append(line)
        elif not is_summary(line.text) or names_test(line.text):
            further.append(line)
    if making and key.startswith("rule "):
        return making[:MAX_RULE_LINES]
    lines = [*making, *further]
    lines.sort(key=lambda line: is_verdict(line.text))
    return lines[:MAX_TELLING_LINES] or list(event.lines[:1])


def helping_changes(key: str, event: Event) -> list[FollowingCall]:
    """What was changed before the goal was reached, as far as it has to do with the lines of this problem. Where the
    same call passed, something in between must have helped: the nearest then, if nothing else. Where nothing passed and
    the assistant says something about it, what it then did instead."""
    changes = [call for call in event.tried if _is_change(call) and call.command]
    if mending := [call for call in changes if is_mending(key, call)]:
        return mending[:1]
    if key.startswith("rule "):  # what answered another report did not answer this one
        changes = [call for call in changes if not call.mends]
    by_relevance = _by_relevance(changes, lines_of(key, event))
    if event.remedy is not None and event.remedy.again:
        return _between(changes, by_relevance)
    went_otherwise = event.remedy is None and event.because
    return by_relevance[:1] or (changes[:1] if went_otherwise else [])


def _between(
    changes: list[FollowingCall], by_relevance: Sequence[FollowingCall]
) -> list[FollowingCall]:
    """What came between two runs of the same call, in its order."""
    if not by_relevance:
        return changes[-1:]
    best = by_relevance[:MAX_HELPING_CHANGES]
    return [call for call in changes if call in best]


def is_mending(key: str, call: FollowingCall) -> bool:
    """Whether an edit answered the first report of the rule, or of the type error, that a problem is about."""
    kind, _, rest = key.partition(" ")
    return kind in {"rule", "code"} and any(
        rule == rest or rule.startswith(f"{rest} ") for rule in call.mends
    )


def _by_relevance(
    changes: Sequence[FollowingCall], lines: Sequence[TellingLine]
) -> list[FollowingCall]:
    """The changes that name something of the lines, those that name most first, the later ones before the earlier."""
    words = _words(" ".join(line.text for line in lines))
    ranked: list[tuple[int, int, FollowingCall]] = []
    for place, call in enumerate(changes):
        shared = len(words & _words(call.command))
        if shared:
            ranked.append((-shared, -place, call))
    ranked.sort(key=lambda item: item[:2])
    return [call for *_, call in ranked]


def _words(text: str) -> frozenset[str]:
    """Names of files without their folders, which all edits of a project share, and every other word."""
    return frozenset(_WORD.findall(_FOLDERS.sub("", text)))


def cause_of(key: str, event: Event) -> str:
    """The line that made an event part of a problem, as it is told apart from others."""
    lines = lines_of(key, event)
    return without_numbers(lines[0].text) if lines else ""


def causes_of(problem: Problem) -> list[Cause]:
    """The lines that come back in a problem, the most frequent first; none where all its events say the same."""
    by_cause: dict[str, list[Event]] = {}
    for event in problem.events:
        by_cause.setdefault(cause_of(problem.key, event), []).append(event)
    causes = [
        Cause(line, len(events), _sessions(events), events[-1].time)
        for line, events in by_cause.items()
        if line and _sessions(events) >= MIN_SESSIONS_OF_CAUSE
    ]
    if len(by_cause) < 2:
        return []
    causes.sort(key=lambda cause: (-cause.times, cause.line))
    return causes[:MAX_CAUSES]


def _sessions(events: Iterable[Event]) -> int:
    return len({event.session for event in events})


def is_writable(problem: Problem) -> bool:
    """Whether a reader could say what to do: something ended it and is shown, its state explains it, or a person said
    something; and it is more than the ordinary work on code that fails until it is done."""
    if problem.kind == "person":
        return _is_about_one_thing(problem)
    if problem.key.startswith("folder "):  # its events are told with their message
        return False
    if any(event.state for event in problem.events) or _is_absent_for_many(problem):
        return True
    if _is_ordinary_work(problem):
        return False
    shows_ending = any(event.lines for event in problem.events if is_ended(event))
    if shows_ending or any(event.person for event in problem.events):
        return True
    ways_out = [event for event in problem.events if _has_way_out(event)]
    return _sessions(ways_out) >= MIN_SESSIONS_OF_CAUSE


def _has_way_out(event: Event) -> bool:
    """The assistant said something about a failure and did something else."""
    is_open = event.remedy is None and bool(event.because)
    return is_open and any(map(_is_change, event.tried))


def _is_absent_for_many(problem: Problem) -> bool:
    is_absent = problem.key.startswith(("file ", "program "))
    return is_absent and len(problem.sessions) >= MIN_SESSIONS_OF_ABSENCE


def _is_about_one_thing(problem: Problem) -> bool:
    """Words of a person. What was refused without a theme is about the action only if that is no edit, each of which is
    about other code, and if words came with it in several sessions."""
    spoken = [event for event in problem.events if event.person]
    kind, _, tool = problem.key.partition(" ")
    if kind != "refused":
        return bool(spoken)
    is_edit = tool_kind(tool) in {"edit", "write"}
    return not is_edit and _sessions(spoken) >= MIN_SESSIONS_OF_CAUSE


def _is_ordinary_work(problem: Problem) -> bool:
    """Different messages, nearly each gone when the code was edited: nothing comes back but that work takes several
    tries."""
    key, events = problem.key, problem.events
    if key.startswith(("rule ", "state ", "program ", "file ")):
        return False
    ended = [event for event in events if event.remedy is not None]
    by_edit = sum(map(_is_ended_by_edit, ended))
    if not ended or by_edit < ENDED_BY_EDITS * len(ended):
        return False
    is_frame = key.startswith("line ") and is_coarse(key, events)
    tell = company_of if is_frame else cause_of
    by_cause: dict[str, list[Event]] = {}
    for event in events:
        by_cause.setdefault(without_numbers(tell(key, event)), []).append(event)
    coming_back = sum(
        len(group)
        for cause, group in by_cause.items()
        if cause and not is_verdict(cause) and _sessions(group) >= MIN_SESSIONS_OF_CAUSE
    )
    return coming_back < COMING_BACK * len(events)


def _is_ended_by_edit(event: Event) -> bool:
    """Files were edited before it passed, and nothing was run that changed something."""
    changes = list(filter(_is_change, event.tried))
    return bool(changes) and not any(is_shell(call.tool) for call in changes)
