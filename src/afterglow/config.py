"""The only reader of the environment and of `config.toml`. Everything below takes arguments.

[scan]
paths = ["~/exports"]            # also scanned when no path is given

[repos]                          # which names and folders are one repository
"~/wks/cli" = "acme/cli"
cli = "acme/cli"

[redact]
names = ["Ada Example"]          # further words that must never be kept

[privacy]
exclude = ["~/clients", "acme/*"]  # folders and repositories of which nothing is read
keep_sessions_days = 0           # sessions that ended longer ago are forgotten; 0: none
keep_gone_days = 180             # those whose transcripts have been gone for so long; 0: none

[people]
name = "Ada"                     # who decides here, in the history of items; "person" unless said

[memory]
backend = "local"                # local, honcho or null (nothing is kept); AFTERGLOW_MEMORY_BACKEND goes before it

[hooks]
context = "start"                # or "prompt" (with the first request, which is then weighed), or "never"
budget = 600                     # tokens of that context, at most
failures = true                  # after a call that went wrong, one line with what is known about it
pretool = false                  # a person's rule about the very command an agent is about to run
deadline_ms = 800                # a hook that takes longer answers nothing
resident_minutes = 10            # how long a process stays after the last call, to answer the next at once; 0: none

[experiment]
name = "daily"                   # each new session is assigned to an arm of this plan; none unless said

[write]                          # who writes lessons in the background; nobody unless said
with = "claude"                  # an agent of yours (claude, codex, gemini, hermes), or a model of [model] by name
on = "yes"                       # `afterglow connect` writes it when you agreed; "no" when you did not
daily_tokens = 50_000            # the most that agents may take in a day, in and out

[model]                          # a language model to harvest with; none unless said
base_url = "http://localhost:11434/v1"
model = "qwen2.5-coder:1.5b"
api_key_env = "MY_MODEL_KEY"     # the variable that holds the key, or api_key_file = "~/.keys/model"; never the key
price = 0                        # or {input = 0.15, output = 0.6}: money for a million tokens
max_tokens = 200_000             # the most a run may take; max_cost in money; max_tokens_day, max_cost_day a day

[hub]                            # what is shared with the hub that `afterglow join` named
share = "lessons"                # or "nothing", or "quotes": lessons with the words they rest on
repos = ["acme/*"]               # of which anything is shared; all that you may contribute to unless said
database = "postgresql://admin@db.example/hub"  # for who runs a hub: where it is; AFTERGLOW_HUB_DATABASE goes before it
"""

from __future__ import annotations

import os
import re
from os.path import expanduser
from pathlib import Path
from typing import TextIO

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config_file import ConfigFile, text_of
from afterglow.errors import ConfigError
from afterglow.home_folder import PRIVATE, home_folder, is_private, user_home
from afterglow.records.hub import HubPlace, has_password
from afterglow.records.settings import (
    ExperimentSettings,
    Hooks,
    HubSettings,
    MemorySettings,
    ModelSettings,
    PeopleSettings,
    PrivacySettings,
    RedactSettings,
    ScanSettings,
    WriteSettings,
)

# Where an agent's own variable says its home is: variable -> agent, folder below it that is our root for that agent.
MOVED = {
    "HERMES_HOME": ("hermes", ""),
    "CLAUDE_CONFIG_DIR": ("claude-code", "projects"),
    "CODEX_HOME": ("codex", ""),
    "COPILOT_HOME": ("copilot-cli", ""),
    "PI_CODING_AGENT_DIR": ("pi", "sessions"),
}


class Honcho(Struct, frozen=True):
    """How to reach a Honcho server. What is empty is left to its SDK."""

    key: str = ""
    url: str = ""
    workspace: str = ""

    def __repr__(self) -> str:  # the key must not end up in a log
        return f"Honcho(key={'***' if self.key else ''!r}, url={self.url!r}, workspace={self.workspace!r})"


_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


