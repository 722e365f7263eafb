"""What goes wrong in sessions: events, the problems they add up to, and the dossier of one.

An event is one failure, or one thing a person put right. Events of several sessions that mean the same are a problem.
A dossier shows a problem to whoever is to write down what to do. Text in all three is redacted.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from afterglow.records.delivery import When
from afterglow.records.knowledge import Trust

# failed: the call says so itself. hidden: its output says so, its exit code does not. empty: a check that ended well and
# printed nothing. ci: what a check elsewhere reported. refused: a person said no to the call. person: what a person put
# right or laid down.
EventKind = Literal["failed", "hidden", "empty", "ci", "refused", "person"]

# As problems are listed: those of most of its events. A check that printed nothing hides its failure too; what a person
# refused, a person said.
ProblemKind = Literal["failed", "hidden", "ci", "person"]
LISTED_AS: dict[EventKind, ProblemKind] = {
    "failed": "failed",
    "hidden": "hidden",
    "empty": "hidden",
    "ci": "ci",
    "refused": "person",
    "person": "person",
}
LessonFilter = Literal["with", "waiting", "without"]

# Of what a person says there is no call that could reach a goal.
FAILURE_KINDS = frozenset({"failed", "hidden", "empty", "ci"})
MIN_SESSIONS = (
    2  # that make something a problem: what happened once may never come back
)
MAX_DOSSIER_TOKENS = 400  # fifty of them are read for the price of one session
TOPIC = "problem:"  # before the id of a problem: the topic of what is written about it


class TellingLine(Struct, frozen=True):
    """A line of an output that says what is wrong. `good` is its hash as good runs of the program would leave it: found
    there too, the line says nothing. `strength`: 3 a message, 2 a report, 1 a word, 0 merely the first line."""

    text: str
    good: int = 0
    strength: int = 0


class FollowingCall(Struct, frozen=True, omit_defaults=True):
    """A call after a failure: as it is read (empty where that is too long), how it ended, and what it printed, in a few
    words. `again`: the failed call itself, once more. `changes`: it changed something, so what failed may work now.
    `edits`: nothing but texts of files. `mends`: the rules of a linter whose first report it answered. `got`: what the
    failed call was refused by name, and this one asked for in another way."""

    line: int
    tool: str
    command: str
    worked: bool = False
    printed: str = ""
    trust: Trust = "tool"
    again: bool = False
    changes: bool = False
    edits: bool = False
    mends: tuple[str, ...] = ()
    got: str = ""


class Event(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One failure in its place, and what followed.

    `call` is a hash of the call's id: forks and resumed sessions repeat it. `line` and `result_line` are places in the
    transcript, `batch` those of calls made at once that failed alike. `directory` is where the shell stood, as seen
    from where the session began; `host` the other machine or the container that it ran on. `state` is what in the
    session's own state explains it, `explanation` the same with the values of this call, empty where there is nothing to
    do about it. `keys` name what it may have in common with others, the strongest first. `calls` and `turns` are what it
    cost until the goal was reached by `remedy`, or given up. `because` is the assistant's sentence about it, `person` what
    a person said, at `person_line`; for what a person
    put right, `command` is the action before, `remedy` the same done over, and `target` the file that both wrote.
    """

    kind: EventKind
    session: str
    agent: str
    line: int
    result_line: int
    call: int
    batch: tuple[int, ...] = ()
    time: float | None = None
    tool: str = ""
    program: str = ""
    command: str = ""
    directory: str = ""
    lines: tuple[TellingLine, ...] = ()
    rules: tuple[str, ...] = ()
    target: str = ""
    state: str = ""
    explanation: str = ""
    keys: tuple[str, ...] = ()
    fingerprint: str = ""
    host: str = ""
    calls: int = 0
    turns: int = 0
    tried: tuple[FollowingCall, ...] = ()
    remedy: FollowingCall | None = None
    because: str = ""
    person: str = ""
    person_line: int = 0
    trust: Trust = "tool"

    @property
    def following(self) -> tuple[FollowingCall, ...]:
        """The calls behind the failure: the tries, and the one that reached the goal."""
        return (*self.tried, self.remedy) if self.remedy else self.tried


class Runs(Struct, frozen=True, omit_defaults=True, array_like=True):
    """How often a form of a command ended well and badly, and the line of the last call that ended well."""

    well: int = 0
    badly: int = 0
    last: int = 0

    def __add__(self, later: Runs) -> Runs:
        last = max(self.last, later.last)
        return Runs(self.well + later.well, self.badly + later.badly, last)


class SessionEvents(Struct, frozen=True, omit_defaults=True):
    """All events of a session, and what good runs in it looked like.

    `good` are hashes of lines that look like errors, or begin or end the output, in runs that ended well. `printing`
    counts, for each check, runs that ended well and printed something, and those that printed nothing. `environment`
    are facts about the machine.
    `runs` says for each form of a command how it ended. `packages` are those that the manifests it read name.
    """

    events: tuple[Event, ...] = ()
    good: tuple[int, ...] = ()
    printing: dict[str, tuple[int, int]] = {}
    environment: tuple[str, ...] = ()
    runs: dict[str, Runs] = {}
    packages: tuple[str, ...] = ()


# In place of the words of a lesson that a person has not approved yet: they are for that person, and for no writer.
AWAITING_APPROVAL = "a lesson that waits for a person's approval"


