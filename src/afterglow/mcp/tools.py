"""The tools for an agent at work: what is known, where it comes from, and how the session went."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from msgspec import Struct
from pydantic import Field

from afterglow.config import Config
from afterglow.flows import knowledge as recalling
from afterglow.flows.knowledge import Recalled
from afterglow.flows.session import Report, Start, repo_of, report_outcome, start
from afterglow.mcp.evidence import Explained, explained
from afterglow.mcp.results import NOTE, Answer, agent_of, folder, tool
from afterglow.text.basis import day
from afterglow.text.clip import printable
from afterglow.text.numbers import round_percent

Asking = Context[Any, Any]
Repo = Annotated[
    str,
    Field(description="owner/name or name; the current folder's repository if empty"),
]
Folder = Annotated[
    str, Field(description="folder the session works in; the server's if empty")
]
Agent = Annotated[
    str, Field(description="claude-code, codex, hermes, ...; yours if empty")
]
Task = Annotated[str, Field(description="what is about to be done, in a sentence")]


class Recall(Struct, frozen=True):
    items: tuple[Recalled, ...]
    note: str


class Selected(Struct, frozen=True):
    """The template that fits best: chat messages to take as examples. Without one, `reason` says why."""

    template: str
    name: str
    reason: str
    delivery: str = ""
    tokens: int = 0
    messages: tuple[dict[str, Any], ...] = ()
    note: str = NOTE


class Working:
    """`here` is the folder the agent works in, if the server was started in it."""

    def __init__(self, config: Config, here: Path | None) -> None:
        self.config, self.here = config, here

    def tools(self) -> list[Tool]:
        return [
            tool(self.recall, Recall, "Recall lessons", reads=True),
            tool(self.context, Start, "Start with what is known"),
            tool(self.explain, Explained, "Explain an item", reads=True),
            tool(self.warm_select, Selected, "Choose a warm template"),
            tool(self.report_outcome, Report, "Report how it went", again=True),
        ]

    def recall(
        self,
        query: Annotated[
            str, Field(description="an error message, a command, a topic")
        ],
        asking: Asking,
        repo: Repo = "",
        limit: Annotated[
            int, Field(ge=1, le=recalling.RECALL_MOST)
        ] = recalling.RECALL_LIMIT,
    ) -> Answer:
        """Lessons of earlier sessions about an error, command or topic, best first. Use it when something fails
        unexpectedly, or before an unfamiliar command. It may know nothing: then go on."""
        recalled = recalling.recall(
            self.config,
            query,
            cwd=self.here,
            repo=repo or None,
            agent=agent_of(asking),
            limit=limit,
        )
        lines = (
            [NOTE, *map(recalled_line, recalled)]
            if recalled
            else ["Nothing is known about that."]
        )
        return Answer("\n".join(lines), Recall(recalled, lines[0]))

    def context(
        self,
        asking: Asking,
        task: Task = "",
        cwd: Folder = "",
        agent: Agent = "",
        budget: Annotated[
            int,
            Field(
                ge=0, le=20_000, description="tokens, at most; 0: as the settings say"
            ),
        ] = 0,
    ) -> Answer:
        """The short context a session should start with. Call it once, first, unless a text with an id like
        ag-0123456789 is in view already. Keep the id: report_outcome asks for it."""
        started = start(
            self.config,
            agent=agent or agent_of(asking),
            cwd=folder(cwd, self.here),
            task=task,
            budget=budget or None,
        )
        return Answer(
            started.text or f"Nothing to start with: {started.reason}.", started
        )

    def explain(
        self,
        item: Annotated[str, Field(description="id of an item, like k1a2b3c4d5")],
        limit: Annotated[
            int, Field(ge=1, le=20, description="transcript lines, at most")
        ] = 3,
    ) -> Answer:
        """The transcript lines an item stands on, redacted. Use it before you rely on an item that surprises you."""
        text, record = explained(self.config, item, limit)
        return Answer(text, record)

    def warm_select(
        self, task: Task, asking: Asking, repo: Repo = "", agent: Agent = ""
    ) -> Answer:
        """The template of earlier good sessions that fits a task: example calls that worked. Use it at the start of a
        task of a kind done before. There may be none."""
        from afterglow.flows.warm import Target, deliver, select

        agent = agent or agent_of(asking)
        repo = repo or (repo_of(self.here, self.config) if self.here else "")
        root = str(self.here) if self.here else ""
        target = Target(repo=repo, agent=agent, root=root)
        choice, _ = select(self.config, task, target)
        if choice.best is None:
            return Answer(
                f"No template: {choice.reason}", Selected("", "", choice.reason)
            )
        delivered = deliver(self.config, choice.best.id, task, target)
        messages = tuple(delivered.warm.messages[:-1])  # the last is the task itself
        record = Selected(
            delivered.template,
            choice.best.name,
            choice.reason,
            delivered.warm.id,
            delivered.warm.tokens,
            messages,
        )
        return Answer(
            "\n".join([NOTE, f"{record.name}: {record.reason}", *map(_told, messages)]),
            record,
        )

    def report_outcome(
        self,
        delivery: Annotated[
            str,
            Field(
                description="id of the context or template you got, like ag-0123456789"
            ),
        ],
        outcome: Literal["success", "partial", "failure"],
        rating: Annotated[
            int | None,
            Field(ge=1, le=5, description="how much it helped: 1 not at all, 5 much"),
        ] = None,
        note: Annotated[
            str, Field(description="one sentence on what helped or misled")
        ] = "",
    ) -> Answer:
        """Say how the session went that got a context or template. Call it once, at the end; again replaces."""
        report = report_outcome(
            self.config, delivery=delivery, outcome=outcome, rating=rating, note=note
        )
        effect = "replaced the earlier report" if report.replaced else "noted"
        return Answer(f"{effect}: {report.kept.delivery} {report.kept.outcome}", report)


def recalled_line(item: Recalled) -> str:
    text = (
        f"{item.situation} → {item.remedy}"
        if item.situation and item.remedy
        else item.fact
    )
    confirmed = day(item.last_confirmed)
    where = f"in {item.repo}" if item.repo else "everywhere"
    about = f"; speaks of {', '.join(item.matched)}" if item.matched else ""
    return printable(
        f"- {text} [{item.id} {item.rests_on} {confirmed}, {where}, {round_percent(item.confidence)} sure{about}]"
    )


def _told(message: dict[str, Any]) -> str:
    calls = [
        f"{call['function']['name']}({call['function']['arguments']})"
        for call in message.get("tool_calls") or ()
    ]
    return f"{message['role']}: " + "\n".join(
        filter(None, [message.get("content") or "", *calls])
    )
