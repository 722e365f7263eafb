"""All backends of the table, measured in a scratch home."""

import os

import msgspec
import pytest

from afterglow.config import Config, Honcho
from afterglow.errors import ConfigError
from afterglow.memory import LocalBackend
from afterglow.memory.evaluation import (
    as_markdown,
    as_table,
    evaluate_all,
    recommendation,
)
from afterglow.memory.evaluation.evaluate import SCRATCH_PREFIX
from afterglow.records.evaluation import Evaluation, Labelled, Labels, Question
from afterglow.text.redact import Redactor
from memory.honcho_server import KEY, HonchoServer

LABELS = Labels(
    "tiny",
    (
        Labelled("a", "editor", "Helix"),
        Labelled("b", "editor", "Zed", 1.0),
        Labelled("c", "tea", "green"),
    ),
    (Question("editor", ("b",), "update"), Question("tea", ("c",), "identifier")),
)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def found(home):
    own = LocalBackend(home / "memory.db", redactor=Redactor(cache=home / "cache"))
    own.store("ada", "editor", "Kakoune")
    own.close()
    return evaluate_all(Config(home=home, user_home=home), labels=LABELS)


def test_what_can_be_opened_is_measured_and_the_rest_has_a_reason(found):
    null, local, honcho = found
    assert (null.backend, null.total) == ("null", 40)
    assert local.points | {"latency": 20} == {
        "availability": 20, "store": 15, "retrieve": 15, "query": 10, "latency": 20, "privacy": 20
    }  # fmt: skip
    assert [check for check in local.checks if check.state != "passed"] == []
    assert local.quality and local.quality.recall[1].value == 1.0
    assert not honcho.available and "HONCHO_API_KEY" in honcho.reason


def test_a_persons_own_database_is_left_alone(found, home):
    own = LocalBackend(home / "memory.db", redactor=Redactor(cache=home / "cache"))
    assert own.list_keys("ada") == ["editor"]
    own.close()
    assert [
        path for path in home.iterdir() if path.name.startswith(SCRATCH_PREFIX)
    ] == []


def test_the_advice_is_the_one_that_keeps(found):
    assert recommendation(found).startswith(
        "Use local (AFTERGLOW_MEMORY_BACKEND=local)"
    )


def test_it_reads_as_a_table_as_markdown_and_as_json(found, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")  # a slow machine has longer times to show
    for text in (as_table(found), as_markdown(found)):
        assert all(
            word in text
            for word in (
                "local",
                "plain BM25",
                "recall@10",
                "durability",
                "HONCHO_API_KEY",
            )
        )
        assert "unsupported" in text and "stays on this machine" in text
    assert (
        msgspec.json.decode(msgspec.json.encode(found), type=tuple[Evaluation, ...])
        == found
    )


def test_a_service_gets_few_requests_and_is_left_as_it_was(tmp_path):
    pytest.importorskip("honcho")
    with HonchoServer() as server:
        settings = Config(
            home=tmp_path, user_home=tmp_path, honcho=Honcho(KEY, server.url, "w")
        )
        (found,) = evaluate_all(settings, ["honcho"])
        assert (len(server.requests) < 400, server.sessions, server.messages) == (
            True,
            {},
            [],
        )
    assert [check.name for check in found.checks if check.state != "passed"] == [
        "erasure"
    ]
    assert found.points["privacy"] == 5 and found.left_behind == 0
    assert "Warning: with honcho what you store leaves this machine." in recommendation(
        [found]
    )


def test_a_home_that_is_not_there_is_not_made(tmp_path):
    evaluate_all(Config(home=tmp_path / "none", user_home=tmp_path), ["null"])
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_evaluation_left_is_swept_and_a_running_ones_is_not(tmp_path):
    old, new = tmp_path / f"{SCRATCH_PREFIX}old", tmp_path / f"{SCRATCH_PREFIX}new"
    old.mkdir()
    new.mkdir()
    os.utime(old, (0, 0))
    evaluate_all(Config(home=tmp_path, user_home=tmp_path), ["null"])
    assert list(tmp_path.iterdir()) == [new]


def test_an_unknown_backend_is_named_with_those_there_are(tmp_path):
    with pytest.raises(
        ConfigError, match="no memory backend 'redis'; there are null, local, honcho"
    ):
        evaluate_all(Config(home=tmp_path, user_home=tmp_path), ["redis"])
