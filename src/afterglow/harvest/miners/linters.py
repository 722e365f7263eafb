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
from afterglow.harvest.lint_lines import LINTING, Lint, read
from afterglow.harvest.miners.linter_sentences import SUPPRESSING, tell
from afterglow.harvest.trail import Step, Trail
from afterglow.records.knowledge import Evidence, Finding
from afterglow.text.clip import clip

__all__ = ["NAME", "VERSION", "mine", "tell"]

NAME = "linters"
VERSION = 1

REACH = 4  # later runs of the linter that are looked at
NEAR = 2500  # characters of an edit that can be said to be about one line
SHOWN = 100  # characters of a change that can stand in a sentence

_ECHO = re.compile(r"^(?:\[[\w:.-]+\] )?[$>] (\S.{2,200})$", re.MULTILINE)
_CLEAN = re.compile(
    r"(?i)\b0 (?:issues|problems|errors|offenses|warnings)\b|no (?:issues|offenses|problems) |checks passed|success:"
)
_SUMMARY = re.compile(r"^\* ([\w-]+): \d+$", re.MULTILINE)
_CUT = re.compile(r"\|\s*(?:tail|head|grep|egrep|rg|sed|awk|wc|cut)\b")
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
_WRAPPERS = frozenset(
    "mise just make task npm pnpm yarn bun npx pnpx bunx uv uvx poetry pdm hatch cargo go python python3 bundle".split()
)


class Run(Struct, frozen=True):
    """One run of linters: by which names it can be recognised, and what it listed."""

    step: Step
    names: frozenset[str]
    command: str
    lints: list[Lint]

    @property
    def clean(self) -> bool:
        return not self.lints and (
            self.step.ok or bool(_CLEAN.search((self.step.call.result or "")[-2000:]))
        )


class Remedy(Struct, frozen=True):
    kind: str  # comment, edit or rewrite
    words: str
    step: Step


def mine(trail: Trail) -> Iterator[Finding]:
    runs = [run for step in trail.steps if (run := _run(step))]
    if not any(run.lints for run in runs):
        return
    edits = [
        (step, edit) for step in trail.steps if step.ok for edit in step.action.edits
    ]
    later = _later(runs)
    by_rule: dict[str, list[tuple[Run, Lint, Remedy | None]]] = defaultdict(list)
    reported: set[tuple[str, str, str]] = set()
    for at, run in enumerate(runs):
        for lint in run.lints:
            key = (lint.path, lint.rule, lint.excerpt or lint.message)
            if lint.rule == "typecheck" or key in reported:
                continue
            reported.add(key)
            by_rule[lint.rule].append((run, lint, _remedy(lint, run, later[at], edits)))
    for reports in by_rule.values():
        yield _finding(trail, reports)


def _run(step: Step) -> Run | None:
    if not step.program or not (result := step.call.result):
        return None
    stages = [command for command in step.action.working if _lints(command)]
    if not stages and not (
        step.failed and LINTING.search(result[:3000]) and not step.looks
    ):
        return None
    lints = list(read(result))
    if not stages and not lints:
        return None
    echoed = [
        name
        for said in _ECHO.findall(result[:3000])
        if LINTING.search(said)
        for name in _names(said)
    ]
    names = frozenset([_name(stage) for stage in stages] or [step.program]) | frozenset(
        echoed
    )
    return Run(step, names, _name(stages[0]) if stages else step.program, lints)


def _lints(command: Command) -> bool:
    return (
        not only_shows(command)
        and command.program not in {"git", "gh"}
        and bool(LINTING.search(command.text[:200]))
    )


def _names(command: str) -> list[str]:
    return [_name(part) for part in commands_in(command) if _lints(part)]


def _name(command: Command) -> str:
    """How a person calls a linter: up to the word that says lint. `mise run lint --fix x` -> `mise run lint`."""
    words = [command.words[0].rsplit("/", 1)[-1], *command.words[1:]]
    last = (
        0
        if words[0] not in _WRAPPERS
        else next((i for i, w in enumerate(words) if i and LINTING.search(w)), 0)
    )
    if last + 1 < len(words) and words[last + 1] in {"run", "check"}:
        last += 1
    return " ".join(words[: last + 1])


def _later(runs: Sequence[Run]) -> list[list[Run]]:
    """For each run the next few of the same linter."""
    ahead: dict[str, list[Run]] = {}  # by name, the nearest first
    later_runs = []
    for run in reversed(runs):
        nearest = {
            later_run.step.index: later_run
            for name in run.names
            for later_run in ahead.get(name, ())
        }
        later_runs.append([nearest[index] for index in sorted(nearest)[:REACH]])
        for name in run.names:
            ahead[name] = [run, *ahead.get(name, ())][:REACH]
    return later_runs[::-1]


def _remedy(
    lint: Lint, run: Run, later: list[Run], edits: list[tuple[Step, Edit]]
) -> Remedy | None:
    """The edit at the reported place, if a later run of the linter no longer lists the file for the rule."""
    for after in later:
        if _silent_about(after, lint):
            first = bisect_right(edits, run.step.index, key=lambda edit: edit[0].index)
            last = bisect_left(edits, after.step.index, key=lambda edit: edit[0].index)
            between = [
                (step, edit)
                for step, edit in edits[first:last]
                if _same_file(edit.path, lint.path)
            ]
            return next(
                (remedy for step, edit in between if (remedy := _by(step, edit, lint))),
                None,
            )
    return None


