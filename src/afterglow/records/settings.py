"""Tables of `config.toml` as values; `config` reads them and says what is wrong with a file."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct

from afterglow.records.model import Price

# Tokens of a start context unless said otherwise: each is paid for in every later request of the session, and what
# comes after the first lines is met seldom.
START_TOKENS = 600


# A transcript that an agent has cleaned away (most do after a month) still teaches for so long.
KEEP_GONE_DAYS = 180

ContextMoment = Literal["start", "prompt", "never"]  # when hooks give the context
CONTEXT: tuple[str, ...] = get_args(ContextMoment)


class Hooks(Struct, frozen=True, forbid_unknown_fields=True):
    """What agents' hooks do: when the context is given and how many tokens it may have, whether a failed call is
    answered with what is known about it, whether a person's rules are recalled before a command, how long an agent may
    be kept."""

    context: ContextMoment = "start"
    budget: Annotated[int, Meta(ge=50, le=20_000)] = START_TOKENS
    failures: bool = True
    pretool: bool = False
    deadline_ms: Annotated[int, Meta(ge=1)] = 800
    resident_minutes: Annotated[int, Meta(ge=0)] = 10


class PrivacySettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Of which places nothing is read, and for how many days sessions are kept: after they ended, and after their
    transcripts have gone. 0 keeps them for ever."""

    exclude: tuple[Annotated[str, Meta(pattern=r"\A[^\x00]*\S[^\x00]*\Z")], ...] = ()
    keep_sessions_days: Annotated[int, Meta(ge=0)] = 0
    keep_gone_days: Annotated[int, Meta(ge=0)] = KEEP_GONE_DAYS


class WriteSettings(
    Struct, frozen=True, forbid_unknown_fields=True, rename={"writer": "with"}
):
    """Who writes lessons in the background. `on` is empty until the user was asked. A day's default is twice what a
    project of fifty sessions takes."""

    writer: str = ""
    on: Literal["", "yes", "no"] = ""
    daily_tokens: Annotated[int, Meta(ge=0)] = 50_000

    @property
    def agreed(self) -> bool:
        return self.on == "yes" and bool(self.writer)


class ScanSettings(Struct, frozen=True, forbid_unknown_fields=True):
    paths: tuple[Annotated[str, Meta(pattern=r"\A[^\x00]*\Z")], ...] = ()


class RedactSettings(Struct, frozen=True, forbid_unknown_fields=True):
    names: tuple[Annotated[str, Meta(pattern=r"\S")], ...] = ()


class MemorySettings(Struct, frozen=True, forbid_unknown_fields=True):
    backend: str = ""


# Who changes items by themselves, in their history: no person is called so, or nobody could tell who decided.
HISTORY_PROGRAMS = ("harvest", "check", "import", "sync", "upgrade")
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
    signers: tuple[Annotated[str, Meta(pattern=r"\A\S[^\r\n\x00]*\Z")], ...] = ()


class ExperimentSettings(Struct, frozen=True, forbid_unknown_fields=True):
    name: str = ""


class ModelSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """A language model, where its key is, what it costs, and the most it may cost. `price` is of every model there,
    `prices` of one by name. Without any cap it is not asked; with `local_only` (or AFTERGLOW_LOCAL_ONLY=1) only if it
    is on this machine."""

    base_url: str = ""
    model: str = ""
    api_key_env: str = ""
    api_key_file: str = ""
    timeout: Annotated[float, Meta(gt=0, le=86_400)] = 300.0  # seconds
    retries: Annotated[int, Meta(ge=0)] = 4
    concurrency: Annotated[int, Meta(ge=1)] = 4
    local_only: bool = False
    price: float | Price | None = None
    prices: dict[str, float | Price] = {}
    max_tokens: int | None = None
    max_cost: float | None = None
    max_tokens_day: int | None = None
    max_cost_day: float | None = None
