"""Any model you have: set AFTERGLOW_TEST_MODEL_URL and AFTERGLOW_TEST_MODEL_NAME, and these run against it.

AFTERGLOW_TEST_MODEL_KEY is its key, if it wants one. At most 60,000 tokens are used. What a model tells is its own
affair; tested is that it can be asked, that its answers have the shape, and that nothing unchecked is kept.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import ModelError
from afterglow.flows.harvest import harvest, plan, tell
from afterglow.flows.model_client import model_of
from afterglow.flows.read import scan
from afterglow.llm import server
from afterglow.llm.client import Client
from afterglow.records.model import Ask, Message
from afterglow.records.settings import ModelSettings
from afterglow.records.template import (
    RecoveryPattern,
    SessionSeed,
    ToolCallExample,
    UserPatterns,
    WarmTemplate,
)
from afterglow.store.knowledge import Knowledge
from afterglow.warm.compress import compress, tokens
from afterglow_demo import write_fleet

URL, NAME, KEY = (f"AFTERGLOW_TEST_MODEL_{name}" for name in ("URL", "NAME", "KEY"))
TOKENS = 20_000  # for each test
SECONDS = 600.0  # for one answer: small machines are slow

pytestmark = [
    pytest.mark.skipif(
        not (os.environ.get(URL) and os.environ.get(NAME)),
        reason=f"no model to test with: set {URL} (like http://localhost:11434/v1) and {NAME}; see docs/model.md",
    ),
]


@pytest.fixture(autouse=True)
def closed_door(monkeypatch: pytest.MonkeyPatch) -> None:
    """Open here: somebody named the model that is to be asked."""
    monkeypatch.setattr(server, "REACHABLE", "anywhere")
    monkeypatch.delenv("AFTERGLOW_LOCAL_ONLY", raising=False)


@pytest.fixture
def config(tmp_path) -> Config:
    key = KEY if os.environ.get(KEY) else ""
    said = ModelSettings(
        base_url=os.environ[URL],
        model=os.environ[NAME],
        api_key_env=key,
        timeout=SECONDS,
        concurrency=1,
    )
    return Config(home=tmp_path / "kept", user_home=tmp_path / "fleet", model=said)


@pytest.fixture
def model(config) -> Iterator[Client]:
    with model_of(config, max_tokens=TOKENS) as found:
        yield found


class Larger(Struct, forbid_unknown_fields=True):
    larger: int


def test_it_answers_in_the_shape_that_was_asked_for_and_the_second_time_for_nothing(
    model,
):
    said = (
        Message("system", "You answer in JSON."),
        Message("user", "Which of 3 and 12 is larger? {'larger': number}"),
    )
    ask = Ask(messages=said, purpose="test", answer_type=Larger, max_tokens=60)
    answer = model.ask(ask)
    assert (
        isinstance(answer.data, Larger) and answer.usage.input and answer.usage.output
    )
    assert model.ask(ask).cached and model.spent.answers == answer.tries


def test_what_it_learns_from_windows_is_checked_and_waits(config, model):
    write_fleet(config.user_home, seed=11, sessions=40, scale=0.05, prose=True)
    scan(config)
    harvest(config)
    report = tell(config, model, plan(config, limit=2, tokens=600), at_once=1)
    assert report.answered == report.asks == 2 and not report.stopped, report.failures
    with Knowledge(config.knowledge) as knowledge:
        kept = knowledge.items(miner="told", evidence=True)
    assert len(kept) == report.outcomes.get("kept", 0)
    assert all(
        item.status == "candidate" and item.evidence and item.confidence <= 0.5
        for item in kept
    )


def test_it_shortens_a_template_or_says_why_not(model):
    seed = SessionSeed(
        system_context="You are working in the harbor repository. Please always remember to work in small steps.\n"
        "Before anything else you should know that the tide table lies in docs/tides.csv and is generated.",
        tool_examples=(ToolCallExample("Bash", '{"command": "make tide"}', "done"),),
        recovery_patterns=(
            RecoveryPattern(
                "error: no berth", "run `make berth` first, and then the same again"
            ),
        ),
        user_patterns=UserPatterns(
            conventions=(
                "please run the linter first, before you hand anything over to me",
            )
        ),
    )
    whole = WarmTemplate(id="warm_20300101_000000", name="Harbor", seed=seed)
    try:
        small = compress(whole, "model", 1000, model=model)
    except ModelError as error:
        assert error.kind in {"no gain", "unsupported"}, error
    else:
        assert (
            tokens(small) < tokens(whole)
            and small.seed.tool_examples == seed.tool_examples
        )
