"""Prompts a person picks in their agent: start a task warm, harvest finished sessions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer, Message, UserMessage
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS
from pydantic import Field

from afterglow.config import Config
from afterglow.errors import AfterglowError
from afterglow.flows.harvest import prompt
from afterglow.flows.session import start
from afterglow.mcp.results import agent_of, folder

HARVEST = """\
Learn from finished agent sessions, with the afterglow tools.

1. Call `problems_to_write`{repo}. Each dossier is a problem that sessions kept meeting and nobody has answered.
2. Answer each with `write_lessons`: what the next session should know, with the lines that show it, or why there is \
nothing to tell. Where one is refused, the answer says what would work: try once more, then go on.
3. Do it again until none is left, {rounds} rounds at most.
4. {windows}Call `harvest_windows`{where}: stretches of sessions where something was put right or decided. Most teach \
nothing lasting: that is fine. Hand what one does teach to `remember`, with the lines that say so, and call \
`harvest_windows` again with the ids you have read as `done`. Stop when none is left, or after {most} windows.
5. Say in two sentences what was written.

{rules}"""
IF_ASKED = "Only if the user asks for more: "
RULES = "## A good answer"  # from here on the text of the skills holds for tools as for commands
MAX_ROUNDS = 3  # of ten dossiers: about what a person waits for
MAX_WINDOWS_ASKED = 20  # that one harvest reads: about what a person waits for


def add_prompts(server: MCPServer[Any], config: Config, here: Path | None) -> None:
    @server.prompt(
        "start-warm",
        "Start warm",
        "A task, with what earlier sessions taught about it.",
    )
    def start_warm(
        task: Annotated[str, Field(description="what is to be done")],
        asking: Context[Any, Any],
        cwd: Annotated[
            str, Field(description="folder to do it in; the server's if empty")
        ] = "",
    ) -> list[Message]:
        with _told():
            started = start(
                config, agent=agent_of(asking), cwd=folder(cwd, here), task=task
            )
        return [UserMessage(text) for text in (started.text, task) if text.strip()]

    @server.prompt(
        "harvest-session",
        "Harvest sessions",
        "Have the agent write down what finished sessions taught.",
    )
    def harvest_session(
        repo: Annotated[str, Field(description="only this repository")] = "",
        session: Annotated[str, Field(description="only this session")] = "",
    ) -> list[Message]:
        text = HARVEST.format(
            repo=_with(repo=repo),
            windows="" if session else IF_ASKED,
            where=_with(repo=repo, session=session),
            rounds=MAX_ROUNDS,
            most=MAX_WINDOWS_ASKED,
            rules=_rules(),
        )
        return [UserMessage(text)]


def _with(**arguments: str) -> str:
    named = [f"{name} `{value}`" for name, value in arguments.items() if value]
    return f" with {' and '.join(named)}" if named else ""


def _rules() -> str:
    before, head, after = prompt().partition(RULES)
    return (head + after if head else before).strip()


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except AfterglowError as error:
        raise MCPError(code=INVALID_PARAMS, message=str(error)) from error
