"""Which sessions: said once on the command line, handed on whole."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct


class Selection(Struct, frozen=True):
    """A repository (its whole name, or the name without its owner), an agent, sessions that ended `since`, and the
    files or folders to look in. What is left out does not matter."""

    repo: str | None = None
    agent: str | None = None
    since: float | None = None
    paths: tuple[Path, ...] = ()

    def fits(self, repo: str, agent: str, time: float | None) -> bool:
        """Whether something of that repository, agent and time is meant, as the catalogue sees it; paths aside."""
        if self.repo and self.repo not in (repo, repo.partition("/")[2]):
            return False
        if self.agent and self.agent != agent:
            return False
        return self.since is None or (time is not None and time >= self.since)

    def filters(self) -> dict[str, str]:
        """What narrows it, as reports name it; paths aside."""
        named = {"repo": self.repo, "agent": self.agent, "since": self._since_day()}
        return {name: value for name, value in named.items() if value}

    def _since_day(self) -> str | None:
        if self.since is None:
            return None
        return datetime.fromtimestamp(self.since, UTC).strftime("%Y-%m-%d")


EVERYTHING = Selection()


def below(*paths: Path) -> Selection:
    """All sessions found in these files and folders."""
    return Selection(paths=paths)
