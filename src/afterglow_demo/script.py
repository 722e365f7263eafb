"""Puts a session together: a request, ordinary work, planted scenes at random places, and some end."""

from __future__ import annotations

from afterglow_demo.filler import Pool
from afterglow_demo.lessons import QUESTIONS
from afterglow_demo.plan import Plan
from afterglow_demo.scenes import explanations, scenes
from afterglow_demo.steps import make, work
from afterglow_demo.story import Act, Story
from afterglow_demo.world import FOLLOW_UPS, NOUNS, REQUESTS

FOLLOW_UP = 0.10  # of turns are followed by a word from the person
FULL = 45  # calls after which the window is compacted
ANSWERED, CUT = 0.85, 0.07  # of sessions end with an answer, or in the middle of a call
QUESTION = 0.08  # of those that are answered end with a question left open


def compose(
    plan: Plan, pool: Pool, seed: int, scale: float, *, prose: bool = False
) -> Story:
    """The story of one planned session; with `prose`, people also explain things that only their words say."""
    story = Story(plan, pool, seed, scale)
    if plan.empty:
        return story
    rng = story.rng
    story.ask(_request(story, REQUESTS[plan.task]))
    if plan.child:
        story.reply(
            Act(
                verb="delegate",
                target="look for other places that do the same",
                result=story.words(),
                took=40,
            )
        )
    placed = [(rng.random() * plan.calls, scene) for scene in scenes(story)]
    waiting = sorted(
        placed + (explanations(story, seed) if prose else []), key=lambda pair: pair[0]
    )
    full = FULL
    while story.calls < plan.calls or waiting:
        if waiting and story.calls >= min(waiting[0][0], plan.calls):
            waiting.pop(0)[1](story)
        else:
            work(story)
        if rng.random() < FOLLOW_UP and plan.origin == "main":
            story.ask(_request(story, FOLLOW_UPS))
        if story.calls >= full and plan.agent in {"claude-code", "codex", "hermes"}:
            story.compact()
            full = story.calls + FULL
    _end(story)
    return story


def _request(story: Story, choices: tuple[str, ...]) -> str:
    repo = story.plan.repo
    file = story.rng.choice(repo.files) if repo else "notes.md"
    return story.rng.choice(choices).format(noun=story.rng.choice(NOUNS), file=file)


def _end(story: Story) -> None:
    rng, plan = story.rng, story.plan
    draw = rng.random()
    if draw < CUT and plan.agent != "gemini-cli" and plan.origin == "main":
        act = make(story, "read")
        story.reply(Act(verb=act.verb, target=act.target, end="open"))
    elif draw < CUT + ANSWERED:
        open_ = [
            (name, words)
            for name, repo, words in QUESTIONS
            if plan.repo and repo == plan.repo.name
        ]
        if open_ and rng.random() < QUESTION:
            name, words = open_[0]
            story.note(name)
            story.reply(text=words)
        else:
            story.reply(text=None)
