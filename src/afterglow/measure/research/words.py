"""An answer in words: one line of what was looked at, and every cell of a table as it is read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from afterglow.records.profile_report import Difference, Rate
from afterglow.records.research import Cell, ResearchAnswer
from afterglow.show.figures import marked
from afterglow.text.numbers import (
    NONE,
    count,
    interval,
    number,
    points_interval,
    signed,
)


def head(answer: ResearchAnswer) -> str:
    """`SIMULATED. 120 sessions of 4 repositories, 2026-01-02 … 2026-03-04; repo harbor. Left out: 3 still active.`"""
    simulated = "SIMULATED. " if answer.simulated else ""
    sessions = count(answer.sessions, "session")
    repos = count(answer.repos, "repository", "repositories")
    days = f", {answer.first_day} … {answer.last_day}" if answer.first_day else ""
    chosen = "".join(f"; {name} {value}" for name, value in answer.selection.items())
    reasons = [f"{number(times)} {why}" for why, times in answer.left_out.items()]
    left_out = f" Left out: {', '.join(reasons)}." if reasons else ""
    return f"{simulated}{sessions} of {repos}{days}{chosen}.{left_out}"


def cell_words(cell: Cell) -> str:
    """`12.0 % [8.1–17.2 %]`; a difference in points; a dash where there is nothing."""
    if cell is None:
        return NONE
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Rate):
        if not cell.n:
            return NONE
        return f"{marked(cell)} [{interval(cell)}]"
    if isinstance(cell, Difference):
        if cell.value is None:
            return NONE
        return f"{signed(cell.value)} [{points_interval(cell)}]"
    return number(cell)


WRONG_REMEDIES = (
    "A remedy that later proved wrong counts as in view; `replay` says how many do."
)
HINDSIGHT = (
    "Lessons that a writer, or a rule, wrote about problems count from the end of the first session that showed them; "
    "their words may profit from hindsight, as in `replay`."
)


def few_repositories(repos: int) -> str:
    """What intervals over sessions do not cover."""
    of_how_many = count(repos, "repository", "repositories")
    return (
        "Intervals count sessions. Sessions of one repository are alike, and these are of "
        f"{of_how_many}: another one may be quite different."
    )


def placebo_words(foreign: Mapping[str, str], opening: str = "Placebos") -> str:
    """Whose template each repository's placebo begins with."""
    by_placebo: dict[str, list[str]] = defaultdict(list)
    for repo, placebo in sorted(foreign.items()):
        if placebo:
            by_placebo[placebo].append(repo or "(no repository)")
    if not by_placebo:
        return "There is no placebo: only one repository has a template."
    told_to = (f"{name}'s for {', '.join(repos)}" for name, repos in by_placebo.items())
    return f"{opening}: {'; '.join(told_to)}."
