"""Errors that come back in session after session and for which no fix was seen.

Only what a tool or the surroundings do wrong: not tests and builds that fail while code is being written, not guessed
paths, not answers that look like errors. What has a known remedy is told by another miner and dropped here later.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from afterglow.calls import Command, kind_of_work, steady
from afterglow.harvest.trail import Step, Trail
from afterglow.harvest.working_directory import astray
from afterglow.records.knowledge import Category, Finding, Telling
from afterglow.records.tools import family
from afterglow.text.clip import clip
from afterglow.text.fingerprint import fingerprint, telling_line

NAME = "recurring"
VERSION = 2

MAX_COMMAND_READ = 300  # characters in which a command names its module
MAX_ERROR = 160  # characters of a message that can stand in a sentence
MAX_POINTED_AT = 3  # failures; more evidence says nothing new
MIN_WORDS = 2  # of a message: fewer say nothing

# How directly: what is missing is named by the message; why something fails is not.
DIRECT_MISSING, DIRECT_UNEXPLAINED = 0.6, 0.5

# Failing is what these are for while code is being written.
_DEVELOPING = frozenset({"test", "build", "check", "lint", "typecheck", "format"})
_ENVIRONMENT = re.compile(
    r"No module named|Cannot find module|command not found|not installed|[Pp]ermission denied|EACCES|ENOSPC|ECONN"
    r"|ETIMEDOUT|[Cc]onnection (?:refused|reset|closed)|[Cc]ould not resolve host|[Nn]o space left|[Rr]ate limit"
    r"|[Nn]ot logged in"
)
_CODE = re.compile(
    r"(?:Assertion|Syntax|Indentation|Name|Type|Attribute|Index|Key|Value|Reference|Runtime|ZeroDivision)Error"
    r"|undefined: |^panic: |error TS|error\[E|^lint: |\bFAIL(?:ED)?\b|(?:build|setup|task) failed|declared and not used"
    r"|CONFLICT|could not apply|\.\w{1,4}:<n>"
)
_ABSENT = re.compile(
    r"(?i)no such file|does(?: not|n't) exist|directory not found|cannot access|no matches found"
    r"|not in the working tree|(?:status code|HTTP) (?:<n>|404)|did not match any|unknown revision"
    r"|needed a single revision|could not find|no pull requests found"
)
_VAGUE = re.compile(
    r"(?i)(?:exit <n>|no message|error:?|failed\.?|usage: .*|traceback.*|\W*|<\w+>"
    r"|\[?[\w:.-]*\]? ?ERROR task failed|task not found)"
)
# A service that answers no: a matter of the task, not of the tool.
_ANSWER = re.compile(
    r"(?i)not enough|not available|insufficient|sold out|already (?:exists|cancelled)|balance"
)
_MISSING = re.compile(
    r"No module named ['\w.]+$|Cannot find module|command not found|not installed"
)
_EXPLAINS = re.compile(
    r"(?i)\bmust\b|cannot be|does not|not found|required|expected|unknown|invalid"
)  # no need to ask why
_PLAIN_NAME = re.compile(r"[\w./+-]+")
_WORDS = re.compile(r"[A-Za-z]{3,}")

_Request = tuple[str, str, str | None]  # tool, program, and what it was asked


def mine(trail: Trail) -> Iterator[Finding]:
    events = _events(trail)
    if not events:
        return
    lost = {event.step.index for event in astray(trail)}
    worked = _worked(trail)
    for (name, error_fingerprint), failures in events.items():
        steps = _one_a_turn(step for step in failures if step.index not in lost)
        if steps:
            yield _finding(trail, name, error_fingerprint, steps, worked)


def _events(trail: Trail) -> dict[tuple[str, str], list[Step]]:
    """What failed, by its name and its error."""
    events: dict[tuple[str, str], list[Step]] = defaultdict(list)
    for step in trail.steps:
        name = _name(step) if step.failed else ""
        if name:
            error_fingerprint = fingerprint(step.call.error)
            if _counts(step, error_fingerprint):
                events[name, error_fingerprint].append(step)
    return events


def _one_a_turn(steps: Iterable[Step]) -> list[Step]:
    """Calls made at once fail at once: the first stands for all."""
    first: dict[int, Step] = {}
    for step in steps:
        first.setdefault(step.turn, step)
    return list(first.values())


def _name(step: Step) -> str:
    """What failed, by the name a reader knows; empty for what other miners tell better or nobody can."""
    main = step.action.main
    if main is None or not step.program:
        return "" if family(step.tool) in {"file", "code"} else step.tool
    if step.looks or not _PLAIN_NAME.fullmatch(step.program.split(" ")[0]):
        return ""
    is_module = main.subcommand[:1] == ("-m",)
    return f"{main.program} -m {main.subcommand[1]}" if is_module else step.program


def _counts(step: Step, error_fingerprint: str) -> bool:
    """Whether it is the tool or its surroundings that did something wrong."""
    if _VAGUE.fullmatch(error_fingerprint):
        return False
    if len(_WORDS.findall(error_fingerprint)) < MIN_WORDS:
        return False
    if _ENVIRONMENT.search(error_fingerprint):
        return True
    if _CODE.search(error_fingerprint) or _ABSENT.search(error_fingerprint):
        return False
    if not step.program:
        return not _ANSWER.search(error_fingerprint)
    return not any(_develops(command) for command in step.action.commands)


def _develops(command: Command) -> bool:
    return kind_of_work(command) in _DEVELOPING


def _finding(
    trail: Trail,
    name: str,
    error_fingerprint: str,
    steps: Sequence[Step],
    worked: dict[_Request, int],
) -> Finding:
    last = steps[-1]
    slots = {
        "name": name,
        "error": clip(" ".join(telling_line(last.call.error).split()), MAX_ERROR),
        "times": str(len(steps)),
        "later": _later(last, worked),
    }
    messages = [
        trail.got_words(step, telling_line(step.call.error))
        for step in steps[-MAX_POINTED_AT:]
    ]
    return Finding(
        NAME,
        f"recurring|{name}|{error_fingerprint}",
        slots,
        (trail.asked(last), *messages),
        fingerprint=error_fingerprint,
        cost=len(steps),
    )


def _worked(trail: Trail) -> dict[_Request, int]:
    """When each call last worked, and each tool and program with whatever words."""
    last: dict[_Request, int] = {}
    for step in trail.steps:
        if step.ok:
            last[_request(step)] = last[step.tool, step.program, None] = step.index
    return last


def _request(step: Step) -> _Request:
    words = steady(step.core) if step.program else step.call.arguments
    return step.tool, step.program, words


def _later(step: Step, worked: dict[_Request, int]) -> str:
    """How it went on: the very call worked, another call of the program did, or none."""
    if worked.get(_request(step), -1) > step.index:
        return "same"
    is_other = worked.get((step.tool, step.program, None), -1) > step.index
    return "other" if is_other else "none"


def tell(findings: Sequence[Finding]) -> Telling | str:
    if len({finding.first.session for finding in findings}) < 2:
        return "seen in one session"
    if any(finding.slots["later"] == "same" for finding in findings):
        return "the same call worked later"
    latest = max(findings, key=_newest)
    name, error = latest.slots["name"], _error(findings, latest)
    situation = f"`{name}` keeps failing with '{error}'"
    category: Category = "pitfall"
    fact, directness = f"{situation}; no fix is known.", DIRECT_UNEXPLAINED
    if _MISSING.search(error):
        fact = f"{situation}: it is not installed there."
        directness = DIRECT_MISSING
    elif latest.slots["later"] == "none" and not _EXPLAINS.search(error):
        fact, category = f"Open: why does `{name}` fail with '{error}'?", "question"
    return Telling(
        fact=fact,
        category=category,
        situation=situation,
        directness=directness,
        domain="errors",
        tags=("error", name.split(" ")[0]),
        times=sum(int(finding.slots["times"]) for finding in findings),
    )


def _newest(finding: Finding) -> tuple[float, str]:
    return finding.first.time or 0.0, finding.first.session


def _error(findings: Sequence[Finding], latest: Finding) -> str:
    """The message where it is always the same, else what stays the same of it."""
    errors = {finding.slots["error"] for finding in findings}
    error = errors.pop() if len(errors) == 1 else latest.fingerprint
    return error.replace("`", "'")
