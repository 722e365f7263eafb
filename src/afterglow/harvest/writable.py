"""Which problems a reader could say something about: what is offered to writers, and what would cost them for nothing."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import chain

from afterglow.calls import program
from afterglow.harvest.causes import (
    MIN_SESSIONS_OF_CAUSE,
    Reasons,
    said_causes,
    sessions_of,
)
from afterglow.harvest.endings import (
    helping_changes,
    is_change,
    is_edit,
    is_ended,
    lines_of,
    way_of,
)
from afterglow.harvest.episodes import sessions_by_way
from afterglow.harvest.events.claims import LINE_END, is_verdict
from afterglow.harvest.events.keys import without_numbers
from afterglow.harvest.families import company_of, is_coarse, kind_of, rank_of
from afterglow.harvest.tallies import tally_of
from afterglow.harvest.user_speech import remarks
from afterglow.harvest.writing.names import is_file_name, words_in
from afterglow.records.knowledge import WITHOUT
from afterglow.records.problems import Event, KnownLesson, Problem
from afterglow.records.tools import tool_kind
from afterglow.records.writing import BY_RULES, OWN_WRITERS

# Of what was ended, the share that edits of code ended where a problem is ordinary work.
ENDED_BY_EDITS = 0.6
# Of the events of a problem, the share with a cause that two sessions met, from which on something comes back.
COMING_BACK = 0.34
# Kinds of keys that name a cause of their own: whatever was edited, it is the same again.
NAMING_CAUSE = ("rule ", "state ", "program ", "file ")
# Who keeps looking for what is not there should know it, whatever came next.
MIN_SESSIONS_OF_ABSENCE = 3
# Under one closing line two failures are soon unlike; of so many something would come back.
MIN_SESSIONS_OF_FRAME = 3
# Of the events of a problem, the share that problems which say more must hold for it to be left out.
EXPLAINED_BY_OTHERS = 0.8

_CALL = re.compile(r"`([^`]+)`")  # as lessons of rules write them
_PLACE = re.compile(r"<[\w-]+>")


def is_writable(problem: Problem) -> bool:
    """Whether a reader could say what to do: something ended it and is shown, its state explains it, or a person said
    something; and it is more than the ordinary work on code that fails until it is done."""
    if problem.kind == "person":
        return _is_about_one_thing(problem)
    if problem.key.startswith("folder ") or _is_told_by_rules(problem):
        return False  # the events of a folder are told with their message
    if _is_of_editor(problem):
        return False
    if any(event.state for event in problem.events) or _is_absent_for_many(problem):
        return True
    if any(says_nothing(problem) for says_nothing in _SAYS_NOTHING):
        return False
    return _shows_what_to_do(problem)


def _shows_what_to_do(problem: Problem) -> bool:
    shows_ending = any(event.lines for event in problem.events if is_ended(event))
    if shows_ending or any(event.person for event in problem.events):
        return True
    ways_out = [event for event in problem.events if _has_way_out(event)]
    return sessions_of(ways_out) >= MIN_SESSIONS_OF_CAUSE


def _is_told_by_rules(problem: Problem) -> bool:
    """What rules or state checks tell already, where nothing else comes back in it. Where the state is what its events
    have in common, there is no other cause."""
    tellers = {
        lesson.miner
        for lesson in problem.lessons
        if lesson.status == "active" and not _leaves_open(lesson)
    }
    if "state" in tellers and problem.key.startswith("state "):
        return True
    if tellers.isdisjoint(OWN_WRITERS):
        return False
    causes = said_causes(problem.key, problem.events)
    return sum(cause.is_lasting for cause in causes) < 2


def _leaves_open(lesson: KnownLesson) -> bool:
    """Whether it names nothing but what fails, and not what to do instead; or what works has places to fill in that what
    fails has not: which value, sessions differ on, and somebody has to read why."""
    if lesson.miner != BY_RULES:
        return lesson.fact.endswith(f"{WITHOUT}.")
    calls = _CALL.findall(lesson.fact)
    if len(calls) < 2:
        return True
    failing, working = Counter(_PLACE.findall(calls[0])), _PLACE.findall(calls[-1])
    return bool(Counter(working) - failing)


def _has_way_out(event: Event) -> bool:
    """The assistant said something about a failure and did something else."""
    is_open = event.remedy is None and bool(event.because)
    return is_open and any(map(is_change, event.tried))


def _is_absent_for_many(problem: Problem) -> bool:
    is_absent = problem.key.startswith(("file ", "program "))
    return is_absent and len(problem.sessions) >= MIN_SESSIONS_OF_ABSENCE


def _is_each_asked_for_once(problem: Problem) -> bool:
    """Different things that were not there: that agents guess is all that comes back."""
    if problem.key.startswith("file "):
        return False
    is_absent = all(event.target for event in problem.events)
    return is_absent and not tally_of(problem)


def _is_silent_look(problem: Problem) -> bool:
    """A search or a viewer that says nothing found nothing."""
    kind, _, name = problem.key.partition(" ")
    return kind == "mute" and program(name.split(" ")[0]).does == "looks"


def worth_asking(problems: Sequence[Problem]) -> list[Problem]:
    """The problems that a writer can say something about, in their order, without those that others show too: one file
    that is counted among what was asked for in vain, and events that more telling problems explain."""
    writable = _without_counted(list(filter(is_writable, problems)))
    explained: set[int] = set()
    chosen: set[str] = set()
    for problem in sorted(writable, key=_by_telling):
        calls = {event.call for event in problem.events}
        is_explained = len(calls & explained) >= EXPLAINED_BY_OTHERS * len(calls)
        if problem.kind == "person" or not is_explained:
            chosen.add(problem.id)
            explained |= calls
    return [problem for problem in writable if problem.id in chosen]


def side_by_side(problems: Sequence[Problem]) -> list[Problem]:
    """What is to be compared stands together: all that people said, all of one program; dearest matter first."""
    places: dict[tuple[str, str], int] = {}
    for place, problem in enumerate(problems):
        places.setdefault(_matter(problem), place)
    return sorted(problems, key=lambda problem: places[_matter(problem)])


def _matter(problem: Problem) -> tuple[str, str]:
    if problem.kind == "person":
        return problem.repo, kind_of(problem.key)
    return problem.repo, problem.what.split(" ")[0].rstrip(":")


def _by_telling(problem: Problem) -> tuple[int, int, str]:
    return rank_of(problem.key), -len(problem.events), problem.id


def _without_counted(problems: Sequence[Problem]) -> list[Problem]:
    counted = {
        (name.name.rstrip("/").rpartition("/")[2], event.call)
        for problem in problems
        if not problem.key.startswith("file ")
        for name in tally_of(problem)
        for event in problem.events
    }
    return [
        problem
        for problem in problems
        if not problem.key.startswith("file ")
        or not all(
            (problem.key.removeprefix("file "), event.call) in counted
            for event in problem.events
        )
    ]


def _is_about_one_thing(problem: Problem) -> bool:
    """Words of a person. What was refused without a theme is about the action only if that is no edit, plan or
    question, each of which is about something else, and if several sessions were told more than what to do next."""
    kind, _, tool = problem.key.partition(" ")
    if kind != "refused":
        return any(event.person for event in problem.events)
    laid_down = [event for event in problem.events if _lays_down(event.person)]
    is_of_work = tool_kind(tool) in {"edit", "write", "approve", "ask"}
    return not is_of_work and sessions_of(laid_down) >= MIN_SESSIONS_OF_CAUSE


def _lays_down(text: str) -> bool:
    return any(remark.manner != "wish" for remark in remarks(text))


def _is_ordinary_work(problem: Problem) -> bool:
    """Different messages, nearly each gone when the code was edited: nothing comes back but that work takes several
    tries."""
    key, events = problem.key, problem.events
    if key.startswith(NAMING_CAUSE):
        return False
    ended = [event for event in events if event.remedy is not None]
    by_edit = sum(map(_is_ended_by_edit, ended))
    if not ended or by_edit < ENDED_BY_EDITS * len(ended):
        return False
    return _coming_back(key, events) < COMING_BACK * len(events)


def _is_other_code_each_time(problem: Problem) -> bool:
    """What was done about it is mostly that files were edited, others in nearly every session: whoever meets it again will
    have to read what is wrong then."""
    key = problem.key
    if key.startswith((*NAMING_CAUSE, "test ")):
        return False
    answered = [event for event in problem.events if way_of(key, event)]
    edited = [event for event in answered if _is_answered_by_edit(key, event)]
    if not edited or len(edited) < ENDED_BY_EDITS * len(answered):
        return False
    files_by_session: dict[str, set[str]] = defaultdict(set)
    for event in edited:
        files_by_session[event.session] |= _files_edited(event)
    sessions_by_file = Counter(chain.from_iterable(files_by_session.values()))
    most = max(sessions_by_file.values(), default=0)
    return most < max(MIN_SESSIONS_OF_CAUSE, len(problem.sessions) / 2)


def _is_answered_by_edit(key: str, event: Event) -> bool:
    changes = helping_changes(key, event)
    return bool(changes) and is_edit(changes[-1])


def _files_edited(event: Event) -> set[str]:
    """By their names: agents write paths in many ways."""
    edits = (call.command for call in event.following if is_edit(call))
    places = (command.partition(f" {LINE_END} ")[0] for command in edits)
    names = chain.from_iterable(map(words_in, places))
    return {name for name in names if is_file_name(name) and "/" not in name}


def _coming_back(key: str, events: Sequence[Event]) -> int:
    """How many events have a line that several sessions met, and that says more than that a run failed."""
    is_frame = key.startswith("line ") and is_coarse(key, events)
    by_line: dict[str, list[Event]] = {}
    for event in events:
        line = company_of(key, event) if is_frame else _line(key, event)
        by_line.setdefault(without_numbers(line), []).append(event)
    return sum(
        len(group)
        for line, group in by_line.items()
        if line and not is_verdict(line) and sessions_of(group) >= MIN_SESSIONS_OF_CAUSE
    )


def _line(key: str, event: Event) -> str:
    lines = lines_of(key, event)
    return lines[0].text if lines else ""


def _is_changed_by_shell(event: Event) -> bool:
    """Something was run that changed what failed: another session may need the same step."""
    changes = helping_changes("", event) if is_ended(event) else []
    return not all(map(is_edit, changes))


def _is_ended_by_edit(event: Event) -> bool:
    """Files were edited before it passed, and nothing was run that changed something."""
    changes = list(filter(is_change, event.tried))
    return bool(changes) and all(map(is_edit, changes))


def _is_of_editor(problem: Problem) -> bool:
    """What an agent's own editor said: not read yet, changed since, found twice. It says what to do, and state checks
    see what it does not."""
    kinds = {tool_kind(event.tool) for event in problem.events}
    return problem.key.startswith("line ") and kinds <= {"edit", "write"}


def _has_nothing_in_common(problem: Problem) -> bool:
    """Failures without a telling word, or in several sessions under one closing line of different ones, for reasons and
    with ends of their own."""
    if not problem.key.startswith("mute ") and not _is_frame_of_several(problem):
        return False
    causes = said_causes(problem.key, problem.events)
    ways = sessions_by_way(problem.key, problem.events)
    ways.pop("", None)
    comes_back = any(cause.is_lasting and cause.says_why for cause in causes)
    is_worked_around = any(map(_is_changed_by_shell, problem.events))
    return (
        not (comes_back or is_worked_around)
        and max(ways.values(), default=0) < MIN_SESSIONS_OF_CAUSE
    )


def _is_frame_of_several(problem: Problem) -> bool:
    """A line that several sessions met, and that frames others."""
    is_line = problem.key.startswith("line ")
    of_several = len(problem.sessions) >= MIN_SESSIONS_OF_FRAME
    return is_line and of_several and Reasons(problem.key, problem.events).differ


def _is_only_tried_here(problem: Problem) -> bool:
    """A test that fails while the code it tests is written. Where it failed elsewhere, somebody had thought it passed."""
    is_test = problem.key.startswith("test ")
    return is_test and all(event.kind != "ci" for event in problem.events)


# Why a problem has nothing to tell, however it was ended.
_SAYS_NOTHING = (
    _is_ordinary_work,
    _is_other_code_each_time,
    _is_only_tried_here,
    _is_each_asked_for_once,
    _is_silent_look,
    _has_nothing_in_common,
)
