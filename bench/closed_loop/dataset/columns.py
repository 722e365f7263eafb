"""The tables of the dataset: their files, and what every column means. Schema and data card are both made of this."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct

Kind = Literal["text", "whole", "number", "yes-no", "nested"]
Row: TypeAlias = dict[str, Any]


class Column(Struct, frozen=True):
    name: str
    kind: Kind
    words: str


class Table(Struct, frozen=True):
    """`file` ends in .parquet (plain columns) or in .jsonl (nested ones)."""

    file: str
    words: str
    columns: tuple[Column, ...]

    @property
    def name(self) -> str:
        return self.file.split(".")[0]


_FAMILY = (
    Column("family", "text", "the family: tasks that need the same lesson"),
    Column("kind", "text", "what kind of thing there is to know"),
    Column("project", "text", "the invented project, also the repository's name"),
    Column(
        "number", "whole", "the number of the task in its family; 0 and 1 are learning"
    ),
)

SESSIONS = Table(
    "sessions.parquet",
    "One row a turn of a session, in order: all learning sessions, and all measured runs whose transcript is there.",
    (
        Column("session", "text", "SPLIT/TASK, of measured ones PLAN/TASK/ARM"),
        Column("split", "text", "learning or measured"),
        Column("plan", "text", "the study it belongs to; empty: learning"),
        Column("arm", "text", "what it was told, see `runs`; empty: learning"),
        Column("task", "text", "the task, as in `tasks`"),
        *_FAMILY,
        Column("turn", "whole", "its place in the session, from 0"),
        Column("seconds", "number", "since the session's first stamp; empty: no stamp"),
        Column("role", "text", "system, user, assistant or tool"),
        Column("tool", "text", "the tool of a call or a result"),
        Column("command", "text", "the command of a call"),
        Column("exit", "whole", "the exit code, of a result"),
        Column("text", "text", "what was said or printed"),
    ),
)

RUNS = Table(
    "runs.parquet",
    "One row a measured run: a task in an arm, with what it was told and what came of it.",
    (
        Column("plan", "text", "the study"),
        Column("task", "text", "the task, as in `tasks`"),
        Column("arm", "text", "what the session was told, by plan"),
        *_FAMILY,
        Column("tool_quirk", "yes-no", "whether the lesson is a quirk of one tool"),
        Column("order", "whole", "its place in time among the runs of its plan, from 1"),
        Column("success", "yes-no", "whether the task's check passed"),
        Column("errors", "number", "failed calls"),
        Column("calls", "number", "calls"),
        Column("tokens", "number", "tokens sent and received, by the model's own count"),
        Column("seconds", "number", "from the first stamp of its transcript to the last"),
        Column("excluded", "text", "the rule that leaves it out of the analysis; empty: none"),
        Column(
            "lesson", "text",
            "whether what it was told tells the lesson of its family: right, wrong or missing; empty: nothing was told",
        ),
        Column("told_at_start", "text", "what it was told at its start"),
        Column("told_on_failure", "text", "what it was told behind failed calls, a line each"),
        Column("session", "text", "its transcript in `sessions`; empty: none was kept"),
        Column("agent", "text", "the agent that worked; empty, here and below: not recorded"),
        Column("agent_version", "text", "its version"),
        Column("model", "text", "the model that answered"),
        Column("afterglow_version", "text", "the version of afterglow that told it"),
    ),
)  # fmt: skip

LESSONS = Table(
    "lessons.jsonl",
    "One line a lesson that afterglow harvested or wrote from the learning sessions, told or not.",
    (
        Column("lesson", "text", "its id, as in what sessions are told"),
        Column("project", "text", "the repository it holds in; empty: everywhere"),
        Column("fact", "text", "what it says"),
        Column("situation", "text", "when"),
        Column("remedy", "text", "what to do then"),
        Column("category", "text", "fact, pitfall, pattern, tool-quirk or question"),
        Column("status", "text", "active ones may be told"),
        Column("reason", "text", "why it has its status"),
        Column("confidence", "number", "from 0 to 1"),
        Column("trust", "text", "the least trusted voice it rests on"),
        Column("miner", "text", "which rule, or `told`: the model that wrote it"),
        Column("sources", "whole", "independent sessions behind it"),
        Column("evidence", "nested", "list of session, turn, part, trust, quote: the turns it rests on"),
        Column(
            "judged", "nested",
            "list of family, lesson: for which families of its project it is right or wrong, by patterns fixed with them",
        ),
    ),
)  # fmt: skip

TEMPLATES = Table(
    "templates.jsonl",
    "One line a warm template made of the learning sessions, with its contents.",
    (
        Column("template", "text", "its id, as in what sessions are told"),
        Column("project", "text", "the repository it is for"),
        Column("name", "text", "its name"),
        Column("task_type", "text", "code, file, research or mixed"),
        Column("version", "whole", "its version"),
        Column("made_by", "text", "auto: distilled from many sessions"),
        Column("approved", "yes-no", "whether sessions could be told it"),
        Column("sessions", "nested", "list of the sessions it was made of"),
        Column("seed", "nested", "system_context, tool_examples, recovery_patterns, user_patterns, context_markers"),
        Column("judged", "nested", "list of family, lesson: for which families of its project it is right or wrong"),
    ),
)  # fmt: skip

TASKS = Table(
    "tasks.jsonl",
    "One line a task, of both splits.",
    (
        Column("task", "text", "its name"),
        Column("split", "text", "learning or measured"),
        Column("plans", "nested", "list of the studies that ran it"),
        *_FAMILY,
        Column("tool_quirk", "yes-no", "whether the lesson is a quirk of one tool"),
        Column("request", "text", "what the agent is asked"),
        Column("naive", "text", "what anybody would try"),
        Column("solution", "text", "commands that do it"),
        Column("correction", "text", "what the person says who watches; learning only"),
        Column("solved", "yes-no", "whether the learning session did it; empty: measured"),
        Column("helped", "yes-no", "whether the person had to say it; empty: measured"),
        Column(
            "told", "nested",
            "what was to be told, written down before the first run: start, failure, template, each with text and lesson; "
            "for one task a family",
        ),
    ),
)  # fmt: skip

TABLES: Mapping[str, Table] = {
    table.name: table for table in (SESSIONS, RUNS, LESSONS, TEMPLATES, TASKS)
}
