"""Documentation that cannot drift: code blocks and examples are run, links lead somewhere, words exist."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from afterglow.records import Call, Outcome, Profile, Session, Turn
from afterglow.sessions.formats import FORMATS
from keeping import home_with_rules
from writing import ordinary

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "bench/README.md",
]


@pytest.fixture
def python(tmp_path, compiled_rules):
    home = home_with_rules(tmp_path / "kept", compiled_rules)
    ordinary(1).save(tmp_path / ".claude/projects/-home-ana-src-harbor")
    env = {
        **os.environ,
        "HOME": str(tmp_path),
        "AFTERGLOW_HOME": str(home),
    }

    def run(*words):
        return subprocess.run(
            [sys.executable, *words],
            env=env,
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    return run


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_in_the_docs_runs(page, python):
    for block in re.findall(
        r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL
    ):
        assert python("-c", block)


def test_examples_run(python):
    """Those of adapters run in tests/adapters, where what they adapt is installed."""
    assert "1 sessions" in python(str(ROOT / "examples/failing_tools.py"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\((?!http)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / link).exists(), link


def test_every_format_is_described():
    text = (ROOT / "docs/formats.md").read_text(encoding="utf-8")
    assert [name for name in FORMATS.names() if name not in text] == []


def test_the_glossary_has_the_words_of_the_records():
    text = (ROOT / "docs/glossary.md").read_text(encoding="utf-8").lower()
    assert [
        record.__name__
        for record in (Session, Turn, Call, Profile)
        if f"| {record.__name__.lower()} |" not in text
    ] == []
    assert [outcome.value for outcome in Outcome if outcome.value not in text] == []


def test_every_record_stands_in_the_glossary_and_none_has_two_meanings():
    records = [
        node.name
        for path in (ROOT / "src/afterglow/records").glob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    ]
    glossary = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
    rows = glossary.split("## The records")[1].splitlines()
    listed = [
        name
        for row in rows
        if row.startswith("| `")
        for name in re.findall(r"`(\w+)`", row.split("|")[1])
    ]
    assert sorted(listed) == sorted(set(records))
    twice = {name for name in records if records.count(name) > 1}
    assert twice == set(), "one of them needs another name"
