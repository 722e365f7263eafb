"""What the form for a lesson about a problem holds: empty, what was written before, or what was not kept and why."""

from __future__ import annotations

from typing import Any, get_args

from afterglow.flows.harvest import HandWritten, dossier_mark
from afterglow.records.problems import ProblemReport
from afterglow.records.writing import LessonScope, WrittenAnswer
from afterglow.web.routing import Form

# What a lesson is about, as people would say it.
SCOPES = {
    "repo": "this repository",
    "machine": "this machine",
    "tool": "the agent's own tools",
    "user": "what I want",
    "everywhere": "everywhere",
}
assert set(SCOPES) == set(get_args(LessonScope))


def form_values(
    report: ProblemReport,
    earlier: WrittenAnswer | None,
    *,
    filled: HandWritten | None = None,
    refusal: str = "",
    own_words: HandWritten | None = None,
    own_refusal: str = "",
    is_risky: bool = False,
) -> dict[str, Any]:
    return {
        "mark": dossier_mark(report.dossier),
        "filled": filled or _as_written(earlier),
        "is_earlier": filled is None and earlier is not None,
        "refusal": refusal,
        "own_words": own_words or HandWritten(),
        "own_refusal": own_refusal,
        "is_risky": is_risky,
        "scopes": SCOPES,
    }


def _as_written(earlier: WrittenAnswer | None) -> HandWritten:
    """What the same person wrote before, so that it can be put right; its lines were those of another dossier."""
    if earlier is None:
        return HandWritten()
    return HandWritten(
        situation=earlier.situation,
        remedy=earlier.remedy,
        scope=earlier.scope,
        supersedes=earlier.item,
    )


def read_written(form: Form) -> HandWritten:
    cites = [int(text) for text in form.getlist("cites") if text.isdecimal()]
    return HandWritten(
        situation=form.get("situation", "").strip(),
        remedy=form.get("remedy", "").strip(),
        scope=form.get("scope", "repo"),
        cites=tuple(cites),
        supersedes=form.get("supersedes", "").strip(),
        nothing=form.get("nothing", "").strip(),
    )
