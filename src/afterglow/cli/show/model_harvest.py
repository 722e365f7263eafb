"""What `afterglow write` shows people: what would be sent, what came of it, and how it compares."""

from __future__ import annotations

import msgspec

from afterglow.records.model import Spent
from afterglow.records.model_harvest import (
    Comparison,
    ModelReport,
    Outline,
    Sending,
    Way,
    WriteReport,
)
from afterglow.show.tables import paragraph, table
from afterglow.text.numbers import count, interval, number, percent, short_id

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
MAX_ASKS_LISTED = 20  # of a plan: as many as a run makes unless it is told otherwise


def summary(outline: Outline) -> str:
    """What would be sent, in one screen."""
    if not outline.asks:
        return f"Nothing would be sent: {outline.reason}."
    rows = [
        (
            at,
            short_id(ask.session),
            len(ask.windows),
            number(ask.input),
            number(ask.output),
        )
        for at, ask in enumerate(outline.asks[:MAX_ASKS_LISTED], 1)
    ]
    headers = ("ask", "session", "windows", "in", "out")
    lines = [
        *_size(outline),
        "",
        table(headers, rows, right="ask windows in out"),
    ]
    more = len(outline.asks) - MAX_ASKS_LISTED
    if more > 0:
        lines.append(f"... and {count(more, 'ask')} more")
    return "\n".join([*lines, "", "--full prints every word of it."])


def every_word(outline: Outline) -> str:
    """What would be sent, to the letter."""
    if not outline.asks:
        return f"Nothing would be sent: {outline.reason}."
    lines = [
        *_size(outline),
        "",
        "─── with every ask: the prompt",
        *_messages(outline.asks[0], system=True),
        "─── with every ask: the JSON schema of the answer",
        msgspec.json.encode(outline.schema).decode(),
    ]
    for at, ask in enumerate(outline.asks, 1):
        room = f"at most {number(ask.input)} tokens in, {number(ask.output)} out"
        windows = ", ".join(ask.windows)
        lines.append(f"─── ask {at}: session {ask.session}, {windows} ({room})")
        lines += _messages(ask, system=False)
    return "\n".join(lines)


def _size(outline: Outline) -> list[str]:
    return [
        f"To {outline.model}, with the prompt {outline.prompt}: {_windows(outline.windows, outline.sessions)} in "
        f"{count(len(outline.asks), 'ask')}; {number(outline.remaining)} more windows are left.",
        f"At most {number(outline.input)} tokens in and {number(outline.output)} out, if all are answered at once: "
        f"{_money(outline.cost)}. Nothing was sent.",
    ]


def _messages(ask: Sending, *, system: bool) -> list[str]:
    return [
        message.content.rstrip()
        for message in ask.messages
        if (message.role == "system") == system
    ]


def learned(learned: WriteReport) -> str:
    rules, report = learned.rules, learned.model
    lines = [
        f"rules: {count(rules.mined, 'session')} mined of {number(rules.sessions)} finished, "
        f"{count(rules.created, 'item')} new, {number(rules.changed)} changed"
    ]
    if rules.troubles:
        lines.append(
            f"  {count(len(rules.troubles), 'source')} could not be mined (--json names them)"
        )
    lines += _of_model(report)
    if report.outcomes.get("kept"):
        lines.append(
            "New lessons wait for a second witness or for you: `afterglow knowledge list --status candidate`"
        )
    return "\n".join(lines)


def _of_model(report: ModelReport) -> list[str]:
    if not report.asks and not report.stopped:
        return [f"{report.model}: nothing was asked: {report.reason or 'no window'}"]
    lines = [
        f"{report.model}, {report.prompt}: {_windows(report.windows, report.sessions)} read "
        f"({number(report.answered)} of {count(report.asks, 'ask')} answered), {number(report.remaining)} left"
    ]
    outcomes = report.outcomes
    lines.append(
        f"  lessons: {number(outcomes.get('kept', 0))} new, {number(outcomes.get('added', 0))} added to what says the same, "
        f"{number(outcomes.get('known', 0))} known, {number(outcomes.get('refused', 0))} refused{_counts(report.refused)}"
    )
    if report.failures:
        lines.append(
            f"  {count(sum(report.failures.values()), 'ask')} failed{_counts(report.failures)}: asked again later"
        )
    lines.append(f"  spent: {_spent(report.spent)}")
    if report.stopped:
        lines.append(f"  stopped: {report.stopped}; write again to go on")
    return lines


def comparison(report: Comparison) -> str:
    lines = [
        f"{count(report.sessions, 'session')}; contexts of {number(report.budget)} tokens; spent {_spent(report.spent)}",
        "",
        table(WAYS, [_row(way) for way in report.ways], right="active candidates"),
        "",
        f"{number(report.agree)} of {count(report.model_items, 'item')} of the model alone say what an item of the "
        "rules says.",
    ]
    for way in report.ways:
        if way.telling:
            lines += [f"{way.name}:", *(f"  {line}" for line in _of_model(way.telling))]
    return "\n".join([*lines, *(paragraph(note, "· ") for note in report.notes)])


def _row(way: Way) -> tuple[str, ...]:
    cost = "–" if way.telling is None else _spent(way.telling.spent)
    in_view = f"{percent(way.in_view.value)} {interval(way.in_view)}"
    return (
        way.name,
        number(way.active),
        number(way.candidate),
        in_view,
        percent(way.approved.value),
        percent(way.harm.value),
        number(way.tokens),
        cost,
    )


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
    text = f"{number(spent.usage.input)} tokens in, {number(spent.usage.output)} out, {_money(spent.cost)}"
    text += " (partly estimated)" if spent.usage.estimated else ""
    if spent.cached:
        text += f", {count(spent.cached, 'answer')} from the cache"
    if spent.unanswered:
        text += f"; up to {number(spent.unanswered_tokens)} more for {count(spent.unanswered, 'request')} without answer"
    return text
