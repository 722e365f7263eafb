"""What a check answers: why a call failed, and what to do."""

from __future__ import annotations

from msgspec import Struct


class Explanation(Struct, frozen=True):
    """Why a call failed, as a fact with its remedy.

    `line` is for the moment of failure: one sentence of at most 60 tokens with the values of this call, or a text
    without them where they would make it longer. `situation` and `remedy` hold for every session that meets the same:
    together they are what a session can be told when it starts. `topic` is what such sessions share, so it holds
    nothing that varies; `agent_wide`: it is about the agent's own tools, whatever the repository.
    """

    check: str
    topic: str
    line: str
    situation: str
    remedy: str
    agent_wide: bool = False

    @property
    def general(self) -> str:
        return f"{self.situation}: {self.remedy}."
