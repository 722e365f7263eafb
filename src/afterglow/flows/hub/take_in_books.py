"""What members' ledgers and experiments send, at the hub's door: read strictly, named by the hub, screened, kept.

A client may send anything. What is taken says only what it must: which items were given and what became of them, which
arm a unit got and how it went. Sessions and tasks stand there under names by which nobody else can find them, the
repository is the one the row was checked for, and words are those that are needed. What is not a row of its kind is
refused, with the reason.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from afterglow.errors import UsageError
from afterglow.experiment.assign import check_name
from afterglow.experiment.outcomes import EXCLUSIONS
from afterglow.experiment.plan import plan_hash, plan_text
from afterglow.experiment.shared_plans import checked, shared_plan, substance
from afterglow.records.contributions import Contribution, hub_session
from afterglow.records.delivery import Delivery
from afterglow.records.experiment import Assignment, Plan, Trial
from afterglow.records.shared_books import (
    SharedTrial,
    plan_key,
    unit_key,
    unit_of_key,
    without_problem,
    without_words,
)
from afterglow.store.databases import Database
from afterglow.store.postgres.shared_books import (
    own_plan,
    put_assignment,
    put_deliveries,
    put_plan,
    put_trial,
    remove_delivery,
    take_back_plan,
    take_back_unit,
)
from afterglow.text.redact import Redactor

MAX_ITEMS = 500  # of a delivery: the largest budgets hold a tenth of it
MAX_COVARIATES = 20  # what was known of a unit before it began
MAX_COUNT = 1_000_000_000  # of tokens or calls: more were never counted
# By which machines name items, deliveries and agents. Nothing else needs to be written there.
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@-]{0,99}")
_AGENT = re.compile(r"[A-Za-z0-9 ._-]{0,50}")

T = TypeVar("T")


class BookTaking:
    """Taking in rows of one member, inside the transaction that keeps them; `finish` ends it. `author` is the mark of
    the member."""

    def __init__(self, db: Database, author: str, redactor: Redactor) -> None:
        self._db = db
        self._author = author
        self._redactor = redactor
        self._plans: dict[tuple[str, str], Plan] = {}
        self._deliveries: dict[str, Delivery] = {}

    def take(self, row: Contribution) -> str:
        """Why it is not taken; nothing where it is."""
        take = {
            "delivery": self._delivery,
            "plan": self._plan,
            "assignment": self._assignment,
            "trial": self._trial,
        }[row.kind]
        try:
            take(row)
        except (UsageError, msgspec.MsgspecError) as error:
            return str(error)
        return ""

    def finish(self) -> None:
        """Deliveries come in hundreds, and are written at once."""
        put_deliveries(self._db, [*self._deliveries.values()])
        self._deliveries.clear()

    def take_back(self, row: Contribution) -> None:
        """Deliveries go. Numbers of experiments stay, without whose they were: see `store/postgres/experiment_tables`."""
        if row.kind == "delivery":
            self._deliveries.pop(row.key, None)
            remove_delivery(self._db, row.key)
        elif row.kind == "plan":
            name, _, repo = row.key.partition("/")
            take_back_plan(self._db, name, repo)
        else:
            name, unit = unit_of_key(row.key)
            take_back_unit(self._db, name, self._named(unit))

    # The ledger

    def _delivery(self, row: Contribution) -> None:
        sent = _decoded(row, Delivery)
        _expect(sent.id == row.key, "the key is that of another delivery")
        _expect(len(sent.items) <= MAX_ITEMS, f"more than {MAX_ITEMS} items")
        ids = [sent.id, *(entry.item for entry in sent.items)]
        _expect(all(map(_ID.fullmatch, ids)), "an id is no id")
        _expect(_AGENT.fullmatch(sent.agent) is not None, "no agent has such a name")
        calls = sent.followed.calls if sent.followed else 0
        _check_counts(sent.budget, sent.tokens, calls)
        times = [sent.time, 0.0 if sent.started is None else sent.started]
        confidences = [entry.confidence for entry in sent.items]
        _check_numbers([*times, *confidences])
        self._deliveries[sent.id] = self._as_shared(sent, row.repo)

    def _as_shared(self, sent: Delivery, repo: str) -> Delivery:
        return Delivery(
            id=sent.id,
            time=sent.time,
            when=sent.when,
            repo=repo,
            agent=sent.agent,
            budget=sent.budget,
            tokens=sent.tokens,
            state=sent.state,
            session=self._named(sent.session),
            started=sent.started,
            placebo=sent.placebo,
            followed=sent.followed and without_problem(sent.followed),
            items=tuple(map(without_words, sent.items)),
        )

    # Experiments

    def _plan(self, row: Contribution) -> None:
        sent = checked(_decoded(row, Plan))
        _expect(not sent.simulated, "a simulated experiment stays at home")
        self._screen([sent.name, *sent.arms])
        hypothesis, notes = self._redactor.redact_many([sent.hypothesis, sent.notes])
        sent = replace(sent, hypothesis=hypothesis.text, notes=notes.text)
        plan = shared_plan(sent)
        _expect(
            row.key == plan_key(plan.name, row.repo),
            "the key does not say what the plan does",
        )
        text = plan_text(plan).decode()
        substance_text = substance(sent)
        put_plan(self._db, row.repo, plan, text, plan_hash(plan), substance_text)

    def _assignment(self, row: Contribution) -> None:
        sent = _decoded(row, Assignment)
        plan = self._plan_of(sent.experiment, row.repo)
        self._check_unit(row, plan, sent.unit, sent.arm, sent.stratum)
        _check_begin(plan, sent.time)
        assignment = Assignment(
            experiment=plan.name,
            unit=self._named(sent.unit),
            arm=sent.arm,
            time=sent.time,
            stratum=self._stratum(plan, sent.stratum),
        )
        put_assignment(self._db, row.repo, assignment)

    def _trial(self, row: Contribution) -> None:
        shared = _decoded(row, SharedTrial)
        sent = shared.trial
        plan = self._plan_of(sent.experiment, row.repo)
        self._check_unit(row, plan, sent.unit, sent.arm, sent.stratum)
        _check_begin(plan, sent.time)
        _check_outcomes(plan, sent)
        _check_numbers([shared.recorded])
        self._screen([*sent.before, sent.excluded])
        why = self._redactor.redact(shared.why).text
        trial = Trial(
            experiment=plan.name,
            unit=self._named(sent.unit),
            arm=sent.arm,
            time=sent.time,
            outcomes=sent.outcomes,
            stratum=self._stratum(plan, sent.stratum),
            cluster=row.repo if sent.cluster else "",
            pair=self._named(sent.pair),
            before=sent.before,
            session=self._named(sent.session),
            excluded=sent.excluded,
        )
        named = replace(shared, trial=trial, why=why)
        put_trial(self._db, row.repo, named, plan.every_arm)

    def _plan_of(self, name: str, repo: str) -> Plan:
        plan = self._plans.get((name, repo)) or own_plan(self._db, name, repo)
        if plan is None:
            raise UsageError("the hub does not have its plan")
        self._plans[name, repo] = plan
        return plan

    def _check_unit(
        self, row: Contribution, plan: Plan, unit: str, arm: str, stratum: str
    ) -> None:
        check_name("unit", unit)
        check_name("stratum", stratum)
        _expect(bool(unit), "a unit has a name")
        _expect(arm in plan.arms, f"the plan has no such arm; it has {plan.arms}")
        has_arm = plan.every_arm or row.kind == "assignment"
        key = unit_key(plan.name, arm if has_arm else "", unit)
        _expect(row.key == key, "the key is that of another unit")
        if "task" not in plan.strata:
            self._screen([stratum])

    def _stratum(self, plan: Plan, stratum: str) -> str:
        """Tasks have names that people gave them."""
        return self._named(stratum) if "task" in plan.strata else stratum

    def _named(self, session: str) -> str:
        return hub_session(self._author, session) if session else ""

    def _screen(self, names: Iterable[str]) -> None:
        """Names are shown as they are, so no secret may stand in one."""
        texts = [name for name in names if name]
        for name in texts:
            check_name("name", name)
        for redacted in self._redactor.redact_many(texts) if texts else ():
            _expect(not redacted.counts, "a name holds what must not be kept")


def _check_begin(plan: Plan, time: float) -> None:
    """On every machine the plan comes first; of the hub's plan only the earliest is known."""
    _check_numbers([time])
    _expect(time >= plan.created, "it began before its plan was written")


def _check_outcomes(plan: Plan, trial: Trial) -> None:
    _expect(
        trial.outcomes.keys() <= set(plan.outcomes), "an outcome the plan does not have"
    )
    _expect(len(trial.before) <= MAX_COVARIATES, f"more than {MAX_COVARIATES} numbers")
    _expect(trial.excluded in ("", *EXCLUSIONS), "no rule leaves units out like this")
    values = [value for value in trial.outcomes.values() if value is not None]
    _check_numbers([*values, *trial.before.values()])


def _check_counts(*counts: int) -> None:
    _expect(all(0 <= count <= MAX_COUNT for count in counts), "a count that cannot be")


def _check_numbers(values: Iterable[float]) -> None:
    _expect(all(map(math.isfinite, values)), "a number that is none")


def _decoded(row: Contribution, kind: type[T]) -> T:
    return msgspec.json.decode(row.body, type=kind)


def _expect(is_so: bool, otherwise: str) -> None:
    if not is_so:
        raise UsageError(otherwise)
