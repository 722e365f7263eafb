"""Which of several decisions holds: by the times of the sentences, by whose word it is, and where it was said."""

from __future__ import annotations

from itertools import permutations

import pytest
from msgspec.structs import replace

from afterglow.harvest.replaced_items import (
    is_replaced,
    is_replaced_by_word,
    superseded,
)
from afterglow.harvest.supersession import resolve, says_otherwise
from afterglow.records.knowledge import Evidence, KnowledgeItem

DAY = 86400.0
MAIN, RELEASE, HOTFIX = (
    "always deploy from `main`",
    "from now on deploy from `release`",
    "from now on deploy from `hotfix`",
)


def said(words: str, day: int, repo: str = "harbor", trust: str = "user") -> Evidence:
    return Evidence(
        session=f"s{day}", agent="claude-code", line=3, part="text", start=0, length=len(words), hash=f"{words}{day}",
        quote=words, trust=trust, repo=repo, time=day * DAY,
    )  # fmt: skip


def rule(
    id: str, words: str, *days: int, repo: str = "harbor", **more
) -> KnowledgeItem:
    fields = {
        "category": "pattern",
        "status": "active",
        "miner": "rules",
        "trust": "user",
        "repo": repo,
        "remedy": words,
        "last_confirmed": max(days) * DAY,
        "evidence": tuple(said(words, day, repo) for day in days),
    }
    return KnowledgeItem(id=id, fact=f'The user\'s rule: "{words}".', **fields | more)


def after(*items: KnowledgeItem, deleted=()) -> dict[str, KnowledgeItem]:
    """All items, as they are when decisions have done to one another what they do."""
    changed = {item.id: item for item in resolve(items, deleted=deleted)}
    settled = {item.id: changed.get(item.id, item) for item in items}
    assert resolve(settled.values(), deleted=deleted) == []
    return settled


def statuses(*items: KnowledgeItem) -> dict[str, str]:
    return {id: item.status for id, item in after(*items).items()}


def test_the_newer_is_told_and_the_older_names_it():
    settled = after(rule("k1", MAIN, 1), rule("k2", RELEASE, 31))
    assert settled["k1"].status == "superseded"
    assert settled["k1"].superseded_by == "k2"
    assert settled["k2"].status == "active"


def test_a_chain_names_the_next_one_in_whatever_order_it_is_looked_at():
    items = [rule("k1", MAIN, 1), rule("k2", RELEASE, 20), rule("k3", HOTFIX, 40)]
    results = [after(*order) for order in permutations(items)]
    assert all(result == results[0] for result in results)
    assert [results[0][id].superseded_by for id in ("k1", "k2", "k3")] == [
        "k2",
        "k3",
        "",
    ]


def test_settling_step_by_step_ends_where_settling_at_once_does():
    items = [rule("k1", MAIN, 1), rule("k2", RELEASE, 20), rule("k3", HOTFIX, 40)]
    at_once = after(*items)
    for order in permutations(items):
        store: dict[str, KnowledgeItem] = {}
        for item in order:
            store[item.id] = item
            store = after(*store.values())
        assert store == at_once


def test_said_again_the_first_one_is_newest_and_stays_so():
    settled = after(rule("k1", MAIN, 1, 60), rule("k2", RELEASE, 31))
    assert (settled["k1"].status, settled["k2"].superseded_by) == ("active", "k1")


def test_without_the_newer_the_older_holds_again():
    settled = after(rule("k1", MAIN, 1), rule("k2", RELEASE, 31))
    rejected = replace(settled["k2"], status="retired", decided=True)
    assert statuses(settled["k1"], rejected) == {"k1": "active", "k2": "retired"}
    (back,) = after(settled["k1"], deleted=["k2"]).values()
    assert (back.status, back.superseded_by) == ("active", "")


def test_what_nobody_looked_at_brings_nothing_back():
    settled = after(rule("k1", MAIN, 1), rule("k2", RELEASE, 31))
    assert resolve([settled["k1"]]) == []


def test_in_the_middle_of_a_chain_the_next_one_takes_its_place():
    items = [rule("k1", MAIN, 1), rule("k2", RELEASE, 20), rule("k3", HOTFIX, 40)]
    settled = after(*items)
    settled["k2"] = replace(settled["k2"], status="retired", decided=True)
    assert after(*settled.values())["k1"].superseded_by == "k3"


def test_another_repository_s_rule_does_not_replace_this_one_s():
    elsewhere = rule("k2", RELEASE, 31, repo="lighthouse")
    assert set(statuses(rule("k1", MAIN, 1), elsewhere).values()) == {"active"}


def test_what_was_said_in_two_repositories_is_replaced_when_both_heard_the_newer():
    both = rule("k1", MAIN, 1)
    both = replace(both, repo="", evidence=(*both.evidence, said(MAIN, 2, "pier")))
    here = rule("k2", RELEASE, 31)
    assert statuses(both, here)["k1"] == "active"
    there = replace(here, repo="", evidence=(*here.evidence, said(RELEASE, 32, "pier")))
    assert statuses(both, there)["k1"] == "superseded"


