"""Causes the assistant stated, kept only where what failed worked afterwards; and questions nobody answered.

A first theory is wrong almost half of the time, so only the last statement around a recovery counts. It must be free of
doubt, share words with what failed or with what was done about it, and nobody may have objected. What an edit put right
is not kept: it describes code that is no more, and which of the edits mattered cannot be told.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from msgspec import Struct

from afterglow.harvest.miners.cause_patterns import (
    CAUSE,
    CUT,
    DOUBT,
    DULL,
    FIXED,
    IDENTIFIER,
    LASTING,
    LEAD,
    LOCAL,
    OBJECTION,
    OWN,
    PAST,
    QUESTION,
    RED,
    SCRIPT,
    WORD,
)
from afterglow.harvest.trail import Step, Trail
from afterglow.records.knowledge import Evidence, Finding, Telling
from afterglow.records.session import Turn
from afterglow.text.clip import clip
from afterglow.text.fingerprint import fingerprint, telling_line

NAME = "causes"
VERSION = 1

REACH = 40  # calls between a failure and the success that may confirm its cause
AGAIN = 8  # calls after it in which the same failure takes the confirmation back
READ = 4000  # characters of a text that are looked at
SHORTEST, LONGEST = 20, 280  # characters of a statement
STATED, ACTED = (
    0.5,
    0.65,
)  # how directly: said and then it worked; and what was done names the same thing


class _Statement(Struct):
    turn: int
    what: str
    start: int
    end: int


def mine(trail: Trail) -> Iterator[Finding]:
    if not trail.repo:
        return
    yield from _open_question(trail)
    stated = [
        statement
        for at, turn in enumerate(trail.turns)
        for statement in _statements(at, turn)
    ]
    if not stated:
        return
    used: set[int] = set()
    for failed, worked in _recoveries(trail.steps):
        until = bisect_right(
            stated, _last_word(trail, worked), key=lambda statement: statement.turn
        )
        last = stated[until - 1] if until else None
        if (
            last
            and failed.turn < last.turn
            and last.turn not in used
            and not _objected(trail, last.turn)
        ):
            used.add(last.turn)
            yield from _confirmed(trail, failed, worked, last)
    yield from (
        finding
        for statement in stated
        if statement.turn not in used
        for finding in _looked_back(trail, statement)
    )
    if stated[-1].turn not in used:
        yield from _unconfirmed(trail, stated[-1])


def _unconfirmed(trail: Trail, last: _Statement) -> Iterator[Finding]:
    """The cause a session ended on, when what failed was not seen to work again and nobody spoke after it."""
    rest = trail.turns[last.turn + 1 :]
    if len(rest) > 3 or any(
        turn.role == "user" and turn.kind == "said" for turn in rest
    ):
        return
    run = [step for step in trail.steps if step.program][-REACH:]
    failed = next(
        (step for step in reversed(run) if step.failed and step.turn < last.turn), None
    )
    if failed is None or any(
        step.ok and step.index > failed.index and _same(failed.program, step.program)
        for step in run
    ):
        return
    line = telling_line(failed.call.error)
    if _worth_telling(last.what, failed, line) and _words(last.what) & _words(
        failed.call.error[:READ]
    ):
        question = f"does `{clip(failed.core, 80)}` fail ({clip(line, 120)}) because {last.what}?"
        slots = {"repo": trail.repo, "question": question}
        yield Finding(
            NAME,
            f"{trail.repo}|?|{_topic(question)}",
            slots,
            (_place(trail, last), trail.got_words(failed, line)),
        )


def _looked_back(trail: Trail, statement: _Statement) -> Iterator[Finding]:
    """A cause told after "fixed", with a run that worked just before: how something behaves, not what was changed."""
    lead_in = trail.turns[statement.turn].text[
        max(statement.start - 160, 0) : statement.start
    ]
    if (
        not FIXED.search(lead_in)
        or not LASTING.search(statement.what)
        or PAST.search(statement.what)
        or _vague(statement.what)
    ):
        return
    before = [
        step for step in trail.steps if step.turn < statement.turn and step.program
    ][-3:]
    if (
        not IDENTIFIER.search(statement.what)
        or not any(step.ok and _last_shown(step) for step in before)
        or _objected(trail, statement.turn)
    ):
        return
    edited = " ".join(
        step.call.arguments[:READ]
        for step in trail.steps
        if step.turn < statement.turn and step.edits
    )
    if any(name.strip("`") in edited for name in IDENTIFIER.findall(statement.what)):
        return  # it speaks of what this session changed
    slots = {"repo": trail.repo, "what": statement.what}
    worked = next(step for step in reversed(before) if step.ok and _last_shown(step))
    yield Finding(
        NAME,
        _topic(statement.what),
        slots,
        (_place(trail, statement), trail.asked(worked)),
    )


def _statements(at: int, turn: Turn) -> Iterator[_Statement]:
    """What an assistant's text gives as the cause, the last one of it; a doubtful one takes an earlier one back."""
    if turn.role != "assistant" or turn.kind != "said" or not turn.text:
        return
    match = list(CAUSE.finditer(turn.text, 0, READ))[-1:]
    for match_of_line in match:
        what = LEAD.sub("", CUT.split(match_of_line["what"], maxsplit=1)[0])
        start = (
            match_of_line.end("what")
            - len(match_of_line["what"])
            + match_of_line["what"].find(what)
        )
        yield _Statement(
            at, what.replace("**", "").rstrip(" :;,*"), start, start + len(what)
        )


