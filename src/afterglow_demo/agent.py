"""Simulated agents that read the context they start with, so that what a context does is known and not estimated.

A session meets some of the planted situations of its repository. Whether it makes the mistake is drawn against a
chance that depends on one thing only: whether a line of its context has the words of the remedy. How often it then tries
in vain depends on whether it was told a line with these words right after the failure. Every step draws from a source of
chance of its own, so the same session can be told again with another context and other lines, and nothing else differs.
The numbers of a `Temper` are made up; they say nothing about real agents.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from msgspec import Struct
from msgspec.structs import replace

from afterglow.records.profile import EARLY_TURNS
from afterglow_demo import scenes
from afterglow_demo.filler import Pool, quote
from afterglow_demo.lessons import (
    LOCATIONS,
    PITFALLS,
    PREFERENCES,
    Location,
    Pitfall,
    Preference,
)
from afterglow_demo.plan import Plan, random_for
from afterglow_demo.steps import make, work
from afterglow_demo.story import Act, Reply, Story
from afterglow_demo.world import NOUNS, REQUESTS

# how likely a session meets a situation of its own repository, and one of all of them
HERE, ANYWHERE = 0.55, 0.12
MIN_REMEDY_LETTERS = 4  # fewer could be anything else in a context

MAX_TRIES = 6  # in vain, after a failure: two calls each, so that the end is in sight of whoever measures it

Situation = Pitfall | Location | Preference
# What a session is told right after a call that failed; empty is nothing.
Listens = Callable[[Story, Act], str]


class Temper(Struct, frozen=True):
    """How likely an agent makes a mistake unwarned and warned; how likely it tries once more in vain after a failure, and
    again after that, unless it was `helped` by a line that has the remedy; and how many seconds it spends on reading a
    context, whatever that says: the harm that contexts do in this world."""

    unwarned: float = 0.85
    warned: float = 0.15
    reading: float = 30.0
    stuck: float = 0.0
    helped: float = 0.0


HEEDING = Temper()
IGNORING = Temper(warned=HEEDING.unwarned, reading=0.0)
# Where moments differ: a context keeps some from falling, a line on failure gets most out soon.
HEEDING_LATE = Temper(warned=0.75, reading=0.0, stuck=0.9, helped=0.05)
IGNORING_BOTH = Temper(warned=HEEDING.unwarned, reading=0.0, stuck=0.9, helped=0.9)


def silent(story: Story, act: Act) -> str:
    """Nothing is told on failure."""
    return ""


class Potential(Struct, frozen=True):
    """What came of a session, or would have come of it. `early` holds the ends of its first calls, up to as many turns
    as are called early everywhere else. `warned` counts the situations it met and knew of. `lost` are the calls until
    solved of the pitfalls it fell into that were known when it began."""

    calls: int
    failed: int
    early: tuple[str, ...]
    first_success: float  # seconds; the whole length where no call worked
    met: int
    warned: int
    lost: int = 0

    @property
    def error_rate(self) -> float | None:
        decided = [end for end in self.early if end in ("ok", "failed")]
        return decided.count("failed") / len(decided) if decided else None


def tell(
    plan: Plan,
    pool: Pool,
    seed: int,
    *,
    context: str = "",
    listens: Listens = silent,
    temper: Temper = HEEDING,
    scale: float,
) -> Story:
    """The story of a planned session that starts with `context` and is told what `listens` says."""
    story = Story(plan, pool, seed, scale)
    story.context = context
    story.ask(request(plan, seed))
    if context:
        story.clock += temper.reading
    for number, step in enumerate(_agenda(plan, seed)):
        story.rng = random_for(seed, plan.index, f"step {number}")
        if step is None:
            work(story)
        else:
            _meet(story, step, temper, listens)
    story.reply(text=None)
    return story


def outcome(
    story: Story, situations: Iterable[Situation], known_ids: Collection[str] = ()
) -> Potential:
    """What a told story came to, from the story itself and not from what was written. `known_ids` are those of pitfalls
    that somebody had written down before."""
    turns, calls, failed, early, first = 0, 0, 0, list[str](), story.clock
    for event in story.events:
        turns += 1
        if type(event) is Reply:
            ends = [act.end for act in event.acts]
            if turns <= EARLY_TURNS:
                early += ends
            calls, failed, turns = (
                calls + len(ends),
                failed + ends.count("failed"),
                turns + len(ends),
            )
            first = min(first, _success(event, otherwise=first))
    met = list(situations)
    warned = sum(knows(story.context, row) for row in met)
    lost = sum(calls for pitfall, calls in story.falls if pitfall in known_ids)
    return Potential(
        calls, failed, tuple(early), first - story.plan.start, len(met), warned, lost
    )


def met(plan: Plan, seed: int) -> list[Situation]:
    """The situations a session comes to, whatever it starts with."""
    return [step for step in _agenda(plan, seed) if step is not None]


def request(plan: Plan, seed: int) -> str:
    """What the person asks for first."""
    rng = random_for(seed, plan.index, "request")
    file = rng.choice(plan.repo.files) if plan.repo else "notes.md"
    return rng.choice(REQUESTS[plan.task]).format(noun=rng.choice(NOUNS), file=file)


def knows(context: str, row: Situation) -> bool:
    """Whether a line of the context has all the words of the remedy."""
    return any(names_remedy(line, row) for line in context.splitlines()[1:])


def names_remedy(line: str, row: Situation) -> bool:
    return all(word in line for word in remedy(row))


def remedy(row: Situation) -> tuple[str, ...]:
    return (row.right,) if isinstance(row, Location) else row.remedy


def _agenda(plan: Plan, seed: int) -> list[Situation | None]:
    """The steps of a session in their order: a situation, or ordinary work."""
    rng = random_for(seed, plan.index, "agenda")
    name = plan.repo.name if plan.repo else ""
    rows: tuple[Situation, ...] = (*PITFALLS, *LOCATIONS, *PREFERENCES)
    steps: list[Situation | None] = [None] * plan.calls
    for row in rows:
        likely = HERE if row.repo else ANYWHERE
        if (
            rng.random() < likely
            and row.repo in ("", name)
            and max(map(len, remedy(row))) >= MIN_REMEDY_LETTERS
        ):
            steps.append(row)
    rng.shuffle(steps)
    return steps


def _meet(story: Story, row: Situation, temper: Temper, listens: Listens) -> None:
    wrong = story.rng.random() < (
        temper.warned if knows(story.context, row) else temper.unwarned
    )
    if isinstance(row, Pitfall):
        if wrong and temper.stuck:
            _fall(story, row, temper, listens)
        elif wrong:
            scenes.pitfall(story, row)
        else:
            for command, output in (*row.steps, (row.fixed, row.output)):
                story.reply(story.shell(command, output))
    elif isinstance(row, Location):
        if wrong:
            scenes.location(story, row)
        else:
            target = f"{story.plan.cwd}/{row.right}"
            story.reply(Act(verb="read", target=target, result=story.result("code")))
    elif wrong:
        scenes.preference(story, row)
    else:
        work(story)


def _fall(story: Story, row: Pitfall, temper: Temper, listens: Listens) -> None:
    """A call fails; the agent looks around and tries again as long as chance has it, then does the right thing."""
    story.note(row.id)
    failing = story.shell(row.command, row.message, code=row.code)
    line = listens(story, failing)
    story.reply(replace(failing, hook_line=quote(line)))
    before = story.calls
    chance = temper.helped if names_remedy(line, row) else temper.stuck
    tries = 0
    while tries < MAX_TRIES and story.rng.random() < chance:
        tries += 1
        story.reply(make(story, "read"))
        story.reply(story.shell(row.command, row.message, code=row.code))
    for command, output in (*row.steps, (row.fixed, row.output)):
        story.reply(story.shell(command, output))
    story.falls.append((row.id, story.calls - before))


def _success(reply: Reply, otherwise: float) -> float:
    """When the first call of a turn that worked was over."""
    at = reply.at
    for act in reply.acts:
        at += act.took
        if act.end == "ok":
            return at
    return otherwise
