"""The tables of the paper, made from result files: each cell that is a number leads to its place."""

from __future__ import annotations

from collections.abc import Sequence

from afterglow.show.blocks import Block, Code, Grid, Num, Small, Words
from afterglow.text.numbers import number, percent, percent_range
from bench.paper.formats import bare_p, one_decimal, rounded
from bench.paper.results import Results
from bench.paper.sentences import SHARES, comparison, differences

OUTCOMES = {
    "success": "solved",
    "errors": "failed calls",
    "calls": "calls",
    "tokens": "tokens",
    "seconds": "seconds",
}
PRIMARY = "success"
NO_NUMBER: Words = ("–",)
BLANKS: tuple[Words, Words, Words] = (NO_NUMBER, NO_NUMBER, NO_NUMBER)
Row = tuple[Words, ...]


def arms(results: Results, plan: str) -> Sequence[Block]:
    """What became of the runs of each arm, beside the paired difference to the first: one row an arm."""
    name, _, plan_name = plan.partition(":")
    address = f"{name}:plans.{plan_name}"
    found = results.value(address)
    control = found["arms"][0]
    others = [
        outcome
        for outcome in OUTCOMES
        if outcome in found["outcomes"] and outcome != PRIMARY
    ]
    rows: list[Row] = []
    for arm in found["arms"]:
        means = [
            _mean(results, f"{address}.outcomes.{outcome}.{arm}", outcome)
            for outcome in (PRIMARY, *others)
        ]
        compared = _compared(results, plan, arm, control) if arm != control else BLANKS
        rows.append(((Code(arm),), means[0], *compared, *means[1:]))
    planned = found["tasks"] * len(found["arms"])
    caption = (
        f"Plan {plan_name}: {number(found['tasks'])} tasks, {number(found['runs'])} of {number(planned)} runs. The "
        f"difference is over tasks run in both arms, in points of tasks solved; beside p, how many tasks only this arm "
        f"and only {control} solved. The rest are means over runs"
    )
    heads = (
        "arm",
        "solved",
        f"less {control} (95 %)",
        "p",
        f"only it / only {control}",
        *(OUTCOMES[outcome] for outcome in others),
    )
    return [Grid(caption, heads, "lrrrr" + "r" * len(others), tuple(rows))]


def _mean(results: Results, place: str, outcome: str) -> Words:
    if not results.has(f"{place}.value"):
        return NO_NUMBER
    value = results.value(f"{place}.value")
    if outcome in SHARES:
        return (Num(percent(value), f"{place}.value"),)
    written = rounded(value) if value >= 100 else one_decimal(value)
    return (Num(written, f"{place}.value"),)


def _compared(
    results: Results, plan: str, arm: str, control: str, outcome: str = PRIMARY
) -> tuple[Words, Words, Words]:
    """The difference with its interval, p, and the tasks by which two arms differ."""
    place = comparison(plan, outcome, arm, control)
    found = results.value(place)
    difference, interval = differences(found, outcome)
    written = (
        Num(difference.removesuffix(" points"), f"{place}.estimate"),
        Small((Num(interval, f"{place}.low"),)),
    )
    p, discordant = NO_NUMBER, NO_NUMBER
    if found.get("p") is not None:
        p = (Num(bare_p(found["p"]), f"{place}.p"),)
    if found.get("discordant"):
        first, second = found["discordant"]
        discordant = (
            Num(str(first), f"{place}.discordant[0]"),
            " / ",
            Num(str(second), f"{place}.discordant[1]"),
        )
    return written, p, discordant


def differences_of(results: Results, plan: str) -> Sequence[Block]:
    """Every comparison that is not success against the control: other pairs, other outcomes. Nulls and harms too."""
    name, _, plan_name = plan.partition(":")
    found = results.value(f"{name}:plans.{plan_name}")
    control = found["arms"][0]
    rows: list[Row] = []
    for entry in found["comparisons"]:
        outcome, arm, against = entry["outcome"], entry["arm"], entry["against"]
        if outcome == PRIMARY and against == control:
            continue
        label: Words = (Code(arm), " against ", Code(against))
        compared = _compared(results, plan, arm, against, outcome)
        rows.append((label, (OUTCOMES.get(outcome, outcome),), *compared))
    if not rows:
        return []
    heads = ("arms", "outcome", "difference (95 %)", "p", "only the first / second")
    caption = f"Plan {plan_name}: all other comparisons, paired"
    return [Grid(caption, heads, "llrrr", tuple(rows))]


COUNTS = ("families", "learned", "right", "wrong", "missing")


def kinds(results: Results, counted: str) -> Sequence[Block]:
    """What became of lessons, by kind of family."""
    rows = []
    for at, kind in enumerate(results.value(f"{counted}:kinds")):
        rows.append(_counts(results, f"{counted}:kinds[{at}]", kind["kind"]))
    for label, key in (("all but quirks", "not_quirks"), ("all", "lessons")):
        rows.append(_counts(results, f"{counted}:{key}", label))
    return [
        Grid(
            "Families by kind: how many, whose learning sessions succeeded, and what the measured sessions would be "
            "told about them",
            ("kind", "families", "learned", "right", "wrong", "missing"),
            "lrrrrr",
            tuple(rows),
        )
    ]


