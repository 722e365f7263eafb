"""Which sessions: said once on the command line, handed on whole."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct


class Selection(Struct, frozen=True):
    """A repository (its whole name, or the name without its owner), an agent, sessions that ended `since`, and before
    `until`, and the files or folders to look in. What is left out does not matter."""

    repo: str | None = None
    agent: str | None = None
    since: float | None = None
    paths: tuple[Path, ...] = ()
    until: float | None = None

    def fits(self, repo: str, agent: str, time: float | None) -> bool:
        """Whether something of that repository, agent and time is meant, as the catalogue sees it; paths aside."""
        if self.repo and self.repo not in (repo, repo.partition("/")[2]):
            return False
        if self.agent and self.agent != agent:
            return False
        if self.since is None and self.until is None:
            return True
        if time is None:
            return False
        after, before = self.since, self.until
        return (after is None or time >= after) and (before is None or time < before)

    def filters(self) -> dict[str, str]:
        """What narrows it, as reports name it; paths aside."""
        named = {
            "repo": self.repo,
            "agent": self.agent,
            "since": _day(self.since),
            # The last day that is meant: `until` is the end of it.
            "until": _day(self.until - 1 if self.until is not None else None),
        }
        return {name: value for name, value in named.items() if value}


def _day(time: float | None) -> str | None:
    if time is None:
        return None
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d")


EVERYTHING = Selection()


def below(*paths: Path) -> Selection:
    """All sessions found in these files and folders."""
    return Selection(paths=paths)
