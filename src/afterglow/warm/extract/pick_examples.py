"""Chooses the calls of a session that are worth imitating: those that worked, of as many kinds as there is room for.

What the session did often comes first, then what made an error go away; commands of the repository's own and services
count more than looking around, which every agent can do. Each tool or program that is shown already counts less.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import islice
from math import log2
from statistics import median

from msgspec import Struct

from afterglow.harvest import command_shape
from afterglow.harvest.failure_kinds import DEVELOPMENT, REACH, SETUP
from afterglow.harvest.screen import danger, screen_all
from afterglow.harvest.shell import simple_commands
from afterglow.harvest.tool_remedies import decoded
from afterglow.harvest.trail import Step, Trail
from afterglow.profile.tally import goal
from afterglow.records.knowledge import Finding
from afterglow.records.template import ToolCallExample
from afterglow.records.tools import family
from afterglow.sessions.outcomes import VIEWERS, VIEWING
from afterglow.warm.extract.call_shape import program, shape_of
from afterglow.warm.extract.clipping import ARGUMENTS, bare, clipped_result

SPARE, TRIES = (
    2,
    3,
)  # shapes looked at for each that is wanted; calls of a shape, should the first be unfit
JUDGED = 4000  # characters of a result in which orders are looked for
# Times its worth: what made an error go away, says nothing or must be cut, or is of a tool that was shown before.
RECOVERING, POOR, AGAIN = 1.5, 0.5, 0.5

# Plans, questions, and calls that only make sense with an id of this very session.
_OWN_AFFAIRS = frozenset(
    """todowrite todoread todo update_plan write_todos enterplanmode exitplanmode exit_plan_mode askuserquestion
    ask_user clarify request_user_input ask_followup_question toolsearch think report_intent bashoutput killshell
    taskoutput taskstop taskupdate taskcreate tasklist taskget wait wait_agent close_agent write_stdin read_bash
    stop_bash list_bash memory save_memory store_memory submit finish respond""".split()
)
_TROUBLE = re.compile(
    r"(?im)^\S+:\d+:\d+: |^\S*(?:error|fatal|panic)\b ?[:\[]|^traceback |\bnot found$"
)
_AMISS = re.compile(
    r"(?i)(?<!0 )\b(?:fail(?:ed|ures?|s)?|errors?)\b|\btoo (?:long|large)\b|\btruncated\b"
)
_PASSING = re.compile(
    r"/tmp/|/tool-results/|/\.(?:claude/projects|codex/sessions|copilot)/"
)  # gone soon
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
    groups = [group.steps[:TRIES] for group in _ranked(_groups(trail), SPARE * most)]
    claims = [_claim(trail, step) for steps in groups for step in steps]
    screened = screen_all(claims, trail)
    rows = [[(step, next(screened)) for step in steps] for steps in groups]
    found = (
        next((step for step, seen in row if is_harmless(step, seen)), None)
        for row in rows
    )
    return sorted(islice(filter(None, found), most), key=lambda step: step.index)


def _ranked(groups: list[Group], most: int) -> list[Group]:
    """The most worthy first; what is an example of the same thing as one before it is worth less."""
    shown: Counter[str] = Counter()
    found: list[Group] = []
    left = list(groups)
    while left and len(found) < most:
        best = max(left, key=lambda group: group.worth * AGAIN ** shown[group.of])
        left.remove(best)
        found.append(best)
        shown[best.of] += 1
    return found


def is_worth_showing(trail: Trail, step: Step) -> bool:
    """A call that worked, with a result, and arguments another session can use."""
    call = step.call
    return (
        step.ok
        and bool(call.result)
        and trail.turns[step.turn].kind == "said"
        and call.tool.lower() not in _OWN_AFFAIRS
        and not _reports_trouble(step)
        and bool(decoded(call.arguments))
    )


def _reports_trouble(step: Step) -> bool:
    """A command that ended well and yet says that something is wrong: a pipe may have hidden how it ended."""
    if (
        not step.program
        or step.program.split(" ")[0] in VIEWERS
        or " ".join(step.program.split(" ")[:2]) in VIEWING
    ):
        return False
    text = (step.call.result or "")[:JUDGED]
    return bool(_TROUBLE.search(text) or DEVELOPMENT.search(text) or SETUP.search(text))


def _claim(trail: Trail, step: Step) -> Finding:
    return Finding("examples", "", {}, (trail.asked(step), trail.got(step)))


def is_harmless(step: Step, seen: Finding) -> bool:
    """Neither what was asked nor what came back gives orders to an agent; and a command that was copied from a page or
    from another agent's words is not handed on, whatever it does."""
    asked, got = seen.evidence
    if seen.danger or (step.program and asked.trust == "external"):
        return False
    wanted, result = step.call.arguments, step.call.result or ""
    told = [
        (wanted[:JUDGED], asked.trust),
        (wanted[JUDGED:][-JUDGED:], asked.trust),
        (result[:JUDGED], got.trust),
    ]
    told.append(
        (clipped_result(result), got.trust)
    )  # lines from behind may be shown, too
    return not any(danger(text, trust) for text, trust in told if text)


