"""What this machine has: the agents, their versions, and how they can call us."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import afterglow
from afterglow.config import Config
from afterglow.connect import AGENTS
from afterglow.connect.plan import Machine
from afterglow.errors import NotFound, UsageError
from afterglow.flows.connect.own_command import own_command

VERSION_SECONDS = 3.0  # for an agent to say its version: Codex takes a tenth of that
MAX_VERSION_CHARACTERS = 100  # of what it says; a version has ten to thirty

Running = dict[str, "subprocess.Popen[bytes] | None"]  # program -> its process

_VERSION = re.compile(r"\b(\d+)\.(\d+)(?:\.(\d+))?")
_PACKAGE = "lib/python3*/site-packages/afterglow_agents-*.dist-info"


def present(config: Config) -> list[str]:
    """The agents of this machine: their settings folder or their program is there."""
    return [name for name in AGENTS.names() if _is_present(config, name)]


def _is_present(config: Config, name: str) -> bool:
    agent = AGENTS.load(name)
    folder: Path = agent.folder(config.user_home, config.moved)
    return folder.is_dir() or shutil.which(agent.PROGRAM) is not None


def checked_names(agents: Iterable[str]) -> list[str]:
    """The agents asked for, each once. Raises `UsageError` for one that cannot be connected."""
    names = list(dict.fromkeys(agents))
    if strange := [name for name in names if name not in AGENTS.names()]:
        raise UsageError(
            f"cannot connect {', '.join(strange)}; there are {', '.join(AGENTS.names())}; for any other agent, "
            "`afterglow context --write AGENTS.md` keeps a context in a file it reads"
        )
    return names


def machine(
    config: Config,
    name: str,
    *,
    project: Path | None = None,
    hints: bool = False,
    profile: str = "",
    versions: bool = True,
) -> Machine:
    agent = AGENTS.load(name)
    folder = agent.folder(config.user_home, config.moved)
    text = ""
    if versions and agent.VERSIONED:
        text = version_text([agent.PROGRAM])[agent.PROGRAM]
    is_hermes = name == "hermes"
    return Machine(
        folder=_profile(folder, profile) if is_hermes else folder,
        command=command(config),
        version=version(text),
        project=project,
        screen=screen_command(),
        failures=config.hooks.failures,
        rule_commands=rule_commands(config) if hints or config.hooks.pretool else (),
        prompt=config.hooks.context == "prompt",
        packaged=is_hermes and _has_us(agent.PROGRAM),
        plugin=_plugin() if is_hermes else {},
        own_command=own_command(config, agent.PROGRAM) if is_hermes else None,
    )


def _profile(home: Path, name: str) -> Path:
    """The home of a profile of Hermes: the one named, else the one that Hermes was told to stay in."""
    if not name:
        return _active_profile(home)
    folder = home if name == "default" else home / "profiles" / name
    if not folder.is_dir():
        raise NotFound(f"Hermes has no profile {name!r}: {folder} is not there")
    return folder


def _active_profile(home: Path) -> Path:
    try:
        active = (home / "active_profile").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return home
    folder = home / "profiles" / active
    is_profile = active not in {"", "default"} and folder.is_dir()
    return folder if is_profile else home


def command(config: Config) -> str:
    """How a shell without our PATH and variables starts us."""
    python = Path(sys.executable).absolute()
    program = "afterglow.exe" if sys.platform == "win32" else "afterglow"
    words = [str(python), "-m", "afterglow"]
    if python.with_name(program).exists():
        words = [str(python.with_name(program))]
    line = " ".join(shlex.quote(word) for word in words)
    if config.home == config.user_home / ".afterglow":
        return line
    return f"AFTERGLOW_HOME={shlex.quote(str(config.home.absolute()))} {line}"


def screen_command() -> str:
    """What looks at an event before a Python is started; nothing where there is no shell for it."""
    if sys.platform == "win32":
        return ""
    script = Path(afterglow.__file__).parent / "hooks" / "screen.sh"
    return f"sh {shlex.quote(str(script))}"


def rule_commands(config: Config) -> tuple[str, ...]:
    """The commands that persons have laid down something about, so far."""
    if not config.knowledge.exists():
        return ()
    from afterglow.context.command_rules import commands_named, is_rule
    from afterglow.store.knowledge import Knowledge

    with Knowledge(config.knowledge) as knowledge:
        rules = filter(is_rule, knowledge.items(status=["active"], trust="user"))
        return tuple(sorted({name for rule in rules for name in commands_named(rule)}))


def version_text(
    programs: Iterable[str], seconds: float = VERSION_SECONDS
) -> dict[str, str]:
    """What each program says to `--version`; empty where it is not there or takes too long."""
    running = ask([program, "--version"] for program in programs)
    return answers(running, time.monotonic() + seconds)


def ask(commands: Iterable[Sequence[str]]) -> Running:
    """Starts programs, all at once; None for one that is not there."""
    running: Running = {}
    for name, *words in commands:
        path = shutil.which(name)
        try:
            running[name] = _started(path, words) if path else None
        except OSError:
            running[name] = None
    return running


def answers(running: Running, until: float) -> dict[str, str]:
    """The first line each has said by then; who has not is ended."""
    return {
        name: _answer(process, until) if process else ""
        for name, process in running.items()
    }


def version(text: str) -> tuple[int, ...] | None:
    """`codex-cli 0.145.1` -> (0, 145, 1)"""
    numbers = _VERSION.search(text)
    if numbers is None:
        return None
    return tuple(int(part) for part in numbers.groups(default="0"))


def _started(path: str, words: Sequence[str]) -> subprocess.Popen[bytes]:
    nowhere = subprocess.DEVNULL
    return subprocess.Popen(
        [path, *words], stdin=nowhere, stdout=subprocess.PIPE, stderr=nowhere
    )


def _answer(process: subprocess.Popen[bytes], until: float) -> str:
    try:
        output, _ = process.communicate(timeout=max(until - time.monotonic(), 0.01))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()  # not read to its end: a child of the program may hold it open
        return ""
    first_line = output.decode("utf-8", "replace").strip().partition("\n")[0]
    return first_line[:MAX_VERSION_CHARACTERS]


def _has_us(program: str) -> bool:
    """Whether the Python that runs a program has this package: the first line of the program names it."""
    path = shutil.which(program)
    if path is None:
        return False
    try:
        with open(path, "rb") as file:
            first_line = file.readline(500).decode("utf-8", "replace")
    except OSError:
        return False
    python = Path(first_line.removeprefix("#!").strip().split(" ")[0])
    if not first_line.startswith("#!") or python.name == "env":
        # a launcher of a virtual environment stands beside its Python
        python = Path(path)
    return any(python.parent.parent.glob(_PACKAGE))


def _plugin() -> dict[str, bytes]:
    """The folder that a Hermes without this package is given."""
    folder = Path(afterglow.__file__).parent / "hermes" / "folder"
    files = {
        path.name: path.read_bytes()
        for path in sorted(folder.glob("*"))
        if path.is_file()
    }
    return {**files, "python": f"{Path(sys.executable).absolute()}\n".encode()}
