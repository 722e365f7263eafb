"""Commands that work in a repository: its tests, linters, builds, scripts, and what is run before a commit.

All commands of one kind become one item, so that a newcomer finds in one sentence how tests are run. A command counts
as having worked only where its own exit code is known: not in front of a pipe, not in front of `;`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from msgspec import Struct

from afterglow.calls import Command, Pattern, project_pattern
from afterglow.harvest.trail import Step, Trail
from afterglow.harvest.trust import witness_of
from afterglow.records.knowledge import Finding, Telling
from afterglow.records.session import Outcome

NAME = "commands"
VERSION = 1

SESSIONS, RATE = 2, 0.6  # sessions behind a command, share of its runs that worked
UNSEEN = 3  # sessions, where every run was piped and none has an exit code of its own
COMMON, OFTEN = (
    frozenset({"review", "run", "deps", "other"}),
    5,
)  # kinds anyone would guess need more sessions
CHAINED = 3  # sessions behind a sequence
SEQUENCE = 4  # commands in it
MOST, TERSE = 6, 4  # commands in one sentence, and in a context
LONGEST = 120  # characters of a command that can still be called one
CHECKS = frozenset("test lint format typecheck build generate check".split())
WORDS = {
    "test": "tests run with", "lint": "the linter runs with", "format": "code is formatted with",
    "typecheck": "types are checked with", "build": "it is built with", "generate": "files are generated with",
    "migrate": "migrations run with", "release": "releases and deployments are made with",
    "infra": "infrastructure is handled with", "deps": "dependencies are managed with",
    "ci": "CI results are inspected with", "check": "checks run with",
    "review": "pull requests and issues are handled with", "run": "it is run with",
    "script": "its own tasks are", "other": "other commands that work:",
}  # fmt: skip


class _Runs(Struct):
    """What one session shows about one command: where it was seen, and how its runs ended."""

    pattern: Pattern
    step: Step
    ends: Counter[str]


def mine(trail: Trail) -> Iterator[Finding]:
    if not trail.repo:
        return
    root = trail.session.git_root or trail.session.cwd
    runs: dict[str, _Runs] = {}
    checked: list[str] = []  # since the last edit
    chains: dict[str, Step] = {}
    for step in trail.steps:
        if step.action.kind in {"edit", "write"}:
            checked = []
        if not step.command or step.call.result is None or step.blocked:
            continue
        parts = step.action.working
        for place, part in enumerate(parts):
            end = _end(step, parts, place)
            if part.words[:2] == ("git", "commit") and end == "ok" and len(checked) > 1:
                chains.setdefault("\n".join(checked), step)
            pattern = project_pattern(part, root)
            if pattern is None or len(pattern.text) > LONGEST:
                continue
            run = runs.setdefault(pattern.key, _Runs(pattern, step, Counter()))
            if end == "ok" and not run.ends["ok"]:
                run.step = step
            run.ends[end] += 1
            if end != "failed" and pattern.kind in CHECKS:
                checked = [
                    *(text for text in checked if text != pattern.text),
                    pattern.text,
                ][-SEQUENCE:]
    for run in runs.values():
        yield _seen(trail, run)
    for chain, step in chains.items():
        yield Finding(
            NAME,
            f"{trail.repo}|commit",
            {"repo": trail.repo, "chain": chain},
            (trail.asked(step),),
        )


def _end(step: Step, parts: Sequence[Command], place: int) -> str:
    """How one command of a line ended: ok and failed only where nothing behind it hides its exit code."""
    if step.ok:
        return (
            "ok" if all(part.then in {"", "&&"} for part in parts[place:]) else "hidden"
        )
    return (
        "failed"
        if step.call.outcome is Outcome.FAILED and len(parts) == 1
        else "hidden"
    )


def _seen(trail: Trail, run: _Runs) -> Finding:
    pattern = run.pattern
    counts = {end: str(run.ends[end]) for end in ("ok", "failed", "hidden")}
    slots = {
        "repo": trail.repo,
        "kind": pattern.kind,
        "key": pattern.key,
        "text": pattern.text,
        "plain": pattern.plain,
    }
    own_slot = {"own": "yes"} if pattern.own else {}
    return Finding(
        NAME,
        f"{trail.repo}|{pattern.kind}",
        {**slots, **own_slot, **counts},
        (trail.asked(run.step),),
    )


def tell(findings: Sequence[Finding]) -> Telling | str:
    slots = findings[0].slots
    return (
        _tell_chain(findings)
        if "chain" in slots
        else _tell_kind(findings, slots["kind"])
    )


class _Command(Struct):
    """One command over all sessions."""

    key: str
    text: str
    sessions: int
    ok: int
    failed: int
    hidden: int
    own: bool

    @property
    def decided(self) -> int:
        """Runs whose own exit code is known."""
        return self.ok + self.failed


def _tell_kind(findings: Sequence[Finding], kind: str) -> Telling | str:
    working = _working(findings, kind)
    if isinstance(working, str):
        return working
    stated = working[:MOST]
    keys = {command.key for command in stated}
    decided = sum(command.decided for command in stated)
    lead = WORDS[kind]
    return Telling(
        fact=f"{lead[0].upper()}{lead[1:]} {'; '.join(map(_code, stated))}.",
        category="pattern",
        situation=lead.rstrip(":"),
        remedy=", ".join(map(_code, working[:TERSE])),
        directness=0.8 if any(command.own for command in stated) else 0.7,
        domain=kind,
        tags=("command", kind),
        rests_on=tuple(
            place
            for place, finding in enumerate(findings)
            if finding.slots["key"] in keys
        ),
        times=decided or sum(command.hidden for command in stated),
        worked=sum(command.ok for command in stated),
    )


def _working(findings: Sequence[Finding], kind: str) -> list[_Command] | str:
    """The commands of a kind that work, those of most sessions first; or why there is none to tell."""
    groups: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        groups[finding.slots["key"]].append(finding)
    commands = [_joined(key, group) for key, group in groups.items()]
    recurring = [command for command in commands if command.sessions >= SESSIONS]
    if not recurring:
        return "seen in one session"
    enough = OFTEN if kind in COMMON else SESSIONS
    working = [
        command
        for command in recurring
        if command.sessions >= enough and _works(command)
    ]
    return sorted(working, key=_rank) if working else "fails too often"


def _rank(command: _Command) -> tuple[int, str]:
    """A project's own task says more than a tool that anybody would try."""
    return -command.sessions * (3 if command.own else 1), command.text


