"""What a command fetches by name to install or to run, and whether the repository names that itself."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from afterglow.calls import Command, Wrapper, program, program_name
from afterglow.harvest.manifests import BACKEND, plain_name
from afterglow.harvest.risk.kinds import Risk
from afterglow.harvest.risk.read_wrapper import as_command, task_words
from afterglow.harvest.risk.tables import group, well_known

# What is installed is named by the repository: a folder of it, a list in it, or nothing at all.
_OF_REPOSITORY = re.compile(r"^(?:\.{1,2}(?:[/\[]|$)|\./|file:|workspace:|link:|-)")
_HOLE = re.compile(
    r"<[^<>]*>|…|\.{3}|\{\w*\}|\$\{?\w+\}?|[A-Z][A-Z_]*(?:[@=/:]+[A-Z][A-Z_]*)*"
    r"|(?:name|package|pkg|tool|module|crate|image)(?:[@:=]+(?:version|tag|latest|x|n))?"
)
_LIST_FLAGS = ("-r", "--requirement", "--requirements", "-e", "--editable", "--file", "-f", "--path")  # fmt: skip

# Sub-commands that take away, or fetch no more than a lock file says.
_NOT_ADDING = frozenset(
    """uninstall remove rm un ci lock dedupe rebuild sync import fetch del autoremove purge prune link unlink
    restore local vendor tidy verify outdated audit""".split()
)
# Sub-commands whose operands are no packages.
_OF_TOOLCHAIN = frozenset({"python", "self", "target", "toolchain", "component"})
# Programs that are no package managers first, and their sub-commands that install.
_INSTALLING_TASKS = frozenset({"install", "get", "tool", "prepare"})
_RUNS_BY_NAME = {
    "npx": "node", "bunx": "node", "pnpx": "node", "uvx": "python", "npm": "node",
    "pnpm": "node", "yarn": "node", "bun": "node", "pipx": "python", "uv": "python",
    "mise": "any", "rtx": "any", "go": "any", "deno": "any", "nix": "any",
    "nix-shell": "any",
}  # fmt: skip
# Of a runner that also runs what is installed, the sub-commands that fetch.
_FETCHING_TASKS = {
    "npm": {"exec", "x"}, "pnpm": {"dlx"}, "yarn": {"dlx"}, "bun": {"x"},
    "pipx": {"run"}, "uv": {"tool"}, "mise": {"x", "exec"}, "rtx": {"x", "exec"},
    "nix": {"shell", "run", "develop"}, "go": {"run"}, "deno": {"run"},
}  # fmt: skip
_PACKAGE_FLAGS = ("-p", "--package", "--from", "--with", "--with-editable", "--spec")
_FEEDING = frozenset({"xargs", "gxargs", "parallel"})
_IMAGES = frozenset({"docker", "podman", "nerdctl"})
_IMAGE_TASKS = ({"run"}, {"pull"}, {"create"})


def is_named(package: str, packages: Collection[str]) -> bool:
    """Whether the repository names it; of a path (`github.com/a/b/cmd/c`) a part from its beginning is enough."""
    name = plain_name(package)
    if name in packages:
        return True
    parts = name.split("/")
    return len(parts) > 2 and any(
        "/".join(parts[:length]) in packages for length in range(3, len(parts) + 1)
    )


def risk_of_packages(command: Command, packages: Collection[str]) -> Risk | None:
    for wrapper in command.wrappers:
        if unnamed := _unnamed(_run_by(wrapper, command), packages, wrapper.program):
            return Risk("package", unnamed)
    unnamed = _unnamed(_installed(command), packages, "")
    return Risk("package", unnamed) if unnamed else None


def _unnamed(names: Iterable[str], packages: Collection[str], runner: str) -> str:
    """The first that neither the repository names nor everybody knows."""
    tools = _tools_of(runner)
    for name in names:
        if _HOLE.fullmatch(name) or _OF_REPOSITORY.match(name):
            continue
        is_plain = not BACKEND.match(name) or plain_name(name) in tools
        if is_plain and plain_name(name) in tools:
            continue
        if not is_named(name, packages):
            return name
    return ""


def _tools_of(runner: str) -> frozenset[str]:
    """What may be run by its name; to install it is another matter."""
    return well_known(_RUNS_BY_NAME.get(runner, "any")) if runner else frozenset()


def _run_by(wrapper: Wrapper, command: Command) -> Iterator[str]:
    """The packages that a wrapper fetches to run a command."""
    name, outer = wrapper.program, as_command(wrapper)
    if name in _IMAGES:
        yield from _images(outer)
        return
    in_flags = [flag.value for flag in outer.flags if flag.name in _PACKAGE_FLAGS]
    yield from filter(None, in_flags)
    words = task_words(outer)
    if not _fetches(name, words):
        return
    if name in {"mise", "rtx", "nix"}:
        yield from (word for word in words[1:] if word != "--")
    elif not any(in_flags):
        yield command.words[0]


def _fetches(name: str, words: tuple[str, ...]) -> bool:
    """Whether a wrapper runs what it has to fetch first, and not what is installed."""
    if name not in _FETCHING_TASKS:
        return name in _RUNS_BY_NAME
    return bool(words) and words[0] in _FETCHING_TASKS[name]


def _installed(command: Command) -> Iterator[str]:
    if command.program in _IMAGES:
        yield from _images(command)
        return
    yield from _run_from_elsewhere(command)
    if not _adds(command) or {*command.subcommand[:1]} & _OF_TOOLCHAIN:
        return
    listed = {flag.value for flag in command.flags if flag.name in _LIST_FLAGS}
    operands = [operand for operand in command.operands if operand not in listed]
    is_fed = any(wrapper.program in _FEEDING for wrapper in command.wrappers)
    if not operands and (
        is_fed or command.program in group("package managers of systems")
    ):
        yield command.text  # nobody sees what
    yield from operands


def _run_from_elsewhere(command: Command) -> Iterator[str]:
    """`uv run --with x`, `go run path@version`, `deno run npm:x`."""
    if command.program == "uv" and (value := command.value("--with")):
        yield value
    words = task_words(command)
    if command.program in {"go", "deno"} and words[:1] == ("run",):
        yield from (word for word in words[1:2] if "@" in word or ":" in word)


def _adds(command: Command) -> bool:
    row = program(command.program)
    words = command.subcommand
    if words[:1] == ("-m",):  # python -m pip install
        row, words = program(program_name(words[1])), words[2:]
    if any(word in _NOT_ADDING for word in words):
        return False
    task = row.subcommand(words)
    if task is not None and task.does == "installs":
        return True
    first = {*words[:2], *command.operands[:1]}
    return command.program in group(
        "installing beside other work"
    ) and not first.isdisjoint(_INSTALLING_TASKS)


def _images(command: Command) -> Iterator[str]:
    """An image of somebody: official ones have no owner in their name."""
    words = task_words(command)
    if {*words[:1]} not in _IMAGE_TASKS:
        return
    image = next(iter(words[1:]), "")
    if "/" in image and not image.startswith(("./", "/")):
        yield image
