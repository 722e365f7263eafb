"""What an item is worth to a session that is about to start: the calls it can be expected to save.

How likely the session meets the situation (how often sessions here did, how lately, whether the task speaks of it), how
sure the item is, and what meeting it unprepared costs. Similarity to the task alone says none of that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import sqrt

from msgspec import Struct

from afterglow.records.context import Need
from afterglow.records.knowledge import WRITTEN_BY, KnowledgeItem
from afterglow.records.situation_costs import situation_cost

DAY = 86400.0
FEW = 12  # sessions a repository is taken to have had at least: one of two is not one half
FADES = 20.0  # days in which what is not met any more becomes half as likely
LEAST_LIKELY = 0.3  # of what an old item keeps
SPOKEN = 1.0  # by how many times a situation is likelier when the task speaks of it: little, as sessions showed
ELSEWHERE = 0.5  # what was learned in other repositories is that much likelier not to matter here
ALWAYS = 0.03  # a person's rule matters in one session of thirty at least, however often and however long ago they said it
LONGEST = 4000  # characters of a task that are read
MANY = 60  # words of a task that are looked for
# Most of what a session meets again it meets for the reason it met it first: nearly each further time counts.
OFTEN = 0.8
# Miners count sessions that are independent of one another; so many times as many meet a situation.
DEPENDENT = 1.5
# A rule that a person laid down spares them a turn, and holds until they say otherwise. What they wished in some sessions
# spares less: most of it is about other work.
RULE_SAVES, WISH_SAVES = 1.3, 0.7
Spoken = re.Pattern[str] | None

_WORD = re.compile(r"[a-z][a-z0-9]+(?:[_.:/-][a-z0-9]+)*")
_JOINT = re.compile(r"[_.:/-]")
_COMMON = frozenset(
    """the and for with from this that into what when where which while have has had not are was were can could should
    would will please use using used make add fix run get set new one all any our your you let need want like just now
    code file files change changes work works working test tests in on to of it is be do if so as at by or an
    a""".split()
)


class Worth(Struct, frozen=True):
    """Expected calls saved, and what that is made of. `often`: how many times a session pays that meets it. `saves`: the
    calls that a line surely spares each time."""

    calls: float
    likely: float
    sure: float
    cost: float
    saves: float
    often: float
    spoken: float

    @property
    def weight(self) -> float:
        """By which items are ordered: what is met often comes before what is dear now and then."""
        return self.likely * self.sure * self.saves * self.often


def worth(item: KnowledgeItem, need: Need, spoken: Spoken) -> Worth:
    likely = (item.source_count + 0.5) / (
        max(need.sessions, FEW, item.source_count) + 1
    )
    if item.miner not in WRITTEN_BY:
        likely *= DEPENDENT
    if not item.repo and not item.agent and need.repo:
        likely *= ELSEWHERE
    idle = max(need.now - (item.last_confirmed or need.now), 0.0) / DAY
    likely *= max(0.5 ** (idle / FADES), LEAST_LIKELY)
    if "rule" in item.tags:
        likely = max(likely, ALWAYS)
    share = overlap(item, spoken)
    likely = min(likely * (1 + SPOKEN * share), 0.95)
    cost = situation_cost(item)
    often = _often(item)
    return Worth(
        calls=round(likely * item.confidence * cost * often, 4),
        likely=round(likely, 4),
        sure=item.confidence,
        cost=cost,
        saves=_saves(item, cost),
        often=round(often, 2),
        spoken=round(share, 2),
    )


def _saves(item: KnowledgeItem, cost: float) -> float:
    """At most the first of the calls that a dear failure took; what followed had further causes."""
    if "rule" in item.tags:
        return RULE_SAVES
    return WISH_SAVES if "preference" in item.tags else min(cost, sqrt(cost))


def _often(item: KnowledgeItem) -> float:
    """Times a session. A task that sessions run again and again costs none of them anything."""
    if "command" in item.tags:
        return 1.0
    return float(max(item.times / max(item.source_count, 1), 1.0) ** OFTEN)


def overlap(item: KnowledgeItem, spoken: Spoken) -> float:
    """How much of what an item is about the task speaks of, 0 to 1: a rare word counts, a common one does not."""
    if spoken is None:
        return 0.0
    about = f"{item.fact} {item.domain} {' '.join(item.tags)}".lower()
    return min(len(set(spoken.findall(about))) / 3, 1.0)


def spoken_in(task: str) -> Spoken:
    """Finds the words a task is about in other texts; None for a task that says nothing."""
    task_words = sorted(words([task]), key=lambda word: (-len(word), word))[:MANY]
    return (
        re.compile(
            rf"(?<![a-z0-9])(?:{'|'.join(map(re.escape, task_words))})(?![a-z0-9])"
        )
        if task_words
        else None
    )


def words(texts: Iterable[str]) -> frozenset[str]:
    """Words that say what a text is about; parts of paths and names count too."""
    parts: set[str] = set()
    for text in texts:
        for word in _WORD.findall(text[:LONGEST].lower()):
            parts.add(word)
            parts.update(_JOINT.split(word))
    return frozenset(word for word in parts - _COMMON if len(word) > 2)
