"""Chooses the calls of a session that are worth imitating: those that worked, of as many kinds as there is room for.

What the session did often comes first, then what made an error go away; commands of the repository's own and services
count more than looking around, which every agent can do. Each tool or program that is shown already counts less.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from math import log2
from statistics import median

from msgspec import Struct

from afterglow.calls import commands_in, decode, project_pattern, read, shape_of
from afterglow.harvest.events.claims import REPORT
from afterglow.harvest.events.failures import Symptom, symptoms
from afterglow.harvest.events.people import steps_done_over
from afterglow.harvest.failure_kinds import DEVELOPMENT, REACH, SETUP
from afterglow.harvest.screen import danger, screen_all
from afterglow.harvest.trail import Step, Trail
from afterglow.profile.tally import goal
from afterglow.records.knowledge import Finding
from afterglow.records.template import ToolCallExample
from afterglow.records.tools import family, tool_kind
from afterglow.warm.extract.clipping import MAX_ARGUMENTS, bare, clipped_result
from afterglow.warm.extract.risky import is_risky_command

SHAPES_PER_EXAMPLE = 2  # looked at for each that is shown, should calls be unfit
TRIES_PER_SHAPE = 3  # calls of a shape, should the first be unfit
MAX_JUDGED = 4000  # characters of a result in which orders and trouble are looked for
MAX_GLANCED = 400  # characters of a result that show whether it says anything
# Times its worth: what made an error go away, says nothing or must be cut, or is of a tool that was shown before.
RECOVERING, POOR, SHOWN_BEFORE = 1.5, 0.5, 0.5
# How much there is to learn from a call: of the repository's own command, a service, a plain tool, a usual command,
# and from looking around.
OWN_COMMAND, SERVICE, PLAIN_TOOL, USUAL_COMMAND, LOOKING_AROUND = (
    2.0,
    1.5,
    1.0,
    1.3,
    0.6,
)

# Plans, questions, and calls that only make sense with an id of this very session.
_OWN_AFFAIRS = frozenset(
    {"plan", "ask", "approve", "process", "wait", "remember", "answer"}
)
# Tools whose arguments are words of their own.
_WRITING = frozenset({"write", "edit"})
_TROUBLE = re.compile(
    r"(?im)^\S+:\d+:\d+: |^\S*(?:error|fatal|panic)\b ?[:\[]|^traceback |\bnot found$"
)
_AMISS = re.compile(
    r"(?i)(?<!0 )\b(?:fail(?:ed|ures?|s)?|errors?)\b|\btoo (?:long|large)\b|\btruncated\b"
)
# Gone soon.
_PASSING = re.compile(
    r"/tmp/|/tool-results/|/\.(?:claude/projects|codex/sessions|copilot)/"
)
# With a hole where somebody took something out, or about a file of secrets: nobody is to do the same.
_HOLE = re.compile(r"REDACTED|\*{5}")
_SECRET_FILE = re.compile(
    r"(?<![\w.])\.(?:env|netrc|npmrc|pgpass)\b|\bid_(?:rsa|ed25519)\b|\.pem\b"
)
_NOTHING = re.compile(
    r"\s*(?:no (?:matches|files|results|output)\b.*|\(no \w+\)|found 0 .*|\[\]|\{\}|null)?"
    r"\s*(?:command exited with code \d+)?\s*",
    re.IGNORECASE,
)


class Group(Struct, frozen=True):
    """The successful calls of one shape, and how much an example of it is worth. `of` is what it is an example of."""

    shape: str
    of: str
    steps: tuple[Step, ...]
    worth: float


def examples(trail: Trail, most: int) -> list[ToolCallExample]:
    """The successful calls worth imitating, in the order of the session. Arguments and results are as they stand in the
    session, whole and not redacted."""
    return [
        ToolCallExample(
            tool_name=step.tool,
            arguments=step.call.arguments,
            result=step.call.result or "",
            turn_number=step.turn,
            session=trail.session.id,
        )
        for step in chosen(trail, most)
    ]


def chosen(trail: Trail, most: int) -> list[Step]:
    """The calls themselves, in order."""
    groups = _ranked(_groups(trail), SHAPES_PER_EXAMPLE * most)
    tries = [group.steps[:TRIES_PER_SHAPE] for group in groups]
    claims = [_claim(trail, step) for steps in tries for step in steps]
    screened = screen_all(claims, trail)
    rows = [[(step, next(screened)) for step in steps] for steps in tries]
    harmless = filter(None, map(_first_harmless, rows))
    return sorted(islice(harmless, most), key=lambda step: step.index)


def _first_harmless(row: Iterable[tuple[Step, Finding]]) -> Step | None:
    return next((step for step, claim in row if is_harmless(step, claim)), None)


def _ranked(groups: list[Group], most: int) -> list[Group]:
    """The most worthy first; what is an example of the same thing as one before it is worth less."""
    times_shown: Counter[str] = Counter()

    def worth(group: Group) -> float:
        return group.worth * SHOWN_BEFORE ** times_shown[group.of]

    ranked: list[Group] = []
    remaining = list(groups)
    while remaining and len(ranked) < most:
        best = max(remaining, key=worth)
        remaining.remove(best)
        ranked.append(best)
        times_shown[best.of] += 1
    return ranked


def is_worth_showing(trail: Trail, step: Step) -> bool:
    """A call that worked, with a result, and arguments another session can use."""
    call = step.call
    if not step.ok or not call.result:
        return False
    if trail.turns[step.turn].kind != "said":
        return False
    if tool_kind(call.tool) in _OWN_AFFAIRS or _reports_trouble(step):
        return False
    if _HOLE.search(call.arguments) or _SECRET_FILE.search(call.arguments):
        return False
    return bool(decode(call.arguments).values)


def _reports_trouble(step: Step) -> bool:
    """A command that ended well and yet says that something is wrong: a pipe may have hidden how it ended."""
    action = read(step.tool, step.call.arguments)
    only_looks = action.effects == {"looks"}
    if action.kind != "shell" or only_looks:
        return False
    text = (step.call.result or "")[:MAX_JUDGED]
    signs_of_trouble = (_TROUBLE, DEVELOPMENT, SETUP)
    return any(sign.search(text) for sign in signs_of_trouble)


def _claim(trail: Trail, step: Step) -> Finding:
    return Finding("examples", "", {}, (trail.asked(step), trail.got(step)))


def is_harmless(step: Step, claim: Finding) -> bool:
    """Neither what was asked nor what came back gives orders to an agent; a command or a text that was copied from a page
    or from another agent's words is not handed on, whatever it says, and a risky command from nobody."""
    request, answer = claim.evidence
    says_something = bool(step.program) or tool_kind(step.tool) in _WRITING
    if claim.danger or (says_something and request.trust == "external"):
        return False
    if step.program and is_risky_command(step.command):
        return False
    arguments, result = step.call.arguments, step.call.result or ""
    judged = [
        (arguments[:MAX_JUDGED], request.trust),
        (arguments[MAX_JUDGED:][-MAX_JUDGED:], request.trust),
        (result[:MAX_JUDGED], answer.trust),
        (clipped_result(result), answer.trust),  # lines from behind may be shown, too
    ]
    return not any(danger(text, trust) for text, trust in judged if text)


