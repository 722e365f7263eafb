"""The same typed change of a call, about what the error names, in two independent sessions.

Silence is better than a wrong line, so a change counts only where sessions agree: most of those that met the same words
and solved it did it in this way, hardly any call that was made so failed in the same way, and one session at least
changed nothing else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from afterglow.calls import Command, pattern_of
from afterglow.harvest.events.claims import is_telling
from afterglow.harvest.writing.rules.agreement import Agreement, Case
from afterglow.harvest.writing.rules.change_sentences import remedy_of
from afterglow.harvest.writing.rules.general_form import (
    as_code,
    general_form,
    quoted_message,
)
from afterglow.harvest.writing.rules.lesson import RuleLesson
from afterglow.harvest.writing.rules.moves import (
    Move,
    has_before,
    is_linked,
    moves_of,
    names,
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
_CAME = frozenset({"flag", "environment", "wrapper", "ending", "step"})


def lessons(problem: Problem) -> Iterator[RuleLesson]:
    """What the sessions of a problem agree on."""
    by_move: dict[tuple[Move, str], dict[int, Case]] = defaultdict(dict)
    for case in _cases(problem.events):
        for move in case.moves:
            if _counts(move, case):
                key = (move, _task(case.pair.failing))
                by_move[key].setdefault(case.pair.event.call, case)
    for (move, _), cases in by_move.items():
        agreement = Agreement(move, tuple(cases.values()))
        if _is_agreed(agreement, problem.events):
            yield from _lesson(agreement)


def _cases(events: Sequence[Event]) -> Iterator[Case]:
    for event in events:
        for pair in pairs_of(event):
            yield Case(pair, moves_of(pair))


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
    if case.moves != (move,) or event.state or event.directory:
        return False
    if any(call.worked for call in case.pair.between):
        return False
    return _is_same_work(move, case.pair) and not _selects(move, case.pair.working)


def _is_same_work(move: Move, pair: Pair) -> bool:
    """The operands are the same, but for one behind the flag that came: of a flag that nobody knows, its value."""
    before = _plain_operands(pair.failing)
    after = _plain_operands(pair.working)
    if before == after:
        return True
    value = _word_behind(move.after.split(" ")[0], pair.working)
    return value in after and before == [word for word in after if word != value]


def _plain_operands(command: Command) -> list[str]:
    return [word.rstrip("/") for word in command.operands]


def _word_behind(name: str, command: Command) -> str:
    words = command.words
    if name not in words[:-1]:
        return ""
    return words[words.index(name) + 1].rstrip("/")


def _selects(move: Move, working: Command) -> bool:
    """The flag that came chooses what is run: with fewer tests, fewer fail."""
    if move.kind != "flag":
        return False
    name = move.after.split(" ")[0]
    masked = pattern_of(working).text.partition(f" {name} ")[2]
    return masked.startswith("<") and not masked.startswith("<path>")


def _is_agreed(agreement: Agreement, events: Sequence[Event]) -> bool:
    sessions = agreement.sessions
    if len(sessions) < MIN_SESSIONS or len(agreement.companions) > MAX_COMPANIONS:
        return False
    if not agreement.minimal or not agreement.worked:
        return False
    otherwise = _ended_otherwise(agreement, events) - sessions
    in_vain = _failed_nevertheless(agreement, events)
    return len(otherwise) + len(in_vain) < len(sessions)


def _ended_otherwise(agreement: Agreement, events: Sequence[Event]) -> set[str]:
    """Sessions that met the same words and got there in another way, whatever their calls looked like."""
    calls = {case.pair.event.call for case in agreement.cases}
    solved = [event for event in events if event.remedy and event.call not in calls]
    return {event.session for event in solved if _has_same_words(agreement, event)}


def _failed_nevertheless(agreement: Agreement, events: Sequence[Event]) -> set[str]:
    """Sessions in which a call that was made as the move wants it failed with the same words."""
    program = agreement.cases[0].pair.failing.program
    sessions = set()
    for event in events:
        command = failing_command(event)
        if command is None or command.program != program:
            continue
        is_made_so = not has_before(agreement.move, command)
        if is_made_so and _has_same_words(agreement, event):
            sessions.add(event.session)
    return sessions


def _has_same_words(agreement: Agreement, event: Event) -> bool:
    """The event's words are those that the move is about, and its state does not explain it."""
    if event.state and not agreement.is_of_state:
        return False
    named = _named(agreement.move)
    if named:
        return names(words_of(event), named)
    common = agreement.common_words
    return any(common <= {*line.text.split()} for line in event.lines)


def _named(move: Move) -> str:
    """The word that the error has to name; empty where it is another one each time."""
    if move.kind in {"program", "subcommand", "flag", "environment", "operand"}:
        return move.before
    return move.before.partition(" ")[2] if move.kind == "value" else ""


def _lesson(agreement: Agreement) -> Iterator[RuleLesson]:
    """What is told; nothing where the errors have no word in common."""
    message = quoted_message(agreement.messages)
    if not is_telling(message):
        return
    failing = [case.pair.failing for case in agreement.telling]
    yield RuleLesson(
        situation=f"{as_code(general_form(failing, failing))} fails: {message}",
        remedy=remedy_of(agreement),
        events=tuple(case.pair.event for case in agreement.cases),
    )
