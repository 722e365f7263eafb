"""A dossier as a form that a person fills in, and what was filled in as an answer like any writer's."""

from __future__ import annotations

import re
from typing import Any

from afterglow.records.problems import Dossier
from afterglow.records.writing import WrittenAnswer

COMMENT = "#"
HEAD = """\
What should a session know that comes here next? Fill in the lines below and save. Lines that begin with # are not read.
An empty form changes nothing."""
HINTS = {
    "situation": "When it matters, in the words a session meets: the command, the file, the telling part of the error.",
    "remedy": "What to do, whole: the exact command, flag, path or step, in `backticks`.",
    "scope": "repo (this project), machine, tool (the agent's own tools), user (a person's wish) or everywhere.",
    "lines": "Numbers of the lines above that show it; all of them if empty.",
    "supersedes": "The id of the lesson that this one replaces, if there is one.",
    "nothing": "In place of a lesson: why there is nothing to tell.",
}  # fmt: skip
_FIELD = re.compile(rf"({'|'.join(HINTS)})[ \t]*:[ \t]*(.*)")
_NUMBER = re.compile(r"\d{1,4}")  # more digits are no line of a dossier


def form(
    dossier: Dossier, answer: WrittenAnswer | None = None, objection: str = ""
) -> str:
    """The dossier as comments, and below it what is to be filled in: empty, or an answer with what was said against
    it."""
    values = _values(answer)
    lines = [*_comment(dossier.text), COMMENT]
    if objection:
        lines += [*_comment(f"Not kept: {objection}"), COMMENT]
    lines += _comment(HEAD)
    for field, hint in HINTS.items():
        lines += ["", *_comment(hint), f"{field}: {values[field]}"]
    return "\n".join(lines) + "\n"


def _comment(text: str) -> list[str]:
    return [f"{COMMENT} {line}".rstrip() for line in text.splitlines()]


def _values(answer: WrittenAnswer | None) -> dict[str, str]:
    values = {**dict.fromkeys(HINTS, ""), "scope": "repo"}
    if answer is None:
        return values
    return {
        "situation": answer.situation,
        "remedy": answer.remedy,
        "scope": answer.scope,
        "lines": " ".join(map(str, answer.cites)),
        "supersedes": answer.item,
        "nothing": answer.why,
    }


def read_form(text: str, dossier: Dossier) -> dict[str, Any] | None:
    """What was filled in, to be read like any writer's answer; none where nothing was. A value may go on over several
    lines."""
    values = _filled_in(text)
    has_lesson = bool(values["situation"] or values["remedy"])
    if not has_lesson and not values["nothing"]:
        return None
    numbers = [int(number) for number in _NUMBER.findall(values["lines"])]
    every_line = [line.number for line in dossier.lines]
    return {
        "problem": dossier.problem,
        "answer": "lesson" if has_lesson else "nothing",
        "situation": values["situation"],
        "remedy": values["remedy"],
        "scope": values["scope"].casefold() or "repo",
        "cites": numbers or every_line,
        "item": values["supersedes"],
        "why": values["nothing"],
    }


def _filled_in(text: str) -> dict[str, str]:
    parts: dict[str, list[str]] = {field: [] for field in HINTS}
    field = ""
    for line in text.splitlines():
        if line.startswith(COMMENT):
            continue
        start = _FIELD.fullmatch(line)
        if start is not None:
            field = start[1]
        if field:
            parts[field].append(start[2] if start is not None else line.strip())
    return {field: " ".join(filter(None, lines)) for field, lines in parts.items()}
