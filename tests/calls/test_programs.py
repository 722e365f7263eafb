"""The table of programs: every row is well-formed, and names lead to the right row."""

import tomllib
from importlib.resources import files

import pytest

from afterglow.calls import program, program_name
from afterglow.calls.effects import KINDS
from afterglow.calls.programs import EFFECTS, table

TEXT = (files("afterglow.calls") / "programs.toml").read_text("utf-8")
ROWS = tomllib.loads(TEXT)["program"]
FLAG_COLUMNS = ("values", "directory", "needs", "unless")
every_row = pytest.mark.parametrize(
    "row", ROWS, ids=[row["names"][:40] for row in ROWS]
)


@every_row
def test_a_row_is_well_formed(row):
    names = row["names"].split()
    assert names, "a row without a name"
    assert set(row.get("own_script", "").split()) <= set(names)
    for part in [row, *row.get("sub", {}).values()]:
        for column in FLAG_COLUMNS:
            for flag in part.get(column, "").split():
                assert flag[0] in "-/", f"{flag} in {column} is no flag"
        for pair in part.get("varies", "").split():
            assert pair.count("=") == 1, f"{pair} names no placeholder"
        for column in ("skips", "until", "needs", "unless", "remote"):
            assert column not in part or "wraps" in part, f"{column} without wraps"
        assert part.get("kind", "other") in {*KINDS, "other"}
        directories = set(part.get("directory", "").split())
        assert directories <= {*part.get("values", "").split(), "-w", "--workdir"}


@every_row
def test_sub_commands_stand_only_where_the_program_has_them(row):
    listed = [
        key.strip() for effect in EFFECTS for key in row.get(effect, "").split(",")
    ]
    for key in [*filter(None, listed), *row.get("sub", {})]:
        assert row.get("depth"), f"{key}: {row['names']} has no sub-commands"
        assert len(key.split()) <= row["depth"] + 1


def test_no_program_stands_in_two_rows():
    names = [name for row in ROWS for name in row["names"].split()]
    assert sorted(names) == sorted(set(names))
    assert len(names) >= 250


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("/usr/bin/python3.11", "python"),
        ("python3", "python"),
        ("pip3.12", "pip"),
        ("./node_modules/.bin/eslint", "eslint"),
        ("C:\\tools\\npm.cmd", "npm"),
        ("tsc@5.4", "tsc"),
        ("base64", "base64"),
        ("sha256sum", "sha256sum"),
        ("sqlite3", "sqlite3"),
        ("x264", "x264"),
        ("@scope/tool", "tool"),
        ("test", "test"),
        ("/usr/bin/test", "test"),
        ("bin/test", "bin/test"),  # a project's own
        ("./test", "./test"),
    ],
)
def test_the_name_of_what_a_word_runs(word, name):
    assert program_name(word) == name


def test_an_unknown_program_has_an_empty_row():
    assert program("frobnicate").depth == 0
    assert "frobnicate" not in table()
