"""Whether connected agents really get something: files as we left them, a hook that runs, contexts given out.

A hook that fails open says nothing, so a connection that does nothing looks like one that works. This tells them apart.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Collection, Iterator, Sequence
from itertools import dropwhile
from pathlib import Path

import msgspec
from msgspec.structs import replace

from afterglow.config import Config, environment
from afterglow.connect import AGENTS, claude_code
from afterglow.connect.hook_entries import commands
from afterglow.errors import AfterglowError
from afterglow.flows.connect import Touched, digest, machine, read_file
from afterglow.flows.doctor.store_checks import rows
from afterglow.flows.harvest import log_of
from afterglow.records.doctor import Finding, Level

SESSIONS = 10  # the last sessions of an agent that are looked at
ENOUGH = 3  # so many sessions without a context are no accident
SECONDS = 3.0  # for the hook program to answer

_VARIABLE = re.compile(r"\w+=")
_SINCE = (
    "SELECT start, repo FROM sessions JOIN places USING (place) WHERE agent = ? AND origin = 'main' AND NOT empty "
    "AND NOT copy AND start >= ? ORDER BY start DESC LIMIT ?"
)
_GIVEN = "SELECT count(*), coalesce(sum(state = 'delivered'), 0) FROM deliveries WHERE agent = ? AND time >= ?"
_KNOWN = "SELECT count(*) FROM items WHERE status = 'active' AND repo IN (?, '')"


def unnoted(config: Config, noted: Collection[str]) -> list[Touched]:
    """Agents that were connected by hand or by a plugin: their files name us, and connect has no note of it."""
    found = []
    for name in AGENTS.names():
        agent = AGENTS.load(name)
        for path in (
            () if name in noted else agent.places(machine(config, name, versions=False))
        ):
            try:
                data = read_file(path)
                ours = data is not None and (
                    agent.without(path, data) != data or claude_code.by_plugin(data)
                )
            except AfterglowError:
                continue
            if ours:
                found.append(
                    Touched(
                        agent=name,
                        path=str(path),
                        before="-",
                        after="",
                        time=path.stat().st_mtime,
                    )
                )
    return found


def files(connected: Sequence[Touched]) -> Iterator[Finding]:
    """Are the files as we left them, or do they at least still hold our parts?"""
    for one in connected:
        data = read_file(Path(one.path))
        again = f"afterglow connect {one.agent}"
        if data is None:
            yield Finding(
                "connection", "attention", f"{one.agent}: {one.path} is gone", again
            )
        elif (
            Path(one.path).name == "python"
            and not Path(data.decode("utf-8", "replace").strip()).exists()
        ):
            text = (
                f"{one.agent}: {one.path} leads to a Python that is not there any more"
            )
            yield Finding("connection", "attention", text, again)
        elif claude_code.by_plugin(data) and commands(data, one.path):
            text = f"{one.agent}: {one.path} holds our hooks and enables our plugin: every session is told twice"
            yield Finding("connection", "attention", text, again)
        elif digest(data) == one.after:
            yield Finding(
                "connection", "ok", f"{one.agent}: {one.path} is as it was left"
            )
        elif not one.after:
            level: Level = "ok"
            if claude_code.by_plugin(data) and not on_path():
                level, again = (
                    "attention",
                    "put afterglow on the PATH of Claude Code: its plugin cannot find it",
                )
            yield Finding(
                "connection",
                level,
                f"{one.agent}: {one.path} names afterglow",
                "" if level == "ok" else again,
            )
        elif digest(data) == one.before:
            yield Finding(
                "connection",
                "attention",
                f"{one.agent}: {one.path} no longer names afterglow",
                again,
            )
        elif b"afterglow" not in data:
            yield Finding(
                "connection",
                "attention",
                f"{one.agent}: our parts were taken out of {one.path}",
                again,
            )
        else:
            yield Finding(
                "connection",
                "note",
                f"{one.agent}: {one.path} was changed since; our parts are still there",
            )


def hooks(connected: Sequence[Touched]) -> dict[str, str]:
    """The command that each agent calls at the start of a session."""
    found = {}
    for one in connected:
        try:
            said = (
                commands(read_file(Path(one.path)) or b"{}", one.path)
                if one.path.endswith(".json")
                else {}
            )
        except AfterglowError:
            continue
        if "SessionStart" in said:
            found[one.agent] = said["SessionStart"]
    return found


def try_hook(config: Config, agent: str, command: str) -> Iterator[Finding]:
    """Calls the hook as the agent would, with an invented session and an empty home: nothing is noted anywhere."""
    words = list(dropwhile(_VARIABLE.match, shlex.split(command)))
    again = f"afterglow connect {agent}"
    if not Path(words[0]).exists():
        yield Finding(
            "connection",
            "attention",
            f"{agent}: the hook program {words[0]} is not there any more",
            again,
        )
        return
    began = time.monotonic()
    with tempfile.TemporaryDirectory(
        prefix="afterglow-doctor-", ignore_cleanup_errors=True
    ) as folder:
        event = {
            "hook_event_name": "SessionStart",
            "session_id": "doctor",
            "source": "startup",
            "cwd": folder,
        }
        around = environment(replace(config, home=Path(folder)))
        try:
            said = subprocess.run(
                words, input=msgspec.json.encode(event), env=around, cwd=folder, capture_output=True, timeout=SECONDS,
                check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            yield Finding(
                "connection",
                "attention",
                f"{agent}: the hook program does not answer: {error}",
                again,
            )
            return
    took = f"{1000 * (time.monotonic() - began):.0f} ms"
    if said.returncode or not _valid(said.stdout):
        last = said.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2][:200]
        text = f"{agent}: the hook program fails with exit code {said.returncode}: {last or 'no valid answer'}"
        yield Finding("connection", "attention", text, again)
    else:
        yield Finding("connection", "ok", f"{agent}: the hook program runs ({took})")


def deliveries(config: Config, connected: Sequence[Touched]) -> Iterator[Finding]:
    """Did the last sessions of each connected agent get a context? If not: why, most likely."""
    since: dict[str, float] = {}
    for one in connected:
        since[one.agent] = min(one.time, since.get(one.agent, one.time))
    for agent, start in since.items():
        sessions = rows(config.catalog, _SINCE, [agent, start, SESSIONS]) or []
        oldest = min((row[0] for row in sessions), default=start)
        counted = rows(config.ledger, _GIVEN, [agent, oldest - 60])
        if counted is None and config.ledger.exists():
            yield Finding(
                "delivery",
                "note",
                f"{agent}: the ledger cannot be read, so nothing is known of deliveries",
            )
            continue
        given, proved = counted[0] if counted else (0, 0)
        if given:
            text = f"{agent}: {given} contexts given out in the last {len(sessions)} sessions, {proved} proved to arrive"
            yield Finding(
                "delivery",
                "ok",
                text,
                "" if proved else "afterglow scan && afterglow measure",
            )
        elif not sessions:
            text = f"{agent}: no session since it was connected is in the catalogue"
            yield Finding("delivery", "note", text, "afterglow scan")
        else:
            yield _nothing(config, agent, start, [row[1] for row in sessions])


def _nothing(config: Config, agent: str, since: float, repos: Sequence[str]) -> Finding:
    text = f"{agent} is connected but no context was delivered in the last {len(repos)} sessions"
    if config.hooks.context == "never":
        return Finding(
            "delivery", "note", f'{text}: config.toml says [hooks] context = "never"'
        )
    counts = [
        (rows(config.knowledge, _KNOWN, [repo]) or [(0,)])[0][0]
        for repo in dict.fromkeys(repos)
    ]
    if not any(counts):
        names = (
            ", ".join(repo for repo in dict.fromkeys(repos) if repo) or "where they ran"
        )
        return Finding(
            "delivery",
            "note",
            f"{text}: nothing is known of {names} yet",
            "afterglow harvest",
        )
    trouble = [line for line in log_of(config).recent() if line.time >= since]
    if trouble:
        why = f"hooks failed {len(trouble)} times, the last time with: {trouble[-1].what}: {trouble[-1].detail}"
        return Finding("delivery", "attention", f"{text}: {why}")
    likely = (
        "codex runs hooks only after /hooks trusted them"
        if agent == "codex"
        else "its hooks seem not to be called"
    )
    level: Level = "attention" if len(repos) >= ENOUGH else "note"
    helps = (
        ""
        if agent == "codex"
        else f"afterglow disconnect {agent} && afterglow connect {agent}"
    )
    return Finding("delivery", level, f"{text}: {likely}", helps)


def _valid(answer: bytes) -> bool:
    """Nothing, or JSON."""
    try:
        return not answer.strip() or isinstance(msgspec.json.decode(answer), dict)
    except msgspec.DecodeError:
        return False


def on_path() -> bool:
    return shutil.which("afterglow") is not None
