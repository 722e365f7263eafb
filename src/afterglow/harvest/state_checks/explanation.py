"""What a check answers: why a call failed, and what to do."""

from __future__ import annotations

from msgspec import Struct

# Of a command that a sentence repeats: with a longer one it would have more than 60 tokens.
MAX_REPEATED_CHARACTERS = 60


class Explanation(Struct, frozen=True):
    """Why a call failed, as a fact with its remedy.

    `line` is for the moment of failure: one sentence of at most 60 tokens, with the values of this call where they are
    short; empty where the call got its answer all the same. `situation` and `remedy` hold for every session that meets
    the same: together they are what a session can be told when it starts; both are empty for what is about one session
    only. `topic` is what such sessions share, so it holds nothing that varies. `agent_wide`: it is about the agent's
    own tools, whatever the repository.
    """

    check: str
    topic: str
    line: str
    situation: str = ""
    remedy: str = ""
    agent_wide: bool = False

    @property
    def state(self) -> str:
        """What failures of several sessions have in common; empty for what is about one session only."""
        return self.topic if self.situation else ""

    @property
    def general(self) -> str:
        return f"{self.situation}: {self.remedy}." if self.situation else ""


def is_short(command: str) -> bool:
    """Whether a command can be repeated in a sentence."""
    return len(command) <= MAX_REPEATED_CHARACTERS and "\n" not in command


def short_path(path: str) -> str:
    """The end of a path that is too long to be repeated."""
    parts = path.split("/")
    while len(parts) > 1 and not is_short("/".join(parts)):
        parts = parts[1:]
    end = "/".join(parts)
    return end if end == path else f"…/{end}"
