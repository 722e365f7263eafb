"""What the n-th session of a fleet is: who, where, when, with which agent, and what is special about it.

A plan depends on nothing but the seed and the number, so any part of a fleet can be written on its own.
"""

from __future__ import annotations

import time
from random import Random

from msgspec import Struct

from afterglow_demo.world import AGENTS, BRANCHES, PEOPLE, REPOS, TASKS, Person, Repo

DAY = 86400.0
SPAN = 42 * DAY  # six weeks
MEDIAN_CALLS, SPREAD, MOST_CALLS = 7, 1.05, 400
EMPTY, DAMAGED, COPIED, CRON, HOMELESS, WORKTREE = 0.12, 0.03, 0.015, 0.20, 0.05, 0.20
PERIOD = 20  # in every so many sessions, two are sub-agents of the one before them
CHILDREN = {7: "claude-code", 17: "hermes"}
DAMAGES = ("broken", "half", "garbage", "encoding")


class Plan(Struct, frozen=True, kw_only=True):
    """`late` says how far into the fleet's history a session lies, 0 to 1. `calls` is how many it aims at."""

    index: int
    id: str
    agent: str
    model: str
    person: Person
    repo: Repo | None
    cwd: str
    branch: str
    start: float
    late: float
    task: str
    calls: int
    origin: str = "main"
    parent: str = ""
    child: bool = False
    profile: str = ""
    empty: bool = False
    damage: str = ""
    copied: bool = False


def random_for(seed: int, index: int, purpose: str) -> Random:
    return Random(f"{seed} {index} {purpose}")


def plan(seed: int, index: int, total: int, until: float) -> Plan:
    rng = random_for(seed, index, "plan")
    place = index % PERIOD
    child = place in CHILDREN
    parent = plan(seed, index - 1, total, until) if child else None
    forced = (
        CHILDREN.get(place)
        or CHILDREN.get(place + 1)
        or (tuple(AGENTS)[index] if index < len(AGENTS) else "")
    )
    drawn = rng.choices(tuple(AGENTS), [share for share, _ in AGENTS.values()])[0]
    agent = parent.agent if parent else forced or drawn
    late = min((index + rng.random()) / total, 1.0)
    person = parent.person if parent else rng.choice(PEOPLE)
    repo = (
        parent.repo
        if parent
        else None
        if rng.random() < HOMELESS
        else rng.choice(REPOS)
    )
    branch = parent.branch if parent else rng.choice(BRANCHES)
    task = rng.choices([name for name, _ in TASKS], [share for _, share in TASKS])[0]
    start = until - SPAN * (1 - late)
    calls = min(max(round(rng.lognormvariate(0, SPREAD) * MEDIAN_CALLS), 1), MOST_CALLS)
    plain = not child and place + 1 not in CHILDREN
    cron = agent == "hermes" and plain and rng.random() < CRON
    empty = (
        plain
        and not cron
        and index >= len(AGENTS)
        and agent != "openai"
        and rng.random() < EMPTY
    )
    lines = agent in {"claude-code", "codex", "openai"} and not empty
    return Plan(
        index=index,
        id=session_id(rng, agent, start, cron=cron, child=child),
        agent=agent,
        model=rng.choice(AGENTS[agent][1]),
        person=person,
        repo=repo,
        cwd=_cwd(rng, person, repo, branch) if parent is None else parent.cwd,
        branch=branch if repo else "",
        start=parent.start + 30 if parent else start,
        late=late,
        task="code" if agent == "codex" and task in {"research", "mixed"} else task,
        calls=min(calls, 25) if child else calls,
        origin="subagent" if child else "cron" if cron else "main",
        parent=parent.id if parent else "",
        child=place + 1 in CHILDREN,
        profile="ops"
        if agent == "hermes"
        and not child
        and place + 1 not in CHILDREN
        and rng.random() < 0.3
        else "",
        empty=empty,
        damage=rng.choice(DAMAGES) if lines and rng.random() < DAMAGED else "",
        copied=agent == "claude-code" and plain and not empty and rng.random() < COPIED,
    )


def _cwd(rng: Random, person: Person, repo: Repo | None, branch: str) -> str:
    if repo is None:
        return person.home
    tree = branch != "main" and rng.random() < WORKTREE
    return (person.worktrees if tree else person.source).format(
        repo=repo.name, branch=branch.replace("/", "-")
    )


def session_id(
    rng: Random, agent: str, start: float, *, cron: bool = False, child: bool = False
) -> str:
    """As the agent itself would name it. The part that comes from chance is as long as theirs."""
    digits = f"{rng.getrandbits(128):032x}"
    moment = time.strftime("%Y%m%d_%H%M%S", time.gmtime(start))
    if agent == "hermes":
        return (
            f"cron_{rng.choice(('digest', 'backup', 'tides'))}_{moment}"
            if cron
            else f"{moment}_{digits[:6]}"
        )
    if agent == "openai":
        return f"session_{moment}_{digits[:8]}"
    if agent == "claude-code" and child:
        return f"agent-{digits[:8]}"
    return (
        f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"
    )