def test_a_person_s_word_is_not_replaced_by_a_weaker_source():
    tool = rule(
        "k2", RELEASE, 31, trust="file", miner="written",
        evidence=(said(RELEASE, 31, trust="file"),),
    )  # fmt: skip
    assert statuses(rule("k1", MAIN, 1), tool) == {"k1": "active", "k2": "active"}


def test_a_weaker_source_is_replaced_by_a_person_s_word():
    lesson = rule("k1", MAIN, 1, trust="tool", miner="written")
    assert statuses(lesson, rule("k2", RELEASE, 31))["k1"] == "superseded"


def test_a_key_of_a_weaker_source_does_not_replace_a_person_s_rule():
    person = rule("k1", "berths count from 1", 1, key="berths", value="1")
    tool = rule(
        "k2", "berths count from 0", 9, key="berths", value="0", trust="tool", miner="places"
    )  # fmt: skip
    assert statuses(person, replace(tool, evidence=()))["k1"] == "active"


def test_a_candidate_that_replaces_a_rule_is_what_a_person_said_last():
    moved = rule("k2", "you may push to main again", 31, status="candidate")
    settled = after(rule("k1", "never push to main", 1), moved)
    assert settled["k1"].status == "superseded"
    assert settled["k2"].status == "active" and "k1" in settled["k2"].reason
    alone = after(moved)["k2"]
    assert alone.status == "candidate"


def test_a_refusal_of_the_moment_replaces_no_rule():
    refusal = rule("k2", "never push to main again", 31, miner="corrections")
    assert statuses(rule("k1", "always push to main", 1), refusal)["k1"] == "active"


def test_an_approval_counts_as_said_then():
    settled = after(rule("k1", MAIN, 1), rule("k2", RELEASE, 31))
    approved = replace(
        settled["k1"], status="active", superseded_by="", decided=True, last_confirmed=50 * DAY
    )  # fmt: skip
    assert statuses(approved, settled["k2"]) == {"k1": "active", "k2": "superseded"}


def test_what_a_person_approved_gives_way_to_a_later_rule_not_to_a_hint_of_one():
    approved = rule("k1", "never push to main", 1, decided=True)
    hint = rule("k2", "you may push to main again", 31, status="candidate")
    assert statuses(approved, hint)["k1"] == "active"
    assert statuses(approved, replace(hint, status="active"))["k1"] == "superseded"


def test_what_a_person_approved_comes_back_as_it_was():
    approved = rule("k1", MAIN, 1, decided=True, reason="approved: it is, says ben")
    newer, newest = rule("k2", RELEASE, 20), rule("k3", HOTFIX, 40)
    replaced = after(approved, newer)["k1"]
    replaced_again = after(replaced, newest, deleted=["k2"])["k1"]
    for item in (replaced, replaced_again):
        assert item.reason.endswith("; until then approved: it is, says ben")
        assert not is_replaced_by_word(item)
    assert after(replaced_again, deleted=["k3"])["k1"] == approved


def test_which_of_two_sentences_of_one_moment_is_newer_is_not_for_the_names_of_sessions():
    older, newer = rule("k1", MAIN, 1), rule("k2", RELEASE, 1)
    results = []
    for name in ("s0", "s2"):
        span = replace(newer.evidence[0], session=name)
        renamed = replace(newer, evidence=(span,))
        results.append(statuses(older, renamed))
    assert results[0] == results[1]


def test_a_writer_s_word_holds_as_long_as_the_newer_one_does():
    older = rule("k1", "run `make gen` first", 1, miner="written", trust="tool")
    newer = rule("k2", "run `make all` first", 31, miner="written", trust="tool")
    replaced = superseded(older, newer, who="claude")
    assert is_replaced(replaced) and resolve([replaced, newer]) == []
    gone = replace(newer, status="retired")
    assert statuses(replaced, gone)["k1"] == "candidate"  # one session shows it
    again = replace(older.evidence[0], session="s9", time=9 * 86400.0, hash="h9")
    proved = replace(replaced, evidence=(*older.evidence, again))
    assert statuses(proved, gone)["k1"] == "active"


def test_what_was_written_of_replaced_words_goes_and_comes_back_with_them():
    words = "telemetry is on by default"
    older = rule("k1", words, 1, key="telemetry", value="on")
    newer = rule("k2", "telemetry is off by default", 31, key="telemetry", value="off")
    lesson = rule("k3", words, 1, miner="changes", remedy=f'"{words}"')
    settled = after(older, newer, lesson)
    assert [settled[id].superseded_by for id in ("k1", "k3")] == ["k2", "k2"]
    settled["k2"] = replace(settled["k2"], status="retired", decided=True)
    assert statuses(*settled.values())["k3"] == "candidate"  # as it is without them


@pytest.mark.parametrize(
    ("fact", "fact_before", "differs"),
    [
        ('The user\'s rule: "rebase branches onto main".', 'The user\'s rule: "rebase branches onto develop".', True),
        ('The user\'s rule: "always push to main".', 'The user\'s rule: "never push to main".', True),
        ('The user\'s rule: "always push to the main".', 'The user\'s rule: "please always push to main".', False),
        ("`make` fails without `go`.", "`make` fails without `cargo`.", False),
    ],
)  # fmt: skip
def test_alike_sentences_that_lay_down_something_else_are_no_twins(
    fact, fact_before, differs
):
    assert says_otherwise(fact, fact_before) is differs
