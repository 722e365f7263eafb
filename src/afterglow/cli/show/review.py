"""The review queue and what was decided, as text."""

from __future__ import annotations

from collections.abc import Sequence

import click

from afterglow.flows.knowledge import Added, ReviewQueue, Undone, WaitingItem
from afterglow.records.knowledge import KnowledgeItem
from afterglow.show.tables import paragraph
from afterglow.store.knowledge_decisions import RecordedDecision
from afterglow.text.clip import clip, printable
from afterglow.text.numbers import count, local_time, number

MAX_SENTENCE_CHARACTERS = 100  # of an item in a list of decisions: one line


def queue(waiting: ReviewQueue, *, held_back: bool) -> str:
    if not waiting.groups:
        hint = " `--held-back` shows what a screen held back."
        more = hint if waiting.held_back and not held_back else ""
        return f"Nothing waits for review.{more}"
    lines = [progress(waiting)]
    for group in waiting.groups:
        lines += [
            part
            for place, each in enumerate(group)
            for part in (
                _about(each, is_alike=place > 0),
                paragraph(printable(each.item.fact), "    "),
                paragraph(_reasons(each), "      "),
            )
        ]
    lines.append(
        paragraph(
            "`afterglow knowledge review` on a terminal goes through them; `approve ID`, `reject ID --why` decide "
            "singly."
        )
    )
    return "\n".join(lines)


def progress(waiting: ReviewQueue) -> str:
    total = waiting.decided_today + waiting.waiting
    words = f"{number(waiting.decided_today)} of {number(total)} decided today"
    if waiting.held_back:
        words += f"; {number(waiting.held_back)} held back"
    return words


def _about(each: WaitingItem, *, is_alike: bool) -> str:
    item = each.item
    risk = click.style("  risky", fg="red") if each.is_risky else ""
    alike = "  nearly the same" if is_alike else ""
    calls = f"{each.worth:.1f} calls"
    return (
        f"{click.style(item.id, bold=True)}  {calls:>11}  {place_of(item)}{risk}{alike}"
    )


def place_of(item: KnowledgeItem) -> str:
    """Where it holds."""
    return printable(" · ".join(filter(None, (item.repo, item.agent))) or "everywhere")


def _reasons(each: WaitingItem) -> str:
    parts = (each.worth_words, each.item.reason, f"found by {each.item.miner}")
    return printable("; ".join(filter(None, parts)))


def added(lesson: Added) -> str:
    item = lesson.item
    where = place_of(item)
    return printable(
        f"{item.id}  {item.status} in {where}: {item.fact}\n"
        f"`afterglow knowledge undo {lesson.number}` takes it back"
    )


def undone(taken: Sequence[Undone]) -> str:
    lines = []
    for each in taken:
        decision = each.decision
        verb = "done again" if decision.undoes else "undone"
        lines.append(f"decision {decision.number} ({decision.what}) is {verb}")
        lines += [
            printable(f"  {item.id}  {item.status}  {item.fact}") for item in each.items
        ]
    numbers = [each.number for each in taken]
    lines.append(
        f"`afterglow knowledge undo {numbers[-1]}` takes that back in turn"
        if len(numbers) == 1
        else f"`afterglow knowledge undo NUMBER` takes that back in turn: {', '.join(map(str, numbers))}"
    )
    return "\n".join(lines)


def decisions(taken: Sequence[RecordedDecision]) -> str:
    if not taken:
        return "Nothing was decided yet. `afterglow knowledge review` shows what waits."
    return "\n".join(map(_decision, taken))


def _decision(taken: RecordedDecision) -> str:
    named = [part for part in taken.items if part.is_named]
    states = [part.after or part.before for part in named]
    first = states[0] if states else None
    words = clip(first.fact, MAX_SENTENCE_CHARACTERS) if first else "(words forgotten)"
    ids = named[0].id if len(named) == 1 else count(len(named), "item")
    state = f"  undone by {taken.undone_by}" if taken.undone_by else ""
    if taken.undoes:
        state += f"  of {taken.undoes}"
    return printable(
        f"{taken.number:>5}  {local_time(taken.time)}  {taken.by}  {taken.what}{state}  {ids}  {words}"
    )
