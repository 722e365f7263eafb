"""Rules a linter keeps finding broken, and what made it content: a change of code, or a comment that says why not.

Reports are gathered by rule, not by task or message. A remedy is an edit at the reported place, and it counts only when
a later run of the same linter no longer lists that file for that rule.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import takewhile

from msgspec import Struct

from afterglow.calls import Command, Edit, commands_in, only_shows
from afterglow.harvest.lint_lines import SUPPRESSING, Lint, names_linter, read
from afterglow.harvest.miners.linter_sentences import tell
from afterglow.harvest.trail import Step, Trail
from afterglow.records.knowledge import Evidence, Finding
from afterglow.text.clip import clip

__all__ = ["NAME", "VERSION", "mine", "tell"]

NAME = "linters"
VERSION = 3

MAX_LATER_RUNS = 4  # of a linter; by then other edits have come in between
MAX_EDIT_AT_LINE = 2500  # characters: a longer edit is about more than one line
MAX_QUOTED_CHANGE = 100  # characters of a change that can stand in a sentence
MAX_COMPARED_CHANGE = 3 * MAX_QUOTED_CHANGE  # of which the differing part may still fit
MIN_TELLING_CHANGE = 3  # characters: less is not understood without what is around it
MAX_OUTPUT_HEAD, MAX_OUTPUT_TAIL = (
    3000,
    2000,
)  # characters that name the linter, and the end
MAX_COMMAND_READ = 200  # characters in which a command names its linter
MAX_REMEDIES_POINTED_AT = 3  # more evidence says nothing new
MAX_QUOTED_COMMENT = 100  # characters of a comment that can stand in a sentence
MAX_MESSAGE, MAX_MESSAGE_SHAPE = 200, 160  # characters of a report's words
MAX_COMMENT_LEAD = 150  # characters in front of a comment that show where it stands

_ECHO = re.compile(r"^(?:\[[\w:.-]+\] )?[$>] (\S.{2,200})$", re.MULTILINE)
_CLEAN = re.compile(
    r"(?i)\b0 (?:issues|problems|errors|offenses|warnings)\b|no (?:issues|offenses|problems) |checks passed|success:"
)
_SUMMARY = re.compile(r"^\* ([\w-]+): \d+$", re.MULTILINE)
_UNNAMED = re.compile(r"@ts-|NOLINT\b(?!\()|nolint(?!:)|noqa(?!:)|ignore(?!\[)")
_REASON = re.compile(
    r"(nolint:[\w,-]+)\s*//.*|( -- ).*|((?:biome-ignore|@ts-expect-error)[^:]*:).*"
)
_QUOTED = re.compile(r"[`'\"]([\w./()\[\]*-]{2,60})[`'\"]")
_TOKEN = re.compile(r"[\w.]+|\s+|[^\w\s]")
_VARYING = re.compile(
    r"`[^`]{1,80}`|'[^']{1,80}'|\"[^\"]{1,80}\"|\(\*[\w.]{1,60}\)[\w.]*|\b\w{1,60}[a-z][A-Z]\w{0,60}|\b[A-Z][a-z]{1,40}[A-Z]\w{0,60}"
    r"|[\w.-]+(?:/[\w.-]+)+|\d+(?:-\d+)?"
)


class Run(Struct, frozen=True):
    """One run of linters: by which names it can be recognised, and what it listed."""

    step: Step
    names: frozenset[str]
    command: str
    lints: list[Lint]

    @property
    def clean(self) -> bool:
        if self.lints:
            return False
        tail = (self.step.call.result or "")[-MAX_OUTPUT_TAIL:]
        return self.step.ok or bool(_CLEAN.search(tail))

    @property
    def is_cut(self) -> bool:
        """Whether a pipe may have cut off what it listed."""
        return any(
            command.after == "|" and command.program != "tee" and only_shows(command)
            for command in self.step.action.commands
        )


class Remedy(Struct, frozen=True):
    kind: str  # comment, edit or rewrite
    words: str
    step: Step


class Report(Struct, frozen=True):
    """What one run listed, and what helped, if that was seen."""

    run: Run
    lint: Lint
    remedy: Remedy | None


def mine(trail: Trail) -> Iterator[Finding]:
    runs = [run for run in map(_run, trail.steps) if run is not None]
    if not any(run.lints for run in runs):
        return
    by_rule: dict[str, list[Report]] = defaultdict(list)
    for report in _reports(trail, runs):
        by_rule[report.lint.rule].append(report)
    for reports in by_rule.values():
        yield _finding(trail, reports)


def _reports(trail: Trail, runs: Sequence[Run]) -> Iterator[Report]:
    """Everything that was listed, once."""
    edits = [
        (step, edit) for step in trail.steps if step.ok for edit in step.action.edits
    ]
    reported: set[tuple[str, str, str]] = set()
    for run, later in zip(runs, _later(runs), strict=True):
        for lint in run.lints:
            key = (lint.path, lint.rule, lint.excerpt or lint.message)
            if lint.rule != "typecheck" and key not in reported:
                reported.add(key)
                yield Report(run, lint, _remedy(lint, run, later, edits))


def _run(step: Step) -> Run | None:
    if not step.program or not step.call.result:
        return None
    head = step.call.result[:MAX_OUTPUT_HEAD]
    stages = list(filter(_lints, step.action.working))
    may_lint_inside = step.failed and not step.looks and names_linter(head)
    if not stages and not may_lint_inside:
        return None
    lints = list(read(step.call.result))
    if not stages and not lints:
        return None
    names = list(map(_name, stages)) or [step.program]
    return Run(step, frozenset([*names, *_echoed(head)]), names[0], lints)


def _echoed(output: str) -> Iterator[str]:
    """The linters that a task says it runs."""
    for line in filter(names_linter, _ECHO.findall(output)):
        yield from map(_name, filter(_lints, commands_in(line)))


def _lints(command: Command) -> bool:
    if only_shows(command) or command.program in {"git", "gh"}:
        return False
    return names_linter(command.text[:MAX_COMMAND_READ])


def _name(command: Command) -> str:
    """How a person calls a linter: up to the word that says lint. `mise run lint --fix x` -> `mise run lint`."""
    words = [command.words[0].rsplit("/", 1)[-1], *command.words[1:]]
    last = next((at for at, word in enumerate(words) if names_linter(word)), 0)
    if last + 1 < len(words) and words[last + 1] in {"run", "check"}:
        last += 1
    return " ".join(words[: last + 1])


def _later(runs: Sequence[Run]) -> list[list[Run]]:
    """For each run the next few of the same linter."""
    ahead: dict[str, list[Run]] = {}  # by name, the nearest first
    later_runs: list[list[Run]] = []
    for run in reversed(runs):
        by_index: dict[int, Run] = {}
        for name in run.names:
            by_index |= {later.step.index: later for later in ahead.get(name, ())}
            ahead[name] = [run, *ahead.get(name, ())][:MAX_LATER_RUNS]
        nearest = sorted(by_index)[:MAX_LATER_RUNS]
        later_runs.append([by_index[index] for index in nearest])
    return later_runs[::-1]


def _remedy(
    lint: Lint, run: Run, later: list[Run], edits: list[tuple[Step, Edit]]
) -> Remedy | None:
    """The edit at the reported place, if a later run of the linter no longer lists the file for the rule."""
    after = next((item for item in later if _is_silent_about(item, lint)), None)
    if after is None:
        return None
    first = bisect_right(edits, run.step.index, key=_index_of)
    last = bisect_left(edits, after.step.index, key=_index_of)
    for step, edit in edits[first:last]:
        remedy = _by(step, edit, lint) if _same_file(edit.path, lint.path) else None
        if remedy is not None:
            return remedy
    return None


def _index_of(edit: tuple[Step, Edit]) -> int:
    return edit[0].index


def _is_silent_about(run: Run, lint: Lint) -> bool:
    if run.clean:
        return True
    if not run.lints or any(report.rule == "typecheck" for report in run.lints):
        return False
    same_rule = (report for report in run.lints if report.rule == lint.rule)
    if any(_same_file(report.path, lint.path) for report in same_rule):
        return False
    if not run.is_cut:
        return True
    summary = _SUMMARY.findall(run.step.call.result or "")  # tells what was cut off
    return bool(summary) and lint.linter not in summary


def _same_file(first: str, second: str) -> bool:
    """Also where one path is given from further up."""
    first, second = first.removeprefix("./"), second.removeprefix("./")
    if first == second:
        return True
    return first.endswith(f"/{second}") or second.endswith(f"/{first}")


def _by(step: Step, edit: Edit, lint: Lint) -> Remedy | None:
    comment = _comment_about(edit, lint)
    if comment:
        return Remedy("comment", comment.strip(), step)
    if not _touches(edit, lint):
        return None
    change = _change(edit, lint.excerpt)
    return Remedy("edit" if change else "rewrite", change, step)


def _comment_about(edit: Edit, lint: Lint) -> str:
    """The comment that an edit adds to silence a rule; a linter may also find fault with the comment itself."""
    if SUPPRESSING.search(lint.message):
        return ""
    for comment in SUPPRESSING.findall(edit.new):
        if comment not in edit.old and _is_about(comment, lint):
            return str(comment)
    return ""


def _touches(edit: Edit, lint: Lint) -> bool:
    if lint.excerpt:
        return lint.excerpt in edit.old and len(edit.old) < MAX_EDIT_AT_LINE
    names = _QUOTED.findall(lint.message)
    return any(edit.old.count(name) > edit.new.count(name) for name in names)


def _is_about(comment: str, lint: Lint) -> bool:
    names = {lint.linter, lint.rule.split(" ")[-1], lint.rule.removeprefix("clippy::")}
    return any(name in comment for name in names) or bool(_UNNAMED.search(comment))


def _change(edit: Edit, excerpt: str) -> str:
    """What replaced what, without the lines and words that stayed; empty if that is too much to say."""
    old, new = _at_line(*_trimmed(edit.old.split("\n"), edit.new.split("\n")), excerpt)
    before, after = _folded(old), _folded(new)
    if max(len(before), len(after)) > MAX_COMPARED_CHANGE:
        return ""
    if not before:
        return f"adding `{after}`" if len(after) <= MAX_QUOTED_CHANGE else ""
    went, came = before, after
    if len(old) == len(new) == 1:
        went, came = _telling_difference(before, after)
    if max(len(went), len(came)) > MAX_QUOTED_CHANGE or not went:
        return ""
    return f"`{went}` → `{came}`" if came else f"removing `{went}`"


def _at_line(
    old: list[str], new: list[str], excerpt: str
) -> tuple[list[str], list[str]]:
    """Of an edit line by line only the reported line."""
    if excerpt and len(old) > 1 and len(old) == len(new):
        for before, after in zip(old, new, strict=True):
            if before.strip() == excerpt:
                return [before], [after]
    return old, new


def _folded(lines: Sequence[str]) -> str:
    return " ".join(" ".join(lines).split())


def _telling_difference(before: str, after: str) -> tuple[str, str]:
    """The words that differ; both texts where these alone say little."""
    old, new = _trimmed(_TOKEN.findall(before), _TOKEN.findall(after))
    went, came = "".join(old).strip(), "".join(new).strip()
    is_telling = len(went) >= MIN_TELLING_CHANGE and bool(came)
    return (went, came) if is_telling else (before, after)


def _trimmed(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    """Without what both begin and end with."""
    head = _common(old, new)
    old, new = old[head:], new[head:]
    tail = _common(old[::-1], new[::-1])
    return old[: len(old) - tail], new[: len(new) - tail]


def _common(old: list[str], new: list[str]) -> int:
    """How many words two texts begin with alike."""
    pairs = zip(old, new, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _finding(trail: Trail, reports: Sequence[Report]) -> Finding:
    run, lint = reports[0].run, reports[0].lint
    by_step = {
        report.remedy.step.index: report.remedy for report in reports if report.remedy
    }
    remedies = list(by_step.values())[:MAX_REMEDIES_POINTED_AT]
    return Finding(
        NAME,
        f"lint|{lint.rule}",
        _slots(reports),
        (
            trail.got_words(run.step, lint.raw),
            *(_place(trail, remedy) for remedy in remedies),
        ),
        # As `text.fingerprint` reduces a run that this linter stopped.
        fingerprint=f"lint: {lint.linter}",
        cost=len({report.run.step.index for report in reports}) + len(by_step),
    )


def _slots(reports: Sequence[Report]) -> dict[str, str]:
    run, lint = reports[0].run, reports[0].lint
    remedies = [report.remedy for report in reports if report.remedy]
    kinds = Counter(remedy.kind for remedy in remedies)
    changes = [remedy.words for remedy in remedies if remedy.kind == "edit"]
    comment, flagged = _best_comment(reports)
    return {
        "rule": lint.rule,
        "command": run.command,
        "message": clip(lint.message, MAX_MESSAGE),
        "shape": clip(_VARYING.sub("…", lint.message), MAX_MESSAGE_SHAPE),
        "seen": str(len(reports)),
        "comments": str(kinds["comment"]),
        "edits": str(kinds["edit"] + kinds["rewrite"]),
        "comment": comment,
        "flagged": flagged if len(flagged) <= MAX_QUOTED_CHANGE else "",
        "edit": min(changes, key=len, default=""),
    }


def _best_comment(reports: Sequence[Report]) -> tuple[str, str]:
    """A comment that silenced the rule, and the line it was for: the shortest line that was shown."""
    comments = [
        (_without_reason(report.remedy.words), report.lint.excerpt)
        for report in reports
        if report.remedy and report.remedy.kind == "comment"
    ]
    return min(comments, key=lambda pair: (not pair[1], len(pair[1])), default=("", ""))


def _place(trail: Trail, remedy: Remedy) -> Evidence:
    """The comment where it stands in the edit, or the edit."""
    arguments = remedy.step.call.arguments
    at = arguments.find(remedy.words) if remedy.kind == "comment" else -1
    if at < 0:
        return trail.asked(remedy.step, max(arguments.find('"old'), 0))
    start = max(at - MAX_COMMENT_LEAD, 0)
    return trail.asked(remedy.step, start, at + len(remedy.words))


def _without_reason(comment: str) -> str:
    """A comment with its reason left open, where it gives one."""
    return clip(_REASON.sub(_open_reason, comment), MAX_QUOTED_COMMENT)


def _open_reason(match: re.Match[str]) -> str:
    if match[1]:
        return f"{match[1]} // <reason>"
    return f"{match[2] or match[3]}<reason>"
