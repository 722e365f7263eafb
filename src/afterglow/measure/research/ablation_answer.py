"""The ablation in words: one sentence for the answer, one for each kind, what it cannot say, how it was computed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from afterglow.measure.research.ablation import (
    ENOUGH_SESSIONS,
    TOO_FEW,
    Judged,
    alone,
    count_of,
    have_placebo,
    met_share,
    share,
    whole,
    whole_over_placebo,
    whole_placebo,
)
from afterglow.measure.research.came_up import IN_WORDS, KINDS, Kind
from afterglow.records.profile_report import Difference
from afterglow.records.template import PARTS
from afterglow.text.numbers import count, percent, points, points_interval, rate_words


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
    best = best_part(sessions, kind)
    mostly = f"; {best} alone {percent(_alone(sessions, kind, best))}" if best else ""
    sham = _placebo_words(sessions, kind) if have_placebo(sessions) else ""
    met = percent(met_share(sessions, kind).value)
    return f"{IN_WORDS[kind]}: {rate_words(in_template)} in the whole template{mostly}{sham}; met before {met}."


def _placebo_words(sessions: Sequence[Judged], kind: Kind) -> str:
    sham = share(sessions, kind, whole_placebo)
    gain = whole_over_placebo(sessions, kind)
    apart = f"{points(gain.value)} [{points_interval(gain)}], {verdict_of(gain)}"
    return f"; a placebo {percent(sham.value)} ({apart})"


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
    few = [kind for kind in KINDS if count_of(sessions, kind) < TOO_FEW]
    kinds = [kind for kind in KINDS if kind not in few]
    seldom = f"; {_listed(few)} came up too seldom to say" if few else ""
    if have_placebo(sessions):
        held = _against_placebo(sessions, kinds) + seldom
    else:
        shares = [_share_words(sessions, kind) for kind in kinds]
        held = (
            f"{_listed(shares) or 'nothing'} of what came up{seldom}; only one repository has a template, so there is no "
            "placebo to hold that against"
        )
    return f"In {len(sessions)} later sessions a template held {held}.", True


def _against_placebo(sessions: Sequence[Judged], kinds: Sequence[Kind]) -> str:
    """What it held clearly more of than a placebo."""
    clear = [kind for kind in kinds if whole_over_placebo(sessions, kind).sign == 1]
    if not clear:
        return "nothing clearly more often than other repositories' of the same size"
    unclear = [kind for kind in kinds if kind not in clear]
    more = f"; for {_listed(unclear)} no clear difference" if unclear else ""
    shares = [_share_words(sessions, kind) for kind in clear]
    return f"more than other repositories' of the same size for {_listed(shares)}{more}"


def _share_words(sessions: Sequence[Judged], kind: Kind) -> str:
    """`failures (30.7 %, mostly by patterns)`."""
    best = best_part(sessions, kind)
    mostly = f", mostly by {best}" if best else ""
    return f"{kind} ({percent(share(sessions, kind, whole).value)}{mostly})"


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
    "The placebo is made of the other repositories' templates as they are in the end, that with most sessions first: of "
    "each part as much as fits into the tokens of one's own.",
    "Shares are pooled over sessions, with intervals that count sessions and not calls; differences are within sessions.",
)
