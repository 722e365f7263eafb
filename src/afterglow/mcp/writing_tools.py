"""The tools with which the agent inside a session writes lessons: dossiers of problems out, answers back."""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from pydantic import BaseModel, Field

from afterglow.config import Config
from afterglow.flows.harvest import (
    PROBLEMS_AT_ONCE,
    WAITING_TOKENS,
    hand_in,
    problems_to_write,
)
from afterglow.mcp.results import Answer, agent_of, tool
from afterglow.records.problems import MAX_DOSSIER_TOKENS
from afterglow.records.selection import Selection
from afterglow.records.writing import (
    AnswerKind,
    AnswerOutcome,
    LessonScope,
    WaitingProblems,
    WriterReport,
)
from afterglow.text.clip import printable

MAX_ANSWERS = 100  # at once: two for each problem that can be shown at once


class Written(BaseModel):
    problem: str = Field(description="id of the problem, as problems_to_write gives it")
    answer: AnswerKind = Field(
        description="lesson; nothing: not worth telling, `why` says why; merge: the same matter as the problem `item` "
        "names; holds, wrong: what is known already, which `item` names, is right and enough, or wrong"
    )
    situation: str = Field(
        "",
        description="of a lesson: when it matters, in the words a session meets: command, tool, file, telling part of "
        "the error; 100 characters",
    )
    remedy: str = Field(
        "",
        description="of a lesson: what to do, whole: the exact command, flag, path or step that worked, in backticks; "
        "200 characters",
    )
    scope: LessonScope = Field(
        "repo", description="where it holds; user: it is a person's wish"
    )
    cites: list[int] = Field(
        [],
        description="numbers of the dossier's lines it rests on: of each session the failure and the line that shows "
        "the remedy",
    )
    elsewhere: list[str] = Field(
        [], description="lines of other dossiers that show it too, as 3f2a91bc:4"
    )
    item: str = Field(
        "", description="the known lesson it replaces or speaks about, or the problem"
    )
    why: str = Field("", description="of nothing and wrong: a few words")


class Writing:
    def __init__(self, config: Config) -> None:
        self.config = config

    def tools(self) -> list[Tool]:
        return [
            tool(
                self.problems_to_write,
                WaitingProblems,
                "Problems without a lesson",
                reads=True,
            ),
            tool(
                self.write_lessons,
                WriterReport,
                "Write lessons",
                again=True,
                destroys=True,
            ),
        ]

    def problems_to_write(
        self,
        repo: Annotated[
            str, Field(description="only this repository: owner/name or name")
        ] = "",
        problems: Annotated[
            list[str],
            Field(description="ids of problems, answered before or not; all if empty"),
        ] = [],  # noqa: B006
        limit: Annotated[int, Field(ge=1, le=50)] = PROBLEMS_AT_ONCE,
        tokens: Annotated[
            int,
            Field(
                ge=MAX_DOSSIER_TOKENS,
                le=20_000,
                description="of all dossiers, at most",
            ),
        ] = WAITING_TOKENS,
    ) -> Answer:
        """What keeps going wrong in sessions and nobody has written down what to do about, as dossiers with numbered
        lines, redacted. Use it only when asked to harvest or to write lessons: read each, and hand one answer each to
        `write_lessons`."""
        waiting = problems_to_write(
            self.config,
            Selection(repo=repo or None),
            ids=problems,
            limit=limit,
            tokens=tokens,
        )
        return Answer(_dossiers(waiting), waiting)

    def write_lessons(
        self,
        answers: Annotated[list[Written], Field(min_length=1, max_length=MAX_ANSWERS)],
        asking: Context[Any, Any],
    ) -> Answer:
        """Answer dossiers of `problems_to_write`. A lesson rests on what their lines show, in more than one episode
        where there are several; ordinary work is `nothing`. Each is checked against all sessions: what two show is
        told from then on, the rest waits or is refused and says why."""
        rows = [answer.model_dump() for answer in answers]
        report = hand_in(self.config, rows, by=agent_of(asking) or "mcp")
        text = "\n".join(map(_outcome, report.outcomes))
        is_refused = set(report.counts) == {"refused"}
        return Answer(text, report, failed=is_refused)


def _dossiers(waiting: WaitingProblems) -> str:
    if not waiting.problems:
        return f"None: {waiting.reason}."
    texts = [each.text for each in waiting.problems]
    rest = f"{waiting.remaining} more wait." if waiting.remaining else ""
    return "\n\n".join(filter(None, [waiting.note, *texts, rest]))


def _outcome(outcome: AnswerOutcome) -> str:
    item = f" as {outcome.item}" if outcome.item else ""
    reason = f": {outcome.reason}" if outcome.reason else ""
    return printable(f"{outcome.problem} {outcome.outcome}{item}{reason}")
