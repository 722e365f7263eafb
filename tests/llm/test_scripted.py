"""The fake that ships: it answers from a script by the same code as a real model."""

from __future__ import annotations

import pytest
from msgspec import Struct

from afterglow.errors import CapReached, ModelError, UsageError
from afterglow.llm import FAILURES, Caps, Reply, ScriptedModel, Trouble
from afterglow.records.model import Answer, Ask, Message, Price, TokenUsage


class Lessons(Struct):
    lessons: list[int | str]


NOTHING = {"lessons": []}


def ask(words: str = "what was learned?", **fields) -> Ask:
    return Ask(
        **{
            "messages": (Message("user", words),),
            "purpose": "test",
            "answer_type": Lessons,
            **fields,
        }
    )


def test_answers_come_in_order_and_asks_are_noted():
    model = ScriptedModel([NOTHING, "words", '{"lessons": [1]}'])
    assert model.ask(ask()).data == Lessons([])
    assert model.ask(ask(answer_type=None)).text == "words"
    assert model.ask(ask("again")).data == Lessons([1])
    assert [one.messages[0].content for one in model.asks] == [
        "what was learned?",
        "what was learned?",
        "again",
    ]
    assert model.asks[0].purpose == "test" and model.name == "scripted"


def test_a_function_answers_what_it_is_asked():
    model = ScriptedModel(
        lambda asked: {"lessons": [asked.messages[0].content]}, concurrency=8
    )
    answers = model.ask_all([ask(f"question {n}") for n in range(40)])
    assert [answer.data.lessons for answer in answers] == [
        [f"question {n}"] for n in range(40)
    ]


def test_a_script_that_is_over_says_so():
    with pytest.raises(ModelError, match="no further answer"):
        ScriptedModel([]).ask(ask())


@pytest.mark.parametrize("kind", sorted(FAILURES))
def test_every_failure_can_be_scripted_and_has_its_name(kind):
    failure = FAILURES[kind]
    with pytest.raises(ModelError) as raised:
        ScriptedModel(lambda _: failure).ask(ask())
    assert raised.value.kind == kind


@pytest.mark.parametrize(
    "kind", sorted(set(FAILURES) - {"filtered", "not let in", "unknown model"})
)
def test_what_goes_wrong_once_does_not_cost_the_answer(kind):
    model = ScriptedModel([FAILURES[kind], NOTHING])
    answer = model.ask(ask())
    assert answer.data == Lessons([])
    assert answer.usage == model.spent.usage


def test_one_failure_stands_in_its_place_and_the_others_are_answered():
    def answer(asked: Ask):
        return FAILURES["filtered"] if "bad" in asked.messages[0].content else NOTHING

    answers = ScriptedModel(answer, concurrency=3).ask_all(
        [ask(words) for words in ("a", "bad", "c")]
    )
    assert [type(one) for one in answers] == [Answer, ModelError, Answer]


def test_equal_asks_are_asked_and_paid_once():
    model = ScriptedModel(lambda _: NOTHING, price=Price(1.0, 1.0), concurrency=4)
    answers = model.ask_all([ask(), ask("other"), ask(purpose="another"), ask()])
    assert len(model.asks) == 2
    assert [answer.cached for answer in answers] == [False, False, True, True]
    assert sum(answer.cost for answer in answers) == pytest.approx(model.spent.cost)


def test_without_a_cap_nothing_is_asked():
    model = ScriptedModel([NOTHING], caps=Caps())
    with pytest.raises(CapReached, match="--max-tokens"):
        model.ask(ask())
    assert model.asks == []


def test_the_cap_stops_in_the_middle_and_what_is_done_is_kept():
    reply = Reply(text='{"lessons": []}', usage=TokenUsage(80, 20))
    model = ScriptedModel(lambda _: reply, caps=Caps(max_tokens=1000))
    answers = model.ask_all([ask(str(n), max_tokens=200) for n in range(20)])
    done = [one for one in answers if isinstance(one, Answer)]
    assert 5 < len(done) < 9 and answers[: len(done)] == done
    assert all(isinstance(one, CapReached) for one in answers[len(done) :])
    assert "1000 tokens" in str(answers[-1]) and len(model.asks) == len(done)
    assert model.spent.usage == TokenUsage(80 * len(done), 20 * len(done))


def test_a_cap_in_money_counts_both_ways():
    reply = Reply(text='{"lessons": []}', usage=TokenUsage(80, 20))
    model = ScriptedModel(
        lambda _: reply, price=Price(1.0, 5.0), caps=Caps(max_cost=0.002)
    )
    answers = model.ask_all([ask(str(n), max_tokens=200) for n in range(20)])
    assert 0 < sum(isinstance(one, Answer) for one in answers) < 11
    assert (
        model.spent.cost == pytest.approx(180e-6 * model.spent.answers)
        and model.spent.cost <= 0.002
    )


