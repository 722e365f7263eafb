"""When to stop asking: the cap is reached, nobody answers, or a person breaks it off.

A thousand asks to a server that lets nobody in are not worth a thousand tries.
"""

from __future__ import annotations

from threading import Event

from afterglow.errors import CapReached, ModelError
from afterglow.llm.request import Trouble

HOPELESS = {"locked", "no credit", "not let in", "unknown model", "unreachable"}
GIVE_UP = (
    5  # asks one after the other that got no answer at all, each after all its tries
)


class Halted(ModelError):
    """Nothing more is asked."""


class Halt:
    """Shared by asks that are under way together."""

    def __init__(self) -> None:
        self._event = Event()
        self._why: ModelError | None = None
        self._silent = 0

    def check(self) -> None:
        """Raises why nothing more is asked, if so."""
        if self._event.is_set():
            if isinstance(self._why, CapReached):
                raise CapReached(str(self._why), kind=self._why.kind)
            raise Halted(
                f"not asked, because of what came before: {self._why}"
                if self._why
                else "broken off",
                kind="not asked",
            )

    def wait(self, seconds: float) -> None:
        self._event.wait(seconds)

    def stop(self, why: ModelError | None = None) -> None:
        self._why = self._why or why
        self._event.set()

    def answered(self) -> None:
        self._silent = 0

    def failed(self, error: ModelError) -> None:
        """What went wrong with one ask may be reason enough not to ask the others."""
        self._silent += isinstance(error, Trouble) and error.again
        hopeless = isinstance(error, CapReached) or error.kind in HOPELESS
        if hopeless or self._silent >= GIVE_UP:
            self.stop(error)