def _code(command: _Command) -> str:
    return f"`{command.text}`"


def _works(command: _Command) -> bool:
    if not command.decided:
        return command.sessions >= UNSEEN
    return command.ok >= RATE * command.decided


def _joined(key: str, group: Sequence[Finding]) -> _Command:
    """The findings of one command as one. Where it was nearly always written the same way, that is its text."""
    sessions = {witness_of(finding.first) for finding in group}
    plain, times = Counter(finding.slots["plain"] for finding in group).most_common(1)[
        0
    ]
    text = Counter(finding.slots["text"] for finding in group).most_common(1)[0][0]
    ok, failed, hidden = (
        sum(int(finding.slots[end]) for finding in group)
        for end in ("ok", "failed", "hidden")
    )
    same = times >= CHAINED and times >= RATE * len(group) and len(plain) <= LONGEST
    return _Command(
        key,
        plain if same else text,
        len(sessions),
        ok,
        failed,
        hidden,
        "own" in group[0].slots,
    )


def _tell_chain(findings: Sequence[Finding]) -> Telling | str:
    """What sessions run, in order, between the last edit and a commit."""
    sessions: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for finding in findings:
        steps = tuple(finding.slots["chain"].split("\n"))
        for size in range(2, min(len(steps), SEQUENCE) + 1):
            sessions[steps[-size:]].add(witness_of(finding.first))
    often = {
        steps: len(witnesses)
        for steps, witnesses in sessions.items()
        if len(witnesses) >= CHAINED
    }
    if not often:
        return "no sequence recurs"
    enough = (
        max(often.values()) / 2
    )  # a longer sequence says more, as long as it is not much rarer
    steps = max(
        (steps for steps in often if often[steps] >= enough),
        key=lambda steps: (len(steps), often[steps], steps),
    )
    sequence = ", then ".join(f"`{step}`" for step in steps)
    return Telling(
        fact=f"Before a commit, run {sequence}.",
        category="pattern",
        situation="before a commit",
        remedy=sequence,
        directness=0.7,
        domain="commit",
        tags=("command", "sequence"),
        rests_on=tuple(
            place
            for place, finding in enumerate(findings)
            if tuple(finding.slots["chain"].split("\n"))[-len(steps) :] == steps
        ),
        times=often[steps],
    )
