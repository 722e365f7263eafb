"""The model config.toml names: its key, price and caps, and what they are not used for."""

from __future__ import annotations

from pathlib import Path

import pytest

from afterglow.config import Config, load
from afterglow.errors import CapReached, ConfigError, ModelError
from afterglow.flows.model_client import caps_of, endpoint_of, model_of
from afterglow.llm import server
from afterglow.records.model import Ask, Message, Price
from afterglow.store.spending import Spending
from llm.model_http import completion, serving

KEY = "invented-key-0123456789"
CLOUD = 'base_url = "https://model.example/v1"\nmodel = "large"\n'


@pytest.fixture
def configured(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path / "kept"))
    monkeypatch.setenv("INVENTED_KEY", KEY)
    (tmp_path / "kept").mkdir()

    def configured(text: str) -> Config:
        (tmp_path / "kept/config.toml").write_text(f"[model]\n{text}", encoding="utf-8")
        return load()

    return configured


def test_everything_is_off_unless_said(configured):
    config = configured("")
    with pytest.raises(CapReached, match="--max-tokens"):
        model_of(config)
    with pytest.raises(ConfigError, match="--base-url"):
        model_of(config, max_tokens=10)
    with pytest.raises(ConfigError, match="--model"):
        model_of(config, base_url="http://localhost:1/v1", max_tokens=10)


def test_the_key_comes_from_a_variable_or_a_file_and_is_never_shown(
    configured, tmp_path
):
    (tmp_path / "key").write_text(f"{KEY}\n")
    for line in ('api_key_env = "INVENTED_KEY"', 'api_key_file = "~/key"'):
        config = configured(CLOUD + line)
        endpoint = endpoint_of(config)
        assert endpoint.key == KEY
        assert KEY not in repr(endpoint) + str(endpoint) + repr(config)
    assert endpoint_of(config, key=False).key == ""


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        (f'api_key = "{KEY}"', "api_key_env"),
        (f'key = "{KEY}"', "api_key_env"),
        (f'api_key_env = "{KEY}"', "name of a variable"),
        ('api_key_env = "A"\napi_key_file = "b"', "not by both"),
        ("timeout = 0", "above 0"),
        ("timeout = nan", "above 0"),
        ("timeout = inf", "at most"),
        ("concurrency = 0", "1 or more"),
        ("max_cots = 3", "max_cots"),
        ('max_tokens = "many"', "max_tokens"),
        ('price = "cheap"', "price"),
    ],
)
def test_what_does_not_fit_is_refused_with_what_would_work(configured, line, hint):
    with pytest.raises(ConfigError, match=hint) as raised:
        configured(line)
    assert KEY not in str(raised.value)


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ('api_key_env = "NOT_SET_ANYWHERE"', "not set"),
        ('api_key_file = "~/nowhere"', "nowhere"),
        ('api_key_file = "~/words"', "nothing else"),
    ],
)
def test_a_key_that_is_not_there_is_said_to_be_missing(
    configured, tmp_path, line, hint
):
    (tmp_path / "words").write_text("the key is\nsomewhere else")
    with pytest.raises(ConfigError, match=hint):
        endpoint_of(configured(CLOUD + line))


def test_a_key_in_the_place_of_its_variable_is_not_repeated(configured):
    with pytest.raises(ConfigError, match="not set") as raised:
        endpoint_of(configured(CLOUD + 'api_key_env = "gsk_inventedkey0123456789"'))
    assert "gsk_" not in str(raised.value)


def test_another_server_gets_neither_the_key_nor_the_price(configured):
    config = configured(CLOUD + 'api_key_env = "INVENTED_KEY"\nprice = 0\nmax_cost = 1')
    for other in (
        "http://model.example/v1",
        "https://model.example:444/v1",
        "https://other.example/v1",
    ):
        endpoint = endpoint_of(config, base_url=other)
        assert endpoint.key == "" and endpoint.price == Price()
        with pytest.raises(ConfigError, match="price"):
            model_of(config, base_url=other)
    assert endpoint_of(config, base_url="https://model.example/v2").key == KEY


