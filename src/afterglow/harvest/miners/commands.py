"""A repository's own tasks that work: its tests, linters, builds.

All tasks of one kind become one item, so that a newcomer finds in one sentence how tests are run. A task counts as
having worked only where its own exit code is known: not in front of a pipe, not in front of `;`. It is told as it was
run, behind the same runner. What anybody would try anyway (`cargo test`, `gh pr view`) is nothing to tell.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from afterglow.calls import Command, Pattern, program, project_pattern
from afterglow.harvest.agreeing_findings import session_ids
from afterglow.harvest.confidence import MIN_WITNESSES
from afterglow.harvest.independence import witnesses
from afterglow.harvest.trail import Step, Trail
from afterglow.records.knowledge import Finding, Telling
from afterglow.records.session import Outcome

NAME = "commands"
VERSION = 3

MIN_SESSIONS = 2  # behind a command: one may be an accident
MIN_SESSIONS_STARTING = 5  # behind one that starts something: that is easily a whim
MIN_RATE = 0.6  # of its runs worked; of its writings are the same
MIN_ALIKE = 3  # findings that write a command the same way, to make that its text
MAX_STATED, MAX_IN_CONTEXT = 6, 4  # commands in one sentence, and in a context
MAX_COMMAND = 120  # characters: a longer line is a script
DIRECT_TASK = 0.8  # how directly: it worked

STARTING = frozenset({"run"})
_ENDS = ("ok", "failed")  # of which the exit code is known
WORDS = {
    "test": "tests run with", "lint": "the linter runs with", "format": "code is formatted with",
    "typecheck": "types are checked with", "build": "it is built with", "generate": "files are generated with",
    "migrate": "migrations run with", "infra": "infrastructure is handled with", "check": "checks run with",
    "run": "it is run with",
}  # fmt: skip


class _Runs(Struct):
    """What one session shows about one command: where it was seen, and how its runs ended."""

    pattern: Pattern
    step: Step
    ends: Counter[str]


class _Log:
    """What a session ran, command by command."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.runs: dict[str, _Runs] = {}

    def add(self, step: Step) -> None:
        if not step.command or step.call.result is None or step.blocked:
            return
        for place, command in enumerate(step.action.working):
            pattern = project_pattern(command, self.root)
            if pattern is not None and pattern.kind in WORDS:
                self._count(_as_run(command, pattern), step, _end(step, place))

    def _count(self, pattern: Pattern, step: Step, end: str) -> None:
        if len(pattern.text) > MAX_COMMAND:
            return
        run = self.runs.setdefault(pattern.key, _Runs(pattern, step, Counter()))
        if end == "ok" and not run.ends["ok"]:
            run.step = step
        run.ends[end] += 1


def mine(trail: Trail) -> Iterator[Finding]:
    if not trail.repo:
        return
    log = _Log(trail.session.git_root or trail.session.cwd)
    for step in trail.steps:
        log.add(step)
    for run in log.runs.values():
        if run.pattern.of_project:
            yield _finding(trail, run)


def _as_run(command: Command, pattern: Pattern) -> Pattern:
    """With what stood in front of it: `uv run pytest` works where `pytest` does not. A manager that runs it is the
    project's choice."""
    around = [wrapper for wrapper in command.wrappers if not wrapper.line]
    if not around:
        return pattern
    managers = (program(wrapper.program).family != "wrapper" for wrapper in around)
    front = " ".join(wrapper.text for wrapper in around)
    return replace(
        pattern,
        key=f"{front} {pattern.key}",
        text=f"{front} {pattern.text}",
        plain=f"{front} {pattern.plain}",
        of_project=pattern.of_project or any(managers),
    )


def _end(step: Step, place: int) -> str:
    """How one command of a line ended: ok and failed only where nothing behind it hides its exit code."""
    working = step.action.working
    if step.ok:
        is_shown = all(command.then in {"", "&&"} for command in working[place:])
        return "ok" if is_shown else "hidden"
    is_alone = len(working) == 1
    return "failed" if step.call.outcome is Outcome.FAILED and is_alone else "hidden"


