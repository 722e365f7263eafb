"""The same typed change of a call, about what the error names, in two independent sessions.

Silence is better than a wrong line, so a change counts only where sessions agree: most of those that met the same words
and solved it did it in this way, hardly any call that was made so failed in the same way, and one session at least
changed nothing else.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from afterglow.calls import Command, pattern_of
from afterglow.harvest.events.claims import is_telling
from afterglow.harvest.writing.rules.general_form import (
    as_code,
    common_words,
    general_form,
    general_message,
)
from afterglow.harvest.writing.rules.lesson import RuleLesson
from afterglow.harvest.writing.rules.moves import (
    OPERANDS,
    Move,
    has_before,
    is_linked,
    moves_of,
    names,
    requoted,
    words_of,
)
from afterglow.harvest.writing.rules.pairs import (
    Pair,
    failing_command,
    pairs_of,
    task_of,
)
from afterglow.records.problems import Event, Problem

MIN_SESSIONS = 2  # that made the same change: what one did may have been chance
# Changes that all sessions made beside the move: a flag that went and the one in its place. More is another call.
MAX_COMPANIONS = 1

# What may come without the error naming anything, where nothing else was changed and nothing was done in between. What
# goes must be named: a check is silenced by leaving out what it checks.
_CAME = frozenset({"flag", "environment", "wrapper", "step"})

_SHELL_SIGNS = frozenset("*?[]{}()!$&|;<>#~\\")


class Case(Struct, frozen=True):
    pair: Pair
    moves: tuple[Move, ...]

    @property
    def session(self) -> str:
        return self.pair.event.session


def lessons(problem: Problem) -> Iterator[RuleLesson]:
    """What the sessions of a problem agree on."""
    pairs = (pair for event in problem.events for pair in pairs_of(event))
    by_move: dict[tuple[Move, str], dict[int, Case]] = defaultdict(dict)
    for case in (Case(pair, moves_of(pair)) for pair in pairs):
        for move in case.moves:
            if _counts(move, case):
                key = (move, _task(case.pair.failing))
                by_move[key].setdefault(case.pair.event.call, case)
    for (move, _), cases in by_move.items():
        supporters = list(cases.values())
        if _is_agreed(move, supporters, problem.events):
            lesson = _lesson(move, supporters)
            if lesson is not None:
                yield lesson


def _task(failing: Command) -> str:
    """Calls that are compared with one another: of one program, and for one task."""
    return f"{failing.program} {task_of(failing)}"


def _counts(move: Move, case: Case) -> bool:
    """The error names what the move is about; or the move is all that happened."""
    if is_linked(move, case.pair):
        return True
    return move.kind in _CAME and not move.before and _is_all(move, case)


def _is_all(move: Move, case: Case) -> bool:
    event = case.pair.event
    is_elsewhere = bool(event.state or event.directory)
    has_helped = any(call.worked for call in case.pair.between)
    is_same_work = _is_same_work(move, case.pair)
    if case.moves != (move,) or has_helped or is_elsewhere or not is_same_work:
        return False
    return not _selects(move, case.pair.working)


def _is_same_work(move: Move, pair: Pair) -> bool:
    """The operands are the same, but for one behind the flag that came: of a flag that nobody knows, its value."""
    before, after = (
        [word.rstrip("/") for word in command.operands]
        for command in (pair.failing, pair.working)
    )
    if before == after:
        return True
    words = pair.working.words
    name = move.after.split(" ")[0]
    at = words.index(name) + 1 if name in words else len(words)
    value = words[at].rstrip("/") if at < len(words) else ""
    return value in after and before == [word for word in after if word != value]


def _selects(move: Move, working: Command) -> bool:
    """The flag that came chooses what is run: with fewer tests, fewer fail."""
    name = move.after.split(" ")[0]
    masked = pattern_of(working).text.partition(f" {name} ")[2]
    return move.kind == "flag" and masked[:1] == "<" and not masked.startswith("<path>")


def _is_agreed(move: Move, supporters: Sequence[Case], events: Sequence[Event]) -> bool:
    sessions = {case.session for case in supporters}
    if len(sessions) < MIN_SESSIONS or not _is_minimal(move, supporters):
        return False
    if not any(case.pair.has_worked for case in supporters):
        return False
    otherwise = _ended_otherwise(move, supporters, events) - sessions
    in_vain = _failed_nevertheless(move, supporters, events)
    return len(otherwise) + len(in_vain) < len(sessions)


def _is_minimal(move: Move, supporters: Sequence[Case]) -> bool:
    """One session changed nothing else, apart from what all of them changed."""
    companions = set.intersection(*(_further(move, case) for case in supporters))
    return len(companions) <= MAX_COMPANIONS and bool(_minimal(move, supporters))


def _minimal(move: Move, supporters: Sequence[Case]) -> list[Case]:
    """Those that changed nothing but what all of them changed, and operands."""
    companions = set.intersection(*(_further(move, case) for case in supporters))
    return [case for case in supporters if _further(move, case) <= companions]


def _further(move: Move, case: Case) -> set[Move]:
    return {item for item in case.moves if item != move and item.kind not in OPERANDS}


def _ended_otherwise(
    move: Move, supporters: Sequence[Case], events: Sequence[Event]
) -> set[str]:
    """Sessions that met the same words and got there in another way, whatever their calls looked like."""
    calls = {case.pair.event.call for case in supporters}
    return {
        event.session
        for event in events
        if event.remedy is not None
        and event.call not in calls
        and _has_same_words(move, supporters, event)
    }


def _failed_nevertheless(
    move: Move, supporters: Sequence[Case], events: Sequence[Event]
) -> set[str]:
    """Sessions in which a call that was made as the move wants it failed with the same words."""
    model = supporters[0].pair.failing
    sessions = set()
    for event in events:
        command = failing_command(event)
        if command is None or command.program != model.program:
            continue
        if not has_before(move, command) and _has_same_words(move, supporters, event):
            sessions.add(event.session)
    return sessions


def _has_same_words(move: Move, supporters: Sequence[Case], event: Event) -> bool:
    """The event's words are those that the move is about, and its state does not explain it."""
    if event.state and not any(case.pair.event.state for case in supporters):
        return False
    named = _named(move)
    if named:
        return names(words_of(event), named)
    common = common_words([_message(move, case.pair) for case in supporters])
    return any(common <= {*line.text.split()} for line in event.lines)


