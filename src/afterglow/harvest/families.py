"""Families of events that mean the same: what a problem is made of.

An event may have several keys and belong to several families. Coarse ones count only what nothing more telling explains,
and families that hold nearly the same events are one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from msgspec import Struct

from afterglow.harvest.events.claims import coarse, is_summary
from afterglow.harvest.events.keys import makes
from afterglow.harvest.sayings import themes
from afterglow.harvest.user_speech import remarks
from afterglow.records.problems import Event

# Of the events of a family, the share that another one must hold for both to be one problem.
SAME_EVENTS = 0.8
MIN_SHARED_EVENTS = 2  # and all but one of a small family's
# A line is a frame when it hardly ever comes alone and its company changes: "test failed, to rerun pass ...".
MIN_EVENTS_OF_FRAME = 4
ALONE_IN_FRAME = 0.25  # of its events at most
COMPANY_OF_FRAME = 0.5  # of its events at least, as many different first lines
# What a person merely asks for is the work itself. Asked for in so many sessions, it is what they always want; in fewer
# the words are the same by chance, the more so the more sessions there are.
MIN_SESSIONS_OF_REQUEST, SHARE_OF_SESSIONS_OF_REQUEST = 4, 0.04
# What one person laid down and so many sessions ask for, it is the same whether they say "always" or only "please".
MIN_SESSIONS_OF_RULE = 3

# Kinds of keys from the most telling to the least. `exact` keys take apart what has no better one.
ORDER = (
    "rule state program test said asked remarks empty file folder line code absent refused host exact alike mute"
).split()
REMARKS = "remarks"  # what people refused or put right, on a page of its own
_RANK = {name: rank for rank, name in enumerate(ORDER)}
SPOKEN = frozenset({"said", "asked"})
# What says no more than that something failed or was refused: it counts only the events that nothing else explains.
_COARSE = frozenset({"absent", "refused", "host", "exact", "alike", "mute"})
PERSON = SPOKEN | {"refused", REMARKS}

ByKey = dict[str, list[Event]]


class Family(Struct, frozen=True):
    """The events that share a key. `also` are the keys whose events are nearly all in it."""

    key: str
    events: tuple[Event, ...]
    also: tuple[str, ...] = ()


def families_of(by_key: ByKey, least: int) -> list[Family]:
    """The families of events, oldest first, that `least` sessions have."""
    return _without_copies(_without_strangers(by_key, least), least)


def events_by_key(events: Sequence[Event]) -> ByKey:
    """What families are made of, however many sessions one must have."""
    by_key: ByKey = defaultdict(list)
    for event in events:
        for key in event.keys:
            if kind_of(key) in _RANK and kind_of(key) not in SPOKEN:
                by_key[key].append(event)
    spoken = [event for event in events if _saying(event)]
    by_key.update(_spoken(spoken))
    return by_key


def kind_of(key: str) -> str:
    return key.partition(" ")[0]


def _sessions(events: Iterable[Event]) -> int:
    return len({event.session for event in events})


def _spoken(events: Sequence[Event]) -> ByKey:
    """What people said, by theme; what they merely asked for only where they keep asking."""
    by_key: ByKey = {}
    by_share = SHARE_OF_SESSIONS_OF_REQUEST * _sessions(events)
    for theme in themes(events):
        laid_down = [event for event in theme if _saying(event).startswith("said ")]
        is_lasting = _sessions(theme) >= max(MIN_SESSIONS_OF_REQUEST, by_share)
        is_rule = _sessions(theme) >= MIN_SESSIONS_OF_RULE and any(
            remarks(event.person) for event in laid_down
        )
        if laid_down or is_lasting:
            members = theme if is_lasting or is_rule else laid_down
            by_key[_saying((laid_down or theme)[0])] = members
    return by_key


def _saying(event: Event) -> str:
    return next((key for key in event.keys if kind_of(key) in SPOKEN), "")


def _without_strangers(by_key: ByKey, least: int) -> ByKey:
    """Coarse families hold only what no telling one explains: events of different causes are not one problem because
    all of them end in the same words."""
    coarse_keys = [key for key, events in by_key.items() if is_coarse(key, events)]
    telling = by_key.keys() - set(coarse_keys)
    explained: set[int] = set()
    for key in telling:
        explained.update(_calls(by_key[key], least))
    families = {key: by_key[key] for key in by_key if key in telling}
    for key in sorted(coarse_keys, key=_rank):
        families[key] = [item for item in by_key[key] if item.call not in explained]
        explained.update(_calls(families[key], least))
    return families


def _calls(events: Sequence[Event], least: int) -> Iterable[int]:
    """The events that a family explains: none where too few sessions have it."""
    return [event.call for event in events] if _sessions(events) >= least else []


def rank_of(key: str) -> int:
    """The more telling, the smaller."""
    return _RANK[kind_of(key)]


def _rank(key: str) -> tuple[int, str]:
    return rank_of(key), key


def _by_size(key: str, events: Sequence[Event]) -> tuple[int, int, str]:
    rank, _ = _rank(key)
    return rank, -len(events), key


def is_coarse(key: str, events: Sequence[Event]) -> bool:
    """Whether a key says no more of these events than that something failed."""
    if kind_of(key) in _COARSE:
        return True
    if kind_of(key) != "line" or len(events) < MIN_EVENTS_OF_FRAME:
        return False
    company = [company_of(key, event) for event in events]
    is_seldom_alone = company.count("") <= ALONE_IN_FRAME * len(events)
    different = len(set(company) - {""})
    return is_seldom_alone and different >= COMPANY_OF_FRAME * len(events)


def company_of(key: str, event: Event) -> str:
    """The first telling line of an event beside the one that gives it this key."""
    for line in event.lines:
        if not makes(key, line) and not is_summary(line.text):
            return coarse(line.text)
    return ""


def _without_copies(by_key: ByKey, least: int) -> list[Family]:
    """Families that hold nearly the same events are one, with the events of both."""
    members: dict[str, dict[int, Event]] = {}
    also: dict[str, list[str]] = defaultdict(list)
    holders_of: dict[int, list[str]] = defaultdict(list)
    order = sorted(by_key.items(), key=lambda item: _by_size(*item))
    for key, events in order:
        if _sessions(events) < least:
            continue
        holder = _holder(events, holders_of)
        if holder:
            also[holder].append(key)
        else:
            holder = key
            members[key] = {}
        for event in events:
            if event.call not in members[holder]:
                members[holder][event.call] = event
                holders_of[event.call].append(holder)
    return [
        Family(key, tuple(sorted(events.values(), key=when)), tuple(also[key]))
        for key, events in members.items()
    ]


def _holder(events: Sequence[Event], holders_of: dict[int, list[str]]) -> str:
    """The family that holds nearly all of these events already."""
    holders = Counter(key for event in events for key in holders_of[event.call])
    if not holders:
        return ""
    key, shared = max(holders.items(), key=lambda pair: (pair[1], pair[0]))
    has_one_more = shared >= max(MIN_SHARED_EVENTS, len(events) - 1)
    return key if has_one_more or shared >= SAME_EVENTS * len(events) else ""


def when(event: Event) -> tuple[float, str, int]:
    return event.time or 0.0, event.session, event.line
