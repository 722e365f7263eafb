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
from afterglow.errors import AfterglowError, NotFound, UsageError
from afterglow.flows import warm
from afterglow.flows.knowledge import show
from afterglow.flows.session import known_repo, repo_of
from afterglow.mcp.evidence import checked
from afterglow.records.knowledge import KnowledgeItem
from afterglow.store.knowledge import Knowledge

LISTED = 100  # items of a place that are listed
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
    )(
        lambda: [
            _summary(one)
            for one in warm.list_templates(config).templates
            if one.template.approved
        ]
    )

    @server.resource(
        "afterglow://items/{id}", name="item", title="An item", mime_type=JSON
    )
    def item(id: str) -> str:
        """An item with the evidence it stands on, and its history."""
        with _told(f"afterglow://items/{id}"):
            if not config.knowledge.exists():
                raise NotFound(f"no item {id!r}; nothing is known yet")
            (found,) = show(config, [id])
            checked(found.item)
            return _json(found)

    @server.resource(
        "afterglow://templates/{id}",
        name="template",
        title="A warm template",
        mime_type=JSON,
    )
    def template(id: str) -> str:
        """A template as it is kept."""
        with _told(f"afterglow://templates/{id}"):
            kept, _, _ = warm.show(config, id)
            if not kept.approved:
                raise UsageError(
                    f"{kept.id} is not approved; a person reads it, then `afterglow warm approve`s it"
                )
            return _json(kept)


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
    with Knowledge(config.knowledge) as knowledge:
        places = (
            (known_repo(knowledge, repo_of(here, config)), "")
            if here is not None
            else (None,)
        )
        found = [
            item for place in dict.fromkeys(places)
            for item in knowledge.items(status=("active",), repo=place, limit=LISTED)
        ]  # fmt: skip
    return sorted(
        found, key=lambda item: (-item.confidence, -item.source_count, item.id)
    )[:LISTED]


def _glance(item: KnowledgeItem) -> dict[str, Any]:
    return {
        "uri": f"afterglow://items/{item.id}", "fact": item.fact, "category": item.category, "repo": item.repo,
        "confidence": item.confidence, "last_confirmed": item.last_confirmed,
    }  # fmt: skip


def _summary(one: warm.Listed) -> dict[str, Any]:
    kept = one.template
    return {
        "uri": f"afterglow://templates/{kept.id}", "name": kept.name, "description": kept.description,
        "task_type": kept.task_type, "tags": kept.tags, "repo": kept.repo, "uses": one.record.uses,
    }  # fmt: skip


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
