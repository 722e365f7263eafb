"""Causes the assistant stated, kept only where what failed worked afterwards; and questions nobody answered.

A first theory is wrong almost half of the time, so only the last statement around a recovery counts. It must be free of
doubt, share words with what failed or with what was done about it, and nobody may have objected. What an edit put right
is not kept: it describes code that is no more, and which of the edits mattered cannot be told.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from afterglow.calls import program
from afterglow.harvest.miners.cause_patterns import (
    FIXED,
    OBJECTION,
    OWN,
    PAST,
    QUESTION,
    RED,
)
from afterglow.harvest.miners.recovered_runs import (
    MAX_CALLS_TO_SUCCESS,
    is_same_program,
    recovered_runs,
)
from afterglow.harvest.miners.stated_causes import (
    MAX_TEXT_READ,
    Statement,
    holds_always,
    identifiers,
    is_vague,
    statements,
    topic_of,
    words_of,
)
from afterglow.harvest.trail import Step, Trail
from afterglow.records.knowledge import Evidence, Finding, Telling
from afterglow.records.session import Turn
from afterglow.text.clip import clip
from afterglow.text.fingerprint import fingerprint, telling_line

NAME = "causes"
VERSION = 2

MAX_TURNS_TO_LAST_WORD = 3  # in which the assistant may still speak about a success
MAX_TURNS_TO_OBJECTION = 7  # in which a person's no is about the statement
MAX_TURNS_AFTER_OPEN_CAUSE = 3  # a session that went on longer did not end on it
MAX_RUNS_BEFORE_LOOKING_BACK = 3  # "fixed" speaks of what has just run
MAX_FIXED_DISTANCE = 160  # characters between "fixed" and the cause it belongs to
MAX_OBJECTION_READ = 200  # characters: who objects says so at once
MAX_RESULT_READ = 300  # characters of a result that tie a statement to what was run
MAX_QUESTION_TAIL = 600  # characters: an open question is the last thing said
MAX_QUOTED_COMMAND, MAX_QUOTED_MESSAGE = 80, 120  # characters that fit a sentence
MIN_LINKS_UNNAMED, MIN_LINKS_NAMED = (
    2,
    1,
)  # words shared with the failure; a name ties more

# How directly: said and then it worked; and what was done names the same thing.
STATED, ACTED = 0.5, 0.65


def mine(trail: Trail) -> Iterator[Finding]:
    if not trail.repo:
        return
    yield from _open_question(trail)
    stated = [
        statement
        for at, turn in enumerate(trail.turns)
        for statement in statements(at, turn)
    ]
    if not stated:
        return
    used: set[int] = set()
    for failed, worked in recovered_runs(trail.steps):
        last = _last_statement(trail, stated, failed, worked)
        if last is not None and last.turn not in used:
            used.add(last.turn)
            yield from _confirmed(trail, failed, worked, last)
    for statement in stated:
        if statement.turn not in used:
            yield from _looked_back(trail, statement)
    if stated[-1].turn not in used:
        yield from _unconfirmed(trail, stated[-1])


def _last_statement(
    trail: Trail, stated: Sequence[Statement], failed: Step, worked: Step
) -> Statement | None:
    """The last cause that was stated between a failure and its end, if nobody objected."""
    last_word = _last_word(trail, worked)
    until = bisect_right(stated, last_word, key=lambda statement: statement.turn)
    last = stated[until - 1] if until else None
    if last is None or last.turn <= failed.turn or _is_objected_to(trail, last.turn):
        return None
    return last


def _is_from_person(turn: Turn) -> bool:
    return turn.role == "user" and turn.kind == "said"


def _unconfirmed(trail: Trail, last: Statement) -> Iterator[Finding]:
    """The cause a session ended on, when what failed was not seen to work again and nobody spoke after it."""
    remaining = trail.turns[last.turn + 1 :]
    if len(remaining) > MAX_TURNS_AFTER_OPEN_CAUSE:
        return
    failed = (
        None if any(map(_is_from_person, remaining)) else _still_failing(trail, last)
    )
    if failed is None:
        return
    line = telling_line(failed.call.error)
    shares_words = words_of(last.what) & words_of(failed.call.error[:MAX_TEXT_READ])
    if not shares_words or not _is_worth_telling(last.what, failed, line):
        return
    command, error = (
        clip(failed.core, MAX_QUOTED_COMMAND),
        clip(line, MAX_QUOTED_MESSAGE),
    )
    question = f"does `{command}` fail ({error}) because {last.what}?"
    evidence = (_place(trail, last), trail.got_words(failed, line))
    yield _question(trail, question, evidence)


def _still_failing(trail: Trail, last: Statement) -> Step | None:
    """The last command that failed before a statement, if it did not work afterwards."""
    runs = [step for step in trail.steps if step.program][-MAX_CALLS_TO_SUCCESS:]
    failures = (
        step for step in reversed(runs) if step.failed and step.turn < last.turn
    )
    failed = next(failures, None)
    if failed is None:
        return None
    worked_later = any(
        step.ok
        and step.index > failed.index
        and is_same_program(failed.program, step.program)
        for step in runs
    )
    return None if worked_later else failed


def _question(trail: Trail, question: str, evidence: tuple[Evidence, ...]) -> Finding:
    slots = {"repo": trail.repo, "question": question}
    return Finding(NAME, f"{trail.repo}|?|{topic_of(question)}", slots, evidence)


def _looked_back(trail: Trail, statement: Statement) -> Iterator[Finding]:
    """A cause told after "fixed", with a run that worked just before: how something behaves, not what was changed."""
    if not _tells_of_behaviour(trail, statement):
        return
    runs = [
        step for step in trail.steps if step.turn < statement.turn and step.program
    ][-MAX_RUNS_BEFORE_LOOKING_BACK:]
    worked = [step for step in runs if step.ok and _shows_own_end(step)]
    if not worked or _is_objected_to(trail, statement.turn):
        return
    if _speaks_of_own_edits(trail, statement):
        return
    slots = {"repo": trail.repo, "what": statement.what}
    evidence = (_place(trail, statement), trail.asked(worked[-1]))
    yield Finding(NAME, topic_of(statement.what), slots, evidence)


def _tells_of_behaviour(trail: Trail, statement: Statement) -> bool:
    start, what = statement.start, statement.what
    text = trail.turns[statement.turn].text
    if not FIXED.search(text[max(start - MAX_FIXED_DISTANCE, 0) : start]):
        return False
    if PAST.search(what) or not holds_always(what):
        return False
    return not is_vague(what) and bool(identifiers(what))


def _speaks_of_own_edits(trail: Trail, statement: Statement) -> bool:
    """Whether it names something this session changed."""
    edited = " ".join(
        step.call.arguments[:MAX_TEXT_READ]
        for step in trail.steps
        if step.turn < statement.turn and step.edits
    )
    return any(name in edited for name in identifiers(statement.what))


def _shows_own_end(step: Step) -> bool:
    """The same of the last command alone."""
    working = step.action.working
    return bool(working) and working[-1].then in {"", "&&"}


def _last_word(trail: Trail, worked: Step) -> int:
    """The index of the turn that may still speak about a success: the assistant's next one with a text."""
    start = worked.turn + 1
    for at, turn in enumerate(
        trail.turns[start : start + MAX_TURNS_TO_LAST_WORD], start
    ):
        if _is_from_person(turn):
            return at - 1
        if turn.role == "assistant" and turn.text:
            return at
    return worked.turn


