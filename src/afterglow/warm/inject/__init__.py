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
from collections.abc import Callable, Collection, Iterator, Sequence
from copy import deepcopy
from hashlib import blake2b
from itertools import count as count_from
from itertools import islice
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from afterglow.errors import UsageError
from afterglow.records.context import MARK
from afterglow.records.template import SessionSeed, ToolCallExample, WarmTemplate
from afterglow.registry import Table
from afterglow.text import tokens
from afterglow.text.clip import clip, printable
from afterglow.warm.inject import context
from afterglow.warm.inject.examples import Ready, placed, ready
from afterglow.warm.inject.result import Message, without_system
from afterglow.warm.inject.validate import SYSTEM_ROLES, TOOL_NAME, check

__all__ = ["BUDGET", "FORMATS", "Warm", "WarmSessionBootstrapper", "check"]

BUDGET = 3000  # tokens: room for a page of context and about ten calls
FORMATS = Table(
    "afterglow.messages",
    {
        name: f"afterglow.warm.inject.{name}"
        for name in ("openai", "anthropic", "hermes")
    },
)
# Of a name no format takes; their own limits are 64 and 128.
MAX_TOOL_NAME_CHARACTERS = 80
# Formats of a session that is stored first, and gets its first message when the person types it.
LATER_MESSAGE = frozenset({"hermes"})
MAX_PROBLEMS = 3  # of the conversation so far: the first say what kind it is
OVER_BUDGET = "over the budget"


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
        is the folder the session works in: examples then name its files as it would. Of a template that nobody approved
        nothing is given."""
        _refuse_unusable(message, messages, format, id)
        if not template.approved:
            template = replace(template, seed=SessionSeed(), name="")
        message = message.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        so_far = deepcopy(list(messages))
        id = id or _delivery_id(template, message, so_far)
        examples = placed(template.seed.tool_examples, root)
        fit, unfit = ready(examples, TOOL_NAME[format], tools)
        lines, unfit_lines = context.lines(template.seed, tools)
        addition = _Addition(template, so_far, format, id, len(fit), self.count)

        chosen_lines = self._fitting_lines(lines, addition)
        chosen_calls = self._fitting_calls(fit, chosen_lines, addition)
        new: list[Message] = []
        if chosen_lines or chosen_calls:
            new = addition.messages(chosen_lines, chosen_calls)
        joined = addition.format.join(so_far, new, message, id, template.name)
        left_out = [
            *_unfit_calls(unfit),
            *_over_budget(fit, chosen_calls),
            *unfit_lines,
            *((line.text, OVER_BUDGET) for line in lines[len(chosen_lines) :]),
        ]
        problems = _problems(so_far, format)
        return Warm(
            messages=joined.messages,
            tokens=addition.tokens(new) if new else 0,
            left_out=tuple(f"{text}: {reason}" for text, reason in left_out),
            notes=tuple(_notes(template, left_out, bool(new), problems)),
            system=joined.system,
            id=id if new else "",
            session=joined.session if new else None,
        )

    def _fitting_lines(
        self, lines: Sequence[context.Line], addition: _Addition
    ) -> list[context.Line]:
        fitting = list(lines)
        while fitting and addition.cost(fitting, ()) > self.budget:
            fitting.pop()
        return fitting

    def _fitting_calls(
        self, fit: Sequence[Ready], lines: Sequence[context.Line], addition: _Addition
    ) -> list[Ready]:
        """The strongest that fit, in the order of the seed. Counted one by one to choose, then together to be sure."""
        room = self.budget - addition.cost(lines, ())
        fitting: list[Ready] = []
        for call in sorted(fit, key=lambda call: (-call.weight, call.place)):
            if room <= 0:
                break
            cost = addition.cost_of_call(call)
            if cost <= room:
                fitting.append(call)
                room -= cost
        while fitting:
            in_order = sorted(fitting, key=lambda call: call.place)
            if addition.cost(lines, in_order) <= self.budget:
                return in_order
            fitting.pop()
        return []


class _Addition:
    """What a template adds to one conversation, in its format, and what that costs."""

    def __init__(
        self,
        template: WarmTemplate,
        so_far: Sequence[Message],
        format: str,
        id: str,
        most_calls: int,
        count: Callable[[str], int],
    ) -> None:
        self.format = FORMATS.load(format)
        self._template = template
        self._id = id
        self._call_ids = _call_ids(id, so_far, most_calls)
        self._started = any(
            message.get("role") not in SYSTEM_ROLES for message in so_far
        )
        self._count = count

    def messages(
        self, lines: Sequence[context.Line], calls: Sequence[Ready]
    ) -> list[Message]:
        numbered = [
            call._replace(id=call_id)
            for call, call_id in zip(calls, self._call_ids, strict=False)
        ]
        text = context.text(self._id, self._template, lines, len(calls))
        return list(self.format.added(text, numbered, self._started))

    def cost(self, lines: Sequence[context.Line], calls: Sequence[Ready]) -> int:
        return self.tokens(self.messages(lines, calls))

    def cost_of_call(self, call: Ready) -> int:
        """With the longest id that it may get."""
        return self.tokens(self.format.turns(call._replace(id=self._call_ids[-1])))

    def tokens(self, messages: Sequence[Message]) -> int:
        return self._count(json.dumps(messages, ensure_ascii=False))


def _refuse_unusable(
    message: str, messages: Sequence[Message], format: str, id: str
) -> None:
    if format not in FORMATS.rows:
        raise UsageError(
            f"no message format named {format!r}; there are {', '.join(FORMATS.names())}"
        )
    if not message.strip() and format not in LATER_MESSAGE:
        raise UsageError("a warm session starts with a message; this one is empty")
    if id and not MARK.fullmatch(id):
        raise UsageError(f"{id!r} is no delivery id: ag- and ten hexadecimal digits")
    if not all(isinstance(earlier, dict) for earlier in messages):
        raise UsageError("each message of a conversation is an object with a role")


def _unfit_calls(
    unfit: Sequence[tuple[ToolCallExample, int, str]],
) -> Iterator[tuple[str, str]]:
    for example, place, reason in unfit:
        tool = printable(clip(example.tool_name, MAX_TOOL_NAME_CHARACTERS))
        yield f"{tool} call {place + 1}", reason


def _over_budget(
    fit: Sequence[Ready], chosen: Sequence[Ready]
) -> Iterator[tuple[str, str]]:
    for call in fit:
        if call not in chosen:
            yield f"{call.tool} call {call.place + 1}", OVER_BUDGET


def _call_ids(id: str, so_far: Sequence[Message], number: int) -> list[str]:
    """They carry the delivery's id, so that an example is never taken for a call of the session that was given it."""
    text = json.dumps(so_far, default=str)
    free = (f"{id}-{n}" for n in count_from(1) if f'"{id}-{n}"' not in text)
    return list(islice(free, number))


def _problems(so_far: Sequence[Message], format: str) -> list[str]:
    """System messages are moved where they belong, so they are no problem."""
    messages = so_far if format == "openai" else without_system(so_far)[1]
    return check(messages, format, whole=False)


def _delivery_id(
    template: WarmTemplate, message: str, so_far: Sequence[Message]
) -> str:
    start = json.dumps([template.id, template.version, message, so_far], default=str)
    return "ag-" + blake2b(start.encode(), digest_size=5).hexdigest()


def _notes(
    template: WarmTemplate,
    left_out: Sequence[tuple[str, str]],
    added: bool,
    problems: Sequence[str],
) -> Iterator[str]:
    for reason, number in Counter(reason for _, reason in left_out).items():
        yield f"{number} left out: {reason}"
    if not added and left_out:
        yield "nothing of the template is in it"
    elif not added:
        yield "the template has nothing to give"
    if not template.approved:
        yield "nobody has approved this template: nothing of it is given to sessions"
    for problem in problems[:MAX_PROBLEMS]:
        yield f"the conversation so far is not valid: {problem}"
