"""What is set aside, what is booked, and what a dry run may cost."""

from __future__ import annotations

from threading import Thread

import pytest

from afterglow.errors import CapReached, ConfigError, StoreError
from afterglow.llm import Caps, worst_case
from afterglow.llm.budget import Budget
from afterglow.records.model import Ask, Message, Price, TokenUsage
from afterglow.text.tokens import estimate


def test_what_does_not_fit_waits_for_what_is_under_way():
    budget = Budget(Caps(max_tokens=100), Price())
    first = budget.hold(TokenUsage(10, 80), "test")
    order: list[str] = []

    def second() -> None:
        budget.hold(TokenUsage(10, 60), "test")
        order.append("held")

    waiting = Thread(target=second)
    waiting.start()
    order.append("paid")
    budget.pay(first, TokenUsage(10, 5))
    waiting.join(30)
    assert order == ["paid", "held"]


def test_what_never_fits_is_refused_at_once():
    budget = Budget(Caps(max_tokens=100), Price(1.0, 1.0))
    with pytest.raises(CapReached, match="100 tokens") as raised:
        budget.hold(TokenUsage(90, 20), "test")
    assert "110 tokens" in str(raised.value)


def test_a_server_that_takes_more_than_was_set_aside_is_booked_as_it_is_and_then_stopped():
    budget = Budget(Caps(max_tokens=100), Price())
    budget.pay(budget.hold(TokenUsage(10, 20), "test"), TokenUsage(10, 500))
    assert budget.spent.usage == TokenUsage(10, 500)
    with pytest.raises(CapReached):
        budget.hold(TokenUsage(1, 0), "test")


def test_a_cap_in_money_needs_a_price():
    for caps in (Caps(max_cost=1.0), Caps(max_cost_day=1.0)):
        with pytest.raises(ConfigError, match=r"price.*--max-tokens"):
            Budget(caps, Price(1.0), None, model="m")


def test_a_cap_of_the_day_needs_an_account():
    with pytest.raises(ConfigError, match="account"):
        Budget(Caps(max_tokens_day=5), Price())


def test_an_answer_is_not_lost_because_its_cost_cannot_be_noted():
    class Full:
        def hold(self, tokens, cost, caps, *, model, purpose):
            return 1

        def book(self, ticket, usage, cost):
            raise StoreError("the disk is full")

        drop = book

    budget = Budget(Caps(max_tokens=100), Price(), Full())
    budget.pay(budget.hold(TokenUsage(1, 1), "test"), TokenUsage(1, 1))
    assert budget.spent.usage == TokenUsage(1, 1)


def test_the_worst_case_is_counted_from_above():
    words = "how many invented boats are in the harbour? " * 50
    asks = [
        Ask(
            messages=(Message("user", words),),
            purpose="test",
            max_tokens=300,
            answer_type=int,
        )
    ] * 2
    usage, cost = worst_case(asks, Price(1.0, 2.0))
    assert usage.input > 2 * estimate(words) and usage.output == 600
    assert cost == pytest.approx((usage.input + 1200) / 1e6)
    assert worst_case(asks)[1] is None
