"""The frame that measure, replay and profile share: what they are about, how old they are, how to have them made again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from afterglow.show.blocks import Block
from afterglow.show.html import body
from afterglow.show.links import Links
from afterglow.web.desk import desk_of
from afterglow.web.rendering import back, drawn, page
from afterglow.web.report_filters import ReportFilter, SessionLinks
from afterglow.web.report_making import Make, ReportView, look, make, present_outline


class ReportPage(NamedTuple):
    """One kind of report. `work` is what making it is called; `cost` and `verb` stand where it is not made unasked;
    `blocks` is what is said of a value."""

    path: str
    title: str
    work: str
    about: str
    blocks: Callable[[Any, Links], Iterable[Block]]
    cost: str = "It takes a moment."
    verb: str = "Make it"

    def key(self, chosen: ReportFilter, **more: object) -> str:
        return chosen.address(self.path, **more)

    def look(
        self,
        request: Request,
        chosen: ReportFilter,
        work: Make | None,
        **more: object,
    ) -> Response:
        """`work` is done unasked; without it a person has to ask. `more` narrows it beside the filter."""
        key = self.key(chosen, **more)
        chosen.selection()  # a day that is none is said now
        desk = desk_of(request)
        if not present_outline(desk).sessions:
            work = None  # there is nothing to report about
        view = look(desk, key, self.work, key, work)
        return page(
            request,
            "report.html",
            block="report",
            beside=True,
            path=self.path,
            title=self.title,
            about=self.about,
            cost=self.cost,
            verb=self.verb,
            chosen=chosen,
            address=key,
            view=view,
            budget=more.get("budget"),
            inside=self._inside(view, SessionLinks(chosen, is_copy=desk.static)),
        )

    def again(
        self, request: Request, chosen: ReportFilter, work: Make, **more: object
    ) -> Response:
        """A person asked for it."""
        key = self.key(chosen, **more)
        chosen.selection()
        make(desk_of(request), key, self.work, key, work)
        return back(request, key)

    def _inside(self, view: ReportView, links: Links) -> str:
        if view.report is None:
            return ""
        value = view.report.value
        is_simulated = getattr(value, "simulated", False)
        return drawn(body(self.blocks(value, links), simulated=is_simulated))
