"""A home in which three sessions met the same three problems: a lesson is told about the crane, one about the gulls waits,
and for the buoy nobody found a way out."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.harvest import harvest
from afterglow.flows.knowledge import approve
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.selection import below
from afterglow.store.knowledge import Knowledge
from writing import Transcript

DAY = 1440
SHUT = "Exit code 2\ngull: every pier is shut"
INJECTED = "<script>document.title = 'taken over'</script>"


def gull_home(folder: Path, **settings) -> Config:
    """A lesson that a person approved (cranes), one that waits (gulls), and a problem without any (buoys)."""
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
    approve(config, [_item_about(config, "crane").id])
    waiting = replace(_item_about(config, "gull"), status="candidate")
    with Knowledge(config.knowledge) as knowledge:
        knowledge.save([waiting], by="harvest", now=DAY)
    return config


def _item_about(config: Config, word: str) -> KnowledgeItem:
    with Knowledge(config.knowledge) as knowledge:
        return next(item for item in knowledge.items() if word in item.fact)
