"""One record says which sessions, on every surface."""

from pathlib import Path

from afterglow.records.selection import EVERYTHING, Selection, below


def test_everything_fits_where_nothing_is_said():
    assert EVERYTHING.fits("", "codex", None)
    assert EVERYTHING.filters() == {}


def test_a_repository_is_named_with_its_owner_or_without():
    assert Selection(repo="ana/harbor").fits("ana/harbor", "codex", 1.0)
    assert Selection(repo="harbor").fits("ana/harbor", "codex", 1.0)
    assert not Selection(repo="ana").fits("ana/harbor", "codex", 1.0)


def test_what_has_no_time_is_not_since_then():
    assert Selection(since=5.0).fits("", "codex", 5.0)
    assert not Selection(since=5.0).fits("", "codex", 4.0)
    assert not Selection(since=5.0).fits("", "codex", None)


def test_filters_are_named_as_reports_write_them():
    chosen = Selection(repo="harbor", since=86_400.0, paths=(Path("sessions"),))
    assert chosen.filters() == {"repo": "harbor", "since": "1970-01-02"}


def test_below_chooses_places_alone():
    assert below(Path("a"), Path("b")) == Selection(paths=(Path("a"), Path("b")))


def test_until_is_the_end_of_the_last_day_that_is_meant():
    chosen = Selection(since=0.0, until=2 * 86400.0)
    assert chosen.fits("acme/cli", "codex", 86400.0)
    assert not chosen.fits("acme/cli", "codex", 2 * 86400.0)
    assert not chosen.fits("acme/cli", "codex", None)
    assert chosen.filters() == {"since": "1970-01-01", "until": "1970-01-02"}
