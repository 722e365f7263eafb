"""One template from ten or twenty sessions of a kind: what recurs in them and works, with how many sessions say so.

    SourceSession(session=, outcome=, seed=, shapes=, repo=, agent=, task_type=)
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

# What a session's word counts; a failure's does not.
WEIGHTS = {"success": 1.0, "unknown": 0.5}
MIN_SESSIONS_OF_HABIT = 2  # what one session did may be chance
ABOUT_AS_SHORT = (
    2  # times the least characters of an example, and still as good to read
)
MIN_SHARE_OF_LINE = 0.25  # of the sessions, for a line of instructions
# The most a template holds of each: as much as a section of a context shows.
MAX_RECOVERIES, MAX_CONVENTIONS, MAX_MARKERS, MAX_LINES = 6, 8, 8, 8
# What a new version keeps of the old. Not that it was approved: nobody has read the new one yet.
IDENTITY_FIELDS = (
    "id",
    "name",
    "description",
    "tags",
    "created",
    "uses",
    "successes",
    "failures",
)


class SourceSession(Struct, frozen=True, kw_only=True):
    """A session that may teach. `shapes`: how often each shape of call worked in it."""

    session: str
    outcome: str  # success, unknown, failure
    seed: SessionSeed
    shapes: Mapping[str, int]
    repo: str = ""
    agent: str = ""
    task_type: TaskType = TaskType.MIXED


Candidate = tuple[SourceSession, ToolCallExample]


class Habit(Struct, frozen=True):
    """Something that sessions share: how many of them, what their word counts together, and how strong a habit it is
    (doing a thing often counts, but a second time less than a first)."""

    key: str
    sessions: int
    weight: float
    strength: float


def distil(
    sessions: Sequence[SourceSession],
    *,
    name: str,
    task_type: TaskType,
    repo: str = "",
    max_examples: int = 8,
    id: str = "",
    now: float = 0.0,
) -> WarmTemplate:
    """What recurs and works in sessions with good outcomes. What only one of several did is left out."""
    taught = [session for session in sessions if session.outcome in WEIGHTS]
    if not taught:
        raise UsageError(
            f"none of {len(sessions)} sessions ended well, so there is nothing to distil {name!r} from"
        )
    agents = {session.agent for session in taught}
    proven = sum(session.outcome == "success" for session in taught)
    where = f" of {repo}" if repo else ""
    return WarmTemplate(
        id=id,
        name=name,
        seed=SessionSeed(
            system_context=_context(taught),
            tool_examples=_examples(taught, max_examples),
            recovery_patterns=_recoveries(taught),
            user_patterns=_patterns(taught),
            context_markers=_markers(taught),
        ),
        description=f"what recurs and works in {len(taught)} {task_type.value} sessions{where}",
        task_type=task_type,
        tags=(task_type.value,),
        source_sessions=tuple(session.session for session in taught),
        agent=agents.pop() if len(agents) == 1 else "",
        repo=repo,
        created=now,
        updated=now,
        made_by="auto",
        notes={
            "sessions": str(len(taught)),
            "success": str(proven),
            "unknown": str(len(taught) - proven),
            "left out as failed": str(len(sessions) - len(taught)),
        },
    )


def refresh(
    old: WarmTemplate, new: WarmTemplate, sessions: Sequence[SourceSession] = ()
) -> WarmTemplate | None:
    """`new` in the place of `old`, one version on, if it shows something else and that is better: it covers more of the
    calls that worked in `sessions`, or, where that is equal or not known, more sessions stand behind it."""
    same_examples = example_shapes(old) == example_shapes(new)
    if same_examples and remedied_errors(old) == remedied_errors(new):
        return None
    if _worth(new, sessions) <= _worth(old, sessions):
        return None
    identity = {field: getattr(old, field) for field in IDENTITY_FIELDS}
    return replace(new, **identity, version=old.version + 1)


def _worth(
    template: WarmTemplate, sessions: Sequence[SourceSession]
) -> tuple[int, int]:
    """Successful calls that it shows, and the sessions that stand behind it."""
    shapes = example_shapes(template)
    covered = 0
    for session in sessions:
        for shape in shapes & session.shapes.keys():
            covered += session.shapes[shape]
    support = sum(example.support for example in template.seed.tool_examples)
    support += sum(pattern.support for pattern in template.seed.recovery_patterns)
    return covered, support


def example_shapes(template: WarmTemplate) -> frozenset[str]:
    """The shapes of calls a template has an example of."""
    examples = template.seed.tool_examples
    return frozenset(
        shape_of(example.tool_name, example.arguments) for example in examples
    )


def remedied_errors(template: WarmTemplate) -> frozenset[str]:
    """The errors a template has a remedy for."""
    patterns = template.seed.recovery_patterns
    return frozenset(fingerprint(pattern.error) for pattern in patterns)


def habits(
    sessions: Sequence[SourceSession],
    keys: Callable[[SourceSession], Mapping[str, int]],
) -> list[Habit]:
    """What `keys` counts in each session, strongest first."""
    counts: Counter[str] = Counter()
    weight: dict[str, float] = defaultdict(float)
    strength: dict[str, float] = defaultdict(float)
    for session in sessions:
        for key, times in keys(session).items():
            counts[key] += 1
            weight[key] += WEIGHTS[session.outcome]
            strength[key] += WEIGHTS[session.outcome] * log1p(times)
    unsorted = [Habit(key, counts[key], weight[key], strength[key]) for key in counts]
    return sorted(unsorted, key=lambda habit: (-habit.strength, habit.key))


def _recurring(
    sessions: Sequence[SourceSession],
    keys: Callable[[SourceSession], Mapping[str, int]],
) -> list[Habit]:
    least = _least_sessions(sessions)
    return [habit for habit in habits(sessions, keys) if habit.sessions >= least]


def _least_sessions(sessions: Sequence[SourceSession]) -> int:
    return min(MIN_SESSIONS_OF_HABIT, len(sessions))


def _examples(
    sessions: Sequence[SourceSession], most: int
) -> tuple[ToolCallExample, ...]:
    """An example of each of the most shared shapes, best first."""
    by_shape: dict[str, list[Candidate]] = defaultdict(list)
    for session in sessions:
        for example in session.seed.tool_examples:
            if example.success:
                call_shape = shape_of(example.tool_name, example.arguments)
                by_shape[call_shape].append((session, example))
    recurring = _recurring(sessions, lambda session: session.shapes)
    with_example = [habit for habit in recurring if habit.key in by_shape]
    examples: list[ToolCallExample] = []
    for habit in with_example[:most]:
        best = _representative(by_shape[habit.key])
        examples.append(replace(best, support=habit.sessions))
    return tuple(examples)


def _representative(candidates: Sequence[Candidate]) -> ToolCallExample:
    """The call most sessions made in these very words; of equals, one of a session that succeeded, and of those whose
    arguments and result are about as short as others the newest: what held before may not hold any more."""
    distinct = {
        (session.session, steady(example.arguments)) for session, example in candidates
    }
    alike = Counter(words for _, words in distinct)
    lengths = sorted(len(example.result) for _, example in candidates)
    usual = lengths[len(lengths) // 4]

    def oddness(example: ToolCallExample) -> int:
        return len(example.arguments) + abs(len(example.result) - usual)

    least = min(oddness(example) for _, example in candidates)

    def rank(place: int) -> tuple[int, float, bool, int]:
        session, example = candidates[place]
        is_short = oddness(example) <= ABOUT_AS_SHORT * least
        repeated = alike[steady(example.arguments)]
        return repeated, WEIGHTS[session.outcome], is_short, place

    return candidates[max(range(len(candidates)), key=rank)][1]


def _recoveries(sessions: Sequence[SourceSession]) -> tuple[RecoveryPattern, ...]:
    """Each error that recurs, with the remedy most sessions found. A harvested pattern says itself in how many sessions
    it was met."""
    remedies: dict[str, list[RecoveryPattern]] = defaultdict(list)
    for session in sessions:
        for pattern in session.seed.recovery_patterns:
            remedies[fingerprint(pattern.error)].append(pattern)
    best = [
        _best_remedy(remedies[habit.key], habit.sessions)
        for habit in habits(sessions, _errors_of)
    ]
    least = _least_sessions(sessions)
    recurring = [pattern for pattern in best if pattern.support >= least]
    return tuple(recurring[:MAX_RECOVERIES])


def _errors_of(session: SourceSession) -> Counter[str]:
    patterns = session.seed.recovery_patterns
    return Counter(fingerprint(pattern.error) for pattern in patterns)


def _best_remedy(patterns: Sequence[RecoveryPattern], sessions: int) -> RecoveryPattern:
    alike = Counter(steady(pattern.worked) for pattern in patterns)

    def rank(pattern: RecoveryPattern) -> tuple[int, int, int]:
        return alike[steady(pattern.worked)], pattern.support, -len(pattern.worked)

    best = max(patterns, key=rank)
    return replace(best, support=max(sessions, best.support))


def _patterns(sessions: Sequence[SourceSession]) -> UserPatterns:
    """The styles of most sessions, and what people said in at least two of them."""
    return UserPatterns(
        request_style=_usual(sessions, lambda person: person.request_style),
        feedback_style=_usual(sessions, lambda person: person.feedback_style),
        language=_usual(sessions, lambda person: person.language),
        conventions=_shared_sentences(sessions, lambda person: person.conventions),
        corrections=_shared_sentences(sessions, lambda person: person.corrections),
    )


def _usual(
    sessions: Sequence[SourceSession], trait: Callable[[UserPatterns], str]
) -> str:
    votes: dict[str, float] = defaultdict(float)
    for session in sessions:
        if word := trait(session.seed.user_patterns):
            votes[word] += WEIGHTS[session.outcome]
    return max(votes, key=lambda word: votes[word], default="")


def _shared_sentences(
    sessions: Sequence[SourceSession],
    sentences: Callable[[UserPatterns], Iterable[str]],
) -> tuple[str, ...]:
    """Sentences that at least two sessions state, in the words of the first that did."""
    twins = Twins()
    first_words: dict[str, str] = {}
    stated: dict[str, Counter[str]] = {}
    for session in sessions:
        stated[session.session] = Counter()
        for sentence in sentences(session.seed.user_patterns):
            key = twins.find(sentence)
            if key is None:
                key = str(len(first_words))
                first_words[key] = sentence
                twins.add(key, sentence)
            stated[session.session][key] += 1
    shared = _recurring(sessions, lambda session: stated[session.session])
    return tuple(first_words[habit.key] for habit in shared[:MAX_CONVENTIONS])


def _markers(sessions: Sequence[SourceSession]) -> ContextMarkers:
    def most(words: Callable[[ContextMarkers], Iterable[str]]) -> tuple[str, ...]:
        shared = _recurring(
            sessions, lambda session: Counter(words(session.seed.context_markers))
        )
        return tuple(habit.key for habit in shared[:MAX_MARKERS])

    return ContextMarkers(
        files=most(lambda markers: markers.files),
        urls=most(lambda markers: markers.urls),
        repos=most(lambda markers: markers.repos),
        commands=most(lambda markers: markers.commands),
    )


def _context(sessions: Sequence[SourceSession]) -> str:
    """The lines of the sessions' instructions that a quarter of them share, in the order they stood in."""
    least = MIN_SHARE_OF_LINE * len(sessions)
    recurring = _recurring(sessions, lambda session: Counter(_lines(session)))
    shared = [habit.key for habit in recurring if habit.sessions >= least]
    chosen = set(shared[:MAX_LINES])
    lines: dict[str, None] = {}
    for session in sessions:
        lines.update(dict.fromkeys(_lines(session)))
    return "\n".join(line for line in lines if line in chosen)


def _lines(session: SourceSession) -> list[str]:
    lines = session.seed.system_context.splitlines()
    return list(filter(None, map(str.strip, lines)))
