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

[model]                          # a language model to harvest with; none unless said
base_url = "http://localhost:11434/v1"
model = "qwen2.5-coder:1.5b"
api_key_env = "MY_MODEL_KEY"     # the variable that holds the key, or api_key_file = "~/.keys/model"; never the key
price = 0                        # or {input = 0.15, output = 0.6}: money for a million tokens
max_tokens = 200_000             # the most a run may take; max_cost in money; max_tokens_day, max_cost_day a day
"""

from __future__ import annotations

import os
import re
from os.path import expanduser
from pathlib import Path
from typing import TextIO

from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace

from afterglow.errors import ConfigError
from afterglow.records.model import Price

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


class ModelSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """A language model, where its key is, what it costs, and the most it may cost. `price` is of every model there,
    `prices` of one by name. Without any cap it is not asked; with `local_only` (or AFTERGLOW_LOCAL_ONLY=1) only if it
    is on this machine."""

    base_url: str = ""
    model: str = ""
    api_key_env: str = ""
    api_key_file: str = ""
    timeout: float = 300.0
    retries: int = 4
    concurrency: int = 4
    local_only: bool = False
    price: float | Price | None = None
    prices: dict[str, float | Price] = {}
    max_tokens: int | None = None
    max_cost: float | None = None
    max_tokens_day: int | None = None
    max_cost_day: float | None = None


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
    model: ModelSettings = ModelSettings()

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
    def spending(self) -> Path:
        return self.home / "spending.db"

    @property
    def cache(self) -> Path:
        """What is compiled once; it can be deleted at any time."""
        return self.home / "cache"


def colour(stream: TextIO) -> bool:
    """Whether this stream is shown in colour: a terminal that can, and nobody said NO_COLOR."""
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not plain


def load() -> Config:
    """The configuration in force: `AFTERGLOW_HOME` (default `~/.afterglow`), its `config.toml`, agents' variables."""
    environ = os.environ
    home, user_home = homes()
    moved = {
        agent: Path(expanduser(environ[name])) / below
        for name, (agent, below) in MOVED.items()
        if environ.get(name)
    }
    if (
        "hermes" in moved and moved["hermes"].parent.name == "profiles"
    ):  # a profile's home: its siblings count too
        moved["hermes"] = moved["hermes"].parent.parent
    said = _read(home / "config.toml")
    scan, repos, redact, memory = (
        _table(said, name) for name in ("scan", "repos", "redact", "memory")
    )
    names = redact.get("names", [])
    if not isinstance(names, list) or not all(
        isinstance(name, str) and name.strip() for name in names
    ):
        raise ConfigError(
            f'{home / "config.toml"}: [redact] names must be a list of words, like ["Ada Example"]'
        )
    paths = scan.get("paths", [])
    if not isinstance(paths, list) or not all(
        isinstance(path, str) and "\0" not in path for path in paths
    ):
        raise ConfigError(
            f'{home / "config.toml"}: [scan] paths must be a list of folders, like ["~/exports"]'
        )
    if not all(isinstance(name, str) for name in repos.values()):
        raise ConfigError(
            f'{home / "config.toml"}: [repos] maps names or folders to a name, like cli = "acme/cli"'
        )
    backend = (
        environ.get("AFTERGLOW_MEMORY_BACKEND")
        or environ.get("HERMES_MEMORY_BACKEND")
        or memory.get("backend", "")
    )
    if not isinstance(backend, str):
        raise ConfigError(
            f'{home / "config.toml"}: [memory] backend must be a name, like "local"'
        )
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
        raise ConfigError(
            f'{home / "config.toml"}: [experiment] name must be that of a plan, like "daily"'
        )
    aliases = {_expanded(known, user_home): str(name) for known, name in repos.items()}
    return Config(
        home=home,
        user_home=user_home,
        moved=moved,
        paths=tuple(Path(_expanded(path, user_home)) for path in paths),
        aliases=aliases,
        names=tuple(names),
        cores=len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count() or 1,
        memory_backend=backend.strip().lower(),
        honcho=Honcho(
            *(
                environ.get(f"HONCHO_{name}", "")
                for name in ("API_KEY", "URL", "WORKSPACE_ID")
            )
        ),
        hooks=hooks,
        experiment=experiment.strip(),
        model=_model(_table(said, "model"), home / "config.toml"),
    )


def homes() -> tuple[Path, Path]:
    """Where afterglow keeps its files, and where its user lives; known even if the config file cannot be read."""
    user_home = Path(os.environ.get("HOME") or Path.home())
    return Path(
        expanduser(os.environ.get("AFTERGLOW_HOME") or user_home / ".afterglow")
    ), user_home


def environment(config: Config) -> dict[str, str]:
    """What a process that is started for this configuration finds: ours, with its homes."""
    return {
        **os.environ,
        "AFTERGLOW_HOME": str(config.home),
        "HOME": str(config.user_home),
    }


def model_key(config: Config) -> str:
    """The model's key, read where config.toml says it is; empty if it says nothing."""
    said, toml = config.model, config.home / "config.toml"
    if said.api_key_env:
        key = os.environ.get(said.api_key_env, "").strip()
        if not key:
            # Its name is not repeated: some write the key itself there.
            raise ConfigError(
                f"{toml}: [model] the variable that api_key_env names is not set; export it"
            )
        return key
    if not said.api_key_file:
        return ""
    path = Path(_expanded(said.api_key_file, config.user_home))
    try:
        key = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not a text"
        raise ConfigError(f"{toml}: [model] api_key_file {path}: {why}") from error
    if not key or len(key.split()) > 1:
        raise ConfigError(
            f"{toml}: [model] api_key_file {path} must hold the key and nothing else"
        )
    return key


def _model(table: dict[str, object], toml: Path) -> ModelSettings:
    if "api_key" in table or "key" in table:
        raise ConfigError(
            f"{toml}: [model] a key does not belong in this file; keep it in a variable and write api_key_env = "
            '"ITS_NAME", or in a file of its own and write api_key_file = "~/.keys/model"'
        )
    try:
        said = convert(table, ModelSettings)
    except ValidationError as error:
        raise ConfigError(f"{toml}: [model] {error}") from error
    if said.api_key_env and not re.fullmatch(
        r"[A-Za-z_][A-Za-z0-9_]{0,63}", said.api_key_env
    ):
        raise ConfigError(
            f'{toml}: [model] api_key_env must be the name of a variable, like "MY_MODEL_KEY"'
        )
    if said.api_key_env and said.api_key_file:
        raise ConfigError(
            f"{toml}: [model] name the key by api_key_env or by api_key_file, not by both"
        )
    if not 0 < said.timeout <= 86_400 or said.retries < 0 or said.concurrency < 1:
        limits = "timeout is above 0 and at most 86400 (seconds), retries 0 or more, concurrency 1 or more"
        raise ConfigError(f"{toml}: [model] {limits}")
    locked = os.environ.get("AFTERGLOW_LOCAL_ONLY", "0") not in {"", "0"}
    return replace(said, local_only=said.local_only or locked)


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
