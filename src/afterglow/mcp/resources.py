"""Items and templates as resources: `afterglow://items`, `afterglow://items/{id}`, and the same for templates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

from afterglow.config import Config
from afterglow.errors import AfterglowError, NotFound
from afterglow.flows import warm
from afterglow.flows.knowledge import show
from afterglow.flows.session import known_repo, repo_of
from afterglow.flows.told_knowledge import told_knowledge
from afterglow.mcp.evidence import checked
from afterglow.records.knowledge import KnowledgeItem, may_be_told
from afterglow.text.basis import basis

MAX_ITEMS_LISTED = 100  # of a place; recall finds the others
JSON = "application/json"


def add_resources(server: MCPServer[Any], config: Config, here: Path | None) -> None:
    """`here`: the items of its repository are listed, and those that hold everywhere; else the strongest of all."""
    offer(
        server,
        "items",
        "What is known",
        "Active items that hold here, strongest first.",
    )(lambda: [_glance(item) for item in _items(config, here)])
    offer(
        server, "templates", "Warm templates", "Templates that sessions can start from."
    )(lambda: [_summary(listed) for listed in warm.approved_templates(config)])

    @server.resource(
        "afterglow://items/{id}", name="item", title="An item", mime_type=JSON
    )
    def item(id: str) -> str:
        """An item with the evidence it stands on, and its history."""
        with _told(f"afterglow://items/{id}"):
            if not config.knowledge.exists():
                raise NotFound(f"no item {id!r}; nothing is known yet")
            (stored,) = show(config, [id])
            checked(stored.item)
            return _json(stored)

    @server.resource(
        "afterglow://templates/{id}",
        name="template",
        title="A warm template",
        mime_type=JSON,
    )
    def template(id: str) -> str:
        """A template as it is kept."""
        with _told(f"afterglow://templates/{id}"):
            return _json(warm.approved_template(config, id))


def offer(
    server: MCPServer[Any], name: str, title: str, description: str
) -> Callable[[Callable[[], list[dict[str, Any]]]], None]:
    def add(read: Callable[[], list[dict[str, Any]]]) -> None:
        uri = f"afterglow://{name}"

        def listed() -> str:
            with _told(uri):
                return _json(read())

        server.resource(
            uri, name=name, title=title, description=description, mime_type=JSON
        )(listed)

    return add


def _items(config: Config, here: Path | None) -> list[KnowledgeItem]:
    if not config.knowledge.exists():
        return []
    with told_knowledge(config) as knowledge:
        places = (
            (known_repo(knowledge, repo_of(here, config)), "")
            if here is not None
            else (None,)
        )
        items = [
            item
            for place in dict.fromkeys(places)
            for item in knowledge.items(
                status=("active",), repo=place, limit=MAX_ITEMS_LISTED
            )
            if may_be_told(item)
        ]
    return sorted(
        items, key=lambda item: (-item.confidence, -item.source_count, item.id)
    )[:MAX_ITEMS_LISTED]


def _glance(item: KnowledgeItem) -> dict[str, Any]:
    return {
        "uri": f"afterglow://items/{item.id}",
        "fact": item.fact,
        "category": item.category,
        "repo": item.repo,
        "confidence": item.confidence,
        "last_confirmed": item.last_confirmed,
        "rests_on": basis(item),
    }


def _summary(listed: warm.Listed) -> dict[str, Any]:
    template = listed.template
    return {
        "uri": f"afterglow://templates/{template.id}",
        "name": template.name,
        "description": template.description,
        "task_type": template.task_type,
        "tags": template.tags,
        "repo": template.repo,
        "uses": listed.record.uses,
    }


def _json(record: Any) -> str:
    return msgspec.json.encode(record).decode()


@contextmanager
def _told(uri: str) -> Iterator[None]:
    try:
        yield
    except NotFound as error:
        raise ResourceNotFoundError(f"{uri}: {error}") from error
    except AfterglowError as error:
        raise ResourceError(f"{uri}: {error}") from error
