"""Reading and reviewing what is kept: lists, decisions that are all or nothing, what is missing, what is old."""

import pytest

from afterglow.config import Config
from afterglow.errors import NotFound, UsageError
from afterglow.flows import knowledge as flow
from afterglow.flows.knowledge import gaps, stale
from afterglow.flows.knowledge.gaps_and_staleness import (
    MIN_ITEMS_OF_A_DOMAIN,
    MIN_SESSIONS_OF_A_REPO,
    SESSIONS_WITHOUT_WORD,
)
from afterglow.flows.read import scan
from afterglow.records.selection import Selection
from afterglow.store.knowledge import Knowledge
from afterglow.text.fingerprint import fingerprint
from keeping import DAY, NOW, item, keep, kept
from writing import Transcript, ordinary

UNDEFINED = fingerprint("Exit code 1\na.go:1:2: undefined: defaultAgent")


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


def ids(found):
    return [one.id for one in found]


def test_a_list_is_of_active_items(config):
    keep(config, item(1), item(2, status="candidate"))
    found = flow.list_items(config)
    assert ids(found.items) == ["k0000001"] and not found.more


def test_an_empty_list_says_what_the_store_holds(config):
    keep(config, item(1), item(2, status="candidate"))
    assert flow.list_items(config, status=["retired"]).statuses == {
        "active": 1,
        "candidate": 1,
    }
    assert flow.list_items(config).statuses == {}


def test_a_repo_may_be_named_without_its_owner(config):
    keep(
        config,
        item(1, repo="acme/harbor"),
        item(2, repo="acme/pier"),
        item(3, repo="cargo/pier"),
    )
    assert ids(flow.list_items(config, Selection(repo="harbor")).items) == ["k0000001"]
    assert ids(flow.list_items(config, Selection(repo="cargo/pier")).items) == [
        "k0000003"
    ]
    with pytest.raises(UsageError, match="acme/pier, cargo/pier"):
        flow.list_items(config, Selection(repo="pier"))


def test_a_list_says_when_it_is_not_all(config):
    keep(config, item(1), item(2), item(3))
    assert len(flow.list_items(config, limit=2).items) == 2
    assert flow.list_items(config, limit=2).more
    assert not flow.list_items(config, limit=3).more


def test_a_list_can_be_narrowed(config):
    keep(
        config,
        item(1, repo="harbor", tags=("make",)),
        item(2, repo="lighthouse", confidence=0.4),
        item(3, category="question", status="candidate"),
    )
    assert ids(flow.list_items(config, Selection(repo="lighthouse")).items) == [
        "k0000002"
    ]
    assert ids(flow.list_items(config, tag="make").items) == ["k0000001"]
    assert ids(flow.list_items(config, min_confidence=0.5).items) == ["k0000001"]
    assert ids(flow.list_items(config, status=None, category="question").items) == [
        "k0000003"
    ]


def test_search_finds_by_words(config):
    keep(
        config,
        item(1, fact="the lamp needs oil"),
        item(2, fact="the crane needs grease"),
        *map(item, range(3, 9)),
    )
    assert flow.search(config, "grease for the crane")[0].item.id == "k0000002"


def test_search_looks_at_active_items_unless_told(config):
    keep(config, item(1, fact="the lamp needs oil", status="candidate"))
    assert flow.search(config, "lamp") == []
    assert [hit.item.id for hit in flow.search(config, "lamp", status=None)] == [
        "k0000001"
    ]


def test_an_item_is_shown_with_its_history(config):
    keep(config, item(1, status="candidate"))
    flow.approve(config, ["k0000001"], note="seen it myself", now=NOW)
    (found,) = flow.show(config, ["k0000001", "k0000001"])
    assert found.item.status == "active"
    assert {change.by for change in found.history} >= {"harvest", "person"}


def test_approving_makes_active_and_is_a_persons_decision(config):
    keep(config, item(1, status="candidate"))
    (decision,) = flow.approve(config, ["k0000001"], note="seen it myself", now=NOW)
    assert decision.changed and (decision.before.status, decision.after.status) == (
        "candidate",
        "active",
    )
    after = kept(config, "k0000001")
    assert (after.status, after.decided, after.reason) == (
        "active",
        True,
        "approved: seen it myself",
    )


