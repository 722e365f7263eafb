"""Working the queue off: each session that waits is harvested once, then the ledger is settled for all of them. Last, and
for nobody to wait for, whoever the user named writes lessons, if problems have gathered, and a hub that was joined hears
what is new.

An entry is taken by renaming it, so a session that goes on meanwhile comes into the queue anew instead of getting lost;
it is deleted only when its session is harvested. A try is counted before it is made: whatever ends this process, the
next one knows. What fails three times is left aside, and the log says why.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Sequence
from itertools import groupby
from pathlib import Path

import msgspec
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import AfterglowError, NotFound, StoreError
from afterglow.flows.harvest.background_writing import write_in_background
from afterglow.flows.harvest.harvest_sessions import harvest
from afterglow.flows.harvest.queue import (
    QUEUE_PATIENCE,
    QUEUE_PAUSE,
    QUEUE_SECONDS,
    QUEUED,
    TAKEN,
    QueueProgress,
    Waiting,
    Worked,
    entries,
    log_of,
    queue_lock,
    waiting,
)
from afterglow.flows.read import scan
from afterglow.flows.session import settle_deliveries
from afterglow.folders import place_file
from afterglow.records.knowledge import HarvestReport
from afterglow.records.selection import EVERYTHING, below

TIME = "time is up; the rest waits for the next round"
CUT = "the process was ended in the middle"

Taken = tuple[Path, Waiting]


def work_off(
    config: Config,
    *,
    seconds: float = QUEUE_SECONDS,
    progress: QueueProgress = lambda position, total: None,
    again: bool = False,
    now: float | None = None,
) -> Worked:
    """Harvests what is ready, then looks in the ledger for what these sessions were given. One process at a time. With
    `again`, what was left aside is tried once more."""
    if not config.home.exists():
        return Worked()
    round = _Round(
        config,
        time.time() if now is None else now,
        time.monotonic() + seconds,
        progress,
        again,
    )
    while True:
        with queue_lock(config, QUEUE_PATIENCE) as mine:
            if not mine:
                return round.worked(busy=True)
            round.run()
        if (
            round.stopped or not round.ready()
        ):  # whoever comes in while the lock is held starts no other process
            round.write()
            round.sync()
            return round.worked()


class _Round:
    """One process's turn at the queue."""

    def __init__(
        self,
        config: Config,
        now: float,
        until: float,
        progress: QueueProgress,
        again: bool,
    ) -> None:
        self.config, self.now, self.until, self.progress, self.again = (
            config,
            now,
            until,
            progress,
            again,
        )
        self.log = log_of(config)
        self.harvested = self.missing = self.failed = self.created = self.proved = 0
        self.lessons = 0
        self.stopped = ""
        self.seen: set[tuple[str, float]] = set()

    def worked(self, busy: bool = False) -> Worked:
        return Worked(
            harvested=self.harvested,
            missing=self.missing,
            failed=self.failed,
            created=self.created,
            proved=self.proved,
            remaining=len(waiting(self.config)),
            lessons=self.lessons,
            busy=busy,
            stopped=self.stopped,
        )

    def ready(self) -> list[Taken]:
        """What can be harvested and was not tried in this round, source by source."""
        taken: list[Taken] = []
        for path, entry in entries(self.config, QUEUED):
            is_due = entry.ready(self.now) or (self.again and entry.aside)
            if is_due and (path.name, entry.time) not in self.seen:
                taken.append((path, entry))
        return sorted(taken, key=lambda pair: (pair[1].source, pair[1].time))

    def run(self) -> None:
        for path, entry in entries(self.config, TAKEN):
            self._give_back(path, replace(entry, trouble=entry.trouble or CUT))
        ended: set[str] = set()
        for source, group in groupby(self.ready(), key=lambda pair: pair[1].source):
            if time.monotonic() >= self.until:
                self.stopped = TIME
            if self.stopped:
                break
            attempts = (self._take(path, entry) for path, entry in group)
            taken = [pair for pair in attempts if pair is not None]
            if taken and self._harvest(source, taken):
                ended |= _over(taken)
        if self.harvested:
            self._settle(ended)

    def write(self) -> None:
        """Outside of the queue's lock: a writer takes minutes, and sessions may end meanwhile."""
        if not self.harvested or self.stopped:
            return
        try:
            written = write_in_background(self.config, now=self.now)
        except StoreError as error:
            self.log.add("no lessons written", str(error))
            return
        self.lessons = written.lessons if written is not None else 0

    def sync(self) -> None:
        """Outside of the lock, too: the hub may be slow, or away."""
        if not self.harvested or not self.config.membership.exists():
            return
        from afterglow.flows.hub import sync_in_background

        trouble = sync_in_background(self.config, now=self.now)
        if trouble:
            self.log.add("not synced", trouble)

    def _harvest(self, source: str, taken: Sequence[Taken]) -> bool:
        first = not self.harvested
        try:
            cut = not source and scan(self.config, progress=self._watch).interrupted
            report = harvest(
                self.config,
                below(Path(source)) if source else EVERYTHING,
                ended=_over(taken),
                progress=self._watch,
            )
        except NotFound:  # nothing was written down, or it is deleted already
            self.missing += len(taken)
            return self._done(taken)
        except StoreError as error:  # not the session's fault
            return self._stop(taken, str(error), count=False)
        except KeyboardInterrupt:  # while merging; what is committed stays
            return self._stop(taken, TIME, count=first)
        except (AfterglowError, OSError, MemoryError) as error:
            return self._fail(taken, f"{type(error).__name__}: {error}")
        if cut or report.interrupted:
            return self._stop(taken, TIME, count=first)
        return self._count(source, taken, report)

    def _count(
        self, source: str, taken: Sequence[Taken], report: HarvestReport
    ) -> bool:
        """What a harvest that came to its end made of these sessions."""
        real = os.path.realpath(source)
        reasons = [why for path, why in report.troubles if source and path == real]
        if reasons and reasons[0]:
            return self._fail(taken, reasons[0])
        self._done(taken)
        if source and not report.sessions and not report.active:
            self.missing += len(taken)
            self.log.add("no session found", source)
            return False
        self.harvested += len(taken)
        self.created += report.created
        return True

    def _settle(self, ended: Collection[str]) -> None:
        try:
            self.proved += settle_deliveries(self.config, ended=ended).proved
        except StoreError as error:
            self.log.add("not settled", str(error))

    def _watch(self, position: int, total: int) -> None:
        self.progress(position, total)
        if time.monotonic() >= self.until:
            raise KeyboardInterrupt  # harvest and scan keep what is done

    def _take(self, path: Path, entry: Waiting) -> Taken | None:
        """Out of the way of a newer entry of the same session. `None` where that one came at this very moment."""
        self.seen.add((path.name, entry.time))
        taken = path.with_suffix(TAKEN)
        try:
            path.rename(taken)
            entry = msgspec.json.decode(taken.read_bytes(), type=Waiting)
            entry = replace(entry, tries=entry.tries + 1)
            place_file(taken, msgspec.json.encode(entry))
        except OSError as error:
            self.log.add("queue not written", f"{path.name}: {error.strerror}")
            return None
        return taken, entry

    def _done(self, taken: Sequence[Taken]) -> bool:
        for path, _ in taken:
            path.unlink(missing_ok=True)
        return False

    def _fail(self, taken: Sequence[Taken], why: str) -> bool:
        self.failed += len(taken)
        for path, entry in taken:
            self._give_back(path, replace(entry, trouble=self.log.cleaned(why)))
        return False

    def _stop(self, taken: Sequence[Taken], why: str, *, count: bool) -> bool:
        """No more in this round. It counts as a try only where all the time there was went into these sessions."""
        self.stopped = why
        self.log.add("harvest stopped", why)
        for path, entry in taken:
            self._give_back(
                path,
                replace(
                    entry,
                    tries=entry.tries - (not count),
                    trouble=self.log.cleaned(why),
                ),
            )
        return False

    def _give_back(self, path: Path, entry: Waiting) -> None:
        """Into the queue again, unless the session came in anew meanwhile: that entry goes on instead."""
        if entry.aside:
            self.log.add(
                "left aside", f"{entry.agent} session {entry.session}: {entry.trouble}"
            )
        try:
            place_file(path, msgspec.json.encode(entry))
            path.with_suffix(QUEUED).hardlink_to(path)
        except FileExistsError:
            pass
        except OSError as error:
            self.log.add("queue not written", f"{path.name}: {error.strerror}")
            return
        path.unlink(missing_ok=True)


def _over(taken: Sequence[Taken]) -> set[str]:
    """Sessions that are over for certain. One that paused long ago may be at work again: its last line tells."""
    return {entry.session for _, entry in taken if entry.why != QUEUE_PAUSE}
