"""Whatever order findings come in, and however they are cut into batches, the items are the same."""

from __future__ import annotations

from hashlib import blake2b

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from afterglow.flows.harvest import HomeRules, Merging
from afterglow.harvest.merge import id_of
from afterglow.records.knowledge import Evidence, Finding
from afterglow.store.in_memory_knowledge import Rehearsal
from keeping import DAY, NOW

RULES = (
    "always run the tide tests before you push",
    "always run tide tests before you push",
    "always run the tide tests before you push anything",
    "never run the tide tests before you push",
    "from now on use pnpm for the pier",
    "from now on use npm for the pier",
    "berth folders are numbered from 0",
    "berth folders are numbered from 1",
)
STATES = (
    ("the pier gate is shut in the morning", "open the pier gate first", "gate"),
    ("the pier gate is shut in the mornings", "open the pier gate first", "gate"),
    ("the quay lamp is dark", "wait for the lamp", "lamp"),
)
QUESTIONS = (
    "where does the quay lamp get its light from?",
    "where does a quay lamp get its light from?",
)
KINDS = [
    *((("rules"), number) for number in range(len(RULES))),
    *((("state"), number) for number in range(len(STATES))),
    *((("questions"), number) for number in range(len(QUESTIONS))),
]


def span(session: str, line: int, quote: str, trust: str, day: int) -> Evidence:
    mark = blake2b(quote.encode(), digest_size=8).hexdigest()
    return Evidence(
        session, "agent", line, "text", 0, len(quote), mark, quote, trust,
        repo="harbor", author=session[0], time=NOW + day * DAY,
    )  # fmt: skip


def finding(kind: tuple[str, int], session: str, line: int, day: int) -> Finding:
    miner, number = kind
    topic = f"{miner}|{number} @ harbor"
    if miner == "rules":
        from afterglow.harvest.miners.rules import setting

        words = RULES[number]
        key, value = setting(words)
        slots = {"words": words, "key": key, "value": value}
        if number % 2:
            slots["change"] = "yes"
        return Finding(miner, topic, slots, (span(session, line, words, "user", day),))
    if miner == "state":
        situation, remedy, check = STATES[number]
        slots = {
            "situation": situation,
            "remedy": remedy,
            "check": check,
            "agent_wide": "",
        }
        evidence = (span(session, line, situation, "assistant", day),)
        return Finding(miner, topic, slots, evidence, fingerprint=check)
    words = QUESTIONS[number]
    evidence = (span(session, line, words, "user", day),)
    return Finding(miner, topic, {"question": words}, evidence, fingerprint="lamp")


@st.composite
def histories(draw):
    """Sessions of some people on some days, by name, with what was found in each."""
    names = draw(
        st.lists(
            st.tuples(st.sampled_from("abc"), st.integers(0, 9)),
            min_size=1,
            max_size=9,
            unique=True,
        )
    )
    return {
        f"{person}{day}": [
            finding(kind, f"{person}{day}", line, day)
            for line, kind in enumerate(
                draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=7))
            )
        ]
        for person, day in names
    }


class WholeHistory(HomeRules):
    """As at a hub: items rest on the findings that are there, and on nothing else."""

    is_whole = True

    def basis(self, before):
        return replace(before, evidence=(), source_count=0)


class Home:
    """Sessions as they come and go, merged into a store."""

    def __init__(self, *, is_whole: bool) -> None:
        self.findings: dict[str, list[Finding]] = {}
        self.store = Rehearsal()
        self.rules = WholeHistory() if is_whole else HomeRules()
        self.pending: set[str] = set()

    def put(self, session: str, findings: list[Finding]) -> None:
        before = self.findings.get(session, [])
        self.findings[session] = findings
        self.pending |= {each.topic for each in (*before, *findings)}

    def merge(self, most: int = 1000) -> None:
        while self.pending:
            topics = sorted(self.pending)[:most]
            merging = Merging(self.store, {}, self.load, rules=self.rules)
            merging.merge(topics, NOW)
            assert not merging.troubles
            self.pending -= set(topics)

    def load(self, topics):
        listed = set(topics)
        found: dict[str, list[Finding]] = {}
        for findings in self.findings.values():
            for each in findings:
                if each.topic in listed:
                    found.setdefault(each.topic, []).append(each)
        return found

    @property
    def items(self):
        kept = self.store.kept.values()
        return {item.id: item for item in kept if item.status != "retired"}


def all_at_once(history, *, is_whole: bool):
    home = Home(is_whole=is_whole)
    for session, findings in sorted(history.items()):
        home.put(session, findings)
    home.merge()
    return home.items


@pytest.mark.parametrize("is_whole", [True, False])
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_any_order_and_any_batches_give_the_same_items(is_whole, data):
    history = data.draw(histories())
    order = data.draw(st.permutations(sorted(history)))
    repeats = data.draw(st.lists(st.sampled_from(sorted(history)), max_size=3))
    home = Home(is_whole=is_whole)
    for session in (*order, *repeats):
        home.put(session, history[session])
        if data.draw(st.booleans()):
            home.merge(most=data.draw(st.integers(1, 4)))
    home.merge(most=data.draw(st.integers(1, 4)))
    assert home.items == all_at_once(history, is_whole=is_whole)


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_what_was_taken_back_leaves_no_trace(data):
    history = data.draw(histories())
    names = sorted(history)
    withdrawn = data.draw(st.sets(st.sampled_from(names)))
    home = Home(is_whole=True)
    for session in data.draw(st.permutations(names)):
        home.put(session, history[session])
        if data.draw(st.booleans()):
            home.merge()
        if session in withdrawn and data.draw(st.booleans()):
            home.put(session, [])
    for session in withdrawn:
        home.put(session, [])
    home.merge(most=data.draw(st.integers(1, 4)))
    rest = {name: found for name, found in history.items() if name not in withdrawn}
    assert home.items == all_at_once(rest, is_whole=True)
    assert home.store.kept == home.items


def test_the_oldest_of_two_topics_that_say_the_same_gives_the_item_its_id():
    newer = finding(("rules", 0), "a5", 1, 5)
    older = finding(("rules", 1), "b2", 1, 2)
    home = Home(is_whole=False)
    home.put("a5", [newer])
    home.merge()
    assert set(home.items) == {id_of(newer.topic)}
    home.put("b2", [older])
    home.merge()
    (item,) = home.items.values()
    assert item.id == id_of(older.topic)
    assert item.topics == (older.topic, newer.topic)


@pytest.mark.parametrize("names", [("a5", "b5"), ("b5", "a5")])
def test_which_words_are_told_of_two_sessions_of_one_moment_is_not_for_their_names(
    names,
):
    home = Home(is_whole=True)
    for number, session in enumerate(names):
        home.put(session, [finding(("rules", number), session, 1, 5)])
    home.merge()
    (item,) = home.items.values()
    assert item.fact == f'The user\'s rule: "{RULES[0]}".'


def test_what_a_person_decided_about_keeps_its_id():
    newer = finding(("rules", 0), "a5", 1, 5)
    older = finding(("rules", 1), "b2", 1, 2)
    home = Home(is_whole=True)
    home.put("a5", [newer])
    home.merge()
    (item,) = home.items.values()
    home.store.save([replace(item, decided=True)], by="person", now=NOW)
    home.put("b2", [older])
    home.merge()
    (after,) = home.items.values()
    assert after.id == item.id and after.decided
    assert {each.session for each in after.evidence} == {"a5", "b2"}
