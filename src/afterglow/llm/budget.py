"""The spend cap: before a request the most it can cost is set aside, afterwards what it did cost is booked.

So no number of threads or processes together spends more than was allowed. A request that does not fit waits while
others are under way, for they mostly cost less than was set aside; if none is, the cap is reached. What a killed
process had set aside stays counted for that day, since nobody knows whether it was spent.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from math import inf
from threading import Condition
from typing import Any, Protocol

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from afterglow.errors import CapReached, ConfigError, StoreError
from afterglow.llm.schema import json_schema
from afterglow.records.model import Ask, Message, Price, Spent, TokenUsage
from afterglow.text.tokens import estimate

SAFETY = 1.25  # other tokenizers may need more than the one our estimate stays above; raised where one does
UNPRICED = Price()
AROUND = 16  # tokens a chat template puts around a message

NO_CAP = (
    "no cap is set, so no model is asked: set one with --max-tokens or --max-cost, or in config.toml under [model] "
    "max_tokens, max_cost, max_tokens_day or max_cost_day"
)


class Caps(Struct, frozen=True, kw_only=True):
    """The most that may be spent in a run and on a day (UTC). None is no cap of that kind; with none of any kind
    nothing is asked. 0 is a cap like any other: then nothing that costs is asked."""

    max_tokens: int | None = None
    max_cost: float | None = None
    max_tokens_day: int | None = None
    max_cost_day: float | None = None

    @property
    def set(self) -> bool:
        return any(
            cap is not None
            for cap in (
                self.max_tokens,
                self.max_cost,
                self.max_tokens_day,
                self.max_cost_day,
            )
        )


class Account(Protocol):
    """What is spent by all processes of a day. `hold` answers None where it does not fit into the caps."""

    def hold(
        self, tokens: int, cost: float | None, caps: Caps, *, model: str, purpose: str
    ) -> int | None: ...

    def book(self, ticket: int, usage: TokenUsage, cost: float | None) -> None: ...

    def drop(self, ticket: int) -> None: ...


class Hold(Struct, frozen=True):
    tokens: int
    cost: float | None
    ticket: int | None


class Budget:
    """Safe for many threads."""

    def __init__(
        self,
        caps: Caps,
        price: Price,
        account: Account | None = None,
        *,
        model: str = "",
    ) -> None:
        _check(caps, price, model)
        if account is None and _caps_of_day(caps):
            raise ConfigError("a cap for the day needs an account of the day")
        self.caps, self.price, self._account, self._model = caps, price, account, model
        self._changed = Condition()
        self._flying: list[Hold] = []
        self._spent = Spent(
            cost=price.cost(TokenUsage()), unanswered_cost=price.cost(TokenUsage())
        )

    @property
    def spent(self) -> Spent:
        with self._changed:
            return self._spent

    def hold(self, most: TokenUsage, purpose: str) -> Hold:
        """Sets aside the most a request can cost. Raises `CapReached`."""
        if not self.caps.set:
            raise CapReached(NO_CAP, kind="no cap")
        tokens, cost = most.input + most.output, self.price.cost(most)
        with self._changed:
            while True:
                reason, ticket = self._over(tokens, cost), None
                if not reason and self._account:
                    ticket = self._account.hold(
                        tokens, cost, self.caps, model=self._model, purpose=purpose
                    )
                    reason = (
                        ""
                        if ticket is not None
                        else f"the cap of the day is reached ({_caps_of_day(self.caps)})"
                    )
                if not reason:
                    held = Hold(tokens, cost, ticket)
                    self._flying.append(held)
                    return held
                if not self._flying:
                    needs = f"the next request may take {tokens} tokens{'' if not cost else f' ({cost:.4g})'}"
                    raise CapReached(
                        f"{reason}; {needs}; what is done is kept", kind="cap reached"
                    )
                self._changed.wait()

    def pay(self, held: Hold, usage: TokenUsage) -> None:
        """The request was answered, well or badly."""
        with self._changed:
            total = self._spent.usage + usage
            self._land(
                held,
                answers=self._spent.answers + 1,
                usage=total,
                cost=self.price.cost(total),
            )
            if self._account and held.ticket is not None:
                with suppress(
                    StoreError
                ):  # the answer is worth more than the note; what was set aside stays counted
                    self._account.book(held.ticket, usage, self.price.cost(usage))

    def drop(self, held: Hold) -> None:
        """The request cost nothing."""
        with self._changed:
            self._land(held)
            if self._account and held.ticket is not None:
                with suppress(StoreError):
                    self._account.drop(held.ticket)

    def lose(self, held: Hold) -> None:
        """Nobody knows what the request cost: the most it can have cost stays counted."""
        with self._changed:
            spent = self._spent
            cost = (
                None
                if spent.unanswered_cost is None
                else spent.unanswered_cost + (held.cost or 0.0)
            )
            tokens = spent.unanswered_tokens + held.tokens
            self._land(
                held,
                unanswered=spent.unanswered + 1,
                unanswered_tokens=tokens,
                unanswered_cost=cost,
            )

    def found(self) -> None:
        """An answer was in the cache."""
        with self._changed:
            self._spent = replace(self._spent, cached=self._spent.cached + 1)

    def _land(self, held: Hold, **now: Any) -> None:
        self._flying.remove(held)
        self._spent = replace(self._spent, **now)
        self._changed.notify_all()

    def _over(self, tokens: int, cost: float | None) -> str:
        spent, caps = self._spent, self.caps
        used = spent.usage.input + spent.usage.output + spent.unanswered_tokens
        paid = (spent.cost or 0.0) + (spent.unanswered_cost or 0.0)
        tokens_aside, cost_aside = 0, 0.0
        for held in self._flying:
            tokens_aside += held.tokens
            cost_aside += held.cost or 0.0
        tokens_after = used + tokens_aside + tokens
        paid_after = paid + cost_aside + (cost or 0.0)
        if caps.max_tokens is not None and tokens_after > caps.max_tokens:
            tokens_left = max(caps.max_tokens - used - tokens_aside, 0)
            return f"of the cap of {caps.max_tokens} tokens {tokens_left} are left"
        if caps.max_cost is not None and paid_after > caps.max_cost:
            money_left = max(caps.max_cost - paid - cost_aside, 0.0)
            return f"of the cap of {caps.max_cost:g} {money_left:.4g} is left"
        return ""


def _check(caps: Caps, price: Price, model: str) -> None:
    """Raises `ConfigError` where a cap could not be kept."""
    capped_in_money = caps.max_cost is not None or caps.max_cost_day is not None
    if capped_in_money and price.cost(TokenUsage()) is None:
        raise ConfigError(
            f"a cap in money needs a price, and that of {model or 'the model'} is not known: set [model] price (0 "
            "for a server of your own), or cap tokens instead (--max-tokens)"
        )
    prices = (price.input, price.output, price.cached_input)
    if not all(0 <= (amount or 0) < inf for amount in prices):
        raise ConfigError("a price is 0 or more")
    limits = (caps.max_tokens, caps.max_cost, caps.max_tokens_day, caps.max_cost_day)
    if not all(limit is None or limit >= 0 for limit in limits):
        raise ConfigError("a cap is 0 or more")


def worst_case(
    asks: Iterable[Ask], price: Price = UNPRICED
) -> tuple[TokenUsage, float | None]:
    """The most that asks can take if each is answered at once, in tokens and in money."""
    total = TokenUsage()
    for ask in asks:
        schema = json_schema(ask.answer_type) if ask.answer_type else None
        counted = count_input(ask.messages, schema)
        total += TokenUsage(int(counted * SAFETY) + 1, ask.max_tokens)
    return total, price.cost(total)


def count_input(messages: Iterable[Message], schema: dict[str, Any] | None) -> int:
    """Tokens of a request as we count them, from above. A schema may go into the prompt, by us or by the server."""
    texts = [message.content for message in messages]
    shape = (
        estimate(msgspec.json.encode(schema).decode()) + AROUND
        if schema is not None
        else 0
    )
    return sum(estimate(text) + AROUND for text in texts) + shape


def _caps_of_day(caps: Caps) -> str:
    tokens = "" if caps.max_tokens_day is None else f"{caps.max_tokens_day} tokens"
    money = "" if caps.max_cost_day is None else f"{caps.max_cost_day:g}"
    return " or ".join(filter(None, (tokens, money)))
