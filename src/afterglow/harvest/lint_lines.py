"""What linters print -> which rule they found broken, where, and in what words.

Understands one-line reports (golangci-lint, ruff, flake8, mypy, pylint, rubocop, shellcheck, tsc, and what prints like
them) and reports of several lines (eslint, oxlint, clippy, ruff, biome, shellcheck).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from afterglow.calls import program

MAX_OUTPUT_READ, MAX_LINES_READ = (
    30_000,
    600,
)  # enough for every rule an agent can mend at once
MAX_LINE = 700  # characters: a longer line is data
MAX_LINES_TO_MESSAGE = 3  # behind the place that biome names

# A comment that tells a linter to be quiet, in any language.
SUPPRESSING = re.compile(
    r"//\s*nolint\b[^\n]*|#\s*(?:noqa|nosec|(?:type|pyright):\s*ignore|(?:pylint|rubocop):\s*disable)\b[^\n]*"
    r"|#\s*shellcheck disable\b[^\n]*"
    r"|(?://|/\*)\s*(?:eslint-disable|biome-ignore|@ts-(?:expect-error|ignore)|NOLINT|swiftlint:disable|nosemgrep)[^\n]*"
    r"|#!?\[(?:allow|expect)\([^)\n]{0,200}\)\]|@SuppressWarnings\([^)\n]{0,200}\)"
)

_CALLED = re.compile(r"(?<![/.\w-])[\w-]+(?![/\w])")
_LINT = re.compile(r"[\w-]*lint(?:er|s|ing)?")
_TASKS = frozenset({"clippy", "vet", "check", "typecheck"})  # of tools that do more
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
_OXLINT = re.compile(r"\s+[x×]\s+[\w@-]+\(([\w/-]{3,60})\): (\S.{1,300})$")
_OXLINT_PLACE = re.compile(r"\s+(?:,-|╭─)\[([^\s:\]]{1,200}):(\d+):\d+\]")
_HEADER = re.compile(r"(?:/|\./|[A-Z]:\\)?[\w@.-]+(?:[/\\][\w@.()\[\]-]+)*\.\w{1,5}$")
_ARROW = re.compile(r"\s*--> ([^\s:]{1,200}):(\d+):\d+")
_COMPILER = re.compile(r"(?:warning|error): (\S.{1,300})$")
_CLIPPY = re.compile(r"clippy::(\w+)|rust-clippy/[\w./-]*index\.html#(\w+)")
_CODED = re.compile(  # `error MD040/fenced-code-language Fenced code blocks ...`
    r"(?:(?:error|warning) )?([A-Z]{1,5}\d{2,5})(?:/[\w/-]{2,60})?:? (?:\[\*\] )?(\S.{1,400})$"
)
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


def names_linter(text: str) -> bool:
    """Whether a word of a text is a linter, or a task that runs one: `eslint`, `npm run check-types`."""
    return any(map(_is_linter, _CALLED.findall(text)))


@lru_cache(maxsize=4096)
def _is_linter(word: str) -> bool:
    """Also where the word goes on behind a hyphen: `golangci-lint-fix`."""
    if _LINT.fullmatch(word) or word in _TASKS:
        return True
    if program(word).kind in {"lint", "typecheck"} or word == "pre-commit":
        return True
    return "-" in word and _is_linter(word.rpartition("-")[0])


def read(text: str) -> Iterator[Lint]:
    """All reports in an output, in order. Lines that are no report are passed over."""
    reader = _Reader(text[:MAX_OUTPUT_READ].splitlines()[:MAX_LINES_READ])
    for number, line in enumerate(reader.lines):
        if not line or len(line) > MAX_LINE:
            continue
        is_indented = line[0].isspace()
        lint = reader.indented(line) if is_indented else reader.flush(number, line)
        if lint is not None:
            yield lint


class _Reader:
    """Goes through an output. Of reports in several lines it remembers what came first: a file's name that stands above
    its reports (`header`), a message whose place is still to come (`pending`), a rule with its message (`named`), a place
    (`at`)."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.header = self.pending = ""
        self.named: tuple[str, str, str] | None = None
        self.at: tuple[str, int] | None = None

    def indented(self, line: str) -> Lint | None:
        """A line that belongs to one above it."""
        if self.header and (match := _ESLINT.match(line)):
            return Lint(self.header, int(match[1]), match[3], match[2], line.strip())
        if self.named and (match := _OXLINT_PLACE.match(line)):
            (rule, message, raw), self.named = self.named, None
            return Lint(match[1], int(match[2]), rule, message, raw)
        if "(" in line and (match := _OXLINT.match(line)):
            self.named = match[1], match[2], line.strip()
            return None
        if self.pending and (match := _ARROW.match(line)):
            self.at = (match[1], int(match[2]))
            return self._coded(self.at)
        if self.at is None:
            return None
        if self.pending and (match := _CLIPPY.search(line)):
            message = self._take_pending()
            rule = f"clippy::{match[1] or match[2]}"
            return Lint(*self.at, rule, message, message)
        if "^" in line and (match := _SHELL.match(line)):
            return Lint(*self.at, match[1], match[2], line.strip())
        return None

    def _coded(self, at: tuple[str, int]) -> Lint | None:
        coded = _CODED.match(self.pending)
        if coded is None:
            return None
        return Lint(*at, coded[1], coded[2], self._take_pending())

    def _take_pending(self) -> str:
        message, self.pending = self.pending, ""
        return message

    def flush(self, number: int, line: str) -> Lint | None:
        """A line that names its place itself, or begins a report of several lines."""
        if match := _TSC.match(line):
            place, rule = (match["path"], int(match["line"])), match["rule"]
            return Lint(*place, rule, match["text"], line)
        if match := _BIOME.match(line):
            message = self._next_text(number)
            return Lint(match[1], int(match[2]), match[3], message, line)
        if match := _PLACED.match(line):
            return _one_line(match, line, self.lines[number + 1 : number + 3])
        self._remember(line)
        return None

    def _next_text(self, number: int) -> str:
        following = self.lines[number + 1 : number + 1 + MAX_LINES_TO_MESSAGE]
        return next((line.strip(" ×!✖") for line in following if line.strip()), "")

    def _remember(self, line: str) -> None:
        if match := _SHELL_AT.match(line):
            self.at = (match[1], int(match[2]))
        elif match := _COMPILER.match(line):
            self.pending, self.at = match[1], None
        elif _CODED.match(line):
            self.pending, self.at = line, None
        elif _HEADER.match(line):
            self.header = line


def _one_line(place: re.Match[str], line: str, after: list[str]) -> Lint | None:
    path, rest = place["path"], place["rest"].strip()
    if "." not in path.rsplit("/", 1)[-1]:
        return None
    named = _named(rest)
    if named is None:
        return None
    rule, message = named
    has_excerpt = len(after) == 2 and (_CARET.match(after[1]) or _RANGE.match(message))
    excerpt = after[0].strip() if has_excerpt else ""
    return Lint(path, int(place["line"]), rule, message, line, excerpt)


def _named(text: str) -> tuple[str, str] | None:
    """The rule that a report names, and its message."""
    coded = _CODED.match(text)
    match = _COP.match(text) or _BRACKET.match(text) or _NAMED.match(text)
    if match is None:
        return (coded[1], coded[2]) if coded else None
    rule, message = match["rule"], match["text"]
    check = _CHECK.match(message)
    if check is None and rule in _METALINTERS:
        check = _SECTION.match(message)
    if check is None:
        return rule, message
    # gosec's G306, gocritic's ifElseChain; pylint names its check in brackets
    names_check = coded is not None and "-" in rule
    return rule if names_check else f"{rule} {check[1]}", message[check.end() :]
