"""A home's worth of values for tests of the dataset: sessions, items, templates and trials in a few words."""

from __future__ import annotations

from afterglow.dataset.table import Material, SharedContents
from afterglow.records.catalog import Entry
from afterglow.records.experiment import Trial
from afterglow.records.knowledge import Evidence, KnowledgeItem
from afterglow.records.profile import Profile, Recovery
from afterglow.records.session import Usage
from afterglow.records.template import (
    RecoveryPattern,
    SessionSeed,
    ToolCallExample,
    UserPatterns,
    WarmTemplate,
)

NOW = 1_795_000_000.0
DAY = 86400.0
# What must not be found in anything that leaves. Each has a letter, or a mark, that no pseudonym has.
PRIVATE = (
    "harbor",
    "lighthouse",
    "ana-",
    "barge",
    "mooring",
    "tugboat",
    "4.5.77",
    "cheapest pilot",
    "night-shift",
)


def entry(number: int, *, repo: str = "acme/harbor", day: int = 0, **fields) -> Entry:
    profile = Profile(
        requests=3, replies=9, outcomes="off" + "o" * (number + 9), tools={"Read": "off", "Bash": "o" * (number + 9)},
        early="offo", errors={"mooring lost": 2},
        recoveries=(Recovery("Bash", "make barge", "mooring lost", 2, 3, True),),
        pending=(Recovery("tugboat_call", "tow", "mooring lost", 1, 9, False),),
        first_success_call=1, first_success_seconds=4.2, usage=Usage(input=123_456, output=2_345, cost=0.12345),
    )  # fmt: skip
    start = NOW - DAY * day
    told = {
        "key": number, "id": f"ana-{number}", "agent": "claude-code", "format": "claude-code",
        "source": f"/home/ana/{number}.jsonl", "repo": repo, "cwd": "/home/ana/harbor", "title": "lighthouse",
        "model": "claude-opus-4.5.77",
        "start": start, "end": start + 1234.5, "outcome": "success", "outcome_by": "ending", "profile": profile,
    }  # fmt: skip
    return Entry(**{**told, **fields})


def item(number: int, *, repo: str = "acme/harbor") -> KnowledgeItem:
    place = Evidence(
        f"ana-{number}",
        "claude-code",
        3,
        "result",
        0,
        5,
        "h",
        "mooring lost",
        "tool",
        author="ana",
    )
    return KnowledgeItem(
        id=f"k{number}", fact="make barge needs a tugboat", category="pitfall", status="active", repo=repo, agent="",
        confidence=0.8123, source_count=2, first_seen=NOW, remedy="call the tugboat", miner="recoveries", trust="tool",
        evidence=(place,), domain="barge",
    )  # fmt: skip


def template(number: int) -> WarmTemplate:
    seed = SessionSeed(
        system_context="You repair the lighthouse.",
        tool_examples=(
            ToolCallExample("Bash", '{"command": "make barge"}', "mooring lost"),
        )
        * 2,
        recovery_patterns=(RecoveryPattern("mooring lost", "call the tugboat"),),
        user_patterns=UserPatterns(conventions=("ana says please",)),
    )
    return WarmTemplate(
        id=f"warm_20261118_10150{number}", name="harbor work", seed=seed, repo="acme/harbor", agent="claude-code",
        created=NOW, source_sessions=tuple(f"ana-{number + other}" for other in range(3)), made_by="auto",
    )  # fmt: skip


def trial(number: int, **fields) -> Trial:
    told = {
        "experiment": "night-shift", "unit": f"ana-{number}", "arm": ("cold", "warm", "cheapest pilot")[number % 3],
        "time": NOW, "outcomes": {"errors": 3.0, "barge_count": None}, "stratum": "acme/harbor claude-code",
        "cluster": "acme/harbor", "before": {"tides": 1234.5}, "session": f"ana-{number}",
    }  # fmt: skip
    return Trial(**{**told, **fields})


def material(count: int = 6, **fields) -> Material:
    told = {
        "entries": tuple(entry(number) for number in range(count)),
        "items": tuple(item(number) for number in range(count)),
        "templates": tuple(template(number) for number in range(count)),
        "trials": tuple(trial(number) for number in range(count)),
        "outcomes": frozenset({"errors"}),
        "authors": {f"ana-{number}": "ana" for number in range(count)},
    }
    return Material(**{**told, **fields})


def contents(count: int = 6, held: int = 0) -> tuple[SharedContents, ...]:
    return tuple(SharedContents(template(number), held) for number in range(count))
