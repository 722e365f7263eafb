"""Forgetting as a person asks for it on a page: what goes and what stays in words, and only what was shown is forgotten."""

from __future__ import annotations

from hashlib import sha256

from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import Conflict, UsageError
from afterglow.flows.forget import Choice, forget, outline
from afterglow.records.forgetting import Forgetting
from afterglow.text.numbers import count

CONFIRMATION = "forget"  # what a person types before sessions go for good


class ForgettingWords(Struct, frozen=True):
    """What goes with sessions, and what of it stays."""

    going: tuple[str, ...]
    staying: tuple[str, ...]


def forgetting_words(report: Forgetting) -> ForgettingWords:
    going = {
        f"{count(len(report.removed), 'item')} of knowledge": len(report.removed),
        f"{count(report.answers, 'answer')} of writers": report.answers,
        f"{count(report.deliveries, 'context')} and hints given": report.deliveries,
        count(len(report.templates_removed), "template"): len(report.templates_removed),
        count(report.memories, "preference"): report.memories,
        f"{count(len(report.copies), 'copy', 'copies')} of databases": len(
            report.copies
        ),
    }
    staying = {
        f"{count(len(report.retold), 'item')} told anew from other sessions": len(
            report.retold
        ),
        f"{count(len(report.words_kept), 'item')} without that evidence": len(
            report.words_kept
        ),
        f"{count(len(report.templates_changed), 'template')} without its parts": len(
            report.templates_changed
        ),
        f"{count(report.units, 'unit')} of experiments under another name": report.units,
    }
    return ForgettingWords(
        tuple(words for words, number in going.items() if number),
        tuple(words for words, number in staying.items() if number),
    )


def outline_mark(planned: Forgetting) -> str:
    """Stands for the sessions that a person was shown."""
    keys = sorted(f"{session.agent} {session.key}" for session in planned.sessions)
    return sha256("\n".join(keys).encode()).hexdigest()


def forget_outlined(
    config: Config, choice: Choice, *, typed: str, expected: str
) -> Forgetting:
    """Forgets what a person saw in an outline and confirmed by typing the word; nothing where other sessions fit by
    now."""
    if typed.strip().casefold() != CONFIRMATION:
        raise UsageError(f"nothing was forgotten: type {CONFIRMATION} to confirm")
    if outline_mark(outline(config, choice)) != expected:
        raise Conflict("other sessions fit by now; nothing was forgotten: look again")
    return forget(config, choice)
