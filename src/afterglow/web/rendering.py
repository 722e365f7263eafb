"""Templates -> answers. A template is a page; where htmx asks for a part of it, one of its blocks is the answer."""

from __future__ import annotations

from functools import cache
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from afterglow import __version__
from afterglow.records.knowledge import support
from afterglow.text import numbers, times
from afterglow.text.basis import by_person
from afterglow.text.clip import clip, without_acting
from afterglow.web.desk import Notice, desk_of

# Blocks are shown alone, so macros cannot be imported at the top of a template: they are at hand under this name.
PARTS = "parts"
MAX_CHOICES = 60  # of a menu: more are found by search


@cache
def environment(has_sessions: bool = True) -> Environment:
    """Where no transcripts are, nothing links to any."""
    templates = Environment(
        loader=PackageLoader("afterglow.web"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown_as_it_is,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {
        "number": numbers.number,
        "percent": numbers.percent,
        "round_percent": numbers.round_percent,
        "local_time": numbers.local_time,
        "local_day": numbers.local_day,
        "with_code": with_code,
        "short_id": numbers.short_id,
        "ago": times.ago,
        "clip": clip,
        "by_person": by_person,
        "support": support,
        "path": lambda text: quote(text, safe=""),
        "with_chosen": _with_chosen,
    }
    templates.globals |= {
        "count": numbers.count,
        "version": __version__,
        "query": query,
        "has_sessions": has_sessions,
    }
    templates.globals[PARTS] = templates.get_template("_parts.html").module
    return templates


def _shown_as_it_is(value: object) -> object:
    """What a page prints: nothing in it hides words or turns their direction."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return without_acting(value)
    return value


def query(path: str, **values: object) -> str:
    """A path with those values that say something."""
    pairs = [(name, str(value)) for name, value in values.items() if _says(value)]
    return f"{path}?{urlencode(pairs)}" if pairs else path


def _with_chosen(values: list[str], chosen: str | None) -> list[str]:
    """The first of them, and what was chosen even where nothing of it is left."""
    few = values[:MAX_CHOICES]
    return few if not chosen or chosen in few else [chosen, *few]


def _says(value: object) -> bool:
    return value is not None and value is not False and value != ""


def with_code(text: str) -> Markup:
    """A sentence in which what stands in backticks is code; all of it is escaped."""
    text = without_acting(text)
    pieces = text.split("`")
    if len(pieces) % 2 == 0:  # one of them has no partner
        return escape(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if place % 2 else escape(piece)
        for place, piece in enumerate(pieces)
    )


def page(
    request: Request,
    template: str,
    *,
    block: str = "",
    status: int = 200,
    notice: Notice | None = None,
    beside: bool = False,
    **values: Any,
) -> Response:
    """The whole page; where htmx asked and a `block` is named, that part of it, and what stands `beside` the page where
    that may have changed too."""
    if block and "hx-request" in request.headers:
        return part(request, template, block, notice=notice, beside=beside, **values)
    frame = _frame(request, notice)
    whole = _template(request, template)
    return HTMLResponse(whole.render(frame | values), status)


def part(
    request: Request,
    template: str,
    block: str,
    *,
    notice: Notice | None = None,
    beside: bool = False,
    alone: bool = False,
    **values: Any,
) -> Response:
    """One block of a template; behind a change with what is said about it beside, unless it stands there itself."""
    frame = _frame(request, notice)
    whole = _template(request, template)
    pieces = ["".join(whole.blocks[block](whole.new_context(frame | values)))]
    is_said = beside or frame["notice"] is not None or request.method == "POST"
    if is_said and not alone:
        pieces.append(_template(request, "beside.html").render(frame))
    return HTMLResponse("".join(pieces))


def _template(request: Request, name: str) -> Template:
    return environment(desk_of(request).has_sessions).get_template(name)


def _frame(request: Request, notice: Notice | None) -> dict[str, Any]:
    """What every template may use."""
    desk = desk_of(request)
    waiting_notice = desk.notice(request.query_params.get("notice", ""))
    return {
        "desk": desk,
        "static": desk.static,
        "read_only": desk.read_only,
        "member": desk.member,
        "may_review": desk.may_review,
        "form_token": desk.form_token,
        "now": desk.now(),
        "notice": notice or waiting_notice,
        "here": "/" + request.url.path.strip("/").partition("/")[0],
        "navigation": desk.navigation,
        "state": desk.state,
        "running": desk.jobs.running(),
    }


def back(
    request: Request, path: str, words: str = "", *, undo: str = "", tone: str = "yes"
) -> Response:
    """To a page, which says `words` once. `path` is one of ours."""
    desk = desk_of(request)
    address = "/" + path.lstrip("/")
    if words:
        mark = "&" if "?" in address else "?"
        address += f"{mark}notice={desk.leave(Notice(words, undo, tone))}"
    if "hx-request" in request.headers:
        return Response(status_code=204, headers={"HX-Redirect": address})
    return RedirectResponse(address, 303)


def addressed(response: Response, address: str) -> Response:
    """A part whose page has an address of its own: the browser shows that one, without empty words."""
    response.headers["HX-Push-Url"] = address
    return response


def drawn(html: str) -> Markup:
    """HTML that `show` made, which escapes for itself."""
    return Markup(html)
