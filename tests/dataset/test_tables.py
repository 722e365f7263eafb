"""What each table tells of a home, and that it tells nothing else."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from tests.dataset.sharing import (
    DAY,
    NOW,
    PRIVATE,
    entry,
    item,
    material,
    template,
    trial,
)

from afterglow.dataset import TABLES, build
from afterglow.dataset.encode import encode
from afterglow.dataset.pseudonyms import KEY, Pseudonyms
from afterglow.dataset.table import OTHER, PSEUDONYM
from afterglow.records.profile import Profile
from afterglow.records.tools import TaskType

SALT = b"s" * KEY


def built(home=None, **options):
    return build(home or material(), SALT, **{"k": 5, **options})


def test_every_table_has_rows_of_what_its_columns_may_hold():
    tables = built()
    assert tuple(tables) == tuple(TABLES)
    for filled in tables.values():
        assert filled.rows
        assert filled.suppressed == 0
        for row in filled.rows:
            assert list(row) == [column.name for column in filled.table.columns]
            assert [
                column.name
                for column in filled.table.columns
                if not column.takes(row[column.name])
            ] == []


def test_every_column_a_row_is_recognised_by_is_a_column():
    for module in TABLES.values():
        assert set(module.TABLE.quasi) <= {
            column.name for column in module.TABLE.columns
        }


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_no_word_of_the_home_leaves(format):
    for filled in built().values():
        data = encode(filled, format).lower()
        assert [word for word in PRIVATE if word.encode() in data] == []


def test_a_session_tells_counts_and_families():
    row = built()["sessions"].rows[0]
    told = {
        name: row[name]
        for name in (
            "agent",
            "model",
            "task_type",
            "period",
            "outcome",
            "seconds",
            "input_tokens",
        )
    }
    assert told == {
        "agent": "claude-code", "model": "claude-opus", "task_type": "code", "period": "2026-W47",
        "outcome": "success", "seconds": 1200, "input_tokens": 120_000,
    }  # fmt: skip
    assert (row["recoveries"], row["unrecovered"], row["cost"]) == (1, 1, 0.12)


def test_the_same_error_has_the_same_pseudonym_and_another_salt_another_one():
    errors = {row["error"] for row in built()["recoveries"].rows}
    assert errors == {Pseudonyms(SALT).of("error", "mooring lost")}
    others = build(material(), b"t" * KEY, k=5)
    ids = {row["session"] for row in built()["sessions"].rows}
    assert not ids & {row["session"] for row in others["sessions"].rows}
    assert errors.isdisjoint(row["error"] for row in others["recoveries"].rows)


def test_a_session_whose_kind_of_task_is_rare_does_not_tell_it_by_its_counts():
    files = tuple(
        entry(10 + number, profile=Profile(tools={"Read": "o" * number}))
        for number in (5, 6, 7)
    )
    rows = built(material(3, entries=(*material(3).entries, *files)))["sessions"].rows
    assert {
        (row["task_type"], row["code_calls"], row["file_calls"]) for row in rows
    } == {("any", None, None)}
    mixed = tuple(
        replace(template(number), task_type=list(TaskType)[number % 4])
        for number in range(6)
    )
    assert {
        row["tools"] for row in built(material(templates=mixed))["templates"].rows
    } == {""}


def test_a_template_tells_its_structure():
    row = built()["templates"].rows[0]
    assert (
        row["examples"],
        row["tools"],
        row["recovery_patterns"],
        row["context"],
    ) == (2, "code code", 1, True)
    assert (row["source_sessions"], row["made_by"]) == (3, "auto")


def test_an_item_tells_how_sure_it_is_not_what_it_says():
    row = built()["knowledge"].rows[0]
    assert (row["category"], row["confidence"], row["sources"], row["people"]) == (
        "pitfall",
        0.8,
        2,
        1,
    )


def test_names_of_arms_and_outcomes_that_are_a_persons_own_are_pseudonyms():
    tables = built()
    arms = {str(row["arm"]) for row in tables["trials"].rows}
    assert {"cold", "warm"} < arms
    assert all(PSEUDONYM.fullmatch(arm) for arm in arms - {"cold", "warm"})
    names = {str(row["name"]) for row in tables["outcomes"].rows}
    assert "errors" in names
    assert all(PSEUDONYM.fullmatch(name) for name in names - {"errors"})
    assert len(names) == 3


def test_recoveries_of_a_session_that_stays_behind_stay_behind():
    alone = entry(99, repo="acme/lonely", agent="pi")
    tables = built(material(entries=(*material().entries, alone)))
    assert (tables["sessions"].suppressed, tables["recoveries"].suppressed) == (1, 2)
    assert {row["session"] for row in tables["recoveries"].rows} == {
        row["session"] for row in tables["sessions"].rows
    }


def test_a_trial_tells_no_more_of_its_session_than_the_session_does():
    """Six sessions, each in a week of its own: sessions tell months or years, and so do their trials."""
    entries = tuple(
        entry(number, repo=f"acme/r{number}", day=7 * number) for number in range(6)
    )
    trials = tuple(trial(number, time=entries[number].start) for number in range(6))
    tables = built(material(entries=entries, trials=trials))
    sessions = {row["session"]: row for row in tables["sessions"].rows}
    assert len(sessions) == 6
    for row in tables["trials"].rows:
        session = sessions[row["session"]]
        assert row["period"] in (session["period"], "any")
        assert session["repo"] == row["stratum"] == row["cluster"] == OTHER


def test_items_of_one_session_are_no_crowd_however_many():
    items = tuple(replace(item(1), id=f"k{number}") for number in range(9))
    assert built(material(items=items))["knowledge"].suppressed == 9


def test_ids_that_are_just_file_names_are_kept_apart():
    twice = (
        entry(1),
        entry(1, start=NOW - DAY),
        *(entry(number) for number in range(2, 6)),
    )
    tables = built(material(entries=twice))
    assert len({row["session"] for row in tables["sessions"].rows}) == 6
    assert [row["session"] for row in tables["trials"].rows].count(
        ""
    ) == 2  # of ana-0, not there, and of the two ana-1


def test_the_same_material_and_salt_make_the_same_bytes():
    home = material()
    turned = replace(
        home,
        entries=home.entries[::-1],
        items=home.items[::-1],
        trials=home.trials[::-1],
    )
    for format in ("csv", "parquet"):
        one, two = (
            {name: encode(filled, format) for name, filled in built(x).items()}
            for x in (home, turned)
        )
        assert one == two
