"""Tables of `config.toml` as values; `config` reads them and says what is wrong with a file.

The description of a key is what a person reads beside it, in `afterglow config show` and on the settings page.
"""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct

from afterglow.records.model import Price

# Tokens of a start context unless said otherwise: each is paid for in every later request of the session, and what
# comes after the first lines is met seldom.
START_TOKENS = 600
# The same of a template: as much, so that an experiment compares forms and not lengths.
TEMPLATE_TOKENS = 600


# A transcript that an agent has cleaned away (most do after a month) still teaches for so long.
KEEP_GONE_DAYS = 180

ContextMoment = Literal["start", "prompt", "never"]  # when hooks give the context
CONTEXT: tuple[str, ...] = get_args(ContextMoment)


class Hooks(Struct, frozen=True, forbid_unknown_fields=True):
    """What agents' hooks do: when the context is given and how many tokens it may have, whether a template is given too,
    whether a failed call is answered with what is known about it, whether a person's rules are recalled before a
    command, how long an agent may be kept."""

    context: Annotated[
        ContextMoment,
        Meta(
            description="When a session gets its context: at its start, with the first request, or never."
        ),
    ] = "start"
    budget: Annotated[
        int, Meta(ge=50, le=20_000, description="Tokens of that context, at most.")
    ] = START_TOKENS
    templates: Annotated[
        bool,
        Meta(
            description="Begin also with the template that fits; an experiment's arms say so themselves."
        ),
    ] = False
    template_budget: Annotated[
        int,
        Meta(
            ge=0,
            le=20_000,
            description="Tokens of that template, at most; 0: none, in no arm either.",
        ),
    ] = TEMPLATE_TOKENS
    failures: Annotated[
        bool,
        Meta(
            description="After a call that went wrong, one line with what is known about it."
        ),
    ] = True
    pretool: Annotated[
        bool,
        Meta(
            description="A person's rule about the very command an agent is about to run; connect again to put it in force."
        ),
    ] = False
    deadline_ms: Annotated[
        int,
        Meta(
            ge=1,
            description="Milliseconds; a hook that takes longer answers nothing.",
        ),
    ] = 800
    resident_minutes: Annotated[
        int,
        Meta(
            ge=0,
            description="How long a process stays after the last call, to answer the next at once; 0: none stays.",
        ),
    ] = 10


class PrivacySettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Of which places nothing is read, and for how many days sessions are kept: after they ended, and after their
    transcripts have gone. 0 keeps them for ever."""

    exclude: Annotated[
        tuple[Annotated[str, Meta(pattern=r"\A[^\x00]*\S[^\x00]*\Z")], ...],
        Meta(description="Folders and repositories of which nothing is read."),
    ] = ()
    keep_sessions_days: Annotated[
        int,
        Meta(
            ge=0,
            description="Sessions that ended longer ago are forgotten; 0: none.",
        ),
    ] = 0
    keep_gone_days: Annotated[
        int,
        Meta(
            ge=0,
            description="Sessions whose transcripts have been gone for so many days are forgotten; 0: none.",
        ),
    ] = KEEP_GONE_DAYS


class WriteSettings(
    Struct, frozen=True, forbid_unknown_fields=True, rename={"writer": "with"}
):
    """Who writes lessons in the background. `on` is empty until the user was asked. A day's default is twice what a
    project of fifty sessions takes."""

    writer: Annotated[
        str,
        Meta(
            description="Who writes lessons: an agent of yours (claude, codex, gemini, hermes), or a model of [model]."
        ),
    ] = ""
    on: Annotated[
        Literal["", "yes", "no"],
        Meta(
            description="Whether it may write in the background; empty: you were not asked yet."
        ),
    ] = ""
    daily_tokens: Annotated[
        int,
        Meta(
            ge=0,
            description="The most that agents may take for it in a day, in and out.",
        ),
    ] = 50_000

    @property
    def agreed(self) -> bool:
        return self.on == "yes" and bool(self.writer)


class ScanSettings(Struct, frozen=True, forbid_unknown_fields=True):
    paths: Annotated[
        tuple[Annotated[str, Meta(pattern=r"\A[^\x00]*\Z")], ...],
        Meta(description="Folders that are scanned too when no path is given."),
    ] = ()


class RedactSettings(Struct, frozen=True, forbid_unknown_fields=True):
    names: Annotated[
        tuple[Annotated[str, Meta(pattern=r"\S")], ...],
        Meta(description="Further words that must never be kept, like your name."),
    ] = ()


class MemorySettings(Struct, frozen=True, forbid_unknown_fields=True):
    backend: Annotated[
        str,
        Meta(
            description="Where your preferences are kept: local (a file on this machine), honcho or null (nowhere). "
            "AFTERGLOW_MEMORY_BACKEND goes before it."
        ),
    ] = "local"


# Who changes items by themselves, in their history: no person is called so, or nobody could tell who decided.
HISTORY_PROGRAMS = ("harvest", "check", "import", "sync", "upgrade", "hub")
_PERSON = rf"\A(?!\s*(?i:{'|'.join(HISTORY_PROGRAMS)})\s*\Z)[^\x00-\x1f:]{{0,60}}\Z"


class PeopleSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Who decides here, as the history of items names them; and whose signed commits count as a person's word: lines of
    an allowed_signers file, or `gpg:FINGERPRINT`."""

    name: Annotated[
        str,
        Meta(
            pattern=_PERSON,
            description="Who decides here, as the history of items names them.",
        ),
    ] = ""
    signers: Annotated[
        tuple[Annotated[str, Meta(pattern=r"\A\S[^\r\n\x00]*\Z")], ...],
        Meta(
            description="Whose signed commits count as a person's word: lines of an allowed_signers file, "
            "or gpg:FINGERPRINT."
        ),
    ] = ()


