"""The real SDK against a server the test starts: what it is sent, and everything it may do wrong."""

from __future__ import annotations

from threading import Event

import pytest
from msgspec import Struct

from afterglow.errors import ModelError
from afterglow.llm import Caps, Endpoint, client, open_model, server
from afterglow.records.model import Ask, Message, Price, TokenUsage
from afterglow.store.spending import Spending
from llm.model_http import BROKEN_OFF, Said, completion, failure, in_order, serving

SCHEMA = {
    "type": "object",
    "properties": {"count": {"type": "integer"}},
    "required": ["count"],
    "additionalProperties": False,
}


class Count(Struct, forbid_unknown_fields=True):
    count: int


GOOD = completion('{"count": 3}')
KEY = "invented-key-0123456789"


CAPS = Caps(max_tokens=1_000_000)


def ask(words: str = "how many?", **fields) -> Ask:
    return Ask(
        **{
            "messages": (Message("user", words),),
            "purpose": "test",
            "answer_type": Count,
            **fields,
        }
    )


@pytest.fixture
def opened(tmp_path):
    """Opens a model at a server that answers as the function says."""
    from contextlib import ExitStack

    with ExitStack() as stack:

        def opened(
            answer,
            *,
            caps=CAPS,
            cache=None,
            account=None,
            **fields,
        ):
            here = stack.enter_context(serving(answer))
            pauses: list[float] = []
            endpoint = Endpoint(
                **{"base_url": here.url, "model": "small", "key": KEY, **fields}
            )
            model = open_model(
                endpoint, caps=caps, cache=cache, account=account, pause=pauses.append
            )
            stack.callback(model.close)
            return model, here, pauses

        yield opened


def kind_of(model, asked=None) -> str:
    with pytest.raises(ModelError) as raised:
        model.ask(asked or ask())
    assert KEY not in str(raised.value) and KEY not in repr(raised.value.__dict__)
    assert raised.value.__cause__ is None and (
        raised.value.__suppress_context__ or not raised.value.__context__
    )
    return raised.value.kind


def test_an_answer_that_fits_comes_back_as_data_with_what_it_cost(opened):
    model, here, _ = opened(in_order(GOOD), price=Price(1.0, 10.0))
    answer = model.ask(ask())
    assert answer.data == Count(3) and answer.model == "served" and answer.tries == 1
    assert answer.usage == TokenUsage(100, 20) and answer.cost == pytest.approx(0.0003)
    assert model.spent.usage == TokenUsage(100, 20) and model.spent.cost == answer.cost
    (request,) = here.requests
    assert (
        request["path"] == "/v1/chat/completions"
        and request["model"] == "small"
        and request["temperature"] == 0
    )
    assert request["response_format"]["json_schema"] == {
        "name": "answer",
        "schema": SCHEMA,
        "strict": True,
    }
    assert request["max_tokens"] == 1000


def test_the_key_goes_to_the_server_and_nothing_of_openais_environment_does(
    opened, monkeypatch
):
    for name in (
        "OPENAI_API_KEY",
        "OPENAI_ORG_ID",
        "OPENAI_PROJECT_ID",
        "OPENAI_ADMIN_KEY",
    ):
        monkeypatch.setenv(name, "ambient-value")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "x-extra: ambient-value")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://ambient-value.invalid/v1")
    model, here, _ = opened(in_order(GOOD, GOOD))
    model.ask(ask())
    assert here.headers[0]["authorization"] == f"Bearer {KEY}"
    assert (
        "ambient-value" not in str(here.headers)
        and "x-stainless-os" not in here.headers[0]
    )


def test_a_server_without_keys_gets_none(opened, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "ambient-value")
    model, here, _ = opened(in_order(GOOD), key="")
    model.ask(ask())
    assert "authorization" not in here.headers[0]


def test_without_a_schema_the_words_are_the_answer(opened):
    model, here, _ = opened(in_order(completion("<think>let me see</think>\n\nThree.")))
    answer = model.ask(ask(answer_type=None))
    assert (answer.text, answer.data) == ("Three.", None)
    assert "response_format" not in here.requests[0]


def test_a_server_that_takes_no_schema_is_asked_plainer_and_that_is_remembered(opened):
    def answer(request):
        return (
            failure(400, "response_format is not supported")
            if "response_format" in request
            else GOOD
        )

    model, here, _ = opened(answer)
    assert [model.ask(ask(words)).data for words in ("one", "two")] == [Count(3)] * 2
    kinds = [
        request.get("response_format", {}).get("type") for request in here.requests
    ]
    assert kinds == ["json_schema", "json_schema", "json_object", None, None]
    assert '"count"' in here.requests[-1]["messages"][-1]["content"]
    assert model.spent.answers == 2


