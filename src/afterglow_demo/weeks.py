"""Some weeks of a small team whose agents start with what afterglow gives them, one day at a time.

A term writes nothing by itself: whoever runs it asks for a day's sessions, gives each its context, and has them
written. Checkouts are real folders, so that what is looked at before an item is shown is there.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from afterglow_demo.agent import (
    HEEDING,
    Listens,
    Potential,
    Temper,
    met,
    outcome,
    silent,
    tell,
)
from afterglow_demo.filler import Pool
from afterglow_demo.plan import Plan, random_for, session_id
from afterglow_demo.story import Story
from afterglow_demo.world import AGENTS, PEOPLE, REPOS, Repo
from afterglow_demo.writers import claude_code, hermes_db

DAY = 86400.0
MORNING, WORKDAY = 8 * 3600.0, 12 * 3600.0
TEAM = ("claude-code", "hermes")
TASKS = ("code", "code", "file", "mixed")
MIN_CALLS, MAX_CALLS = 3, 9  # of ordinary work in a session: the rest are lessons


class Term(Struct, frozen=True):
    """`home` is the home folder of the simulated team; the history of `days` days ends at `until`."""

    home: Path
    seed: int
    days: int
    sessions: int
    until: float
    temper: Temper = HEEDING
    scale: float = 0.02
    repos: tuple[Repo, ...] = REPOS[:3]

    @property
    def begin(self) -> float:
        return self.until - self.days * DAY

    def checkouts(self) -> None:
        """Every repository as a folder with its remote and its files."""
        for repo in self.repos:
            root = self.folder(repo)
            (root / ".git").mkdir(parents=True)
            (root / ".git" / "config").write_text(
                f'[remote "origin"]\n\turl = {repo.remote}\n', encoding="utf-8"
            )
            for file in repo.files:
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                (root / file).write_text("simulated\n", encoding="utf-8")

    def folder(self, repo: Repo) -> Path:
        return self.home / "src" / repo.name

    def day(self, number: int) -> list[Plan]:
        """The sessions of one day, in the order they start."""
        first = self.sessions * number // self.days
        last = self.sessions * (number + 1) // self.days
        count = max(last - first, 1)
        return [
            self._plan(index, number, (index - first) / count)
            for index in range(first, last)
        ]

    def _plan(self, index: int, day: int, share: float) -> Plan:
        rng = random_for(self.seed, index, "term")
        agent, repo = rng.choice(TEAM), rng.choice(self.repos)
        morning = self.begin + day * DAY + MORNING
        start = round(morning + WORKDAY * share + 60 * rng.random(), 3)
        return Plan(
            index=index,
            id=session_id(rng, agent, start),
            agent=agent,
            model=AGENTS[agent][1][0],
            person=PEOPLE[0],
            repo=repo,
            cwd=str(self.folder(repo)),
            branch="main",
            start=start,
            late=index / self.sessions,
            task=rng.choice(TASKS),
            calls=rng.randint(MIN_CALLS, MAX_CALLS),
        )

    def pool(self) -> Pool:
        return Pool(self.seed)

    def tell(
        self, plan: Plan, pool: Pool, context: str, listens: Listens = silent
    ) -> Story:
        return tell(
            plan,
            pool,
            self.seed,
            context=context,
            listens=listens,
            temper=self.temper,
            scale=self.scale,
        )

    def outcome(self, story: Story, known_ids: Collection[str] = ()) -> Potential:
        return outcome(story, met(story.plan, self.seed), known_ids)

    def write(self, stories: Iterable[Story]) -> None:
        """Puts them where their agents keep them."""
        written = list(stories)
        for story in written:
            if story.plan.agent != "hermes":
                path = self.home / claude_code.path(story.plan)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(claude_code.encode(story))
                os.utime(path, (story.clock, story.clock))
        hermes_db.write(_of_hermes(written), self.home / ".hermes" / "state.db")


def _of_hermes(stories: Iterable[Story]) -> Iterator[Story]:
    return (story for story in stories if story.plan.agent == "hermes")
