"""Text into parts a Honcho server takes, and back again, unchanged; which of several versions counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterglow.errors import StoreError
from afterglow.memory.honcho import layout
from afterglow.memory.honcho.layout import ABANDONED_SECONDS, Content, Version

awkward = st.text(
    st.sampled_from("\0\x1a012<|>a🗝\n") | st.characters(exclude_categories=["Cs"])
)


def said(key, value, parts=1):
    return Content(
        "ana", key, {}, 1.0, 1.0, parts, layout.digest(layout.text_of(key, value))
    )


@given(awkward.filter(bool), awkward)
def test_any_text_survives_its_parts_and_nothing_the_server_drops_is_in_them(
    key, value
):
    parts = layout.parts_of(layout.text_of(key, value))
    assert not [part for part in parts if "\0" in part or "<|" in part]
    assert (
        layout.value_of(said(key, value, len(parts)), dict(enumerate(parts))) == value
    )


@pytest.mark.parametrize(
    "length",
    [
        layout.MAX_PART_CHARACTERS - 2,
        layout.MAX_PART_CHARACTERS - 1,
        layout.MAX_PART_CHARACTERS,
        3 * layout.MAX_PART_CHARACTERS,
    ],
)
def test_parts_are_no_longer_than_the_server_takes(length):
    value = "\0" * length
    parts = layout.parts_of(layout.text_of("k", value))
    assert max(map(len, parts)) <= layout.MAX_PART_CHARACTERS
    assert (
        layout.value_of(said("k", value, len(parts)), dict(enumerate(parts))) == value
    )


def test_a_value_with_a_part_missing_is_none_and_with_another_one_is_an_error():
    value = "x" * 60_000
    parts = dict(enumerate(layout.parts_of(layout.text_of("k", value))))
    assert layout.value_of(said("k", value, 3), {0: parts[0], 2: parts[2]}) is None
    with pytest.raises(StoreError, match="changed the text"):
        layout.value_of(said("k", value, 3), {**parts, 1: "y"})


@given(awkward.filter(bool), awkward.filter(bool))
def test_names_on_the_server_are_of_its_alphabet(user, key):
    assert layout.user_name(user).replace("-", "").isalnum()
    assert layout.entry_name(user, key).isalnum()


def test_the_youngest_whole_version_counts_and_what_is_still_written_is_left():
    now = 2.0 * ABANDONED_SECONDS
    whole = [Version(f"s{n}", "e", now - n, said("k", "v")) for n in (3, 1, 2)]
    writing, abandoned = (
        Version("w", "e", now, None),
        Version("a", "e", now - ABANDONED_SECONDS - 1, None),
    )
    assert layout.in_force([*whole, writing, abandoned]) == {"e": whole[1]}
    assert layout.in_force([writing]) == {}
    assert layout.superseded([*whole, writing, abandoned], now) == [*whole, abandoned]
