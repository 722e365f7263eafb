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

PATIENCE = 3.0  # seconds for an agent to say its version

Asked = dict[str, "subprocess.Popen[bytes] | None"]

_VERSION = re.compile(r"\b(\d+)\.(\d+)(?:\.(\d+))?")


def present(config: Config) -> list[str]:
    """The agents of this machine: their settings folder or their program is there."""
    return [
        name
        for name in AGENTS.names()
        if (agent := AGENTS.load(name)).folder(config.user_home, config.moved).is_dir()
        or shutil.which(agent.PROGRAM)
    ]


def known(names: Iterable[str]) -> list[str]:
    """The agents asked for, each once. Raises `UsageError` for one that cannot be connected."""
    wanted = list(dict.fromkeys(names))
    if strange := [name for name in wanted if name not in AGENTS.names()]:
        raise UsageError(
            f"cannot connect {', '.join(strange)}; there are {', '.join(AGENTS.names())}; for any other agent, "
            "`afterglow context --write AGENTS.md` keeps a context in a file it reads"
        )
    return wanted


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
    told = (
        version_text([agent.PROGRAM])[agent.PROGRAM]
        if versions and agent.VERSIONED
        else ""
    )
    hermes = name == "hermes"
    return Machine(
        folder=_profile(folder, profile) if hermes else folder,
        command=command(config),
        version=version(told),
        project=project,
        hints=hints or config.hooks.pretool,
        prompt=config.hooks.context == "prompt",
        packaged=hermes and _has_us(agent.PROGRAM),
        plugin=_plugin() if hermes else {},
    )


def _profile(home: Path, named: str) -> Path:
    """The home of a profile of Hermes: the one named, else the one that Hermes was told to stay in."""
    if not named:
        try:
            active = (home / "active_profile").read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            active = ""
        folder = home / "profiles" / active
        return folder if active and active != "default" and folder.is_dir() else home
    folder = home if named == "default" else home / "profiles" / named
    if not folder.is_dir():
        raise NotFound(f"Hermes has no profile {named!r}: {folder} is not there")
    return folder


def command(config: Config) -> str:
    """How a shell without our PATH and variables starts us."""
    beside = (
        Path(sys.executable)
        .absolute()
        .with_name("afterglow.exe" if sys.platform == "win32" else "afterglow")
    )
    words = (
        [str(beside)]
        if beside.exists()
        else [str(Path(sys.executable).absolute()), "-m", "afterglow"]
    )
    said = " ".join(shlex.quote(word) for word in words)
    if config.home == config.user_home / ".afterglow":
        return said
    return f"AFTERGLOW_HOME={shlex.quote(str(config.home.absolute()))} {said}"


def version_text(programs: Iterable[str], seconds: float = PATIENCE) -> dict[str, str]:
    """What each program says to `--version`; empty where it is not there or takes too long."""
    return answers(
        ask([program, "--version"] for program in programs), time.monotonic() + seconds
    )


def ask(commands: Iterable[Sequence[str]]) -> Asked:
    """Starts programs, all at once; None for one that is not there."""
    asked: Asked = {}
    for name, *words in commands:
        path = shutil.which(name)
        try:
            asked[name] = _started(path, words) if path else None
        except OSError:
            asked[name] = None
    return asked


def answers(asked: Asked, until: float) -> dict[str, str]:
    """The first line each has said by then; who has not is ended."""
    return {
        name: _answer(process, until) if process else ""
        for name, process in asked.items()
    }


def version(text: str) -> tuple[int, ...] | None:
    """`codex-cli 0.145.1` -> (0, 145, 1)"""
    found = _VERSION.search(text)
    return tuple(int(part) for part in found.groups(default="0")) if found else None


def _started(path: str, words: Sequence[str]) -> subprocess.Popen[bytes]:
    nowhere = subprocess.DEVNULL
    return subprocess.Popen(
        [path, *words], stdin=nowhere, stdout=subprocess.PIPE, stderr=nowhere
    )


def _answer(process: subprocess.Popen[bytes], until: float) -> str:
    try:
        said, _ = process.communicate(timeout=max(until - time.monotonic(), 0.01))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()  # not read to its end: a child of the program may hold it open
        return ""
    return said.decode("utf-8", "replace").strip().partition("\n")[0][:100]


def _has_us(program: str) -> bool:
    """Whether the Python that runs a program has this package: the first line of the program names it."""
    path = shutil.which(program)
    if path is None:
        return False
    try:
        with open(path, "rb") as file:
            first = file.readline(500).decode("utf-8", "replace")
    except OSError:
        return False
    python = Path(first.removeprefix("#!").strip().split(" ")[0])
    if not first.startswith("#!") or python.name == "env":
        python = Path(
            path
        )  # a launcher of a virtual environment stands beside its Python
    return any(
        python.parent.parent.glob("lib/python3*/site-packages/afterglow-*.dist-info")
    )


def _plugin() -> dict[str, bytes]:
    """The folder that a Hermes without this package is given."""
    folder = Path(afterglow.__file__).parent / "hermes" / "folder"
    files = {
        path.name: path.read_bytes()
        for path in sorted(folder.glob("*"))
        if path.is_file()
    }
    return {**files, "python": f"{Path(sys.executable).absolute()}\n".encode()}
