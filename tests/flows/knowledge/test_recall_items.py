"""recall: few items that speak of what was asked, from here and everywhere, best first."""

from __future__ import annotations

import subprocess
import sys

import pytest

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows.knowledge import recall
from keeping import NOW, item, keep


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


def ids(found) -> list[str]:
    return [one.id for one in found]


def test_items_of_the_repo_and_of_everywhere_are_ranked_together(config):
    keep(
        config,
        item(1, fact="crane needs oil"),
        item(2, fact="the crane of the north pier needs oil and a driver", repo=""),
        item(3, fact="north pier crane", repo="tidewatch"),
    )
    assert ids(recall(config, "north pier crane driver", repo="harbor")) == ["k0000002"]
    assert ids(recall(config, "crane oil", repo="harbor")) == ["k0000001", "k0000002"]
    assert ids(recall(config, "north crane", repo="tidewatch")) == [
        "k0000003",
        "k0000002",
    ]


def test_the_repo_of_a_folder_is_known_by_its_name_alone(config, tmp_path):
    keep(config, item(1, fact="crane needs oil", repo="harbor"))
    folder = tmp_path / "harbor"
    folder.mkdir()
    assert ids(recall(config, "crane", cwd=folder)) == ["k0000001"]
    assert ids(recall(config, "crane", cwd=tmp_path)) == []


def test_without_a_place_every_repo_is_searched(config):
    keep(
        config,
        item(1, fact="crane", repo="harbor"),
        item(2, fact="crane", repo="tidewatch"),
    )
    assert set(ids(recall(config, "crane"))) == {"k0000001", "k0000002"}


@pytest.mark.parametrize(
    "status", ["candidate", "quarantined", "superseded", "retired"]
)
def test_only_active_items_are_recalled(config, status):
    keep(config, item(1, fact="crane", status=status))
    assert recall(config, "crane", repo="harbor") == ()


def test_an_item_that_has_expired_is_left_out(config):
    keep(config, item(1, fact="crane", expires=NOW))
    assert recall(config, "crane", repo="harbor", now=NOW) == ()
    assert ids(recall(config, "crane", repo="harbor", now=NOW - 1)) == ["k0000001"]


def test_another_agents_tools_are_left_out_when_the_agent_is_known(config):
    keep(config, item(1, fact="crane", agent="codex"), item(2, fact="crane"))
    assert ids(recall(config, "crane", repo="harbor", agent="hermes")) == ["k0000002"]
    assert set(ids(recall(config, "crane", repo="harbor"))) == {"k0000001", "k0000002"}


def test_a_match_far_weaker_than_the_best_is_noise(config):
    keep(
        config,
        item(1, fact="the winch driver needs a ladder, a lamp and a rope"),
        *(item(n, fact=f"rope {n}") for n in range(2, 30)),
    )
    assert ids(recall(config, "winch driver ladder lamp rope", repo="harbor")) == [
        "k0000001"
    ]


def test_it_says_what_an_item_shares_with_the_question(config):
    keep(config, item(1, fact="`git push` is rejected until `git pull --rebase`"))
    (found,) = recall(config, "push was rejected again", repo="harbor")
    assert found.matched == ("push", "reject")


def test_no_more_than_asked_for(config):
    keep(config, *(item(n, fact=f"crane {n}") for n in range(1, 9)))
    assert len(recall(config, "crane", repo="harbor")) == 5
    assert len(recall(config, "crane", repo="harbor", limit=2)) == 2


@pytest.mark.parametrize(
    ("query", "limit"), [("", 5), ("  \n", 5), ("crane", 0), ("crane", 1000)]
)
def test_a_question_that_cannot_be_answered_is_refused(config, query, limit):
    with pytest.raises(UsageError):
        recall(config, query, limit=limit)


@pytest.mark.parametrize(
    "query", ['"', "AND OR NOT", "a*b:c(d", "\ud800", "x" * 100_000, "🌊 漢"]
)
def test_whatever_is_asked_is_no_error(config, query):
    keep(config, item(1, fact="crane"))
    assert recall(config, query, repo="harbor") == ()


def test_asking_makes_nothing_where_nothing_is_known(config):
    assert recall(config, "crane") == ()
    assert not config.home.exists()


def test_it_is_light_enough_for_a_plugin():
    heavy = "{'rich', 'click', 'hyperscan', 'rapidfuzz', 'mcp', 'pydantic'}"
    script = f"import sys, afterglow.flows.knowledge.recall_items; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
