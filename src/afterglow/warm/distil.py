"""One template from ten or twenty sessions of a kind: what recurs in them and works, with how many sessions say so.

    Good(session=, outcome=, seed=, shapes=, repo=, agent=, task_type=)
        a session as it comes in. Its seed is best extracted with many examples (every shape wants one); `shapes` counts
        all its successful calls by `shape_of`. A session that failed teaches nothing here and is left out
    distil(sessions, *, name, task_type, repo="", max_examples=8, id="", now=0.0) -> WarmTemplate
        UsageError where no session has a good outcome; `made_by` is "auto", `notes` say what it was made of
    refresh(old, new, sessions=()) -> WarmTemplate | None
        `new` as the next version of `old` where it is better, else None; `sessions` are what both are judged by

Values in, values out: seeds come in redacted and screened, and nothing here adds words of its own to them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log1p

from msgspec import Struct
from msgspec.structs import replace

from afterglow.calls import shape_of, steady
from afterglow.errors import UsageError
from afterglow.harvest.duplicates import Twins
from afterglow.records.template import (
    ContextMarkers,
    RecoveryPattern,
    SessionSeed,
    ToolCallExample,
    UserPatterns,
    WarmTemplate,
)
from afterglow.records.tools import TaskType
from afterglow.text.fingerprint import fingerprint

WEIGHTS = {
    "success": 1.0,
    "unknown": 0.5,
}  # what a session's word counts; a failure's does not
RECURS = 2  # sessions that make a habit
RECOVERIES, CONVENTIONS, MARKERS, LINES = (
    6,
    8,
    8,
    8,
)  # the most a template holds of each


class Good(Struct, frozen=True, kw_only=True):
    """A session that may teach. `shapes`: how often each shape of call worked in it."""

    session: str
    outcome: str  # success, unknown, failure
    seed: SessionSeed
    shapes: Mapping[str, int]
    repo: str = ""
    agent: str = ""
    task_type: TaskType = TaskType.MIXED


class Habit(Struct, frozen=True):
    """Something that sessions share: how many of them, what their word counts together, and how strong a habit it is
    (doing a thing often counts, but a second time less than a first)."""

    key: str
    sessions: int
    weight: float
    strength: float


def distil(
    sessions: Sequence[Good],
    *,
    name: str,
    task_type: TaskType,
    repo: str = "",
    max_examples: int = 8,
    id: str = "",
    now: float = 0.0,
) -> WarmTemplate:
    """What recurs and works in sessions with good outcomes. What only one of several did is left out."""
    good = [one for one in sessions if one.outcome in WEIGHTS]
    if not good:
        raise UsageError(
            f"none of {len(sessions)} sessions ended well, so there is nothing to distil {name!r} from"
        )
    seed = SessionSeed(
        system_context=_context(good),
        tool_examples=_examples(good, max_examples),
        recovery_patterns=_recoveries(good),
        user_patterns=_patterns(good),
        context_markers=_markers(good),
    )
    agents = Counter(one.agent for one in good)
    proven = sum(one.outcome == "success" for one in good)
    return WarmTemplate(
        id=id,
        name=name,
        seed=seed,
        description=f"what recurs and works in {len(good)} {task_type.value} sessions{f' of {repo}' if repo else ''}",
        task_type=task_type,
        tags=(task_type.value,),
        source_sessions=tuple(one.session for one in good),
        agent=next(iter(agents)) if len(agents) == 1 else "",
        repo=repo,
        created=now,
        updated=now,
        made_by="auto",
        notes={
            "sessions": str(len(good)),
            "success": str(proven),
            "unknown": str(len(good) - proven),
            "left out as failed": str(len(sessions) - len(good)),
        },
    )


def refresh(
    old: WarmTemplate, new: WarmTemplate, sessions: Sequence[Good] = ()
) -> WarmTemplate | None:
    """`new` in the place of `old`, one version on, if it shows something else and that is better: it covers more of the
    calls that worked in `sessions`, or, where that is equal or not known, more sessions stand behind it."""
    if shown(old) == shown(new) and remedied(old) == remedied(new):
        return None
    if (_covered(new, sessions), _support(new)) <= (
        _covered(old, sessions),
        _support(old),
    ):
        return None
    kept = {
        field: getattr(old, field)
        for field in (
            "id",
            "name",
            "description",
            "tags",
            "created",
            "uses",
            "successes",
            "failures",
            "approved",
        )
    }
    return replace(new, **kept, version=old.version + 1)


def shown(template: WarmTemplate) -> frozenset[str]:
    """The shapes of calls a template has an example of."""
    return frozenset(
        shape_of(one.tool_name, one.arguments) for one in template.seed.tool_examples
    )


def remedied(template: WarmTemplate) -> frozenset[str]:
    """The errors a template has a remedy for."""
    return frozenset(fingerprint(one.error) for one in template.seed.recovery_patterns)


def habits(
    good: Sequence[Good], keys: Callable[[Good], Mapping[str, int]]
) -> list[Habit]:
    """What `keys` counts in each session, strongest first."""
    sessions: Counter[str] = Counter()
    weight: dict[str, float] = defaultdict(float)
    strength: dict[str, float] = defaultdict(float)
    for one in good:
        for key, times in keys(one).items():
            sessions[key] += 1
            weight[key] += WEIGHTS[one.outcome]
            strength[key] += WEIGHTS[one.outcome] * log1p(times)
    found = [Habit(key, sessions[key], weight[key], strength[key]) for key in sessions]
    return sorted(found, key=lambda habit: (-habit.strength, habit.key))


def _recurring(
    good: Sequence[Good], keys: Callable[[Good], Mapping[str, int]]
) -> list[Habit]:
    least = min(RECURS, len(good))
    return [habit for habit in habits(good, keys) if habit.sessions >= least]


def _examples(good: Sequence[Good], most: int) -> tuple[ToolCallExample, ...]:
    """An example of each of the most shared shapes, best first."""
    there: dict[str, list[tuple[Good, ToolCallExample]]] = defaultdict(list)
    for one in good:
        for example in one.seed.tool_examples:
            if example.success:
                there[shape_of(example.tool_name, example.arguments)].append(
                    (one, example)
                )
    ranked = [
        habit
        for habit in _recurring(good, lambda one: one.shapes)
        if habit.key in there
    ]
    return tuple(
        replace(_representative(there[habit.key]), support=habit.sessions)
        for habit in ranked[:most]
    )


def _representative(
    candidates: Sequence[tuple[Good, ToolCallExample]],
) -> ToolCallExample:
    """The call most sessions made in these very words; of equals, one of a session that succeeded, with short
    arguments and a result that is rather short (the shortest is often that nothing was found)."""
    made = {(one.session, steady(example.arguments)) for one, example in candidates}
    alike = Counter(words for _, words in made)
    usual = sorted(len(example.result) for _, example in candidates)[
        len(candidates) // 4
    ]
    return max(
        candidates,
        key=lambda pair: (
            alike[steady(pair[1].arguments)],
            WEIGHTS[pair[0].outcome],
            -len(pair[1].arguments) - abs(len(pair[1].result) - usual),
        ),
    )[1]


def _recoveries(good: Sequence[Good]) -> tuple[RecoveryPattern, ...]:
    """Each error that recurs, with the remedy most sessions found. A harvested pattern says itself in how many sessions
    it was met."""
    remedies: dict[str, list[RecoveryPattern]] = defaultdict(list)
    for one in good:
        for pattern in one.seed.recovery_patterns:
            remedies[fingerprint(pattern.error)].append(pattern)
    errors = habits(
        good,
        lambda one: Counter(fingerprint(p.error) for p in one.seed.recovery_patterns),
    )
    found = []
    for habit in errors:
        worked = Counter(steady(pattern.worked) for pattern in remedies[habit.key])
        best = max(
            remedies[habit.key],
            key=lambda p: (worked[steady(p.worked)], p.support, -len(p.worked)),
        )
        found.append(replace(best, support=max(habit.sessions, best.support)))
    least = min(RECURS, len(good))
    return tuple(
        [pattern for pattern in found if pattern.support >= least][:RECOVERIES]
    )


def _patterns(good: Sequence[Good]) -> UserPatterns:
    """The styles of most sessions, and what people said in at least two of them."""
    patterns = [(one.seed.user_patterns, WEIGHTS[one.outcome]) for one in good]
    return UserPatterns(
        request_style=_usual((each.request_style, weight) for each, weight in patterns),
        feedback_style=_usual(
            (each.feedback_style, weight) for each, weight in patterns
        ),
        language=_usual((each.language, weight) for each, weight in patterns),
        conventions=_said(good, lambda one: one.seed.user_patterns.conventions),
        corrections=_said(good, lambda one: one.seed.user_patterns.corrections),
    )


def _usual(votes: Iterable[tuple[str, float]]) -> str:
    total: Counter[str] = Counter()
    for word, weight in votes:
        if word:
            total[word] += weight  # type: ignore[assignment]
    return max(total, key=lambda word: total[word], default="")


def _said(
    good: Sequence[Good], words: Callable[[Good], Iterable[str]]
) -> tuple[str, ...]:
    """Sentences that at least two sessions state, in the words of the first that did."""
    twins = Twins()
    known: dict[str, str] = {}
    of: dict[str, Counter[str]] = {}
    for one in good:
        of[one.session] = Counter()
        for sentence in words(one):
            key = twins.find(sentence)
            if key is None:
                key = str(len(known))
                known[key] = sentence
                twins.add(key, sentence)
            of[one.session][key] += 1
    return tuple(
        known[habit.key] for habit in _recurring(good, lambda one: of[one.session])
    )[:CONVENTIONS]


def _markers(good: Sequence[Good]) -> ContextMarkers:
    def most(words: Callable[[ContextMarkers], Iterable[str]]) -> tuple[str, ...]:
        found = _recurring(good, lambda one: Counter(words(one.seed.context_markers)))
        return tuple(habit.key for habit in found[:MARKERS])

    return ContextMarkers(
        files=most(lambda markers: markers.files),
        urls=most(lambda markers: markers.urls),
        repos=most(lambda markers: markers.repos),
        commands=most(lambda markers: markers.commands),
    )


def _context(good: Sequence[Good]) -> str:
    """The lines of the sessions' instructions that a quarter of them share, in the order they stood in."""
    lines = [line for one in good for line in _lines(one)]
    shared = [
        habit
        for habit in _recurring(good, lambda one: Counter(_lines(one)))
        if 4 * habit.sessions >= len(good)
    ]
    kept = {habit.key for habit in shared[:LINES]}
    return "\n".join(line for line in dict.fromkeys(lines) if line in kept)


def _lines(one: Good) -> list[str]:
    return [
        line.strip() for line in one.seed.system_context.splitlines() if line.strip()
    ]


def _covered(template: WarmTemplate, sessions: Sequence[Good]) -> int:
    shapes = shown(template)
    return sum(
        times for one in sessions for key, times in one.shapes.items() if key in shapes
    )


def _support(template: WarmTemplate) -> int:
    seed = template.seed
    return sum(one.support for one in seed.tool_examples) + sum(
        one.support for one in seed.recovery_patterns
    )
