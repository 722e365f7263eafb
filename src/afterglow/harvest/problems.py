"""Events of a repository -> the problems that keep coming back, by what they cost.

A problem is a family of events that share a key. Families are coarse on purpose: whoever reads a dossier tells three
causes apart at a glance, while three problems of one session each are seen by nobody. What is noise is not on a list:
a line that good runs of the same program print too says nothing, in this repository.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import blake2b

from msgspec import Struct
from msgspec.structs import replace

from afterglow.harvest.events.claims import REPORT, is_verdict
from afterglow.harvest.events.habits import habits_of
from afterglow.harvest.events.keys import keyed, makes, without_numbers
from afterglow.harvest.families import (
    PERSON,
    REMARKS,
    Family,
    events_by_key,
    families_of,
    kind_of,
    when,
)
from afterglow.harvest.pages_of_words import pages_of
from afterglow.harvest.user_speech import about
from afterglow.records.problems import MIN_SESSIONS, Event, Problem, SessionEvents
from afterglow.text.clip import clip

# A check that prints nothing is strange where it nearly always prints, and often enough to say so.
MIN_RUNS_OF_A_CHECK = 5
PRINTING_SHARE = 0.8
MAX_WHAT_CHARACTERS = 110
ID_CHARACTERS = 8


class CountedProblems(Struct, frozen=True):
    """Of one repository: what comes back, and `further` what fewer sessions met; each the dearest first."""

    recurring: list[Problem]
    further: list[Problem] = []


def problems_of(
    repo: str, sessions: Sequence[SessionEvents], *, least: int = MIN_SESSIONS
) -> list[Problem]:
    """The problems of one repository that `least` sessions met, the dearest first. The order of sessions is no matter."""
    counted = count_problems(repo, sessions, least=least)
    return [*counted.recurring, *counted.further]


def count_problems(
    repo: str, sessions: Sequence[SessionEvents], *, least: int
) -> CountedProblems:
    """What comes back is the same, whether or not what fewer sessions met is listed too."""
    events = telling_events(sessions)
    by_key = events_by_key(events)
    environment = _environment(sessions)

    def made_of(families: Iterable[Family]) -> list[Problem]:
        problems = [_problem(repo, family, environment) for family in families]
        return sorted(problems, key=_by_cost)

    families = families_of(by_key, max(least, MIN_SESSIONS))
    recurring = made_of([*families, *pages_of(events, families)])
    if least >= MIN_SESSIONS:
        return CountedProblems(recurring)
    names = {name for item in recurring for name in item.names}
    all_families = families_of(by_key, least)
    further = [
        family for family in all_families if names.isdisjoint(_names(repo, family))
    ]
    return CountedProblems(recurring, made_of(further))


def telling_events(sessions: Sequence[SessionEvents]) -> list[Event]:
    """Each event once, without what good runs show to be noise, oldest first."""
    good = {line for session in sessions for line in session.good}
    habits = {
        name: printed / (printed + empty)
        for name, (printed, empty) in habits_of(sessions).items()
        if printed + empty >= MIN_RUNS_OF_A_CHECK
    }
    events = (_without_noise(event, good) for event in _first_of_calls(sessions))
    return sorted((event for event in events if _counts(event, habits)), key=when)


def _first_of_calls(sessions: Iterable[SessionEvents]) -> Iterable[Event]:
    """A session that was forked or resumed repeats calls: each counts where it was made first."""
    by_call: dict[int, Event] = {}
    for session in sessions:
        for event in session.events:
            earlier = by_call.get(event.call)
            if earlier is None or when(event) < when(earlier):
                by_call[event.call] = event
    return by_call.values()


def _without_noise(event: Event, good: Collection[int]) -> Event:
    lines = tuple(line for line in event.lines if line.good not in good)
    if lines == event.lines:
        return event
    if event.kind == "failed" and not lines:  # what is plainly an error stays
        lines = tuple(line for line in event.lines if line.strength >= REPORT)
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


def _problem(
    repo: str, family: Family, environment: dict[str, tuple[str, ...]]
) -> Problem:
    events = family.events
    sessions = tuple(dict.fromkeys(event.session for event in events))
    id, *also = _names(repo, family)
    facts = Counter(fact for name in sessions for fact in environment.get(name, ()))
    times = [event.time for event in events if event.time is not None]
    return Problem(
        id=id,
        repo=repo,
        kind=_kind(family),
        key=family.key,
        what=_what(family.key, events),
        times=len(events),
        sessions=sessions,
        calls=sum(event.calls for event in events),
        turns=sum(event.turns for event in events),
        first=min(times, default=None),
        last=max(times, default=None),
        events=events,
        environment=tuple(fact for fact, _ in facts.most_common()),
        also=tuple(also),
    )


def _kind(family: Family) -> str:
    return "person" if kind_of(family.key) in PERSON else "failure"


def _names(repo: str, family: Family) -> list[str]:
    """The ids by which its problem is found: its own, and those of what is part of it."""
    kind = _kind(family)
    keys = [family.key, *_further_keys(family)]
    return [problem_id(repo, kind, key) for key in keys]


def _further_keys(family: Family) -> list[str]:
    """Those of families that are part of it; of a theme, those of each sentence."""
    spoken = [
        key
        for event in family.events
        for key in event.keys
        if kind_of(family.key) in PERSON and kind_of(key) in PERSON
    ]
    if kind_of(family.key) == REMARKS:  # a page holds many matters
        return []
    keys = dict.fromkeys([*family.also, *spoken])
    return [key for key in keys if key != family.key]


def problem_id(repo: str, kind: str, key: str) -> str:
    words = f"{repo}\0{kind}\0{key}".encode("utf-8", "surrogatepass")
    return blake2b(words, digest_size=16).hexdigest()[:ID_CHARACTERS]


def _what(key: str, events: Sequence[Event]) -> str:
    """What fails, in the words that most events have; what people say, in the sentence that says most of it."""
    kind, _, rest = key.partition(" ")
    event = _commonest(key, events)
    if kind in {"said", "asked"}:
        return clip(f"a person: {_typical(events)}", MAX_WHAT_CHARACTERS)
    if kind == REMARKS:
        return f"what people refused or put right: {rest}"
    if kind == "refused":
        return clip(f"a person refused: {event.program}", MAX_WHAT_CHARACTERS)
    name = event.program or event.tool
    if kind == "empty":
        return f"{name}: ended well and printed nothing"
    if kind == "absent":
        return "programs that are not there"
    if kind == "host":
        return clip(f"{rest}: what fails there", MAX_WHAT_CHARACTERS)
    if kind in {"rule", "state", "test", "file", "folder"}:
        return clip(f"{name}: {rest}", MAX_WHAT_CHARACTERS)
    line = _heading(key, event)
    return clip(f"{name}: {' '.join(line.split())}", MAX_WHAT_CHARACTERS)


def _commonest(key: str, events: Sequence[Event]) -> Event:
    """The newest of those that say the same, by the same program, as most do."""
    if len(events) == 1 or kind_of(key) in PERSON:
        return events[-1]
    headings = [
        (event.program, without_numbers(_heading(key, event))) for event in events
    ]
    counts = Counter(headings)
    pairs = list(zip(headings, events, strict=True))
    return max(reversed(pairs), key=lambda pair: counts[pair[0]])[1]


def _heading(key: str, event: Event) -> str:
    """The line that makes it part of the problem; any that says more than the verdict of a run comes before that."""
    making = [line.text for line in event.lines if makes(key, line)]
    texts = [*making, *(line.text for line in event.lines)]
    return min(texts, key=is_verdict, default="no message")


def _typical(events: Sequence[Event]) -> str:
    """The sentence whose words most of the others have too."""
    words = {event.person: about(event.person).split() for event in events}
    occurrences = Counter(word for sentence in words.values() for word in sentence)

    def commonness(sentence: str) -> float:
        counts = [occurrences[word] for word in words[sentence]]
        return sum(counts) / max(len(counts), 1)

    return max(words, key=commonness)


def _environment(sessions: Iterable[SessionEvents]) -> dict[str, tuple[str, ...]]:
    return {
        session.events[0].session: session.environment
        for session in sessions
        if session.events
    }


def _by_cost(problem: Problem) -> tuple[float, int, float, str]:
    return -problem.cost, -len(problem.sessions), -(problem.last or 0.0), problem.id
