"""sessions: proficiency markers, one row a session."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.dataset.pseudonyms import Pseudonyms
from afterglow.dataset.table import (
    ANY,
    OTHER,
    Column,
    Draft,
    Material,
    Row,
    SharedRows,
    Table,
)
from afterglow.dataset.vocabulary import (
    AGENTS,
    MODELS,
    TASK_TYPES,
    TOOLS,
    known,
    model_family,
    periods,
    rough,
    rough_number,
    rough_share,
)
from afterglow.records.catalog import Entry
from afterglow.records.profile import Profile

OUTCOMES = frozenset({"success", "failure", "unknown"})
OUTCOME_BY = frozenset({"score", "status", "ending", "none"})
REQUESTS = frozenset({"direct", "conversational", "none"})
FEEDBACK = frozenset({"detailed", "terse", "none"})

TABLE = Table(
    "sessions",
    "One row a session: what can be counted about it.",
    (
        Column("session", "id", "the session"),
        Column("user", "id", "whose home it ran in"),
        Column("repo", "id", "the repository"),
        Column("agent", "word", "the agent", AGENTS),
        Column("model", "word", "the family of the model", MODELS),
        Column("task_type", "word", "what more than 60 % of its calls did", TASK_TYPES),
        Column("period", "period", "when it began"),
        Column("outcome", "word", "how it ended", OUTCOMES),
        Column(
            "outcome_by",
            "word",
            "what the outcome was read from; `ending` is a guess",
            OUTCOME_BY,
        ),
        Column("score", "number", "what a benchmark gave it"),
        Column("seconds", "whole", "from its first to its last message"),
        Column("requests", "whole", "messages a person typed"),
        Column("replies", "whole", "messages of the model"),
        Column("calls", "whole", "tool calls"),
        Column("failed", "whole", "calls that failed"),
        Column(
            "error_rate", "number", "failed calls among those that worked or failed"
        ),
        Column("blocked", "whole", "calls a person or a policy refused"),
        Column("cancelled", "whole", "calls that were stopped"),
        Column(
            "masked", "whole", "calls that ended well only because a pipe hid a failure"
        ),
        Column("early_calls", "whole", "calls within the first 30 turns"),
        Column("early_error_rate", "number", "error rate of those"),
        Column(
            "first_success_call", "whole", "the number of the first call that worked"
        ),
        Column("first_success_seconds", "whole", "seconds until then"),
        Column("tools", "whole", "different tools"),
        *(
            Column(f"{name}_calls", "whole", f"calls of tools of the family {name}")
            for name in sorted(TOOLS)
        ),
        Column("different_errors", "whole", "different error fingerprints"),
        Column("recoveries", "whole", "failures after which the same goal succeeded"),
        Column("unrecovered", "whole", "failures after which it did not"),
        Column("corrections", "whole", "times the person corrected the agent"),
        Column("interrupts", "whole", "times the person stopped it"),
        Column("request_style", "word", "how the person asks", REQUESTS),
        Column("feedback_style", "word", "how much the person says", FEEDBACK),
        Column("input_tokens", "whole", "tokens sent, without those read from a cache"),
        Column("output_tokens", "whole", "tokens written by the model"),
        Column("cache_read_tokens", "whole", "tokens read from a cache"),
        Column("cost", "number", "US dollars, where the agent noted them"),
        Column("compactions", "whole", "times its history was summarised to make room"),
    ),
    quasi=("user", "repo", "agent", "model", "task_type", "period"),
)

_NO_FAMILIES: Row = {
    f"{name}_calls": None for name in sorted(TOOLS)
}  # they would tell the type of the task


def drafts(
    material: Material, ids: Pseudonyms, shared_rows: SharedRows
) -> Iterator[Draft]:
    for entry in material.entries:
        if entry.profile is None:
            continue
        week, month, year = periods(
            entry.start if entry.start is not None else entry.end
        )
        values: Row = {
            "session": ids.of("session", session_key(entry)),
            "user": ids.of("user", material.authors.get(entry.id, "")),
            "repo": ids.of("repo", entry.repo),
            "agent": known(entry.agent, AGENTS),
            "model": model_family(entry.model),
            "task_type": entry.profile.task_type.value,
            "period": week,
            "outcome": known(entry.outcome, OUTCOMES),
            "outcome_by": known(entry.outcome_by, OUTCOME_BY),
            "score": rough_number(entry.score),
            "seconds": _lasted(entry),
            **_counts(entry.profile),
        }
        less: tuple[Row, ...] = (
            {"period": month},
            {"task_type": ANY, **_NO_FAMILIES},
            {"user": OTHER},
            {"repo": OTHER},
            {"period": year},
            {"model": OTHER},
            {"agent": OTHER},
            {"period": ANY},
        )
        yield Draft(
            values=values,
            source=session_key(entry),
            people=material.people([entry.id]),
            steps=less,
        )


def session_key(entry: Entry) -> str:
    """An id alone may be just the name of a file."""
    return f"{entry.agent}\0{entry.id}\0{entry.start}"


def _lasted(entry: Entry) -> int | None:
    if entry.start is None or entry.end is None:
        return None
    return rough(max(entry.end - entry.start, 0.0))


def _counts(profile: Profile) -> Row:
    early, usage, families = profile.early, profile.usage, profile.families
    row: Row = {
        "requests": rough(profile.requests),
        "replies": rough(profile.replies),
        "calls": rough(profile.calls),
        "failed": rough(profile.failed),
        "error_rate": rough_share(profile.failed, profile.decided),
        "blocked": rough(profile.outcomes.count("b")),
        "cancelled": rough(profile.outcomes.count("c")),
        "masked": rough(profile.masked),
        "early_calls": rough(len(early)),
        "early_error_rate": rough_share(
            early.count("f"), early.count("o") + early.count("f")
        ),
        "first_success_call": rough(profile.first_success_call),
        "first_success_seconds": rough(profile.first_success_seconds),
        "tools": rough(profile.diversity),
        "different_errors": rough(len(profile.errors)),
        "recoveries": rough(sum(recovery.recovered for recovery in profile.recoveries)),
        "unrecovered": rough(
            sum(
                not recovery.recovered
                for recovery in (*profile.recoveries, *profile.pending)
            )
        ),
        "corrections": rough(profile.manner.corrections),
        "interrupts": rough(profile.manner.interrupts),
        "request_style": profile.manner.request_style,
        "feedback_style": profile.manner.feedback_style,
        "input_tokens": rough(usage.input or None),
        "output_tokens": rough(usage.output or None),
        "cache_read_tokens": rough(usage.cache_read)
        if usage.input or usage.output
        else None,
        "cost": rough_number(usage.cost or None),
        "compactions": rough(profile.compactions),
    }
    return {
        **row,
        **{f"{name}_calls": rough(families.get(name, 0)) for name in sorted(TOOLS)},
    }
