"""What a text may have told whoever acted: the call that failed, its error, and what was done about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from afterglow.harvest import trust
from afterglow.harvest.failure_kinds import REACH
from afterglow.harvest.screen.advice import Advice, advice_for, is_about_calls
from afterglow.harvest.screen.comments import is_document, stands_in_comments
from afterglow.harvest.screen.session_texts import NO_STEP, Span, Text
from afterglow.harvest.trail import Step
from afterglow.records.knowledge import Finding

Row = Sequence[Span | None]


def last_act_of(row: Row) -> Span | None:
    """The last span of a finding in which an agent or a person does or says something."""
    acts = _acts(row)
    return acts[-1] if acts else None


def advice_to(
    finding: Finding, row: Row, steps: Sequence[Step], results: Mapping[int, int]
) -> Advice | None:
    """What a text may have told whoever acted last. The first call of a finding is the one that failed; where it shows
    none, that is the call before that failed. `results` are the numbers of the texts that steps brought back."""
    acts = _acts(row)
    first, last = acts[0].text, acts[-1].text
    working = _line(last, steps) if _is_run(last, steps) else ""
    if _has_failed(first, steps):
        errors = tuple(_errors(row, acts[-1], steps))
        actions = _actions_behind(first.step, last.step, steps)
        return advice_for(finding, _line(first, steps), working, errors, actions)
    failed = _failed_before(last, steps) if is_about_calls(finding) else None
    if failed is None:
        return advice_for(finding, "", working, ())
    return advice_for(finding, failed.core, working, (results[failed.index],))


def _actions_behind(failed: int, last: int, steps: Sequence[Step]) -> Iterator[str]:
    """What was run or edited behind a failed call, up to what ended it."""
    return (step.core or step.call.arguments for step in steps[failed + 1 : last + 1])


def can_tell(text: Text, steps: Sequence[Step]) -> bool:
    """Whether somebody else may speak through a text: through what a shell, a service or a file brings back. What the
    agent's own tools say is of its makers."""
    if text.trust in {"user", "assistant"}:
        return False
    if text.step == NO_STEP or text.trust != "tool":
        return True
    step = steps[text.step]
    return step.action.kind == "shell" or step.tool.startswith(trust.SERVICE)


def is_told_in_comment(advice: Advice, text: Text, steps: Sequence[Step]) -> bool:
    """Whether a file names what is done about an error, and in its comments only."""
    if not advice.errors or text.trust != "file" or text.step == NO_STEP:
        return False
    in_document = any(map(is_document, trust.files_of(steps[text.step].action)))
    return stands_in_comments(text.own_words, advice.word, in_document=in_document)


def _acts(row: Row) -> list[Span]:
    return [span for span in row if span is not None and span.text.part != "result"]


def _errors(row: Row, act: Span, steps: Sequence[Step]) -> list[int]:
    """What failed calls of the finding brought back. Where the failing call stands alone, its error came before whatever
    was done about it."""
    return [
        span.at
        for span in row
        if span is not None
        and span.text.part == "result"
        and _has_failed(span.text, steps)
        and can_tell(span.text, steps)
        and (span.at < act.at or span.text.step == act.text.step)
    ]


def _failed_before(text: Text, steps: Sequence[Step]) -> Step | None:
    """The same program, shortly before and in vain."""
    if not _is_run(text, steps):
        return None
    names = _programs(steps[text.step])
    for step in reversed(steps[max(text.step - REACH, 0) : text.step]):
        if step.failed and step.core and names & _programs(step):
            return step
    return None


def _programs(step: Step) -> set[str]:
    return {command.program for command in step.action.working}


def _has_failed(text: Text, steps: Sequence[Step]) -> bool:
    is_call = text.step != NO_STEP and text.part != "text"
    return is_call and steps[text.step].failed


def _is_run(text: Text, steps: Sequence[Step]) -> bool:
    is_call = text.step != NO_STEP and text.part == "arguments"
    return is_call and steps[text.step].action.kind == "shell"


def _line(text: Text, steps: Sequence[Step]) -> str:
    """What a call runs, or its arguments."""
    if text.step == NO_STEP:
        return text.whole
    return steps[text.step].core or text.whole
