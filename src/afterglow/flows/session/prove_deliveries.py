"""Settling the ledger: which contexts given out stand in which transcripts, and what they did there.

It goes by sessions, not by deliveries: each finished session of the last weeks is looked at once, for all ids at once,
and again only if it went on. A file is searched as bytes first; only one that holds an id, or that a hint was handed to,
is read as a session.
"""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from functools import cached_property, lru_cache
from hashlib import blake2b
from itertools import islice
from pathlib import Path

from afterglow.config import Config
from afterglow.errors import UnreadableSource
from afterglow.flows.harvest import worker_redactor
from afterglow.flows.isolation import isolated
from afterglow.flows.session.places_of_deliveries import (
    SKEW,
    is_quoted,
    may_hold,
    provable,
    start_of,
)
from afterglow.harvest.trail import Trail
from afterglow.measure.effects import RULES, judge
from afterglow.measure.proofs import Proof, find_proof
from afterglow.records.catalog import Entry, state
from afterglow.records.delivery import Delivery, Followed, Settled, Verdict
from afterglow.records.problems import Event
from afterglow.records.selection import Selection
from afterglow.records.session import Session
from afterglow.sessions import load
from afterglow.store.catalog import Catalog
from afterglow.store.ledger import Ledger

DAY = 86400.0
AHEAD = DAY  # how long before a session its context may have been made
GIVE_UP = 7 * DAY  # without proof for so long it is no data
KEPT_OPEN = 30 * DAY  # a transcript may turn up, or a session go on, for so long

Progress = Callable[[int, int], None]


def settle_deliveries(
    config: Config,
    *,
    now: float | None = None,
    ended: Collection[str] = (),
    progress: Progress = lambda count, total: None,
) -> Settled:
    """Looks for contexts given out in the sessions the catalogue holds (so scan first), and judges what they did there.
    Sessions in `ended` are over, however little time has passed. Ctrl-C keeps what is done."""
    begun = time.monotonic()
    now = time.time() if now is None else now
    if not config.ledger.exists():
        return Settled(seconds=time.monotonic() - begun)
    with Ledger(config.ledger) as ledger:
        work = _Settling(config, ledger, now, ended)
        entries = work.candidates()
        try:
            for count, entry in enumerate(entries, 1):
                work.look(entry)
                progress(count, len(entries))
        finally:
            ledger.look(work.looked, now - KEPT_OPEN - AHEAD)
        given_up = ledger.give_up(now - GIVE_UP)
        waiting = len(ledger.open_deliveries())
    return Settled(
        looked=len(entries),
        proved=work.proved,
        judged=work.judged,
        no_data=given_up,
        waiting=waiting,
        troubles=tuple(work.troubles),
        seconds=time.monotonic() - begun,
    )


class _Settling:
    """One round: the deliveries that may still be proved or judged anew, and what came of them."""

    def __init__(
        self, config: Config, ledger: Ledger, now: float, ended: Collection[str]
    ) -> None:
        self.config, self.ledger, self.now, self.ended = config, ledger, now, ended
        deliveries = ledger.deliveries(since=now - KEPT_OPEN)
        self.open = {delivery.id: delivery for delivery in deliveries}
        self.times = [delivery.time for delivery in self.open.values()]
        self.looked: dict[int, tuple[bytes, float]] = {}
        self.proved = self.judged = 0
        self.troubles: list[tuple[str, str]] = []

    def candidates(self) -> list[Entry]:
        """Finished sessions in which a context may stand and that were not looked at as they are now, first to start
        first."""
        if not self.open:
            return []
        with Catalog(self.config.catalog) as catalog:
            entries = catalog.entries(Selection(since=self.times[0] - SKEW))
        looked = self.ledger.looked()
        changed = [
            entry
            for entry in entries
            if self._is_over(entry) and looked.get(entry.key) != _check(entry)
        ]
        return sorted(
            filter(self._deliveries_near, changed),
            key=lambda entry: (start_of(entry), entry.end or 0.0, entry.id),
        )

    def _is_over(self, entry: Entry) -> bool:
        return entry.id in self.ended or state(entry, self.now) != "active"

    def _deliveries_near(self, entry: Entry) -> list[Delivery]:
        """What was given out while the session ran, or within a day before it."""
        start = start_of(entry)
        end = start if entry.end is None else entry.end
        first = bisect_left(self.times, start - AHEAD)
        last = bisect_right(self.times, end + SKEW)
        return list(islice(self.open.values(), first, last)) if first < last else []

    def look(self, entry: Entry) -> None:
        """One session; what is wrong with its source becomes part of the result, and it is tried again next time."""
        deliveries = list(provable(entry, self._deliveries_near(entry)))
        try:
            with isolated("judging"):
                if may_hold(entry, deliveries):
                    self._judge(entry, deliveries)
        except FileNotFoundError:
            return  # gone since the scan: without a transcript there is no data
        except (UnreadableSource, OSError) as error:
            self.troubles.append((entry.source, f"{type(error).__name__}: {error}"))
            return
        self.looked[entry.key] = _check(entry), entry.end or start_of(entry)

    def _judge(self, entry: Entry, deliveries: list[Delivery]) -> None:
        for session in load(Path(entry.source), only={entry.id}):
            course = _Course(session, entry.repo, self.config)
            for id, proof in find_proof(session, deliveries).items():
                delivery = self.open[id]
                if is_quoted(session.turns[proof.turn].time, entry, delivery):
                    continue
                verdicts = judge(session, delivery, proof, self._clean)
                taken = self.ledger.judge(
                    id,
                    session.id,
                    verdicts,
                    started=start_of(entry),
                    turn=proof.turn,
                    followed=course.after(delivery, proof, verdicts),
                )
                again = delivery.state == "delivered" and delivery.session == session.id
                self.judged += taken and again
                self.proved += taken and not again

    def _clean(self, mark: str) -> str:
        return _redacted(mark, self.config.names, str(self.config.home / "cache"))


class _Course:
    """A session, and what went wrong in it: read once, and only where a delivery has to do with a failure. What reads
    it is imported then: `afterglow measure` waits for this module."""

    def __init__(self, session: Session, repo: str, config: Config) -> None:
        self.session, self.repo, self.config = session, repo, config

    def after(
        self, delivery: Delivery, proof: Proof, verdicts: Iterable[Verdict]
    ) -> Followed | None:
        came = any(verdict.failed for verdict in verdicts)
        if delivery.when != "failure" and not came:
            return None
        from afterglow.measure.after_failure import what_followed

        return what_followed(self.trail, self.events, delivery, proof)

    @cached_property
    def trail(self) -> Trail:
        return Trail(self.session, self.repo)

    @cached_property
    def events(self) -> tuple[Event, ...]:
        from afterglow.harvest.events.redaction import redacted
        from afterglow.harvest.events.session_events import events_of

        cache = str(self.config.home / "cache")
        redactor = worker_redactor(self.config.names, cache)
        raw = events_of(self.trail)
        return redacted(raw, self.trail, redactor, Counter()).events


@lru_cache(maxsize=4096)
def _redacted(mark: str, names: tuple[str, ...], cache: str) -> str:
    return worker_redactor(names, cache).redact(mark).text


def _check(entry: Entry) -> bytes:
    """What a session looks like: it is looked at again when this changes."""
    traits = (entry.messages, entry.calls, entry.end, entry.ending, RULES)
    return blake2b(repr(traits).encode(), digest_size=8).digest()
