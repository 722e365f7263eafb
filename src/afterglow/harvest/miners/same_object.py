"""Another call for the same object: it was asked for by its number in vain, and the next call that named it got it.

A job whose log one command refuses and another gives, a comment that is not at the path that was guessed. Nothing of the
two calls is alike but the number, and that is another one in every session; what sessions share is how they put it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from afterglow.calls import Command, effects_of
from afterglow.harvest.agreeing_findings import agreement, commonest
from afterglow.harvest.events.claims import coarse, is_summary
from afterglow.harvest.events.explained import unexplained
from afterglow.harvest.events.failures import Symptom, symptoms
from afterglow.harvest.failure_kinds import repeats
from afterglow.harvest.quotable import short_report_in
from afterglow.harvest.trail import Step, Trail
from afterglow.records.knowledge import Finding, Telling
from afterglow.text.fingerprint import fingerprint

NAME = "same-object"
VERSION = 1

MAX_REACH = 16  # calls behind the failure in which the object is named again
MAX_FORM_CHARACTERS = 90  # of a command in a sentence
MAX_OWN_OUTPUT = 600  # characters: what a program says by itself is no longer
# The two calls stand side by side, and name the same; below what makes one session enough.
DIRECTNESS = 0.75

# A number that names something in one place only: of a job, a comment, a run. A date or a port does not.
_ID = re.compile(r"(?<![\w.])\d{6,}(?![\w.])")
_PART = re.compile(r"(?<=/)\d+(?=/|$)")
_FORM = re.compile(rf"[\w@./:+=<> …-]{{1,{MAX_FORM_CHARACTERS}}}")
PLACEHOLDER = "<n>"


class _Request(Struct, frozen=True):
    """A command that names an object: `id` is the number it ends on, `form` how it is put, without what else it is
    given."""

    command: Command
    id: str
    form: str


def mine(trail: Trail) -> Iterator[Finding]:
    if not trail.repo:
        return
    wrong = symptoms(trail)
    for step, symptom in unexplained(trail, wrong):
        message = _message(step, symptom)
        if not message or repeats(trail.steps, step):
            continue
        failing = _request(step)
        if failing is None:
            continue
        reached = _reached(trail, wrong, step, failing, coarse(message))
        if reached is not None:
            yield _finding(trail, step, message, failing, reached)


def _message(step: Step, symptom: Symptom) -> str:
    """What the call itself says that got nothing."""
    if step.action.kind != "shell" or symptom.elsewhere:
        return ""
    texts = (line.text.strip() for line in symptom.lines)
    return next((text for text in texts if not is_summary(text)), "")


def _request(step: Step) -> _Request | None:
    """The command of a line that names an object by its number; none where several do."""
    if step.action.kind != "shell":
        return None
    named = [item for item in step.action.working if _ids(item)]
    if len(named) != 1:
        return None
    (command,) = named
    return _Request(command, _ids(command)[-1], _form(command))


def _ids(command: Command) -> list[str]:
    return [number for word in command.words[1:] for number in _ID.findall(word)]


def _form(command: Command) -> str:
    """Program and task, and the words that name numbers, with their flags."""
    words = list(command.words[: 1 + len(command.subcommand)])
    for place, word in enumerate(command.words):
        if place >= len(words) and _ID.search(word):
            flag = command.words[place - 1]
            if flag.startswith("-") and command.value(flag) == word:
                words.append(flag)
            words.append(_masked(word))
    return " ".join(words)


def _masked(text: str) -> str:
    """A word with placeholders for its numbers; a path of an API begins without a slash."""
    return _PART.sub(PLACEHOLDER, _ID.sub(PLACEHOLDER, text)).lstrip("/")


def _reached(
    trail: Trail,
    wrong: Sequence[Symptom | None],
    step: Step,
    failing: _Request,
    message: str,
) -> tuple[Step, _Request] | None:
    """The call that got the object: put otherwise, and nobody went on to ask for it in another way."""
    reached: tuple[Step, _Request] | None = None
    for later in trail.steps[step.index + 1 : step.index + 1 + MAX_REACH]:
        working = _request(later)
        if working is None or working.id != failing.id:
            continue
        if not _got_something(later, wrong[later.index], message):
            continue
        if effects_of(working.command) != effects_of(failing.command):
            continue
        if reached is not None and working.form != reached[1].form:
            return None
        if reached is None and working.form != failing.form:
            reached = later, working
        elif reached is None:
            return None
    return reached


def _got_something(step: Step, symptom: Symptom | None, message: str) -> bool:
    """It ended well; or printed more than a program says by itself: a log of what failed is what was asked for."""
    if symptom is None:
        return step.ok
    if any(coarse(line.text.strip()) == message for line in symptom.lines):
        return False
    is_long = len(step.call.result or "") > MAX_OWN_OUTPUT
    return is_long and symptom.kind in {"hidden", "ci"}


def _finding(
    trail: Trail,
    step: Step,
    message: str,
    failing: _Request,
    reached: tuple[Step, _Request],
) -> Finding:
    later, working = reached
    has_more = len(failing.command.words) > len(failing.form.split())
    slots = {
        "fails": f"{failing.form} …" if has_more else failing.form,
        "came": working.form,
        "said": _ID.sub(PLACEHOLDER, message),
    }
    evidence = (trail.asked(step), trail.got_words(step, message), trail.asked(later))
    return Finding(
        NAME,
        f"{trail.repo}|same object|{failing.form}|{coarse(message)}",
        slots,
        evidence,
        fingerprint=fingerprint(step.call.error or message),
        cost=later.index - step.index,
    )


def tell(findings: Sequence[Finding]) -> Telling | str:
    agreed = agreement(findings, "came")
    if agreed is None:
        return "sessions do not agree on how it is got"
    works, fails = agreed.value, commonest(agreed.findings, "fails")
    report = short_report_in(agreed.findings[-1].slots["said"])
    if not report:
        return "what it says is no report that can be quoted"
    if not (_FORM.fullmatch(fails) and _FORM.fullmatch(works)):
        return "the calls cannot be told in short"
    situation = f"`{fails}` fails: {report}"
    remedy = f"`{works}` gets it"
    return Telling(
        f"{situation}: {remedy}.",
        "pitfall",
        situation,
        remedy,
        DIRECTNESS,
        fails.split()[0],
        ("same-object",),
        rests_on=agreed.places,
        times=len(agreed.findings),
    )
