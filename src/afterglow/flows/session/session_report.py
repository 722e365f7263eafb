"""report: how a session that got a delivery went, in the words of its agent or its person."""

from __future__ import annotations

import time
from typing import Literal, get_args

from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import NotFound, UsageError
from afterglow.flows.redactor import redactor_of
from afterglow.records.context import MARK
from afterglow.records.delivery import Reported
from afterglow.store.ledger import Ledger
from afterglow.text.clip import clip, printable

Outcome = Literal["success", "partial", "failure"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
MAX_NOTE_CHARACTERS = 500  # that are kept: a paragraph
MAX_READ_CHARACTERS = 4 * MAX_NOTE_CHARACTERS  # so that no secret is cut in two


class Report(Struct, frozen=True):
    """What was kept, and whether it took the place of an earlier report."""

    kept: Reported
    replaced: bool


def report_outcome(
    config: Config,
    *,
    delivery: str,
    outcome: Outcome,
    rating: int | None = None,
    note: str = "",
    now: float | None = None,
) -> Report:
    """Notes in the ledger how the session went that got the context or template with the id `delivery`. Reporting again
    replaces. The note is redacted and clipped."""
    if outcome not in OUTCOMES:
        raise UsageError(f"no outcome {outcome!r}; there are {', '.join(OUTCOMES)}")
    if rating is not None and not _is_rating(rating):
        raise UsageError(f"a rating is a whole number from 1 to 5, not {rating!r}")
    mark = MARK.search(delivery)
    unknown = NotFound(
        f"no delivery {clip(printable(delivery), 60)!r}; its id stands in the first line of the context, "
        "like ag-0123456789"
    )
    if mark is None or not config.ledger.exists():
        raise unknown
    report = Reported(
        delivery=mark[0],
        outcome=outcome,
        time=time.time() if now is None else now,
        rating=rating,
        note=_clean(config, note),
    )
    with Ledger(config.ledger) as ledger:
        try:
            first = ledger.report(report)
        except NotFound:
            raise unknown from None
    return Report(report, replaced=not first)


def _is_rating(value: object) -> bool:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return is_number and value in range(1, 6)


def _clean(config: Config, note: str) -> str:
    if not note.strip():
        return ""
    redacted = redactor_of(config).redact(note[:MAX_READ_CHARACTERS]).text
    return clip(printable(" ".join(redacted.split())), MAX_NOTE_CHARACTERS)