def test_a_server_that_calls_an_unknown_schema_its_own_failure_is_asked_plainer_too(
    opened,
):
    def answer(request):
        kind = request.get("response_format", {}).get("type")
        return (
            failure(500, "body.response_format.type: should be json_object")
            if kind == "json_schema"
            else GOOD
        )

    model, _, pauses = opened(answer)
    assert model.ask(ask()).data == Count(3)
    assert pauses == []


def test_json_only_is_good_enough_where_there_are_no_schemas(opened):
    def answer(request):
        return (
            GOOD
            if request["response_format"]["type"] == "json_object"
            else failure(422, "json_schema: unknown")
        )

    model, here, _ = opened(answer)
    assert model.ask(ask()).data == Count(3)
    assert len(here.requests) == 3


def test_a_schema_that_is_too_much_for_strict_servers_is_tried_without_strictness(
    opened,
):
    def answer(request):
        strict = request["response_format"]["json_schema"]["strict"]
        return (
            failure(400, "Invalid schema: 'pattern' is not permitted")
            if strict
            else GOOD
        )

    model, here, _ = opened(answer)
    assert model.ask(ask()).data == Count(3)
    model.ask(ask("another"))
    assert len(here.requests) == 3


def test_a_server_that_ignores_the_schema_gets_it_in_words(opened):
    model, here, _ = opened(in_order(completion("There are three."), GOOD, GOOD))
    assert model.ask(ask()).tries == 2
    model.ask(ask("another"))
    assert "response_format" not in here.requests[1]
    assert '"count"' in here.requests[1]["messages"][-1]["content"]
    assert '"count"' in here.requests[2]["messages"][-1]["content"]


def test_newer_models_get_their_own_word_for_the_limit_and_no_temperature(opened):
    def answer(request):
        if "max_tokens" in request:
            return failure(
                400,
                "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            )
        return (
            failure(400, "Unsupported value: 'temperature'")
            if "temperature" in request
            else GOOD
        )

    model, here, _ = opened(answer)
    assert model.ask(ask()).data == Count(3)
    assert here.requests[-1]["max_completion_tokens"] == 1000
    assert here.requests[-1]["response_format"]["type"] == "json_schema"
    model.ask(ask("another"))
    assert len(here.requests) == 4


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "maximum context length is 4096 tokens"),
        (400, "the request exceeds the available context size"),
        (500, "Requested tokens (5000) exceed context window of 2048"),
        (413, "entity too large"),
    ],
)
def test_a_request_that_is_too_long_is_not_sent_in_other_ways(opened, status, words):
    model, here, _ = opened(lambda _: failure(status, words))
    assert kind_of(model) == "too long"
    assert len(here.requests) == 1 and model.spent.usage == TokenUsage()


def test_a_server_that_rejects_every_way_is_given_up(opened):
    model, here, _ = opened(lambda _: failure(400, "no"))
    assert kind_of(model) == "rejected"
    assert len(here.requests) == 4


@pytest.mark.parametrize(
    ("first", "kind"),
    [
        (completion('{"count": '), "bad json"),
        (completion("nothing of the kind"), "bad json"),
        (completion('{"count": "three"}'), "wrong shape"),
        (completion('{"count": 3, "more": 1}'), "wrong shape"),
        (completion('{"count": ', finish="length"), "cut off"),
        (completion("<think>so many", finish="length"), "cut off"),
        (completion(None, refusal="I will not."), "refusal"),
        (completion(""), "empty"),
        (completion(None), "empty"),
        (completion(17), "empty"),
        (
            Said(
                {
                    "choices": [],
                    "usage": {"prompt_tokens": 100, "completion_tokens": 20},
                }
            ),
            "empty",
        ),
        (
            Said(
                {
                    "choices": None,
                    "usage": {"prompt_tokens": 100, "completion_tokens": 20},
                }
            ),
            "empty",
        ),
        (
            Said(
                {
                    "choices": [{}],
                    "usage": {"prompt_tokens": 100, "completion_tokens": 20},
                }
            ),
            "empty",
        ),
    ],
)
def test_a_bad_answer_is_asked_for_once_more_and_both_are_paid(opened, first, kind):
    model, here, _ = opened(in_order(first, GOOD))
    answer = model.ask(ask())
    assert answer.data == Count(3) and answer.tries == 2
    assert (
        answer.usage
        == model.spent.usage
        == TokenUsage(here.input, here.output)
        == TokenUsage(200, 40)
    )
    worse, there, _ = opened(in_order(first, first, GOOD), model=f"worse at {kind}")
    assert kind_of(worse) == kind
    assert len(there.requests) == 2 and worse.spent.usage == TokenUsage(
        there.input, there.output
    )


