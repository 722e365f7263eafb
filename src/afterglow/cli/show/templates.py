"""Warm templates in words: lists, one template, what a session would start with, a choice, comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from afterglow.flows.warm import (
    Listed,
    Listing,
    Stats,
    TypeCount,
    support_words,
    template_parts,
    usage_words,
)
from afterglow.records.template import REJECTED, WarmTemplate
from afterglow.show.tables import paragraph, table
from afterglow.store.templates.entries import Record
from afterglow.store.templates.folder import Trouble
from afterglow.text.clip import clip, printable
from afterglow.text.numbers import count, local_day, number, round_percent, round_range

if TYPE_CHECKING:
    from afterglow.flows.warm import Auto, Compared
    from afterglow.records.profile_report import Rate
    from afterglow.warm.choose import Choice, Ranked
    from afterglow.warm.coverage import Coverage, Curve
    from afterglow.warm.inject import Warm

MAX_NAME_CHARACTERS = 120  # in a list: a line of a wide screen
MAX_LEFT_OUT_CHARACTERS = 160  # of a piece that is left out: what it was
MAX_SOURCES = 3  # sessions of a template that are named
MAX_CHOICES = 5  # templates of a choice that are compared
MAX_FEW = 8  # kinds of work with too few sessions that are named
MAX_TROUBLES = 10  # sources that cannot be read: the first show what is wrong
NO_TEMPLATES = "No templates. `afterglow warm extract SESSION --name NAME` makes one, `afterglow warm auto` several."


def listing(templates: Listing) -> str:
    lines = [line for listed in templates.templates for line in _listed(listed)]
    if not templates.total:
        lines.append(NO_TEMPLATES)
    elif not templates.templates:
        lines.append(f"None of {count(templates.total, 'template')} fits.")
    return "\n".join([*lines, *troubles(templates.troubles)])


def _listed(listed: Listed) -> Iterator[str]:
    glance = listed.template
    name = clip(printable(glance.name), MAX_NAME_CHARACTERS)
    state = ""
    if not glance.approved:
        words = "rejected" if glance.rejected else "not approved"
        state = click.style(f"  {words}", fg="yellow")
    yield f"{click.style(glance.id, bold=True)}  {name}{state}"
    if glance.description:
        yield paragraph(printable(glance.description), "    ")
    facts = [
        f"Type: {glance.task_type.value}",
        f"Examples: {number(len(glance.tools))}",
    ]
    if glance.tags:
        facts.append(f"Tags: {clip(', '.join(glance.tags), MAX_NAME_CHARACTERS)}")
    if glance.version > 1:
        facts.append(f"Version: {glance.version}")
    if glance.repo:
        facts.append(f"Repo: {glance.repo}")
    yield f"    {printable('  '.join(facts))}"
    yield f"    {usage_words(listed.record)}"


def troubles(unreadable: Sequence[Trouble]) -> list[str]:
    return [
        click.style(printable(f"cannot be read: {trouble.why}"), fg="red")
        for trouble in unreadable
    ]


def template(whole: WarmTemplate, versions: Sequence[int], record: Record) -> str:
    """A template for reading: what it is, where it comes from, all that it holds."""
    lines = [*_heading(whole, versions, record)]
    for part in template_parts(whole.seed):
        lines += ["", click.style(part.title, bold=True)]
        lines += [paragraph(printable(text), "  ") for text in part.lines]
    examples = whole.seed.tool_examples
    lines += ["", click.style(f"Examples ({len(examples)})", bold=True)]
    for example in examples:
        call = (
            f"{example.tool_name} {example.arguments}{support_words(example.support)}"
        )
        lines += [f"  {printable(call)}", _block(example.result, "      ")]
    return "\n".join(lines)


def _heading(
    whole: WarmTemplate, versions: Sequence[int], record: Record
) -> Iterator[str]:
    state = "approved"
    if whole.rejected:
        state = f"rejected {whole.notes[REJECTED]}: no session gets it"
    elif not whole.approved:
        state = "not approved: no session gets it; `afterglow warm approve` when read"
    tags = printable(", ".join(whole.tags) or "no tags")
    created, updated = (
        local_day(whole.created or None),
        local_day(whole.updated or None),
    )
    yield f"{click.style(whole.id, bold=True)}  {printable(whole.name)}"
    if whole.description:
        yield paragraph(printable(whole.description), "  ")
    yield f"  {whole.task_type.value} · {tags} · {state}"
    yield (
        f"  version {whole.version} of {', '.join(map(str, versions))} · made by {printable(whole.made_by)} "
        f"{created}, changed {updated}"
    )
    yield paragraph(printable(_source(whole)), "  ")
    yield f"  {usage_words(record)}"
    for key, note in whole.notes.items():
        yield paragraph(printable(f"{key}: {note}"), "  ")


def _source(whole: WarmTemplate) -> str:
    sessions = whole.source_sessions
    if not sessions:
        return "–"
    where = f" in {whole.repo}" if whole.repo else ""
    names = ", ".join(sessions[:MAX_SOURCES])
    if len(sessions) > MAX_SOURCES:
        names += f" and {len(sessions) - MAX_SOURCES} more"
    return f"from {count(len(sessions), 'session')} of {whole.agent or 'any agent'}{where}: {names}"


def _block(text: str, indent: str) -> str:
    if not text:
        return f"{indent}–"
    return "\n".join(
        f"{indent}{printable(line)}".rstrip() for line in text.splitlines()
    )


def warmed(whole: WarmTemplate, warm: Warm) -> str:
    """What a session would start with, as a person reads it: message by message."""
    lines = []
    if warm.system:
        lines += [click.style("system", bold=True), _block(warm.system, "  ")]
    for message in warm.messages:
        role = click.style(str(message.get("role", "")), bold=True)
        lines += [role, *_message(message)]
    lines += [
        "",
        f"{number(warm.tokens)} tokens added by {whole.id} version {whole.version}; nothing was noted.",
    ]
    lines += [f"note: {printable(note)}" for note in warm.notes]
    lines += [
        f"left out: {printable(clip(piece, MAX_LEFT_OUT_CHARACTERS))}"
        for piece in warm.left_out
    ]
    return "\n".join(lines)


def _message(message: dict[str, Any]) -> Iterator[str]:
    if message.get("tool_call_id"):
        yield f"  ← [{message['tool_call_id']}]"
    content = message.get("content")
    if isinstance(content, list):
        for block in content:
            yield from _content_block(block)
    elif isinstance(content, str) and content:
        yield _block(content, "  ")
    for call in message.get("tool_calls") or ():
        function = call["function"]
        yield _call(function["name"], str(function["arguments"]), call["id"])


def _content_block(block: dict[str, Any]) -> Iterator[str]:
    if block.get("type") == "tool_use":
        yield _call(block["name"], _json(block["input"]), block["id"])
    elif block.get("type") == "tool_result":
        yield f"  ← [{block['tool_use_id']}]"
        yield _block(_flat(block.get("content", "")), "    ")
    else:
        yield _block(str(block.get("text", "")), "  ")


def _call(name: object, arguments: str, id: str) -> str:
    return f"  → {printable(str(name))} {printable(arguments)}  [{id}]"


def _flat(content: object) -> str:
    if not isinstance(content, list):
        return str(content)
    parts = (part for part in content if isinstance(part, dict))
    return "\n".join(str(part.get("text", "")) for part in parts)


def _json(value: object) -> str:
    import msgspec

    return msgspec.json.encode(value).decode()


def choice(chosen: Choice, skipped: Sequence[Trouble]) -> str:
    best = chosen.best
    lines = ["none"]
    if best is not None:
        lines = [f"{click.style(best.id, bold=True)}  {printable(best.name)}"]
    lines.append(paragraph(printable(chosen.reason), "  "))
    if chosen.ranked:
        lines += ["", _ranking(chosen.ranked[:MAX_CHOICES])]
    return "\n".join([*lines, *troubles(skipped)])


def _ranking(ranked: Sequence[Ranked]) -> str:
    parts = list(ranked[0].why)
    rows = [
        (
            f"{candidate.score:.3f}",
            *(f"{candidate.why[part]:.2f}" for part in parts),
            number(candidate.uses),
            candidate.id,
            candidate.name,
        )
        for candidate in ranked
    ]
    right = " ".join(["score", *parts, "uses"])
    return table(("score", *parts, "uses", "template", "name"), rows, right=right)


def stats(totals: Stats) -> str:
    if not totals.total.templates:
        return "\n".join([NO_TEMPLATES, *troubles(totals.troubles)])
    rows = [_row(name, counted) for name, counted in totals.types.items()]
    rows.append(_row("all", totals.total))
    headers = ("type", "templates", "examples", "uses", "proved", "success")
    lines = [
        table(headers, rows, right="templates examples uses proved"),
        "",
        usage_words(totals.total.record),
    ]
    if totals.unapproved:
        lines.append(f"{count(totals.unapproved, 'template')} not approved.")
    return "\n".join([*lines, *troubles(totals.troubles)])


def _row(name: str, counted: TypeCount) -> tuple[object, ...]:
    record = counted.record
    return (
        name,
        counted.templates,
        counted.examples,
        record.uses,
        record.proved,
        f"{record.successes} of {record.known}" if record.known else "–",
    )


def distilled(result: Auto) -> str:
    rows = [
        (
            template.id,
            template.state,
            template.version,
            template.sessions,
            template.examples,
            template.name,
        )
        for template in result.templates
    ]
    headers = ("template", "state", "version", "sessions", "examples", "name")
    lines = ["No kind of work has enough sessions."]
    if rows:
        lines = [table(headers, rows, right="version sessions examples")]
        if any(template.state != "unchanged" for template in result.templates):
            lines.append(
                "No session gets what is new before you have read it: `afterglow warm show ID`, `warm approve ID`."
            )
    few = sorted(result.few.items(), key=lambda kind: (-kind[1], kind[0]))
    if few:
        named = ", ".join(f"{name} {number(n)}" for name, n in few[:MAX_FEW])
        more = f", and {len(few) - MAX_FEW} more" if len(few) > MAX_FEW else ""
        lines.append(paragraph(printable(f"{named}{more}"), "too few good sessions: "))
    return "\n".join([*lines, *_unread(result.troubles)])


def _unread(sources: Sequence[tuple[str, str]]) -> list[str]:
    return [
        printable(f"could not be read: {path}: {reason}")
        for path, reason in sources[:MAX_TROUBLES]
    ]


def comparison(result: Compared) -> str:
    lines = [
        *(f"({n})  {row.id}" for n, row in enumerate(result.rows, 1)),
        "",
        _coverage_table(result.rows),
        "",
    ]
    if result.reason:
        lines.append(result.reason)
    else:
        about = (
            f"Against {count(result.later, 'later session')} of its kind. Calls in view: the share of their successful "
            "calls whose shape a template shows; kept, and recoveries: of what the first one shows."
        )
        lines.append(paragraph(about))
    if result.curve is not None:
        lines += _curve(result.curve)
    return "\n".join([*lines, *_unread(result.troubles)])


def _coverage_table(coverages: Sequence[Coverage]) -> str:
    """A column a template."""
    names = (
        "examples",
        "tokens",
        "calls in view",
        "kept",
        "commands",
        "tools",
        "errors",
        "recoveries",
    )
    columns = [names, *map(_coverage_column, coverages)]
    numbers = [f"({n})" for n in range(1, len(columns))]
    return table(["", *numbers], list(zip(*columns, strict=True)))


def _coverage_column(coverage: Coverage) -> tuple[object, ...]:
    return (
        coverage.examples,
        number(coverage.tokens),
        _rate(coverage.calls),
        round_percent(coverage.calls_kept),
        _rate(coverage.commands),
        _rate(coverage.tools),
        _rate(coverage.errors),
        round_percent(coverage.recoveries_kept),
    )


def _curve(curve: Curve) -> Iterator[str]:
    points = [f"{point.examples}: {_rate(point.calls)}" for point in curve.points]
    yield paragraph(", ".join(points), "by number of examples: ")
    best = curve.smallest
    if best is not None:
        size = f"{count(best.examples, 'example')}, {number(best.tokens)} tokens"
        yield f"The smallest warm-up that keeps 95 % of it: {size}."


def _rate(rate: Rate) -> str:
    if rate.value is None:
        return "–"
    return f"{round_percent(rate.value)} ({round_range(rate.low, rate.high)}, n = {number(rate.n)})"