def test_a_cap_of_nothing_allows_what_is_free():
    asked = ask()
    assert (
        ScriptedModel([NOTHING], price=Price(0, 0), caps=Caps(max_cost=0))
        .ask(asked)
        .cost
        == 0
    )
    with pytest.raises(CapReached):
        ScriptedModel([NOTHING], price=Price(1, 1), caps=Caps(max_cost=0)).ask(asked)


def test_what_the_cache_has_is_answered_though_the_cap_is_reached(tmp_path):
    asks = [ask(str(n)) for n in range(4)]
    first = ScriptedModel(lambda _: NOTHING, cache=tmp_path)
    first.ask_all([asks[3]])
    second = ScriptedModel(lambda _: NOTHING, cache=tmp_path, caps=Caps(max_tokens=10))
    answers = second.ask_all(asks)
    assert [isinstance(one, Answer) for one in answers] == [False, False, False, True]
    assert answers[3].cached and answers[3].cost == 0 and second.spent.cached == 1


def test_a_repair_that_the_cap_does_not_allow_leaves_the_first_failure():
    bad = Reply(text="no", usage=TokenUsage(900, 50))
    with pytest.raises(ModelError) as raised:
        ScriptedModel(lambda _: bad, caps=Caps(max_tokens=1500)).ask(ask())
    assert raised.value.kind == "bad json" and not isinstance(raised.value, CapReached)


def test_a_request_whose_end_nobody_knows_counts_against_the_cap():
    lost = Trouble("no answer in time", kind="timeout", maybe_paid=True)
    model = ScriptedModel(lambda _: lost, caps=Caps(max_tokens=2500))
    answers = model.ask_all([ask(str(n)) for n in range(5)])
    assert [one.kind for one in answers] == [
        "timeout",
        "timeout",
        "cap reached",
        "cap reached",
        "cap reached",
    ]
    assert model.spent.unanswered == 2 and model.spent.usage == TokenUsage()


def test_a_tokenizer_that_needs_more_is_learned_of_so_that_later_requests_set_enough_aside():
    words = "word " * 400
    greedy = Reply(text='{"lessons": []}', usage=TokenUsage(1500, 10))
    model = ScriptedModel(lambda _: greedy, caps=Caps(max_tokens=4000))
    answers = model.ask_all([ask(f"{words} {n}", max_tokens=100) for n in range(5)])
    assert sum(isinstance(one, Answer) for one in answers) == 2
    assert model.spent.usage.input <= 4000


def test_pauses_are_noted_and_not_slept():
    model = ScriptedModel([FAILURES["rate limit"], FAILURES["server"], NOTHING])
    model.ask(ask())
    assert len(model.pauses) == 2 and model.pauses[0] == 0.0


@pytest.mark.parametrize("kind", ["not let in", "unknown model", "unreachable"])
def test_what_is_hopeless_is_not_tried_a_thousand_times(kind):
    model = ScriptedModel(lambda _: FAILURES[kind], retries=2)
    answers = model.ask_all([ask(str(n)) for n in range(50)])
    assert (
        len(model.asks) <= 3
        and [one.kind for one in answers] == [kind] + ["not asked"] * 49
    )
    assert str(FAILURES[kind]) in str(answers[-1])


def test_a_server_that_answers_nobody_is_given_up_after_a_few():
    model = ScriptedModel(lambda _: FAILURES["rate limit"], retries=1)
    answers = model.ask_all([ask(str(n)) for n in range(20)])
    assert [one.kind for one in answers] == ["rate limit"] * 5 + ["not asked"] * 15


def test_bad_answers_are_no_reason_to_stop():
    model = ScriptedModel(lambda _: FAILURES["wrong shape"])
    answers = model.ask_all([ask(str(n)) for n in range(20)])
    assert [one.kind for one in answers] == ["wrong shape"] * 20


def test_a_run_that_is_broken_off_begins_nothing_more_and_keeps_what_is_done(tmp_path):
    def answer(asked: Ask):
        if asked.messages[0].content == "2":
            raise KeyboardInterrupt
        return NOTHING

    asks = [ask(str(n)) for n in range(9)]
    model = ScriptedModel(answer, cache=tmp_path)
    with pytest.raises(KeyboardInterrupt):
        model.ask_all(asks)
    assert model.spent.answers >= 2 and model.spent.unanswered == 1
    later = ScriptedModel(lambda _: NOTHING, cache=tmp_path)
    later.ask_all(asks)
    assert later.spent.cached == model.spent.answers


@pytest.mark.parametrize("wrong", [{"messages": ()}, {"max_tokens": 0}])
def test_an_ask_that_says_nothing_is_refused(wrong):
    with pytest.raises(UsageError, match="needs a message"):
        ScriptedModel([NOTHING]).ask(ask(**wrong))