def test_what_was_cut_off_gets_more_room(opened):
    model, here, _ = opened(in_order(completion('{"co', finish="length"), GOOD))
    model.ask(ask())
    assert [request["max_tokens"] for request in here.requests] == [1000, 2000]


def test_what_a_content_filter_holds_back_is_not_asked_again(opened):
    model, here, _ = opened(in_order(completion("", finish="content_filter"), GOOD))
    assert kind_of(model) == "filtered"
    assert len(here.requests) == 1 and model.spent.answers == 1


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        "lots",
        {"prompt_tokens": "many"},
        {"prompt_tokens": 9},
        {"prompt_tokens": -1, "completion_tokens": 2},
    ],
)
def test_usage_that_is_not_told_is_counted_here_and_said_so(opened, usage):
    model, _, _ = opened(in_order(completion('{"count": 3}', usage=usage)))
    answer = model.ask(ask())
    assert answer.usage.estimated and answer.usage.input > 5 and answer.usage.output > 2
    assert model.spent.usage == answer.usage


def test_what_the_server_had_cached_has_its_own_price(opened):
    usage = {
        "prompt_tokens": 1000,
        "completion_tokens": 0,
        "prompt_tokens_details": {"cached_tokens": 600},
    }
    model, _, _ = opened(
        in_order(completion('{"count": 3}', usage=usage)), price=Price(10.0, 1.0, 1.0)
    )
    answer = model.ask(ask())
    assert answer.usage.cached_input == 600 and answer.cost == pytest.approx(
        (400 * 10 + 600) / 1e6
    )


def test_too_many_requests_waits_as_long_as_the_server_says(opened):
    model, _, pauses = opened(
        in_order(
            failure(429, retry_after="7"), failure(429, retry_after_ms="1500"), GOOD
        )
    )
    assert model.ask(ask()).data == Count(3)
    assert pauses == [7.0, 1.5] and model.spent.answers == 1


def test_a_date_is_a_time_to_wait_too_and_one_that_is_past_is_none(opened):
    past = "Wed, 21 Oct 2015 07:28:00 GMT"
    model, _, pauses = opened(in_order(failure(429, retry_after=past), GOOD))
    model.ask(ask())
    assert pauses == [0.0]


def test_nobody_waits_an_hour(opened):
    model, here, pauses = opened(lambda _: failure(429, retry_after="3600"))
    assert kind_of(model) == "rate limit"
    assert pauses == [] and len(here.requests) == 1


@pytest.mark.parametrize(
    ("status", "said"),
    [(429, "your quota: insufficient_quota"), (402, "Insufficient Balance")],
)
def test_an_account_without_credit_is_not_asked_again(opened, status, said):
    model, here, _ = opened(lambda _: failure(status, said))
    assert kind_of(model) == "no credit"
    assert len(here.requests) == 1


@pytest.mark.parametrize("status", [500, 502, 503, 529, 408])
def test_a_failing_server_is_tried_again_with_longer_pauses_and_then_given_up(
    opened, status
):
    model, here, pauses = opened(lambda _: failure(status), retries=3)
    assert kind_of(model) == "server"
    assert len(here.requests) == 4 and len(pauses) == 3 and pauses[0] < pauses[2]
    assert model.spent.usage == TokenUsage() and model.spent.unanswered == 0


def test_a_failure_that_is_told_as_a_success_is_a_failure(opened):
    model, _, _ = opened(
        in_order(Said({"error": {"message": "upstream is down"}}), GOOD)
    )
    assert model.ask(ask()).data == Count(3)


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, "not let in"), (403, "not let in"), (404, "unknown model")],
)
def test_what_no_retry_helps_is_told_at_once(opened, status, kind):
    model, here, _ = opened(lambda _: failure(status, f"wrong key {KEY}"))
    assert kind_of(model) == kind
    assert len(here.requests) == 1


