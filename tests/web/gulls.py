"""A home in which three sessions met the same three problems: a lesson is told about the crane, one about the gulls waits,
and for the buoy nobody found a way out."""

from __future__ import annotations

from pathlib import Path

from afterglow.config import Config
from afterglow.flows.harvest import harvest
from afterglow.flows.knowledge import approve
from afterglow.records.selection import below
from afterglow.store.knowledge import Knowledge
from writing import Transcript

DAY = 1440
SHUT = "Exit code 2\ngull: every pier is shut"
INJECTED = "<script>document.title = 'taken over'</script>"


def gull_home(folder: Path, **settings) -> Config:
    """Something else was done before the gulls were fed, so rules do not tell it."""
    for number, pier in enumerate(("north", "south", "west"), 1):
        (
            Transcript(number, start=3 * DAY * number)
            .user("feed the gulls")
            .run(f"gull feed {pier}", SHUT, error=True)
            .reply(f"The piers seem to be shut {INJECTED} today.")
            .run("gull ring", "rung")
            .run(f"gull feed {pier} --open", "fed")
            .run("crane lift", "Exit code 1\ncrane: the brake is on", error=True)
            .run("crane release", "released")
            .run("crane lift", "lifted")
            .run("buoy light", "Exit code 1\nbuoy: no lamp in it", error=True)
            .reply("Done.")
            .save(folder / "s")
        )
    config = Config(home=folder / "gulls", user_home=folder / "user", **settings)
    harvest(config, below(folder / "s"))
    approve(config, [_about_cranes(config)])
    return config


def _about_cranes(config: Config) -> str:
    with Knowledge(config.knowledge) as knowledge:
        return next(item.id for item in knowledge.items() if "crane" in item.fact)
