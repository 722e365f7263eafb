"""Checks that were run again only to see another part of what they print.

A test run behind `| tail -20` fails and does not show which test; the same run behind `| grep FAIL` does, and costs all
of it once more. Nothing repeats in the output, only in what is done: the same check, nothing changed in between,
another filter. It counts for a repository as a whole, whichever check it was.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from afterglow.calls import Command, full_line, goal_of_command, kind_of_work, program
from afterglow.harvest.agreeing_findings import ranked_values, sessions_by_value
from afterglow.harvest.events.explained import places
from afterglow.harvest.quiet_steps import has_spoken, is_check, is_quiet
from afterglow.harvest.trail import Step, Trail
from afterglow.records.knowledge import Finding, Telling

NAME = "reruns"
VERSION = 4

MIN_SESSIONS = 2  # that ran the same check again, or looked for the same word: one may have had its reason
MAX_NAMED = 2  # checks, and filters, in the sentence: which one it was matters little
MAX_CALLS_TO_MORE = 3  # to the same filter with a greater number
MAX_CALLS_BETWEEN = 12  # looks and other checks between two runs that belong together
# The same check may have been run again for a reason that nobody saw; below what makes one session enough.
DIRECTNESS = 0.75
DEFAULT_LINES = 10  # that `head` and `tail` show
FILE = "/tmp/out.txt"
_ENDS = frozenset({"head", "tail"})

_WORD = re.compile(r"(?<![\w\\.-])[A-Za-z]{4,20}(?![\w-])")
_NUMBER = re.compile(r"\d+")
_NAME = re.compile(r"[\w./:@ …-]{1,40}")  # of a check that a sentence can repeat


class _Run(Struct, frozen=True):
    """A check, where it ran, and the filters behind it; `shows` is these as one text."""

    step: Step
    check: Command
    key: tuple[str, str, str]
    filters: tuple[Command, ...]

    @property
    def shows(self) -> str:
        return full_line(self.filters)

    @property
    def has_cut(self) -> bool:
        """Something behind it lets through what it looks for; `grep -v` leaves out what nobody wants."""
        return any(not item.has("-v") for item in self.filters)

    @property
    def has_shown_all(self) -> bool:
        """Only ends were cut off, and the output is much shorter than that: `head -50`, and four lines."""
        numbers = [int(number) for number in _NUMBER.findall(self.shows)]
        is_cut = all(item.program in _ENDS for item in self.filters)
        lines = (self.step.call.result or "").count("\n") + 1
        return is_cut and 2 * lines < min(numbers, default=DEFAULT_LINES)

    @property
    def sought(self) -> set[str]:
        """The words that a search behind the check looks for."""
        patterns = (
            item.operands[0]
            for item in self.filters
            if program(item.program).answers and item.operands and not item.has("-v")
        )
        return {word for pattern in patterns for word in _WORD.findall(pattern)}


def mine(trail: Trail) -> Iterator[Finding]:
    if not trail.repo:
        return
    directories = places(trail)
    earlier: dict[tuple[str, str, str], _Run] = {}
    for step in trail.steps:
        if not is_quiet(step):
            earlier.clear()
            continue
        run = _run(step, directories)
        if run is None:
            continue
        first_run = earlier.get(run.key)
        if first_run is not None and _is_run_again(trail, first_run, run):
            yield _finding(trail, first_run, run)
        earlier[run.key] = run


def _run(step: Step, directories: Mapping[int, str]) -> _Run | None:
    """A line that runs one check and nothing else that matters, with a filter behind it or without."""
    if step.action.kind != "shell" or step.call.result is None:
        return None
    checks = list(filter(is_check, step.action.commands))
    if len(checks) != 1 or "loop" in checks[0].place:
        return None
    (check,) = checks
    commands = step.action.commands
    behind = commands[commands.index(check) + 1 :]
    filters = tuple(item for item in behind if item.after == "|")
    beside = [item for item in step.action.working if item not in (check, *filters)]
    if beside or not all(map(_only_cuts, filters)):
        return None
    place = directories.get(step.index, "")
    key = full_line([check]), check.directory, place
    return _Run(step, check, key, filters)


def _only_cuts(command: Command) -> bool:
    return program(command.program).family in {"viewer", "filter"}


def _is_run_again(trail: Trail, first_run: _Run, run: _Run) -> bool:
    """Only the filter is another one, and shows something that the first had cut off."""
    if not first_run.has_cut or first_run.has_shown_all:
        return False
    if _is_another_try(first_run, run):
        return False
    if run.step.index - first_run.step.index > MAX_CALLS_BETWEEN:
        return False
    return not has_spoken(trail, first_run.step, run.step)


def _is_another_try(first_run: _Run, run: _Run) -> bool:
    """The same filters, with no greater numbers, or later: a little more is asked for at once."""
    if _NUMBER.sub("0", first_run.shows) != _NUMBER.sub("0", run.shows):
        return False
    is_later = run.step.index - first_run.step.index > MAX_CALLS_TO_MORE
    return is_later or _shows_less(first_run.shows, run.shows)


def _shows_less(old_filters: str, new_filters: str) -> bool:
    """No greater numbers: `tail -50`, `tail -10`."""
    numbers = zip(
        _NUMBER.findall(old_filters), _NUMBER.findall(new_filters), strict=True
    )
    return all(int(new_number) <= int(old_number) for old_number, new_number in numbers)


def _finding(trail: Trail, first_run: _Run, run: _Run) -> Finding:
    slots = {
        "check": _name(first_run.check),
        "kind": kind_of_work(first_run.check),
        "filter": first_run.filters[0].program,
        "then": run.filters[0].program if run.filters else "",
        "sought": " ".join(sorted(run.sought)),
    }
    evidence = (trail.asked(first_run.step), trail.asked(run.step))
    return Finding(NAME, f"{trail.repo}|reruns", slots, evidence, cost=1)


def _name(check: Command) -> str:
    """What a person would call it: program and task, behind what runs it; with dots for what else it is given."""
    runners = [item.program for item in check.wrappers if not item.line]
    name = " ".join([*runners, goal_of_command(check)])
    has_more = len(check.words) > len(goal_of_command(check).split())
    return f"{name} …" if has_more else name


def tell(findings: Sequence[Finding]) -> Telling | str:
    named = [item for item in findings if _NAME.fullmatch(item.slots["check"])]
    sessions = sessions_by_value(named, "check")
    checks = [
        name for name in ranked_values(named, "check") if sessions[name] >= MIN_SESSIONS
    ]
    if not checks:
        return "no check was run again by two sessions to see more of it"
    stated = [item for item in named if item.slots["check"] in checks[:MAX_NAMED]]
    kinds = {item.slots["kind"] for item in stated}
    unseen = "which test" if kinds == {"test"} else "what"
    situation = (
        f"{_listed(checks)} piped to {_listed(ranked_values(stated, 'filter'))} "
        f"hid {unseen} failed"
    )
    look = _look([item for item in stated if item.slots["check"] == checks[0]])
    remedy = f"save it to a file, search that: `{checks[0]} > {FILE} 2>&1{look}`"
    return Telling(
        f"{situation}: {remedy}.",
        "tool-quirk",
        situation,
        remedy,
        DIRECTNESS,
        "checks",
        ("reruns",),
        rests_on=tuple(place for place, item in enumerate(findings) if item in stated),
        times=len(stated),
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names[:MAX_NAMED])


def _look(findings: Sequence[Finding]) -> str:
    """How to search what was saved: for the word that sessions looked for at last; nothing where they do not agree on
    one."""
    filtered_again = {(item.first.session, item.first.line) for item in findings}
    last_reruns = [
        item
        for item in findings
        if (item.first.session, item.evidence[1].line) not in filtered_again
    ]
    pairs = {
        (item.first.session, word)
        for item in last_reruns
        for word in item.slots["sought"].split()
    }
    counts = Counter(word for _, word in pairs)
    word = min(counts, key=lambda word: (-counts[word], word), default="")
    return (
        f"; echo $?; grep -n -A20 {word} {FILE}" if counts[word] >= MIN_SESSIONS else ""
    )
