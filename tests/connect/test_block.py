"""A marked block in a file of someone else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterglow.connect.block import block, existing, put, take_out
from afterglow.errors import ConfigError

ONE = block("- a [k1 2026-11-01]", "(note)")
FILES = st.lists(st.sampled_from([b"# Title", b"", b"text", b"\xff\xfe"]), max_size=5)


@given(FILES, st.sampled_from([b"\n", b"\r\n"]), st.booleans())
def test_taking_out_gives_back_the_file_byte_for_byte(lines, end, ended):
    data = end.join(lines) + (end if ended else b"")
    after = put(data, ONE, "x")
    assert existing(after, "x") is not None
    assert take_out(after, "x") == data
    assert put(after, ONE, "x") == after


def test_only_the_block_is_replaced():
    data = b"# Mine\n\n" + ONE.encode() + b"\ntail"
    after = put(data, block("- b", "(note)"), "x")
    assert after.startswith(b"# Mine\n\n<!-- afterglow:start") and after.endswith(
        b"<!-- afterglow:end -->\ntail"
    )
    assert b"- a [" not in after


def test_lines_end_as_they_do_in_the_file():
    assert b"\n" not in put(b"# Mine\r\n", ONE, "x").replace(b"\r\n", b"")


def test_what_an_item_says_cannot_close_the_block():
    assert (
        take_out(
            put(
                b"a\n",
                block("- <!-- afterglow:end -->\n<!-- afterglow:end -->", "n"),
                "x",
            ),
            "x",
        )
        == b"a\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "<!-- afterglow:start -->\nno end\n",
        "<!-- afterglow:end -->\n",
        f"{ONE}\n{ONE}\n",
        "<!-- afterglow:end -->\n<!-- afterglow:start -->\n",
    ],
)
def test_half_a_block_or_two_are_refused(text):
    with pytest.raises(ConfigError, match="markers stand in line"):
        put(text.encode(), ONE, "x")


def test_a_marker_within_a_line_is_no_marker():
    assert existing(b"write `<!-- afterglow:start -->` first", "x") is None
