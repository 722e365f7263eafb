"""What simulated agents are told right after a call failed: the product itself is asked.

A session is told in the arm it has; what it would have been told in another arm is asked in a home beside the real one,
which shares what is known and keeps a ledger of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from afterglow.config import Config
from afterglow.flows.session import on_failure
from afterglow.records.context import FinishedCall
from afterglow.store.knowledge import Knowledge
from afterglow_demo.agent import Listens, names_remedy
from afterglow_demo.filler import Quoted, unquote
from afterglow_demo.lessons import PITFALLS
from afterglow_demo.plan import Plan
from afterglow_demo.story import Act, Story
from afterglow_demo.writers import claude_code, hermes_db


def beside(config: Config) -> Config:
    """A home without an experiment that knows what `config` knows."""
    home = config.home.with_name(f"{config.home.name}-beside")
    home.mkdir()
    for name in (
        config.knowledge_file.name,
        config.knowledge_file.with_suffix(".index").name,
    ):
        (home / name).symlink_to(config.home / name)
    return Config(home=home, user_home=config.user_home)


def line_on_failure(config: Config, session: str) -> Listens:
    """What a session with that name is told."""

    def listens(story: Story, act: Act) -> str:
        plan = story.plan
        return on_failure(
            config,
            agent=plan.agent,
            cwd=Path(plan.cwd),
            session=session,
            calls=[_CALLS[plan.agent](act, plan)],
            now=story.clock,
        ).text

    return listens


def known_pitfalls(config: Config) -> frozenset[str]:
    """The ids of those that something kept says how to deal with."""
    with Knowledge(config.knowledge) as knowledge:
        items = knowledge.items(status=("active", "candidate"))
    texts = [f"{item.fact} {item.remedy}" for item in items]
    return frozenset(
        row.id for row in PITFALLS if any(names_remedy(text, row) for text in texts)
    )


def _of_claude_code(act: Act, plan: Plan) -> FinishedCall:
    tool, arguments = claude_code.call(act, plan)
    text, failed = claude_code.content(act)
    return FinishedCall(tool, _json(arguments), unquote(Quoted(text)), failed)


def _of_hermes(act: Act, plan: Plan) -> FinishedCall:
    tool, arguments = hermes_db.call(act, plan)
    return FinishedCall(tool, _json(arguments), hermes_db.content(act))


def _json(arguments: dict[str, object]) -> str:
    return msgspec.json.encode(arguments).decode()


_CALLS: dict[str, Callable[[Act, Plan], FinishedCall]] = {
    "claude-code": _of_claude_code,
    "hermes": _of_hermes,
}