def _named(move: Move) -> str:
    """The word that the error has to name; empty where it is another one each time."""
    if move.kind in {"program", "subcommand", "flag", "environment", "operand"}:
        return move.before
    return move.before.partition(" ")[2] if move.kind == "value" else ""


def _lesson(move: Move, supporters: Sequence[Case]) -> RuleLesson | None:
    """What is told; nothing where the errors have no word in common."""
    message = general_message([_message(move, case.pair) for case in supporters])
    if not is_telling(message):
        return None
    shown_by = _telling_cases(move, supporters)
    failing = [case.pair.failing for case in shown_by]
    working = [case.pair.working for case in shown_by]
    worked = [case.pair.working for case in shown_by if case.pair.has_worked]
    old_words = {word for command in failing for word in command.words}
    new_words = {word for command in worked for word in command.words} - old_words
    remedy = general_form(working, worked, new_words=new_words)
    if move.kind == "quoting":
        remedy = _with_sign(remedy, _signs(supporters))
    return RuleLesson(
        situation=f"{as_code(general_form(failing, failing))} fails: {message}",
        remedy=f"{_lead(move, supporters)}{as_code(remedy)}",
        events=tuple(case.pair.event for case in supporters),
    )


def _telling_cases(move: Move, supporters: Sequence[Case]) -> Sequence[Case]:
    """By which the call is shown: two sessions that changed nothing else, where there are two and one of them worked."""
    minimal = _minimal(move, supporters)
    has_worked = any(case.pair.has_worked for case in minimal)
    sessions = {case.session for case in minimal}
    return minimal if has_worked and len(sessions) >= MIN_SESSIONS else supporters


def _message(move: Move, pair: Pair) -> str:
    """The line of the error that names what the move is about, else the first."""
    lines = pair.event.lines
    for line in lines:
        if is_linked(move, replace(pair, event=replace(pair.event, lines=(line,)))):
            return line.text
    return lines[0].text if lines else "(it printed nothing)"


def _lead(move: Move, supporters: Sequence[Case]) -> str:
    """What to change, where the two calls side by side do not show it at a glance."""
    match move.kind:
        case "flag" if move.before:
            return _instead_of_flag(move, supporters)
        case "flag" | "environment" if not move.before:
            return f"add {as_code(move.after)}: "
        case "wrapper" if move.before:
            return f"without {as_code(move.before)}: "
        case "wrapper":
            return "run it as "
        case "value" if not move.after:
            flag, _, value = move.before.partition(" ")
            if not flag:
                return f"leave out {as_code(value)}: "
            return f"{as_code(flag)} has no {as_code(value)}, leave it out: "
        case "fewer operands":
            return "give it one at a time: " if _takes_one(supporters) else "use "
        case "quoting":
            return "quote the word that the shell would expand: "
        case "step":
            return f"first {as_code(move.after)}, then "
        case _:
            return "use "


def _instead_of_flag(move: Move, supporters: Sequence[Case]) -> str:
    came = {item for item in supporters[0].moves if item.kind == "flag" and item.after}
    for item in came:
        if all(item in case.moves for case in supporters):
            return f"{as_code(item.after)} in place of {as_code(move.before)}: "
    return f"leave out {as_code(move.before)}: "


def _takes_one(supporters: Sequence[Case]) -> bool:
    """Of the operands that remained, all but one are the same in every session."""
    operands = [case.pair.working.operands for case in supporters]
    shared = set.intersection(*map(set, operands))
    return all(len(set(words) - shared) == 1 for words in operands)


def _signs(supporters: Sequence[Case]) -> str:
    """The signs that all words have which had to be quoted."""
    words = [{*"".join(requoted(case.pair))} for case in supporters]
    return "".join(sorted(_SHELL_SIGNS.intersection(*words)))


def _with_sign(call: str, signs: str) -> str:
    """The first quoted placeholder with the sign in it: `'<path>?…'`."""
    return re.sub(r"(?<=['\"])(<\w+>)(?=['\"])", rf"\g<1>{signs}…", call, count=1)