def _is_objected_to(trail: Trail, at: int) -> bool:
    """Whether the next thing a person said after a turn was no."""
    following = trail.turns[at + 1 : at + 1 + MAX_TURNS_TO_OBJECTION]
    answer = next((turn.text for turn in following if _is_from_person(turn)), "")
    return bool(OBJECTION.match(answer[:MAX_OBJECTION_READ]))


def _confirmed(
    trail: Trail, failed: Step, worked: Step, last: Statement
) -> Iterator[Finding]:
    line = telling_line(failed.call.error)
    if not _is_worth_telling(last.what, failed, line):
        return
    between = trail.steps[failed.index + 1 : worked.index + 1]
    if any(step.edits for step in between):
        return  # what was wrong has been repaired: the statement is about code that is no more, or never was the reason
    run = " ".join(map(_run_text, filter(_is_shell, between)))
    names = _names_of(last, failed, worked)
    if not _is_linked(last, failed, run, has_names=bool(names)):
        return
    acted = any(name in run.lower() for name in names)
    yield Finding(
        NAME,
        topic_of(last.what),
        {
            "repo": trail.repo,
            "what": last.what,
            "command": clip(failed.core, MAX_QUOTED_COMMAND),
            "message": clip(line, MAX_QUOTED_MESSAGE),
            "acted": "yes" if acted else "",
            "program": failed.program,
        },
        (_place(trail, last), trail.got_words(failed, line), trail.asked(worked)),
        fingerprint=fingerprint(failed.call.error),
        cost=worked.index - failed.index,
    )