def _finding(trail: Trail, run: _Runs) -> Finding:
    pattern = run.pattern
    slots = {
        "repo": trail.repo,
        "kind": pattern.kind,
        "key": pattern.key,
        "text": pattern.text,
        "plain": pattern.plain,
    }
    slots |= {end: str(run.ends[end]) for end in _ENDS}
    topic = f"{trail.repo}|{pattern.kind}"
    return Finding(NAME, topic, slots, (trail.asked(run.step),))


def tell(findings: Sequence[Finding]) -> Telling | str:
    slots = findings[0].slots
    if (
        slots.get("kind") not in WORDS
    ):  # of an earlier version, in a session that is gone
        return "nothing of the project's own"
    return _tell_kind(findings, slots["kind"])


class _Command(Struct):
    """One command over all sessions."""

    key: str
    text: str
    sessions: int
    witnesses: int
    ok: int
    failed: int

    @property
    def decided(self) -> int:
        """Runs whose own exit code is known."""
        return self.ok + self.failed


def _tell_kind(findings: Sequence[Finding], kind: str) -> Telling | str:
    working = _working(findings, kind)
    if isinstance(working, str):
        return working
    stated = working[:MAX_STATED]
    keys = {command.key for command in stated}
    decided = sum(command.decided for command in stated)
    lead = WORDS[kind]
    return Telling(
        fact=f"{lead[0].upper()}{lead[1:]} {'; '.join(map(_code, stated))}.",
        category="pattern",
        situation=lead.rstrip(":"),
        remedy=", ".join(map(_code, working[:MAX_IN_CONTEXT])),
        directness=DIRECT_TASK,
        domain=kind,
        tags=("command", kind),
        rests_on=tuple(
            place
            for place, finding in enumerate(findings)
            if finding.slots["key"] in keys
        ),
        times=decided,
        worked=sum(command.ok for command in stated),
    )


def _working(findings: Sequence[Finding], kind: str) -> list[_Command] | str:
    """The commands of a kind that work, those of most sessions first; or why there is none to tell."""
    recurring = _recurring(findings)
    if not recurring:
        return "seen in one session"
    enough = MIN_SESSIONS_STARTING if kind in STARTING else MIN_SESSIONS
    often = [command for command in recurring if command.sessions >= enough]
    working = sorted(filter(_works, often), key=_rank)
    if not working:
        return "not seen to work often enough"
    # What one person did on one day waits, and by itself: two such commands are not two witnesses.
    proven = [command for command in working if command.witnesses >= MIN_WITNESSES]
    return proven or working[:1]


def _recurring(findings: Sequence[Finding]) -> list[_Command]:
    groups: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        groups[finding.slots["key"]].append(finding)
    commands = (_joined(key, group) for key, group in groups.items())
    return [
        command
        for command in commands
        if command.sessions >= MIN_SESSIONS and not _is_narrowed(command.text)
    ]


def _is_narrowed(text: str) -> bool:
    """Has more behind the task: what a runner does with it is its own matter (some run everything all the same)."""
    return "<" in text or " -- " in text


def _rank(command: _Command) -> tuple[int, str]:
    return -command.sessions, command.text


def _code(command: _Command) -> str:
    return f"`{command.text}`"


def _works(command: _Command) -> bool:
    return command.ok > 0 and command.ok >= MIN_RATE * command.decided


def _joined(key: str, group: Sequence[Finding]) -> _Command:
    """The findings of one command as one. Where it was nearly always written the same way, that is its text."""
    plain, times = _most_common(group, "plain")
    text, _ = _most_common(group, "text")
    is_usual = times >= MIN_ALIKE and times >= MIN_RATE * len(group)
    ok, failed = (sum(int(finding.slots[end]) for finding in group) for end in _ENDS)
    return _Command(
        key,
        plain if is_usual and len(plain) <= MAX_COMMAND else text,
        len(session_ids(group)),
        witnesses([finding.first for finding in group]),
        ok,
        failed,
    )


def _most_common(group: Sequence[Finding], slot: str) -> tuple[str, int]:
    return Counter(finding.slots[slot] for finding in group).most_common(1)[0]
