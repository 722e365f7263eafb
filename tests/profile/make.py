"""Makes catalogue entries for the report: by hand, or a seeded population with known rates."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from afterglow.records import Entry, Manner, Profile, Recovery, Usage

MONDAY = 1_770_595_200.0  # 2026-02-09T00:00:00Z, the first day of 2026-W07
DAY = 86_400.0
BOTH_HAVE = ("messages", "masked")  # entry and profile; here the profile's


def entry(outcomes: str = "", *, number: int = 1, day: float = 0, **fields) -> Entry:
    """One session. `fields` of the profile and of the entry may be mixed; what is not said is ordinary."""
    header = {
        name: fields.pop(name)
        for name in Entry.__struct_fields__
        if name in fields and name not in BOTH_HAVE
    }
    profile = {
        "messages": 2 * len(outcomes),
        "outcomes": outcomes,
        "tools": {"Bash": outcomes} if outcomes else {},
        "early": outcomes[:15],
        "early_families": {"code": len(outcomes[:15])} if outcomes else {},
    }
    ordinary = {
        "key": number,
        "id": f"session-{number}",
        "agent": "harbor-agent",
        "format": "openai_jsonl",
        "source": f"/srv/sessions/{number}.jsonl",
        "model": "model-x",
        "repo": "harbor",
        "start": MONDAY + day * DAY,
        "end": MONDAY + day * DAY + 3600,
        "profile": Profile(**(profile | fields)),
    }
    return Entry(**(ordinary | header))


def letters(rate: float, calls: int, chance: random.Random) -> str:
    return "".join("f" if chance.random() < rate else "o" for _ in range(calls))


def session_rate(mean: float, likeness: float, chance: random.Random) -> float:
    """The rate of one session; `likeness` is how much calls of a session resemble each other (0: not at all)."""
    if not likeness:
        return mean
    weight = 1 / likeness - 1
    return chance.betavariate(mean * weight, (1 - mean) * weight)


def population(
    sessions: int, *, mean: float, likeness: float, rise: float = 0.0, seed: int = 1
) -> list[Entry]:
    """Sessions of very different length whose second half fails `rise` times more often than their first."""
    chance = random.Random(seed)
    made = []
    for number in range(sessions):
        calls = 2 * (int(chance.lognormvariate(2.8, 0.8)) + 4)
        rate = session_rate(mean, likeness, chance)
        outcomes = letters(rate, calls // 2, chance) + letters(
            rate * (1 + rise), calls // 2, chance
        )
        made.append(entry(outcomes, number=number, day=number / 3))
    return made


ERRORS = (
    "dock <n> not found",
    "permission denied: <path>/ledger",
    "no such berth",
    "timed out after <n>s",
)
TOOLS = (
    "Bash",
    "Read",
    "Edit",
    "Grep",
    "mcp__harbor-server__create_berth_reservation",
    "WebFetch",
)


def fleet(sessions: int = 60, seed: int = 3) -> list[Entry]:
    """A population with everything a report shows: tools, models, repos, errors, recoveries, people, context."""
    chance = random.Random(seed)
    made = []
    for number in range(sessions):
        calls = int(chance.lognormvariate(3.4, 0.9)) + 1
        tools: dict[str, str] = {}
        for letter in "".join(chance.choices("ofbcu", (90, 7, 1, 1, 1), k=calls)):
            tool = chance.choices(TOOLS, (40, 25, 20, 10, 3, 2))[0]
            tools[tool] = tools.get(tool, "") + letter
        outcomes = "".join(chance.sample("".join(tools.values()), calls))
        errors = Counter(chance.choices(ERRORS, (4, 3, 2, 1), k=outcomes.count("f")))
        made.append(
            entry(
                outcomes,
                number=number,
                day=number * 0.8,
                model=chance.choice(("model-x", "model-y-20260101")),
                repo=chance.choice(("harbor", "ledger/core")),
                tools=tools,
                early_families={chance.choice(("code", "file")): 10},
                errors=dict(errors),
                recoveries=_recoveries(errors, chance),
                masked=outcomes.count("o") // 40,
                first_success_call=1,
                first_success_seconds=chance.uniform(2, 300),
                manner=Manner(
                    requests=4,
                    words=80,
                    questions=1,
                    polite=1,
                    corrections=chance.randint(0, 1),
                ),
                usage=Usage(
                    input=900,
                    output=400,
                    context=chance.randint(20_000, 190_000),
                    cost=0.25,
                ),
                window=200_000,
                compactions=chance.randint(0, 1),
            )
        )
    return made


def _recoveries(errors: Counter[str], chance: random.Random) -> Sequence[Recovery]:
    return tuple(
        Recovery(
            "Bash",
            "make dock",
            error,
            chance.randint(1, 4),
            chance.randint(1, 25),
            chance.random() < 0.7,
        )
        for error in errors.elements()
    )
