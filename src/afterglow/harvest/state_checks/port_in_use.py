"""A port that is taken by what this very session started."""

from __future__ import annotations

import re

from afterglow.harvest.state_checks.explanation import Explanation, is_short
from afterglow.harvest.state_checks.moment import Moment
from afterglow.harvest.trail import Step

NAME = "port"

MAX_AROUND = 80  # characters around the complaint in which the port is named

_IN_USE = re.compile(
    r"(?i)EADDRINUSE|address already in use"
    r"|(?:port|address)[^\n]{0,40}\b(?:in use|being used|occupied|allocated)"
)
_PORT = re.compile(r"(?:port\W{1,3}|[\w.\]*]:|:::)(\d{4,5})\b", re.IGNORECASE)

SITUATION = "A background server keeps its port, a second start fails as in use"
REMEDY = "use the one that runs, or stop it first: `kill $(lsof -ti :PORT)`"


def explain(moment: Moment) -> Explanation | None:
    if not moment.commands or not moment.says("eaddrinuse", "address", "port"):
        return None
    complaint = _IN_USE.search(moment.output)
    if complaint is None:
        return None
    ports = _PORT.findall(
        moment.output[
            max(complaint.start() - MAX_AROUND, 0) : complaint.end() + MAX_AROUND
        ]
    )
    for step in moment.back():
        if _runs_in_background(step) and _is_holder(step, moment.step, ports):
            return _explanation(step, ports[0] if ports else "")
    return None


def _runs_in_background(step: Step) -> bool:
    if step.action.kind != "shell" or step.failed:
        return False
    if step.action.arguments.values.get("run_in_background") is True:
        return True
    return any("background" in command.place for command in step.action.commands)


def _is_holder(step: Step, failing: Step, ports: list[str]) -> bool:
    """It names the port, or is the same command."""
    text = f"{step.command} {step.call.result or ''}"
    is_named = any(re.search(rf"\b{port}\b", text) for port in ports)
    return is_named or (step.action.goal == failing.action.goal != "")


def _explanation(step: Step, port: str) -> Explanation:
    core = step.core if is_short(step.core) else step.action.goal
    stop = f"`kill $(lsof -ti :{port})`" if port else "stop it first"
    line = f"port {port} is held by `{core}`, which this session started in the background: use it, or {stop}"
    topic = "a port held by what the session itself started"
    return Explanation(NAME, topic, line.replace("  ", " "), SITUATION, REMEDY)
