"""Times as agents write them."""

import pytest

from afterglow.text.times import seconds


@pytest.mark.parametrize(
    "value",
    [
        "2026-11-15T10:00:00Z",
        "2026-11-15T12:00:00+02:00",
        "2026-11-15T10:00:00",
        1794736800,
        1794736800000,
        1794736800000000,
    ],
)
def test_every_way_of_writing_one_moment_is_the_same(value):
    assert seconds(value) == 1794736800.0


ABSURD = [
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    float("inf"),
    float("nan"),
    "2026-11-15T10:00:1e500Z",
]


@pytest.mark.parametrize("value", [None, "", "yesterday", True, [], -5, *ABSURD])
def test_what_is_no_time_is_none(value):
    assert seconds(value) is None
