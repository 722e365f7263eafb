"""Hooks on calls: what `bench.hooks` measures of a line on failure.

Beside a harvest at the priority it has after sessions, with 100,000 items and a transcript of some megabytes: a call
with a known failure, one that nobody knows, one that ended well; by a process that loads everything, and where one
stays (`hooks/resident.py`). Then 20 at once, the time in which the process that stays answers, without the start of a
Python, and what real sessions pay: their calls at the measured times, against the time their agents worked.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import statistics
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from afterglow.calls import is_shell_call, shell_line
from afterglow.config import Config
from afterglow.flows.session.build_context import known_repo
from afterglow.flows.session.latest_calls import latest_calls
from afterglow.harvest.problem_topics import topics_of_event
from afterglow.records.context import FinishedCall
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.session import Outcome, Session
from afterglow.sessions import load
from afterglow.store.knowledge import Knowledge
from bench.measuring import afterglow, environment
from bench.scan import fleet

TIMES = 31
MANY = 20
USUAL_CALLS = 300  # of a long session: what it pays is told for so many
SCREEN_MS = 3.0  # what `hooks/screen.sh` takes for a shell call, whether or not it starts a Python
# Seconds between two turns that count as work: in longer ones a person was waited for, or a night.
MAX_WORK_SECONDS = 60.0
COMMAND = "lampctl trim --wick 7 | tail -5"
ERROR = "Exit code 1\nlampctl: unknown option --wick for the trim of a lamp"
TRANSCRIPT_LINES = 1200  # some three megabytes

Times = dict[str, list[float]]


class CallEvents(NamedTuple):
    """An event of each kind, without the session."""

    known: dict[str, object]
    unknown: dict[str, object]
    fine: dict[str, object]


def measure_calls(config: Config, cwd: Path) -> dict[str, object]:
    transcript = _transcript(config.home / "session.jsonl", cwd)
    _keep_lesson(config, cwd)
    events = _events(cwd, transcript)
    with _harvest(config.home):
        cold = _in_turns(config, events, resident=False)
        warm = _in_turns(config, events, resident=True)
        at_once, silent = _many(config, events)
        answer = _answer_times(config, events)
        processor = _processor_time(config, events)
    end_resident(config)
    medians: dict[str, object] = {}
    for name, times in (cold | warm).items():
        medians[f"{name}, median ms"] = round(statistics.median(times), 1)
    return medians | {
        f"{MANY} failures at once, slowest ms": round(at_once),
        "of these without a line": silent,
        "answer of the process that stays, median ms": round(answer, 1),
        "processor time of a hook that asks it, ms": round(processor, 1),
    }


def _events(cwd: Path, transcript: Path) -> CallEvents:
    common = {"cwd": str(cwd), "transcript_path": str(transcript), "tool_name": "Bash"}
    failed = {**common, "hook_event_name": "PostToolUseFailure"}
    other = "Exit code 2\nlampctl: the keeper is asleep"
    fine = {
        **common,
        "hook_event_name": "PostToolUse",
        "tool_input": {"command": "git status | head"},
        "tool_response": {"stdout": "On branch main", "stderr": ""},
    }
    return CallEvents(
        {**failed, "tool_input": {"command": COMMAND}, "error": ERROR},
        {**failed, "tool_input": {"command": "lampctl wake"}, "error": other},
        fine,
    )


def _keep_lesson(config: Config, cwd: Path) -> None:
    """A lesson about the failure, for every repository, under the topics by which it is found: by the name of the
    folder, and by the whole name, as long as no harvest has counted sessions anew."""
    call = FinishedCall("Bash", json.dumps({"command": COMMAND}), ERROR, failed=True)
    latest = latest_calls(
        config,
        agent="claude-code",
        cwd=cwd,
        session="",
        calls=[call],
        transcript=None,
        agent_id="",
    )
    (event,) = latest.events.events
    with Knowledge(config.knowledge) as knowledge:
        names = {cwd.name, known_repo(knowledge, cwd.name)}
    now = time.time()
    item = KnowledgeItem(
        id="kbenchline1",
        fact="lampctl has no --wick",
        category="pitfall",
        status="active",
        confidence=0.9,
        source_count=3,
        times=3,
        worked=3,
        first_seen=now - 9e5,
        last_confirmed=now - 9e4,
        situation="`lampctl trim --wick` fails: unknown option --wick for the trim of a lamp",
        remedy="`lampctl trim --length 7`",
        miner="written",
        topics=tuple(topic for name in names for topic in topics_of_event(name, event)),
    )
    with Knowledge(config.knowledge) as knowledge:
        knowledge.save([item], by="import", now=now)


def _transcript(path: Path, cwd: Path) -> Path:
    """A session that runs: reads, shell lines and their results."""
    rows = []
    for number in range(TRANSCRIPT_LINES):
        line = {
            "sessionId": "s", "cwd": str(cwd), "userType": "external", "parentUuid": None,
            "timestamp": f"2026-11-16T{number // 60 % 24:02d}:{number % 60:02d}:00.000Z",
        }  # fmt: skip
        call = {
            "type": "tool_use", "id": f"toolu_{number:020d}", "name": "Bash",
            "input": {"command": f"cd dock && sed -n {number},+40p lamp_{number % 90}.go | head -40"},
        }  # fmt: skip
        message = {"id": f"m{number}", "role": "assistant", "content": [call]}
        rows.append({**line, "type": "assistant", "message": message})
        text = f"func lamp{number}() {{ return tide }}\n" * 60
        answer = {
            "type": "tool_result",
            "tool_use_id": call["id"],
            "content": text,
            "is_error": False,
        }
        message = {"role": "user", "content": [answer]}
        rows.append({**line, "type": "user", "message": message})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@contextmanager
def _harvest(home: Path) -> Iterator[None]:
    """One that runs until the end, at the lowest priority, and writes to the same stores."""
    words = ("nice", "-n", "19", *afterglow("harvest", str(fleet(1000)), "--again", "--jobs", "1"))  # fmt: skip
    line = f"while :; do {' '.join(words)}; done"
    process = subprocess.Popen(
        ("sh", "-c", line),
        env=environment(home),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _in_turns(config: Config, events: CallEvents, *, resident: bool) -> Times:
    minutes = 10 if resident else 0
    settings = f"[hooks]\nresident_minutes = {minutes}\ndeadline_ms = 10000\n"
    (config.home / "config.toml").write_text(settings)
    manner = "one stays" if resident else "none stays"
    if resident:
        run_hook(config, events.fine, "first")
        _wait_for_resident(config)
    times: Times = {}
    for number in range(TIMES + 1):
        for kind, event in events._asdict().items():
            begun = time.perf_counter()
            answer = run_hook(config, event, f"{manner} {kind} {number}")
            taken = 1000 * (time.perf_counter() - begun)
            assert (b"additionalContext" in answer) == (kind == "known"), answer
            if number:
                times.setdefault(f"{kind} ({manner})", []).append(taken)
    return times


def run_hook(config: Config, event: dict[str, object], session: str) -> bytes:
    return subprocess.run(
        afterglow("hook", str(event["hook_event_name"])),
        input=json.dumps({**event, "session_id": session}).encode(),
        env=environment(config.home),
        capture_output=True,
        check=True,
    ).stdout


def _processor_time(config: Config, events: CallEvents) -> float:
    """Of the process an agent starts, without the one that answers: what stays the same on a busy machine."""
    times = []
    for number in range(TIMES):
        process = subprocess.Popen(
            afterglow("hook", "PostToolUse"),
            env=environment(config.home),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )
        assert process.stdin is not None
        event = {**events.fine, "session_id": f"processor {number}"}
        process.stdin.write(json.dumps(event).encode())
        process.stdin.close()
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        times.append(1000 * (usage.ru_utime + usage.ru_stime))
    return statistics.median(times)


def _wait_for_resident(config: Config) -> Path:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if path := next(config.home.glob("hook-*.sock"), None):
            return path
        time.sleep(0.05)
    raise AssertionError("no process stays")


def end_resident(config: Config) -> None:
    """By the id it has written in its lock."""
    for lock in config.home.glob("hook-*.lock"):
        os.kill(int(lock.read_text()), signal.SIGTERM)


def _many(config: Config, events: CallEvents) -> tuple[float, int]:
    """The slowest of many that start together, and how many came back without a line."""
    begun = time.perf_counter()
    hooks = []
    for number in range(MANY):
        process = subprocess.Popen(
            afterglow("hook", "PostToolUseFailure", "--deadline-ms", "800"),
            env=environment(config.home),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert process.stdin is not None
        session = {**events.known, "session_id": f"at once {number}"}
        with suppress(BrokenPipeError):  # its time was over before it was asked
            process.stdin.write(json.dumps(session).encode())
            process.stdin.close()
        hooks.append(process)
    answers = []
    for process in hooks:
        assert process.stdout is not None
        answers.append(process.stdout.read())
        process.wait()
    slowest = 1000 * (time.perf_counter() - begun)
    return slowest, sum(b"additionalContext" not in answer for answer in answers)


def _answer_times(config: Config, events: CallEvents) -> float:
    """From the question at the socket to the whole answer: no Python starts."""
    path = str(_wait_for_resident(config))
    times = []
    for number in range(TIMES):
        reading, writing = os.pipe()
        event = {**events.known, "session_id": f"asked {number}"}
        os.write(writing, json.dumps(event).encode())
        os.close(writing)
        folder = os.open("/", os.O_RDONLY)
        begun = time.perf_counter()
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(path)
            socket.send_fds(connection, [b"PostToolUseFailure"], [reading, folder])
            heard = b""
            while b"additionalContext" not in heard and (more := connection.recv(9999)):
                heard += more
        times.append(1000 * (time.perf_counter() - begun))
        assert b"additionalContext" in heard, heard
        os.close(reading)
        os.close(folder)
    return statistics.median(times)


class Paid(Struct, frozen=True):
    """What a session's hooks on calls cost: its calls, those the shell looks at, those that start a Python, and the
    seconds its agent worked."""

    calls: int
    screened: int
    hooks: int
    seconds: float

    def paid(self, hook_ms: float) -> float:
        """Seconds."""
        return (self.screened * SCREEN_MS + self.hooks * hook_ms) / 1000


def paid_by(folder: Path, *, least_calls: int = 50) -> list[Paid]:
    """Of real sessions with many calls: which of them start a Python, as `hooks/screen.sh` decides."""
    sessions = []
    for path in sorted(folder.rglob("*.jsonl")):
        for session in load(path):
            if len(session.calls) >= least_calls and session.origin == "main":
                sessions.append(_paid(session))
    return [each for each in sessions if each.seconds]


def _paid(session: Session) -> Paid:
    hooks = sum(
        call.outcome is Outcome.FAILED or _may_hide(call.tool, call.arguments)
        for call in session.calls
    )
    screened = sum(is_shell_call(call.tool, call.arguments) for call in session.calls)
    return Paid(len(session.calls), screened, hooks, _worked(session))


def _may_hide(tool: str, arguments: str) -> bool:
    if not is_shell_call(tool, arguments):
        return False
    return any(mark in shell_line(arguments) for mark in ("|", ";", "\n"))


def _worked(session: Session) -> float:
    """The time between turns, but for the time until a person's next words."""
    turns = [turn for turn in session.turns if turn.time is not None]
    return sum(
        min(MAX_WORK_SECONDS, max(0.0, (later.time or 0.0) - (earlier.time or 0.0)))
        for earlier, later in pairwise(turns)
        if not (later.role == "user" and later.kind == "said")
    )


def share_paid(sessions: Sequence[Paid], hook_ms: float) -> dict[str, object]:
    """What they pay of their time, and a session of the usual length in seconds."""
    hooks = sum(each.hooks for each in sessions)
    calls = sum(each.calls for each in sessions)
    paid = sum(each.paid(hook_ms) for each in sessions)
    shares = sorted(each.paid(hook_ms) / each.seconds for each in sessions)
    total = paid / sum(each.seconds for each in sessions)
    usual = USUAL_CALLS * paid / calls
    return {
        "real sessions with many calls": len(sessions),
        "their calls that start a hook, %": round(100 * hooks / calls, 1),
        f"a session of {USUAL_CALLS} calls pays, s": round(usual, 1),
        "share of the time agents worked, %": round(100 * total, 2),
        "median session, %": round(100 * statistics.median(shares), 2),
        "95 of 100 sessions at most, %": round(
            100 * shares[int(0.95 * len(shares))], 2
        ),
    }
