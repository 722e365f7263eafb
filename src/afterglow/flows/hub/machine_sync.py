"""sync: this machine tells its hub what is new and takes in what the team knows.

What the hub acknowledged is not sent again; what it did not is, whatever ended the last try. One sync of a home at a time.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b

import msgspec
from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import AfterglowError, Conflict
from afterglow.flows.hub.hub_client import HubClient
from afterglow.flows.hub.join_hub import alone, joined_hub, membership_of, token_of
from afterglow.flows.hub.own_contributions import ShareableRow, own_contributions
from afterglow.flows.hub.team_items import pull_items
from afterglow.flows.joined_stores import bring_together
from afterglow.records.contributions import Contribution, RefusedRow, TakenIn
from afterglow.records.team import (
    HubLimits,
    HubMember,
    JoinedHub,
    Leaving,
    SyncReport,
    Withdrawn,
)
from afterglow.store.membership import Membership, SentRow

TOO_LONG = "longer than the hub takes in one row"

Show = Callable[[Contribution], None]
Sent = dict[tuple[str, str], SentRow]


class _Batch(Struct, frozen=True):
    """What a POST of contributions holds."""

    machine: str
    batch: Sequence[Contribution]


def sync_machine(
    config: Config,
    *,
    dry_run: bool = False,
    show: Show = lambda row: None,
    client: HubClient | None = None,
    now: float | None = None,
) -> SyncReport:
    """Sends, then takes in. With `dry_run` the hub is asked who we are and nothing else, and each row that would be sent
    is shown. What goes wrong is noted for
    `status` and `doctor`, and raised."""
    when = time.time() if now is None else now
    hub = joined_hub(config)
    hub_client = client or HubClient(hub.url, token_of(config))
    with alone(config), Membership(config.membership) as membership:
        if dry_run:
            return _Sending(config, membership, hub_client, hub).outline(show)
        try:
            report = _synced(config, membership, hub_client, hub, when)
        except AfterglowError as error:
            membership.set_facts({"trouble": str(error), "tried": repr(when)})
            raise
        membership.set_facts({"trouble": "", "time": repr(when), "tried": repr(when)})
        return report


def _synced(
    config: Config,
    membership: Membership,
    client: HubClient,
    hub: JoinedHub,
    now: float,
) -> SyncReport:
    sending = _Sending(config, membership, client, hub)
    sending.run()
    pulled = pull_items(config, membership, client, sending.member)
    bring_together(config, now=now, make=True)
    return SyncReport(
        url=hub.url,
        sent=dict(sending.sent_counts),
        withdrawn=dict(sending.withdrawn_counts),
        refused=tuple(sending.refused),
        received=pulled.received,
        dropped=pulled.dropped,
        unread=pulled.unread,
        team=len(membership.team_ids()),
    )


class _Sending:
    """One walk over all rows: what the hub lacks goes there, what is listed no more is taken back."""

    def __init__(
        self,
        config: Config,
        membership: Membership,
        client: HubClient,
        hub: JoinedHub,
    ) -> None:
        self.config, self.membership, self.client, self.hub = (
            config,
            membership,
            client,
            hub,
        )
        self.member = membership_of(client)
        self.rights = _rights_mark(self.member)
        self.sent_counts: Counter[str] = Counter()
        self.withdrawn_counts: Counter[str] = Counter()
        self.refused: list[RefusedRow] = []

    def outline(self, show: Show) -> SyncReport:
        """What would be sent."""
        before = self.membership.sent()
        listed, new = [], Counter[str]()
        for row in self._listed():
            listed.append(row)
            if self._is_new(before, row):
                new[row.kind] += 1
                body = msgspec.Raw(row.body())
                show(Contribution(row.kind, row.key, row.repo, 0, row.mark, body))
        old = Counter(row.kind for row in _no_longer(before, listed))
        return SyncReport(
            url=self.hub.url,
            sent=dict(new),
            withdrawn=dict(old),
            team=len(self.membership.team_ids()),
            dry=True,
        )

    def run(self) -> None:
        if self.member.hub != self.membership.fact("hub"):
            self._begin_anew()
        before = self.membership.sent()
        listed: list[tuple[str, str]] = []
        for batch in _batches(self._news(before, listed), self.member.limits):
            self._send(batch)
        unlisted = [row for key, row in before.items() if key not in set(listed)]
        rows = self.member.limits.rows
        for start in range(0, len(unlisted), rows):
            self._take_back(unlisted[start : start + rows])

    def _begin_anew(self) -> None:
        """A hub that was put back from a backup may lack what it had acknowledged, and have what was taken back since:
        it lets go all it has of this machine, and gets everything again."""
        if self.membership.fact("hub"):
            everything = Leaving(self.hub.machine, take_back=True)
            self.client.post("/leave", everything, Withdrawn)
        self.membership.forget_sent(self.member.hub)

    def _listed(self) -> Iterator[ShareableRow]:
        yield from own_contributions(self.config, self.member)

    def _news(
        self, before: Sent, listed: list[tuple[str, str]]
    ) -> Iterator[ShareableRow]:
        for row in self._listed():
            listed.append((row.kind, row.key))
            if self._is_new(before, row):
                yield row

    def _is_new(self, before: Sent, row: ShareableRow) -> bool:
        """What was refused is tried again when it, or what the member may, has changed."""
        earlier = before.get((row.kind, row.key))
        if earlier is None:
            return True
        settled = {row.mark} if not earlier.refused else {self._refused_mark(row.mark)}
        return earlier.mark not in settled or earlier.repo != row.repo

    def _refused_mark(self, mark: str) -> str:
        return f"{mark} {self.rights}"

    def _send(self, batch: Sequence[tuple[ShareableRow, bytes]]) -> None:
        limits = self.member.limits
        fitting = [(row, body) for row, body in batch if len(body) <= limits.bytes]
        refused = {
            (row.kind, row.key): TOO_LONG
            for row, body in batch
            if len(body) > limits.bytes
        }
        if fitting:
            numbers = self.membership.numbers(len(fitting))
            rows = [
                Contribution(
                    row.kind, row.key, row.repo, seq, row.mark, msgspec.Raw(body)
                )
                for seq, (row, body) in zip(numbers, fitting, strict=True)
            ]
            refused |= self._posted(rows)
        self._acknowledge([row for row, _ in batch], refused)

    def _posted(self, rows: Sequence[Contribution]) -> dict[tuple[str, str], str]:
        """What the hub refuses, and why. All else it has."""
        body = _Batch(self.hub.machine, rows)
        answer = self.client.post("/contributions", body, TakenIn)
        return {(row.kind, row.key): row.why for row in answer.refused}

    def _acknowledge(
        self, rows: Iterable[ShareableRow], refused: dict[tuple[str, str], str]
    ) -> None:
        acknowledged = []
        for row in rows:
            why = refused.get((row.kind, row.key), "")
            mark = self._refused_mark(row.mark) if why else row.mark
            acknowledged.append(SentRow(row.kind, row.key, row.repo, mark, why))
            if why:
                self.refused.append(RefusedRow(row.kind, row.key, why))
            else:
                self.sent_counts[row.kind] += 1
        self.membership.acknowledge(acknowledged, ())

    def _take_back(self, unlisted: Sequence[SentRow]) -> None:
        """What the hub never took needs no word to it."""
        sent_rows = [row for row in unlisted if not row.refused]
        refused: dict[tuple[str, str], str] = {}
        if sent_rows:
            numbers = self.membership.numbers(len(sent_rows))
            rows = [
                Contribution(row.kind, row.key, row.repo, seq, withdrawn=True)
                for seq, row in zip(numbers, sent_rows, strict=True)
            ]
            refused = self._posted(rows)
        taken_back = [row for row in unlisted if (row.kind, row.key) not in refused]
        self.membership.acknowledge((), [(row.kind, row.key) for row in taken_back])
        self.withdrawn_counts.update(row.kind for row in taken_back if not row.refused)
        self.refused += [
            RefusedRow(kind, key, why) for (kind, key), why in refused.items()
        ]


def _no_longer(before: Sent, listed: Iterable[ShareableRow]) -> list[SentRow]:
    keys = {(row.kind, row.key) for row in listed}
    return [row for key, row in before.items() if key not in keys and not row.refused]


def _batches(
    rows: Iterable[ShareableRow], limits: HubLimits
) -> Iterator[list[tuple[ShareableRow, bytes]]]:
    """As many as a request may hold; a row that is longer than that stands alone."""
    batch: list[tuple[ShareableRow, bytes]] = []
    size = 0
    for row in rows:
        body = row.body()
        is_full = len(batch) >= limits.rows or size + len(body) > limits.bytes
        if batch and is_full:
            yield batch
            batch, size = [], 0
        batch.append((row, body))
        size += len(body)
    if batch:
        yield batch


def _rights_mark(member: HubMember) -> str:
    rights = msgspec.json.encode(sorted(member.rights))
    return blake2b(rights, digest_size=6).hexdigest()


def sync_in_background(config: Config, *, now: float | None = None) -> str:
    """After a harvest, if this machine has joined a hub: why it did not work, or an empty string. Nobody waits for it."""
    if config.hub is not None or not config.membership.exists():
        return ""
    with suppress(Conflict):  # another one is at it
        try:
            sync_machine(config, now=now)
        except Conflict:
            raise
        except AfterglowError as error:
            return str(error)
    return ""