@pytest.mark.parametrize(
    "url",
    [
        "model.example",
        "ftp://model.example",
        "https://ana:secret@model.example/v1",
        "http://h/v1?key=x",
        "http://",
        "http://a..b/v1",
        f"http://{'a' * 64}/v1",
        "http://h/\x00v1",
        "http://a b/v1",
    ],
)
def test_an_address_is_an_address(configured, url):
    with pytest.raises(ConfigError, match="base_url") as raised:
        endpoint_of(configured('model = "m"'), base_url=url)
    assert "secret" not in str(raised.value)


def test_prices_are_by_model_or_for_all(configured):
    prices = 'price = {input = 1, output = 2}\n[model.prices]\nsmall = {input = 0.1, output = 0.2}\n"own:7b" = 0\n'
    config = configured(CLOUD + prices)
    assert [endpoint_of(config, name=name).price for name in ("large", "small", "own:7b")] == [
        Price(1, 2), Price(0.1, 0.2), Price(0, 0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "wrong",
    [
        "price = -1\nmax_tokens = 1",
        "price = nan\nmax_cost = 1",
        "price = 0\nmax_cost = nan",
    ],
)
def test_prices_and_caps_are_numbers_that_count(configured, wrong):
    with pytest.raises(ConfigError, match="0 or more"):
        model_of(configured(CLOUD + wrong))


def test_caps_that_are_given_go_before_those_of_a_run_and_those_of_a_day_stay(
    configured,
):
    config = configured(
        "max_cost = 1\nmax_tokens = 2\nmax_tokens_day = 3\nmax_cost_day = 4"
    )
    caps = caps_of(config, max_tokens=7)
    assert (caps.max_cost, caps.max_tokens, caps.max_tokens_day, caps.max_cost_day) == (
        1,
        7,
        3,
        4,
    )


def test_what_is_asked_is_cached_and_booked_in_the_home_and_the_key_is_nowhere(
    configured,
):
    with serving(lambda _: completion("three", usage=(10, 5))) as here:
        config = configured(
            f'base_url = "{here.url}"\nmodel = "small"\napi_key_env = "INVENTED_KEY"\nprice = 2\nmax_cost = 0.5'
        )
        for cached in (False, True):
            with model_of(config) as model:
                answer = model.ask(
                    Ask(messages=(Message("user", "how many?"),), purpose="test")
                )
            assert answer.text == "three" and answer.cached is cached
        assert here.headers[0]["authorization"] == f"Bearer {KEY}"
    account = Spending(config.spending)
    (day,) = account.days(account.today())
    assert (day.model, day.requests, day.tokens) == (
        "small",
        1,
        15,
    ) and day.cost == pytest.approx(30e-6)
    files = [path for path in Path(config.home).rglob("*") if path.is_file()]
    assert len(files) >= 3 and not [
        path for path in files if KEY.encode() in path.read_bytes()
    ]


def test_nothing_unredacted_reaches_a_model(configured):
    with serving(lambda _: completion("fine")) as here:
        config = configured(
            f'base_url = "{here.url}"\nmodel = "small"\nmax_tokens = 10_000'
        )
        with model_of(config) as model:
            model.ask(
                Ask(
                    messages=(
                        Message("user", "write to ana.invented@mail.example, \ud800"),
                    ),
                    purpose="test",
                )
            )
        assert here.requests[0]["messages"] == [
            {"role": "user", "content": "write to <email>, ?"}
        ]


def test_who_wants_nothing_to_leave_the_machine_can_say_so(configured, monkeypatch):
    assert endpoint_of(configured(CLOUD)).local_only  # as tests do
    monkeypatch.setenv("AFTERGLOW_LOCAL_ONLY", "0")
    monkeypatch.setattr(server, "REACHABLE", "anywhere")
    assert not endpoint_of(configured(CLOUD)).local_only
    config = configured(CLOUD + "local_only = true\nmax_tokens = 10_000")
    with model_of(config) as model, pytest.raises(ModelError) as raised:
        model.ask(Ask(messages=(Message("user", "how many?"),), purpose="test"))
    assert raised.value.kind == "locked"
