"""Connections: which agents call us, what connecting or disconnecting would write, and who writes lessons."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows.connect import (
    NOBODY,
    ConnectResult,
    checked_writer,
    connect,
    connections,
    disconnect,
    set_writer,
    writer_offer,
)
from afterglow.web.desk import desk_of
from afterglow.web.rendering import back, page, query
from afterglow.web.routing import Form, get, post

LIST = "/settings/connections"


def listed(request: Request) -> Response:
    config = desk_of(request).config
    return page(
        request,
        "connections.html",
        agents=connections(config),
        write=config.write,
        nobody=NOBODY,
    )


def offer(request: Request) -> Response:
    """Asked for behind the page: what writing would cost is counted from the history."""
    config = desk_of(request).config
    agents = [each.agent for each in connections(config) if each.is_connected]
    return page(
        request,
        "connections.html",
        block="offer",
        agents=connections(config),
        write=config.write,
        nobody=NOBODY,
        offer=writer_offer(config, agents),
    )


def planned(request: Request) -> Response:
    """What would be written into an agent's files; nothing is."""
    config = desk_of(request).config
    agent, fields = request.path_params["agent"], request.query_params
    is_undo = "undo" in fields
    if is_undo:
        (result,) = disconnect(config, [agent], dry_run=True)
    else:
        (result,) = connect(
            config,
            [agent],
            hints="hints" in fields,
            profile=fields.get("profile", "").strip(),
            dry_run=True,
        )
    return page(
        request,
        "connection.html",
        result=result,
        is_undo=is_undo,
        hints="hints" in fields,
        profile=fields.get("profile", "").strip(),
    )


def make(request: Request, form: Form) -> Response:
    agent = request.path_params["agent"]
    (result,) = connect(
        desk_of(request).config,
        [agent],
        hints=bool(form.get("hints")),
        profile=form.get("profile", ""),
        expected={agent: form.get("mark", "")},
    )
    return _told(
        request,
        result,
        f"{agent} is connected: new sessions start with what was learned.",
    )


def undo(request: Request, form: Form) -> Response:
    agent = request.path_params["agent"]
    expected = {agent: form.get("mark", "")}
    results = disconnect(desk_of(request).config, [agent], expected=expected)
    notes = " ".join(note for result in results[1:] for note in result.notes)
    return _told(request, results[0], f"{agent} is disconnected. {notes}".strip())


def _told(request: Request, result: ConnectResult, words: str) -> Response:
    if result.refused:
        raise UsageError(result.refused)
    changed = ", ".join(f"{change.path} {change.what}" for change in result.changes)
    return back(request, query(LIST), f"{words} {changed or 'No file changed'}.")


def writer(request: Request, form: Form) -> Response:
    config = desk_of(request).config
    name = checked_writer(config, form.get("writer", "").strip())
    if not name:
        raise UsageError(f"say who may write, or {NOBODY}")
    set_writer(config, name)
    words = f"{name} writes lessons in the background from now on."
    if name == NOBODY:
        words = "Nobody writes lessons in the background."
    return back(request, LIST, words)


def exported(config: Config) -> list[str]:
    return []


ROUTES = [
    get(LIST, listed),
    get(f"{LIST}/writer", offer),
    post(f"{LIST}/writer", writer),
    get(f"{LIST}/{{agent}}", planned),
    post(f"{LIST}/{{agent}}/connect", make),
    post(f"{LIST}/{{agent}}/disconnect", undo),
]