class KnownLesson(Struct, frozen=True):
    """An item of knowledge that speaks about a problem, who made it, and how often sessions were told it."""

    item: str
    fact: str
    status: str
    deliveries: int = 0
    miner: str = ""

    @property
    def is_withheld(self) -> bool:
        return self.fact == AWAITING_APPROVAL


class ProblemAnswer(Struct, frozen=True, kw_only=True):
    """What a writer answered about a problem: `outcome` is what became of it then, `item` what it became or speaks of,
    `status` how that item stands now."""

    by: str
    time: float
    outcome: str
    item: str = ""
    status: str = ""
    reason: str = ""


class Problem(Struct, frozen=True, kw_only=True):
    """What keeps happening in a repository: events that share a key.

    `id` is made of repository, kind and key, so it is the same on every machine. `also` are the ids of narrower or
    equal families that stand under this one. `calls` and `turns` are what all its events cost together. `answers` are
    those to its last dossier, the most telling first; only where a list or a report of problems was asked for.
    """

    id: str
    repo: str
    kind: str
    key: str
    what: str
    times: int
    sessions: tuple[str, ...]
    calls: int
    turns: int
    first: float | None
    last: float | None
    events: tuple[Event, ...] = ()
    environment: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    lessons: tuple[KnownLesson, ...] = ()
    answers: tuple[ProblemAnswer, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The id, and those it had before it grew together with others."""
        return (self.id, *self.also)

    @property
    def comes_back(self) -> bool:
        return len(self.sessions) >= MIN_SESSIONS

    @property
    def cost(self) -> int:
        """Calls and turns; a person's turn is dear, but how dear nobody knows, so it counts as one."""
        return self.calls + self.turns


# What a line of a dossier shows of an episode: the failing call, what it printed, what the assistant or a person said of
# it, a try, what ended it; or, of an episode in one line, all that others do not show.
LinePart = Literal[
    "", "failure", "printed", "words", "person", "tried", "ending", "brief"
]


class DossierLine(Struct, frozen=True):
    """A numbered line of a dossier: its words, where in which transcript they stand, and what they show there."""

    number: int
    text: str
    session: str = ""
    line: int = 0
    trust: Trust = "tool"
    part: LinePart = ""


class Dossier(Struct, frozen=True, kw_only=True):
    """One problem on a few hundred tokens: `text` is what a writer reads, `lines` where each of it comes from."""

    problem: str
    text: str
    tokens: int
    lines: tuple[DossierLine, ...] = ()


class ProblemReport(Struct, frozen=True):
    """A problem and its dossier, and whether it waits for a writer."""

    problem: Problem
    dossier: Dossier
    waits: bool = False


class EpisodeLine(Struct, frozen=True):
    """A line of an episode: its words, and where in the transcript they stand."""

    text: str
    line: int = 0


class EpisodeTold(Struct, frozen=True, kw_only=True):
    """What the session of an episode was told: at which moment, when, how many items, and which of them are lessons
    about this very problem."""

    moment: When
    time: float
    items: int = 0
    lessons: tuple[str, ...] = ()


class EpisodeColumn(Struct, frozen=True, kw_only=True):
    """One session's way with a problem, to be read beside others: the call that failed, what it printed, what was
    thought and said about it, what was tried in vain, what was changed, and what ended it. `places` are all lines of
    the session where the problem came, `calls` what it cost there. `before` it was told this, `after` that."""

    session: str
    agent: str
    time: float | None
    failed: EpisodeLine
    printed: tuple[EpisodeLine, ...] = ()
    words: tuple[EpisodeLine, ...] = ()
    tried: tuple[EpisodeLine, ...] = ()
    changed: tuple[EpisodeLine, ...] = ()
    worked: EpisodeLine | None = None
    hidden: bool = False
    places: tuple[int, ...] = ()
    calls: int = 0
    before: tuple[EpisodeTold, ...] = ()
    after: tuple[EpisodeTold, ...] = ()


class ProblemEpisodes(Struct, frozen=True):
    """Some episodes of a problem, the newest first, one a session, and how many sessions there are."""

    columns: tuple[EpisodeColumn, ...] = ()
    total: int = 0


class SaidOnFailure(Struct, frozen=True, kw_only=True):
    """What sessions would be told if the last failures of a problem came again: how many of so many would be told
    something; of one of them the call, the line, and the lesson it comes from (none where the session's own state says
    it); where none would be, why."""

    failures_told: int = 0
    failures: int = 0
    command: str = ""
    text: str = ""
    item: str = ""
    reason: str = ""


class ProblemFilter(Struct, frozen=True, kw_only=True):
    """Which problems: of a repository (None: of all), met since, `with` a lesson that is told, with one `waiting` for a
    person or more sessions, or `without` one that is told; of one kind of failure; met by at least so many sessions."""

    repo: str | None = None
    since: float | None = None
    lesson: LessonFilter | None = None
    kind: ProblemKind | None = None
    least: int = 2


class ProblemList(Struct, frozen=True, kw_only=True):
    """Problems by cost, at most as many as were asked for; how many there are, and how many of them have no lesson.
    `waiting` are those that nobody has answered and a writer could; `unread` sessions were not harvested yet, and
    `outdated` repositories changed since their problems were made."""

    problems: tuple[Problem, ...] = ()
    total: int = 0
    without_lesson: int = 0
    waiting: int = 0
    unread: int = 0
    outdated: int = 0


class ProblemFacets(Struct, frozen=True, kw_only=True):
    """How many problems there are of each repository and kind, and by whether there is a lesson."""

    repos: dict[str, int] = {}
    kinds: dict[str, int] = {}
    lessons: dict[str, int] = {}
