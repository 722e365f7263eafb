"""What a team believes: two people, or a reviewer; what people decided wins, and where they disagree somebody looks."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from afterglow.flows.harvest import Merging
from afterglow.flows.hub import merge_pending, take_back
from afterglow.flows.knowledge import approve, reject
from afterglow.harvest.merge import id_of
from afterglow.harvest.shared_lessons import lesson_topic
from afterglow.records.contributions import SharedDecision
from afterglow.records.knowledge import (
    WITHDRAWN,
    Finding,
    KnowledgeItem,
    approval_mark,
    is_approved,
)
from afterglow.store.in_memory_knowledge import Rehearsal
from contributing import (
    HARBOR,
    NOW,
    Team,
    row,
    rule,
    session,
    span,
    withdrawn,
)
from hub_database import copied_hub

pytestmark = pytest.mark.slow


@pytest.fixture
def team(hub_database, tmp_path):
    return Team(hub_database, tmp_path)


def decided(item: KnowledgeItem, what: str, **fields):
    decision = SharedDecision(
        item=item.id,
        topics=item.topics,
        what=what,
        mark=approval_mark(item),
        **fields,
    )
    return row("decision", item.id, decision)


def lesson(*sessions: str, **fields) -> KnowledgeItem:
    values = {
        "id": "k77", "fact": "`make ship` fails until `make pier` was run", "category": "pitfall", "repo": HARBOR,
        "situation": "`make ship` fails", "remedy": "run `make pier` first", "confidence": 0.6, "miner": "told",
    }  # fmt: skip
    spans = tuple(
        span(name, "make pier", trust="assistant", part="arguments")
        for name in sessions
    )
    return KnowledgeItem(**(values | fields), evidence=spans)


def the_item(team: Team) -> KnowledgeItem:
    (item,) = team.items().values()
    return item


def test_one_persons_word_waits_and_a_second_persons_makes_it_active(team):
    assert team.send("cyd", session("s1"), session("s5")).accepted == 2
    team.merge()
    assert the_item(team).status == "candidate"
    assert "one person" in the_item(team).reason
    team.send("ben", session("s2"))
    team.merge()
    item = the_item(team)
    assert item.status == "active"
    assert item.reason == "3 independent sessions of 2 people"
    team.send("ben", withdrawn("session", "s2"))
    team.merge()
    assert the_item(team).status == "candidate"


def test_a_reviewers_yes_at_home_counts_as_theirs_until_it_is_taken_back(team):
    team.send("cyd", session("s1"))
    team.merge()
    team.send("ben", decided(the_item(team), "approved"))
    team.merge()
    item = the_item(team)
    assert (item.status, item.decided) == ("active", True)
    assert item.reason == "approved by ben on their own machine"
    team.send("ben", withdrawn("decision", item.id))
    team.merge()
    item = the_item(team)
    assert (item.status, item.decided) == ("candidate", False)
    assert not is_approved(item)


def replaced_after_a_yes_at_home(team: Team) -> str:
    """The id of what ben said and approved at home, and two others have said the opposite of since."""
    team.send("ben", session("s1", rule("s1", "always use npm for the pier")))
    team.merge()
    item = the_item(team)
    team.send("ben", decided(item, "approved"))
    for name, at in (("ada", "s2"), ("cyd", "s3")):
        team.send(name, session(at, rule(at, "never use npm for the pier")))
    team.merge()
    assert team.items()[item.id].status == "superseded"
    return item.id


def test_a_yes_at_home_is_taken_back_also_where_a_newer_rule_has_replaced_the_item(
    team,
):
    id = replaced_after_a_yes_at_home(team)
    team.send("ben", withdrawn("decision", id))
    team.merge()
    item = team.items()[id]
    assert (item.status, item.decided) == ("candidate", False)
    assert not is_approved(item)


def test_a_yes_at_home_counts_as_before_when_the_newer_rule_is_taken_back(team):
    id = replaced_after_a_yes_at_home(team)
    team.send("ada", withdrawn("session", "s2"))
    team.merge()
    item = team.items()[id]
    assert (item.status, item.decided) == ("active", True)
    assert item.reason == "approved by ben on their own machine"


def test_another_members_yes_is_a_proposal(team):
    team.send("cyd", session("s1"))
    team.merge()
    team.send("cyd", decided(the_item(team), "approved"))
    team.merge()
    item = the_item(team)
    assert (item.status, item.decided) == ("candidate", False)
    assert "cyd approved it" in item.reason


def test_a_yes_to_other_words_is_none(team):
    team.send("cyd", session("s1"))
    team.merge()
    other = replace(the_item(team), fact="always push at once")
    team.send("ben", decided(other, "approved"))
    team.merge()
    assert the_item(team).status == "candidate"


def test_reviewers_who_disagree_are_both_named_and_somebody_looks(team):
    team.send("cyd", session("s1"))
    team.merge()
    item = the_item(team)
    team.send("ben", decided(item, "approved"))
    team.send("ada", decided(item, "rejected", why="we test at night"))
    team.merge()
    item = the_item(team)
    assert (item.status, item.decided) == ("candidate", False)
    assert "ben approved it, ada rejected it" in item.reason
    approve(team.config("ada"), [item.id], now=NOW)
    team.send("cyd", session("s4"))
    team.merge()
    item = the_item(team)
    assert (item.status, item.decided) == ("active", True)


def test_a_no_at_the_hub_holds_whatever_machines_bring(team):
    team.send("cyd", session("s1"))
    team.merge()
    reject(team.config("ben"), [the_item(team).id], why="of one day", now=NOW)
    team.send("ada", session("s2"))
    team.merge()
    assert (the_item(team).status, the_item(team).decided) == ("retired", True)


def test_words_that_a_reviewer_approved_stay_as_they_were_approved(team):
    team.send("cyd", session("s1"))
    team.merge()
    before = the_item(team)
    approve(team.config("ben"), [before.id], now=NOW)
    other = rule("s9", "always run the tide tests")
    reworded = replace(
        other, slots={**other.slots, "words": "always run tide tests late"}
    )
    team.send("cyd", session("s9", reworded))
    team.merge()
    item = the_item(team)
    assert (item.fact, item.status) == (before.fact, "active")
    assert len(item.evidence) == 2


def test_a_reviewers_words_take_the_place_of_the_machines(team):
    team.send("cyd", session("s1"))
    team.merge()
    words = {"fact": "Run the tide tests before each push.", "category": "pattern"}
    team.send("ben", decided(the_item(team), "edited", **words))
    team.send("cyd", decided(the_item(team), "edited", fact="Push at once."))
    team.merge()
    item = the_item(team)
    assert (item.fact, item.status) == (
        "Run the tide tests before each push.",
        "active",
    )


def test_a_decision_sent_for_another_repository_decides_nothing(team):
    team.send("ada", session("s1", rule("s1", repo="acme/quay"), repo="acme/quay"))
    team.merge()
    team.send("ben", decided(the_item(team), "approved"))
    team.merge()
    assert the_item(team).status == "candidate"


def test_a_lesson_of_two_people_is_one_item_of_both(team):
    team.send("cyd", row("lesson", "k77", lesson("s1")))
    team.merge()
    item = the_item(team)
    assert item.id == id_of(lesson_topic(lesson("s1")))
    assert (item.status, item.miner) == ("candidate", "told")
    alike = lesson("s2", id="k99", fact="`make ship` fails until `make pier` was run.")
    team.send("ben", row("lesson", "k99", alike))
    team.merge()
    item = the_item(team)
    assert item.status == "active" and item.remedy == "run `make pier` first"
    assert len({each.author for each in item.evidence}) == 2


def test_nobody_takes_anothers_lesson_by_its_id(team):
    team.send("cyd", row("lesson", "k77", lesson("s1")))
    team.send(
        "ben", row("lesson", "k77", lesson("s2", fact="`make ship` is never to be run"))
    )
    team.merge()
    assert {item.status for item in team.items().values()} == {"candidate"}
    assert len(team.items()) == 2


def test_one_persons_newer_word_does_not_replace_what_the_team_has(team):
    for name, at in (("cyd", "s1"), ("ben", "s2")):
        team.send(name, session(at, rule(at, "always use npm for the pier")))
    team.merge()
    team.send("cyd", session("s8", rule("s8", "never use npm for the pier")))
    team.merge()
    statuses = sorted(item.status for item in team.items().values())
    assert statuses == ["active", "candidate"]


def test_who_leaves_takes_along_what_was_approved_and_a_no_stays_without_their_words(
    team,
):
    approved, rejected = rule("s1"), rule("s2", "never push on fridays")
    team.send("cyd", session("s1", approved), session("s2", rejected))
    team.merge()
    ids = {item.fact: item.id for item in team.items().values()}
    approve(
        team.config("ben"),
        [ids['The user\'s rule: "always run the tide tests".']],
        now=NOW,
    )
    reject(
        team.config("ben"),
        [ids['The user\'s rule: "never push on fridays".']],
        why="no",
        now=NOW,
    )
    assert take_back(team.hub.cyd) == 2
    team.merge()
    item = the_item(team)
    assert (item.status, item.decided, item.evidence) == ("retired", True, ())
    team.send(
        "ada", session("s7", rejected_again := rule("s7", "never push on fridays"))
    )
    team.merge()
    assert the_item(team).status == "retired"
    assert [each.quote for each in the_item(team).evidence] == [
        rejected_again.first.quote
    ]


WORDS = (
    "always run the tide tests before you push",
    "always run tide tests before you push",
    "always use npm for the pier",
    "never use npm for the pier",
    "berth folders are numbered from 0",
)


APPROVED = KnowledgeItem(
    id="k1",
    fact='The user\'s rule: "always use npm for the pier".',
    category="pattern",
    remedy="always use npm for the pier",
    topics=(rule("s1", "always use npm for the pier").topic,),
)


def at_home(sent) -> dict[str, tuple[str, tuple[str, ...]]]:
    """What one machine that had all these sessions would say."""
    by_topic: dict[str, list[Finding]] = {}
    for (name, key), contribution in sent.items():
        if contribution.kind == "session":
            for found in msgspec.json.decode(contribution.body, type=list[Finding]):
                spans = tuple(
                    replace(each, session=f"{name} {key}") for each in found.evidence
                )
                by_topic.setdefault(found.topic, []).append(
                    replace(found, evidence=spans)
                )
    store = Rehearsal()
    load = lambda topics: {name: by_topic[name] for name in topics if name in by_topic}  # noqa: E731
    Merging(store, {}, load).merge(by_topic, NOW)
    return {item.id: (item.fact, item.topics) for item in store.kept.values()}


@st.composite
def histories(draw):
    """Sessions of people, and perhaps what two of them decided at home: (person, key) -> what is sent."""
    names = st.tuples(st.sampled_from(["ada", "ben", "cyd"]), st.integers(1, 9))
    words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True)
    sent = {
        (name, f"s{day}"): session(
            f"s{day}", *(rule(f"s{day}", each) for each in draw(words))
        )
        for name, day in draw(st.lists(names, min_size=2, max_size=6, unique=True))
    }
    for name in draw(st.sets(st.sampled_from(["ben", "cyd"]))):
        sent[name, "k1"] = decided(
            APPROVED, draw(st.sampled_from(["approved", "rejected"]))
        )
    return sent


def standing(team: Team) -> dict[str, KnowledgeItem]:
    """An approval that was taken back is none; only the store's row says that there was one."""
    return {
        id: replace(item, approved="") if item.approved == WITHDRAWN else item
        for id, item in team.items().items()
    }


@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_any_interleaving_of_machines_ends_in_the_same_items(
    hub_template, tmp_path_factory, data
):
    home = tmp_path_factory.getbasetemp()
    sent = data.draw(histories())
    back = data.draw(st.sets(st.sampled_from(sorted(sent)), max_size=2))
    order = data.draw(st.permutations(sorted(sent)))
    repeats = data.draw(st.lists(st.sampled_from(order), max_size=2))
    with copied_hub(hub_template) as first, copied_hub(hub_template) as second:
        mixed, at_once = Team(first, home), Team(second, home)
        for name, key in (*order, *repeats):
            mixed.send(name, sent[name, key])
            if data.draw(st.booleans()):
                merge_pending(mixed.hub.merge, now=NOW)
        for name, key in back:
            mixed.send(name, withdrawn(sent[name, key].kind, key, seq=1 << 40))
        mixed.merge()
        rest = {place: sent[place] for place in sorted(sent.keys() - back)}
        for (name, _), contribution in rest.items():
            at_once.send(name, contribution)
        at_once.merge()
        assert standing(mixed) == at_once.items()
        said = {item.id: (item.fact, item.topics) for item in mixed.items().values()}
        assert said == at_home(rest)