def test_approving_again_confirms_again(config):
    keep(config, item(1, status="candidate", expires=NOW - DAY))
    flow.approve(config, ["k0000001"], note="seen it myself", now=NOW)
    flow.approve(config, ["k0000001"], now=NOW + DAY)
    after = kept(config, "k0000001")
    assert (after.reason, after.last_confirmed, after.expires) == (
        "approved: seen it myself",
        NOW + DAY,
        None,
    )


def test_retiring_twice_changes_nothing(config):
    keep(config, item(1))
    flow.retire(config, ["k0000001"], why="wrong", now=NOW)
    (again,) = flow.retire(config, ["k0000001"], why="still wrong", now=NOW + DAY)
    assert not again.changed and kept(config, "k0000001").reason == "retired: wrong"


def test_approving_what_was_superseded_says_that_it_holds(config):
    keep(config, item(1, status="superseded", superseded_by="k0000002"))
    flow.approve(config, ["k0000001"], now=NOW)
    assert kept(config, "k0000001").superseded_by == ""


def test_a_quarantined_item_is_not_approved_by_the_way(config):
    keep(
        config,
        item(1, status="candidate"),
        item(2, status="quarantined", reason="tells an agent what to do"),
    )
    with pytest.raises(
        UsageError, match=r"tells an agent what to do.*--even-quarantined"
    ):
        flow.approve(config, ["k0000001", "k0000002"], now=NOW)
    assert kept(config, "k0000001").status == "candidate"
    flow.approve(config, ["k0000002"], even_quarantined=True, now=NOW)
    assert kept(config, "k0000002").status == "active"


def test_several_ids_are_all_or_nothing(config):
    keep(config, item(1, status="candidate"))
    with pytest.raises(NotFound):
        flow.approve(config, ["k0000001", "nothing"], now=NOW)
    with pytest.raises(NotFound):
        flow.delete(config, ["k0000001", "nothing"], why="noise", now=NOW)
    assert kept(config, "k0000001").status == "candidate"


@pytest.mark.parametrize(
    ("decide", "reason"),
    [(flow.reject, "rejected: wrong"), (flow.retire, "retired: wrong")],
)
def test_rejected_and_retired_items_stay_and_say_why(config, decide, reason):
    keep(config, item(1))
    decide(config, ["k0000001"], why="wrong", now=NOW)
    after = kept(config, "k0000001")
    assert (after.status, after.decided, after.reason) == ("retired", True, reason)


def test_a_deleted_item_is_gone_and_leaves_a_mark(config):
    keep(config, item(1), item(2))
    (decision,) = flow.delete(config, ["k0000001"], why="noise", now=NOW)
    assert decision.after is None
    with Knowledge(config.knowledge) as knowledge:
        assert knowledge.buried(["topic 1", "topic 2"]) == {"topic 1"}
    assert ids(flow.list_items(config, status=None).items) == ["k0000002"]


def test_stats_count_and_check(config):
    keep(config, item(1), item(2, status="candidate", category="fact"))
    found = flow.stats(config)
    assert found.counts.status["active"] == 1 and found.counts.category["fact"] == 1
    assert (found.counts.evidence, found.covered, found.problems) == (0, 0, ())


# What is missing


@pytest.fixture
def harbor(config, tmp_path):
    """Two sessions of one repo met the same error; a third session, of another repo, met it once."""
    for number in (1, 2):
        ordinary(number, start=100 * number).save(tmp_path / "s")
    ordinary(3, cwd="/home/ana/src/lighthouse").save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    return config


def test_an_error_that_came_back_without_a_lesson_is_a_gap(harbor):
    (gap,) = gaps(harbor).errors
    assert (gap.repo, gap.fingerprint, gap.sessions, gap.times) == (
        "harbor",
        UNDEFINED,
        2,
        2,
    )
    assert gap.last is not None and gap.candidates == ()


def test_an_active_item_with_the_fingerprint_fills_the_gap(harbor):
    keep(harbor, item(1, fingerprints=(UNDEFINED,)))
    assert gaps(harbor).errors == ()


def test_an_item_of_another_repo_does_not_fill_the_gap_but_a_global_one_does(harbor):
    keep(harbor, item(1, fingerprints=(UNDEFINED,), repo="lighthouse"))
    assert len(gaps(harbor).errors) == 1
    keep(harbor, item(2, fingerprints=(UNDEFINED,), repo=""))
    assert gaps(harbor).errors == ()


