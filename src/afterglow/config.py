"""The only reader of the environment and of `config.toml`. Everything below takes arguments.

[scan]
paths = ["~/exports"]            # also scanned when no path is given

[repos]                          # which names and folders are one repository
"~/wks/cli" = "acme/cli"
cli = "acme/cli"

[redact]
names = ["Ada Example"]          # further words that must never be kept

[memory]
backend = "local"                # null, local or honcho; AFTERGLOW_MEMORY_BACKEND goes before it

[hooks]
context = "start"                # or "prompt" (with the first request, which is then weighed), or "never"
pretool = false                  # a known pitfall of the very call an agent is about to make
deadline_ms = 800                # a hook that takes longer answers nothing

[experiment]
name = "daily"                   # each new session is assigned to an arm of this plan; none unless said
"""

from __future__ import annotations

import os
from os.path import expanduser
from pathlib import Path

from msgspec import Struct, ValidationError, convert

from afterglow.errors import ConfigError

# Where an agent's own variable says its home is: variable -> agent, folder below it that is our root for that agent.
MOVED = {
    "HERMES_HOME": ("hermes", ""),
    "CLAUDE_CONFIG_DIR": ("claude-code", "projects"),
    "CODEX_HOME": ("codex", ""),
    "COPILOT_HOME": ("copilot-cli", ""),
    "PI_CODING_AGENT_DIR": ("pi", "sessions"),
}


CONTEXT = ("start", "prompt", "never")  # when hooks give the context


class Honcho(Struct, frozen=True):
    """How to reach a Honcho server. What is empty is left to its SDK."""

    key: str = ""
    url: str = ""
    workspace: str = ""

    def __repr__(self) -> str:  # the key must not end up in a log
        return f"Honcho(key={'***' if self.key else ''!r}, url={self.url!r}, workspace={self.workspace!r})"


class Hooks(Struct, frozen=True):
    """What agents' hooks do: when the context is given, whether calls get hints, how long an agent may be kept."""

    context: str = "start"
    pretool: bool = False
    deadline_ms: int = 800


class Config(Struct, frozen=True):
    """What a person set: where afterglow keeps its files, where agents live, what to scan, how repos are named."""

    home: Path
    user_home: Path
    moved: dict[str, Path] = {}
    paths: tuple[Path, ...] = ()
    aliases: dict[str, str] = {}
    names: tuple[str, ...] = ()
    cores: int = 1
    memory_backend: str = ""
    honcho: Honcho = Honcho()
    hooks: Hooks = Hooks()
    experiment: str = ""  # the standing one, by name

    @property
    def catalog(self) -> Path:
        return self.home / "catalog.db"

    @property
    def knowledge(self) -> Path:
        return self.home / "knowledge.db"

    @property
    def ledger(self) -> Path:
        return self.home / "ledger.db"

    @property
    def experiments(self) -> Path:
        return self.home / "experiments.db"

    @property
    def templates(self) -> Path:
        return self.home / "templates"

    @property
    def memory(self) -> Path:
        return self.home / "memory.db"

    @property
    def cache(self) -> Path:
        """What is compiled once; it can be deleted at any time."""
        return self.home / "cache"


def load() -> Config:
    """The configuration in force: `AFTERGLOW_HOME` (default `~/.afterglow`), its `config.toml`, agents' variables."""
    environ = os.environ
    home, user_home = homes()
    moved = {
        agent: Path(expanduser(environ[name])) / below for name, (agent, below) in MOVED.items() if environ.get(name)
    }
    if "hermes" in moved and moved["hermes"].parent.name == "profiles":  # a profile's home: its siblings count too
        moved["hermes"] = moved["hermes"].parent.parent
    said = _read(home / "config.toml")
    scan, repos, redact, memory = (_table(said, name) for name in ("scan", "repos", "redact", "memory"))
    names = redact.get("names", [])
    if not isinstance(names, list) or not all(isinstance(name, str) and name.strip() for name in names):
        raise ConfigError(f'{home / "config.toml"}: [redact] names must be a list of words, like ["Ada Example"]')
    paths = scan.get("paths", [])
    if not isinstance(paths, list) or not all(isinstance(path, str) and "\0" not in path for path in paths):
        raise ConfigError(f'{home / "config.toml"}: [scan] paths must be a list of folders, like ["~/exports"]')
    if not all(isinstance(name, str) for name in repos.values()):
        raise ConfigError(f'{home / "config.toml"}: [repos] maps names or folders to a name, like cli = "acme/cli"')
    backend = (
        environ.get("AFTERGLOW_MEMORY_BACKEND") or environ.get("HERMES_MEMORY_BACKEND") or memory.get("backend", "")
    )
    if not isinstance(backend, str):
        raise ConfigError(f'{home / "config.toml"}: [memory] backend must be a name, like "local"')
    try:
        hooks = convert(_table(said, "hooks"), Hooks)
    except ValidationError as error:
        raise ConfigError(f"{home / 'config.toml'}: [hooks] {error}") from error
    if hooks.context not in CONTEXT or hooks.deadline_ms < 1:
        raise ConfigError(
            f"{home / 'config.toml'}: [hooks] context is one of {', '.join(CONTEXT)}, deadline_ms is above 0"
        )
    experiment = _table(said, "experiment").get("name", "")
    if not isinstance(experiment, str):
        raise ConfigError(f'{home / "config.toml"}: [experiment] name must be that of a plan, like "daily"')
    aliases = {_expanded(known, user_home): str(name) for known, name in repos.items()}
    return Config(
        home=home,
        user_home=user_home,
        moved=moved,
        paths=tuple(Path(_expanded(path, user_home)) for path in paths),
        aliases=aliases,
        names=tuple(names),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        memory_backend=backend.strip().lower(),
        honcho=Honcho(*(environ.get(f"HONCHO_{name}", "") for name in ("API_KEY", "URL", "WORKSPACE_ID"))),
        hooks=hooks,
        experiment=experiment.strip(),
    )


def homes() -> tuple[Path, Path]:
    """Where afterglow keeps its files, and where its user lives; known even if the config file cannot be read."""
    user_home = Path(os.environ.get("HOME") or Path.home())
    return Path(expanduser(os.environ.get("AFTERGLOW_HOME") or user_home / ".afterglow")), user_home


def environment(config: Config) -> dict[str, str]:
    """What a process that is started for this configuration finds: ours, with its homes."""
    return {**os.environ, "AFTERGLOW_HOME": str(config.home), "HOME": str(config.user_home)}


def _read(path: Path) -> dict[str, object]:
    if not path.exists():
        return {}
    if not path.is_file():
        raise ConfigError(f"{path} is not a file")
    import tomllib  # on use: most homes have no such file, and hooks are waited for

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error


def _table(said: dict[str, object], name: str) -> dict[str, object]:
    table = said.get(name, {})
    if not isinstance(table, dict):
        raise ConfigError(f"config.toml: [{name}] must be a table")
    return table


def _expanded(path: str, user_home: Path) -> str:
    return str(user_home / path[2:]) if path.startswith("~/") else path