class Config(Struct, frozen=True):
    """What a person set: where afterglow keeps its files, where agents live, what to scan, how repos are named."""

    home: Path
    user_home: Path
    moved: dict[str, Path] = {}
    paths: tuple[Path, ...] = ()
    aliases: dict[str, str] = {}
    names: tuple[str, ...] = ()
    privacy: PrivacySettings = PrivacySettings()
    private: bool = False  # nothing is told to this session, nothing is kept of it
    cores: int = 1
    memory_backend: str = ""
    person: str = "person"  # who decides here, as history names them
    signers: tuple[str, ...] = ()  # people whose signed commits count as their word
    honcho: Honcho = Honcho()
    hooks: Hooks = Hooks()
    experiment: str = ""  # the standing one, by name
    arm: str = ""  # of it, for every session; empty: each is given its own
    shell: str = ""  # the program of $SHELL
    editor: str = ""  # the command of $VISUAL or $EDITOR
    write: WriteSettings = WriteSettings()
    model: ModelSettings = ModelSettings()
    sharing: HubSettings = HubSettings()
    hub: HubPlace | None = None  # the stores of a team, in the place of those at home

    @property
    def catalog(self) -> Path:
        return self.home / "catalog.db"

    @property
    def knowledge(self) -> Path | HubPlace:
        return self.hub or self.knowledge_file

    @property
    def ledger(self) -> Path | HubPlace:
        return self.hub or self.ledger_file

    @property
    def experiments(self) -> Path | HubPlace:
        return self.hub or self.experiments_file

    @property
    def knowledge_file(self) -> Path:
        """Of this home, whatever store is asked."""
        return self.home / "knowledge.db"

    @property
    def ledger_file(self) -> Path:
        return self.home / "ledger.db"

    @property
    def experiments_file(self) -> Path:
        return self.home / "experiments.db"

    @property
    def membership(self) -> Path:
        """This machine's side of the hub it joined."""
        return self.home / "hub.db"

    @property
    def hub_token(self) -> Path:
        """What proves to that hub who asks."""
        return self.home / "hub-token"

    @property
    def team_knowledge(self) -> Path:
        """What is known here and what the team knows, joined: there while this machine is in a team."""
        return self.home / "team.db"

    @property
    def templates(self) -> Path:
        return self.home / "templates"

    @property
    def memory(self) -> Path:
        return self.home / "memory.db"

    @property
    def answers(self) -> Path:
        """What writers answered: paid for, so no cache."""
        return self.home / "answers"

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


def pager() -> str:
    """The command of $PAGER; `cat` for none."""
    return os.environ.get("AFTERGLOW_PAGER") or os.environ.get("PAGER", "")


def load(home: Path | None = None) -> Config:
    """What is in force: `home`, else `AFTERGLOW_HOME` or `~/.afterglow`; its `config.toml`; agents' variables."""
    usual_home, user_home = homes()
    home = home or usual_home
    return _config(home, user_home, text_of(home / "config.toml"))


def load_anyway() -> Config:
    """The same; where the file cannot be understood, only where everything is: for who mends or saves it."""
    try:
        return load()
    except ConfigError:
        return without_file()


def without_file() -> Config:
    """Only where everything is."""
    home, user_home = homes()
    return Config(home=home, user_home=user_home)


def checked(config: Config, text: str) -> Config:
    """What would be in force if `config.toml` said this. Raises `ConfigError` as `load` would."""
    return _config(config.home, config.user_home, text)


def _config(home: Path, user_home: Path, text: str) -> Config:
    file = ConfigFile(home / "config.toml", text)
    scan = file.table("scan", ScanSettings)
    experiment = file.table("experiment", ExperimentSettings)
    people = file.table("people", PeopleSettings)
    return Config(
        home=home,
        user_home=user_home,
        moved=_moved_homes(),
        paths=tuple(Path(_expanded(path, user_home)) for path in scan.paths),
        aliases={
            _expanded(alias, user_home): name for alias, name in file.repos().items()
        },
        names=file.table("redact", RedactSettings).names,
        privacy=_privacy(file, user_home),
        private=is_private(),
        cores=_cores(),
        memory_backend=_memory_backend(file.table("memory", MemorySettings)),
        person=people.name.strip() or "person",
        signers=people.signers,
        honcho=_honcho(),
        hooks=file.table("hooks", Hooks),
        experiment=experiment.name.strip(),
        arm=experiment.arm.strip(),
        shell=os.environ.get("SHELL", ""),
        editor=os.environ.get("VISUAL") or os.environ.get("EDITOR", ""),
        write=file.table("write", WriteSettings),
        model=_model(file),
        sharing=_sharing(file),
    )