def test_an_item_that_waits_for_review_is_named_beside_the_gap(harbor):
    keep(
        harbor,
        item(1, fingerprints=(UNDEFINED,), status="candidate"),
        item(2, status="retired"),
    )
    assert gaps(harbor).errors[0].candidates == ("k0000001",)


def test_gaps_can_be_asked_of_a_repo_and_since_a_day(harbor):
    assert gaps(harbor, Selection(repo="lighthouse")).errors == ()
    assert gaps(harbor, Selection(since=NOW * 2)).errors == ()


def test_open_questions_are_gaps(config):
    keep(
        config,
        item(1, category="question"),
        item(2, category="question", status="candidate"),
        item(3),
    )
    keep(config, item(4, category="question", status="retired"))
    assert sorted(ids(gaps(config).questions)) == ["k0000001", "k0000002"]


def test_repos_with_many_sessions_and_few_items_are_gaps(config, tmp_path):
    for number in range(MIN_SESSIONS_OF_A_REPO):
        Transcript(number, start=100 * number).user("hello").reply("hi").save(
            tmp_path / "s"
        )
    scan(config, [tmp_path / "s"])
    assert [(thin.repo, thin.sessions, thin.items) for thin in gaps(config).repos] == [
        ("harbor", MIN_SESSIONS_OF_A_REPO, 0)
    ]
    keep(config, item(1), item(2), item(3))
    assert gaps(config).repos == ()


def test_domains_with_few_items_are_gaps_and_lists_are_cut_but_counted(config):
    full = [item(n, domain="docker") for n in range(MIN_ITEMS_OF_A_DOMAIN)]
    keep(
        config,
        *full,
        item(20, domain="git"),
        item(21, domain="npm"),
        item(22, domain="npm"),
    )
    found = gaps(config, limit=1)
    assert [(thin.domain, thin.items) for thin in found.domains] == [("git", 1)]
    assert found.totals["domains"] == 2


# What is old


def why(config, **options):
    return {one.item.id: one.why for one in stale(config, now=NOW, **options)}


def test_what_was_confirmed_lately_is_not_stale(config):
    keep(config, item(1))
    assert why(config) == {}


def test_each_reason_to_doubt_an_item_is_named(config):
    keep(
        config,
        item(1, expires=NOW - 1),
        item(2, last_confirmed=NOW - 100 * DAY),
        item(3, against=2),
        item(4, last_confirmed=None, first_seen=None),
        item(5, against=1, expires=NOW - 1),
        item(6, against=1, status="candidate"),
    )
    found = why(config)
    assert found == {
        "k0000005": ("expired", "1 against"),
        "k0000004": ("never confirmed",),
        "k0000002": ("unconfirmed for 100 days",),
        "k0000001": ("expired",),
        "k0000003": ("2 against",),
    }
    assert next(iter(found)) == "k0000005"


def test_how_old_is_old_can_be_said(config):
    keep(config, item(1, last_confirmed=NOW - 20 * DAY))
    assert why(config, days=10) and not why(config, days=30)


def test_an_item_many_sessions_passed_by_is_stale(config, tmp_path):
    for number in range(SESSIONS_WITHOUT_WORD):
        Transcript(number, start=100 * number).user("hello").reply("hi").save(
            tmp_path / "s"
        )
    scan(config, [tmp_path / "s"])
    keep(
        config,
        item(1, last_confirmed=1_780_000_000.0),
        item(2),
        item(3, repo="", last_confirmed=1_780_000_000.0),
    )
    assert why(config, days=1000) == {
        "k0000001": (f"{SESSIONS_WITHOUT_WORD} sessions since",)
    }


def test_the_store_is_left_sound(config):
    keep(config, item(1), item(2))
    flow.delete(config, ["k0000001"], why="noise", now=NOW)
    with Knowledge(config.knowledge) as knowledge:
        assert knowledge.check() == []


def test_a_secret_in_a_persons_reason_is_not_kept(config):
    token = "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3h6J"
    keep(config, item(1), item(2), item(3), item(4))
    flow.approve(config, ["k0000001"], note=f"works with {token}")
    flow.reject(config, ["k0000002"], why=f"shows {token}")
    flow.retire(config, ["k0000003"], why=f"was {token}")
    flow.delete(config, ["k0000004"], why=f"names {token}")
    assert (
        flow.show(config, ["k0000001"])[0].item.reason
        == "approved: works with <secret:github-token>"
    )
    assert not any(
        token.encode() in path.read_bytes()
        for path in config.home.rglob("*")
        if path.is_file()
    )
