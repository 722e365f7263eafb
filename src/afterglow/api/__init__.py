"""The way in for programs: `from afterglow import Afterglow`. What is public here stays; everything below may move.

    ag = Afterglow()
    ag.scan()
    print(ag.context(task="fix the flaky test", cwd=".").text)

Everything is imported when it is used, so that a program starts at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import msgspec

from afterglow import config as settings
from afterglow.api.one_at_a_time import ONE_AT_A_TIME, alone
from afterglow.api.running_session import RunningSession
from afterglow.errors import AfterglowError

if TYPE_CHECKING:
    from afterglow.config import Config
    from afterglow.flows.session import Start
    from afterglow.records.catalog import ScanReport
    from afterglow.records.experiment import Analysis, Assignment, Plan
    from afterglow.records.knowledge import HarvestReport, KnowledgeItem, Status
    from afterglow.records.replay import ReplayReport

__all__ = ["Afterglow", "Experiment", "KnowledgeView", "RunningSession"]

AGENT = "python"  # the name of an agent that gives itself none


class Afterglow:
    """What a home knows, and what sessions are told from it. `home` is AFTERGLOW_HOME, or ~/.afterglow, unless said.
    `agent` is the name under which your sessions are kept."""

    def __init__(self, home: str | Path | None = None, *, agent: str = AGENT) -> None:
        folder = Path(home).expanduser().absolute() if home is not None else None
        with ONE_AT_A_TIME:
            self._config = settings.load(folder)
        self._agent = agent

    @property
    def home(self) -> Path:
        return self._config.home

    @property
    def knowledge(self) -> KnowledgeView:
        """What is known."""
        return KnowledgeView(self._config)

    @alone
    def scan(self, *paths: str | Path) -> ScanReport:
        """Finds sessions of every agent of this machine, or in these files and folders, and catalogues them."""
        from afterglow.flows.read import scan

        return scan(self._config, [Path(path) for path in paths])

    @alone
    def harvest(self) -> HarvestReport:
        """Turns finished sessions of the catalogue into knowledge."""
        from afterglow.flows.harvest import harvest

        return harvest(self._config)

    @alone
    def context(
        self,
        task: str = "",
        *,
        cwd: str | Path = ".",
        session: str = "",
        budget: int | None = None,
    ) -> Start:
        """What a session should start with: `.text` goes into its first messages, and may be empty (`.reason` says
        why). It is noted in the ledger; with `session`, the session takes part in a standing experiment."""
        from afterglow.flows.session import start

        return start(
            self._config,
            agent=self._agent,
            cwd=Path(cwd).absolute(),
            task=task,
            session=session,
            budget=budget,
        )

    def session(
        self,
        task: str = "",
        *,
        cwd: str | Path = ".",
        session: str = "",
        budget: int | None = None,
    ) -> RunningSession:
        """A session of yours that begins now: what it starts with, what is known when a call goes wrong, and its end,
        under one name."""
        name = session or str(uuid4())
        try:
            start = self.context(task, cwd=cwd, session=name, budget=budget)
        except AfterglowError as error:
            start = self._untold(error)
        return RunningSession(self, name, cwd=cwd, start=start)

    @alone
    def on_failure(
        self,
        tool: str,
        arguments: Mapping[str, Any] | str,
        output: str,
        *,
        cwd: str | Path = ".",
        session: str = "",
        call: str = "",
        failed: bool | None = True,
    ) -> Start:
        """What is known about a call that went wrong: `.text` is one line to put behind its result, or empty. With
        `session` nothing is said twice to it; `call` is the call's id. Where `failed` is None, the output says."""
        from afterglow.flows.session import on_failure
        from afterglow.records.context import FinishedCall
        from afterglow.sessions.message_lines import says_failure

        written = arguments
        if not isinstance(written, str):
            written = msgspec.json.encode(written, enc_hook=str).decode()
        if failed is None:
            failed = says_failure(tool, written, output)
        finished = FinishedCall(tool, written, output, failed=failed, id=call)
        return on_failure(
            self._config,
            agent=self._agent,
            cwd=Path(cwd).absolute(),
            session=session,
            calls=[finished],
        )

    @alone
    def record(
        self,
        messages: Iterable[Any],
        *,
        session: str = "",
        cwd: str | Path = ".",
        model: str = "",
        title: str = "",
    ) -> str:
        """Keeps a finished session, in the messages of OpenAI's or Anthropic's API (or the objects of their packages), and
        learns from it. Its id."""
        from afterglow.flows.record import record_messages

        name = session or str(uuid4())
        record_messages(
            self._config,
            messages,
            session=name,
            agent=self._agent,
            cwd=Path(cwd).absolute(),
            model=model,
            title=title,
        )
        return name

    @alone
    def replay(self, *, budget: int | None = None) -> ReplayReport:
        """On the history there is: which repeated errors had their remedy in view, with and without."""
        from afterglow.flows.measure import REPLAY_BUDGET, replay

        return replay(self._config, budget=budget or REPLAY_BUDGET)[0]

    @alone
    def experiment(self, name: str, **plan: Any) -> Experiment:
        """An experiment by name. With the words of a plan (`hypothesis`, `outcomes`, `arms` ...) it is made if there
        is none; the same words again change nothing."""
        from afterglow.flows.experiment import new, show

        if plan:
            new(self._config, name, **plan)
        show(self._config, name)
        return Experiment(self._config, name)

    @alone
    def _untold(self, error: AfterglowError) -> Start:
        """A session goes on without us; `afterglow doctor` says why."""
        from afterglow.flows.harvest import log_of
        from afterglow.flows.session import Start

        log_of(self._config).add(f"{self._agent} session", str(error))
        return Start("", "", 0, (), "", str(error))


