"""What is said about the work, told shorter by a model; examples and errors stay as they are: they must be exact.

A summary has the places of a template: lines of context, rules, and for each error what worked. A line is kept only if
everything it names stands in the template; an order to an agent refuses the whole answer. What a model makes of a
remedy that does not hold is replaced by the remedy itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

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
SUMMARY_SHARE = 0.5  # of the budget: the other half is for the examples, which stay
FORM_TOKENS = 200  # what the JSON around an answer takes
MAX_LINE_CHARACTERS = 300  # a model's line is a sentence or two
WITHOUT_MODEL = "--strategy knapsack needs no model"


class Worked(Struct, frozen=True, forbid_unknown_fields=True):
    number: int
    worked: str


class Summary(Struct, frozen=True, forbid_unknown_fields=True):
    context: tuple[str, ...]
    rules: tuple[str, ...]
    recoveries: tuple[Worked, ...]


def shrink(template: WarmTemplate, budget: int, model: Model | None) -> WarmTemplate:
    if model is None:
        raise UsageError(
            "the strategy 'model' needs a model and none is configured: --model NAME --base-url URL --max-tokens N, or "
            f"[model] in config.toml; {WITHOUT_MODEL}"
        )
    source = taught(template.seed)
    if not source:
        raise UsageError(
            f"{template.id} holds nothing but example calls, which no model may touch; {WITHOUT_MODEL}"
        )
    instructions = prompt(Path(__file__).with_name("summary.md"))
    limit = min(int(SUMMARY_SHARE * budget), count(source))
    ask = Ask(
        messages=(
            Message("system", instructions.text),
            Message("user", f"{source}\n\nAt most {limit} tokens, please."),
        ),
        purpose=PURPOSE,
        answer_type=Summary,
        name="summary",
        max_tokens=2 * limit + FORM_TOKENS,
    )
    summary: Summary = model.ask(ask).data
    seed, left_out = checked(summary, template.seed, source, model.name)
    notes = {"model": model.name, "prompt": instructions.label}
    if left_out:
        notes["left_out"] = f"{left_out} lines"
    small = replace(template, seed=seed, notes={**template.notes, **notes})
    if tokens(small) >= tokens(template):
        raise ModelError(
            f"nothing was gained: the summary of {model.name} is no shorter; {WITHOUT_MODEL}",
            kind="no gain",
        )
    return fitted(small, budget)


def taught(seed: SessionSeed) -> str:
    """What a model is shown; empty where there is nothing to tell."""
    person = seed.user_patterns
    parts = {
        "Context": seed.system_context.splitlines(),
        "Rules": (*person.conventions, *person.corrections),
        "Errors, and what worked": [
            f"{number}. {pattern.error} → {pattern.worked}"
            for number, pattern in enumerate(seed.recovery_patterns, 1)
        ],
    }
    sections = []
    for name, texts in parts.items():
        lines = list(filter(None, map(_line, texts)))
        if lines:
            sections.append("\n".join([f"## {name}", *lines]))
    return "\n\n".join(sections)


def checked(
    summary: Summary, seed: SessionSeed, source: str, model_name: str
) -> tuple[SessionSeed, int]:
    """A seed of what holds of a summary, and how many of its lines do not."""
    _refuse_orders(summary, model_name)
    context = _supported(summary.context, source)
    rules = _supported(summary.rules, source)
    patterns = dict(enumerate(seed.recovery_patterns, 1))
    recoveries = {
        recovery.number: _recovery(patterns[recovery.number], recovery.worked)
        for recovery in summary.recoveries
        if recovery.number in patterns
    }
    held = len(context) + len(rules) + len(recoveries)
    if not held:
        raise ModelError(
            f"nothing in the summary of {model_name} stands in the template; {WITHOUT_MODEL}",
            kind="unsupported",
        )
    summarised = replace(
        seed,
        system_context="\n".join(context),
        user_patterns=replace(seed.user_patterns, conventions=rules, corrections=()),
        recovery_patterns=tuple(recoveries[number] for number in sorted(recoveries)),
    )
    return summarised, len(_texts(summary)) - held


def _refuse_orders(summary: Summary, model_name: str) -> None:
    for text in _texts(summary):
        if threat := danger(_line(text), "external"):
            raise ModelError(
                f"the summary of {model_name} was refused: {threat}; {WITHOUT_MODEL}",
                kind="an order",
            )


def _texts(summary: Summary) -> list[str]:
    worked = [recovery.worked for recovery in summary.recoveries]
    return [*summary.context, *summary.rules, *worked]


def _supported(lines: Iterable[str], source: str) -> tuple[str, ...]:
    tidy = filter(None, map(_line, lines))
    return tuple(dict.fromkeys(line for line in tidy if not lack(line, source)))


def _recovery(pattern: RecoveryPattern, worked: str) -> RecoveryPattern:
    line = _line(worked)
    if not line or len(line) >= len(pattern.worked):
        return pattern
    if lack(line, f"{pattern.error} {pattern.worked}"):
        return pattern
    return replace(pattern, worked=line)


def _line(text: str) -> str:
    return clip(" ".join(printable(text).split()), MAX_LINE_CHARACTERS)
