"""Tables of `config.toml` as values; `config` reads them and says what is wrong with a file."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

# Tokens of a start context unless said otherwise: each is paid for in every later request of the session, and what
# comes after the first lines is met seldom.
START_TOKENS = 600


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


class PeopleSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Whose signed commits count as a person's word: lines of an allowed_signers file, or `gpg:FINGERPRINT`."""

    signers: tuple[Annotated[str, Meta(pattern=r"\A\S[^\r\n\x00]*\Z")], ...] = ()


class ExperimentSettings(Struct, frozen=True, forbid_unknown_fields=True):
    name: str = ""
