"""Events of a repository -> the problems that keep coming back, by what they cost.

A problem is a family of events that share a key. Families are coarse on purpose: whoever reads a dossier tells three
causes apart at a glance, while three problems of one session each are seen by nobody. What is noise is not on a list:
a line that good runs of the same program print too says nothing, in this repository.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import blake2b

from msgspec.structs import replace

from afterglow.harvest.events import habits_of
from afterglow.harvest.events.claims import coarse, is_summary
from afterglow.harvest.events.keys import keyed, makes
from afterglow.harvest.user_speech import about
from afterglow.records.problems import Event, Problem, SessionEvents
from afterglow.text.clip import clip

MIN_SESSIONS = (
    2  # that make something a problem: what happened once may never come back
)
# Of the events of a family, the share that another one must hold for both to be one problem.
SAME_EVENTS = 0.8
# A check that prints nothing is strange where it nearly always prints, and often enough to say so.
MIN_RUNS_OF_A_CHECK = 5
PRINTING_SHARE = 0.8
# Words that two sentences of a person must share to be about the same, at least two, and their share of all.
MIN_SHARED_WORDS = 2
SHARED_WORDS = 0.34
MAX_WHAT_CHARACTERS = 110
ID_CHARACTERS = 8

# A line is a frame when it hardly ever comes alone and its company changes: "test failed, to rerun pass ...".
MIN_EVENTS_OF_FRAME = 4
ALONE_IN_FRAME = 0.25  # of its events at most
COMPANY_OF_FRAME = 0.5  # of its events at least, as many different first lines

# Kinds of keys from the most telling to the least. `exact` keys take apart what has no better one.
ORDER = "rule state program said refused empty file line folder code exact mute".split()
_RANK = {name: rank for rank, name in enumerate(ORDER)}
# What says no more than that something failed: it counts only the events that nothing else explains.
_COARSE = frozenset({"exact", "mute"})

Family = dict[str, list[Event]]


def problems_of(
    repo: str, sessions: Sequence[SessionEvents], *, least: int = MIN_SESSIONS
) -> list[Problem]:
    """The problems of one repository that `least` sessions met, the dearest first. The order of sessions is no matter."""
    events = telling_events(sessions)
    families = _families(events, least)
    chosen = _without_copies(families, least)
    environment = _environment(sessions)
    problems = [
        _problem(repo, key, families[key], also, environment)
        for key, also in chosen.items()
    ]
    return sorted(problems, key=_by_cost)


def telling_events(sessions: Sequence[SessionEvents]) -> list[Event]:
    """Each event once, without what good runs show to be noise, oldest first."""
    good = {line for session in sessions for line in session.good}
    habits = {
        name: printed / (printed + empty)
        for name, (printed, empty) in habits_of(sessions).items()
        if printed + empty >= MIN_RUNS_OF_A_CHECK
    }
    events = (_without_noise(event, good) for event in _first_of_calls(sessions))
    return sorted((event for event in events if _counts(event, habits)), key=_when)


def _first_of_calls(sessions: Iterable[SessionEvents]) -> Iterable[Event]:
    """A session that was forked or resumed repeats calls: each counts where it was made first."""
    by_call: dict[int, Event] = {}
    for session in sessions:
        for event in session.events:
            earlier = by_call.get(event.call)
            if earlier is None or _when(event) < _when(earlier):
                by_call[event.call] = event
    return by_call.values()


def _when(event: Event) -> tuple[float, str, int]:
    return event.time or 0.0, event.session, event.line


def _without_noise(event: Event, good: Collection[int]) -> Event:
    lines = tuple(line for line in event.lines if line.good not in good)
    if lines == event.lines:
        return event
    if event.kind == "failed" and not lines:
        return event
    return keyed(replace(event, lines=lines))


def _counts(event: Event, habits: Mapping[str, float]) -> bool:
    """Hidden failures whose every line good runs print too are none. A check that prints nothing is strange where it
    nearly always prints; one that prints is where it nearly never does."""
    habit = habits.get(event.program)
    if event.kind == "empty":
        return habit is not None and habit >= PRINTING_SHARE
    if event.kind not in {"hidden", "ci"}:
        return True
    if any(line.strength for line in event.lines):
        return True
    is_silent = habit is not None and habit <= 1 - PRINTING_SHARE
    return bool(event.lines) and is_silent


def _families(events: Sequence[Event], least: int) -> Family:
    families: Family = defaultdict(list)
    for event in events:
        for key in event.keys:
            if _kind(key) in _RANK and _kind(key) != "said":
                families[key].append(event)
    families.update(_sayings([event for event in events if _saying(event)]))
    return _without_strangers(families, least)


def _without_strangers(families: Family, least: int) -> Family:
    """Coarse families hold only what no telling one explains: events of different causes are not one problem because
    all of them end in the same words."""
    frames = {key for key, events in families.items() if _is_coarse(key, events)}
    order = sorted(frames, key=lambda key: (_RANK[_kind(key)], key))
    explained = {
        event.call
        for key, events in families.items()
        if key not in frames and _sessions(events) >= least
        for event in events
    }
    for key in order:
        strangers = [item for item in families[key] if item.call not in explained]
        families[key] = strangers
        if _sessions(strangers) >= least:
            explained.update(event.call for event in strangers)
    return {key: events for key, events in families.items() if events}


def _sessions(events: Iterable[Event]) -> int:
    return len({event.session for event in events})


def _is_coarse(key: str, events: Sequence[Event]) -> bool:
    if _kind(key) in _COARSE:
        return True
    if _kind(key) != "line" or len(events) < MIN_EVENTS_OF_FRAME:
        return False
    company = [_company(key, event) for event in events]
    alone = company.count("")
    different = len(set(company) - {""})
    is_seldom_alone = alone <= ALONE_IN_FRAME * len(events)
    return is_seldom_alone and different >= COMPANY_OF_FRAME * len(events)


def _company(key: str, event: Event) -> str:
    """The first telling line of an event beside the one that gives it this key."""
    for line in event.lines:
        if not makes(key, line) and not is_summary(line.text):
            return coarse(line.text)
    return ""


def _kind(key: str) -> str:
    return key.partition(" ")[0]


def _sayings(events: Sequence[Event]) -> Family:
    """What people said, by what it is about: sentences that share enough words, directly or through others."""
    words = [frozenset(about(event.person, most=20).split()) for event in events]
    root = list(range(len(events)))

    def first(place: int) -> int:
        while root[place] != place:
            root[place] = place = root[root[place]]
        return place

    for place, later in enumerate(words):
        for earlier in range(place):
            shared = len(later & words[earlier])
            union = len(later | words[earlier])
            if shared >= MIN_SHARED_WORDS and shared >= SHARED_WORDS * union:
                low, high = sorted((first(earlier), first(place)))
                root[high] = low
    families: Family = defaultdict(list)
    for place, event in enumerate(events):
        families[_saying(events[first(place)])].append(event)
    return families


def _saying(event: Event) -> str:
    return next((key for key in event.keys if _kind(key) == "said"), "")


def _without_copies(families: Family, least: int) -> dict[str, list[str]]:
    """The keys to tell, and under each the keys whose events are nearly all told with it."""
    chosen: dict[str, list[str]] = {}
    chosen_of: dict[int, list[str]] = defaultdict(list)
    for key in sorted(
        families, key=lambda key: (_RANK[_kind(key)], -len(families[key]), key)
    ):
        events = families[key]
        if _sessions(events) < least:
            continue
        holders = Counter(name for event in events for name in chosen_of[event.call])
        holder, share = max(
            holders.items(), key=lambda pair: (pair[1], pair[0]), default=("", 0)
        )
        if share >= SAME_EVENTS * len(events):
            chosen[holder].append(key)
            continue
        chosen[key] = []
        for event in events:
            chosen_of[event.call].append(key)
    return chosen


def _problem(
    repo: str,
    key: str,
    events: Sequence[Event],
    also: Iterable[str],
    environment: dict[str, tuple[str, ...]],
) -> Problem:
    sessions = tuple(dict.fromkeys(event.session for event in events))
    kind = "person" if _kind(key) in {"said", "refused"} else "failure"
    facts = Counter(fact for name in sessions for fact in environment.get(name, ()))
    times = [event.time for event in events if event.time is not None]
    return Problem(
        id=problem_id(repo, kind, key),
        repo=repo,
        kind=kind,
        key=key,
        what=_what(key, events[-1]),
        times=len(events),
        sessions=sessions,
        calls=sum(event.calls for event in events),
        turns=sum(event.turns for event in events),
        first=min(times, default=None),
        last=max(times, default=None),
        events=tuple(events),
        environment=tuple(fact for fact, _ in facts.most_common()),
        also=tuple(problem_id(repo, kind, other_key) for other_key in also),
    )


def problem_id(repo: str, kind: str, key: str) -> str:
    words = f"{repo}\0{kind}\0{key}".encode("utf-8", "surrogatepass")
    return blake2b(words, digest_size=16).hexdigest()[:ID_CHARACTERS]


def _what(key: str, event: Event) -> str:
    """What fails, in the words of the newest event."""
    kind, _, rest = key.partition(" ")
    if kind == "said":
        return clip(f"a person: {event.person}", MAX_WHAT_CHARACTERS)
    if kind == "refused":
        return clip(f"a person refused: {event.program}", MAX_WHAT_CHARACTERS)
    name = event.program or event.tool
    if kind == "empty":
        return f"{name}: ended well and printed nothing"
    if kind in {"rule", "state", "file", "folder"}:
        return clip(f"{name}: {rest}", MAX_WHAT_CHARACTERS)
    own = (line.text for line in event.lines if makes(key, line))
    first = (line.text for line in event.lines)
    line = next(own, "") or next(first, "no message")
    return clip(f"{name}: {' '.join(line.split())}", MAX_WHAT_CHARACTERS)


def _environment(sessions: Iterable[SessionEvents]) -> dict[str, tuple[str, ...]]:
    return {
        session.events[0].session: session.environment
        for session in sessions
        if session.events
    }


def _by_cost(problem: Problem) -> tuple[float, int, float, str]:
    return -problem.cost, -len(problem.sessions), -(problem.last or 0.0), problem.id
