"""Warm templates in words: lists, one template, what a session would start with, a choice, comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from afterglow.flows.warm import Listed, Listing, Stats, TypeCount
from afterglow.records.template import WarmTemplate
from afterglow.show.tables import paragraph, table
from afterglow.store.templates.entries import Record
from afterglow.store.templates.folder import Trouble
from afterglow.text.clip import clip, printable
from afterglow.text.numbers import count, local_day, number, round_percent, round_range

if TYPE_CHECKING:
    from afterglow.flows.warm import Auto, Compared
    from afterglow.records.profile_report import Rate
    from afterglow.warm.choose import Choice
    from afterglow.warm.inject import Warm

NAME = 120  # characters of a name in a list
NONE = "No templates. `afterglow warm extract SESSION --name NAME` makes one, `afterglow warm auto` several."


def usage(record: Record) -> str:
    """`Usage: 5 times, 80 % success (4 of 5 known outcomes, 38–96 %)`."""
    said = f"Usage: {count(record.uses, 'time')}"
    if not record.known:
        return said + (", no outcome known yet" if record.uses else "")
    from afterglow.stats.rates import wilson

    share = record.successes / record.known
    low, high = wilson(share, record.known)
    guessed = (
        f", {number(record.guessed)} of them guessed from how it ended"
        if record.guessed
        else ""
    )
    return (
        f"{said}, {round_percent(share)} success ({record.successes} of {count(record.known, 'known outcome')}, "
        f"{round_range(low, high)}{guessed})"
    )


def listing(found: Listing) -> str:
    lines = [line for one in found.templates for line in _listed(one)]
    if not found.templates:
        lines.append(
            f"None of {count(found.total, 'template')} fits." if found.total else NONE
        )
    return "\n".join([*lines, *troubles(found.troubles)])


def _listed(one: Listed) -> Iterator[str]:
    glance = one.template
    state = "" if glance.approved else click.style("  not approved", fg="yellow")
    yield f"{click.style(glance.id, bold=True)}  {clip(printable(glance.name), NAME)}{state}"
    if glance.description:
        yield paragraph(printable(glance.description), "    ")
    facts = [
        f"Type: {glance.task_type.value}",
        f"Examples: {number(len(glance.tools))}",
    ]
    facts += [f"Tags: {clip(', '.join(glance.tags), NAME)}"] if glance.tags else []
    facts += [f"Version: {glance.version}"] if glance.version > 1 else []
    facts += [f"Repo: {glance.repo}"] if glance.repo else []
    yield f"    {printable('  '.join(facts))}"
    yield f"    {usage(one.record)}"


def troubles(found: Sequence[Trouble]) -> list[str]:
    return [
        click.style(printable(f"cannot be read: {one.why}"), fg="red") for one in found
    ]


def template(one: WarmTemplate, versions: Sequence[int], record: Record) -> str:
    """A template for reading: what it is, where it comes from, all that it holds."""
    seed, person, markers = one.seed, one.seed.user_patterns, one.seed.context_markers
    state = (
        "approved"
        if one.approved
        else "not approved: it came from elsewhere; `afterglow warm approve` when read"
    )
    lines = [
        f"{click.style(one.id, bold=True)}  {printable(one.name)}",
        *([paragraph(printable(one.description), "  ")] if one.description else []),
        f"  {one.task_type.value} · {printable(', '.join(one.tags) or 'no tags')} · {state}",
        f"  version {one.version} of {', '.join(map(str, versions))} · made by {printable(one.made_by)} "
        f"{local_day(one.created or None)}, changed {local_day(one.updated or None)}",
        paragraph(printable(_source(one)), "  "),
        f"  {usage(record)}",
    ]
    lines += [
        paragraph(printable(f"{key}: {note}"), "  ") for key, note in one.notes.items()
    ]
    told = [
        (name, getattr(person, name))
        for name in ("request_style", "feedback_style", "language")
    ]
    parts: list[tuple[str, list[str]]] = [
        ("Context", seed.system_context.splitlines()),
        ("Person", [f"{name.replace('_', ' ')}: {said}" for name, said in told if said]),
        ("Conventions", list(person.conventions)),
        ("Corrections", list(person.corrections)),
        ("Recoveries", [f"{each.error} → {each.worked}{_support(each.support)}" for each in seed.recovery_patterns]),
        ("Markers", [f"{name}: {', '.join(getattr(markers, name))}" for name in markers.__struct_fields__
                     if getattr(markers, name)]),
    ]  # fmt: skip
    for title, texts in parts:
        if texts:
            lines += [
                "",
                click.style(title, bold=True),
                *(paragraph(printable(text), "  ") for text in texts),
            ]
    lines += ["", click.style(f"Examples ({len(seed.tool_examples)})", bold=True)]
    for example in seed.tool_examples:
        lines.append(
            f"  {printable(f'{example.tool_name} {example.arguments}{_support(example.support)}')}"
        )
        lines.append(_block(example.result, "      "))
    return "\n".join(lines)


def _source(one: WarmTemplate) -> str:
    sessions = one.source_sessions
    where = f" in {one.repo}" if one.repo else ""
    named = ", ".join(sessions[:3]) + (
        f" and {len(sessions) - 3} more" if len(sessions) > 3 else ""
    )
    return (
        f"from {count(len(sessions), 'session')} of {one.agent or 'any agent'}{where}: {named}"
        if sessions
        else "–"
    )


def _support(sessions: int) -> str:
    return f"  ({sessions} sessions)" if sessions > 1 else ""


def _block(text: str, indent: str) -> str:
    return (
        "\n".join(f"{indent}{printable(line)}".rstrip() for line in text.splitlines())
        if text
        else f"{indent}–"
    )


def warmed(of: WarmTemplate, warm: Warm) -> str:
    """What a session would start with, as a person reads it: message by message."""
    lines = []
    if warm.system:
        lines += [click.style("system", bold=True), _block(warm.system, "  ")]
    for message in warm.messages:
        lines += [click.style(str(message.get("role", "")), bold=True), *_said(message)]
    lines += [
        "",
        f"{number(warm.tokens)} tokens added by {of.id} version {of.version}; nothing was noted.",
    ]
    lines += [f"note: {printable(note)}" for note in warm.notes]
    lines += [f"left out: {printable(clip(one, 160))}" for one in warm.left_out]
    return "\n".join(lines)


def _said(message: dict[str, Any]) -> Iterator[str]:
    content = message.get("content")
    if message.get("tool_call_id"):
        yield f"  ← [{message['tool_call_id']}]"
    if isinstance(content, str) and content:
        yield _block(content, "  ")
    for block in content if isinstance(content, list) else ():
        kind = block.get("type")
        if kind == "tool_use":
            yield f"  → {printable(str(block['name']))} {printable(_json(block['input']))}  [{block['id']}]"
        elif kind == "tool_result":
            yield f"  ← [{block['tool_use_id']}]"
            yield _block(_flat(block.get("content", "")), "    ")
        else:
            yield _block(str(block.get("text", "")), "  ")
    for call in message.get("tool_calls") or ():
        made = call["function"]
        yield f"  → {printable(str(made['name']))} {printable(str(made['arguments']))}  [{call['id']}]"


def _flat(content: object) -> str:
    if isinstance(content, list):
        return "\n".join(
            str(one.get("text", "")) for one in content if isinstance(one, dict)
        )
    return str(content)


def _json(value: object) -> str:
    import msgspec

    return msgspec.json.encode(value).decode()


def choice(found: Choice, skipped: Sequence[Trouble]) -> str:
    lines = []
    if found.best is None:
        lines.append("none")
    else:
        lines.append(
            f"{click.style(found.best.id, bold=True)}  {printable(found.best.name)}"
        )
    lines.append(paragraph(printable(found.reason), "  "))
    if found.ranked:
        names = list(found.ranked[0].why)
        rows = [
            (
                f"{one.score:.3f}",
                *(f"{one.why[name]:.2f}" for name in names),
                number(one.uses),
                one.id,
                one.name,
            )
            for one in found.ranked[:5]
        ]
        right = " ".join(["score", *names, "uses"])
        lines += [
            "",
            table(("score", *names, "uses", "template", "name"), rows, right=right),
        ]
    return "\n".join([*lines, *troubles(skipped)])


def stats(found: Stats) -> str:
    if not found.all.templates:
        return "\n".join([NONE, *troubles(found.troubles)])
    rows = [
        _row(name, some) for name, some in (*found.types.items(), ("all", found.all))
    ]
    headers = ("type", "templates", "examples", "uses", "proved", "success")
    lines = [
        table(headers, rows, right="templates examples uses proved"),
        "",
        usage(found.all.record),
    ]
    lines += (
        [f"{count(found.unapproved, 'template')} not approved."]
        if found.unapproved
        else []
    )
    return "\n".join([*lines, *troubles(found.troubles)])


def _row(name: str, some: TypeCount) -> tuple[object, ...]:
    known = some.record.known
    success = f"{some.record.successes} of {known}" if known else "–"
    return (
        name,
        some.templates,
        some.examples,
        some.record.uses,
        some.record.proved,
        success,
    )


def made(found: Auto) -> str:
    rows = [
        (one.id, one.state, one.version, one.sessions, one.examples, one.name)
        for one in found.made
    ]
    headers = ("template", "state", "version", "sessions", "examples", "name")
    lines = (
        [table(headers, rows, right="version sessions examples")]
        if rows
        else ["No kind of work has enough sessions."]
    )
    few = sorted(found.few.items(), key=lambda one: (-one[1], one[0]))
    if few:
        some = ", ".join(f"{name} {number(n)}" for name, n in few[:8])
        more = f", and {len(few) - 8} more" if len(few) > 8 else ""
        lines.append(paragraph(printable(f"{some}{more}"), "too few good sessions: "))
    lines += [
        printable(f"could not be read: {path}: {why}")
        for path, why in found.troubles[:10]
    ]
    return "\n".join(lines)


def comparison(found: Compared) -> str:
    headers = (
        "",
        "examples",
        "tokens",
        "calls in view",
        "kept",
        "commands",
        "tools",
        "errors",
        "recoveries",
    )
    columns = [
        (f"({n})", one.examples, number(one.tokens), _rate(one.calls), round_percent(one.kept), _rate(one.commands),
         _rate(one.tools), _rate(one.errors), round_percent(one.recoveries_kept))
        for n, one in enumerate(found.rows, 1)
    ]  # fmt: skip
    first, *rows = zip(headers, *columns, strict=True)
    lines = [
        *(f"({n})  {one.id}" for n, one in enumerate(found.rows, 1)),
        "",
        table([*map(str, first)], rows),
        "",
    ]
    if found.reason:
        lines.append(found.reason)
    else:
        about = (
            f"Against {count(found.later, 'later session')} of its kind. Calls in view: the share of their successful "
            "calls whose shape a template shows; kept, and recoveries: of what the first one shows."
        )
        lines.append(paragraph(about))
    if found.curve is not None:
        points = ", ".join(
            f"{one.examples}: {_rate(one.calls)}" for one in found.curve.points
        )
        lines.append(paragraph(points, "by number of examples: "))
        best = found.curve.smallest
        if best is not None:
            size = f"{count(best.examples, 'example')}, {number(best.tokens)} tokens"
            lines.append(f"The smallest warm-up that keeps 95 % of it: {size}.")
    lines += [
        printable(f"could not be read: {path}: {why}")
        for path, why in found.troubles[:10]
    ]
    return "\n".join(lines)


def _rate(rate: Rate) -> str:
    if rate.value is None:
        return "–"
    return f"{round_percent(rate.value)} ({round_range(rate.low, rate.high)}, n = {number(rate.n)})"