def _is_shell(step: Step) -> bool:
    return bool(step.command)


def _run_text(step: Step) -> str:
    result = (step.call.result or "")[:MAX_RESULT_READ]
    return f"{step.command[:MAX_TEXT_READ]} {result}"


def _names_of(last: Statement, failed: Step, worked: Step) -> set[str]:
    """What a statement names, also as a word of what was done differently."""
    before = words_of(failed.command[:MAX_TEXT_READ])
    done_differently = words_of(worked.command[:MAX_TEXT_READ]) - before
    names = {name.lower() for name in identifiers(last.what)}
    return names | (words_of(last.what) & done_differently)


def _is_linked(last: Statement, failed: Step, run: str, *, has_names: bool) -> bool:
    """It may be true, but something must tie it to what failed."""
    command, error = failed.command[:MAX_TEXT_READ], failed.call.error[:MAX_TEXT_READ]
    shared = words_of(last.what) & words_of(f"{command} {error} {run}")
    return len(shared) >= (MIN_LINKS_NAMED if has_names else MIN_LINKS_UNNAMED)


def _is_worth_telling(what: str, failed: Step, line: str) -> bool:
    if is_vague(what) or failed.looks or _is_throwaway_script(failed):
        return False
    if holds_always(what):
        return True
    return not RED.search(f"{line}\n{failed.call.error[:MAX_TEXT_READ]}")


def _is_throwaway_script(step: Step) -> bool:
    """Code written on the command line, or a file beside nothing: `python -c ...`, `node try.js`, `sh /tmp/x`."""
    command = step.action.working[0]
    if program(command.program).family not in {"interpreter", "shell"}:
        return False
    if command.has("-c", "-e"):
        return True
    script = next(iter(command.operands), "")
    return script.startswith("/tmp/") or ("/" not in script and "." in script)


def _place(trail: Trail, statement: Statement) -> Evidence:
    turn = trail.turns[statement.turn]
    return trail.said(turn, statement.start, statement.end)


def _open_question(trail: Trail) -> Iterator[Finding]:
    """What the assistant asked last, if nobody answered and it is about the work, not about what to do next."""
    spoken = (
        turn for turn in reversed(trail.turns) if turn.text and turn.kind == "said"
    )
    last = next(spoken, None)
    if last is None or last.role != "assistant" or last.calls:
        return
    asked_last = QUESTION.search(last.text.rstrip()[-MAX_QUESTION_TAIL:])
    if asked_last is None or OWN.search(asked_last[1]):
        return
    question = asked_last[1]
    start = last.text.rfind(question)
    evidence = trail.said(last, start, start + len(question))
    yield _question(trail, question, (evidence,))


def tell(findings: Sequence[Finding]) -> Telling | str:
    slots = findings[0].slots
    if question := slots.get("question"):
        return Telling(
            fact=f"Open: {question}",
            category="question",
            situation="asked, never answered",
            directness=STATED,
            domain="questions",
            tags=("open",),
        )
    newest = max(findings, key=_has_command_and_time).slots
    what = newest["what"]
    if "command" not in newest:
        return Telling(
            fact=f"{what}.",
            category="fact",
            situation=what,
            directness=STATED,
            domain="causes",
            tags=("cause",),
        )
    acted = any(finding.slots.get("acted") for finding in findings)
    return Telling(
        fact=f"`{newest['command']}` failed ({newest['message']}); the cause: {what}.",
        category="fact",
        situation=f"`{newest['program']}` fails: {newest['message']}",
        remedy=what,
        directness=ACTED if acted else STATED,
        domain=newest["program"].partition(" ")[0],
        tags=("cause",),
    )


def _has_command_and_time(finding: Finding) -> tuple[bool, float]:
    return "command" in finding.slots, finding.first.time or 0
