"""`afterglow harvest --model` and `--compare`: what is sent, what came of it, and how it compares, for people."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any

import click
import msgspec

from afterglow.cli.output import print_json
from afterglow.cli.scan import progress_bar
from afterglow.config import Config
from afterglow.flows import harvest as flow
from afterglow.flows.model_client import endpoint_of, model_of
from afterglow.flows.read import scan
from afterglow.harvest.lessons.prompts import Prompt
from afterglow.records.model import Price, Spent
from afterglow.records.model_harvest import (
    Comparison,
    Learned,
    Outline,
    TellingReport,
    Way,
)
from afterglow.records.selection import Selection
from afterglow.show.tables import paragraph, table
from afterglow.text.numbers import count, interval, number, percent

WAYS = (
    "way",
    "active",
    "candidates",
    "in view",
    "if approved",
    "harm",
    "tokens shown",
    "asked, tokens in and out",
)


def show_plan(
    settings: Config, selection: Selection, name: str, base_url: str, format: str, **wanted: Any
) -> None:  # fmt: skip
    """What would be sent, to the letter, and the most it can cost."""
    if selection.paths:
        scan(settings, selection.paths)
    price = Price()
    if base_url or settings.model.base_url:
        endpoint = endpoint_of(settings, name=name, base_url=base_url, key=False)
        name, price = endpoint.model, endpoint.price
    found = flow.outline(
        flow.plan(settings, selection, **wanted),
        name or settings.model.model or "a model",
        price,
    )
    print_json(found) if format == "json" else click.echo(describe_plan(found))


def run_model(
    settings: Config,
    selection: Selection,
    endpoint: dict[str, Any],
    format: str,
    **wanted: Any,
) -> None:
    with (
        breaking_off(),
        model_of(settings, **endpoint) as model,
        ExitStack() as reading,
    ):
        progress = reading.enter_context(progress_bar())

        def asked(done: int, total: int) -> None:
            reading.close()  # mining is over, and its bar with it
            if sys.stderr.isatty():
                click.echo(
                    f"\r{model.name}: {done} of {total} asks",
                    err=True,
                    nl=done == total,
                )

        learned = flow.learn(
            settings, model, selection, progress=progress, asked=asked, **wanted
        )
    print_json(learned) if format == "json" else click.echo(describe(learned))
    heard = learned.model
    if heard.interrupted:
        sys.exit(130)
    sys.exit(7 if _in_vain([heard]) else 0)


@contextmanager
def breaking_off() -> Iterator[None]:
    """The first Ctrl-C waits for the answers under way, because they are paid for; a second one leaves at once."""
    if current_thread() is not main_thread():
        yield
        return

    def leave(*_: object) -> None:
        os._exit(130)

    def stop(*_: object) -> None:
        signal.signal(signal.SIGINT, leave)
        click.echo(
            "\nwaiting for the answers under way, they are paid for; Ctrl-C again leaves at once",
            err=True,
        )
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def run_comparison(
    settings: Config, selection: Selection, endpoint: dict[str, Any], format: str, **wanted: Any
) -> None:  # fmt: skip
    from afterglow.flows.harvest import compare

    with model_of(settings, **endpoint) as model:
        found = compare(settings, model, selection, **wanted)
    print_json(found) if format == "json" else click.echo(describe_comparison(found))
    sys.exit(7 if _in_vain([way.telling for way in found.ways if way.telling]) else 0)


def _in_vain(heard: Sequence[TellingReport]) -> bool:
    """Whether the model was to be asked and nothing was answered."""
    return not any(one.answered for one in heard) and any(
        one.stopped or one.failures for one in heard
    )


def own_prompt(path: Path | None) -> Prompt | None:
    from afterglow.harvest.lessons.prompts import prompt

    return prompt(path) if path else None


def describe_plan(found: Outline) -> str:
    if not found.asks:
        return f"Nothing would be sent: {found.reason}."
    lines = [
        f"To {found.model}, with the prompt {found.prompt}: {_windows(found.windows, found.sessions)} in "
        f"{count(len(found.asks), 'ask')}; {number(found.left)} more windows are left.",
        f"At most {number(found.input)} tokens in and {number(found.output)} out, if all are answered at once: "
        f"{_money(found.cost)}. Nothing was sent.",
        "",
        "─── with every ask: the prompt",
        *(
            message.content.rstrip()
            for message in found.asks[0].messages
            if message.role == "system"
        ),
        "─── with every ask: the JSON schema of the answer",
        msgspec.json.encode(found.schema).decode(),
    ]
    for at, one in enumerate(found.asks, 1):
        room = f"at most {number(one.input)} tokens in, {number(one.output)} out"
        lines += [
            f"─── ask {at}: session {one.session}, {', '.join(one.windows)} ({room})"
        ]
        lines += [
            message.content.rstrip()
            for message in one.messages
            if message.role != "system"
        ]
    return "\n".join(lines)


def describe(learned: Learned) -> str:
    rules, heard = learned.rules, learned.model
    lines = [
        f"rules: {count(rules.mined, 'session')} mined of {number(rules.sessions)} finished, "
        f"{count(rules.created, 'item')} new, {number(rules.changed)} changed"
    ]
    if rules.troubles:
        lines.append(
            f"  {count(len(rules.troubles), 'source')} could not be mined (--json names them)"
        )
    lines += _of_model(heard)
    if heard.outcomes.get("kept"):
        lines.append(
            "New lessons wait for a second witness or for you: `afterglow knowledge list --status candidate`"
        )
    return "\n".join(lines)


def _of_model(heard: TellingReport) -> list[str]:
    if not heard.asks and not heard.stopped:
        return [f"{heard.model}: nothing was asked: {heard.reason or 'no window'}"]
    lines = [
        f"{heard.model}, {heard.prompt}: {_windows(heard.windows, heard.sessions)} read "
        f"({number(heard.answered)} of {count(heard.asks, 'ask')} answered), {number(heard.left)} left"
    ]
    kept = heard.outcomes
    lines.append(
        f"  lessons: {number(kept.get('kept', 0))} new, {number(kept.get('added', 0))} added to what says the same, "
        f"{number(kept.get('known', 0))} known, {number(kept.get('refused', 0))} refused{_counts(heard.refused)}"
    )
    if heard.failures:
        lines.append(
            f"  {count(sum(heard.failures.values()), 'ask')} failed{_counts(heard.failures)}: asked again later"
        )
    lines.append(f"  spent: {_spent(heard.spent)}")
    if heard.stopped:
        lines.append(f"  stopped: {heard.stopped}; harvest again to go on")
    return lines


def describe_comparison(found: Comparison) -> str:
    lines = [
        f"{count(found.sessions, 'session')}; contexts of {number(found.budget)} tokens; spent {_spent(found.spent)}",
        "",
        table(WAYS, [_row(way) for way in found.ways], right="active candidates"),
        "",
        f"{number(found.agree)} of {count(found.told, 'item')} of the model alone say what an item of the rules says.",
    ]
    for way in found.ways:
        if way.telling:
            lines += [f"{way.name}:", *(f"  {line}" for line in _of_model(way.telling))]
    return "\n".join([*lines, *(paragraph(note, "· ") for note in found.notes)])


def _row(way: Way) -> tuple[str, ...]:
    asked = "–" if way.telling is None else _spent(way.telling.spent)
    seen = f"{percent(way.in_view.value)} {interval(way.in_view)}"
    return (
        way.name, number(way.active), number(way.candidate), seen, percent(way.approved.value),
        percent(way.harm.value), number(way.tokens), asked,
    )  # fmt: skip


def _windows(windows: int, sessions: int) -> str:
    return f"{count(windows, 'window')} of {count(sessions, 'session')}"


def _counts(counted: dict[str, int]) -> str:
    return (
        f" ({', '.join(f'{times} {name}' for name, times in counted.items())})"
        if counted
        else ""
    )


def _money(cost: float | None) -> str:
    return (
        "cost not known (config.toml: [model] price)"
        if cost is None
        else f"cost {cost:.4f}"
    )


def _spent(spent: Spent) -> str:
    said = f"{number(spent.usage.input)} tokens in, {number(spent.usage.output)} out, {_money(spent.cost)}"
    said += " (partly estimated)" if spent.usage.estimated else ""
    if spent.cached:
        said += f", {count(spent.cached, 'answer')} from the cache"
    if spent.unanswered:
        said += f"; up to {number(spent.unanswered_tokens)} more for {count(spent.unanswered, 'request')} without answer"
    return said
