"""What is asked of a language model, what it answered, and what that cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

from msgspec import Struct

# stop: it was done; length: cut off at the limit; refusal: it would not answer; filter: somebody else would not let it.
Finish = Literal["stop", "length", "refusal", "filter"]


class Message(Struct, frozen=True):
    role: Literal["system", "user", "assistant"]
    content: str


class Ask(Struct, frozen=True, kw_only=True):
    """One question. `schema` is the JSON schema its answer must fit, `name` what the schema is called; `purpose` says
    in accounts what it was for."""

    messages: tuple[Message, ...]
    purpose: str
    schema: dict[str, Any] | None = None
    name: str = "answer"
    max_tokens: int = 1000


class Usage(Struct, frozen=True):
    """Tokens as the server counted them."""

    input: int = 0
    output: int = 0
    cached_input: int = 0


class Price(Struct, frozen=True):
    """Money for a million tokens. None: not known, so a cap in money cannot be kept and only one in tokens can."""

    input: float | None = None
    output: float | None = None


class Answer(Struct, frozen=True, kw_only=True):
    """`data` is the parsed answer where a schema was given. `cost` is None where the price is not known. An answer from
    the cache cost nothing now."""

    text: str
    finish: Finish
    model: str
    usage: Usage
    cost: float | None
    cached: bool = False
    data: Any = None
    tries: int = 1


class Model(Protocol):
    """Anything that answers. Raises `ModelError` where it does not, `CapReached` where it may not be asked any more."""

    @property
    def name(self) -> str: ...

    def ask(self, ask: Ask) -> Answer: ...

    def ask_all(self, asks: Sequence[Ask]) -> list[Answer | Exception]:
        """Several at once; what went wrong with one stands in its place. After `CapReached` the rest is not asked."""
        ...