class KnowledgeView:
    """What a home knows: search it, read it, add to it, decide about it."""

    def __init__(self, config: Config) -> None:
        self._config = config

    @alone
    def search(
        self,
        words: str,
        *,
        repo: str | None = None,
        status: Status = "active",
        limit: int = 20,
    ) -> list[KnowledgeItem]:
        """The most relevant first."""
        from afterglow.flows.knowledge import search
        from afterglow.records.selection import Selection

        hits = search(
            self._config, words, Selection(repo=repo), status=(status,), limit=limit
        )
        return [hit.item for hit in hits]

    @alone
    def list(
        self,
        *,
        repo: str | None = None,
        status: Status = "active",
        limit: int = 20,
    ) -> list[KnowledgeItem]:
        """The strongest first."""
        from afterglow.flows.knowledge import list_items
        from afterglow.records.selection import Selection

        listing = list_items(
            self._config, Selection(repo=repo), status=(status,), limit=limit
        )
        return [*listing.items]

    @alone
    def get(self, id: str) -> KnowledgeItem:
        """One item, with the lines it rests on."""
        from afterglow.flows.knowledge import show

        return show(self._config, [id])[0].item

    @alone
    def approve(self, id: str, *, risky: bool = False) -> None:
        """A person says that it holds, in exactly these words."""
        from afterglow.flows.knowledge import approve

        approve(self._config, [id], risky=risky)

    @alone
    def reject(self, id: str, *, why: str) -> None:
        """A person says that it does not: it is not offered again."""
        from afterglow.flows.knowledge import reject

        reject(self._config, [id], why=why)


class Experiment:
    """Does warm beat cold? `assign` a unit, run it, `record` what came of it, `analyse` whenever you like."""

    def __init__(self, config: Config, name: str) -> None:
        self._config = config
        self.name = name

    @property
    def plan(self) -> Plan:
        from afterglow.flows.experiment import show

        with ONE_AT_A_TIME:
            return show(self._config, self.name)[0]

    @alone
    def assign(self, unit: str, *, task: str = "") -> tuple[Assignment, ...]:
        """The arm of a unit, the same whenever it is asked."""
        from afterglow.flows.experiment import assign

        return assign(self._config, self.name, unit, task=task)

    @alone
    def record(self, unit: str, **outcomes: Any) -> None:
        """What came of a unit, by the names of the outcomes."""
        from afterglow.flows.experiment import record

        record(self._config, self.name, {"unit": unit, **outcomes})

    @alone
    def analyse(self) -> Analysis:
        """What it says now; looking early costs nothing."""
        from afterglow.flows.experiment import analyse

        return analyse(self._config, self.name)
