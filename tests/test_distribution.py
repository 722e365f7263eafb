"""What people install: the wheel builds, installs by its own name, and runs; nothing sends them to another package."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
from importlib import metadata
from pathlib import Path

import pytest

from writing import ordinary

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


MAX_MEGABYTES, MAX_PACKAGES = 60, 12  # of the default install, asked for
# What an installation without extras cannot import: `sitecustomize` is read before anything else.
LIGHT = """
import sys
from importlib.abc import MetaPathFinder

class Missing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
"""


def default_packages() -> set[str]:
    """Our own distribution and what it needs without extras, and that in turn."""
    packages: set[str] = set()
    waiting = ["afterglow-agents"]
    while waiting:
        name = canonical(waiting.pop())
        if name in packages:
            continue
        packages.add(name)
        for requirement in metadata.requires(name) or ():
            if "extra ==" not in requirement and "sys_platform" not in requirement:
                waiting.append(re.split(r"[^\w.-]", requirement, maxsplit=1)[0])
    return packages


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_default_install_stays_light():
    packages = default_packages()
    assert len(packages) <= MAX_PACKAGES, sorted(packages)
    sizes = {
        name: sum(
            path.locate().stat().st_size
            for path in metadata.files(name) or ()
            if path.suffix != ".pyc" and path.locate().exists()
        )
        for name in packages - {"afterglow-agents"}
    }
    sources = [path for path in (ROOT / "src").rglob("*") if path.suffix != ".pyc"]
    sizes["afterglow-agents"] = sum(path.stat().st_size for path in sources)
    assert sum(sizes.values()) < MAX_MEGABYTES * 1e6, sizes


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Built from the source archive: what is missing there would be missing for whoever builds it."""
    folder = tmp_path_factory.mktemp("built")
    hatch = [sys.executable, "-m", "hatchling", "build", "-d", folder]
    run(*hatch, "-t", "sdist", cwd=ROOT)
    [archive] = folder.glob("afterglow_agents-*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    [source] = [path for path in folder.iterdir() if path.is_dir()]
    run(*hatch, "-t", "wheel", cwd=source)
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def program(wheel, tmp_path_factory):
    """`afterglow` as somebody has it who installed it without extras; a home and sessions of its own."""
    folder = tmp_path_factory.mktemp("installed")
    site = folder / "site"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install"]
    run(*pip, "--no-deps", "--no-index", "--target", site, wheel)
    light = default_packages()
    blocked = {
        module
        for module, owners in metadata.packages_distributions().items()
        if not light & set(map(canonical, owners))
    }
    (site / "sitecustomize.py").write_text(LIGHT.format(blocked=blocked))
    for number in range(2):
        ordinary(number, start=100 * number).save(
            folder / ".claude/projects/-home-ana-src-harbor"
        )
    environment = {
        "PYTHONPATH": str(site),
        "HOME": str(folder),
        "AFTERGLOW_HOME": str(folder / "home"),
        "PATH": os.environ["PATH"],
    }

    def command(*words: str) -> str:
        script = site / "bin" / "afterglow"
        return run(sys.executable, script, *words, cwd=folder, env=environment)

    command.site = site
    return command


def test_the_wheel_is_complete(program):
    names = {path.name for path in program.site.rglob("*")}
    assert {
        "py.typed",
        "style.css",
        "base.html",
        "htmx.min.js",
        "htmx-LICENSE.txt",
    } <= names


def test_the_published_dataset_is_not_installed(program):
    assert not (program.site / "dataset").exists()
    assert not list(program.site.rglob("CHECKSUMS.sha256"))


def test_the_first_commands_run_without_extras(program):
    assert "afterglow" in program("--version")
    assert "Your history" in program()
    assert "2 sessions" in program("scan")
    assert "failed" in program("profile")
    assert "Knowledge" in program("harvest")
    assert program("problems")
    assert program("knowledge", "list")


def test_what_needs_an_extra_says_which(wheel, program):
    with pytest.raises(AssertionError, match=r"afterglow-agents\[web\]"):
        program("serve")