def _counts(results: Results, place: str, label: str) -> Row:
    found = results.value(place)
    return ((label,), *((Num(number(found[key]), f"{place}.{key}"),) for key in COUNTS))


def tellings(results: Results, counted: str) -> Sequence[Block]:
    """What would be told of the families that learned: at which moment, in which form."""
    rows = []
    for label, key in (
        ("at the start", "at_start"),
        ("after a failure", "after_failure"),
        ("in the template", "in_template"),
    ):
        place = f"{counted}:tellings.{key}"
        found = results.value(place)
        cells = (
            (Num(number(found[name]), f"{place}.{name}"),)
            for name in ("right", "wrong", "missing")
        )
        rows.append(((label,), *cells))
    return [
        Grid(
            "Families whose learning sessions succeeded: what a later task would be told of them",
            ("told", "right", "wrong", "missing"),
            "lrrr",
            tuple(rows),
        )
    ]


def families(results: Results, loop: str) -> Sequence[Block]:
    """Every family of a loop, so that nobody has to take the counts on trust."""
    rows = []
    for at, family in enumerate(results.value(f"{loop}:families")):
        place = f"{loop}:families[{at}]"
        lessons = (
            (Num(family[key], f"{place}.{key}"),)
            for key in ("at_start", "after_failure", "in_template")
        )
        learned = "yes" if family["learned"] else "no"
        rows.append(((family["name"],), (family["kind"],), (learned,), *lessons))
    heads = ("family", "kind", "learned", "at the start", "after a failure", "in the template")  # fmt: skip
    caption = "Every family, whether a learning session succeeded, and what a later task would be told"
    return [Grid(caption, heads, "llllll", tuple(rows))]


def by_kind(results: Results, plan: str) -> Sequence[Block]:
    """Tasks solved, kind by kind: too few to compare, shown so that nothing hides in the mean."""
    name, _, plan_name = plan.partition(":")
    arms = results.value(f"{name}:plans.{plan_name}.arms")
    address = f"{name}-counted:plans.{plan_name}"
    rows = []
    for at, found in enumerate(results.value(address)):
        cells = (
            _solved(found["arms"][arm], f"{address}[{at}].arms.{arm}") for arm in arms
        )
        rows.append(((found["kind"],), *cells))
    caption = f"Plan {plan_name}: tasks solved, of how many, by kind of family. Not planned, too few to compare"
    return [Grid(caption, ("kind", *arms), "l" + "r" * len(arms), tuple(rows))]


def _solved(counts: dict[str, int], place: str) -> Words:
    written = f"{counts['solved']} of {counts['tasks']}"
    return (Num(written, f"{place}.solved"),)


def repositories(results: Results, replay: str) -> Sequence[Block]:
    """Replay, repository by repository."""
    rows = []
    for at, found in enumerate(results.value(f"{replay}:by_repo")):
        place = f"{replay}:by_repo[{at}]"
        counts = (
            (Num(number(found[key]), f"{place}.{key}"),)
            for key in ("sessions", "errors", "repeats")
        )
        rows.append(((found["name"],), *counts, *_rate(results, f"{place}.in_view")))
    rows.append(_all_repositories(results, replay))
    heads = ("repository", "sessions", "errors", "repeats", "remedy in view at the start", "95 % interval")  # fmt: skip
    return [
        Grid(
            "Replay on public histories, without any written lesson",
            heads,
            "lrrrrr",
            tuple(rows),
        )
    ]


def _all_repositories(results: Results, replay: str) -> Row:
    repeats = f"{replay}:shares.in_view"
    return (
        ("all",),
        (Num(number(results.value(f"{replay}:sessions")), f"{replay}:sessions"),),
        (Num(number(results.value(f"{replay}:errors")), f"{replay}:errors"),),
        (Num(number(results.value(f"{repeats}.n")), f"{repeats}.n"),),
        *_rate(results, repeats),
    )


def _rate(results: Results, place: str) -> tuple[Words, Words]:
    found = results.value(place)
    if found["value"] is None:
        return NO_NUMBER, NO_NUMBER
    return (
        (Num(percent(found["value"]), f"{place}.value"),),
        (Num(percent_range(found["low"], found["high"]), f"{place}.low"),),
    )


def budgets(results: Results, replay: str) -> Sequence[Block]:
    """How much more is in view with more tokens."""
    rows = []
    for at, found in enumerate(results.value(f"{replay}:curve")):
        place = f"{replay}:curve[{at}]"
        rows.append(
            (
                (Num(number(found["budget"]), f"{place}.budget"),),
                (Num(rounded(found["tokens"]), f"{place}.tokens"),),
                *_rate(results, f"{place}.in_view"),
            )
        )
    heads = ("budget", "tokens used, mean", "in view", "95 % interval")
    return [
        Grid(
            "Replay: remedies of repeated errors in view, by budget in tokens",
            heads,
            "rrrr",
            tuple(rows),
        )
    ]


TABLES = {
    "arms": arms,
    "differences": differences_of,
    "kinds": kinds,
    "tellings": tellings,
    "families": families,
    "by-kind": by_kind,
    "repositories": repositories,
    "budgets": budgets,
}
