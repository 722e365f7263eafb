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
MEDIAN_CALLS, SPREAD = 7, 1.05  # of a log-normal: a long tail, as real sessions have
MAX_CALLS, MAX_CHILD_CALLS = 400, 25  # what keeps a file at a size one can look at
# Shares of the sessions that can be so.
EMPTY, DAMAGED, COPIED = 0.12, 0.03, 0.015
CRON, HOMELESS, WORKTREE, IN_PROFILE = 0.20, 0.05, 0.20, 0.30
CHILD_SECONDS = 30  # that a sub-agent starts after its parent
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
    """Every draw comes from one stream, so their order here is part of what a seed means."""
    rng = random_for(seed, index, "plan")
    if index % PERIOD in CHILDREN:
        return _child(rng, plan(seed, index - 1, total, until), index, total, until)
    agent = _agent(rng, index)
    late = _late(rng, index, total)
    person = rng.choice(PEOPLE)
    repo = None if rng.random() < HOMELESS else rng.choice(REPOS)
    branch = rng.choice(BRANCHES)
    task, calls = _task(rng, agent), _calls(rng)
    start = until - SPAN * (1 - late)
    is_parent = index % PERIOD + 1 in CHILDREN
    cron = _happens(rng, agent == "hermes" and not is_parent, CRON)
    may_be_empty = not (is_parent or cron or index < len(AGENTS) or agent == "openai")
    empty = _happens(rng, may_be_empty, EMPTY)
    id = session_id(rng, agent, start, cron=cron)
    model = rng.choice(AGENTS[agent][1])
    cwd = _cwd(rng, person, repo, branch)
    in_profile = _happens(rng, agent == "hermes" and not is_parent, IN_PROFILE)
    damage = "" if empty else _damage(rng, agent)
    may_be_copied = agent == "claude-code" and not is_parent and not empty
    return Plan(
        index=index,
        id=id,
        agent=agent,
        model=model,
        person=person,
        repo=repo,
        cwd=cwd,
        branch=branch if repo else "",
        start=start,
        late=late,
        task=task,
        calls=calls,
        origin="cron" if cron else "main",
        child=is_parent,
        profile="ops" if in_profile else "",
        empty=empty,
        damage=damage,
        copied=_happens(rng, may_be_copied, COPIED),
    )


def _child(rng: Random, parent: Plan, index: int, total: int, until: float) -> Plan:
    """A sub-agent: it works where its parent does."""
    agent = parent.agent
    _agent(rng, index)  # drawn and not used: the stream is the same for all
    late = _late(rng, index, total)
    task, calls = _task(rng, agent), _calls(rng)
    return Plan(
        index=index,
        id=session_id(rng, agent, until - SPAN * (1 - late), child=True),
        agent=agent,
        model=rng.choice(AGENTS[agent][1]),
        person=parent.person,
        repo=parent.repo,
        cwd=parent.cwd,
        branch=parent.branch,
        start=parent.start + CHILD_SECONDS,
        late=late,
        task=task,
        calls=min(calls, MAX_CHILD_CALLS),
        origin="subagent",
        parent=parent.id,
        damage=_damage(rng, agent),
    )


def _happens(rng: Random, possible: bool, share: float) -> bool:
    """Nothing is drawn for what cannot be."""
    return possible and rng.random() < share


def _late(rng: Random, index: int, total: int) -> float:
    return min((index + rng.random()) / total, 1.0)


def _agent(rng: Random, index: int) -> str:
    """Drawn by share; but every agent occurs, and those that have sub-agents where these are."""
    drawn = rng.choices(tuple(AGENTS), [share for share, _ in AGENTS.values()])[0]
    if index % PERIOD + 1 in CHILDREN:
        return CHILDREN[index % PERIOD + 1]
    return tuple(AGENTS)[index] if index < len(AGENTS) else drawn


def _task(rng: Random, agent: str) -> str:
    task = rng.choices([name for name, _ in TASKS], [share for _, share in TASKS])[0]
    return "code" if agent == "codex" and task in {"research", "mixed"} else task


def _calls(rng: Random) -> int:
    drawn = round(rng.lognormvariate(0, SPREAD) * MEDIAN_CALLS)
    return min(max(drawn, 1), MAX_CALLS)


def _damage(rng: Random, agent: str) -> str:
    """Only where a session is a file of lines."""
    if agent in {"claude-code", "codex", "openai"} and rng.random() < DAMAGED:
        return rng.choice(DAMAGES)
    return ""


def _cwd(rng: Random, person: Person, repo: Repo | None, branch: str) -> str:
    if repo is None:
        return person.home
    in_worktree = branch != "main" and rng.random() < WORKTREE
    pattern = person.worktrees if in_worktree else person.source
    return pattern.format(repo=repo.name, branch=branch.replace("/", "-"))


def session_id(
    rng: Random, agent: str, start: float, *, cron: bool = False, child: bool = False
) -> str:
    """As the agent itself would name it. The part that comes from chance is as long as theirs."""
    digits = f"{rng.getrandbits(128):032x}"
    moment = time.strftime("%Y%m%d_%H%M%S", time.gmtime(start))
    if cron:
        return f"cron_{rng.choice(('digest', 'backup', 'tides'))}_{moment}"
    if agent == "hermes":
        return f"{moment}_{digits[:6]}"
    if agent == "openai":
        return f"session_{moment}_{digits[:8]}"
    if agent == "claude-code" and child:
        return f"agent-{digits[:8]}"
    return (
        f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"
    )
