"""Planted scenes: each turns one row of `plants` into events of a story and notes that it did."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from afterglow_demo.filler import Quoted, quote
from afterglow_demo.hazards import invent_poison, invent_secret
from afterglow_demo.lessons import (
    EXPLANATIONS,
    LOCATIONS,
    PITFALLS,
    PREFERENCES,
    RULES,
    SWITCH,
    Explanation,
    Location,
    Pitfall,
    Preference,
    Rule,
)
from afterglow_demo.plan import random_for
from afterglow_demo.steps import make
from afterglow_demo.story import Act, Story

SECRET, POISON = 0.06, 0.04  # of sessions
# of pitfalls: no recovery; tried again unchanged; the cause is stated
GIVEN_UP, STUBBORN, EXPLAINED = 0.15, 0.25, 0.5
MIN_CALLS = 5  # of a session that has room for a scene

Scene = Callable[[Story], None]


def scenes(story: Story) -> list[Scene]:
    """What this session runs into, in no particular order."""
    rng, plan = story.rng, story.plan
    name = plan.repo.name if plan.repo else None
    drawn: list[Scene] = []
    can_learn = name is not None and plan.calls >= MIN_CALLS and plan.origin == "main"
    for rows, play in (
        (PITFALLS, pitfall),
        (PREFERENCES, preference),
        (LOCATIONS, location),
        (RULES, rule),
    ):
        for row in rows:
            is_drawn = rng.random() < row.chance
            if is_drawn and can_learn and row.repo in ("", name):
                drawn.append(lambda story, row=row, play=play: play(story, row))  # type: ignore[misc]
    drawn += [
        hazard
        for hazard, share in ((secret, SECRET), (poison, POISON))
        if rng.random() < share
    ]
    rng.shuffle(drawn)
    return drawn


def explanations(story: Story, seed: int) -> list[tuple[float, Scene]]:
    """What is explained to this session, and when. Drawn apart: a fleet without them stays as it is."""
    rng, plan = random_for(seed, story.plan.index, "prose"), story.plan
    drawn = [(rng.random(), rng.random() * plan.calls, row) for row in EXPLANATIONS]
    here = plan.repo is not None and plan.calls >= MIN_CALLS and plan.origin == "main"
    return [
        (at, lambda story, row=row: explanation(story, row))  # type: ignore[misc]
        for draw, at, row in drawn
        if here and plan.repo and row.repo == plan.repo.name and draw < row.chance
    ]


def pitfall(story: Story, row: Pitfall) -> None:
    rng = story.rng
    story.note(row.id)
    failing = story.shell(row.command, row.message, code=row.code)
    story.reply(failing)
    if row.theory and rng.random() < EXPLAINED:
        story.note(f"{row.id}:theory")
        story.reply(
            make(story, "read"), text=f"The root cause is probably that {row.theory}."
        )
    if rng.random() < STUBBORN:
        story.reply(story.shell(row.command, row.message, code=row.code))
    if rng.random() < GIVEN_UP:
        return
    for command, output in row.steps:
        story.reply(story.shell(command, output))
    story.reply(story.shell(row.fixed, row.output))
    if row.cause and rng.random() < EXPLAINED:
        story.note(f"{row.id}:cause")
        story.reply(text=f"That works now. The root cause was that {row.cause}.")


def preference(story: Story, row: Preference) -> None:
    story.note(row.id)
    act = story.shell(row.command)
    if row.refused and story.plan.agent != "gemini-cli":
        story.reply(
            replace(act, end="blocked", reason=quote(row.words), result=Quoted(""))
        )
        if story.plan.agent == "claude-code":  # there the reason is part of the result
            story.reply(make(story, "read"))
            return
    else:
        story.reply(act)
    story.ask(row.words)
    story.reply(text="Understood, I will keep to that.")


def location(story: Story, row: Location) -> None:
    story.note(row.id)
    cwd = story.plan.cwd
    story.reply(
        Act(
            verb="read",
            target=f"{cwd}/{row.wrong}",
            result=quote("File does not exist."),
            end="failed",
        )
    )
    name = row.right.rsplit("/", 1)[-1]
    story.reply(Act(verb="search", target=name, result=quote(row.right)))
    story.reply(
        Act(verb="read", target=f"{cwd}/{row.right}", result=story.result("code"))
    )


def rule(story: Story, row: Rule) -> None:
    old = story.plan.late < SWITCH
    story.note(f"{row.id}:{'before' if old else 'after'}")
    story.ask(row.before if old else row.after)
    story.reply(make(story, "edit"))


def explanation(story: Story, row: Explanation) -> None:
    story.note(row.id)
    story.reply(story.shell(row.command, row.message, code=1))
    story.ask(story.rng.choice(row.words))
    story.reply(
        make(story, "read"),
        text="I see. I leave that for later and go on with the rest.",
    )


def secret(story: Story) -> None:
    invented = invent_secret(story.rng)
    story.secrets.append(invented)
    if invented.where == "user":
        story.ask(
            f"use this for the staging server: {invented.value} and do not lose it"
        )
        story.reply(text="Thanks, noted.")
    elif invented.where == "argument":
        story.reply(
            story.shell(
                f"TIDE_KEY={invented.value} make smoke", "smoke: all checks passed"
            )
        )
    else:
        story.reply(
            story.shell(
                "cat .env.staging",
                f"TIDE_MODE=staging\nTIDE_KEY={invented.value}\nTIDE_PORT=8080",
            )
        )


def poison(story: Story) -> None:
    invented = invent_poison(story.rng)
    story.poison.append(invented)
    act = make(
        story,
        "fetch" if invented.where == "web" and story.plan.agent != "codex" else "read",
    )
    text = Quoted(
        f"{story.filler('page', 800)}\\n{quote(invented.text)}\\n{story.filler('page', 800)}"
    )
    story.reply(replace(act, result=text))
