"""What is said about the work, told shorter by a model; examples and errors stay as they are: they must be exact.

A summary has the places of a template: lines of context, rules, and for each error what worked. A line is kept only if
everything it names stands in the template; an order to an agent refuses the whole answer. What a model makes of a
remedy that does not hold is replaced by the remedy itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from afterglow.errors import ModelError, UsageError
from afterglow.harvest.lessons.grounding import lack
from afterglow.harvest.lessons.prompts import prompt
from afterglow.harvest.screen import danger
from afterglow.records.model import Ask, Message, Model
from afterglow.records.template import RecoveryPattern, SessionSeed, WarmTemplate
from afterglow.text.clip import clip, printable
from afterglow.text.tokens import count
from afterglow.warm.compress.pieces import fitted
from afterglow.warm.compress.size import tokens

NAME = "model"
ABOUT = "context, rules and recoveries told shorter by a model (needs one)"
PURPOSE = "warm summary"
SHARE = 0.5  # of the budget, for what the model writes
JSON = 200  # tokens that the form of an answer takes
LONGEST = 300  # characters of a line
OTHERS = "--strategy knapsack needs no model"


class Worked(Struct, frozen=True):
    number: int
    worked: str


class Summary(Struct, frozen=True):
    context: tuple[str, ...]
    rules: tuple[str, ...]
    recoveries: tuple[Worked, ...]


def shrink(template: WarmTemplate, budget: int, model: Model | None) -> WarmTemplate:
    if model is None:
        raise UsageError(
            "the strategy 'model' needs a model and none is configured: --model NAME --base-url URL --max-tokens N, or "
            f"[model] in config.toml; {OTHERS}"
        )
    source = taught(template.seed)
    if not source:
        raise UsageError(
            f"{template.id} holds nothing but example calls, which no model may touch; {OTHERS}"
        )
    words = prompt(Path(__file__).with_name("summary.md"))
    limit = min(int(SHARE * budget), count(source))
    ask = Ask(
        messages=(
            Message("system", words.text),
            Message("user", f"{source}\n\nAt most {limit} tokens, please."),
        ),
        purpose=PURPOSE,
        schema=schema(),
        name="summary",
        max_tokens=2 * limit + JSON,
    )
    seed, left_out = checked(
        msgspec.convert(model.ask(ask).data, Summary), template.seed, source, model.name
    )
    notes = {"model": model.name, "prompt": words.label} | (
        {"left_out": f"{left_out} lines"} if left_out else {}
    )
    small = replace(template, seed=seed, notes={**template.notes, **notes})
    if tokens(small) >= tokens(template):
        raise ModelError(
            f"nothing was gained: the summary of {model.name} is no shorter; {OTHERS}",
            kind="no gain",
        )
    return fitted(small, budget)


def taught(seed: SessionSeed) -> str:
    """What a model is shown; empty where there is nothing to tell."""
    said = seed.user_patterns
    parts = {
        "Context": seed.system_context.splitlines(),
        "Rules": (*said.conventions, *said.corrections),
        "Errors, and what worked": [
            f"{number}. {one.error} → {one.worked}"
            for number, one in enumerate(seed.recovery_patterns, 1)
        ],
    }
    texts = {
        name: [line for line in map(_line, lines) if line]
        for name, lines in parts.items()
    }
    return "\n\n".join(
        "\n".join([f"## {name}", *lines]) for name, lines in texts.items() if lines
    )


def checked(
    told: Summary, seed: SessionSeed, source: str, who: str
) -> tuple[SessionSeed, int]:
    """A seed of what holds of a summary, and how many of its lines do not."""
    lines = [
        *map(_line, told.context),
        *map(_line, told.rules),
        *(_line(one.worked) for one in told.recoveries),
    ]
    if threat := next((why for line in lines if (why := danger(line, "external"))), ""):
        raise ModelError(
            f"the summary of {who} was refused: {threat}; {OTHERS}", kind="an order"
        )
    context, rules = (_held(some, source) for some in (told.context, told.rules))
    known = dict(enumerate(seed.recovery_patterns, 1))
    chosen = {
        one.number: _recovery(known[one.number], one.worked)
        for one in told.recoveries
        if one.number in known
    }
    left_out = (
        len(told.context)
        + len(told.rules)
        + len(told.recoveries)
        - len(context)
        - len(rules)
        - len(chosen)
    )
    if not (context or rules or chosen):
        raise ModelError(
            f"nothing in the summary of {who} stands in the template; {OTHERS}",
            kind="unsupported",
        )
    said = replace(seed.user_patterns, conventions=rules, corrections=())
    recoveries = tuple(chosen[number] for number in sorted(chosen))
    new = replace(
        seed,
        system_context="\n".join(context),
        user_patterns=said,
        recovery_patterns=recoveries,
    )
    return new, left_out


def schema() -> dict[str, Any]:
    texts = {"type": "array", "items": {"type": "string"}}
    worked = _object({"number": {"type": "integer"}, "worked": {"type": "string"}})
    return _object(
        {
            "context": texts,
            "rules": texts,
            "recoveries": {"type": "array", "items": worked},
        }
    )


def _object(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": [*fields],
        "additionalProperties": False,
    }


def _held(lines: Iterable[str], source: str) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(
            line for line in map(_line, lines) if line and not lack(line, source)
        )
    )


def _recovery(known: RecoveryPattern, worked: str) -> RecoveryPattern:
    line = _line(worked)
    holds = (
        line
        and len(line) < len(known.worked)
        and not lack(line, f"{known.error} {known.worked}")
    )
    return replace(known, worked=line) if holds else known


def _line(text: str) -> str:
    return clip(" ".join(printable(text).split()), LONGEST)
