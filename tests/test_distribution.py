"""What people install: the wheel builds, installs by its own name, and runs; nothing sends them to another package."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
# `afterglow` on the package index belongs to somebody else.
STRANGER = re.compile(
    r"(?:pip3? install|pipx install|uv add|uv pip install|uvx|uv tool install)(?: -\S+)*"
    r" ['\"]?afterglow(?!-agents)(?:\[|['\"\s`]|$)|['\"`]afterglow\[",
    re.MULTILINE,
)


def texts():
    for pattern in (
        "*.md",
        "docs/**/*.md",
        "src/**/*",
        "bench/**/*",
        "examples/**/*",
        "integrations/**/*",
        "tests/**/*",
    ):
        for path in ROOT.glob(pattern):
            if path.suffix in {
                ".py",
                ".md",
                ".toml",
                ".json",
                ".yaml",
                ".sh",
            } and path != Path(__file__):
                yield path


def test_no_text_tells_people_to_install_a_strangers_package():
    assert [
        path for path in texts() if STRANGER.search(path.read_text(encoding="utf-8"))
    ] == []


def test_the_old_name_would_be_found():
    for text in (
        "pip install afterglow",
        "pip install 'afterglow[mcp]'",
        "uvx afterglow scan",
        "`afterglow[stats]`",
    ):
        assert STRANGER.search(text), text
    for text in (
        "pip install afterglow-agents",
        "pip install 'afterglow-agents[mcp]'",
        "afterglow scan",
    ):
        assert not STRANGER.search(text), text


def run(*words: object, **options) -> str:
    done = subprocess.run(
        [*map(str, words)], capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_builds_installs_and_runs(tmp_path):
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    run(
        *pip,
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        tmp_path,
        ROOT,
    )
    [wheel] = tmp_path.glob("*.whl")
    assert wheel.name.startswith("afterglow_agents-")
    site = tmp_path / "site"
    run(*pip, "install", "--no-deps", "--no-index", "--target", site, wheel)
    code = "import afterglow, afterglow_demo; print(afterglow.__file__)"
    assert str(site) in run(
        sys.executable, "-c", code, cwd=tmp_path, env={"PYTHONPATH": str(site)}
    )
    home = {
        "PYTHONPATH": str(site),
        "HOME": str(tmp_path),
        "AFTERGLOW_HOME": str(tmp_path / "home"),
    }
    program = site / "bin" / "afterglow"
    assert "afterglow" in run(
        sys.executable, program, "--version", cwd=tmp_path, env=home
    )
    (tmp_path / "sessions").mkdir()
    assert "0 sessions" in run(
        sys.executable, program, "scan", tmp_path / "sessions", cwd=tmp_path, env=home
    )