class ExperimentSettings(Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[
        str,
        Meta(
            description="Each new session is assigned to an arm of this plan; empty: none."
        ),
    ] = ""
    arm: Annotated[
        str,
        Meta(
            description="What every session here is given, in the place of an arm drawn for it: for a home made for one run."
        ),
    ] = ""


class ModelSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """A language model, where its key is, what it costs, and the most it may cost. `price` is of every model there,
    `prices` of one by name. Without any cap it is not asked; with `local_only` (or AFTERGLOW_LOCAL_ONLY=1) only if it
    is on this machine."""

    base_url: Annotated[
        str, Meta(description="Where the model answers; empty: no model is asked.")
    ] = ""
    model: Annotated[str, Meta(description="Its name there.")] = ""
    api_key_env: Annotated[
        str, Meta(description="The variable that holds its key; never the key itself.")
    ] = ""
    api_key_file: Annotated[
        str, Meta(description="Or the file that holds the key and nothing else.")
    ] = ""
    timeout: Annotated[
        float, Meta(gt=0, le=86_400, description="Seconds an answer may take.")
    ] = 300.0
    retries: Annotated[
        int, Meta(ge=0, description="How often a failed request is tried again.")
    ] = 4
    concurrency: Annotated[
        int, Meta(ge=1, description="How many requests are under way at once.")
    ] = 4
    local_only: Annotated[
        bool,
        Meta(
            description="Only a model on this machine is asked. AFTERGLOW_LOCAL_ONLY=1 goes before it."
        ),
    ] = False
    price: Annotated[
        float | Price | None,
        Meta(
            description="Money for a million tokens, of every model there: 0, or {input = 0.15, output = 0.6}."
        ),
    ] = None
    prices: Annotated[
        dict[str, float | Price],
        Meta(description='The same of one model by name: {"small" = 0.1}.'),
    ] = {}
    max_tokens: Annotated[
        int | None, Meta(description="Tokens that one run may take, at most.")
    ] = None
    max_cost: Annotated[
        float | None, Meta(description="Money that one run may cost, at most.")
    ] = None
    max_tokens_day: Annotated[
        int | None, Meta(description="Tokens of a day, at most.")
    ] = None
    max_cost_day: Annotated[
        float | None, Meta(description="Money of a day, at most.")
    ] = None


Sharing = Literal["nothing", "lessons", "quotes"]  # what a machine sends to its hub
SHARING: tuple[Sharing, ...] = get_args(Sharing)


class HubSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """What this machine shares with the hub it joined: `afterglow join` says which hub that is."""

    share: Annotated[
        Sharing,
        Meta(
            description="What the hub gets of your sessions: nothing, lessons without quotes, or lessons with quotes."
        ),
    ] = "lessons"
    repos: Annotated[
        tuple[str, ...],
        Meta(
            description='Repositories of which anything is shared, like ["acme/*"]; empty: all that you may contribute to.'
        ),
    ] = ()
    database: Annotated[
        str,
        Meta(
            description="For who runs a hub: the address of its database, without password. "
            "AFTERGLOW_HUB_DATABASE goes before it."
        ),
    ] = ""


# The tables of `config.toml` in the order they are shown. Any key is one of [repos]: it names a repository.
TABLES: dict[str, type[Struct] | None] = {
    "scan": ScanSettings,
    "repos": None,
    "redact": RedactSettings,
    "privacy": PrivacySettings,
    "memory": MemorySettings,
    "people": PeopleSettings,
    "hooks": Hooks,
    "experiment": ExperimentSettings,
    "write": WriteSettings,
    "model": ModelSettings,
    "hub": HubSettings,
}
# What would work, said where a value of the table does not.
EXAMPLES = {
    "scan": 'paths must be a list of folders, like ["~/exports"]',
    "repos": 'it maps names or folders to a name, like cli = "acme/cli"',
    "redact": 'names must be a list of words, like ["Ada Example"]',
    "privacy": 'exclude must be a list of folders and repositories, like ["~/clients", "acme/*"], '
    "keep_sessions_days and keep_gone_days numbers of days, 0 for ever",
    "memory": 'backend must be a name, like "local"',
    "people": 'name must be a short name like "Ada", without a colon and no program of the history '
    f"({', '.join(HISTORY_PROGRAMS)}), "
    'signers a list, like ["ana@example.org ssh-ed25519 AAAA..."]',
    "hooks": f"context is one of {', '.join(CONTEXT)}, budget from 50 to 20000, template_budget "
    "from 0 to 20000, templates, failures and pretool true or false, deadline_ms above 0, resident_minutes 0 or more",
    "experiment": 'name must be that of a plan, like "daily"',
    "write": 'with is a name like "claude", on is "yes" or "no", daily_tokens 0 or more',
    "hub": f"share is one of {', '.join(SHARING)}, repos a list of names or patterns, like "
    '["acme/harbor", "acme/*"], database an address like "postgresql://admin@db.example/hub"',
    "model": "timeout is above 0 and at most 86400 (seconds), retries 0 or more, concurrency 1 or more",
}
