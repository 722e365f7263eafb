"""Items as text: in a table, one by one, with what is missing and what may no longer hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import click

from afterglow.flows.knowledge import (
    Decision,
    Gaps,
    ItemWithHistory,
    Listing,
    Stale,
    Stats,
)
from afterglow.records.knowledge import (
    STATUSES,
    TRUSTS,
    Change,
    KnowledgeItem,
    Status,
    is_approved,
    support,
)
from afterglow.show.tables import paragraph, table
from afterglow.store.knowledge_counts import Hit
from afterglow.text.clip import printable
from afterglow.text.numbers import count, local_day, local_time, number

COLOURS = {"active": "green", "candidate": "yellow", "quarantined": "red"}


def listing(listed: Listing, statuses: Collection[Status] | None) -> str:
    if not listed.items:
        return nothing(listed.statuses, statuses)
    status = statuses is None or set(statuses) != {"active"}
    of_here = [
        item for item in listed.items if listed.here and item.repo == listed.here
    ]
    elsewhere = [item for item in listed.items if item not in of_here]
    parts = [rows(of_here, status=status)] if of_here else []
    if of_here and elsewhere:
        parts += ["", f"Of other repositories (--repo {listed.here} leaves them out):"]
    parts += [rows(elsewhere, status=status)] if elsewhere else []
    if listed.more:
        strongest = number(len(listed.items))
        parts.append(f"the strongest {strongest}; a higher --limit shows more")
    return "\n".join(parts)


def hits(matches: Sequence[Hit], statuses: Collection[Status] | None) -> str:
    if not matches:
        return "Nothing about that. Fewer or other words may find more; --all also looks at what is not active."
    return rows(
        [hit.item for hit in matches],
        status=statuses is None or set(statuses) != {"active"},
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
    state = ""
    if status:
        state = click.style(f"{item.status:<11}", fg=COLOURS.get(item.status)) + "  "
        state += f"by {item.superseded_by}  " if item.superseded_by else ""
    place = " · ".join(filter(None, (item.repo, item.agent))) or "everywhere"
    sure = f"{item.confidence:.2f}  {local_day(item.last_confirmed)}"
    where = f"{printable(place)}  {support(item)}"
    if item.risk and not is_approved(item):
        state += click.style("risky", fg="red") + "  "
    return f"{click.style(item.id, bold=True)}  {state}{item.category:<10}  {sure}  {where}"


def risky(item: KnowledgeItem) -> str:
    """What a person has to read before they approve what is risky: what it does, and its exact words."""
    words = {"fact": item.fact, "situation": item.situation, "remedy": item.remedy}
    lines = [f"{item.id} is {click.style('risky', fg='red')}: {printable(item.risk)}"]
    lines += [f"  {name:<9}  {printable(text)}" for name, text in words.items() if text]
    return "\n".join(lines)


def one_line(item: KnowledgeItem) -> str:
    return printable(f"{item.id}  {item.fact}")


def nothing(counts: Mapping[str, int], statuses: Collection[Status] | None) -> str:
    """Why a list is empty, and what would fill it."""
    if not sum(counts.values()):
        return "No knowledge yet. `afterglow harvest` reads it out of the sessions."
    present = ", ".join(
        f"{number(counts[status])} {status}"
        for status in STATUSES
        if counts.get(status)
    )
    hint = "fewer filters, or --all, show more"
    if counts.get("candidate") and statuses is not None and "candidate" not in statuses:
        hint = (
            "`afterglow knowledge list --status candidate` shows what waits for review"
        )
    return f"No item fits. The store holds {present}: {hint}."


def whole(stored: ItemWithHistory) -> str:
    """Everything known about one item."""
    item = stored.item
    lines = [
        click.style(item.id, bold=True),
        paragraph(printable(item.fact)),
        "",
        f"  {'status':<11} {_status(item)}",
    ]
    lines += [
        f"  {name:<11} {printable(text)}"
        for name, text in _particulars(item).items()
        if text
    ]
    lines += _chain("replaced by", stored.replaced_by)
    lines += _chain("replaces", stored.replaces)
    if stored.history:
        lines += ["", "  history"]
    for change in stored.history:
        step = f"{change.what}{_step(change, item.fact)}"
        lines.append(printable(f"    {local_time(change.time)}  {change.by}: {step}"))
    return "\n".join(lines)


def _chain(title: str, items: Sequence[KnowledgeItem]) -> list[str]:
    """The decisions before or after an item, a line each with the day it was last said."""
    if not items:
        return []
    rows = [
        f"    {local_day(item.last_confirmed)}  {item.status:<10}  {one_line(item)}"
        for item in items
    ]
    return ["", f"  {title}", *rows]


def _status(item: KnowledgeItem) -> str:
    status = click.style(item.status, fg=COLOURS.get(item.status))
    reason = f": {printable(item.reason)}" if item.reason else ""
    return f"{status}{reason}{' (a person decided)' if item.decided else ''}"


def _particulars(item: KnowledgeItem) -> dict[str, str]:
    """What there is to say of an item, by name; empty where there is nothing."""
    dates = f"{local_day(item.first_seen)} … {local_day(item.last_confirmed)}"
    if item.expires is not None:
        dates += f", expires {local_day(item.expires)}"
    confidence = f"{item.confidence:.2f}, {support(item)}"
    if item.against:
        confidence += f", {number(item.against)} against"
    return {
        "category": ", ".join(filter(None, (item.category, item.domain))),
        "risk": _risk(item),
        "holds in": f"{item.repo or 'every repo'}, {item.agent or 'every agent'}",
        "confidence": confidence,
        "seen": dates,
        "tags": " ".join(item.tags),
        "error": " · ".join(item.fingerprints),
        "cost": f"{item.cost:.1f} calls a time" if item.cost else "",
        "superseded": f"by {item.superseded_by}" if item.superseded_by else "",
        "related": " ".join(item.related),
        "found by": item.miner,
        "evidence": _evidence(item),
    }


def _risk(item: KnowledgeItem) -> str:
    if not item.risk:
        return ""
    approved = "a person approved these words"
    waiting = "no person has approved these words"
    return f"{item.risk} ({approved if is_approved(item) else waiting})"


def _evidence(item: KnowledgeItem) -> str:
    if not item.evidence:
        return "none"
    by_trust = Counter(evidence.trust for evidence in item.evidence)
    trusts = [f"{number(by_trust[name])} {name}" for name in TRUSTS if by_trust[name]]
    pieces = count(len(item.evidence), "piece")
    return f"{pieces} ({', '.join(trusts)}); trust: {item.trust}"


def _step(change: Change, fact: str) -> str:
    """From what to what; the sentence that stands above is not repeated."""
    words = [word for word in (change.before, change.after) if word and word != fact]
    return f" ({' → '.join(words)})" if words else ""


def decisions(taken: Sequence[Decision]) -> str:
    lines = []
    for decision in taken:
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


def gaps(report: Gaps) -> str:
    blocks = []
    if report.errors:
        body = table(
            ("sessions", "times", "last", "repo", "to review", "error"),
            [
                (
                    number(e.sessions),
                    number(e.times),
                    local_day(e.last),
                    e.repo,
                    e.candidates[0] if e.candidates else "–",
                    e.fingerprint,
                )
                for e in report.errors
            ],
            right="sessions times",
        )
        blocks.append(
            _block(
                "Errors that came back and have no lesson",
                body,
                report,
                "errors",
                len(report.errors),
            )
        )
    if report.questions:
        body = rows(report.questions, status=True)
        blocks.append(
            _block("Open questions", body, report, "questions", len(report.questions))
        )
    if report.repos:
        body = table(
            ("sessions", "failed calls", "items", "repo"),
            [
                (number(r.sessions), number(r.failed), number(r.items), r.repo)
                for r in report.repos
            ],
            right="sessions failed items",
        )
        blocks.append(
            _block(
                "Repos with many sessions and few items",
                body,
                report,
                "repos",
                len(report.repos),
            )
        )
    if report.domains:
        body = table(
            ("items", "domain"),
            [(number(d.items), d.domain) for d in report.domains],
            right="items",
        )
        blocks.append(
            _block(
                "Domains with fewer than 10 items",
                body,
                report,
                "domains",
                len(report.domains),
            )
        )
    return (
        "\n\n".join(blocks)
        or "No gaps: no error came back without a lesson, and no question is open."
    )


def _block(title: str, body: str, report: Gaps, name: str, listed: int) -> str:
    more = report.totals.get(name, 0) - listed
    rest = f"\n… and {number(more)} more: --limit" if more > 0 else ""
    return f"{click.style(title, bold=True)}\n{body}{rest}"


def stale(doubted: Sequence[Stale], limit: int) -> str:
    if not doubted:
        return "Nothing is stale."
    lines = [
        line
        for doubt in doubted[:limit]
        for line in (
            f"{click.style(doubt.item.id, bold=True)}  {printable(doubt.item.repo or 'everywhere')}  {'; '.join(doubt.why)}",
            paragraph(printable(doubt.item.fact), "    "),
        )
    ]
    total = count(len(doubted), "item") + (
        ": a higher --limit shows more" if len(doubted) > limit else ""
    )
    advice = (
        "`afterglow knowledge approve ID` if it still holds, `retire ID --why` if not."
    )
    return "\n".join([*lines, paragraph(f"{total}. {advice}")])


def stats(report: Stats) -> str:
    counts = report.counts
    total = counts.items
    if not total and not report.problems:
        return nothing({}, None)
    lines = [f"{count(total, 'item')}, {count(counts.evidence, 'piece')} of evidence"]
    lines[0] += (
        f", {number(report.covered)} of {count(report.sessions, 'session')} taught something"
    )
    lines[0] += f"; {number(counts.buried)} deleted" if counts.buried else ""
    for name in ("status", "category", "trust", "miner", "repo"):
        counted = getattr(counts, name)
        best = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
        more = f", and {len(best) - 8} more" if len(best) > 8 else ""
        words = ", ".join(f"{number(n)} {word or '–'}" for word, n in best[:8]) + more
        lines.append(paragraph(printable(words), f"{name:<9} "))
    if report.problems:
        lines += [
            "the store is damaged:",
            *(f"  {printable(problem)}" for problem in report.problems),
        ]
    else:
        lines.append("the store is sound")
    return "\n".join(lines)
