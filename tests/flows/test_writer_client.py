"""Whoever writes lessons, opened by name: the user's own agent, within its caps, or a model behind an endpoint."""

from __future__ import annotations

import pytest
from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import CapReached, ConfigError, ModelError, UsageError
from afterglow.flows.model_client import OFFERED, named_writer, writer_of
from afterglow.llm.request import Reply, Request
from afterglow.records.model import Ask, Message, Price
from afterglow.records.settings import ModelSettings, WriteSettings
from afterglow.store.spending import Spending
from llm.fake_agents import put_program, starts_of

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"  # invented


class Count(Struct):
    count: int


def ask(text: str = "How many?") -> Ask:
    return Ask(
        messages=(Message("system", "You count."), Message("user", text)),
        purpose="write",
        answer_type=Count,
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    folder = tmp_path / "bin"
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path)


@pytest.mark.parametrize("name", ["claude", "codex", "gemini", "hermes"])
def test_an_agent_writes_within_the_cap_of_the_day_and_is_asked_once(
    folder, config, name
):
    put_program(folder, name)
    with writer_of(config, name) as writer:
        answer = writer.ask(ask())
        assert answer.data == Count(3) and not answer.cached
        assert writer.ask(ask()).cached
        assert writer.name == name and writer.spent.usage.input == 100
    assert len(starts_of(folder, name)) == 1
    (day,) = Spending(config.spending).days()
    assert (day.model, day.tokens) == (name, 107)


def test_a_schema_goes_into_the_prompt_of_an_agent_that_takes_none(folder, config):
    put_program(folder, "gemini")
    with writer_of(config, "gemini") as writer:
        writer.ask(ask())
    assert '"count"' in starts_of(folder, "gemini")[0]["asked"]


def test_secrets_do_not_reach_an_agent(folder, config):
    put_program(folder, "claude")
    with writer_of(config, "auto") as writer:
        writer.ask(ask(f"What is {SECRET}?"))
    (start,) = starts_of(folder, "claude")
    assert "What is" in start["asked"] and SECRET not in start["asked"]


def test_usage_that_an_agent_does_not_report_is_counted_by_us(folder, config):
    put_program(folder, "codex", 'open("answer.txt", "w").write(SAYS)')
    with writer_of(config, "codex") as writer:
        usage = writer.ask(ask()).usage
    assert usage.estimated and usage.input > 100 and usage.output > 0


def test_the_cap_of_a_day_holds_over_processes(folder, config):
    put_program(folder, "claude")
    tight = Config(
        home=config.home,
        user_home=config.user_home,
        write=WriteSettings(daily_tokens=2_500),
    )
    with writer_of(tight, "claude") as writer:
        writer.ask(ask())
    with writer_of(tight, "claude") as writer:
        writer.ask(ask("And now?" * 20))
        with pytest.raises(CapReached, match="2500 tokens"):
            writer.ask(ask("And then? " * 1000))


def test_a_login_that_fails_is_told_with_what_to_do(folder, config):
    put_program(folder, "claude", "sys.exit('Please run /login')")
    with (
        writer_of(config, "claude", max_tokens=50_000) as writer,
        pytest.raises(ModelError, match="start `claude` and say /login"),
    ):
        writer.ask(ask())
    assert writer.spent.unanswered == 0


def test_a_machine_without_agents_says_what_would_work(folder, config, monkeypatch):
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    with pytest.raises(UsageError, match="--base-url"):
        writer_of(config, "auto")


def test_nothing_leaves_a_machine_that_is_locked(folder, config):
    put_program(folder, "claude")
    locked = Config(
        home=config.home,
        user_home=config.user_home,
        model=ModelSettings(local_only=True),
    )
    with pytest.raises(ConfigError, match="local_only"):
        writer_of(locked, "claude")


def test_any_other_name_is_that_of_a_model_which_answers_somewhere(config):
    with pytest.raises(UsageError, match=r"is no agent.*MODEL --base-url URL"):
        writer_of(config, "qwen2.5-coder:1.5b", max_tokens=10)


class Hosted:
    """A model of the program we run inside of."""

    def send(self, request: Request) -> Reply:
        return Reply(text='{"count": 4}')

    def close(self) -> None:
        pass


def test_inside_of_hermes_its_own_model_is_meant(config, monkeypatch):
    monkeypatch.setitem(OFFERED, "hermes", Hosted)
    with writer_of(config, "hermes", max_tokens=10_000) as writer:
        assert writer.ask(ask()).data == Count(4)


def test_who_would_write_is_told_without_starting_anything(folder, config):
    assert named_writer(config).name == "a writer"
    assert named_writer(config, "codex:small").overhead > 5_000
    named = replace(config, write=WriteSettings("claude", "yes"))
    assert named_writer(named).name == "claude"
    served = replace(
        config,
        model=ModelSettings(base_url="http://localhost:1/v1", model="m", price=2),
    )
    assert named_writer(served).price == Price(2, 2)
    assert named_writer(served, "claude").price == Price()
    with pytest.raises(UsageError, match="nobody is named who writes"):
        writer_of(config)


def test_who_writes_in_the_background_is_meant_where_nobody_is_named(folder, config):
    put_program(folder, "claude")
    with writer_of(replace(config, write=WriteSettings("claude", "no"))) as writer:
        assert writer.name == "claude"
