"""Where a command writes: inside the repository, in a place that decides what runs or who may, or outside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from afterglow.calls import Command, Redirection, program
from afterglow.harvest.risk.kinds import Kind, Risk
from afterglow.harvest.risk.tables import files_that_decide, group

# Folders that are made again by the next build, install or run: to delete them loses nothing. What a project keeps in
# a `tmp` of its own may be in use.
GENERATED = frozenset(
    """node_modules dist build out target .cache cache caches coverage __pycache__ .pytest_cache
    .mypy_cache .ruff_cache .next .nuxt .turbo .parcel-cache .vite .svelte-kit .output .angular .gradle .tox .nox
    .eggs htmlcov .nyc_output playwright-report test-results storybook-static _build deps .dart_tool Pods
    DerivedData .terraform .serverless .venv venv .eslintcache .tsbuildinfo debug release obj bin-debug
    .expo .docusaurus .astro .wrangler""".split()
)
_MADE = (".egg-info", ".tsbuildinfo")
# Built-in places for what nobody keeps.
_SCRATCH = re.compile(
    r"/(?:private/)?(?:var/)?tmp(?:/|$)|/dev/(?:null|stdout|stderr|tty)\b|\$\{?TMPDIR"
)
_OUTSIDE = re.compile(
    r"~|/|\$\{?(?:HOME|XDG_\w+|USERPROFILE|APPDATA)\b|%\w+%|[A-Za-z]:[\\/]|(?:\.\./){3,}"
)
_HOLE = re.compile(r"<[^<>]*>|…|\.{3}|\{\w*\}|\[REDACTED")

_WRITING = frozenset({">", ">>", ">|", "&>", "&>>"})
_TARGET_FLAGS = tuple(
    "-t --target-directory -C --directory -d -o --output -O -P --output-document --output-dir".split()
)


def deciding_file(path: str) -> Kind | None:
    """What it would change to write a file, where that is more than the repository's code."""
    return next((kind for kind, rule in files_that_decide() if rule.search(path)), None)


def is_outside(path: str) -> bool:
    """Not in the repository, and not where things are put that nobody keeps."""
    if _SCRATCH.match(path):
        return False
    return bool(_OUTSIDE.match(path)) and not _HOLE.match(path.lstrip("/"))


def is_scratch(path: str) -> bool:
    """Where things are put that nobody keeps, and where anybody may have put them."""
    return _SCRATCH.match(path) is not None and not path.startswith("/dev/")


def is_generated(path: str) -> bool:
    """A folder that is made again, or something in one."""
    if is_outside(path) or path.startswith(".."):
        return False
    if _SCRATCH.match(path):
        return True
    parts = [part for part in path.split("/") if part not in {"", ".", "*", "**"}]
    return any(part in GENERATED or part.endswith(_MADE) for part in parts)


def risk_of_writing(command: Command) -> Risk | None:
    for path in written_paths(command):
        if kind := deciding_file(path):
            return Risk(kind, command.text)
        if is_outside(path):
            return Risk("outside", command.text)
    return None


def written_paths(command: Command) -> Iterator[str]:
    yield from _redirected(command.redirections)
    row = program(command.program)
    if command.program in group("writing their last operand"):
        yield from command.operands[-1:]
        if command.program not in group("leaving their other operands"):
            yield from command.operands[:-1]
    elif row.family == "files" or command.program == "tee":
        is_packing = command.program in group("unpacking")
        yield from () if is_packing else command.operands
    elif command.program in {"sed", "gsed", "perl"} and command.has("-i"):
        yield from command.operands
    if command.program in group("unpacking") or command.program in group(
        "writing their last operand"
    ):
        yield from _values(command, _TARGET_FLAGS)


def _redirected(redirections: Iterable[Redirection]) -> Iterator[str]:
    for redirection in redirections:
        if redirection.operator in _WRITING:
            yield redirection.target


def _values(command: Command, names: tuple[str, ...]) -> Iterator[str]:
    for flag in command.flags:
        if flag.value and flag.name in names:
            yield flag.value


def risk_of_removing(command: Command) -> Risk | None:
    """Whole folders, or whatever a pattern matches; a file that is named, or what is made again, is ordinary work."""
    if command.program not in group("removing"):
        return None
    if not command.operands and command.wrappers:
        return Risk("deletes", command.text)  # `xargs rm`: nobody sees what
    is_whole = command.has("-r", "-R", "--recursive", "-Recurse", "/s")
    for path in command.operands:
        if kind := deciding_file(path):
            return Risk(kind, command.text)
        is_wide = is_whole or "*" in path or is_outside(path)
        if is_wide and not is_generated(path):
            return Risk("deletes", command.text)
    return None
