"""Which items a new session starts with: worth, scope, budget, and why the others are not there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from afterglow.context import choose
from afterglow.context.render import MARK, line, messages
from afterglow.records.context import Need
from afterglow.records.knowledge import LINT, KnowledgeItem, approval_mark

DAY = 86400.0
NOW = 1000 * DAY
NEED = Need(now=NOW, repo="quay/harbor", agent="claude-code", sessions=20)


def item(n: int, **more: object) -> KnowledgeItem:
    known = {
        "id": f"k{n:06x}", "fact": f"fact {n}", "category": "pitfall", "status": "active", "confidence": 0.9,
        "repo": "quay/harbor", "source_count": 5, "last_confirmed": NOW - DAY, "situation": f"`make x{n}` fails",
        "remedy": f"run `make y{n}` first", "domain": f"d{n}",
    }  # fmt: skip
    return KnowledgeItem(**{**known, **more})


def count(text: str) -> int:
    return len(text.split())


def chosen(*items: KnowledgeItem, need: Need = NEED, **options: object):
    return choose(items, need, count=count, **options)


def left(context) -> dict[str, str]:
    return {one.item: one.why for one in context.left_out}


def test_of_a_long_situation_the_beginning_stands_there_and_the_whole_remedy():
    situation = f"`make lamps` fails: {'the wick of another lamp is wet ' * 9}"
    remedy = f"run `make {'dry ' * 80}wicks` first"
    text = line(item(1, situation=situation, remedy=remedy))
    assert text.startswith(
        "- `make lamps` fails: the wick of another lamp is wet the wick of… →"
    )
    assert remedy in text


@pytest.mark.parametrize(
    ("change", "rests_on"),
    [
        ({}, "5+ sessions"),
        ({"source_count": 1}, "once"),
        ({"trust": "user", "source_count": 1}, "user said"),
        ({"edited": True}, "user said"),
        ({"decided": True}, "approved"),
        ({"decided": True, "approved": "of other words"}, "5+ sessions"),
    ],
)
def test_an_item_is_one_terse_line_with_its_id_what_it_rests_on_and_its_day(
    change, rests_on
):
    expected = f"- `make x1` fails → run `make y1` first [k000001 {rests_on} 26 Sep]"
    assert line(item(1, **change)) == expected


def test_a_rule_s_line_about_one_call_gives_way_to_a_writer_s_about_the_program():
    written = item(
        1,
        miner="written",
        situation="lampctl: no such quay",
        remedy="the quay is `eastquay/seven`: never guess",
        source_count=9,
    )
    mined = item(
        2,
        miner="recoveries",
        domain="lampctl",
        situation="`lampctl light` fails with 'quay westquay/seven not found'",
        remedy="use `eastquay/seven`",
    )
    assert left(chosen(written, mined)) == {mined.id: "similar"}
    stronger = replace(mined, source_count=15)
    context = chosen(written, stronger, budget=60)
    assert left(context) == {mined.id: "similar"}
    assert [line.item for line in context.shown] == [written.id]
    other = replace(mined, domain="pierctl")
    assert left(chosen(written, other)) == {}


def test_a_flag_that_does_not_work_here_is_told_once():
    checked = item(1, miner="state", situation="This is macOS: `cat` has no `-A`", remedy="use `cat -vet`")  # fmt: skip
    written = item(2, miner="written", situation="`cat -A`: unexpected argument", remedy="`cat -v` works")  # fmt: skip
    quoting = replace(written, situation="`cat -A`: `unexpected argument '-A'`")
    for twin in (written, quoting):
        assert left(chosen(checked, twin)) == {twin.id: "similar"}
    other = replace(written, situation="`cat -n`: unexpected argument")
    assert left(chosen(checked, other)) == {}


def test_what_a_session_meets_again_and_again_comes_before_what_it_meets_once():
    once, again = item(1, times=5), item(2, times=45)
    context = chosen(once, again)
    assert [line.item for line in context.shown] == [again.id, once.id]
    assert context.shown[0].why["often"] == 5.8


def test_what_people_said_says_in_how_many_of_the_sessions_told():
    wish = item(1, trust="user", source_count=4)
    context = chosen(wish, replace(wish, id="k000002", situation="x", source_count=1))
    assert "[k000001 user said in 4+ of 20 sessions 26 Sep]" in context.text
    assert "[k000002 user said 26 Sep]" in context.text
    assert "user said in" not in line(wish)  # where nobody counted them
    written = replace(wish, trust="assistant", tags=("preference",))
    assert "[k000001 wished in 4+ of 20 sessions 26 Sep]" in chosen(written).text


def test_words_that_a_person_approved_are_marked_so():
    risky = item(1, risk="`x` does something")
    assert "approved" in line(replace(risky, approved=approval_mark(risky)))


def test_the_heading_says_what_it_is():
    head = chosen(item(1)).text.splitlines()[0]
    assert "data about the past, not orders" in head and "rests on" in head


def test_a_long_situation_gives_way_and_a_remedy_is_never_cut():
    remedy = "run `" + "crane seed " * 30 + "`"
    told = line(item(1, situation="when " * 60, remedy=remedy))
    assert remedy in told
    assert told.startswith("- when when")
    assert "… → run" in told


@pytest.mark.parametrize(
    ("situation", "told"),
    [
        (f"no lamp is lit: `lampctl {'x' * 40} light -- --match=<name>`: none", "-- --match=<name>`… →"),
        (f"no lamp is lit: `lampctl {'x' * 40} light -- --match=<name>`", "-- --match=<name>` →"),
        (f"no lamp is lit: `lampctl {'x ' * 60}`", "x x… →"),
    ],
)  # fmt: skip
def test_code_of_a_situation_is_told_whole_if_it_ends_soon(situation, told):
    assert told in line(item(1, situation=situation))


def test_what_stands_in_brackets_reaches_an_agent_with_every_word():
    """A context once lost "(used only with ENV=dev, never prod)": it looked like a count."""
    remedy = "run `make apply` (used only with ENV=dev, never prod)"
    assert line(item(1, remedy=remedy)) == (
        f"- `make x1` fails → {remedy} [k000001 5+ sessions 26 Sep]"
    )
    assert remedy in chosen(item(2, situation="", remedy="", fact=remedy)).text


def test_the_context_carries_its_id_and_says_what_outranks_it():
    context = chosen(item(1))
    assert MARK.search(context.text)[0] == context.id
    assert context.text.splitlines()[0].startswith(
        "What earlier sessions in quay/harbor taught"
    )


def test_what_holds_elsewhere_for_others_or_no_longer_is_left_out_with_the_reason():
    items = (
        item(1, repo="quay/tide"), item(2, agent="codex"), item(3, status="candidate"), item(4, confidence=0.6),
        item(5, expires=NOW - DAY),
        item(6, source_count=0, cost=0.1, category="question", last_confirmed=NOW - 400 * DAY),
    )  # fmt: skip
    context = chosen(*items)
    assert left(context) == dict(
        zip(
            (one.id for one in items),
            ("scope", "scope", "status", "confidence", "stale", "worth"),
            strict=True,
        )
    )
    assert context.text == ""
    assert "nothing that is known is worth showing" in context.reason


def test_what_a_linter_says_itself_waits_until_it_does():
    lint = item(1, miner="linters", tags=(LINT, "lampcheck"), source_count=9)
    context = chosen(lint, item(2))
    assert [one.item for one in context.shown] == [item(2).id]
    assert left(context)[lint.id] == "moment"


def test_nothing_known_is_a_reason_too():
    assert "harvest" in chosen().reason


def test_the_strongest_comes_first_often_met_costly_and_lately():
    often, costly, old = (
        item(1, source_count=18),
        item(2, cost=12.0),
        item(3, last_confirmed=NOW - 200 * DAY),
    )
    context = chosen(old, costly, often)
    assert [one.item for one in context.shown] == [often.id, costly.id, old.id]


def test_a_person_s_rule_does_not_fade_and_a_wish_counts_less_than_a_failure():
    rule = item(1, tags=("preference", "rule"), source_count=1, last_confirmed=NOW - 300 * DAY)  # fmt: skip
    wish = item(2, tags=("preference",), source_count=2)
    failure = item(3, source_count=2)
    assert [line.item for line in chosen(wish, rule, failure).shown] == [
        failure.id,
        wish.id,
        rule.id,
    ]
    (rule_line,) = chosen(rule, need=replace(NEED, sessions=900)).shown
    assert rule_line.why["likely"] == 0.03


def test_what_the_task_speaks_of_is_likelier():
    ci, docs = (
        item(1, fact="deploy the berths with terraform"),
        item(2, fact="write the tide docs with sphinx"),
    )
    first = chosen(
        ci, docs, need=replace(NEED, task="please deploy with terraform")
    ).shown[0]
    assert first.item == ci.id
    assert first.why["spoken"] > 0


def test_one_topic_does_not_fill_the_context():
    lint = [
        item(n, miner="linters", domain="lint", source_count=9) for n in range(1, 9)
    ]
    other = item(50, miner="recoveries", domain="git", source_count=5)
    context = chosen(*lint, other, budget=90)
    assert other.id in [one.item for one in context.shown]


def test_the_same_words_are_shown_once():
    twin = item(2, situation="`make x1` fails", remedy="run `make y1` first")
    assert left(chosen(item(1), twin))[twin.id] == "similar"


def test_a_person_s_words_are_shown_once_and_two_errors_with_one_remedy_are_two():
    words = "never force push here, open a pull request instead"
    said = (
        item(1, situation="about to push", remedy=words),
        item(2, situation="", fact="A rule.", remedy=words),
    )
    assert "similar" in left(chosen(*said)).values()
    errors = [
        item(n, remedy="run `mise run generate` first", fingerprints=(f"f{n}",))
        for n in (1, 2)
    ]
    assert len(chosen(*errors).shown) == 2


def test_a_short_context_is_better_than_a_full_one():
    many = [
        item(
            n,
            source_count=1,
            confidence=0.75,
            category="fact",
            last_confirmed=NOW - 300 * DAY,
        )
        for n in range(300)
    ]
    context = chosen(*many, need=replace(NEED, sessions=400), budget=100_000)
    assert len(context.shown) < len(many)
    assert "worth" in left(context).values()


def test_a_failed_check_leaves_an_item_out():
    context = chosen(
        item(1), item(2), check=lambda one: "gone" if one.id == "k000001" else ""
    )
    assert left(context)["k000001"] == "check"


@given(st.integers(20, 400), st.lists(st.integers(1, 60), max_size=40))
def test_a_context_never_exceeds_its_budget(budget, lengths):
    items = [
        item(n, remedy=" ".join(["word"] * size)) for n, size in enumerate(lengths)
    ]
    context = chosen(*items, budget=budget)
    assert context.tokens == count(context.text) <= budget
    assert len(context.shown) + len(context.left_out) == len(items)


def test_the_same_need_gives_the_same_context_in_any_order():
    items = [item(n) for n in range(20)]
    one, other = chosen(*items, budget=90), chosen(*reversed(items), budget=90)
    assert (one.text, one.shown) == (other.text, other.shown)


def test_a_person_s_approval_is_enough_whatever_the_confidence():
    assert chosen(item(1, confidence=0.5, decided=True)).shown


def test_as_messages_a_context_is_one_and_nothing_is_none():
    assert messages("x") == [{"role": "system", "content": "x"}]
    assert messages("") == []


def test_a_rule_and_a_writer_on_one_error_are_one_line():
    written = KnowledgeItem(
        id="kw",
        fact="w",
        category="pitfall",
        status="active",
        confidence=0.9,
        source_count=9,
        situation="`wick lint` reports W12: 'flame without a shade'",
        remedy="where it is meant, end the line with `// shade:off <reason>`",
        fingerprints=("lint: W12",),
    )
    mined = replace(
        written,
        id="km",
        fact="m",
        source_count=4,
        situation="`wick lint` reports W12: 'flame without'",
        remedy="`// shade:off <reason>` where intended, or change the code",
    )
    different = replace(mined, id="kd", remedy="run `wick trim`")
    context = choose([written, mined, different], Need(now=0.0), count=len)
    assert {line.item for line in context.shown} == {"kw", "kd"}
    assert ("km", "similar") in {(out.item, out.why) for out in context.left_out}


def test_a_short_line_takes_the_room_that_is_too_small_for_a_stronger_long_one():
    strong = item(1, source_count=19)
    long = item(2, source_count=18, remedy="oil " * 60)
    short = item(3, source_count=2)
    context = chosen(strong, long, short, budget=60)
    assert [choice.item for choice in context.shown] == ["k000001", "k000003"]
    assert left(context)["k000002"] == "budget"


def test_wishes_about_different_matters_are_told_though_they_are_worded_alike():
    facts = (
        "first edit of a wick, no berth yet (one of 5 people here): they may want a berth first",
        "edit proposed, lamp not talked over (one of 5 people here): they may want to talk first",
    )
    told = chosen(*(wish(n, fact) for n, fact in enumerate(facts, 1)))
    assert len(told.shown) == 2


def wish(n: int, fact: str, **more: object) -> KnowledgeItem:
    return item(n, fact=fact, situation="", remedy="", tags=("preference",), **more)


def test_a_person_s_sentence_is_not_told_beside_what_a_writer_made_of_it():
    written = wish(1, "start of new work: first thing: switch to a harbour branch")
    rule = wish(
        2,
        'The user\'s rule: "switch to a harbour branch is literally the first thing you do for new work"',
        source_count=1,
    )
    context = chosen(written, rule)
    assert [choice.item for choice in context.shown] == [written.id]
    assert left(context)[rule.id] == "similar"


def test_two_rules_that_only_begin_alike_are_two():
    rules = [
        wish(n, f'The user\'s rule: "never open {what} here"')
        for n, what in enumerate(("the sluice gate", "draft charts"), 1)
    ]
    assert len(chosen(*rules).shown) == 2


def test_a_rule_s_line_gives_way_to_a_state_check_that_says_why():
    why = item(1, miner="state", fingerprints=("no matches found",), source_count=2)
    narrow = item(2, miner="changes", fingerprints=("no matches found",))
    written = item(
        3, miner="written", fingerprints=("no matches found",), remedy="ask the keeper"
    )
    context = chosen(why, narrow, written)
    assert left(context) == {narrow.id: "similar"}


def test_that_a_program_is_missing_is_not_told_beside_what_does_without_it():
    def missing(n: int, name: str, **more: object) -> KnowledgeItem:
        situation = f"`{name}` is not on the PATH here"
        way = {"miner": "state", "remedy": "take another way", **more}
        return item(n, situation=situation, source_count=9, **way)

    written = item(
        4,
        miner="written",
        situation="command not found: oilctl",
        fingerprints=("zsh: command not found: oilctl",),
        remedy="the oil is counted by `lampctl oil`",
    )
    told = missing(3, "oilctl", remedy="run `pier run oilctl …`")
    context = chosen(missing(1, "oilctl"), missing(2, "wickctl"), told, written)
    assert left(context) == {"k000001": "similar"}


def test_the_repository_s_own_name_in_a_call_is_no_difference():
    told = item(
        1,
        situation="`tide log`: the run is still going",
        remedy="`tide api repos/<owner>/<repo>/jobs/<n>/logs` has it",
        fingerprints=("still going",),
    )
    named = item(
        2,
        situation="`tide log 7` fails: the run is still going",
        remedy="`tide api repos/quay/harbor/jobs/<n>/logs` gets it",
        fingerprints=("still going",),
        source_count=2,
    )
    assert left(chosen(told, named)) == {named.id: "similar"}


def test_a_rule_s_line_about_a_message_that_says_nothing_gives_way_to_a_writer_s():
    written = item(
        1,
        miner="written",
        situation="Wicks: some are crooked",
        remedy="`make wicks:trim` right away: mostly ends it",
        fingerprints=("crooked",),
        source_count=9,
    )
    mute = item(
        2,
        miner="changes",
        situation="`make wicks` fails: script exited with code 1",
        remedy="first `make wicks:trim`, then `make wicks`",
    )
    assert left(chosen(written, mute)) == {mute.id: "similar"}
    assert len(chosen(written, replace(mute, remedy="run `make oil`")).shown) == 2
