"""Takes in what a machine sends: under its member's token, in one transaction, as often as it is sent.

What is answered with "accepted" is committed. A row is taken where the member may contribute to its repository and its
body is what its kind says; one that is refused does not keep the others out.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

from afterglow.config import Config
from afterglow.errors import Refused
from afterglow.flows.hub.screen_contributions import KINDS, topics_of_row
from afterglow.flows.hub.take_in_books import BookTaking
from afterglow.flows.redactor import redactor_of
from afterglow.harvest.contributed_findings import MAX_NAME_BYTES, Redact
from afterglow.records.contributions import (
    BOOKS,
    ContributedRows,
    Contribution,
    RefusedRow,
    TakenIn,
    person_mark,
)
from afterglow.records.hub import HubPlace
from afterglow.store.databases import Database
from afterglow.store.hub.askers import hub_connection
from afterglow.store.hub.contribution_rows import (
    TopicRow,
    Whose,
    contributed_rows,
    contributing,
    latest_seqs,
    may_contribute,
    note_in_audit,
    replace_rows,
    standing_rows,
    withdraw_rows,
)
from afterglow.text.redact import Redactor

MAX_ROWS = 2000  # of a batch: a machine sends a quarter of it
MAX_SEQ = 1 << 62
NO_RIGHT = "you may not contribute to {repo}; an admin of the hub can grant it"


def take_in(
    config: Config,
    machine: str,
    batch: Sequence[Contribution],
    *,
    now: float | None = None,
) -> TakenIn:
    """`config.hub` says where, and by its token who sends."""
    if config.hub is None:
        raise Refused("there is no hub to take this in")
    if not machine or len(machine) > MAX_NAME_BYTES:
        raise Refused("a machine has a short name of its own")
    if len(batch) > MAX_ROWS:
        raise Refused(f"more than {MAX_ROWS} rows at once; send them in parts")
    when = time.time() if now is None else now
    taking = _Taking(batch)
    with hub_connection(config.hub) as db:
        taking.check_rights(db)
    redactor = redactor_of(config)
    taking.screen(_redacting(redactor), when)
    with hub_connection(config.hub) as db, contributing(db, machine) as whose:
        may_contribute(db, {row.repo for row in taking.rows})
        taking.keep(db, whose, redactor)
    return taking.answer()


class _Taking:
    """A batch on its way: the highest row of each key, and what is refused."""

    def __init__(self, batch: Sequence[Contribution]) -> None:
        self.rows: list[Contribution] = []
        self._sent = len(batch)
        self._refused: dict[tuple[str, str], str] = {}
        self._says: dict[tuple[str, str], list[TopicRow]] = {}
        newest: dict[tuple[str, str], Contribution] = {}
        for row in batch:
            if reason := _form(row):
                self._refuse(row, reason)
                continue
            before = newest.get((row.kind, row.key))
            if before is None or before.seq < row.seq:
                newest[row.kind, row.key] = row
        self.rows = sorted(newest.values(), key=_order)

    def check_rights(self, db: Database) -> None:
        """What was once sent may be taken back, whatever rights one has now."""
        repos = {row.repo for row in self.rows if not row.withdrawn}
        allowed = may_contribute(db, repos)
        for row in self.rows:
            if not row.withdrawn and row.repo not in allowed:
                self._refuse(
                    row, NO_RIGHT.format(repo=row.repo or "what holds everywhere")
                )
        self._leave_out_refused()

    def screen(self, redact: Redact, now: float) -> None:
        for row in self.rows:
            if row.withdrawn or row.kind in BOOKS:
                continue
            try:
                self._says[row.kind, row.key] = topics_of_row(row, redact, now)
            except Refused as error:
                self._refuse(row, str(error))
        self._leave_out_refused()

    def keep(self, db: Database, whose: Whose, redactor: Redactor) -> None:
        seqs = latest_seqs(db, whose, {(row.kind, row.key) for row in self.rows})
        newer = [
            row for row in self.rows if row.seq > seqs.get((row.kind, row.key), -1)
        ]
        books = BookTaking(db, person_mark(whose.org, whose.person), redactor)
        newer = [row for row in newer if self._take_book(books, row)]
        books.finish()
        rows = [(row, self._says.get((row.kind, row.key), [])) for row in newer]
        replace_rows(db, whose, rows)
        if newer:
            note_in_audit(db, "contributed", _summary(whose.machine, newer))

    def _take_book(self, taking: BookTaking, row: Contribution) -> bool:
        """Whether a row is kept; those of the books have tables of their own."""
        if row.kind not in BOOKS:
            return True
        if row.withdrawn:
            taking.take_back(row)
            return True
        reason = taking.take(row)
        if reason:
            self._refuse(row, reason)
        return not reason

    def answer(self) -> TakenIn:
        refused = tuple(
            RefusedRow(kind, key, why) for (kind, key), why in self._refused.items()
        )
        return TakenIn(self._sent - len(refused), refused)

    def _refuse(self, row: Contribution, why: str) -> None:
        self._refused[row.kind, row.key] = why

    def _leave_out_refused(self) -> None:
        self.rows = [
            row for row in self.rows if (row.kind, row.key) not in self._refused
        ]


def _order(row: Contribution) -> int:
    """An experiment's plan comes before what was done by it."""
    return BOOKS.index(row.kind) if row.kind in BOOKS else -1


def _form(row: Contribution) -> str:
    """What is wrong with a row, whatever it holds."""
    if row.kind not in (*KINDS, *BOOKS):
        return "a kind of row that this hub does not know"
    names = (row.key, row.repo, row.mark)
    if not row.key or any(
        len(name.encode("utf-8", "replace")) > MAX_NAME_BYTES for name in names
    ):
        return "a row needs a key, and no name of it may be that long"
    if any("\0" in name for name in names):
        return "a name with a character that no database keeps"
    return "" if 0 <= row.seq <= MAX_SEQ else "a row needs a number that grows"


def _redacting(redactor: Redactor) -> Redact:
    def redact(texts: list[str]) -> list[str]:
        clean = (text.replace("\0", "\ufffd") for text in texts)
        return [result.text for result in redactor.redact_many(list(clean))]

    return redact


def _summary(machine: str, rows: Sequence[Contribution]) -> str:
    kinds = Counter(row.kind for row in rows if not row.withdrawn)
    listed = [f"{count} {kind}" for kind, count in sorted(kinds.items())]
    withdrawn = sum(row.withdrawn for row in rows)
    if withdrawn:
        listed.append(f"{withdrawn} taken back")
    return f"machine {machine[:80]}: {', '.join(listed)}"


def take_back(place: HubPlace, machine: str = "") -> int:
    """Withdraws all that who asks has contributed, or one of their machines; how many rows."""
    with hub_connection(place) as db, contributing(db, machine) as whose:
        author = person_mark(whose.org, whose.person)
        books = BookTaking(db, author, Redactor())  # what goes is not read again
        for row in standing_rows(db, whose, BOOKS):
            books.take_back(row)
        count = withdraw_rows(db, whose)
        note_in_audit(db, "took back", f"{count} rows of {machine or 'every machine'}")
    return count


def my_contributions(place: HubPlace) -> list[tuple[int, ContributedRows]]:
    """What who asks has contributed; an admin sees how much everybody has: person and rows."""
    with hub_connection(place) as db:
        return contributed_rows(db)
