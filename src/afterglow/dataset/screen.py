"""The last look before anything leaves: every cell is what its column may hold, and nothing is secret or personal.

By the time it comes to this there should be nothing to find. If there is, nothing leaves.
"""

from __future__ import annotations

from afterglow.dataset.table import Filled
from afterglow.errors import AfterglowError
from afterglow.text.redact import Redactor

MAX_LICENCE_CHARACTERS = 200  # the name of a licence, not its text


def screen(filled: Filled, redactor: Redactor) -> None:
    """Raises where something is found; the message names the place, never the value."""
    for column in filled.table.columns:
        place = f"{filled.table.name}.{column.name}"
        first: dict[str, int] = {}
        for number, row in enumerate(filled.rows, 1):
            cell = row[column.name]
            if not column.takes(cell):
                raise AfterglowError(
                    f"{place}, row {number}: not what this column may hold ({column.kind}); nothing was written. "
                    "This is a fault of afterglow: please report it"
                )
            if isinstance(cell, str):
                first.setdefault(cell, number)
        texts = list(first)
        for text, redacted in zip(texts, redactor.redact_many(texts), strict=True):
            if redacted.counts:
                raise AfterglowError(
                    f"{place}, row {first[text]}: the redactor finds {', '.join(redacted.counts)}; nothing was written. "
                    "Leave the table out with --tables, or look whether a word of [redact] names is too common"
                )


def screened_licence(licence: str, redactor: Redactor) -> str:
    """The only words of a person's own in a dataset: one short line."""
    words = " ".join(licence.split())
    if len(words) > MAX_LICENCE_CHARACTERS or not words.isprintable():
        raise AfterglowError(
            f"the licence is a name of at most {MAX_LICENCE_CHARACTERS} characters, like CC-BY-4.0"
        )
    if redactor.redact(words).counts:
        raise AfterglowError(
            "the licence holds something secret or personal; a name like CC-BY-4.0 would work"
        )
    return words
