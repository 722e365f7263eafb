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


@pytest.mark.parametrize("value", [None, "", "yesterday", True, [], -5])
def test_what_is_no_time_is_none(value):
    assert seconds(value) is None
