"""A session of a program, from its first message to its last: what every adapter stands on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterglow.api.one_at_a_time import alone
from afterglow.errors import AfterglowError, UsageError

if TYPE_CHECKING:
    from afterglow.api import Afterglow
    from afterglow.config import Config
    from afterglow.flows.record import EndedCall
    from afterglow.flows.session import Start


class RunningSession:
    """A session from its first message to its last. Nothing that goes wrong here stops it: it is told nothing then, and
    the log has the reason."""

    def __init__(
        self,
        ag: Afterglow,
        id: str,
        *,
        cwd: str | Path = ".",
        start: Start | None = None,
    ) -> None:
        self._afterglow, self._cwd, self._begun = ag, cwd, time.time()
        self._calls: dict[str, EndedCall] = {}
        self.id, self.start = id, start

    @property
    def text(self) -> str:
        """What it should start with; may be empty (`start.reason` says why)."""
        return self.start.text if self.start else ""

    def result(
        self,
        tool: str,
        arguments: Mapping[str, Any] | str,
        output: str,
        *,
        call: str = "",
        failed: bool | None = None,
    ) -> str:
        """What the model should read as the result of a call: its output, and behind it one line where the call went
        wrong and something is known about that. Unless `failed` says so, the output shows whether it did. `call` is
        its id."""
        from afterglow.flows.record import EndedCall
        from afterglow.records.context import BEHIND_OUTPUT

        try:
            line = self._afterglow.on_failure(
                tool,
                arguments,
                output,
                cwd=self._cwd,
                session=self.id,
                call=call,
                failed=failed,
            )
        except AfterglowError as error:
            line = self._afterglow._untold(error)
        if call:
            self._calls[call] = EndedCall(time.time(), failed is True)
        return f"{output}{BEHIND_OUTPUT}{line.text}" if line.text else output

    def record(
        self, messages: Iterable[Any], *, model: str = "", title: str = ""
    ) -> bool:
        """Its end: keeps it and learns from it. False where it is private, or could not be kept."""
        from afterglow.flows.record import record_messages

        return self._kept(
            lambda config, agent, cwd: record_messages(
                config,
                messages,
                session=self.id,
                agent=agent,
                cwd=cwd,
                model=model,
                title=title,
                calls=self._calls,
                begun=self._begun,
            )
        )

    def record_trajectory(self, trajectory: Mapping[str, Any]) -> bool:
        """Its end, as mini-swe-agent writes it down."""
        from afterglow.flows.record import record_trajectory

        return self._kept(
            lambda config, agent, cwd: record_trajectory(
                config, trajectory, session=self.id, agent=agent, cwd=cwd
            )
        )

    @alone
    def _kept(self, keep: Callable[[Config, str, Path], object]) -> bool:
        ag = self._afterglow
        try:
            keep(ag._config, ag._agent, Path(self._cwd).absolute())
        except UsageError:  # what was handed over is no session: a mistake to mend
            raise
        except AfterglowError as error:
            ag._untold(error)
            return False
        return True
