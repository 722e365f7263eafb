"""What of a warm session matters: shares of what came up that stood in each part of what a session could be told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

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
from afterglow.text.numbers import count, percent, points, points_interval, rate_words

WHOLE = "whole template"
PLACEBO = "placebo: another repository's"
MET = "met before: the most there could be"
BOTH = "template and lessons"
LESSONS_NAME = "lessons at the start"
MAX_REPOSITORIES = 12  # a table of them
TOO_FEW = 20  # of a kind that came up: no share of so few says anything
ENOUGH_SESSIONS = 10  # fewer cannot speak for other sessions, whatever they hold


class Judged(Struct, frozen=True, kw_only=True):
    """One session: how much came up of each kind; of it, what stood in each part of its template and in its lessons,
    what a placebo of the same size had, and how much any earlier session had met. `tokens` is what each part takes."""

    session: str
    repo: str
    counts: dict[Kind, int]
    parts: dict[str, InView]
    placebo: dict[str, InView]
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


def tables(sessions: Sequence[Judged]) -> tuple[ResearchTable, ...]:
    return (
        _shares(sessions),
        _lost(sessions),
        _against_placebo(sessions),
        _by_repo(sessions),
    )


def _shares(sessions: Sequence[Judged]) -> ResearchTable:
    rows: list[tuple[Cell, ...]] = []
    for name, view_of in VIEWS.items():
        shares = (share(sessions, kind, view_of) for kind in KINDS)
        rows.append((name, _mean_tokens(sessions, name), *shares))
    rows.append((MET, None, *(met_share(sessions, kind) for kind in KINDS)))
    rows.append(("came up, in all", None, *(_count(sessions, kind) for kind in KINDS)))
    return ResearchTable(
        title="What stood in each part, alone",
        heads=("part", "tokens", *KINDS),
        rows=tuple(rows),
        about=(
            "Shares of what came up in later sessions. A placebo has as many tokens of each part, from another "
            "repository's template."
        ),
    )


def _count(sessions: Iterable[Judged], kind: Kind) -> int:
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
        PLACEBO: PARTS,
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
            (name, share(sessions, kind, view_of)) for name, view_of in VIEWS.items()
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


def best_part(sessions: Sequence[Judged], kind: Kind) -> str:
    """The part that shows most alone; empty where none shows anything."""
    shares = {part: share(sessions, kind, alone(part)) for part in PARTS}
    best = max(PARTS, key=lambda part: shares[part].value or 0.0)
    return best if shares[best].count else ""


def findings(sessions: Sequence[Judged]) -> Iterator[str]:
    """A sentence for each kind, and how much of it is a few errors."""
    for kind in KINDS:
        yield sentence(sessions, kind)
        if kind == "failures" and (few_errors := concentration(sessions)):
            yield few_errors
    if uneven := unevenness(sessions):
        yield uneven


def sentence(sessions: Sequence[Judged], kind: Kind) -> str:
    """`Commands that worked, shown in the same shape: 31.0 % [...] (most of it examples), a placebo 12.0 %.`"""
    in_template = share(sessions, kind, whole)
    if in_template.n < TOO_FEW:
        return (
            f"{IN_WORDS[kind]}: {in_template.count} of {in_template.n}, too few to say."
        )
    sham = share(sessions, kind, whole_placebo)
    gain = whole_over_placebo(sessions, kind)
    best = best_part(sessions, kind)
    mostly = f"; {best} alone {percent(_alone(sessions, kind, best))}" if best else ""
    verdict = verdict_of(gain)
    return (
        f"{IN_WORDS[kind]}: {rate_words(in_template)} in the whole template{mostly}; a placebo {percent(sham.value)} "
        f"({points(gain.value)} [{points_interval(gain)}], {verdict}); met before {percent(met_share(sessions, kind).value)}."
    )


def concentration(sessions: Iterable[Judged]) -> str:
    """How many different errors are behind the failures with a remedy in view: a few may make them all."""
    errors = Counter(error for each in sessions for error in whole(each)["failures"])
    if not errors:
        return ""
    most = errors.most_common(1)[0][1]
    different = count(len(errors), "different error")
    return (
        f"The {errors.total()} failures with a remedy in view are {different}; the most frequent one alone came in "
        f"{count(most, 'session')}."
    )


def unevenness(sessions: Sequence[Judged]) -> str:
    """How far repositories are apart: one may make the numbers of all."""
    ranges: list[str] = []
    for kind in KINDS:
        shares = {
            repo: share([each for each in sessions if each.repo == repo], kind, whole)
            for repo in {each.repo for each in sessions}
        }
        solid = [
            (rate.value, repo)
            for repo, rate in shares.items()
            if rate.value is not None and rate.sessions >= ENOUGH_SESSIONS
        ]
        if len(solid) > 1:
            low, high = min(solid), max(solid)
            ends = f"{percent(low[0])} ({low[1]}) to {percent(high[0])} ({high[1]})"
            ranges.append(f"{kind} from {ends}")
    if not ranges:
        return ""
    return f"Repositories differ: {'; '.join(ranges)}."


def _alone(sessions: Sequence[Judged], kind: Kind, part: str) -> float | None:
    return share(sessions, kind, alone(part)).value


def verdict_of(gain: Difference) -> str:
    """What a difference allows to say."""
    verdicts = {1: "clearly more", -1: "clearly less", 0: "no clear difference"}
    return "too few sessions to say" if gain.sign is None else verdicts[gain.sign]


def answer(sessions: Sequence[Judged]) -> tuple[str, bool]:
    """One sentence, and whether there is enough to say it."""
    if len(sessions) < ENOUGH_SESSIONS:
        return (
            f"Too few sessions to say: {len(sessions)} began after their repository had enough earlier ones to make a "
            f"template of; {ENOUGH_SESSIONS} are needed.",
            False,
        )
    clear: list[str] = []
    unclear: list[str] = []
    few: list[str] = []
    for kind in KINDS:
        gain = whole_over_placebo(sessions, kind)
        best = best_part(sessions, kind)
        if _count(sessions, kind) < TOO_FEW:
            few.append(kind)
        elif gain.sign == 1 and best:
            in_template = percent(share(sessions, kind, whole).value)
            clear.append(f"{kind} ({in_template}, mostly by {best})")
        else:
            unclear.append(kind)
    if not clear:
        return (
            f"Nothing of a template held clearly more of what came up in {len(sessions)} later sessions than another "
            "repository's of the same size.",
            True,
        )
    more = f"; for {_listed(unclear)} no clear difference" if unclear else ""
    more += f"; {_listed(few)} came up too seldom to say" if few else ""
    return (
        f"In {len(sessions)} later sessions a template held more than another repository's of the same size for "
        f"{_listed(clear)}{more}.",
        True,
    )


def _listed(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


LIMITS = (
    "In view is not used: whether an agent would have heeded what stood there, and whether that helps, only an "
    "experiment tells (`experiment new --arms cold,template,...`, `template:examples` and its like).",
    "What sessions did was done without having been told: a session that had been told might have met other things.",
    "Recognising is literal: the same error by its fingerprint, the same command by its shape, the same file by its path, "
    "the same words of a person nearly to the letter. What says the same in other words is missed, for the placebo too.",
    "Files and commands that are named may be what the agent would have found at once: that they were in view says "
    "nothing about time saved.",
)
METHOD = (
    "Sessions are walked in time order. Before each, a template is distilled from the newest 20 of the sessions of its "
    "repository and agent that had ended and not failed (at least 5), with the lessons known by then, as `warm auto` "
    "does; the lessons are the context of 600 tokens that `bootstrap` would have made.",
    "Parts, as the arms of experiments have them: context (what a good session knew), examples (calls that worked), "
    "patterns (errors and what worked, what the person laid down), markers (files, addresses, commands most used).",
    "A failure has its remedy in view where a recovery of the same error stands there, a lesson that tells of the error, "
    "or a call of the shape that then solved it, if that is another than the failed one. Tests and builds that fail "
    "while code is being written are left out. Commands that any agent knows (ls, cat, git status) are left out. "
    "Everything counts once a session.",
    "The placebo is the template of another repository as it is in the end, each part cut to the tokens of one's own.",
    "Shares are pooled over sessions, with intervals that count sessions and not calls; differences are within sessions.",
)
