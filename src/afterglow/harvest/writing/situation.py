"""Whether a failure is the situation that a lesson speaks of: a problem may hold several causes, a lesson is about one.

A problem is a family: errors that are worded alike. Of two members the objects differ (`Unknown JSON field: "a"`, `"b"`),
and a lesson about one of them is wrong for the other. So what the error names of the call decides; where the lesson
names none of that, some code of its situation must stand there whole. No likeness, no lists of words. The same answer
counts how many sessions met a lesson's situation and decides whether it is told when a call fails.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from afterglow.harvest.writing.failure_names import (
    FailureNames,
    code_in,
    failure_of,
    is_above,
    names_any,
    spans_of,
    stand_in,
    stands_in,
    telling_words,
    tokens_of,
)
from afterglow.records.problems import Event

# Of the words by which a lesson says when it applies, the share that must stand in the failure: more than half of the
# words of another cause seldom do.
MIN_SHARED_WORDS = 0.5

# One word in quotation marks: what an error is about.
_QUOTED_NAME = re.compile(r"(?<!\w)[\"'‘“]([\w@][\w./@-]+)[\"'’”](?!\w)")

# A check of a linter by its form: `G304`, `ifElseChain`, `unused-parameter`.
_CHECK = re.compile(
    r"(?<![\w/.-])(?:[A-Z]{1,4}\d{2,5}|[a-z][A-Za-z]*[A-Z]\w*|[a-z]+(?:-[a-z]+)+)(?![\w/-])"
)

_FILE = re.compile(r"`((?:[\w.@-]+/)+[\w@-]+\.\w{1,5})`")

# A path in code with places to fill in: `pulls/comments/<id>/replies`, `gh api …/comments/<id>`. Files go by their names, and
# a folder may be named in other ways (`--filter api`).
_PLACE = re.compile(r"(?<!\S)[/…]*([\w.@<>{}-]+(?:/[\w.@<>{}-]+)+)/?(?!\S)")
_FILE_NAME = re.compile(r"\.\w{1,5}$")
_TO_FILL_IN = re.compile(r"<[^<>]*>|\{[^{}]*\}")

SPOKEN_KINDS = frozenset({"person", "refused"})  # of events: no call failed there


def is_met(situation: str, event: Event, remedy: str = "") -> bool:
    """The failure surely is the situation."""
    if names_another_check(situation, event.rules):
        return False
    if event.target and _names_other_files(remedy, event.target):
        return False
    return is_situation(situation, remedy, failure_of(event))


def names_another_check(situation: str, rules: Iterable[str]) -> bool:
    """Of a linter with many checks (`gosec`), the situation names one, and the reports are of others."""
    checks = {rule.split()[-1] for rule in rules if " " in rule}
    named = set(_CHECK.findall(situation))
    return bool(checks and named) and checks.isdisjoint(named)


def names_another_place(situation: str, event: Event) -> bool:
    """The situation names places by paths with something to fill in, and none of them stands in the call or its error."""
    places = [
        place
        for code in code_in(situation)
        for place in _PLACE.findall(code)
        if _TO_FILL_IN.search(place) and not _FILE_NAME.search(place)
    ]
    if not places:
        return False
    lines = "\n".join(line.text for line in event.lines)
    happened = f"{event.command}\n{event.target}\n{event.directory}\n{lines}"
    return not any(_pattern(place).search(happened) for place in places)


@lru_cache(maxsize=256)
def _pattern(place: str) -> re.Pattern[str]:
    path = r"[^\s/]+".join(map(re.escape, _TO_FILL_IN.split(place)))
    return re.compile(rf"(?<![\w.-]){path}(?![\w-])")


def _names_other_files(remedy: str, target: str) -> bool:
    """The remedy names files by their paths, and what was asked for is none of them."""
    files = _FILE.findall(remedy)
    return bool(files) and not any(target.endswith(path) for path in files)


def is_situation(situation: str, remedy: str, failure: FailureNames) -> bool:
    """It names a part of the call that the error names too, or a linter that reports; or some code of it stands there
    whole."""
    if words_met(situation, failure) < MIN_SHARED_WORDS:
        return False
    if _quotes_another(situation, failure):
        return False
    if names_linter(situation, failure):
        return True
    if names_any(f"{situation} {remedy}", failure.named):
        return True
    if failure.linters:  # a report is known by its rules, whatever runs the linter
        return False
    spans = spans_of(situation)
    if not spans:
        return not failure.named
    return any(is_there(span, failure) for span in spans)


def _quotes_another(situation: str, failure: FailureNames) -> bool:
    """The situation quotes what its error is about (`Unknown field: "threads"`, `'unused-parameter'`), and nothing of
    that stands in this one."""
    quoted = _QUOTED_NAME.findall(situation)
    return bool(quoted) and not any(stands_in(name, failure.parts) for name in quoted)


def is_there(span: Sequence[str], failure: FailureNames) -> bool:
    """Code of a lesson stands in the call or its error; a folder also where a path leads through it."""
    return stand_in(span, failure.parts) or is_above(span, failure.parts)


def names_linter(situation: str, failure: FailureNames) -> bool:
    """Whether a lesson is about a rule that a linter reports in this failure."""
    return bool(_named_linters(situation, failure))


def words_met(situation: str, failure: FailureNames) -> float:
    """The share of the words of a situation that stand in the call and in the telling lines. Of a linter's report only
    the lines of the rule count that the lesson is about: the others are about other places."""
    lines: Iterable[str] = failure.lines
    if linters := _named_linters(situation, failure):
        lines = [line for line in lines if linters & tokens_of(line)] or linters
    happened = failure.call_words | telling_words(" ".join(lines))
    return _share(situation, happened)


def shared_words(situation: str, happened: str) -> float:
    """The share of the words of a situation that stand in a text."""
    return _share(situation, telling_words(happened))


def _share(situation: str, happened: frozenset[str]) -> float:
    situation_words = telling_words(situation)
    return len(situation_words & happened) / max(len(situation_words), 1)


def _named_linters(situation: str, failure: FailureNames) -> frozenset[str]:
    return failure.linters & tokens_of(situation)
