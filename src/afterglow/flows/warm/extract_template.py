"""warm extract: a template from one session of the catalogue."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows.read import open_session
from afterglow.flows.redactor import redactor_of
from afterglow.flows.warm.share_templates import redaction
from afterglow.flows.warm.templates import EXAMPLES, tidy
from afterglow.records.catalog import Entry
from afterglow.records.knowledge import KnowledgeItem, may_be_told
from afterglow.records.session import Session
from afterglow.records.template import WarmTemplate
from afterglow.records.tools import TaskType, family
from afterglow.records.tools import task_type as dominant_type
from afterglow.store.knowledge import Knowledge
from afterglow.store.templates.folder import Templates
from afterglow.store.templates.importing import clean
from afterglow.warm.extract import SessionExtractor

MAX_TITLE_CHARACTERS = 80  # of a session's title, as the name of its template


class Label(Struct, frozen=True, kw_only=True):
    """What a person calls a template. What they do not say is read from the session."""

    name: str = ""
    description: str = ""
    task_type: TaskType | None = None
    tags: Sequence[str] = ()


UNLABELLED = Label()


def extract(
    config: Config,
    session_id: str,
    label: Label = UNLABELLED,
    *,
    max_examples: int = EXAMPLES,
    now: float | None = None,
) -> WarmTemplate:
    """A new template from one session of the catalogue. Its words were redacted and screened on the way."""
    entry, session = open_session(config, session_id)
    redactor = redactor_of(config)
    extractor = SessionExtractor(redactor, max_examples=max_examples)
    seed = extractor.extract(session, entry.repo, items_of(config, entry.id))
    if not seed.tool_examples:
        raise UsageError(
            f"{entry.id} has no successful call worth imitating; `afterglow sample` ranks sessions"
        )
    template = WarmTemplate(
        id="",
        name=_one_line(label.name) or _title(entry),
        description=_one_line(label.description),
        task_type=label.task_type or _type_of(session),
        tags=tidy(label.tags),
        source_sessions=(entry.id,),
        agent=entry.agent,
        repo=entry.repo,
        seed=seed,
        notes={"outcome": f"{entry.outcome} (by {entry.outcome_by})"},
    )
    cleaned = clean(template, redaction(redactor)).template
    now = time.time() if now is None else now
    return Templates(config.templates).add(cleaned, now)


def _title(entry: Entry) -> str:
    title = _one_line(entry.title)[:MAX_TITLE_CHARACTERS]
    return title or f"{entry.agent} session {entry.id[:13]}"


def _type_of(session: Session) -> TaskType:
    calls = (call for turn in session.turns for call in turn.calls)
    return dominant_type(Counter(family(call.tool) for call in calls))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def items_of(config: Config, session_id: str) -> list[KnowledgeItem]:
    """The active items that rest on a session."""
    if not config.knowledge.exists():
        return []
    with Knowledge(config.knowledge) as knowledge:
        ids = knowledge.of_sessions([session_id]).get(session_id, [])
        items = knowledge.find(ids).values()
        return [item for item in items if may_be_told(item)]
