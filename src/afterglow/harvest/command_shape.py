"""The shape of a command: what stays the same when it is run again for another package, test, issue or commit.

`go test ./pkg/x -run TestFoo -v` -> `go test <package> -run <test>`, and what kind of work that is: test, lint, build.
"""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import Struct

# Looking around, moving files and plumbing: no repository is known by these.
PLAIN = frozenset(
    "ls cat head tail less more grep egrep fgrep rg ag sed awk jq yq find fd echo printf wc sort uniq diff cmp nl bat "
    "strings xxd tree cut tr column tee cd mkdir rmdir rm cp mv ln touch chmod chown pwd which command type date sleep "
    "kill pkill pgrep ps lsof top df du env export read test [ [[ xargs git curl wget nc ping ssh scp rsync open man "
    "sqlite3 tar zip unzip gunzip base64 od file stat id whoami uname history clear wait jobs true false md5 md5sum "
    "shasum sha256sum seq basename dirname realpath readlink tmux screen code vim vi nano apt apt-get brew defaults "
    "osascript expect script hash dd mktemp local let declare eval exit return break continue".split()
)
_INTERPRETERS = frozenset(
    "python python3 node ruby perl php bash sh zsh deno bun".split()
)
_PACKAGED = frozenset({"go", "cargo"})  # programs whose arguments are packages
_NOISE = frozenset("-v -vv -vvv --verbose --no-color --color".split())
_NOISY = re.compile(
    r"-{1,2}(?:count|timeout|color|colour|parallel|p|j|maxfail|tb|jobs)(?:=\S*|\d*)"
)
_VALUED = {
    **dict.fromkeys("-run --run -k -t --filter --grep -g --tests --test -bench --test-name-pattern".split(), "<test>"),
    **dict.fromkeys("--title --body -b --message -m --notes --description".split(), "<text>"),
    **dict.fromkeys("--jq -q --template --format".split(), "<filter>"),
    "--json": "<fields>", "-o": "<path>", "--output": "<path>", "--body-file": "<path>", "--job": "<id>",
    "--head": "<branch>", "--branch": "<branch>", "-timeout": "", "--timeout": "", "-count": "", "--limit": "<n>",
    "-L": "<n>",
}  # fmt: skip
_NUMBER = re.compile(r"#?\d+")
_ID = re.compile(r"(?=[^\s]*\d)[0-9a-f]{7,}(?:-[0-9a-f]{4,})*")
_NUMBERS = re.compile(r"(?<=[/=])\d{2,}(?=[/?&]|$)")
_PATH = re.compile(r"[^\s=]*/[^\s]*|[\w.-]+\.[a-z]{1,5}")
_WORD = re.compile(r"[A-Za-z][\w:.-]*")
_SPLIT = re.compile(r"[\W_]+")

# Words that tell what a command is for, asked in this order.
KINDS: dict[str, frozenset[str]] = {
    name: frozenset(words.split())
    for name, words in {
        "ci": "checks workflow ci-status",
        "format": "fmt format gofmt gofumpt prettier black rustfmt isort",
        "lint": "lint eslint golangci ruff clippy flake8 pylint shellcheck vet stylelint rubocop tflint biome",
        "typecheck": "mypy tsc typecheck pyright",
        "test": "test tests pytest jest vitest spec e2e tox nox rspec phpunit ctest cypress playwright bats unittest",
        "generate": "generate gen codegen protoc buf fixtures docs",
        "migrate": "migrate migration migrations alembic",
        "release": "release goreleaser publish deploy",
        "infra": "terraform kubectl helm ansible plan apply",
        "build": "build compile package bundle assemble",
        "deps": "install add sync tidy deps lock restore bootstrap setup ci",
        "check": "check verify validate",
        "review": "gh glab pr issue mr",
        "run": "run start dev serve up compose exec",
    }.items()
}
RUNNERS = frozenset(
    "mise make just task npm pnpm yarn bun uv poetry hatch rake gradle gradlew mvn nx turbo rush".split()
)
_RUN = frozenset("run exec x".split())


