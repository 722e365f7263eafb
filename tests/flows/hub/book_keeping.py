"""A machine's ledger and experiments, and sending them to a hub."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing

import msgspec
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.experiment.assign import arm_of
from afterglow.experiment.plan import plan_hash
from afterglow.flows.hub.own_books import own_books
from afterglow.flows.hub.take_in_books import BookTaking
from afterglow.flows.redactor import redactor_of
from afterglow.records.contributions import Contribution
from afterglow.records.delivery import Delivery, Followed, Given, Verdict
from afterglow.records.experiment import Assignment, Plan, Trial
from afterglow.records.hub import HubPlace
from afterglow.store.databases import transaction
from afterglow.store.experiments import Experiments
from afterglow.store.ledger import Ledger
from afterglow.store.postgres.connection import PostgresConnection

HARBOR = "acme/harbor"
STUDY = Plan(
    name="study", arms=("cold", "both"), allocation=(0.5, 0.5), outcomes=("success",), created=100.0, salt="pepper",
    hypothesis="lessons help",
)  # fmt: skip


def give(config: Config, id: str, *verdicts: Verdict, repo: str = HARBOR, **more):
    """A delivery of two items; with verdicts it was proved."""
    items = (
        Given("k1", 0.8, situation="`make` fails", remedy="`make dock`"),
        Given("k2", 0.9, remedy="ask the pilot"),
    )
    fields = {"agent": "codex", "task": "ab12", "session": f"session-{id}", **more}
    delivery = Delivery(id=id, time=500.0, repo=repo, items=items, **fields)
    after = Followed(
        problem="no pier", explanation="it is gone", solved=True, calls=3, used=True
    )
    with Ledger(config.ledger_file) as ledger:
        ledger.add(delivery)
        if verdicts:
            ledger.judge(
                id, delivery.session, verdicts, started=490.0, turn=3, followed=after
            )


def run_study(config: Config, units: Iterable[str], plan: Plan = STUDY) -> None:
    """Each unit is assigned and recorded; warm ones succeed."""
    with Experiments(config.experiments_file) as store:
        if plan.name not in {earlier.name for earlier in store.plans()}:
            store.add_plan(plan, plan_hash(plan))
        for unit in units:
            stratum = f"{HARBOR} · codex"
            request = Assignment(
                experiment=plan.name, unit=unit, arm="", time=200.0, stratum=stratum
            )
            (assigned,) = store.assign(request, arm_of)
            store.record(trial_of(assigned), kept=300.0)


def trial_of(assigned: Assignment, **more) -> Trial:
    fields = {
        "outcomes": {"success": float(assigned.arm == "both")},
        "cluster": HARBOR,
        "session": assigned.unit,
        "stratum": assigned.stratum,
        **more,
    }
    return Trial(
        experiment=assigned.experiment,
        unit=assigned.unit,
        arm=assigned.arm,
        time=assigned.time,
        **fields,
    )


def contributions(config: Config, seq: int = 1) -> list[Contribution]:
    return [
        Contribution(
            row.kind, row.key, row.repo, seq, body=msgspec.Raw(msgspec.json.encode(row.body))
        )
        for row in own_books(config)
    ]  # fmt: skip


def send(
    place: HubPlace, config: Config, rows: Iterable[Contribution], author: str
) -> list[str]:
    """Why rows were refused, without those that were taken."""
    with closing(PostgresConnection(place)) as db, transaction(db):
        books = BookTaking(db, author, redactor_of(config))
        refusals = [why for row in rows if (why := books.take(row))]
        books.finish()
        return refusals


def take_back(place: HubPlace, config: Config, rows: Iterable[Contribution], author):
    with closing(PostgresConnection(place)) as db, transaction(db):
        books = BookTaking(db, author, redactor_of(config))
        for row in rows:
            books.take_back(replace(row, body=msgspec.Raw(b"null"), withdrawn=True))
