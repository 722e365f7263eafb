"""A template and a message -> the messages a new session starts with, valid for the API they are sent to.

    warm = WarmSessionBootstrapper().bootstrap(template, "Review this pull request", format="anthropic")
    warm.messages, warm.system      what to send
    warm.left_out, warm.notes       what is not in it, and why
    check(warm.messages, "anthropic", warm.system)      []

A format is a file with `added` (what a template adds, to be counted) and `join` (where it goes), and a row of FORMATS.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from copy import deepcopy
from hashlib import blake2b
from itertools import count as count_from
from itertools import islice
from typing import Any

from msgspec import Struct

from afterglow.errors import UsageError
from afterglow.records.context import MARK
from afterglow.records.template import WarmTemplate
from afterglow.registry import Table
from afterglow.text import tokens
from afterglow.text.clip import clip, printable
from afterglow.warm.inject import context
from afterglow.warm.inject.examples import Ready, placed, ready
from afterglow.warm.inject.result import Message, without_system
from afterglow.warm.inject.validate import FIRST, NAME, check

__all__ = ["BUDGET", "FORMATS", "Warm", "WarmSessionBootstrapper", "check"]

BUDGET = 3000  # tokens
FORMATS = Table(
    "afterglow.messages",
    {
        name: f"afterglow.warm.inject.{name}"
        for name in ("openai", "anthropic", "hermes")
    },
)
OVER = "over the budget"


class Warm(Struct, frozen=True):
    """What a session starts with. `tokens` is what the template added, the person's own words not counted. `id` is
    empty when nothing was added. `system` is for formats where system text is no message; `session` is Hermes'."""

    messages: list[Message]
    tokens: int = 0
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    system: str = ""
    id: str = ""
    session: dict[str, Any] | None = None


class WarmSessionBootstrapper:
    """Never over budget: the weakest examples go first, then the last lines of the context, then everything."""

    def __init__(
        self, *, budget: int = BUDGET, count: Callable[[str], int] | None = None
    ) -> None:
        self.budget = budget
        self.count = count or tokens.within(budget)

    def bootstrap(
        self,
        template: WarmTemplate,
        message: str,
        *,
        messages: Sequence[Message] = (),
        tools: Collection[str] | None = None,
        format: str = "openai",
        id: str = "",
        root: str = "",
    ) -> Warm:
        """`messages` is the conversation so far; it is copied, never changed. `tools` are those the target has. `root`
        is the folder the session works in: examples then name its files as it would."""
        if format not in FORMATS.rows:
            raise UsageError(
                f"no message format named {format!r}; there are {', '.join(FORMATS.names())}"
            )
        if not message.strip():
            raise UsageError("a warm session starts with a message; this one is empty")
        if id and not MARK.fullmatch(id):
            raise UsageError(
                f"{id!r} is no delivery id: ag- and ten hexadecimal digits"
            )
        message = message.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if not all(isinstance(one, dict) for one in messages):
            raise UsageError("each message of a conversation is an object with a role")
        so_far = deepcopy(list(messages))
        id = id or _delivery(template, message, so_far)
        renderer = FORMATS.load(format)
        started = any(one.get("role") not in FIRST for one in so_far)

        fit, unfit = ready(
            placed(template.seed.tool_examples, root), NAME[format], tools
        )
        ids = _ids(id, so_far, len(fit))
        fit = [one._replace(id=ids[-1]) for one in fit]
        lines, short = context.lines(template.seed, tools)

        def new(some: Sequence[context.Line], calls: Sequence[Ready]) -> list[Message]:
            numbered = [
                one._replace(id=id) for one, id in zip(calls, ids, strict=False)
            ]
            return list(
                renderer.added(
                    context.text(id, template, some, len(calls)), numbered, started
                )
            )

        def cost(some: Sequence[context.Line], calls: Sequence[Ready]) -> int:
            return self._tokens(new(some, calls))

        said = self._lines(lines, lambda some: cost(some, ()))
        calls = self._calls(
            fit,
            self.budget - cost(said, ()),
            renderer.turns,
            lambda some: cost(said, some),
        )
        add = new(said, calls) if said or calls else []

        joined = renderer.join(so_far, add, message, id, template.name)
        left = [
            (f"{printable(clip(one.tool_name, 80))} call {place + 1}", why)
            for one, place, why in unfit
        ]
        left += [
            (f"{one.tool} call {one.place + 1}", OVER)
            for one in fit
            if one not in calls
        ]
        left += [
            *((text, why) for text, why in short),
            *((one.text, OVER) for one in lines[len(said) :]),
        ]
        return Warm(
            messages=joined.messages,
            tokens=self._tokens(add) if add else 0,
            left_out=tuple(f"{what}: {why}" for what, why in left),
            notes=tuple(_notes(template, left, bool(add), _problems(so_far, format))),
            system=joined.system,
            id=id if add else "",
            session=joined.session if add else None,
        )

    def _tokens(self, added: Sequence[Message]) -> int:
        return self.count(json.dumps(added, ensure_ascii=False))

    def _lines(
        self,
        lines: Sequence[context.Line],
        cost: Callable[[Sequence[context.Line]], int],
    ) -> list[context.Line]:
        kept = list(lines)
        while kept and cost(kept) > self.budget:
            kept.pop()
        return kept

    def _calls(
        self,
        fit: Sequence[Ready],
        room: int,
        turns: Callable[[Ready], list[Message]],
        cost: Callable[[Sequence[Ready]], int],
    ) -> list[Ready]:
        """The strongest that fit, in the order of the seed. Counted one by one to choose, then together to be sure."""
        kept: list[Ready] = []
        for one in sorted(fit, key=lambda one: (-one.weight, one.place)):
            own = self._tokens(turns(one)) if room > 0 else 1
            if own <= room:
                kept.append(one)
                room -= own
        while (
            kept
            and cost(ordered := sorted(kept, key=lambda one: one.place)) > self.budget
        ):
            kept.pop()
        return ordered if kept else []


def _ids(id: str, so_far: Sequence[Message], number: int) -> list[str]:
    """They carry the delivery's id, so that an example is never taken for a call of the session that was given it."""
    there = json.dumps(so_far, default=str)
    free = (f"{id}-{n}" for n in count_from(1) if f'"{id}-{n}"' not in there)
    return list(islice(free, number))


def _problems(so_far: Sequence[Message], format: str) -> list[str]:
    """System messages are moved where they belong, so they are no problem."""
    return check(
        so_far if format == "openai" else without_system(so_far)[1], format, whole=False
    )


def _delivery(template: WarmTemplate, message: str, so_far: Sequence[Message]) -> str:
    told = json.dumps([template.id, template.version, message, so_far], default=str)
    return "ag-" + blake2b(told.encode(), digest_size=5).hexdigest()


def _notes(
    template: WarmTemplate,
    left: Sequence[tuple[str, str]],
    added: bool,
    problems: Sequence[str],
) -> list[str]:
    notes = [
        f"{number} left out: {why}"
        for why, number in Counter(why for _, why in left).items()
    ]
    if not added:
        notes.append(
            "nothing of the template is in it"
            if left
            else "the template has nothing to give"
        )
    if not template.approved:
        notes.append("this template came from elsewhere and nobody has approved it")
    return notes + [
        f"the conversation so far is not valid: {problem}" for problem in problems[:3]
    ]