def _recoveries(steps: Sequence[Step]) -> Iterator[tuple[Step, Step]]:
    """Failures of shell commands, each with the run of the same program that worked afterwards."""
    open_: dict[str, Step] = {}
    for step in steps:
        if not step.program or step.call.result is None:
            continue
        if step.failed:
            open_.pop(step.program, None)
            open_[step.program] = step
            while step.index - next(iter(open_.values())).index > REACH:
                del open_[next(iter(open_))]  # too long ago to be confirmed
        elif step.ok and (
            goal := next((name for name in open_ if _same(name, step.program)), None)
        ):
            failed = open_.pop(
                goal
            )  # settled one way or the other: a run that hides how it ended proves nothing
            if (
                _shown(step)
                and step.index - failed.index <= REACH
                and not _fails_again(steps, step, failed)
            ):
                yield failed, step


def _shown(step: Step) -> bool:
    """Whether a success is the command's own: a pipe or a `;` behind it would have hidden a failure."""
    return all(part.then in {"", "&&"} for part in step.action.working)


def _last_shown(step: Step) -> bool:
    parts = step.action.working
    return bool(parts) and parts[-1].then in {"", "&&"}


def _same(failed: str, worked: str) -> bool:
    return (
        failed == worked
        or worked.endswith(f" {failed}")
        or failed.endswith(f" {worked}")
    )


def _fails_again(steps: Sequence[Step], worked: Step, failed: Step) -> bool:
    later = [
        step
        for step in steps[worked.index + 1 : worked.index + 1 + AGAIN]
        if step.program == worked.program
    ]
    return any(
        step.failed and fingerprint(step.call.error) == fingerprint(failed.call.error)
        for step in later
    )


def _last_word(trail: Trail, worked: Step) -> int:
    """The index of the turn that may still speak about a success: the assistant's next one with a text."""
    for at in range(worked.turn + 1, min(worked.turn + 4, len(trail.turns))):
        turn = trail.turns[at]
        if turn.role == "user" and turn.kind == "said":
            return at - 1
        if turn.role == "assistant" and turn.text:
            return at
    return worked.turn


def _objected(trail: Trail, at: int) -> bool:
    """Whether the next thing a person said after a turn was no."""
    after = trail.turns[at + 1 : at + 8]
    reply = next(
        (turn.text for turn in after if turn.role == "user" and turn.kind == "said"), ""
    )
    return bool(OBJECTION.match(reply[:200]))


def _confirmed(
    trail: Trail, failed: Step, worked: Step, last: _Statement
) -> Iterator[Finding]:
    line = telling_line(failed.call.error)
    if not _worth_telling(last.what, failed, line):
        return
    between = trail.steps[failed.index + 1 : worked.index + 1]
    if any(step.edits for step in between):
        return  # what was wrong has been repaired: the statement is about code that is no more, or never was the reason
    run = " ".join(
        f"{step.command[:READ]} {(step.call.result or '')[:300]}"
        for step in between
        if step.command
    )
    words, named = (
        _words(last.what),
        {name.strip("`").lower() for name in IDENTIFIER.findall(last.what)},
    )
    named |= words & (
        _words(worked.command[:READ]) - _words(failed.command[:READ])
    )  # it names what was done differently
    linked = words & _words(f"{failed.command[:READ]} {failed.call.error[:READ]} {run}")
    if len(linked) < (1 if named else 2):
        return  # it may be true, but nothing ties it to what failed
    acted = any(name in run.lower() for name in named)
    yield Finding(
        NAME,
        _topic(last.what),
        {
            "repo": trail.repo, "what": last.what, "command": clip(failed.core, 80),
            "message": clip(line, 120), "acted": "yes" if acted else "", "program": failed.program,
        },
        (_place(trail, last), trail.got_words(failed, line), trail.asked(worked)),
        fingerprint=fingerprint(failed.call.error),
        cost=worked.index - failed.index,
    )  # fmt: skip


def _worth_telling(what: str, failed: Step, line: str) -> bool:
    if _vague(what):
        return False
    if failed.looks or SCRIPT.match(failed.core):
        return False
    return bool(LASTING.search(what)) or not RED.search(
        f"{line}\n{failed.call.error[:READ]}"
    )


def _vague(what: str) -> bool:
    return not SHORTEST <= len(what) <= LONGEST or bool(
        DOUBT.search(what) or LOCAL.search(what)
    )


def _topic(what: str) -> str:
    return " ".join(sorted(_words(what)))[:400]


def _words(text: str) -> set[str]:
    return {word for word in map(str.lower, WORD.findall(text)) if word not in DULL}


def _place(trail: Trail, statement: _Statement) -> Evidence:
    return trail.said(trail.turns[statement.turn], statement.start, statement.end)


def _open_question(trail: Trail) -> Iterator[Finding]:
    """What the assistant asked last, if nobody answered and it is about the work, not about what to do next."""
    last = next(
        (turn for turn in reversed(trail.turns) if turn.text and turn.kind == "said"),
        None,
    )
    if last is None or last.role != "assistant" or last.calls:
        return
    tail = last.text.rstrip()[-600:]
    match = QUESTION.search(tail)
    if match is None or OWN.search(match[1]):
        return
    start = last.text.rfind(match[1])
    yield Finding(
        NAME,
        f"{trail.repo}|?|{_topic(match[1])}",
        {"repo": trail.repo, "question": match[1]},
        (trail.said(last, start, start + len(match[1])),),
    )


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
    newest = max(
        findings,
        key=lambda finding: ("command" in finding.slots, finding.first.time or 0),
    ).slots
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
    return Telling(
        fact=f"`{newest['command']}` failed ({newest['message']}); the cause: {what}.",
        category="fact",
        situation=f"`{newest['program']}` fails: {newest['message']}",
        remedy=what,
        directness=ACTED
        if any(finding.slots.get("acted") for finding in findings)
        else STATED,
        domain=newest["program"].partition(" ")[0],
        tags=("cause",),
    )
