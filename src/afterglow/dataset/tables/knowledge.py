"""knowledge: statistics of what was learned, one row an item; not what it says."""

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
from afterglow.dataset.vocabulary import AGENTS, MINERS_KNOWN, known, periods, rough
from afterglow.records.knowledge import CATEGORIES, STATUSES, TRUSTS

TABLE = Table(
    "knowledge",
    "One row an item of knowledge: what kind it is, how sure, and on how much it rests.",
    (
        Column("item", "id", "the item"),
        Column("repo", "id", "the repository it holds in; empty: everywhere"),
        Column("agent", "word", "the agent it holds for; empty: every one", AGENTS),
        Column("period", "period", "when it was first seen"),
        Column("category", "word", "what kind of lesson", frozenset(CATEGORIES)),
        Column("status", "word", "whether it holds", frozenset(STATUSES)),
        Column(
            "trust", "word", "the least trusted voice it rests on", frozenset(TRUSTS)
        ),
        Column("miner", "word", "what found it", MINERS_KNOWN),
        Column("confidence", "number", "how sure, from 0 to 1"),
        Column("sources", "whole", "independent sessions behind it"),
        Column("against", "whole", "sessions that contradict it"),
        Column("evidence", "whole", "places it rests on"),
        Column("people", "whole", "different people among them"),
        Column("fingerprints", "whole", "errors it is about"),
        Column("cost", "number", "calls the trouble took, on average"),
        Column("remedy", "yes-no", "whether it says what to do"),
        Column(
            "decided", "yes-no", "whether a person approved, rejected or retired it"
        ),
    ),
    quasi=("repo", "agent", "period"),
)


def drafts(
    material: Material, ids: Pseudonyms, shared_rows: SharedRows
) -> Iterator[Draft]:
    for item in material.items:
        people = frozenset(place.author for place in item.evidence)
        sessions = frozenset(place.session for place in item.evidence)
        week, month, year = periods(item.first_seen)
        values: Row = {
            "item": ids.of("item", item.id),
            "repo": ids.of("repo", item.repo),
            "agent": known(item.agent, AGENTS),
            "period": week,
            "category": item.category,
            "status": item.status,
            "trust": item.trust,
            "miner": known(item.miner, MINERS_KNOWN),
            "confidence": round(item.confidence, 1),
            "sources": rough(item.source_count),
            "against": rough(item.against),
            "evidence": rough(len(item.evidence)),
            "people": rough(len(people - {""})),
            "fingerprints": rough(len(item.fingerprints)),
            "cost": round(item.cost, 1),
            "remedy": bool(item.remedy),
            "decided": item.decided,
        }
        less: tuple[Row, ...] = (
            {"period": month},
            {"repo": OTHER},
            {"period": year},
            {"agent": OTHER},
            {"period": ANY},
        )
        yield Draft(
            values=values,
            source=item.id,
            behind=sessions,
            people=people or frozenset({""}),
            steps=less,
        )
