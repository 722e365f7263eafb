"""Which template a new session should start with: pure, glances in, a choice with its reasons out.

A template must fit first: it is of the repository, or the task speaks of it, or it was asked for by tag; and at least
one of its tools is there. One of another repository must be spoken of at length: a word or two are shared by chance.
Among those that fit, the score is a product, so that every part of it can be read by itself:

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
from math import log, prod

from msgspec import Struct

from afterglow.records.tools import TaskType
from afterglow.store.templates.entries import Glance, Record
from afterglow.text.words import words

# Factors of a product: only the order they put templates in matters.
MIN_WORD_SHARE = 0.15  # of the task's words that must be spoken of: one word in seven
# The same of a template of another repository, and how many words that must be, verbs apart.
MIN_WORD_SHARE_ELSEWHERE = 0.3
MIN_WORDS_ELSEWHERE = 3
MARKER_WORD = 0.5  # a word that only a file, command or repository has
VERB_WORD = 0.3  # a verb that any task has
MIXED_TYPE = 0.5  # a template of mixed work, where a type was asked for
ELSEWHERE = 0.5  # learned in another repository, or by another agent
ANYWHERE = 0.8  # learned in none that is known
DOUBT = 4  # sessions' worth of the mean that a record starts with
HALF_LIFE = 365 * 86400.0  # seconds
EQUAL = 0.95  # of the best score: nobody could tell such templates apart
MAX_WORDS_IN_REASON = 6  # of those shared with the task: enough to see what it is about

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


class NewSession(Struct, frozen=True, kw_only=True):
    """A session about to start; many a hook does not know its task yet. Without `tools` it is not known which it has."""

    task: str
    now: float
    task_type: TaskType | None = None
    tags: tuple[str, ...] = ()
    repo: str = ""
    agent: str = ""
    tools: tuple[str, ...] | None = None


class Ranked(Struct, frozen=True, kw_only=True, rename={"known_outcomes": "known"}):
    """A template that fits, its score, the parts of it, and the words it shares with the task."""

    id: str
    name: str
    score: float
    why: dict[str, float]
    spoken: tuple[str, ...]
    uses: int
    known_outcomes: int


class Unfit(Struct, frozen=True):
    id: str
    why: str


class Choice(Struct, frozen=True):
    """The best one or none, why, what else fits (best first), and what does not."""

    best: Ranked | None
    reason: str
    ranked: tuple[Ranked, ...]
    unfit: tuple[Unfit, ...]


def choose(templates: Iterable[tuple[Glance, Record]], session: NewSession) -> Choice:
    candidates = list(templates)
    vocabulary = _Vocabulary(session.task, [glance for glance, _ in candidates])
    mean = _mean_success(record for _, record in candidates)
    ranked, unfit = [], []
    for glance, record in candidates:
        shares = vocabulary.shares(glance)
        spoken = vocabulary.spoken(shares)
        if reason := _unfit(glance, session, shares, spoken):
            unfit.append(Unfit(glance.id, reason))
            continue
        parts = {
            "words": max(spoken, MIN_WORD_SHARE),
            "type": _type_part(glance, session),
            "tags": _tags_part(glance.tags, session.tags),
            "repo": _repo_part(glance.repo, session.repo),
            "tools": _tools_part(glance, session),
            "success": (record.successes + DOUBT * mean) / (record.known + DOUBT),
            "fresh": 0.5 ** (max(session.now - glance.updated, 0.0) / HALF_LIFE),
        }
        ranked.append(_ranked(glance, record, parts, tuple(shares)))
    ranked.sort(key=lambda candidate: (-candidate.score, candidate.uses, candidate.id))
    best = _fair(ranked)
    if best is not None:
        ranked.sort(key=lambda candidate: candidate.id != best.id)
    return Choice(best, _reason(best, ranked, unfit), tuple(ranked), tuple(unfit))


class _Vocabulary:
    """The words of a task, and what each tells: less the more templates have it."""

    def __init__(self, task: str, glances: Sequence[Glance]) -> None:
        self._task = [word for word in words(task) if word not in _COMMON]
        self._templates = {glance.id: _words_of(glance) for glance in glances}
        having: Counter[str] = Counter()
        for template_words in self._templates.values():
            having.update(word for word in self._task if word in template_words)
        self._weights: dict[str, float] = {}
        for word in self._task:
            rarity = log(2 + len(glances) / (1 + having[word]))
            share = VERB_WORD if word in _VERBS else 1.0
            self._weights[word] = share * rarity

    def shares(self, glance: Glance) -> dict[str, float]:
        """The words of the task that a template has, and what each counts."""
        template_words = self._templates[glance.id]
        return {
            word: template_words[word] for word in self._task if word in template_words
        }

    def spoken(self, shares: dict[str, float]) -> float:
        """The share of what the task says that these words are."""
        weights = self._weights
        spoken = sum(weights[word] * share for word, share in shares.items())
        return spoken / (sum(weights.values()) or 1.0)


def _words_of(glance: Glance) -> dict[str, float]:
    """The words of a template, and what each counts."""
    markers = glance.markers
    marked = [*markers.files, *markers.commands, *markers.repos, glance.repo]
    described = [glance.name, glance.description, *glance.tags]
    return {
        **dict.fromkeys(words(" ".join(marked)), MARKER_WORD),
        **dict.fromkeys(words(" ".join(described)), 1.0),
    }


def _ranked(
    glance: Glance, record: Record, parts: dict[str, float], spoken: tuple[str, ...]
) -> Ranked:
    return Ranked(
        id=glance.id,
        name=glance.name,
        score=round(prod(parts.values()), 5),
        why={name: round(part, 3) for name, part in parts.items()},
        spoken=spoken,
        uses=record.uses,
        known_outcomes=record.known,
    )


def _fair(ranked: Sequence[Ranked]) -> Ranked | None:
    """The best, or where nothing is known of it, the least used of its equals of which nothing is known either."""
    if not ranked:
        return None
    first = ranked[0]
    if first.known_outcomes:
        return first
    equals = [
        candidate
        for candidate in ranked
        if not candidate.known_outcomes and candidate.score >= EQUAL * first.score
    ]
    return min(equals, key=lambda equal: (equal.uses, -equal.score, equal.id))


def _unfit(
    glance: Glance, session: NewSession, shares: Collection[str], spoken: float
) -> str:
    """Why a template must not be taken, however good it is."""
    if not glance.approved:
        return "not approved: `afterglow warm approve` after reading it"
    other_type = session.task_type not in (None, glance.task_type)
    if other_type and glance.task_type is not TaskType.MIXED:
        return f"for {glance.task_type.value}"
    if not _tags_part(glance.tags, session.tags):
        return "has none of the tags"
    if not _tools_part(glance, session):
        return "none of its tools is there"
    if session.tags or _same_repo(glance.repo, session.repo):
        return ""
    if spoken < MIN_WORD_SHARE:
        return "the task does not speak of it"
    is_of_elsewhere = bool(glance.repo and session.repo)
    if is_of_elsewhere and not _speaks_at_length(shares, spoken):
        return "of another repository, and the task hardly speaks of it"
    return ""


def _speaks_at_length(shared_words: Collection[str], spoken: float) -> bool:
    telling_words = [word for word in shared_words if word not in _VERBS]
    is_much = spoken >= MIN_WORD_SHARE_ELSEWHERE
    return is_much and len(telling_words) >= MIN_WORDS_ELSEWHERE


def _mean_success(records: Iterable[Record]) -> float:
    successes, outcomes = 1, 2  # as if one of two had worked
    for record in records:
        successes += record.successes
        outcomes += record.known
    return successes / outcomes


def _type_part(glance: Glance, session: NewSession) -> float:
    return 1.0 if session.task_type in (None, glance.task_type) else MIXED_TYPE


def _tags_part(template_tags: Sequence[str], session_tags: Sequence[str]) -> float:
    if not session_tags:
        return 1.0
    tags = {tag.casefold() for tag in session_tags}
    shared = tags & {tag.casefold() for tag in template_tags}
    return len(shared) / len(tags)


def _repo_part(template_repo: str, session_repo: str) -> float:
    if not template_repo or not session_repo:
        return ANYWHERE
    return 1.0 if _same_repo(template_repo, session_repo) else ELSEWHERE


def _same_repo(first: str, second: str) -> bool:
    """`harbor` also means `owner/harbor`."""
    shorter, longer = sorted((first.casefold(), second.casefold()), key=len)
    return bool(shorter) and (longer == shorter or longer.endswith(f"/{shorter}"))


def _tools_part(glance: Glance, session: NewSession) -> float:
    if session.tools is None or not glance.tools:
        return _agent_part(glance.agent, session.agent)
    tools = {tool.casefold() for tool in session.tools}
    present = [tool for tool in glance.tools if tool.casefold() in tools]
    return len(present) / len(glance.tools)


def _agent_part(template_agent: str, session_agent: str) -> float:
    if not template_agent or not session_agent:
        return 1.0
    return 1.0 if template_agent == session_agent else ELSEWHERE


def _reason(
    best: Ranked | None, ranked: Sequence[Ranked], unfit: Sequence[Unfit]
) -> str:
    if best is None:
        return _reason_for_none(unfit)
    clauses = []
    if best.spoken:
        telling = [word for word in best.spoken if len(word) > 2] or best.spoken
        shared = ", ".join(map(repr, telling[:MAX_WORDS_IN_REASON]))
        clauses.append(f"shares {shared} with the task")
    if best.why["repo"] == 1.0:
        clauses.append("of this repository")
    clauses.append(_record_clause(best, ranked))
    return "; ".join(clauses)


def _reason_for_none(unfit: Sequence[Unfit]) -> str:
    if not unfit:
        return "there are no templates: `afterglow warm extract` makes one"
    counts = Counter(template.why for template in unfit)
    reasons = [f"{number} {reason}" for reason, number in counts.most_common()]
    return f"none fits: {', '.join(reasons)}"


def _record_clause(best: Ranked, ranked: Sequence[Ranked]) -> str:
    if best.known_outcomes:
        return f"success {best.why['success']:.2f} after {best.known_outcomes} known outcomes, shrunk toward the mean"
    equals = sum(candidate.score >= EQUAL * best.score for candidate in ranked)
    if equals > 1:
        return f"no record yet, least used of {equals} that are as good"
    return "no record yet"
