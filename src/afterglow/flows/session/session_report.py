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
NOTE = 500  # characters of a note that are kept
READ = 4 * NOTE  # and that are looked at, so that no secret is cut in two


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
    if rating is not None and (
        isinstance(rating, bool) or not isinstance(rating, int) or not 1 <= rating <= 5
    ):
        raise UsageError(f"a rating is a whole number from 1 to 5, not {rating!r}")
    found = MARK.search(delivery)
    unknown = NotFound(
        f"no delivery {clip(printable(delivery), 60)!r}; its id stands in the first line of the context, "
        "like ag-0123456789"
    )
    if found is None or not config.ledger.exists():
        raise unknown
    words = (
        " ".join(redactor_of(config).redact(note[:READ]).text.split())
        if note.strip()
        else ""
    )
    report = Reported(
        delivery=found[0], outcome=outcome, time=time.time() if now is None else now, rating=rating,
        note=clip(printable(words), NOTE),
    )  # fmt: skip
    with Ledger(config.ledger) as ledger:
        try:
            first = ledger.report(report)
        except NotFound:
            raise unknown from None
    return Report(report, replaced=not first)
