"""Which events of a problem show it best, and what of them ended it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from afterglow.harvest.causes import Cause, Reasons, cause_of, causes_of
from afterglow.harvest.endings import is_ended, shows_way_out, way_of
from afterglow.harvest.events.keys import makes
from afterglow.harvest.families import company_of, when
from afterglow.records.problems import Event, TellingLine

MAX_EPISODES = 3  # of one cause: the first that was solved, the newest, and another
# Of several causes: those of most sessions are shown whole, the next in one line each.
MAX_WHOLE, MAX_BRIEF = 2, 5
# How many times as many sessions as any other cause one must have to be shown twice.
MAIN_CAUSE = 3


class Episode(Struct, frozen=True):
    """An event that shows a cause: the key by which its lines are known, how often that cause came, in how many sessions
    it ended as here, and the line that tells it apart from others, where that is not the one by which it is known."""

    event: Event
    key: str
    times: int = 1
    sessions: int = 1
    ended_so: int = 1
    is_brief: bool = False
    reason: TellingLine | None = None


def episodes(key: str, events: Sequence[Event]) -> list[Episode]:
    """What shows most of a problem: where several causes come back, one event of each; else up to three events, oldest
    first, spread over time. What else was ended follows in brief."""
    causes = causes_of(key, events)
    lasting = [cause for cause in causes if cause.is_lasting and cause.says_why]
    if len(causes) < 2 or not lasting or _is_one_of_many(lasting, events):
        whole = [Episode(event, key) for event in _spread(key, events)]
    elif _is_main(lasting):
        whole = _twice(lasting[0])
    else:
        whole = [_episode(cause, _best(cause)) for cause in lasting[:MAX_WHOLE]]
    reasons = Reasons(key, events)
    sessions = sessions_by_way(key, events)
    return [
        replace(
            _with_reason(episode, reasons),
            ended_so=sessions[way_of(episode.key, episode.event)],
        )
        for episode in [*whole, *_brief(causes, whole)]
    ]


def further_sessions(
    key: str, events: Sequence[Event], whole: Sequence[Episode]
) -> list[Episode]:
    """Of each session that no episode is of the event that shows most; where a person spoke first, then the newest."""
    sessions = {episode.event.session for episode in whole}
    further = [event for event in events if event.session not in sessions]
    best = best_of_sessions(key, further).values()
    ranked = sorted(best, key=lambda event: (not event.person, -_time(event)))
    return [Episode(event, key) for event in ranked]


def _with_reason(episode: Episode, reasons: Reasons) -> Episode:
    line = None if episode.key.startswith("rule ") else reasons.line(episode.event)
    return replace(episode, reason=line)


def _is_one_of_many(lasting: Sequence[Cause], events: Sequence[Event]) -> bool:
    """One cause comes back, and most sessions had others: what they have in common is more than that."""
    sessions = {event.session for event in events}
    return len(lasting) == 1 and 2 * lasting[0].sessions <= len(sessions)


def _is_main(lasting: Sequence[Cause]) -> bool:
    """Whether the first of some causes has many more sessions than any other."""
    return len(lasting) == 1 or lasting[0].sessions >= MAIN_CAUSE * lasting[1].sessions


def _twice(cause: Cause) -> list[Episode]:
    """Of those that show most one of the first and one of the newest; how often it came stands with the first."""
    worth = _Worth(cause.key, cause.events).of
    by_worth = sorted(_spread(cause.key, cause.events), key=worth, reverse=True)
    least = worth(by_worth[:2][-1])
    best = [event for event in by_worth if worth(event) >= least]
    first, *further = sorted(best, key=when)
    return [
        _episode(cause, first),
        *(Episode(event, cause.key) for event in further[-1:]),
    ]


def _episode(cause: Cause, event: Event, *, is_brief: bool = False) -> Episode:
    times = len(cause.events)
    return Episode(event, cause.key, times, cause.sessions, is_brief=is_brief)


def _brief(causes: Sequence[Cause], whole: Sequence[Episode]) -> list[Episode]:
    """The causes that no whole episode shows, where one of their events shows how it was ended."""
    calls = {episode.event.call for episode in whole}
    keys = {episode.key for episode in whole}
    further = [
        cause
        for cause in causes
        if cause.key not in keys
        or calls.isdisjoint(event.call for event in cause.events)
    ]
    best = ((cause, _best(cause)) for cause in further)
    telling = [
        (cause, event) for cause, event in best if shows_way_out(cause.key, event)
    ]
    return [
        _episode(cause, event, is_brief=True) for cause, event in telling[:MAX_BRIEF]
    ]


def _best(cause: Cause) -> Event:
    """The event that shows most; of several one that ended as most did, the newest of these."""
    sessions = sessions_by_way(cause.key, cause.events)
    worth = _Worth(cause.key, cause.events).of

    def rank(event: Event) -> tuple[int, int, float]:
        way = way_of(cause.key, event)
        return worth(event), sessions[way], _time(event)

    return max(cause.events, key=rank)


def _spread(key: str, events: Sequence[Event]) -> list[Event]:
    """Up to three events that show most, oldest first: one a session; of each way in which it was ended one, those of
    most sessions first, then others, spread over time and over causes."""
    worth = _Worth(key, events).of
    by_time = sorted(best_of_sessions(key, events).values(), key=_time)
    by_worth = sorted(by_time, key=worth, reverse=True)
    most = worth(by_worth[0]) if by_worth else 0
    usable = [event for event in by_time if worth(event) == most]
    by_way: dict[str, list[Event]] = {}
    for event in usable:
        by_way.setdefault(way_of(key, event), []).append(event)
    groups = sorted(by_way.values(), key=len, reverse=True)
    chosen = [group[-1] for group in groups[: MAX_EPISODES - 1]]
    lines = {cause_of(key, event) for event in chosen}
    rest = [*usable[:1], *usable[-1:], *usable[len(usable) // 2 :], *by_worth]
    rest.sort(key=lambda event: cause_of(key, event) in lines)
    first = {id(event): event for event in [*chosen, *rest]}
    return sorted(list(first.values())[:MAX_EPISODES], key=when)


def sessions_by_way(key: str, events: Sequence[Event]) -> Counter[str]:
    """How many sessions ended it in each way; of ways that are as common, the one that was taken first stands first, so
    that a dossier reads the same each time."""
    pairs = dict.fromkeys((way_of(key, event), event.session) for event in events)
    return Counter(way for way, _ in pairs)


def best_of_sessions(key: str, events: Sequence[Event]) -> dict[str, Event]:
    """The event of each session that shows most of a problem."""
    worth = _Worth(key, events).of
    best: dict[str, Event] = {}
    for event in events:
        earlier = best.get(event.session)
        if earlier is None or worth(event) > worth(earlier):
            best[event.session] = event
    return best


def _time(event: Event) -> float:
    return event.time or 0.0


class _Worth:
    """How much an event shows of a problem: that it was ended and how, and that it is about this and nothing else. A line
    that mostly comes in company says less than its company, which a filter of the output may have left out."""

    def __init__(self, key: str, events: Sequence[Event]) -> None:
        self.key = key
        alone = sum(not company_of(key, event) for event in events)
        self.is_in_company = not key.startswith("rule ") and 2 * alone < len(events)

    def of(self, event: Event) -> int:
        shows_ending = 4 if is_ended(event) else 0
        if not shows_ending and shows_way_out(self.key, event):
            shows_ending = 2
        shows_words = 2 if event.person or event.remedy else 0
        shows_goal = any(call.got for call in event.tried)
        return shows_ending + shows_words + self._is_telling(event) + shows_goal

    def _is_telling(self, event: Event) -> bool:
        if self.is_in_company:
            return bool(company_of(self.key, event))
        return any(makes(self.key, line) for line in event.lines[:1])
