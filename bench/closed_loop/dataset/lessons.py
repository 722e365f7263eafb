"""What the learning sessions taught: lessons with their evidence, templates with their contents, each judged by the
patterns that were fixed with the families."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

import msgspec

from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.template import WarmTemplate
from afterglow.store.knowledge import Knowledge
from afterglow.store.templates.folder import Templates
from bench.closed_loop.dataset.columns import Row
from bench.closed_loop.dataset.loop_folder import LoopFolder
from bench.closed_loop.dataset.turns import learning_turns
from bench.closed_loop.told import MISSING

Turns: TypeAlias = Mapping[tuple[str, int], int]  # session, line of its file -> turn


def lesson_rows(folder: LoopFolder) -> Iterator[Row]:
    with Knowledge(folder.config.knowledge) as knowledge:
        items = knowledge.items(evidence=True)
    turns = _turns(folder)
    for item in sorted(items, key=lambda item: item.id):
        yield _lesson(folder, item, turns)


def _turns(folder: LoopFolder) -> Turns:
    return {
        (row.session, turn.line): number
        for row in folder.learning
        for number, turn in enumerate(learning_turns(folder.transcript(row)))
    }


def _lesson(folder: LoopFolder, item: KnowledgeItem, turns: Turns) -> Row:
    evidence = [
        {
            "session": folder.sessions.get(place.session, ""),
            "turn": turns.get((place.session, place.line)),
            "part": place.part,
            "trust": place.trust,
            "quote": place.quote,
        }
        for place in item.evidence
    ]
    halves = f"{item.situation} → {item.remedy}" if item.remedy else ""
    return {
        "lesson": item.id,
        "project": item.repo,
        "fact": item.fact,
        "situation": item.situation,
        "remedy": item.remedy,
        "category": item.category,
        "status": item.status,
        "reason": item.reason,
        "confidence": round(item.confidence, 2),
        "trust": item.trust,
        "miner": item.miner,
        "sources": item.source_count,
        "evidence": evidence,
        "judged": judged(folder, item.repo, f"{item.fact}\n{halves}"),
    }  # fmt: skip


def template_rows(folder: LoopFolder) -> Iterator[Row]:
    templates = Templates(folder.config.templates)
    for id in sorted(templates.ids()):
        yield _template(folder, templates.get(id))


def _template(folder: LoopFolder, template: WarmTemplate) -> Row:
    sessions = [folder.sessions.get(id, "") for id in template.source_sessions]
    seed = msgspec.to_builtins(template.seed)
    for example in seed["tool_examples"]:
        example["session"] = folder.sessions.get(example["session"], "")
    return {
        "template": template.id,
        "project": template.repo,
        "name": template.name,
        "task_type": template.task_type.value,
        "version": template.version,
        "made_by": template.made_by,
        "approved": template.approved,
        "sessions": sessions,
        "seed": seed,
        "judged": judged(folder, template.repo, _in_words(template)),
    }


def _in_words(template: WarmTemplate) -> str:
    seed = template.seed
    patterns = seed.user_patterns
    lines = [
        seed.system_context,
        *(f"{pattern.error} → {pattern.worked}" for pattern in seed.recovery_patterns),
        *patterns.conventions,
        *patterns.corrections,
        *(example.arguments for example in seed.tool_examples),
    ]
    return "\n".join(lines)


def judged(folder: LoopFolder, project: str, text: str) -> list[dict[str, str]]:
    """For which families of a project a text is right or wrong; nothing of those it is not about."""
    verdicts = (
        (family.full_name, family.task(0).lesson(text))
        for family in folder.families(project)
    )
    return [
        {"family": family, "lesson": verdict}
        for family, verdict in verdicts
        if verdict != MISSING
    ]