def _groups(trail: Trail) -> list[Group]:
    """Successful calls by shape, each group with the one to show first."""
    steps: dict[str, list[Step]] = defaultdict(list)
    failed: Counter[str] = Counter()
    unwanted = steps_done_over(trail)
    for step, symptom in zip(trail.steps, symptoms(trail), strict=True):
        if step.failed or _says_plainly(symptom) or step.index in unwanted:
            failed[shape_of(step.tool, step.call.arguments)] += 1
        elif is_worth_showing(trail, step):
            steps[shape_of(step.tool, step.call.arguments)].append(step)
    mended = {step.index for step in _mending(trail)}
    groups = []
    for shape, same in steps.items():
        ordered = _ordered(same, mended)
        first = ordered[0]
        success = len(same) / (len(same) + failed[shape])
        worth = log2(1 + len(same)) * success * _weight(trail, first)
        if any(step.index in mended for step in same):
            worth *= RECOVERING
        if _is_poor(first):
            worth *= POOR
        groups.append(Group(shape, _topic(first), tuple(ordered), worth))
    return groups


def _says_plainly(symptom: Symptom | None) -> bool:
    """An output says that something went wrong, whatever its exit code says."""
    if symptom is None or symptom.elsewhere:
        return False
    return any(line.strength >= REPORT for line in symptom.lines)


def _is_poor(step: Step) -> bool:
    """Says nothing, must be cut, or names what is gone soon."""
    return _says_nothing(step) or _is_long(step) or _names_passing(step)


def _is_long(step: Step) -> bool:
    return len(step.call.arguments) > MAX_ARGUMENTS


def _names_passing(step: Step) -> bool:
    return _PASSING.search(step.call.arguments) is not None


def _mending(trail: Trail) -> Iterator[Step]:
    """Calls that worked where one before them, after the same thing, had failed."""
    for step in trail.steps:
        if not step.failed:
            continue
        first = _first_success_after(trail, step)
        if first is not None and first.call.arguments != step.call.arguments:
            yield first


def _first_success_after(trail: Trail, failed: Step) -> Step | None:
    """Near by, with the same tool and after the same thing."""
    failed_goal = goal(failed.call)
    if not failed_goal:
        return None
    start = failed.index + 1
    for later in trail.steps[start : start + REACH]:
        if not later.ok or later.tool != failed.tool:
            continue
        if goal(later.call) == failed_goal:
            return later
    return None


def _ordered(same: list[Step], mended: set[int]) -> list[Step]:
    """First what fits whole and made an error go away, then what is as long as most."""
    usual = median(len(step.call.arguments) for step in same)
    return sorted(
        same,
        key=lambda step: (
            _is_long(step),
            _names_passing(step),
            step.index not in mended,
            _says_nothing(step),
            _AMISS.search((step.call.result or "")[:MAX_JUDGED]) is not None,
            abs(len(step.call.arguments) - usual),
            step.index,
        ),
    )


def _says_nothing(step: Step) -> bool:
    return _NOTHING.fullmatch(bare((step.call.result or "")[:MAX_GLANCED])) is not None


def _topic(step: Step) -> str:
    commands = commands_in(step.command) if step.program else ()
    if not commands:
        return step.tool
    return f"{step.tool} {commands[0].program}"


def _weight(trail: Trail, step: Step) -> float:
    """How much there is to learn from such a call."""
    if not step.program:
        return SERVICE if family(step.tool) == "other" else PLAIN_TOOL
    weight = LOOKING_AROUND
    for command in commands_in(step.command):
        shape = project_pattern(command, trail.session.git_root)
        if shape is None:
            continue
        if shape.of_project:
            return OWN_COMMAND
        weight = USUAL_COMMAND
    return weight
