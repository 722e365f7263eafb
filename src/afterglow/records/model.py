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
    """One question. Its answer must be JSON of `answer_type`, if it has one; `name` is what servers are told that this
    is called; `purpose` says in accounts what it was for."""

    messages: tuple[Message, ...]
    purpose: str
    answer_type: type[Any] | None = None
    name: str = "answer"
    max_tokens: int = 1000


class TokenUsage(Struct, frozen=True):
    """Tokens as the server counted them. `estimated`: it did not say all of them, so some are counted by us."""

    input: int = 0
    output: int = 0
    cached_input: int = 0
    estimated: bool = False

    def __add__(self, other: TokenUsage) -> TokenUsage:
        return TokenUsage(
            self.input + other.input,
            self.output + other.output,
            self.cached_input + other.cached_input,
            self.estimated or other.estimated,
        )


class Price(Struct, frozen=True):
    """Money for a million tokens. None: not known, so a cap in money cannot be kept and only one in tokens can.
    What the server had in its own cache costs as much as other input unless said."""

    input: float | None = None
    output: float | None = None
    cached_input: float | None = None

    def cost(self, usage: TokenUsage) -> float | None:
        if self.input is None or self.output is None:
            return None
        again = self.input if self.cached_input is None else self.cached_input
        fresh = usage.input - usage.cached_input
        return (
            fresh * self.input + usage.cached_input * again + usage.output * self.output
        ) / 1_000_000


class Answer(Struct, frozen=True, kw_only=True):
    """`data` is the answer as a value of the type that was asked for. `cost` is None where the price is not known. An
    answer from the cache cost nothing now. `usage` and `cost` are of all `tries` that were paid for."""

    text: str
    finish: Finish
    model: str
    usage: TokenUsage
    cost: float | None
    cached: bool = False
    data: Any = None
    tries: int = 1


class Spent(Struct, frozen=True, kw_only=True):
    """What a model was paid so far, bad answers included. `answers` are those of the server, `cached` those that cost
    nothing. Of `unanswered` requests nobody told us whether they cost anything; they count against caps as
    `unanswered_tokens` and `unanswered_cost`, the most they can have cost."""

    answers: int = 0
    usage: TokenUsage = TokenUsage()
    cost: float | None = 0.0
    cached: int = 0
    unanswered: int = 0
    unanswered_tokens: int = 0
    unanswered_cost: float | None = 0.0

    def since(self, earlier: Spent) -> Spent:
        """What was spent in between."""
        usage, before = self.usage, earlier.usage
        return Spent(
            answers=self.answers - earlier.answers,
            usage=TokenUsage(
                usage.input - before.input,
                usage.output - before.output,
                usage.cached_input - before.cached_input,
                usage.estimated,
            ),
            cost=_difference(self.cost, earlier.cost),
            cached=self.cached - earlier.cached,
            unanswered=self.unanswered - earlier.unanswered,
            unanswered_tokens=self.unanswered_tokens - earlier.unanswered_tokens,
            unanswered_cost=_difference(self.unanswered_cost, earlier.unanswered_cost),
        )


def _difference(cost: float | None, earlier: float | None) -> float | None:
    return None if cost is None or earlier is None else cost - earlier


class Model(Protocol):
    """Anything that answers. Raises `ModelError` where it does not, `CapReached` where it may not be asked any more."""

    @property
    def name(self) -> str: ...

    @property
    def spent(self) -> Spent: ...

    def ask(self, ask: Ask) -> Answer: ...

    def ask_all(self, asks: Sequence[Ask]) -> list[Answer | Exception]:
        """Several at once; what went wrong with one stands in its place. After `CapReached` the rest is not asked, nor
        where it would be hopeless."""
        ...
