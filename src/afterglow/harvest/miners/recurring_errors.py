"""Errors that come back in session after session and for which no fix was seen.

Only what a tool or the surroundings do wrong: not tests and builds that fail while code is being written, not guessed
paths, not answers that look like errors. What has a known remedy is told by another miner and dropped here later.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from afterglow.calls import steady
from afterglow.harvest.trail import Step, Trail
from afterglow.harvest.working_directory import astray
from afterglow.records.knowledge import Category, Finding, Telling
from afterglow.records.tools import family
from afterglow.text.clip import clip
from afterglow.text.fingerprint import fingerprint, telling_line

NAME = "recurring"
VERSION = 1

_ENVIRONMENT = re.compile(
    r"No module named|Cannot find module|command not found|not installed|[Pp]ermission denied|EACCES|ENOSPC|ECONN"
    r"|ETIMEDOUT|[Cc]onnection (?:refused|reset|closed)|[Cc]ould not resolve host|[Nn]o space left|[Rr]ate limit"
    r"|[Nn]ot logged in"
)
_DEVELOPING = re.compile(
    r"\b(?:tests?|spec|pytest|jest|vitest|unittest|tox|nox|build|compile|check|lint|typecheck|vet|tsc|tsx?|fmt|format|clippy|e2e|ci)\b"
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
_MODULE = re.compile(r"\bpython[\d.]* -m ([\w.]+)")
_WORDS = re.compile(r"[A-Za-z]{3,}")

_Asked = tuple[str, str, str | None]  # tool, program, and what it was asked


def mine(trail: Trail) -> Iterator[Finding]:
    events: dict[tuple[str, str], list[Step]] = defaultdict(list)
    lost: set[int] | None = None
    for step in trail.steps:
        if not step.failed or not (name := _name(step)):
            continue
        mark = fingerprint(step.call.error)
        if not _counts(step, name, mark):
            continue
        if lost is None:
            lost = {drifted.step.index for drifted in astray(trail)}
        same = events[name, mark]
        if step.index not in lost and not (same and same[-1].turn == step.turn):
            same.append(step)
    worked = _worked(trail) if events else {}
    for (name, mark), steps in events.items():
        if steps:
            yield _finding(trail, name, mark, steps, worked)


def _name(step: Step) -> str:
    """What failed, by the name a reader knows; empty for what other miners tell better or nobody can."""
    if not step.program:
        return "" if family(step.tool) in {"file", "code"} else step.tool
    words = step.program.split(" ")
    if step.looks or not re.fullmatch(r"[\w./+-]+", words[0]):
        return ""
    match = _MODULE.search(step.command[:300])
    return (
        f"{words[0]} -m {match[1]}"
        if match and words[0].startswith("python")
        else step.program
    )


def _counts(step: Step, name: str, mark: str) -> bool:
    if _VAGUE.fullmatch(mark) or len(_WORDS.findall(mark)) < 2:
        return False
    if _ENVIRONMENT.search(mark):
        return True
    if not step.program and _ANSWER.search(mark):
        return False
    return not (
        _CODE.search(mark)
        or _ABSENT.search(mark)
        or _DEVELOPING.search(f"{name} {step.command[:300]}")
    )


def _finding(
    trail: Trail, name: str, mark: str, steps: list[Step], worked: dict[_Asked, int]
) -> Finding:
    last = steps[-1]
    slots = {
        "name": name, "error": clip(" ".join(telling_line(last.call.error).split()), 160), "times": str(len(steps)),
        "later": _later(last, worked),
    }  # fmt: skip
    evidence = (
        trail.asked(last),
        *(trail.got_words(step, telling_line(step.call.error)) for step in steps[-3:]),
    )
    return Finding(
        NAME,
        f"recurring|{name}|{mark}",
        slots,
        evidence,
        fingerprint=mark,
        cost=len(steps),
    )


def _worked(trail: Trail) -> dict[_Asked, int]:
    """When each call last worked, and each tool and program with whatever words."""
    latest: dict[_Asked, int] = {}
    for step in trail.steps:
        if step.ok:
            latest[_asked(step)] = latest[step.tool, step.program, None] = step.index
    return latest


def _asked(step: Step) -> _Asked:
    return (
        step.tool,
        step.program,
        steady(step.core) if step.program else step.call.arguments,
    )


def _later(step: Step, worked: dict[_Asked, int]) -> str:
    """How it went on: the very call worked, another call of the program did, or none."""
    if worked.get(_asked(step), -1) > step.index:
        return "same"
    return (
        "other"
        if worked.get((step.tool, step.program, None), -1) > step.index
        else "none"
    )


def tell(findings: Sequence[Finding]) -> Telling | str:
    sessions = len({f.first.session for f in findings})
    if sessions < 2:
        return "seen in one session"
    if any(f.slots["later"] == "same" for f in findings):
        return "the same call worked later"
    latest = max(findings, key=lambda f: (f.first.time or 0.0, f.first.session))
    name, errors = latest.slots["name"], {f.slots["error"] for f in findings}
    error = (errors.pop() if len(errors) == 1 else latest.fingerprint).replace("`", "'")
    situation = f"`{name}` keeps failing with '{error}'"
    category: Category = "pitfall"
    fact, directness = f"{situation}; no fix is known.", 0.5
    if _MISSING.search(error):
        fact, directness = f"{situation}: it is not installed there.", 0.6
    elif latest.slots["later"] == "none" and not _EXPLAINS.search(error):
        fact, category = f"Open: why does `{name}` fail with '{error}'?", "question"
    return Telling(
        fact=fact,
        category=category,
        situation=situation,
        directness=directness,
        domain="errors",
        tags=("error", name.split(" ")[0]),
        times=sum(int(f.slots["times"]) for f in findings),
    )
