"""What of this machine's ledger and experiments a hub may have: which items were given and what became of them, and the
units of experiments with how they went.

Words stay at home, and so does the salt of a plan. A row belongs to a repository; one of which that is not known is not
sent. Which repositories are shared, and whether anything is, is decided by whoever sends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.experiment.shared_plans import shared_plan, without_salt
from afterglow.flows.experiment import Collected, gathered, list_experiments
from afterglow.harvest.merge import id_of
from afterglow.harvest.shared_lessons import LESSON_MINERS, lesson_topic
from afterglow.records.delivery import Delivery
from afterglow.records.experiment import Assignment, Plan
from afterglow.records.shared_books import (
    OwnRow,
    SharedTrial,
    plan_key,
    unit_key,
    without_problem,
    without_words,
)
from afterglow.sessions.exclusions import Exclusions
from afterglow.store.experiment_pseudonyms import FORGOTTEN
from afterglow.store.experiments import Record
from afterglow.store.knowledge import Knowledge
from afterglow.store.ledger import Ledger

NO_REPOSITORY = ("", "(no repository)", "–")  # as sessions, and strata, say it


def own_books(config: Config) -> Iterator[OwnRow]:
    """Plans come before what rests on them. Sessions of experiments that ended since are recorded first."""
    at_home = replace(config, hub=None)
    exclusions = Exclusions(config.privacy.exclude, config.aliases)
    for row in (*_experiments(at_home), *_deliveries(at_home)):
        if row.repo not in NO_REPOSITORY and not exclusions.has_repo(row.repo):
            yield row


def _deliveries(config: Config) -> Iterator[OwnRow]:
    if not config.ledger.exists():
        return
    with Ledger(config.ledger) as ledger:
        deliveries = [each for each in ledger.deliveries() if not each.is_by_hand]
    names = _names_at_hub(config, deliveries)
    for delivery in deliveries:
        body = msgspec.to_builtins(_without_words(delivery, names))
        yield OwnRow("delivery", delivery.id, delivery.repo, body)


def _names_at_hub(config: Config, deliveries: Iterable[Delivery]) -> dict[str, str]:
    """Of lessons that were written here: a hub knows those by their words."""
    if not config.knowledge_file.exists():
        return {}
    ids = {entry.item for delivery in deliveries for entry in delivery.items}
    with Knowledge(config.knowledge_file) as knowledge:
        items = knowledge.find(ids)
    return {
        id: id_of(lesson_topic(item))
        for id, item in items.items()
        if item.miner in LESSON_MINERS
    }


def _without_words(delivery: Delivery, names: Mapping[str, str]) -> Delivery:
    """Nor what only this machine can use."""
    after = delivery.followed
    items = [
        replace(without_words(entry), item=names.get(entry.item, entry.item))
        for entry in delivery.items
    ]
    return replace(
        delivery,
        task="",
        turn=None,
        call="",
        words="",
        topics=(),
        followed=after and without_problem(after),
        items=tuple(items),
    )


# Experiments


def _experiments(config: Config) -> Iterator[OwnRow]:
    for listed in list_experiments(config):
        if listed.assigned + listed.recorded and not listed.plan.simulated:
            yield from _experiment_rows(gathered(config, listed.plan.name))


def _experiment_rows(collected: Collected) -> Iterator[OwnRow]:
    plan = collected.plan
    records = _standing(collected.records)
    units = _Units(plan, records)
    rows = [
        *map(units.assignment_row, collected.assignments),
        *map(units.trial_row, records),
    ]
    rows = [row for row in rows if row.repo not in NO_REPOSITORY]
    body = msgspec.to_builtins(without_salt(plan))
    for repo in sorted({row.repo for row in rows}):
        yield OwnRow("plan", plan_key(units.experiment, repo), repo, body)
    yield from rows


def _standing(records: tuple[Record, ...]) -> list[Record]:
    """Those that no later record takes the place of."""
    replaced = {record.replaces for record in records}
    return [record for record in records if record.n not in replaced]


class _Units:
    """Those of an experiment, as a hub has them."""

    def __init__(self, plan: Plan, records: Iterable[Record]) -> None:
        self.experiment = shared_plan(plan).name
        self._plan = plan
        self._clusters = {record.trial.unit: record.trial.cluster for record in records}

    def assignment_row(self, assignment: Assignment) -> OwnRow:
        key = unit_key(self.experiment, assignment.arm, assignment.unit)
        repo = self._repo(assignment.unit, assignment.stratum)
        shared = replace(assignment, experiment=self.experiment, delivery="")
        return OwnRow("assignment", key, repo, msgspec.to_builtins(shared))

    def trial_row(self, record: Record) -> OwnRow:
        # What a team compares is arms; tasks and models have names that people gave them.
        trial = replace(record.trial, experiment=self.experiment, run=UNSET)
        arm = trial.arm if self._plan.every_arm else ""
        key = unit_key(self.experiment, arm, trial.unit)
        repo = self._repo(trial.unit, trial.stratum)
        shared = SharedTrial(trial=trial, recorded=record.kept, why=record.why)
        return OwnRow("trial", key, repo, msgspec.to_builtins(shared))

    def _repo(self, unit: str, stratum: str) -> str:
        """None of what was forgotten: its numbers stand at the hub already, if they ever did."""
        if unit.startswith(FORGOTTEN):
            return ""
        return _repo_of(self._plan, stratum) or self._clusters.get(unit, "")


def _repo_of(plan: Plan, stratum: str) -> str:
    """The repository a unit was blocked by: known of every arm alike, and before anything came of it."""
    if plan.design == "paired" or "repo" not in plan.strata:
        return ""
    parts = stratum.split(" · ")
    at = plan.strata.index("repo")
    return parts[at] if len(parts) == len(plan.strata) else ""
