"""The agents that can run tasks, each as the command that starts it on a request without anybody beside it.

Agents with hooks are connected to the run's own home, so they are told at whatever moments the arm says. A command of
one's own is told at its start, in its request.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec import Struct

from afterglow.errors import Unsupported, UsageError
from afterglow.flows.tasks.run_room import RunRoom

KEY = "AFTERGLOW_TASK_KEY"  # under which codex is handed the key of the endpoint
CODEX_SETTINGS = """model = "{model}"
model_provider = "task"
[model_providers.task]
name = "task"
base_url = "{url}"
wire_api = "responses"
env_key = "{key}"
[projects."{project}"]
trust_level = "trusted"
"""


class Endpoint(Struct, frozen=True):
    """Where the model is; what is empty is left to the agent."""

    url: str = ""
    model: str = ""
    key: str = ""

    def __repr__(self) -> str:  # the key must not end up in a log
        return f"Endpoint(url={self.url!r}, model={self.model!r})"


class AgentProgram(Struct, frozen=True):
    """`prepare` puts the agent's settings into the room and returns its variables; `words` start it. `connects` is the
    name under which it is connected, empty for those that have no hooks of ours. `program` is looked for on PATH."""

    name: str
    program: str
    connects: str
    prepare: Callable[[RunRoom, Endpoint], dict[str, str]]
    words: Callable[[RunRoom, Endpoint, str], list[str]]

    @property
    def hears_of_failures(self) -> bool:
        return bool(self.connects) or self.name == "mini-swe"

    def places(self, path: str) -> list[Path]:
        """What of the machine it needs to run: its own files, and ours for its hooks."""
        places = [Path(sys.prefix), Path(sys.base_prefix), *_import_folders()]
        if not self.program:
            return places
        program = shutil.which(self.program, path=path)
        if program is None:
            raise Unsupported(
                f"{self.name} is not here: no {self.program!r} on PATH; install it, or name another --agent"
            )
        file = Path(program)
        return [*places, file.parent, *_packages_of(file.resolve())]


def _import_folders() -> list[Path]:
    """Where modules are loaded from. `python -m` adds the folder it was started in, and there may lie the tasks: an agent
    would find their checks."""
    folders = [Path(entry) for entry in sys.path if Path(entry).is_dir()]
    return [
        folder
        for folder in folders
        if folder.resolve() != Path.cwd() or (folder / "afterglow").is_dir()
    ]


def _packages_of(path: Path) -> list[Path]:
    """The folders whose files a program loads: all packages of node's, or its environment of Python and the Python that
    was made from."""
    folders = [parent for parent in path.parents if parent.name == "node_modules"]
    if folders:
        return folders[-1:]
    about = path.parent.parent / "pyvenv.cfg"
    if not about.is_file():
        return [path.parent]
    lines = (line.partition("=") for line in about.read_text().splitlines())
    settings = {name.strip(): value.strip() for name, _, value in lines}
    return [about.parent, Path(settings.get("home", sys.base_prefix)).parent]


def _claude_prepare(room: RunRoom, endpoint: Endpoint) -> dict[str, str]:
    (room.home / ".claude").mkdir()
    variables = {
        "ANTHROPIC_BASE_URL": endpoint.url,
        "ANTHROPIC_API_KEY": endpoint.key,
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "IS_SANDBOX": "1",
    }
    return {name: value for name, value in variables.items() if value}


def _claude_words(room: RunRoom, endpoint: Endpoint, request: str) -> list[str]:
    model = ["--model", endpoint.model] if endpoint.model else []
    calls = _most_calls(room, "--max-turns")
    return ["claude", "-p", request, "--dangerously-skip-permissions", *model, *calls]


def _codex_prepare(room: RunRoom, endpoint: Endpoint) -> dict[str, str]:
    (room.home / ".codex").mkdir()
    if not endpoint.url:
        return {"OPENAI_API_KEY": endpoint.key} if endpoint.key else {}
    text = CODEX_SETTINGS.format(
        model=endpoint.model, url=endpoint.url, key=KEY, project=room.project
    )
    (room.home / ".codex/config.toml").write_text(text)
    return {KEY: endpoint.key or "none"}


def _codex_words(room: RunRoom, endpoint: Endpoint, request: str) -> list[str]:
    freely = "--dangerously-bypass-approvals-and-sandbox"
    return ["codex", "exec", freely, "--dangerously-bypass-hook-trust", request]


def _hermes_prepare(room: RunRoom, endpoint: Endpoint) -> dict[str, str]:
    folder = room.home / ".hermes"
    folder.mkdir()
    if endpoint.url:
        model = {
            "default": endpoint.model,
            "provider": "custom",
            "base_url": endpoint.url,
            "api_key": endpoint.key or "none",
        }
        settings = msgspec.json.encode({"model": model})  # JSON is YAML
        (folder / "config.yaml").write_bytes(settings)
    return {"HERMES_HOME": str(folder), "HERMES_DISABLE_LAZY_INSTALLS": "1"}


def _hermes_words(room: RunRoom, endpoint: Endpoint, request: str) -> list[str]:
    calls = _most_calls(room, "--max-turns")
    return ["hermes", "chat", "--yolo", "-Q", *calls, "-q", request]


def _mini_prepare(room: RunRoom, endpoint: Endpoint) -> dict[str, str]:
    if not endpoint.url or not endpoint.model:
        raise UsageError("mini-swe needs --base-url and --model")
    return {
        "MSWEA_GLOBAL_CONFIG_DIR": str(room.home / ".mini-swe-agent"),
        "MSWEA_SILENT_STARTUP": "1",
        KEY: endpoint.key,
    }


def _mini_words(room: RunRoom, endpoint: Endpoint, request: str) -> list[str]:
    module = "afterglow.adapters.mini_swe_task"
    options = ["--base-url", endpoint.url, "--model", endpoint.model]
    calls = _most_calls(room, "--calls")
    return [sys.executable, "-m", module, *options, *calls, request]


def _most_calls(room: RunRoom, option: str) -> list[str]:
    return [option, str(room.task.calls)] if room.task.calls else []


_PROGRAMS = (
    AgentProgram(
        "claude-code", "claude", "claude-code", _claude_prepare, _claude_words
    ),
    AgentProgram("codex", "codex", "codex", _codex_prepare, _codex_words),
    AgentProgram("hermes", "hermes", "hermes", _hermes_prepare, _hermes_words),
    AgentProgram("mini-swe", "", "", _mini_prepare, _mini_words),
)
AGENTS = {program.name: program for program in _PROGRAMS}


def agent_program(name: str, command: str) -> AgentProgram:
    """By name; `command` is a line of one's own, in which {request} stands for a file with the request."""
    if name == "command":
        if "{request}" not in command:
            raise UsageError(
                "--agent command takes --command with {request} in it: --command 'my-agent --task-file {request}'"
            )
        return AgentProgram("command", "", "", _plain_prepare, _line(command))
    if command:
        raise UsageError(f"--command goes with --agent command, not with {name}")
    if name not in AGENTS:
        raise UsageError(f"no agent {name!r}; there are {', '.join(AGENTS)}, command")
    return AGENTS[name]


def _plain_prepare(room: RunRoom, endpoint: Endpoint) -> dict[str, str]:
    variables = {
        "OPENAI_BASE_URL": endpoint.url,
        "OPENAI_MODEL": endpoint.model,
        "OPENAI_API_KEY": endpoint.key,
    }
    return {name: value for name, value in variables.items() if value}


def _line(command: str) -> Callable[[RunRoom, Endpoint, str], list[str]]:
    def words(room: RunRoom, endpoint: Endpoint, request: str) -> list[str]:
        file = room.folder / "request.md"
        file.write_text(request)
        line = command.replace("{request}", shlex.quote(str(file)))
        return ["/bin/sh", "-c", line]

    return words
