"""Findings add up to items: scope, support, decisions, supersession, twins."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from afterglow.harvest.confidence import estimate, status_of
from afterglow.harvest.duplicates import Twins
from afterglow.harvest.merge import id_of, item_of, settle
from afterglow.records.knowledge import (
    NOWHERE,
    Evidence,
    Finding,
    KnowledgeItem,
    Telling,
)

DAY = 86400.0
FACT = "`gh pr diff` has no `--stat`; use `--name-only`."
TOLD = Telling(
    fact=FACT, category="tool-quirk", directness=0.8, remedy="use `--name-only`"
)


def seen(
    session: str,
    *,
    day: int = 1,
    repo: str = "quay/harbor",
    trust: str = "tool",
    author: str = "a",
    line: int = 3,
):
    return Evidence(
        session=session, agent="claude-code", line=line, part="result", start=0, length=9, hash=f"{session}{line}",
        quote="unknown flag: --stat", trust=trust, repo=repo, author=author, time=day * DAY,
    )  # fmt: skip


def finding(session: str, **more: object) -> Finding:
    against = bool(more.pop("against", False))
    return Finding(
        "recoveries",
        "recovery|x",
        {},
        (seen(session, **more),),
        fingerprint="f",
        against=against,
    )


def merged(
    *findings: Finding,
    before: KnowledgeItem | None = None,
    told: Telling = TOLD,
    newest=None,
) -> KnowledgeItem:
    item = item_of(told, findings, before, newest or {})
    assert isinstance(item, KnowledgeItem)
    return item


def test_an_id_depends_on_the_topic_alone():
    assert (
        merged(finding("s1")).id
        == merged(finding("s2", repo="quay/tide", day=9)).id
        == id_of("recovery|x")
    )


def test_an_item_holds_where_most_of_its_sessions_were_and_nowhere_else():
    assert merged(finding("s1"), finding("s2", day=2)).repo == "quay/harbor"
    elsewhere = [finding(f"t{day}", day=day, repo="tide/lock") for day in (3, 4)]
    assert merged(finding("s1"), *elsewhere).repo == "tide/lock"


def test_what_is_about_an_agents_tools_holds_everywhere_where_unrelated_owners_show_it():
    wide = replace(TOLD, agent_wide=True)
    places = {
        ("quay/harbor",): "quay/harbor",
        ("quay/harbor", "quay/tide"): "quay/harbor",
        ("harbor", "tide"): "harbor",
        ("quay/harbor", "tide/lock"): "",
    }
    for repos, repo in places.items():
        findings = [
            finding(f"s{day}", day=day, repo=name) for day, name in enumerate(repos)
        ]
        item = merged(*findings, told=wide)
        assert (item.repo, item.agent) == (repo, "claude-code")


def test_what_no_repository_shows_is_told_nowhere_or_to_an_agent_without_folders():
    assert merged(finding("s1", repo="")).repo == NOWHERE
    span = replace(seen("s1", repo=""), agent="hermes")
    item = merged(replace(finding("s1"), evidence=(span,)))
    assert (item.repo, item.agent) == ("", "hermes")


def test_merging_the_same_findings_again_changes_nothing():
    once = merged(finding("s1"), finding("s2", day=2))
    assert merged(finding("s1"), finding("s2", day=2), before=once) == once


def test_evidence_of_sessions_that_are_gone_stays():
    before = merged(finding("s1"), finding("s2", day=2))
    item = merged(
        finding("s3", day=3),
        before=before,
        told=replace(TOLD, fact="`gh pr diff` knows no `--stat` at all."),
    )
    assert {one.session for one in item.evidence} == {"s1", "s2", "s3"}
    assert item.fact == FACT  # told from fewer sessions than are known


def test_trust_is_the_lowest_of_the_lineage():
    assert (
        merged(finding("s1"), finding("s2", day=2, trust="external")).trust
        == "external"
    )


def test_external_text_stays_a_candidate_however_often_it_is_met():
    many = [finding(f"s{n}", day=n, trust="external", line=n) for n in range(1, 9)]
    item = merged(*many)
    assert (item.status, "external" in item.reason) == ("candidate", True)
    assert (
        merged(*many, before=replace(item, status="active", decided=True)).status
        == "active"
    )


def test_a_person_decides_and_harvest_keeps_to_it():
    rejected = replace(
        merged(finding("s1")), status="retired", decided=True, reason="wrong"
    )
    assert (
        merged(finding("s1"), finding("s2", day=2), before=rejected).status == "retired"
    )
    edited = replace(
        merged(finding("s1")), fact="My words about `gh pr diff`.", edited=True
    )
    item = merged(finding("s1"), finding("s2", day=2), before=edited)
    assert (item.fact, item.source_count) == ("My words about `gh pr diff`.", 2)


def test_contradictions_lower_confidence_and_status():
    sure = merged(finding("s1"), finding("s2", day=2))
    doubted = merged(
        finding("s1"), finding("s2", day=2), finding("s3", day=3, against=True)
    )
    assert doubted.confidence < sure.confidence
    assert doubted.against == 1
    assert (
        merged(finding("s1"), finding("s3", day=3, against=True)).status == "candidate"
    )


def test_a_dangerous_finding_is_quarantined_with_its_reason():
    item = merged(replace(finding("s1"), danger="gives orders to an agent"))
    assert (item.status, item.reason) == ("quarantined", "gives orders to an agent")


def test_a_vague_sentence_is_refused():
    assert isinstance(
        item_of(
            replace(TOLD, fact="Fix the error and try again."),
            [finding("s1")],
            None,
            {},
        ),
        str,
    )


def test_what_nobody_confirmed_for_long_counts_less():
    fresh = merged(finding("s1"), newest={"quay/harbor": 2 * DAY})
    old = merged(finding("s1"), newest={"quay/harbor": 500 * DAY})
    assert old.confidence < fresh.confidence


def test_evidence_is_bounded_and_support_is_not():
    many = [finding(f"s{n}", day=n) for n in range(1, 101)]
    item = merged(*many)
    assert (len(item.evidence), item.source_count) == (40, 100)
    assert {one.session for one in item.evidence} >= {"s1", "s100"}


def test_which_evidence_is_kept_does_not_depend_on_what_sessions_are_called():
    kept_lines = []
    for names in (range(100), range(100, 0, -1)):
        findings = [
            finding(f"s{name:03}", line=line) for line, name in enumerate(names)
        ]
        kept_lines.append([span.line for span in merged(*findings).evidence])
    assert kept_lines[0] == kept_lines[1]


def rule(id: str, value: str, day: int, **more: object) -> KnowledgeItem:
    return KnowledgeItem(
        id=id, fact=f"berths count {value}", category="fact", status="active", key="berths", value=value,
        last_confirmed=day * DAY, **more,
    )  # fmt: skip


def test_of_contradicting_rules_the_newest_holds():
    (old,) = settle([rule("k1", "from 1", 1), rule("k2", "from 0", 5)])
    assert (old.id, old.status, old.superseded_by) == ("k1", "superseded", "k2")


def test_the_same_rule_twice_is_no_contradiction_and_another_place_is_none_either():
    assert settle([rule("k1", "from 1", 1), rule("k2", "from 1", 5)]) == []
    assert (
        settle(
            [
                rule("k1", "from 1", 1, repo="quay/a"),
                rule("k2", "from 0", 5, repo="quay/b"),
            ]
        )
        == []
    )


def test_a_person_s_decision_is_not_superseded():
    assert (
        settle([rule("k1", "from 1", 1, decided=True), rule("k2", "from 0", 5)]) == []
    )


def test_an_error_whose_remedy_is_known_needs_no_open_item():
    solved = replace(rule("k1", "", 1), key="", fingerprints=("f",), remedy="use it")
    open_ = replace(rule("k2", "", 2), key="", fingerprints=("f",))
    (item,) = settle([solved, open_])
    assert (item.id, item.superseded_by) == ("k2", "k1")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("People refused `git commit`: do not do it unasked", "People refused `git commit`: don't do it unasked", True),
        ("`python3 -m x` fails", "`python3 -m y` fails", False),
        ("The port of the tide database is 5433 here", "The port of the tide database is 5434 here", False),
        ("Settings live in src/a/settings.py of the app", "Settings live in src/b/settings.py of the app", False),
    ],
)  # fmt: skip
def test_twins_agree_in_every_name_and_number(one, other, same):
    assert (Twins([("k1", one)]).find(other) == "k1") is same


def test_confidence_means_what_the_rubric_says():
    assert estimate(0.9, 1, 0, "user") == 0.9
    assert 0.65 <= estimate(0.5, 3, 0, "tool") <= 0.75
    assert estimate(0.9, 50, 0, "external") <= 0.8
    assert estimate(0.5, 1, 3, "tool") < 0.3


def test_one_session_makes_nothing_active_however_direct_but_a_persons_own_words():
    assert status_of(0.95, 1, 0, "tool")[0] == "candidate"
    assert status_of(0.95, 1, 0, "assistant")[0] == "candidate"
    assert status_of(0.95, 2, 0, "tool")[0] == "active"
    assert status_of(0.5, 1, 0, "user", is_own_word=True)[0] == "active"


def test_a_rule_is_a_persons_own_where_all_its_sentences_are():
    rule = replace(TOLD, directness=0.9)
    spoken = replace(seen("s1", trust="user"), part="text")
    call = replace(seen("s1", trust="external", line=2), part="arguments")
    pasted = replace(seen("s1", trust="external", line=4), part="text")
    for spans, status in (
        ((spoken,), "active"),
        ((spoken, call), "active"),
        ((spoken, pasted), "candidate"),
    ):
        findings = [Finding("rules", "rule|x", {}, spans)]
        assert merged(*findings, told=rule).status == status
    recovery = replace(finding("s1"), evidence=(spoken,))
    assert merged(recovery, told=rule).status == "candidate"


def test_a_fix_that_a_person_approved_or_wrote_still_answers_an_error_without_one():
    fix = KnowledgeItem(
        id="k1",
        fact="a",
        category="tool-quirk",
        status="active",
        fingerprints=("f",),
        decided=True,
    )
    open_ = KnowledgeItem(
        id="k2", fact="b", category="pitfall", status="active", fingerprints=("f",)
    )
    for known in (replace(fix, remedy="use `--name-only`"), replace(fix, edited=True)):
        (item,) = settle([known, open_])
        assert (item.id, item.status, item.superseded_by) == ("k2", "superseded", "k1")
    assert (
        settle([replace(open_, edited=True), replace(fix, remedy="x")]) == []
    )  # a person's words stay


def test_one_doubtful_session_does_not_cap_what_many_others_show():
    many = [finding(f"s{n}", day=n) for n in range(1, 12)]
    assert merged(*many, finding("s99", day=30, trust="external")).confidence > 0.9


def test_support_that_is_counted_anew_may_fall():
    before = replace(merged(finding("s1")), source_count=7)
    assert merged(finding("s1"), before=before).source_count == 1
    assert merged(finding("s2", day=2), before=before).source_count == 7
