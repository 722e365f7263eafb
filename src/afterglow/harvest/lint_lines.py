"""What linters print -> which rule they found broken, where, and in what words.

Understands one-line reports (golangci-lint, ruff, flake8, mypy, pylint, rubocop, shellcheck, tsc, and what prints like
them) and reports of several lines (eslint, clippy, ruff, biome, shellcheck).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

LONGEST = 30_000  # characters of an output that are looked at
LINES = 600

LINTING = re.compile(
    r"(?<![/.\w-])(?:[\w-]*lint(?:er|s|ing|-fix)?|ruff|flake8|pyflakes|pycodestyle|mypy|pyright|tsc|tsgo|biome|clippy"
    r"|shellcheck|rubocop|standardrb|staticcheck|vet|detekt|checkstyle|phpcs|phpstan|pre-commit|credo|typecheck|check)"
    r"(?![/\w])"
)
TYPES = re.compile(
    r"TS\d+|typecheck|compile|syntax-error"
)  # what a compiler would have said


class Lint(Struct, frozen=True):
    """One report. `rule` may have two words (`gosec G306`): the linter, and which of its checks. `excerpt` is the
    source line it shows, if it does."""

    path: str
    line: int
    rule: str
    message: str
    raw: str
    excerpt: str = ""

    @property
    def linter(self) -> str:
        return self.rule.split(" ")[0]


_PLACED = re.compile(
    r"(?P<path>[^\s:()][^\s:()]{0,200}):(?P<line>\d+)(?::\d+)?:? +(?P<rest>\S.{2,500})$"
)
_TSC = re.compile(
    r"(?P<path>[^\s()]{1,200})[(:](?P<line>\d+)[,:]\d+\)?(?::| -) error (?P<rule>TS\d+): (?P<text>.{1,500})"
)
_ESLINT = re.compile(
    r"\s+(\d+):\d+\s+(?:error|warning)\s+(\S.{1,300}?)\s{2,}(@?[\w./-]{3,60})\s*$"
)
_HEADER = re.compile(r"(?:/|\./|[A-Z]:\\)?[\w@.-]+(?:[/\\][\w@.()\[\]-]+)*\.\w{1,5}$")
_ARROW = re.compile(r"\s*--> ([^\s:]{1,200}):(\d+):\d+")
_COMPILER = re.compile(r"(?:warning|error): (\S.{1,300})$")
_CLIPPY = re.compile(r"clippy::(\w+)|rust-clippy/[\w./-]*index\.html#(\w+)")
_CODED = re.compile(r"([A-Z]{1,5}\d{2,5}):? (?:\[\*\] )?(\S.{1,400})$")
_SHELL_AT = re.compile(r"In (\S{1,200}) line (\d+):$")
_SHELL = re.compile(r"\s*\^-*\^? (SC\d{4}) \(\w+\): (.{1,300})")
_BIOME = re.compile(r"([^\s:]{1,200}):(\d+):\d+ (lint/[\w/]+)")
_NAMED = re.compile(r"(?P<text>.+?) \((?P<rule>[a-z][a-z0-9][\w:-]{1,40})\)$")
_BRACKET = re.compile(
    r"(?:(?:error|note|warning|info|style): )?(?P<text>.+?)\s+\[(?P<rule>[a-z][a-z-]{2,30}|SC\d{4})\]$"
)
_COP = re.compile(r"[CWEFR]: (?:\[\w+\] )?(?P<rule>[A-Z]\w+/\w+): (?P<text>.+)")
_CHECK = re.compile(
    r"([A-Z]{1,4}\d{2,5}|[a-z][A-Za-z]*[A-Z]\w*|[a-z]+(?:-[a-z]+)+): (?=\S)"
)
_SECTION = re.compile(r"([a-z]+): (?=\S)")
_CARET = re.compile(r"\s*\^")
_RANGE = re.compile(r"\d+-\d+ lines ")
_METALINTERS = frozenset(
    "revive gocritic govet staticcheck stylecheck gosec".split()
)  # many checks under one name


def read(text: str) -> Iterator[Lint]:
    """All reports in an output, in order. Lines that are no report are passed over."""
    lines = text[:LONGEST].splitlines()[:LINES]
    header = pending = ""
    at: tuple[str, int] | None = None
    for number, line in enumerate(lines):
        if not line or len(line) > 700:
            continue
        if line[0].isspace():
            if header and (match := _ESLINT.match(line)):
                yield Lint(header, int(match[1]), match[3], match[2], line.strip())
            elif pending and (match := _ARROW.match(line)):
                at = (match[1], int(match[2]))
                if coded := _CODED.match(pending):
                    yield Lint(*at, coded[1], coded[2], pending)
                    pending = ""
            elif at and pending and (match := _CLIPPY.search(line)):
                yield Lint(*at, f"clippy::{match[1] or match[2]}", pending, pending)
                pending = ""
            elif at and "^" in line and (match := _SHELL.match(line)):
                yield Lint(*at, match[1], match[2], line.strip())
            continue
        if match := _TSC.match(line):
            yield Lint(
                match["path"], int(match["line"]), match["rule"], match["text"], line
            )
        elif match := _BIOME.match(line):
            words = next(
                (
                    after.strip(" ×!✖")
                    for after in lines[number + 1 : number + 4]
                    if after.strip()
                ),
                "",
            )
            yield Lint(match[1], int(match[2]), match[3], words, line)
        elif match := _PLACED.match(line):
            if lint := _one_line(match, line, lines[number + 1 : number + 3]):
                yield lint
        elif match := _SHELL_AT.match(line):
            at = (match[1], int(match[2]))
        elif match := _COMPILER.match(line):
            pending, at = match[1], None
        elif _CODED.match(line):
            pending, at = line, None
        elif _HEADER.match(line):
            header = line


def _one_line(place: re.Match[str], line: str, after: list[str]) -> Lint | None:
    path, rest = place["path"], place["rest"].strip()
    if "." not in path.rsplit("/", 1)[-1]:
        return None
    rule_match = _COP.match(rest) or _BRACKET.match(rest) or _NAMED.match(rest)
    coded = _CODED.match(rest)
    if rule_match:
        rule, message = rule_match["rule"], rule_match["text"]
        check = _CHECK.match(message) or (
            _SECTION.match(message) if rule in _METALINTERS else None
        )
        if (
            check
        ):  # gosec's G306, gocritic's ifElseChain; pylint names its check in brackets
            message = message[check.end() :]
            rule = rule if coded and "-" in rule else f"{rule} {check[1]}"
    elif coded:
        rule, message = coded[1], coded[2]
    else:
        return None
    excerpted = len(after) == 2 and (_CARET.match(after[1]) or _RANGE.match(message))
    excerpt = after[0].strip() if excerpted else ""
    return Lint(path, int(place["line"]), rule, message, line, excerpt)