def test_a_connection_that_breaks_off_is_tried_again_and_may_have_cost_something(
    opened,
):
    model, here, _ = opened(in_order(BROKEN_OFF, GOOD), price=Price(1.0, 1.0))
    assert model.ask(ask()).data == Count(3)
    spent = model.spent
    assert spent.usage == TokenUsage(here.input, here.output)
    assert (
        spent.unanswered == 1
        and spent.unanswered_tokens > 1000
        and spent.unanswered_cost > 0
    )


def test_a_server_that_is_not_there_costs_nothing(opened):
    model, _, pauses = opened(
        in_order(GOOD), base_url="http://127.0.0.1:9/v1", retries=2
    )
    assert kind_of(model) == "unreachable"
    assert len(pauses) == 2 and model.spent.unanswered == 0


def test_an_answer_that_drips_on_for_ever_ends_with_the_timeout(opened):
    done = Event()
    model, _, _ = opened(
        lambda _: Said(iter(lambda: done.wait(0.02) or b" ", True)),
        timeout=0.2,
        retries=0,
    )
    assert kind_of(model) == "timeout"
    assert model.spent.unanswered == 1
    done.set()


@pytest.mark.parametrize("status", [200, 500])
def test_an_answer_without_end_does_not_fill_the_memory(opened, monkeypatch, status):
    monkeypatch.setattr(server, "MOST", 100_000)
    model, here, _ = opened(lambda _: Said(iter(lambda: b" " * 10_000, b""), status))
    assert kind_of(model) == "garbage"
    assert len(here.requests) == 1 and model.spent.unanswered == 1


@pytest.mark.parametrize("tokens", [10**30, 2**63, 2**62])
def test_counts_no_account_can_hold_are_not_believed_and_the_answer_is_kept(
    opened, tmp_path, tokens
):
    account = Spending(tmp_path / "spending.db")
    model, _, _ = opened(
        in_order(completion('{"count": 3}', usage=(tokens, tokens))), account=account
    )
    answer = model.ask(ask())
    assert answer.data == Count(3) and answer.usage.estimated
    assert account.days()[0].tokens == answer.usage.input + answer.usage.output


@pytest.mark.parametrize(
    "said",
    [
        failure(400, f"\x1b]0;owned\x07\x1b[31m {KEY}"),
        Said(b"x" * (200 - len(KEY) // 2) + KEY.encode()),
    ],
)
def test_what_a_server_says_brings_no_control_characters_and_no_half_of_the_key(
    opened, said
):
    model, _, _ = opened(lambda _: said, retries=0)
    with pytest.raises(ModelError) as raised:
        model.ask(ask())
    assert str(raised.value).isprintable() and KEY[:6] not in str(raised.value)


def test_a_slow_answer_is_not_waited_for(opened):
    done = Event()

    def answer(request):
        done.wait(30)
        return GOOD

    model, _, _ = opened(answer, timeout=0.2, retries=0)
    assert kind_of(model) == "timeout"
    done.set()
    assert model.spent.unanswered == 1


@pytest.mark.parametrize(
    "body",
    [
        b"<html>Sign in</html>",
        b"\xff\xfe\x00",
        b"",
        b"[1, 2]",
        b'"words"',
        b"[" * 100_000,
    ],
)
def test_garbage_is_tried_again_and_then_called_by_its_name(opened, body):
    model, here, _ = opened(lambda _: Said(body), retries=1)
    assert kind_of(model) == "garbage"
    assert len(here.requests) == 2


def test_nothing_is_sent_on_to_another_server(opened):
    _, there, _ = opened(lambda _: GOOD)
    model, _, _ = opened(
        lambda _: Said({}, 307, {"Location": f"{there.url}/chat/completions"})
    )
    assert kind_of(model) == "garbage"
    assert there.requests == []


def test_tests_cannot_reach_a_network():
    model = open_model(
        Endpoint(base_url="https://model.invalid/v1", model="m"),
        caps=Caps(max_tokens=10_000),
    )
    assert server.REACHABLE == "loopback"
    assert kind_of(model) == "locked"


def test_what_is_learned_is_learned_by_server_and_model(opened):
    model, here, _ = opened(
        lambda request: (
            failure(400, "temperature") if "temperature" in request else GOOD
        )
    )
    model.ask(ask())
    assert [where for where in client._MANNERS if where.startswith(here.url[:-3])] == [
        f"{here.url[:-3]} small"
    ]