def _silent_about(run: Run, lint: Lint) -> bool:
    if run.clean:
        return True
    listed = {lint.rule for lint in run.lints}
    if (
        not listed
        or "typecheck" in listed
        or any(_same_file(o.path, lint.path) and o.rule == lint.rule for o in run.lints)
    ):
        return False
    if _CUT.search(
        run.step.command
    ):  # what is not shown may have been cut off; a summary tells
        summary = _SUMMARY.findall(run.step.call.result or "")
        return bool(summary) and lint.linter not in summary
    return True


def _same_file(first: str, second: str) -> bool:
    first, second = first.removeprefix("./"), second.removeprefix("./")
    return (
        first == second or first.endswith("/" + second) or second.endswith("/" + first)
    )


def _by(step: Step, edit: Edit, lint: Lint) -> Remedy | None:
    comment = next(
        (
            c
            for c in SUPPRESSING.findall(edit.new)
            if c not in edit.old and _about(c, lint)
        ),
        "",
    )
    if comment and not SUPPRESSING.search(
        lint.message
    ):  # a linter may find fault with the comment itself
        return Remedy("comment", comment.strip(), step)
    if lint.excerpt:
        touched = lint.excerpt in edit.old and len(edit.old) < NEAR
    else:
        touched = any(
            edit.old.count(word) > edit.new.count(word)
            for word in _QUOTED.findall(lint.message)
        )
    if not touched:
        return None
    change = _change(edit, lint.excerpt)
    return Remedy("edit" if change else "rewrite", change, step)


def _about(comment: str, lint: Lint) -> bool:
    names = {lint.linter, lint.rule.split(" ")[-1], lint.rule.removeprefix("clippy::")}
    return any(name in comment for name in names) or bool(_UNNAMED.search(comment))


def _change(edit: Edit, excerpt: str) -> str:
    """What replaced what, without the lines and words that stayed; empty if that is too much to say."""
    old, new = _trimmed(edit.old.split("\n"), edit.new.split("\n"))
    if (
        excerpt
        and len(old) > 1
        and any(excerpt == line.strip() for line in old)
        and len(old) == len(new)
    ):
        old, new = next(
            ([a], [b]) for a, b in zip(old, new, strict=True) if a.strip() == excerpt
        )
    before, after = " ".join(" ".join(old).split()), " ".join(" ".join(new).split())
    if max(len(before), len(after)) > 3 * SHOWN:
        return ""
    if not before:
        return f"adding `{after}`" if len(after) <= SHOWN else ""
    went, came = (
        ("".join(part)).strip()
        for part in _trimmed(_TOKEN.findall(before), _TOKEN.findall(after))
    )
    if (
        len(old) != 1 or len(new) != 1 or len(went) < 3 or not came
    ):  # the whole tells more than what differs
        went, came = before, after
    if max(len(went), len(came)) > SHOWN or not went:
        return ""
    return f"`{went}` → `{came}`" if came else f"removing `{went}`"


def _trimmed(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    head = sum(
        1
        for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))
    )
    old, new = old[head:], new[head:]
    tail = sum(
        1
        for _ in takewhile(
            lambda pair: pair[0] == pair[1], zip(old[::-1], new[::-1], strict=False)
        )
    )
    return old[: len(old) - tail], new[: len(new) - tail]


def _finding(trail: Trail, reports: list[tuple[Run, Lint, Remedy | None]]) -> Finding:
    run, lint, _ = reports[0]
    fixed = [(fixed_lint, remedy) for _, fixed_lint, remedy in reports if remedy]
    kinds = Counter(remedy.kind for _, remedy in fixed)
    comment, flagged = min(
        ((_without_reason(r.words), o.excerpt) for o, r in fixed if r.kind == "comment"),
        key=lambda pair: (not pair[1], len(pair[1])), default=("", ""),
    )  # fmt: skip
    slots = {
        "rule": lint.rule, "command": run.command, "message": clip(lint.message, 200), "shape": _shape(lint.message),
        "seen": str(len(reports)), "comments": str(kinds["comment"]), "edits": str(kinds["edit"] + kinds["rewrite"]),
        "comment": comment, "flagged": flagged if len(flagged) <= SHOWN else "",
        "edit": min((r.words for _, r in fixed if r.kind == "edit"), key=len, default=""),
    }  # fmt: skip
    remedies = {remedy.step.index: remedy for _, remedy in fixed}
    evidence = [
        trail.got_words(run.step, lint.raw),
        *(_shown(trail, remedy) for remedy in list(remedies.values())[:3]),
    ]
    mark = f"lint: {lint.linter}"  # as `text.fingerprint` reduces a run that this linter stopped
    cost = len({run.step.index for run, _, _ in reports}) + len(remedies)
    return Finding(
        NAME, f"lint|{lint.rule}", slots, tuple(evidence), fingerprint=mark, cost=cost
    )


def _shown(trail: Trail, remedy: Remedy) -> Evidence:
    """The comment where it stands in the edit, or the edit."""
    at = (
        remedy.step.call.arguments.find(remedy.words)
        if remedy.kind == "comment"
        else -1
    )
    if at < 0:
        return trail.asked(remedy.step, max(remedy.step.call.arguments.find('"old'), 0))
    return trail.asked(remedy.step, max(at - 150, 0), at + len(remedy.words))


def _shape(message: str) -> str:
    return clip(_VARYING.sub("…", message), 160)


def _without_reason(comment: str) -> str:
    """A comment with its reason left open, where it gives one."""
    return clip(
        _REASON.sub(
            lambda m: f"{m[1]} // <reason>" if m[1] else f"{m[2] or m[3]}<reason>",
            comment,
        ),
        100,
    )
