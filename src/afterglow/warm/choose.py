"""Which template a new session should start with: pure, glances in, a choice with its reasons out.

A template must fit first: the task speaks of it, or it was asked for by tag, or it is of the repository and the type
asked for; and at least one of its tools is there. Among those that fit, the score is a product, so that every part of
it can be read by itself:

    words      share of what the task says that name, description, tags (in full) or markers (in part) speak of;
               a word that many templates have says little, and so does a verb that any task has
    type tags  of the type and with the tags asked for
    repo       from this repository, from none, from another
    tools      share of its examples whose tool is there; without a list, whether it is of the same agent
    success    what the ledger proved, shrunk toward the mean of all templates: four sessions' worth of doubt
    fresh      half as much a year after its last version

Without a record one template is as good as another of the same score, so the least used goes first: each gets its turn,
and the ledger can tell them apart. Said "equal" are scores within 5 %.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from math import log

from msgspec import Struct

from afterglow.records.tools import TaskType
from afterglow.store.templates.entries import Glance, Record
from afterglow.text.search_words import words

LEAST = 0.15  # share of the task's words that must be spoken of
MARKED = 0.5  # what a word counts that only a file, command or repository has
VERB = 0.3  # what a verb counts that any task has
KIND = 0.5  # a template of mixed work, where a type was asked for
ELSEWHERE = 0.5  # learned in another repository, or by another agent
ANYWHERE = 0.8  # learned in none that is known
DOUBT = 4  # sessions' worth of the mean that a record starts with
YEAR = 365 * 86400.0
EQUAL = 0.95

_COMMON = frozenset(
    words(
        """the and for with from this that these those into onto what when where which while who why how have has had
        not are was were can could should would will may might please use make get set new one two all any some our your
        my you we it its is be do does did if so as at by or an a in on to of up out over let need want like just now
        then than also there here them they me us i about code file files work works working task project repo
        session sessions template templates recurs"""
    )
)
_VERBS = frozenset(
    words(
        """add change check create do fix give handle help implement improve look run see show start stop take tell try
        update write read find open move remove clean test"""
    )
)


class Wanted(Struct, frozen=True, kw_only=True):
    """A session about to start. Without `tools` it is not known which it has."""

    task: str
    now: float
    task_type: TaskType | None = None
    tags: tuple[str, ...] = ()
    repo: str = ""
    agent: str = ""
    tools: tuple[str, ...] | None = None


class Ranked(Struct, frozen=True):
    """A template that fits, its score, the parts of it, and the words it shares with the task."""

    id: str
    name: str
    score: float
    why: dict[str, float]
    spoken: tuple[str, ...]
    uses: int
    known: int


class Unfit(Struct, frozen=True):
    id: str
    why: str


class Choice(Struct, frozen=True):
    """The best one or none, why, what else fits (best first), and what does not."""

    best: Ranked | None
    reason: str
    ranked: tuple[Ranked, ...]
    unfit: tuple[Unfit, ...]


def choose(templates: Iterable[tuple[Glance, Record]], wanted: Wanted) -> Choice:
    known = list(templates)
    asked = [word for word in words(wanted.task) if word not in _COMMON]
    about = {one.id: _about(one) for one, _ in known}
    weights = _weights(asked, about.values())
    mean = _mean(record for _, record in known)
    ranked, unfit = [], []
    for one, record in known:
        shares = {word: about[one.id][word] for word in asked if word in about[one.id]}
        spoken = sum(weights[word] * share for word, share in shares.items()) / (
            sum(weights.values()) or 1.0
        )
        why = _unfit(one, wanted, spoken)
        if why:
            unfit.append(Unfit(one.id, why))
            continue
        parts = {
            "words": max(spoken, LEAST),
            "type": 1.0 if wanted.task_type in (None, one.task_type) else KIND,
            "tags": _tags(one.tags, wanted.tags),
            "repo": _place(one.repo, wanted.repo),
            "tools": _tools(one, wanted),
            "success": (record.successes + DOUBT * mean) / (record.known + DOUBT),
            "fresh": 0.5 ** (max(wanted.now - one.updated, 0.0) / YEAR),
        }
        score = 1.0
        for part in parts.values():
            score *= part
        rounded = {name: round(part, 3) for name, part in parts.items()}
        ranked.append(
            Ranked(
                one.id,
                one.name,
                round(score, 5),
                rounded,
                tuple(shares),
                record.uses,
                record.known,
            )
        )
    ranked.sort(key=lambda one: (-one.score, one.uses, one.id))
    best = _fair(ranked)
    if best is not None:
        ranked.sort(key=lambda one: one.id != best.id)
    return Choice(best, _reason(best, ranked, unfit), tuple(ranked), tuple(unfit))


def _fair(ranked: Sequence[Ranked]) -> Ranked | None:
    """The best, or where nothing is known of it, the least used of its equals of which nothing is known either."""
    if not ranked or ranked[0].known:
        return ranked[0] if ranked else None
    equal = [
        one for one in ranked if not one.known and one.score >= EQUAL * ranked[0].score
    ]
    return min(equal, key=lambda one: (one.uses, -one.score, one.id))


def _unfit(one: Glance, wanted: Wanted, spoken: float) -> str:
    """Why a template must not be taken, however good it is."""
    if not one.approved:
        return "not approved: `afterglow warm approve` after reading it"
    if (
        wanted.task_type not in (None, one.task_type)
        and one.task_type is not TaskType.MIXED
    ):
        return f"for {one.task_type.value}"
    if wanted.tags and not _tags(one.tags, wanted.tags):
        return "has none of the tags"
    if one.tools and wanted.tools is not None and not _tools(one, wanted):
        return "none of its tools is there"
    here = (
        bool(wanted.repo)
        and _same_repo(one.repo, wanted.repo)
        and wanted.task_type is one.task_type
    )
    if spoken < LEAST and not wanted.tags and not here:
        return "the task does not speak of it"
    return ""


def _about(one: Glance) -> dict[str, float]:
    """The words of a template, and what each counts."""
    marked = words(
        " ".join(
            [*one.markers.files, *one.markers.commands, *one.markers.repos, one.repo]
        )
    )
    said = words(" ".join([one.name, one.description, *one.tags]))
    return {**dict.fromkeys(marked, MARKED), **dict.fromkeys(said, 1.0)}


def _weights(
    asked: Sequence[str], about: Collection[dict[str, float]]
) -> dict[str, float]:
    """What each word of the task tells: less the more templates have it."""
    having = Counter(word for one in about for word in asked if word in one)
    return {
        word: (VERB if word in _VERBS else 1.0)
        * log(2 + len(about) / (1 + having[word]))
        for word in asked
    }


def _mean(records: Iterable[Record]) -> float:
    total = list(records)
    return (sum(one.successes for one in total) + 1) / (
        sum(one.known for one in total) + 2
    )


def _tags(has: Sequence[str], asked: Sequence[str]) -> float:
    wanted = {tag.casefold() for tag in asked}
    return (
        len(wanted & {tag.casefold() for tag in has}) / len(wanted) if wanted else 1.0
    )


def _place(has: str, asked: str) -> float:
    if not has or not asked:
        return ANYWHERE
    return 1.0 if _same_repo(has, asked) else ELSEWHERE


def _same_repo(one: str, other: str) -> bool:
    """`harbor` also means `owner/harbor`."""
    shorter, longer = sorted((one.casefold(), other.casefold()), key=len)
    return bool(shorter) and (longer == shorter or longer.endswith(f"/{shorter}"))


def _tools(one: Glance, wanted: Wanted) -> float:
    if wanted.tools is not None and one.tools:
        there = {tool.casefold() for tool in wanted.tools}
        return sum(tool.casefold() in there for tool in one.tools) / len(one.tools)
    if not one.agent or not wanted.agent:
        return 1.0
    return 1.0 if one.agent == wanted.agent else ELSEWHERE


def _reason(
    best: Ranked | None, ranked: Sequence[Ranked], unfit: Sequence[Unfit]
) -> str:
    if best is None:
        why = ", ".join(
            f"{number} {words_}"
            for words_, number in Counter(one.why for one in unfit).most_common()
        )
        return (
            f"none fits: {why}"
            if unfit
            else "there are no templates: `afterglow warm extract` makes one"
        )
    said = (
        [f"shares {', '.join(repr(word) for word in best.spoken[:6])} with the task"]
        if best.spoken
        else []
    )
    said += ["of this repository"] if best.why["repo"] == 1.0 else []
    others = [
        one for one in ranked if one.id != best.id and one.score >= EQUAL * best.score
    ]
    if best.known:
        said.append(
            f"success {best.why['success']:.2f} after {best.known} known outcomes, shrunk toward the mean"
        )
    elif others:
        said.append(f"no record yet, least used of {len(others) + 1} that are as good")
    else:
        said.append("no record yet")
    return "; ".join(said)
