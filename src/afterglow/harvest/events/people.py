"""What a person put right or laid down, with the action before it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from msgspec.structs import replace

from afterglow.calls import written_files
from afterglow.harvest.events.call_text import call_text
from afterglow.harvest.events.failing_calls import hash_of
from afterglow.harvest.events.failures import program_of
from afterglow.harvest.trail import Step, Trail
from afterglow.harvest.user_speech import (
    QUOTED,
    content,
    is_short,
    is_speech,
    remarks,
    tidy,
)
from afterglow.records.problems import Event, FollowingCall
from afterglow.text.clip import clip

MAX_REMARKS = 2  # of one message: who says more writes a text
MIN_CONTENT_WORDS = (
    2  # of a message that asks for something: "yes, go on" asks for nothing
)
# Of the words of a call, more than so many are the same where it is done over and not something else is done.
SHARED_WHEN_DONE_OVER = 0.5


def corrections(trail: Trail) -> Iterator[Event]:
    """One event a message; what a session begins with is its task. Whether a message is more than the work at hand, the
    other sessions tell: what people ask for again and again, they want always."""
    heard: set[str] = set()
    for place in _later_messages(trail):
        text = trail.turns[place].text
        words = _words(text)
        if words and text not in heard:
            heard.add(text)
            yield _correction(trail, place, words)


def _later_messages(trail: Trail) -> list[int]:
    """Where a person spoke again after what they began with."""
    return [place for place, turn in enumerate(trail.turns) if is_speech(turn)][1:]


def _words(text: str) -> str:
    """What a message asks for: all of it where it is short, else the sentences that ask for more than the work at hand."""
    if is_short(text):
        return tidy(text) if len(content(text)) >= MIN_CONTENT_WORDS else ""
    return " ".join(remark.words for remark in remarks(text)[:MAX_REMARKS])


def _correction(trail: Trail, place: int, words: str) -> Event:
    turn = trail.turns[place]
    before = _step_before(trail, place)
    event = Event(
        kind="person",
        session=trail.session.id,
        agent=trail.session.agent,
        line=turn.line,
        result_line=turn.line,
        call=hash_of(f"{turn.time} {turn.text}"),
        time=turn.time if turn.time is not None else trail.session.start,
        person=words,
        person_line=turn.line,
        because=_answer(trail, place),
        turns=1,
        trust="user",
    )
    if before is None:
        return event
    remedy = _done_over(trail, before)
    return replace(
        event,
        tool=before.tool,
        program=program_of(before.action),
        command=call_text(before, root=trail.session.cwd),
        remedy=remedy,
        target=_file_of_both(trail, before) if remedy else "",
    )


def steps_done_over(trail: Trail) -> set[int]:
    """The calls that a person had done over: they ended well, and were not what was wanted."""
    return {
        before.index
        for place in _later_messages(trail)
        if (before := _step_before(trail, place)) and _done_over(trail, before)
    }


def _step_before(trail: Trail, place: int) -> Step | None:
    at = bisect_left(trail.steps, place, key=lambda step: step.turn)
    return trail.steps[at - 1] if at else None


def _done_over(trail: Trail, before: Step) -> FollowingCall | None:
    """The call by which a person had the one before done over: the very next, by the same program with other arguments
    or into the same file, although the first had ended well. What only looks is looked at again for many reasons."""
    after = trail.steps[before.index + 1 : before.index + 2]
    if not after or not (before.ok and after[0].ok):
        return None
    is_same_program = program_of(before.action) == program_of(after[0].action)
    is_near = _shared_words(before, after[0]) > SHARED_WHEN_DONE_OVER
    is_same_call = is_same_program and is_near and not before.looks
    is_same_file = bool(_files(before) & _files(after[0]))
    is_changed = before.command != after[0].command
    if not is_changed or not (is_same_call or is_same_file):
        return None
    command = call_text(after[0], root=trail.session.cwd)
    call = after[0].call
    return FollowingCall(call.line, call.tool, command, True) if command else None


def _file_of_both(trail: Trail, before: Step) -> str:
    """What the call and the next one wrote, if any."""
    return min(_files(before) & _files(trail.steps[before.index + 1]), default="")


def _files(step: Step) -> frozenset[str]:
    """That a line of a shell wrote. An editor comes back to a file for many reasons."""
    return frozenset().union(*map(written_files, step.action.commands))


def _shared_words(before: Step, after: Step) -> float:
    """Of the words of the shorter call."""
    calls = [
        set(step.action.main.words) if step.action.main else set()
        for step in (before, after)
    ]
    shorter = min(map(len, calls))
    return len(calls[0] & calls[1]) / shorter if shorter else 0.0


def _answer(trail: Trail, place: int) -> str:
    after = trail.turns[place + 1 : place + 3]
    texts = (turn.text for turn in after if turn.role == "assistant" and turn.text)
    return clip(" ".join(next(texts, "").split()), QUOTED)
