"""The tools with which the host agent harvests: it reads windows of finished sessions and hands back cited lessons."""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from pydantic import BaseModel, Field

from afterglow.config import Config
from afterglow.flows.harvest import (
    MAX_CITATIONS,
    SMALLEST_WINDOW,
    WINDOW_LIMIT,
    WINDOW_TOKENS,
    remember,
    windows,
)
from afterglow.mcp.results import Answer, agent_of, tool
from afterglow.records.knowledge import Category
from afterglow.records.lessons import Citation, Remembered, Window, WindowLine, Windows
from afterglow.records.selection import Selection
from afterglow.text.clip import printable


class Cited(BaseModel):
    session: str = Field(description="id of the session, as harvest_windows gives it")
    line: int = Field(
        ge=0, description="line of the quote, as harvest_windows gives it"
    )
    quote: str = Field(
        min_length=1,
        description="words of that line that support the fact, to the letter",
    )


class Harvesting:
    def __init__(self, config: Config) -> None:
        self.config = config

    def tools(self) -> list[Tool]:
        return [
            tool(self.harvest_windows, Windows, "Windows worth distilling", again=True),
            tool(self.remember, Remembered, "Remember a lesson", again=True),
        ]

    def harvest_windows(
        self,
        repo: Annotated[
            str, Field(description="only this repository: owner/name or name")
        ] = "",
        session: Annotated[str, Field(description="only this session")] = "",
        limit: Annotated[int, Field(ge=1, le=50)] = WINDOW_LIMIT,
        tokens: Annotated[
            int,
            Field(ge=SMALLEST_WINDOW, le=50_000, description="of all windows, at most"),
        ] = WINDOW_TOKENS,
        done: Annotated[
            list[str],
            Field(description="ids of windows you have read: not offered again"),
        ] = [],  # noqa: B006
    ) -> Answer:
        """Stretches of finished sessions that may hold a lesson rules could not state, redacted. Use it only when asked
        to harvest: read each, and hand what it teaches to `remember` with the lines that say so."""
        chosen = windows(
            self.config,
            Selection(repo=repo or None),
            session=session or None,
            limit=limit,
            tokens=tokens,
            read=done,
        )
        text = (
            "\n\n".join([chosen.note, *map(_window, chosen.windows)])
            if chosen.windows
            else f"None: {chosen.reason}."
        )
        return Answer(text, chosen)

    def remember(
        self,
        fact: Annotated[
            str,
            Field(
                description="the lesson in one sentence that names the command, path or message"
            ),
        ],
        category: Category,
        citations: Annotated[
            list[Cited], Field(min_length=1, max_length=MAX_CITATIONS)
        ],
        asking: Context[Any, Any],
        situation: Annotated[
            str, Field(description="when it applies: what is tried, what is seen")
        ] = "",
        remedy: Annotated[str, Field(description="what to do then")] = "",
        repo: Annotated[
            str, Field(description="if it holds in one of the cited repositories only")
        ] = "",
        agent: Annotated[
            str, Field(description="only for lessons about that agent's own tools")
        ] = "",
    ) -> Answer:
        """Keep a lesson read out of finished sessions, as a candidate for review. The cited lines must exist and
        support the sentence; no secrets, no orders. What a user likes does not belong here."""
        cited = [
            Citation(citation.session, citation.line, citation.quote)
            for citation in citations
        ]
        remembered = remember(
            self.config,
            fact=fact,
            category=category,
            citations=cited,
            situation=situation,
            remedy=remedy,
            repo=repo or None,
            agent=agent,
            by=agent_of(asking) or "mcp",
        )
        text = (
            remembered.refused
            or f"{remembered.outcome}: {remembered.id} is {remembered.status} ({remembered.reason})"
        )
        return Answer(text, remembered, failed=remembered.outcome == "refused")


def _window(window: Window) -> str:
    head = f"window {window.id}: session {window.session}, {window.repo or 'no repository'}, {window.why}"
    known_items = [
        f"known already: {item.fact} [{item.id}]" for item in window.known_items
    ]
    return "\n".join(
        [printable(head), *map(_line, window.lines), *map(printable, known_items)]
    )


def _line(line: WindowLine) -> str:
    """A text keeps its lines, so that it can be quoted to the letter."""
    about = ", ".join(filter(None, (line.tool, line.outcome, f"trust {line.trust}")))
    return "\n    ".join(
        map(printable, [f"{line.line} {line.who} ({about}):", *line.text.splitlines()])
    )
