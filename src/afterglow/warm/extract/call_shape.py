"""The shape of a call: what stays the same when the same kind of thing is done to something else.

`git -C /x commit -am "fix"` -> `Bash: git commit -a -m`; `Read {file_path, limit}` -> `Read(file_path, limit)`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import takewhile

from afterglow.harvest.command_shape import PLAIN, RUNNERS
from afterglow.harvest.shell import Simple, simple_commands
from afterglow.harvest.tool_remedies import decoded
from afterglow.records.tools import is_shell
from afterglow.sessions.outcomes import command_of

MOST = 4  # commands of a line
LONGEST = 100_000  # characters of arguments that are looked at

_NAME = re.compile(r"[A-Za-z][\w:.-]{0,60}")
_SUBCOMMAND = re.compile(r"[a-z][a-z0-9:_-]{0,30}")
_FLAG = re.compile(r"(--?[A-Za-z][\w-]{0,40})(?:=.*)?", re.DOTALL)
_CLUSTER = re.compile(r"-[A-Za-z]{2,4}")
_INTERPRETERS = frozenset("python node ruby perl php bash sh zsh deno".split())
_VERSION = re.compile(r"(?<=[a-z])[\d.]+$")
# Programs with two verbs, and with none: their second word names something to work on.
_DEEP = frozenset("gh glab docker kubectl aws gcloud az".split())
_VERBLESS = (PLAIN - {"git", "brew", "apt", "apt-get", "tmux"}) | frozenset(
    "pytest mypy black isort eslint prettier tsc jest vitest gofmt flake8 pylint shellcheck".split()
)
_WORDY = frozenset(
    "go find java javac terraform openssl ffmpeg gcc clang convert".split()
)  # -name is one flag
_PLACED = frozenset(
    {"-C", "--git-dir", "--work-tree", "-c", "--cwd", "--prefix", "--dir"}
)  # flags before the verb
_RUNNING = frozenset("run exec x".split())
# Arguments whose value says what is done, as a sub-command does.
_DOING = (
    "command",
    "action",
    "operation",
    "method",
    "skill",
    "subagent_type",
    "agent_type",
)


def shape_of(tool: str, arguments: str) -> str:
    """Tool, program and sub-command, flags or names of arguments, without values; equal for calls of one kind."""
    return (
        _shape_of(tool, arguments[:LONGEST])
        if is_shell(tool)
        else _named(tool, arguments)
    )


@lru_cache(maxsize=4096)
def _shape_of(tool: str, arguments: str) -> str:
    parts = dict.fromkeys(
        filter(None, map(shape_of_command, simple_commands(command_of(arguments))))
    )
    return (
        f"{tool}: {' && '.join(list(parts)[:MOST])}"
        if parts
        else _named(tool, arguments)
    )


def shape_of_command(one: Simple) -> str:
    """`go test ./x -run TestFoo -v` -> `go test -run -v`."""
    head = program(one)
    if not _NAME.fullmatch(head):
        return ""
    verb, rest = _verb(head, one.words[1:])
    flags = sorted({flag for word in rest for flag in _flags(word, head)})
    return " ".join([head, *verb, *flags])


def program(one: Simple) -> str:
    """The name of what is run, whatever folder it lies in; of an interpreter, without its version."""
    head = one.words[0].rstrip("/").rsplit("/", 1)[-1]
    bare = _VERSION.sub("", head)
    return bare if bare in _INTERPRETERS else head


def _verb(head: str, words: tuple[str, ...]) -> tuple[list[str], tuple[str, ...]]:
    """The words that say what is done, and the words behind them. Flags behind a script are the script's own."""
    if head in _INTERPRETERS:
        if words[:1] == ("-m",):
            return ["-m", *words[1:2]], words[2:]
        return (
            ([], words[:1])
            if words and words[0].startswith("-")
            else (["<script>"] * bool(words), ())
        )
    if head in _VERBLESS:
        return [], words
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _PLACED else 1
    deep = head in _DEEP or (
        head in RUNNERS and words[at : at + 1] and words[at] in _RUNNING
    )
    verb = list(takewhile(_SUBCOMMAND.fullmatch, words[at : at + 1 + bool(deep)]))
    return verb, (
        *(word for word in words[:at] if word not in _PLACED),
        *words[at + len(verb) :],
    )


def _flags(word: str, head: str) -> list[str]:
    found = _FLAG.fullmatch(word)
    if not found:
        return []
    return (
        [f"-{one}" for one in word[1:]]
        if _CLUSTER.fullmatch(word) and head not in _WORDY
        else [found[1]]
    )


def _named(tool: str, arguments: str) -> str:
    values = decoded(arguments)
    doing = [f"{name}={values[name]}" for name in _DOING if _is_name(values.get(name))]
    names = sorted(
        name
        for name, value in values.items()
        if value is not None and value is not False
    )
    plain = [name for name in names if name not in _DOING or not _is_name(values[name])]
    return f"{tool}({', '.join([*doing, *(name[:40] for name in plain)])})"


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(_NAME.fullmatch(value))
