"""How small a template may be: shares of what came up that still stood in it, by budget and by strategy."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from afterglow.measure.research.came_up import IN_WORDS, InView, Kind
from afterglow.records.profile_report import Difference, Rate
from afterglow.records.research import (
    Cell,
    FigurePanel,
    ResearchFigure,
    ResearchTable,
)
from afterglow.stats.rates import Pair, difference, rate
from afterglow.text.numbers import change, count, number, percent, rate_words
from afterglow.warm.coverage import ENOUGH_COVERAGE

BUDGETS = (75, 150, 300, 600, 1200)  # tokens
AS_TOLD = "as told"  # what a session is told of a whole template within a budget
PLACEBO = "placebo"
# Of what came up, the kinds of which there is enough to compare budgets by.
COMPARED: tuple[Kind, ...] = ("failures", "commands", "files")
ENOUGH_SESSIONS = 10  # fewer cannot speak for other sessions

Way = tuple[str, int]  # strategy and budget


class Squeezed(Struct, frozen=True, kw_only=True):
    """One session: how much came up of each kind, what of it stood in the whole template, and in what each strategy
    left of it within each budget; what those take."""

    counts: dict[Kind, int]
    whole: InView
    smaller: dict[Way, InView]
    tokens: dict[Way, int]
    whole_tokens: int


def share(sessions: Sequence[Squeezed], kind: Kind, way: Way) -> Rate:
    return rate(_pairs(sessions, kind, way))


def whole_share(sessions: Sequence[Squeezed], kind: Kind) -> Rate:
    return rate(_whole_pairs(sessions, kind))


def _pairs(sessions: Sequence[Squeezed], kind: Kind, way: Way) -> list[Pair]:
    return [(len(each.smaller[way][kind]), each.counts[kind]) for each in sessions]


def _whole_pairs(sessions: Sequence[Squeezed], kind: Kind) -> list[Pair]:
    return [(len(each.whole[kind]), each.counts[kind]) for each in sessions]


def lost(sessions: Sequence[Squeezed], kind: Kind, way: Way) -> Difference:
    """The whole template minus the smaller one, in the same sessions."""
    both = zip(_pairs(sessions, kind, way), _whole_pairs(sessions, kind), strict=True)
    return difference("within sessions", (f"{way[1]} tokens", "whole"), both)


def smallest(sessions: Sequence[Squeezed], kind: Kind, strategy: str) -> int | None:
    """The first budget that keeps nearly all of what the whole template shows; None where none does."""
    least = ENOUGH_COVERAGE * whole_share(sessions, kind).count
    for budget in BUDGETS:
        if share(sessions, kind, (strategy, budget)).count >= least > 0:
            return budget
    return None


def strategies(sessions: Sequence[Squeezed]) -> list[str]:
    names = (strategy for each in sessions for strategy, _ in each.smaller)
    return list(dict.fromkeys(names))


def tables(sessions: Sequence[Squeezed]) -> list[ResearchTable]:
    """For each kind, strategies down and budgets across; then what the strategies really take."""
    heads = ("strategy", *(f"{number(budget)} tokens" for budget in BUDGETS))
    by_kind = []
    for kind in COMPARED:
        rows: list[tuple[Cell, ...]] = []
        for strategy in strategies(sessions):
            shares = [share(sessions, kind, (strategy, budget)) for budget in BUDGETS]
            rows.append((strategy, *shares))
        whole = rate_words(whole_share(sessions, kind))
        table = ResearchTable(
            title=IN_WORDS[kind],
            heads=heads,
            rows=tuple(rows),
            about=f"The whole template: {whole}.",
        )
        by_kind.append(table)
    return [*by_kind, _lost(sessions), _tokens(sessions, heads)]


def _lost(sessions: Sequence[Squeezed]) -> ResearchTable:
    rows: list[tuple[Cell, ...]] = []
    for budget in BUDGETS:
        differences = (lost(sessions, kind, (AS_TOLD, budget)) for kind in COMPARED)
        rows.append((f"{number(budget)} tokens", *differences))
    return ResearchTable(
        title="What a smaller template loses, as told",
        heads=("budget", *COMPARED),
        rows=tuple(rows),
        about="In points, in the same sessions: the whole template minus what of it fits.",
    )


def _tokens(sessions: Sequence[Squeezed], heads: tuple[str, ...]) -> ResearchTable:
    rows: list[tuple[Cell, ...]] = []
    for strategy in strategies(sessions):
        sizes: list[Cell] = []
        for budget in BUDGETS:
            total = sum(each.tokens[strategy, budget] for each in sessions)
            sizes.append(round(total / len(sessions)))
        rows.append((strategy, *sizes))
    whole = round(sum(each.whole_tokens for each in sessions) / len(sessions))
    return ResearchTable(
        title="Tokens taken, on average",
        heads=heads,
        rows=tuple(rows),
        about=f"The whole template as text: {number(whole)}.",
    )


def figure(sessions: Sequence[Squeezed]) -> ResearchFigure:
    panels = []
    for kind in COMPARED:
        rows = [
            (f"{number(budget)} tokens", share(sessions, kind, (AS_TOLD, budget)))
            for budget in BUDGETS
        ]
        rows.append(("the whole template", whole_share(sessions, kind)))
        panels.append(FigurePanel(IN_WORDS[kind], tuple(rows)))
    return ResearchFigure(
        name="compression",
        title="What stood in view, by the size of the template",
        caption=(
            "A template told within so many tokens, as the arms template:TOKENS of experiments are. Dots are shares of "
            "what came up in later sessions, bars 95 % intervals that respect sessions."
        ),
        panels=tuple(panels),
    )


def answer(sessions: Sequence[Squeezed]) -> tuple[str, bool]:
    """One sentence, and whether there is enough to say it."""
    if len(sessions) < ENOUGH_SESSIONS:
        return (
            f"Too few sessions to say: {len(sessions)} began after their repository had enough earlier ones to make a "
            f"template of; {ENOUGH_SESSIONS} are needed.",
            False,
        )
    enough = f"{100 * ENOUGH_COVERAGE:.0f} %"
    said_sizes = [_size_words(sessions, kind) for kind in COMPARED]
    return (
        f"In {count(len(sessions), 'later session')}, to keep {enough} of what a whole template held in view it took "
        f"{'; '.join(said_sizes)} (told as text; steps of {_steps()}).",
        True,
    )


def _steps() -> str:
    return ", ".join(number(budget) for budget in BUDGETS)


def _size_words(sessions: Sequence[Squeezed], kind: Kind) -> str:
    if not whole_share(sessions, kind).count:
        return f"nothing for {kind}, as the whole held none"
    budget = smallest(sessions, kind, AS_TOLD)
    if budget is None:
        return f"more than {number(BUDGETS[-1])} tokens for {kind}"
    return f"{number(budget)} tokens for {kind}"


def findings(sessions: Sequence[Squeezed]) -> list[str]:
    """For each kind: the whole, the best strategy at a middle budget, and what that loses."""
    sentences = []
    middle = BUDGETS[len(BUDGETS) // 2]
    names = [name for name in strategies(sessions) if name != PLACEBO]
    for kind in COMPARED:
        whole = whole_share(sessions, kind)
        if not whole.count:
            continue
        shares = {name: share(sessions, kind, (name, middle)) for name in names}
        best = max(names, key=lambda name: shares[name].count)
        worst = min(names, key=lambda name: shares[name].count)
        loss = lost(sessions, kind, (best, middle))
        sentences.append(
            f"{IN_WORDS[kind]}: {rate_words(whole)} in the whole; within {number(middle)} tokens from "
            f"{percent(shares[worst].value)} ({worst}) to {percent(shares[best].value)} ({best}; the whole holds "
            f"{change(loss)} more)."
        )
    return sentences


LIMITS = (
    "In view is not used: whether a smaller template still helps is for an experiment to say.",
    "What is counted is what came up: a line that warns of something rare counts little here and may be worth its place.",
    "The strategies choose by how many sessions stand behind a piece, not by what later comes up; another choice of the "
    "same size could hold more.",
)
METHOD = (
    "Sessions are walked in time order; before each a template is made of earlier sessions only, as in `research "
    "ablation`. To bound the work a repository's template is made anew when three more sessions have begun.",
    "As told: the template as text, lines up to half of the room, then calls by support, as agents with hooks are told "
    "it. The other strategies are those of `warm compress`, which count tokens as a chat API does: examples with their "
    "results take more there. The placebo is another repository's template, as told within the same budget.",
    "A piece counts as told where its beginning stands in the text. The whole is the template as text without a limit.",
    "Shares are pooled over sessions, with intervals that count sessions and not calls; differences are within sessions.",
)