def _groups(trail: Trail) -> list[Group]:
    """Successful calls by shape, each group with the one to show first."""
    steps: dict[str, list[Step]] = defaultdict(list)
    failed: Counter[str] = Counter()
    for step in trail.steps:
        if step.failed:
            failed[shape_of(step.tool, step.call.arguments)] += 1
        elif is_worth_showing(trail, step):
            steps[shape_of(step.tool, step.call.arguments)].append(step)
    mended = {step.index for step in _mending(trail)}
    found = []
    for shape, same in steps.items():
        recovered = any(step.index in mended for step in same)
        first, *others = _ordered(same, mended)
        worth = (
            log2(1 + len(same))
            * len(same)
            / (len(same) + failed[shape])
            * _weight(trail, first)
        )
        worth *= RECOVERING if recovered else 1.0
        poor = (
            _says_nothing(first)
            or len(first.call.arguments) > ARGUMENTS
            or _PASSING.search(first.call.arguments)
        )
        worth *= POOR if poor else 1.0
        found.append(Group(shape, _topic(first), (first, *others), worth))
    return found


def _mending(trail: Trail) -> Iterator[Step]:
    """Calls that worked where one before them, after the same thing, had failed."""
    for step in trail.steps:
        if step.failed and (wanted := goal(step.call)):
            near = trail.steps[step.index + 1 : step.index + 1 + REACH]
            after = next(
                (
                    one
                    for one in near
                    if one.ok and one.tool == step.tool and goal(one.call) == wanted
                ),
                None,
            )
            if after is not None and after.call.arguments != step.call.arguments:
                yield after


def _ordered(same: list[Step], mended: set[int]) -> list[Step]:
    """First what fits whole and made an error go away, then what is as long as most."""
    usual = median(len(step.call.arguments) for step in same)
    return sorted(
        same,
        key=lambda step: (
            len(step.call.arguments) > ARGUMENTS,
            _PASSING.search(step.call.arguments) is not None,
            step.index not in mended,
            _says_nothing(step),
            _AMISS.search((step.call.result or "")[:JUDGED]) is not None,
            abs(len(step.call.arguments) - usual),
            step.index,
        ),
    )


def _says_nothing(step: Step) -> bool:
    return _NOTHING.fullmatch(bare((step.call.result or "")[:400])) is not None


def _topic(step: Step) -> str:
    commands = simple_commands(step.command) if step.program else ()
    return f"{step.tool} {program(commands[0])}" if commands else step.tool


def _weight(trail: Trail, step: Step) -> float:
    """How much there is to learn from such a call."""
    if not step.program:
        return 1.5 if family(step.tool) == "other" else 1.0
    known = [
        command_shape.shape_of(one.words, trail.session.git_root)
        for one in simple_commands(step.command)
    ]
    if any(one is not None and one.own for one in known):
        return 2.0
    return 1.3 if any(known) else 0.6
