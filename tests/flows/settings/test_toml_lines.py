"""A key is changed where it stands; what its owner wrote around it stays."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afterglow.errors import ConfigError
from afterglow.flows.settings.toml_lines import with_values
from afterglow.flows.settings.toml_values import as_toml

MINE = """# mine
[scan]
paths = ["~/exports"]   # all of them

[privacy]  # what is nobody's business
exclude = [
    "~/clients",  # under contract
    "acme/*"
]
keep_gone_days = 90

[repos]
"~/wks=cli" = "acme/cli"   # moved
"""


def test_a_value_changes_and_every_other_byte_stays():
    after = with_values(MINE, {("scan", "paths"): ["~/a", "~/b"]})
    assert after == MINE.replace('["~/exports"]', '["~/a", "~/b"]')
    after = with_values(MINE, {("privacy", "keep_gone_days"): 10})
    assert after == MINE.replace("= 90", "= 10")
    after = with_values(MINE, {("repos", "~/wks=cli"): "acme/new"})
    assert after == MINE.replace('"acme/cli"', '"acme/new"')


def test_a_new_key_stands_behind_the_others_and_a_new_table_at_the_end():
    after = with_values(MINE, {("privacy", "keep_sessions_days"): 30})
    assert after == MINE.replace("= 90\n", "= 90\nkeep_sessions_days = 30\n")
    after = with_values(MINE, {("hooks", "failures"): False, ("hooks", "budget"): 300})
    assert after == MINE + "\n[hooks]\nfailures = false\nbudget = 300\n"
    assert with_values("", {("hooks", "budget"): 9}) == "[hooks]\nbudget = 9\n"
    assert with_values("[hooks]", {("hooks", "budget"): 9}) == "[hooks]\nbudget = 9\n"


def test_what_is_taken_out_leaves_no_empty_table_behind():
    text = MINE + "\n[hooks]\nbudget = 300\n"
    assert with_values(text, {("hooks", "budget"): None}) == MINE + "\n"
    assert with_values(MINE, {("hooks", "budget"): None}) == MINE
    commented = "[hooks]\n# less is more\nbudget = 300\n"
    after = with_values(commented, {("hooks", "budget"): None})
    assert after == "[hooks]\n# less is more\n"


def test_a_list_over_several_lines_keeps_the_lines_of_what_stays():
    without = with_values(MINE, {("privacy", "exclude"): ["~/clients"]})
    assert without == MINE.replace('    "acme/*"\n', "")
    more = with_values(MINE, {("privacy", "exclude"): ["~/clients", "acme/*", "~/x"]})
    assert more == MINE.replace('"acme/*"\n', '"acme/*",\n    "~/x",\n')
    reordered = with_values(MINE, {("privacy", "exclude"): ["acme/*", "~/clients"]})
    assert tomllib.loads(reordered)["privacy"]["exclude"] == ["acme/*", "~/clients"]


def test_a_file_of_another_system_keeps_its_line_ends():
    text = "[hooks]\r\nbudget = 1 # one\r\nfailures = true\r\n"
    after = with_values(text, {("hooks", "budget"): 2, ("hooks", "pretool"): True})
    assert after == (
        "[hooks]\r\nbudget = 2 # one\r\nfailures = true\r\npretool = true\r\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        'write = { on = "no" }\n',
        'write.on = "no"\n',
        '[model]\n[model.prices]\nsmall = 1\n[write]\n"with" = """\n[write]\n"""\n[[write.x]]\n',
    ],
)
def test_what_is_written_in_another_way_is_refused(text):
    with pytest.raises(ConfigError, match="as text"):
        with_values(text, {("write", "on"): "yes", ("model", "prices"): {"a": 2}})


def test_words_in_a_text_are_not_taken_for_a_table():
    text = '[redact]\nnames = ["""\n[write]\non = 1\n"""]\n'
    after = with_values(text, {("write", "on"): "yes"})
    assert after == text + '\n[write]\non = "yes"\n'


VALUES = st.recursive(
    st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(deadline=None)
@given(VALUES, VALUES)
def test_any_value_is_read_back_as_it_was_meant(first, second):
    assert tomllib.loads(f"x = {as_toml(first)}") == {"x": first}
    text = with_values("# top\n[a]\nz = 1 # z\n", {("a", "x"): first})
    text = with_values(text, {("a", "x"): second})
    assert tomllib.loads(text) == {"a": {"z": 1, "x": second}}
    assert with_values(text, {("a", "x"): None}) == "# top\n[a]\nz = 1 # z\n"
