"""File names of repos and agents: safe, told apart by every file system, and leading back to the name."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afterglow.store.folder.names import GLOBAL, Place, path_of, place_of, read_path

NAMES = [
    "harbor",
    "acme/harbor",
    "acme/Harbor",
    "ACME/harbor",
    "..",
    "../..",
    "/etc/passwd",
    "a//b",
    "a/",
    ".git",
    "con",
]
NAMES += [
    "aux.c",
    "a b",
    "ü",
    "acme",
    "acme.md/x",
    "x.md",
    "a~b",
    "a%2Fb",
    "x" * 300,
    "x" * 299 + "y",
    "a:b",
    "a\\b",
    "~",
]


def test_names_read_as_they_are():
    assert path_of(Place("repos", "acme/harbor"), "fact") == "repos/acme/harbor.md"
    assert path_of(Place("agents", "claude-code"), "fact") == "agents/claude-code.md"
    assert path_of(GLOBAL, "tool-quirk") == "global/tool-quirks.md"


@pytest.mark.parametrize("name", NAMES)
def test_a_name_leads_to_a_file_and_back(name):
    place = Place("repos", name)
    path = path_of(place, "fact")
    assert all(
        re.fullmatch(r"(?!\.)[\w.@+%~-]{1,130}(?<!\.)", part, re.ASCII)
        for part in path.split("/")
    )
    assert read_path(path, {path: place}) == (place, None)
    if len(name) < 100:
        assert read_path(path, {}) == (place, None)


def test_no_two_names_share_a_file_where_case_does_not_count():
    paths = [path_of(Place("repos", name), "fact").casefold() for name in NAMES]
    assert len(set(paths)) == len(paths)
    folders = {path.rpartition("/")[0] for path in paths}
    assert not folders & set(paths)


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40))
@settings(max_examples=200, deadline=None)
def test_any_name_leads_back(name):
    place = Place("repos", name)
    path = path_of(place, "fact")
    assert read_path(path, {path: place}) == (place, None)
    assert ".." not in path.split("/") and "" not in path.split("/")


def test_a_file_with_another_name_is_not_ours():
    assert read_path("repos/Harbor.md", {}) is None
    assert read_path("global/readme.md", {}) is None


def test_what_holds_in_a_repo_stands_there_whoever_the_agent_is():
    assert [place_of("r", "a"), place_of("", "a"), place_of("", "")] == [
        Place("repos", "r"),
        Place("agents", "a"),
        GLOBAL,
    ]
