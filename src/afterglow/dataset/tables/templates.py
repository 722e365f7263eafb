"""templates: the structure of warm templates; no argument, no result, no name."""

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
    TASK_TYPES,
    TOOLS,
    known,
    periods,
    rough,
)
from afterglow.records.template import WarmTemplate
from afterglow.records.tools import family

MADE_BY = frozenset({"extract", "auto", "compress", "import"})
MAX_SEQUENCE_TOOLS = 12  # of the examples: a longer sequence would be a fingerprint

TABLE = Table(
    "templates",
    "One row a warm template: what it is made of, and how often it was used.",
    (
        Column("template", "id", "the template"),
        Column("repo", "id", "the repository it is for"),
        Column("agent", "word", "the agent it is for", AGENTS),
        Column("task_type", "word", "the kind of work it is for", TASK_TYPES),
        Column("period", "period", "when it was made"),
        Column("made_by", "word", "how it was made", MADE_BY),
        Column("version", "whole", "its version"),
        Column("source_sessions", "whole", "sessions it was made of"),
        Column("examples", "whole", "example calls in it"),
        Column(
            "tools",
            "sequence",
            f"families of their tools in order, the first {MAX_SEQUENCE_TOOLS}",
            TOOLS,
        ),
        Column("recovery_patterns", "whole", "errors with what worked"),
        Column("conventions", "whole", "rules a person stated"),
        Column("corrections", "whole", "corrections a person made"),
        Column("context", "yes-no", "whether it has a system context"),
        Column("approved", "yes-no", "whether it may be given out"),
        Column("uses", "whole", "deliveries"),
        Column("successes", "whole", "proved ones whose session went well"),
        Column("failures", "whole", "proved ones whose session did not"),
    ),
    quasi=("repo", "agent", "task_type", "period"),
)


def drafts(
    material: Material, ids: Pseudonyms, shared_rows: SharedRows
) -> Iterator[Draft]:
    for template in material.templates:
        week, month, year = periods(template.created or None)
        values: Row = {
            "template": ids.of("template", template.id),
            "repo": ids.of("repo", template.repo),
            "agent": known(template.agent, AGENTS),
            "task_type": template.task_type.value,
            "period": week,
            "made_by": known(template.made_by, MADE_BY),
            "version": rough(template.version),
            "source_sessions": rough(len(template.source_sessions)),
            **_structure(template),
            "approved": template.approved,
            "uses": rough(template.uses),
            "successes": rough(template.successes),
            "failures": rough(template.failures),
        }
        less: tuple[Row, ...] = (
            {"period": month},
            {"task_type": ANY, "tools": ""},
            {"repo": OTHER},
            {"period": year},
            {"agent": OTHER},
            {"period": ANY},
        )
        sources = template.source_sessions
        yield Draft(
            values=values,
            source=template.id,
            behind=frozenset(sources),
            people=material.people(sources),
            steps=less,
        )


def _structure(template: WarmTemplate) -> Row:
    seed = template.seed
    return {
        "examples": rough(len(seed.tool_examples)),
        "tools": " ".join(
            family(example.tool_name)
            for example in seed.tool_examples[:MAX_SEQUENCE_TOOLS]
        ),
        "recovery_patterns": rough(len(seed.recovery_patterns)),
        "conventions": rough(len(seed.user_patterns.conventions)),
        "corrections": rough(len(seed.user_patterns.corrections)),
        "context": bool(seed.system_context.strip()),
    }
