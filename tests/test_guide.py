"""The guide as a site: it builds without a warning, loads nothing from elsewhere, and holds every page."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from house import ROOT

LOADED = re.compile(r'<(?:script|img|link)[^>]+(?:src|href)="(https?:)?//')


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--site-dir",
        folder,
    ]
    built = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    assert "not included in the" not in built.stderr, built.stderr
    return folder


def test_the_guide_loads_nothing_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 40
    assert [page.name for page in pages if LOADED.search(page.read_text())] == []


def test_the_reference_is_made_from_the_code(site):
    from afterglow.cli.main import COMMANDS

    commands = (site / "reference" / "commands.html").read_text()
    assert [name for name in COMMANDS if f"afterglow {name}" not in commands] == []
    assert "on_failure" in (site / "reference" / "api.html").read_text()
    assert "deadline_ms" in (site / "reference" / "settings.html").read_text()
    assert "Conflict" in (site / "reference" / "errors.html").read_text()
