"""What of a warm session matters: shares of what came up that stood in each part of what a session could be told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from afterglow.measure.research.came_up import IN_WORDS, KINDS, InView, Kind, joined
from afterglow.measure.research.pieces import LESSONS
from afterglow.records.profile_report import Difference, Rate
from afterglow.records.research import (
    Cell,
    FigurePanel,
    ResearchFigure,
    ResearchTable,
)
from afterglow.records.template import PARTS
from afterglow.stats.rates import Pair, difference, rate

WHOLE = "whole template"
PLACEBO = "placebo: other repositories'"
MET = "met before: the most there could be"
BOTH = "template and lessons"
LESSONS_NAME = "lessons at the start"
MAX_REPOSITORIES = 12  # a table of them
TOO_FEW = 20  # of a kind that came up: no share of so few says anything
ENOUGH_SESSIONS = 10  # fewer cannot speak for other sessions, whatever they hold


class Judged(Struct, frozen=True, kw_only=True):
    """One session: how much came up of each kind; of it, what stood in each part of its template and in its lessons,
    what a placebo of the same size had (`has_placebo`: there is one), and how much any earlier session had met.
    `tokens` is what each part takes, and under PLACEBO what the placebo does."""

    session: str
    repo: str
    counts: dict[Kind, int]
    parts: dict[str, InView]
    placebo: dict[str, InView]
    has_placebo: bool
    met: dict[Kind, int]
    tokens: dict[str, int]


ViewOf = Callable[[Judged], InView]


def alone(part: str) -> ViewOf:
    return lambda session: session.parts[part]


def whole(session: Judged) -> InView:
    return joined(*(session.parts[part] for part in PARTS))


def without(part: str) -> ViewOf:
    remaining = [name for name in PARTS if name != part]
    return lambda session: joined(*(session.parts[name] for name in remaining))


def whole_placebo(session: Judged) -> InView:
    return joined(*(session.placebo[part] for part in PARTS))


def with_lessons(session: Judged) -> InView:
    return joined(*(session.parts[part] for part in (*PARTS, LESSONS)))


def pairs(sessions: Iterable[Judged], kind: Kind, view_of: ViewOf) -> list[Pair]:
    """Of each session: what stood there, of all that came up."""
    return [(len(view_of(each)[kind]), each.counts[kind]) for each in sessions]


def share(sessions: Iterable[Judged], kind: Kind, view_of: ViewOf) -> Rate:
    return rate(pairs(sessions, kind, view_of))


def met_share(sessions: Iterable[Judged], kind: Kind) -> Rate:
    return rate([(each.met[kind], each.counts[kind]) for each in sessions])


def lost(sessions: Sequence[Judged], kind: Kind, part: str) -> Difference:
    """The whole template against itself without a part."""
    return apart(sessions, kind, (f"without {part}", WHOLE), without(part), whole)


def apart(
    sessions: Sequence[Judged],
    kind: Kind,
    names: tuple[str, str],
    first: ViewOf,
    second: ViewOf,
) -> Difference:
    """`second` minus `first`, in the same sessions."""
    both = zip(pairs(sessions, kind, first), pairs(sessions, kind, second), strict=True)
    return difference("within sessions", names, both)


# What a table or a figure has a row of, in order.
VIEWS: dict[str, ViewOf] = {
    **{part: alone(part) for part in PARTS},
    WHOLE: whole,
    PLACEBO: whole_placebo,
    LESSONS_NAME: alone(LESSONS),
    BOTH: with_lessons,
}


def have_placebo(sessions: Iterable[Judged]) -> bool:
    """Where only one repository has a template there is none."""
    return any(each.has_placebo for each in sessions)


def views(sessions: Sequence[Judged]) -> dict[str, ViewOf]:
    if have_placebo(sessions):
        return VIEWS
    return {name: view_of for name, view_of in VIEWS.items() if name != PLACEBO}


def tables(sessions: Sequence[Judged]) -> tuple[ResearchTable, ...]:
    against = [_against_placebo(sessions)] if have_placebo(sessions) else []
    return (_shares(sessions), _lost(sessions), *against, _by_repo(sessions))


def _shares(sessions: Sequence[Judged]) -> ResearchTable:
    rows: list[tuple[Cell, ...]] = []
    for name, view_of in views(sessions).items():
        shares = (share(sessions, kind, view_of) for kind in KINDS)
        rows.append((name, _mean_tokens(sessions, name), *shares))
    rows.append((MET, None, *(met_share(sessions, kind) for kind in KINDS)))
    rows.append(
        ("came up, in all", None, *(count_of(sessions, kind) for kind in KINDS))
    )
    return ResearchTable(
        title="What stood in each part, alone",
        heads=("part", "tokens", *KINDS),
        rows=tuple(rows),
        about="Shares of what came up in later sessions.",
    )


def count_of(sessions: Iterable[Judged], kind: Kind) -> int:
    return sum(each.counts[kind] for each in sessions)


def _by_repo(sessions: Sequence[Judged]) -> ResearchTable:
    """Whether it is one repository that makes the numbers."""
    rows: list[tuple[Cell, ...]] = []
    sizes = Counter(each.repo for each in sessions)
    for repo, size in sizes.most_common(MAX_REPOSITORIES):
        here = [each for each in sessions if each.repo == repo]
        shares = (share(here, kind, whole) for kind in KINDS)
        rows.append((repo or "(no repository)", size, *shares))
    return ResearchTable(
        title="The whole template, by repository",
        heads=("repository", "sessions", *KINDS),
        rows=tuple(rows),
    )


def _lost(sessions: Sequence[Judged]) -> ResearchTable:
    rows: list[tuple[Cell, ...]] = []
    for part in PARTS:
        rows.append((part, *(lost(sessions, kind, part) for kind in KINDS)))
    return ResearchTable(
        title="What the template loses without a part",
        heads=("part", *KINDS),
        rows=tuple(rows),
        about="In points, in the same sessions: the whole template minus itself without the part.",
    )


def _against_placebo(sessions: Sequence[Judged]) -> ResearchTable:
    rows: list[tuple[Cell, ...]] = []
    for part in PARTS:
        against = [over_placebo(sessions, kind, part) for kind in KINDS]
        rows.append((part, *against))
    rows.append((WHOLE, *(whole_over_placebo(sessions, kind) for kind in KINDS)))
    return ResearchTable(
        title="How much more than a placebo of the same size",
        heads=("part", *KINDS),
        rows=tuple(rows),
        about="In points, in the same sessions: what any repository's template would have shown here is taken off.",
    )


def over_placebo(sessions: Sequence[Judged], kind: Kind, part: str) -> Difference:
    def sham(session: Judged) -> InView:
        return session.placebo[part]

    return apart(sessions, kind, (PLACEBO, part), sham, alone(part))


def whole_over_placebo(sessions: Sequence[Judged], kind: Kind) -> Difference:
    return apart(sessions, kind, (PLACEBO, WHOLE), whole_placebo, whole)


def _mean_tokens(sessions: Sequence[Judged], name: str) -> float | None:
    parts = {
        WHOLE: PARTS,
        LESSONS_NAME: (LESSONS,),
        BOTH: (*PARTS, LESSONS),
    }
    names = parts.get(name, (name,))
    if not sessions:
        return None
    total = sum(each.tokens[part] for each in sessions for part in names)
    return round(total / len(sessions))


def figure(sessions: Sequence[Judged]) -> ResearchFigure:
    panels = []
    for kind in KINDS:
        rows = [
            (name, share(sessions, kind, view_of))
            for name, view_of in views(sessions).items()
        ]
        rows.append((MET, met_share(sessions, kind)))
        panels.append(FigurePanel(IN_WORDS[kind], tuple(rows)))
    return ResearchFigure(
        name="ablation",
        title="What stood in view, by part",
        caption=(
            "Dots are shares of what came up in later sessions, bars 95 % intervals that respect sessions. Each part is "
            "looked at alone."
        ),
        panels=tuple(panels),
    )