class Shape(Struct, frozen=True):
    """`key` is equal for the same command whatever the order of its options; `text` is how it is written with
    placeholders, `plain` how it was written, without options that only change what is printed."""

    key: str
    text: str
    plain: str
    kind: str
    own: bool  # a task or a script of the repository itself


@lru_cache(maxsize=4096)
def shape_of(words: tuple[str, ...], root: str = "") -> Shape | None:
    """The shape of a command, or nothing where it is ordinary plumbing."""
    words = tuple(_local(word, root) for word in words[:40])
    head = words[0]
    if _is_plain(head, words):
        return None
    shaped, plain, value = [head], [head], None
    for word in words[1:]:
        if value is not None:
            shaped += [value] if value else []
            plain += [word] if value else []
            value = None
            continue
        flag, is_set, _ = word.partition("=")
        if word in _NOISE or _NOISY.fullmatch(word):
            continue
        plain.append(word)
        if word in _VALUED and (value := _VALUED[word]) == "":
            plain.pop()
            continue
        if is_set and flag in _VALUED:
            shaped += [flag, _VALUED[flag]]
            continue
        shaped.append(word if value is not None else _shaped(word, head))
    shaped = [
        word
        for word, last in zip(shaped, ["", *shaped], strict=False)
        if word != last or word[:1] != "<"
    ]
    named = [word for word in shaped if _WORD.fullmatch(word)]
    return Shape(
        key=" ".join([head, *sorted(shaped[1:])]),
        text=" ".join(shaped),
        plain=" ".join(_quoted(word) for word in plain),
        kind=_kind(head, named),
        own="/" in head or (head in RUNNERS and len(named) > 1) or _is_script(words),
    )


def _is_plain(head: str, words: tuple[str, ...]) -> bool:
    if (
        head in PLAIN
        or not head.strip()
        or head[0] in "/~$<>-\"'`{}()="
        or any(c in head for c in "$()={}*\n")
    ):
        return True
    if head in _INTERPRETERS and (
        len(words) < 2 or not (_is_script(words) or words[1] == "-m")
    ):
        return True  # a program written on the command line is nobody's command
    return any(
        word in {"--help", "-h", "--version", "help", "version"} for word in words[1:]
    )


def _is_script(words: tuple[str, ...]) -> bool:
    return (
        words[0] in _INTERPRETERS
        and len(words) > 1
        and "/" in words[1]
        and words[1][0] not in "/~$"
    )


def _local(word: str, root: str) -> str:
    """A path below the repository, from there."""
    return word.replace(f"{root}/", "") if root and root in word else word


def _shaped(word: str, head: str) -> str:
    if word.startswith("-") or word in {".", "./...", "--"}:
        return word
    if word.startswith(("http://", "https://")):
        return "<url>"
    if " " in word or "\n" in word or len(word) > 60:
        name, is_set, _ = word.partition("=")
        return f"{name}=<text>" if is_set and _WORD.fullmatch(name) else "<text>"
    if "$" in word:
        return "<value>"
    if _NUMBER.fullmatch(word):
        return "<n>"
    if _ID.fullmatch(word):
        return "<id>"
    if head in {"gh", "glab"}:
        return _NUMBERS.sub("<n>", word)
    if head in _PACKAGED and "/" in word:
        return "<package>"
    return "<path>" if _PATH.fullmatch(word) and head not in _INTERPRETERS else word


def _kind(head: str, named: list[str]) -> str:
    if head == "gh" and named[1:2] == ["run"]:
        return "ci"
    named = [word for word in named if not (head in RUNNERS and word in _RUN)] + [
        head
    ] * ("/" in head)
    asked = [part for word in named for part in _SPLIT.split(word.lower())]
    for kind, words in KINDS.items():
        if any(part in words for part in asked):
            return kind
    return "script" if "/" in head or head in RUNNERS else "other"


def _quoted(word: str) -> str:
    return (
        f"'{word}'"
        if not word
        or (any(c in word for c in " \t\n*?|&;<>()[]{}!") and "'" not in word)
        else word
    )
