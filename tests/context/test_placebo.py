"""A placebo looks like a context, is as long, can be made again, and says only what is true and of no use."""

from __future__ import annotations

import re
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afterglow.context import choose
from afterglow.context.placebo import disguised, disguised_hint, is_placebo, placebo
from afterglow.records.context import MARK, Hint, Need
from afterglow.text.basis import heading
from afterglow.text.tokens import estimate
from keeping import NOW, item

LINE = re.compile(r"- .+ → .+ \[k[0-9a-f]{7} \d\+ sessions \d{1,2} [A-Z][a-z]{2}\]")
SHORTEST = "`printf '%x' 999` → 3e7"  # no fact is told in fewer tokens
COMMANDS = re.compile(
    r"`([^`/][^`]*)`(?: prints| →) ([^`]+?)(?=, the first|[;\[]|$)", re.MULTILINE
)


def made(number: int = 1, tokens: int = 400):
    return placebo(f"ag-{number:010x}", "harbor", tokens=tokens, now=NOW)


def real(pitfalls: int):
    need = Need(now=NOW, repo="harbor", agent="claude-code", sessions=3)
    items = [
        item(n, situation=f"`make ship` fails at pier {n}", remedy=f"build pier {n} first " * (1 + n % 4),
             miner=f"miner {n}", domain=f"domain {n}") for n in range(pitfalls)
    ]  # fmt: skip
    return choose(items, need, count=estimate, budget=2000, id="ag-00000000c1"), need


@pytest.mark.parametrize("pitfalls", [1, 2, 5, 20])
def test_it_is_as_long_as_the_context_it_stands_in_for(pitfalls):
    context, need = real(pitfalls)
    fake, _ = disguised(context, need)
    assert len(context.shown) == pitfalls
    assert abs(fake.tokens / estimate(context.text) - 1) <= 0.1


def test_any_length_is_met_within_a_tenth():
    lengths = range(75, 1200, 45)
    off = {tokens: made(tokens, tokens).tokens / tokens - 1 for tokens in lengths}
    assert max(map(abs, off.values())) <= 0.1, off


@settings(max_examples=60, deadline=None)
@given(tokens=st.integers(0, 2500), number=st.integers(0, 2**32))
def test_a_placebo_was_longer_than_what_it_stands_in_for(tokens, number):
    """It took the nearest length, which may lie above: a budget is never overshot."""
    fake = made(number, tokens)
    assert fake.tokens == (estimate(fake.text) if fake.text else 0) <= tokens


@given(words=st.integers(1, 60), seed=st.text(max_size=5))
def test_the_line_of_a_placebo_is_no_longer_than_the_hint(words, seed):
    hint = Hint(text := " ".join(["pier"] * words), estimate(text), (), "k0000001")
    line, _ = disguised_hint(hint, seed)
    assert line.tokens == estimate(line.text)
    assert line.tokens <= max(hint.tokens, estimate(SHORTEST))


def test_it_has_the_look_of_a_context():
    context, need = real(5)
    fake, _ = disguised(context, need)
    assert fake.id == context.id and MARK.search(fake.text)
    assert (
        fake.text.splitlines()[0]
        == context.text.splitlines()[0]
        == heading(fake.id, "harbor")
    )
    assert all(LINE.fullmatch(line) for line in fake.text.splitlines()[1:])
    assert [one.line for one in fake.shown] == fake.text.splitlines()[1:]


def test_where_a_warm_start_is_empty_so_is_the_placebo():
    context, need = real(0)
    fake, items = disguised(context, need)
    assert (fake.text, fake.tokens, fake.shown, items) == ("", 0, (), [])


def test_the_same_is_made_again_and_another_for_another_session():
    assert made(1) == made(1)
    assert set(made(1).text.splitlines()).isdisjoint(made(2).text.splitlines())


def test_it_is_known_by_its_id_and_lines():
    fake = made(1)
    lines = tuple(one.item for one in fake.shown)
    assert is_placebo(fake.id, lines)
    assert not is_placebo("ag-00000000c2", lines)
    assert not is_placebo(fake.id, ())
    assert not is_placebo(fake.id, ("k0000001",))


def test_the_ledger_gets_nothing_of_it_that_could_be_looked_for():
    _, items = disguised(*real(2))
    assert items and not any(
        one.fact or one.situation or one.remedy or one.fingerprints for one in items
    )


def test_what_it_says_of_commands_is_true():
    text = "\n".join(made(number, 900).text for number in range(4))
    said = [
        (command, told.strip())
        for command, told in COMMANDS.findall(text)
        if "ls -l" not in command
    ]
    assert {command.split()[0] for command, _ in said} == {
        "basename",
        "dirname",
        "echo",
        "printf",
        "seq",
    }
    script = "\n".join(f"{{ {command}; }} | tr '\\n' ' '; echo" for command, _ in said)
    printed = subprocess.run(
        ("sh", "-c", script), capture_output=True, text=True, check=True
    ).stdout.splitlines()
    for (command, told), got in zip(said, printed, strict=True):
        assert told == got.strip() or told.startswith("each of them"), command


@pytest.mark.parametrize("words", [1, 6, 12, 18])
def test_the_placebo_of_a_hint_is_as_long_and_says_nothing_of_the_failure(words):
    text = "`make ship`: 'no pier' → build the pier first: " + "pier " * words
    hint = Hint(text, estimate(text), ("problem:1", "no pier"), "k123")
    for number in range(20):
        sham, items = disguised_hint(hint, f"session {number}")
        assert abs(sham.tokens / hint.tokens - 1) <= 0.25
        assert sham.tokens <= hint.tokens and "pier" not in sham.text
        assert (sham.topics, [sham.item]) == (hint.topics, [one.id for one in items])
        assert not any(one.remedy or one.fact for one in items)
        assert disguised_hint(hint, f"session {number}") == (sham, items)


def test_what_the_state_explains_has_no_item_and_neither_has_its_placebo():
    sham, items = disguised_hint(Hint("`cd x` ended there", 12, ("state",)), "s")
    assert (sham.item, items, sham.topics) == ("", [], ("state",))