def _sharing(file: ConfigFile) -> HubSettings:
    settings = file.table("hub", HubSettings)
    if has_password(settings.database):
        raise file.error(
            "hub",
            "a password does not belong in this file; leave it out of database and keep it in ~/.pgpass",
        )
    return settings


def _privacy(file: ConfigFile, user_home: Path) -> PrivacySettings:
    settings = file.table("privacy", PrivacySettings)
    exclude = tuple(_expanded(entry, user_home) for entry in settings.exclude)
    return replace(settings, exclude=exclude)


def _moved_homes() -> dict[str, Path]:
    moved = {
        agent: Path(expanduser(os.environ[name])) / below
        for name, (agent, below) in MOVED.items()
        if os.environ.get(name)
    }
    hermes = moved.get("hermes")
    if hermes and hermes.parent.name == "profiles":
        moved["hermes"] = hermes.parent.parent  # a profile's siblings count too
    return moved


def _memory_backend(memory: MemorySettings) -> str:
    named = _first_set("AFTERGLOW_MEMORY_BACKEND", "HERMES_MEMORY_BACKEND")
    return (named or memory.backend).strip().lower()


def _first_set(*names: str) -> str:
    """Of variables that mean the same; the older spellings last."""
    values = (os.environ.get(name, "") for name in names)
    return next(filter(None, values), "")


def _honcho() -> Honcho:
    return Honcho(
        key=os.environ.get("HONCHO_API_KEY", ""),
        url=_first_set("HONCHO_URL", "HONCHO_BASE_URL"),
        workspace=_first_set("HONCHO_WORKSPACE_ID", "HONCHO_APP_ID"),
    )


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def homes() -> tuple[Path, Path]:
    """Where afterglow keeps its files, and where its user lives; known even if the config file cannot be read."""
    return Path(home_folder()), Path(user_home())


def environment(config: Config) -> dict[str, str]:
    """What a process that is started for this configuration finds: ours, with its homes."""
    return {
        **os.environ,
        "AFTERGLOW_HOME": str(config.home),
        "HOME": str(config.user_home),
        PRIVATE: "",  # a session's word about itself, not about what is done for others
    }


def hub_database(config: Config) -> str:
    """The address of the database of a hub that is run here; it may hold a password, so it is not kept in `Config`."""
    return _first_set("AFTERGLOW_HUB_DATABASE") or config.sharing.database


def model_key(config: Config) -> str:
    """The model's key, read where config.toml says it is; empty if it says nothing."""
    settings, toml = config.model, config.home / "config.toml"
    if settings.api_key_env:
        key = os.environ.get(settings.api_key_env, "").strip()
        if not key:
            # Its name is not repeated: some write the key itself there.
            raise ConfigError(
                f"{toml}: [model] the variable that api_key_env names is not set; export it"
            )
        return key
    if not settings.api_key_file:
        return ""
    path = Path(_expanded(settings.api_key_file, config.user_home))
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


def _model(file: ConfigFile) -> ModelSettings:
    if file.tables.get("model", {}).keys() & {"api_key", "key"}:
        raise file.error(
            "model",
            "a key does not belong in this file; keep it in a variable and write api_key_env = "
            '"ITS_NAME", or in a file of its own and write api_key_file = "~/.keys/model"',
        )
    settings = file.table("model", ModelSettings)
    if settings.api_key_env and not _VARIABLE.fullmatch(settings.api_key_env):
        raise file.error(
            "model",
            'api_key_env must be the name of a variable, like "MY_MODEL_KEY"',
        )
    if settings.api_key_env and settings.api_key_file:
        raise file.error(
            "model", "name the key by api_key_env or by api_key_file, not by both"
        )
    locked = os.environ.get("AFTERGLOW_LOCAL_ONLY", "0") not in {"", "0"}
    return replace(settings, local_only=settings.local_only or locked)


def _expanded(path: str, user_home: Path) -> str:
    return str(user_home / path[2:]) if path.startswith("~/") else path
