"""A call that went wrong as an event: its place, its words, its lines, and the rules of linters that it names."""

from __future__ import annotations

import re
from hashlib import blake2b
from itertools import takewhile

from afterglow.calls import Action
from afterglow.harvest import lint_lines, trust
from afterglow.harvest.events import claims
from afterglow.harvest.events.call_text import call_text, deciding_command
from afterglow.harvest.events.claims import REPORT
from afterglow.harvest.events.failures import (
    Symptom,
    only_shows_texts,
    program_of,
)
from afterglow.harvest.failure_kinds import repeats
from afterglow.harvest.lint_lines import Lint
from afterglow.harvest.trail import Step, Trail
from afterglow.harvest.user_speech import reason_in
from afterglow.records.problems import Event, TellingLine
from afterglow.text.clip import uncoloured
from afterglow.text.fingerprint import fingerprint

MIN_UNIQUE_ID = 16  # characters of an id no other session gives: not `call_1`
MAX_BATCH = 12  # calls made at once that are looked through
MAX_RULES = 6  # rules of linters that one output can stand for

_ABSENT = re.compile(
    r"[\w.-]{1,20}: (?:cannot access |can't read )?'?([\w./@+-]{3,200})'?: No such file"
)


def lints_of(step: Step, symptom: Symptom) -> dict[str, Lint]:
    """Rules of linters and type checkers that an output names, each with the first report that does."""
    if symptom.kind not in {"failed", "hidden", "ci"}:
        return {}
    if step.action.kind != "shell" or only_shows_texts(step.action):
        return {}
    text = uncoloured(step.call.result or step.call.error)
    if not symptom.lines or len(text) > claims.MAX_FAILED_CHARACTERS:
        text = claims.ends_of(text, whole=True)
    rules: dict[str, Lint] = {}
    for lint in lint_lines.read(text):
        rules.setdefault(lint.rule, lint)
        if len(rules) >= MAX_RULES:
            break
    return rules


def _with_lints(
    lines: tuple[TellingLine, ...], lints: dict[str, Lint], program: str
) -> tuple[TellingLine, ...]:
    """Every rule has its line, however many others the output has."""
    texts = {line.text.strip() for line in lines}
    further = [
        TellingLine(raw, claims.good_hash(program, raw), REPORT)
        for raw in (lint.raw for lint in lints.values())
        if raw.strip() not in texts and len(raw) <= claims.MAX_LINE_CHARACTERS
    ]
    return (*lines, *further)


def event_of(
    trail: Trail,
    step: Step,
    symptom: Symptom,
    directory: str,
    lints: dict[str, Lint],
) -> Event:
    """The event as it happened; what followed is filled in by `aftermath`."""
    call = step.call
    lines = symptom.lines
    result_line = call.result_line if call.result_line is not None else call.line
    return Event(
        kind=symptom.kind,
        session=trail.session.id,
        agent=trail.session.agent,
        line=call.line,
        result_line=result_line,
        call=call_hash(trail, step),
        time=call.started if call.started is not None else trail.session.start,
        tool=call.tool,
        program=program_of(step.action),
        command=call_text(step, symptom.text, trail.session.cwd),
        directory=directory,
        lines=_with_lints(lines, lints, program_of(step.action)),
        rules=tuple(lints),
        target=_target(step, lines),
        batch=batch_of(trail, step),
        fingerprint=fingerprint(call.error) if call.error else "",
        host=_host(step.action),
        person=reason_in(call) if symptom.kind == "refused" else "",
        trust=trust.of_result(call),
    )


def _target(step: Step, lines: tuple[TellingLine, ...]) -> str:
    """The file that was asked for, where it could not be found."""
    if step.action.kind == "shell":
        absent = (_ABSENT.match(line.text) for line in lines[:2])
        return next((match[1] for match in absent if match), "")
    is_read = step.action.kind in {"read", "search"}
    return step.action.arguments.file if is_read else ""


def _host(action: Action) -> str:
    """The other machine, or the container, that a command ran on: by what reaches it, and its name."""
    main = deciding_command(action)
    wrappers = main.wrappers if main is not None else ()
    reaching = next((wrapper for wrapper in wrappers if wrapper.remote), None)
    return f"{reaching.program} {reaching.words[-1]}" if reaching else ""


def call_hash(trail: Trail, step: Step) -> int:
    """The same where a fork or a resumed session repeats the call; short ids are unique in their session only."""
    call = step.call
    if len(call.id) >= MIN_UNIQUE_ID:
        return hash_of(call.id)
    return hash_of(f"{trail.session.id} {call.id} {call.line}")


def hash_of(text: str) -> int:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=7).digest()
    return int.from_bytes(digest, "big")


def batch_of(trail: Trail, step: Step) -> tuple[int, ...]:
    """Where the calls stand that were made at once with a failed one and failed alike."""
    if not step.failed:
        return ()
    after = trail.steps[step.index + 1 : step.index + 1 + MAX_BATCH]
    alike = takewhile(lambda later: later.failed and repeats(trail.steps, later), after)
    return tuple(later.call.line for later in alike)
