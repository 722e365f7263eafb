"""Many at once, and after a kill: what is reported is what the server told, and no cap is exceeded."""

from __future__ import annotations

import subprocess
import sys
from threading import Barrier, Event

import pytest

from afterglow.errors import CapReached
from afterglow.llm import Caps, Endpoint, open_model
from afterglow.records.model import Answer, Ask, Message, Price, TokenUsage
from afterglow.store.spending import Spending
from llm.model_http import completion, failure, serving

MANY = Caps(max_tokens=1_000_000)


def asks(count: int, **fields) -> list[Ask]:
    return [
        Ask(messages=(Message("user", f"question {n}"),), purpose="test", **fields)
        for n in range(count)
    ]


def words(request) -> str:
    return request["messages"][0]["content"]


def test_eight_at_once_and_the_sum_is_exact(tmp_path):
    together = Barrier(8)

    def answer(request):
        number = int(words(request).split()[1])
        if number < 8:
            together.wait(
                30
            )  # only if eight are asked at the same time does anybody get an answer
        return completion(f"answer {number}", usage=(1000 + number, number))

    with serving(answer) as here:
        endpoint = Endpoint(
            base_url=here.url, model="small", concurrency=8, price=Price(3.0, 7.0)
        )
        account = Spending(tmp_path / "spending.db")
        with open_model(endpoint, caps=MANY, account=account) as model:
            answers = model.ask_all(asks(64))
        assert [one.text for one in answers] == [f"answer {n}" for n in range(64)]
        usage = TokenUsage(here.input, here.output)
    assert usage == model.spent.usage == TokenUsage(64_000 + 2016, 2016)
    assert (
        model.spent.cost
        == Price(3.0, 7.0).cost(usage)
        == pytest.approx(sum(one.cost for one in answers))
    )
    (day,) = account.days()
    assert (day.requests, day.held, day.tokens) == (64, 0, usage.input + usage.output)
    assert day.cost == pytest.approx(model.spent.cost)


def test_failures_and_bad_answers_in_between_do_not_spoil_the_sum(tmp_path):
    seen: dict[str, int] = {}

    def answer(request):
        said = words(request).split("\n")[0]
        seen[said] = seen.get(said, 0) + 1
        number = int(said.split()[1])
        if seen[said] == 1 and number % 3 == 1:
            return failure(503)
        if seen[said] == 1 and number % 3 == 2:
            return completion("no idea", usage=(50 + number, 3))
        return completion('{"n": 1}', usage=(70 + number, 5))

    with serving(answer) as here:
        endpoint = Endpoint(
            base_url=here.url, model="small", concurrency=6, price=Price(3.0, 7.0)
        )
        account = Spending(tmp_path / "spending.db")
        with open_model(
            endpoint, caps=MANY, account=account, pause=lambda _: None
        ) as model:
            answers = model.ask_all(asks(30, answer_type=dict[str, int]))
        assert all(isinstance(one, Answer) for one in answers)
        assert (
            model.spent.usage
            == TokenUsage(here.input, here.output)
            == sum((one.usage for one in answers), TokenUsage())
        )
        assert account.days()[0].tokens == here.input + here.output


def test_eight_at_once_do_not_exceed_the_cap_and_use_it_well():
    with serving(lambda _: completion("yes", usage=(20, 80))) as here:
        endpoint = Endpoint(base_url=here.url, model="small", concurrency=8)
        with open_model(endpoint, caps=Caps(max_tokens=1000)) as model:
            answers = model.ask_all(asks(40, max_tokens=80))
        done = sum(isinstance(one, Answer) for one in answers)
        assert (
            here.input + here.output
            == model.spent.usage.input + model.spent.usage.output
            <= 1000
        )
        assert (
            done == len(here.requests) == 9
        )  # the tenth might have taken more than what was left
        assert all(
            isinstance(one, CapReached)
            for one in answers
            if not isinstance(one, Answer)
        )


def test_a_killed_run_is_resumed_for_free(tmp_path):
    reached, go_on = Event(), Event()
    first_time = [True]

    def answer(request):
        if words(request) == "question 3" and first_time[0]:
            reached.set()
            go_on.wait(30)
        return completion(words(request).replace("question", "answer"), usage=(10, 5))

    script = """
import sys
from pathlib import Path
from afterglow.llm import Caps, Endpoint, open_model
from afterglow.records.model import Ask, Message
from afterglow.store.spending import Spending

model = open_model(
    Endpoint(base_url=sys.argv[1], model="small", concurrency=1), caps=Caps(max_tokens=100_000),
    cache=Path(sys.argv[2]) / "cache", account=Spending(Path(sys.argv[2]) / "spending.db"),
)
model.ask_all([Ask(messages=(Message("user", f"question {n}"),), purpose="test") for n in range(6)])
"""
    with serving(answer) as here:
        run = subprocess.Popen([sys.executable, "-c", script, here.url, str(tmp_path)])
        assert reached.wait(60)
        run.kill()
        run.wait()
        first_time[0] = False
        go_on.set()
        account = Spending(tmp_path / "spending.db")
        (day,) = account.days()
        assert (day.requests, day.held) == (
            4,
            1,
        ) and day.tokens > 3 * 15 + 1000  # the one nobody knows of, at its most
        here.requests.clear()
        endpoint = Endpoint(base_url=here.url, model="small", concurrency=1)
        with open_model(
            endpoint, caps=MANY, cache=tmp_path / "cache", account=account
        ) as model:
            answers = model.ask_all(asks(6))
            assert [one.text for one in answers] == [f"answer {n}" for n in range(6)]
            assert [words(request) for request in here.requests] == [
                "question 3",
                "question 4",
                "question 5",
            ]
            assert model.spent.usage == TokenUsage(30, 15) and model.spent.cached == 3
            model.ask_all(asks(6))
        assert len(here.requests) == 3


def test_the_cap_of_the_day_counts_what_others_spent(tmp_path):
    account = Spending(tmp_path / "spending.db")
    with serving(lambda _: completion("yes", usage=(20, 80))) as here:
        endpoint = Endpoint(base_url=here.url, model="small", concurrency=4)
        for expected in (9, 0):
            with open_model(
                endpoint, caps=Caps(max_tokens_day=1000), account=account
            ) as model:
                answers = model.ask_all(asks(20, max_tokens=80))
            assert sum(isinstance(one, Answer) for one in answers) == expected
        assert "cap of the day" in str(answers[0]) and here.input + here.output == 900
