"""Items as text: in a table, one by one, with what is missing and what may no longer hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import click

from afterglow.flows.knowledge import Decision, Gaps, Listing, Shown, Stale, Stats
from afterglow.records.knowledge import (
    STATUSES,
    TRUSTS,
    Change,
    KnowledgeItem,
    Status,
    support,
)
from afterglow.show.tables import paragraph, table
from afterglow.store.knowledge import Hit
from afterglow.text.clip import printable
from afterglow.text.numbers import count, local_day, local_time, number

COLOURS = {"active": "green", "candidate": "yellow", "quarantined": "red"}


def listing(found: Listing, wanted: Collection[Status] | None) -> str:
    if not found.items:
        return nothing(found.kept, wanted)
    more = (
        f"\nthe strongest {number(len(found.items))}; a higher --limit shows more"
        if found.more
        else ""
    )
    return rows(found.items, status=wanted is None or set(wanted) != {"active"}) + more


def hits(found: Sequence[Hit], wanted: Collection[Status] | None) -> str:
    if not found:
        return "Nothing about that. Fewer or other words may find more; --all also looks at what is not active."
    return rows(
        [hit.item for hit in found], status=wanted is None or set(wanted) != {"active"}
    )


def rows(items: Sequence[KnowledgeItem], *, status: bool = False) -> str:
    """Each item with a line about it and its sentence below, in full: sentences are what is read. With `status` where
    the items differ in it."""
    return "\n".join(
        line
        for item in items
        for line in (_about(item, status), paragraph(printable(item.fact), "    "))
    )


def _about(item: KnowledgeItem, status: bool) -> str:
    state = (
        click.style(f"{item.status:<11}", fg=COLOURS.get(item.status)) + "  "
        if status
        else ""
    )
    place = " · ".join(filter(None, (item.repo, item.agent))) or "everywhere"
    sure = f"{item.confidence:.2f}  {local_day(item.last_confirmed)}"
    where = f"{printable(place)}  {support(item)}"
    return f"{click.style(item.id, bold=True)}  {state}{item.category:<10}  {sure}  {where}"


def one_line(item: KnowledgeItem) -> str:
    return printable(f"{item.id}  {item.fact}")


def nothing(kept: Mapping[str, int], wanted: Collection[Status] | None) -> str:
    """Why a list is empty, and what would fill it."""
    if not sum(kept.values()):
        return "No knowledge yet. `afterglow harvest` reads it out of the sessions."
    there = ", ".join(
        f"{number(kept[status])} {status}" for status in STATUSES if kept.get(status)
    )
    hint = "fewer filters, or --all, show more"
    if kept.get("candidate") and wanted is not None and "candidate" not in wanted:
        hint = (
            "`afterglow knowledge list --status candidate` shows what waits for review"
        )
    return f"No item fits. The store holds {there}: {hint}."


def whole(found: Shown) -> str:
    """Everything known about one item."""
    item = found.item
    status = click.style(item.status, fg=COLOURS.get(item.status)) + (
        f": {printable(item.reason)}" if item.reason else ""
    )
    by_trust = Counter(evidence.trust for evidence in item.evidence)
    trusts = ", ".join(
        f"{number(by_trust[trust])} {trust}" for trust in TRUSTS if by_trust[trust]
    )
    facts = {
        "status": status + (" (a person decided)" if item.decided else ""),
        "category": item.category
        + (f", {printable(item.domain)}" if item.domain else ""),
        "holds in": f"{item.repo or 'every repo'}, {item.agent or 'every agent'}",
        "confidence": f"{item.confidence:.2f}, {support(item)}"
        + (f", {number(item.against)} against" if item.against else ""),
        "seen": f"{local_day(item.first_seen)} … {local_day(item.last_confirmed)}"
        + (f", expires {local_day(item.expires)}" if item.expires is not None else ""),
        "tags": " ".join(item.tags),
        "error": " · ".join(item.fingerprints),
        "cost": f"{item.cost:.1f} calls a time" if item.cost else "",
        "superseded": f"by {item.superseded_by}" if item.superseded_by else "",
        "related": " ".join(item.related),
        "found by": item.miner,
        "evidence": f"{count(len(item.evidence), 'piece')} ({trusts}); trust: {item.trust}"
        if item.evidence
        else "none",
    }
    lines = [click.style(item.id, bold=True), paragraph(printable(item.fact)), ""]
    lines += [
        f"  {name:<11} {text if name == 'status' else printable(text)}"
        for name, text in facts.items()
        if text
    ]
    if found.history:
        lines += ["", "  history"]
        lines += [
            printable(
                f"    {local_time(change.time)}  {change.by}: {change.what}{_step(change, item.fact)}"
            )
            for change in found.history
        ]
    return "\n".join(lines)


def _step(change: Change, fact: str) -> str:
    """From what to what; the sentence that stands above is not repeated."""
    words = [word for word in (change.before, change.after) if word and word != fact]
    return f" ({' → '.join(words)})" if words else ""


def decisions(found: Sequence[Decision]) -> str:
    lines = []
    for decision in found:
        before, after = decision.before, decision.after
        if after is None:
            change = "deleted"
        elif not decision.changed:
            change = f"already {after.reason}"
        else:
            step = (
                f"{before.status} → {after.status}"
                if before.status != after.status
                else f"stays {after.status}"
            )
            change = f"{step} ({after.reason})"
        lines.append(printable(f"{before.id}  {change}  {before.fact}"))
        if (
            before.status == "quarantined"
            and after is not None
            and after.status == "active"
        ):
            lines.append(
                printable(f"  it was quarantined: {before.reason or 'no reason kept'}")
            )
    return "\n".join(lines)


def gaps(found: Gaps) -> str:
    blocks = []
    if found.errors:
        body = table(
            ("sessions", "times", "last", "repo", "to review", "error"),
            [
                (number(e.sessions), number(e.times), local_day(e.last), e.repo, e.candidates[0] if e.candidates else "–",
                 e.fingerprint)
                for e in found.errors
            ],
            right="sessions times",
        )  # fmt: skip
        blocks.append(
            _block(
                "Errors that came back and have no lesson",
                body,
                found,
                "errors",
                len(found.errors),
            )
        )
    if found.questions:
        body = rows(found.questions, status=True)
        blocks.append(
            _block("Open questions", body, found, "questions", len(found.questions))
        )
    if found.repos:
        body = table(
            ("sessions", "failed calls", "items", "repo"),
            [
                (number(r.sessions), number(r.failed), number(r.items), r.repo)
                for r in found.repos
            ],
            right="sessions failed items",
        )
        blocks.append(
            _block(
                "Repos with many sessions and few items",
                body,
                found,
                "repos",
                len(found.repos),
            )
        )
    if found.domains:
        body = table(
            ("items", "domain"),
            [(number(d.items), d.domain) for d in found.domains],
            right="items",
        )
        blocks.append(
            _block(
                "Domains with fewer than 10 items",
                body,
                found,
                "domains",
                len(found.domains),
            )
        )
    return (
        "\n\n".join(blocks)
        or "No gaps: no error came back without a lesson, and no question is open."
    )


def _block(title: str, body: str, found: Gaps, name: str, shown: int) -> str:
    more = found.totals.get(name, 0) - shown
    rest = f"\n… and {number(more)} more: --limit" if more > 0 else ""
    return f"{click.style(title, bold=True)}\n{body}{rest}"


def stale(found: Sequence[Stale], limit: int) -> str:
    if not found:
        return "Nothing is stale."
    lines = [
        line
        for one in found[:limit]
        for line in (
            f"{click.style(one.item.id, bold=True)}  {printable(one.item.repo or 'everywhere')}  {'; '.join(one.why)}",
            paragraph(printable(one.item.fact), "    "),
        )
    ]
    total = count(len(found), "item") + (
        ": a higher --limit shows more" if len(found) > limit else ""
    )
    advice = (
        "`afterglow knowledge approve ID` if it still holds, `retire ID --why` if not."
    )
    return "\n".join([*lines, paragraph(f"{total}. {advice}")])


def stats(found: Stats) -> str:
    counts = found.counts
    total = counts.items
    if not total and not found.problems:
        return nothing({}, None)
    lines = [f"{count(total, 'item')}, {count(counts.evidence, 'piece')} of evidence"]
    lines[0] += (
        f", {number(found.covered)} of {count(found.sessions, 'session')} taught something"
    )
    lines[0] += f"; {number(counts.buried)} deleted" if counts.buried else ""
    for name in ("status", "category", "trust", "miner", "repo"):
        counted = getattr(counts, name)
        best = sorted(counted.items(), key=lambda one: (-one[1], one[0]))
        more = f", and {len(best) - 8} more" if len(best) > 8 else ""
        told = ", ".join(f"{number(n)} {word or '–'}" for word, n in best[:8]) + more
        lines.append(paragraph(printable(told), f"{name:<9} "))
    if found.problems:
        lines += [
            "the store is damaged:",
            *(f"  {printable(problem)}" for problem in found.problems),
        ]
    else:
        lines.append("the store is sound")
    return "\n".join(lines)
