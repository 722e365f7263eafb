"""A batch of 1,000 findings, taken in and merged at a hub that has very many items. `python -m bench.hub_merge --help`.

A machine sends fifty sessions with twenty findings each, about five repositories: first on topics nobody has, then on
the same topics again from other sessions. Both go the whole way: the member's token, rights, redaction, screens, the
merger's role and the triggers. Results go to bench/out/hub-merge-*.json.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

import msgspec
import psycopg

from afterglow.config import Config
from afterglow.flows.hub import merge_pending, take_in
from afterglow.records.contributions import Contribution
from afterglow.records.knowledge import RISK_RULES, Evidence, Finding
from afterglow.store.knowledge_risk import RULES
from bench.hub_items import BenchHub, repo_name, running_hub

OUT = Path(__file__).parent / "out"
SESSIONS, FINDINGS, REPOS = 50, 20, 5
DAY = 86400.0
NOUNS = (
    "tide pier quay lamp buoy berth hull mast sail rope crane dock gate chart anchor keel "
    "deck rudder winch hatch cabin galley signal beacon channel harbor ferry barge tug mooring"
).split()
VERBS = (
    "run check build sign rebase format lint publish measure tag squash restart".split()
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument(
        "--folder", type=Path, help="where the server's files are kept and used again"
    )
    options = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    folder = options.folder or Path(tempfile.mkdtemp(prefix="bench-hub-"))
    with running_hub(folder, options.items) as hub:
        _note_rules(hub)
        seconds = measure(hub, Path(tempfile.mkdtemp(prefix="bench-home-")))
    seconds["items there before"] = options.items
    path = OUT / f"hub-merge-{options.items}.json"
    path.write_text(json.dumps(seconds, indent=2) + "\n")
    for what, value in seconds.items():
        print(f"{what:<40}  {value}")


def _note_rules(hub: BenchHub) -> None:
    """The items were made as the rules of today judge them: a hub judges its own once, after an upgrade."""
    rule = "INSERT INTO afterglow.facts (org, name, value) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
    with psycopg.connect(hub.superuser, autocommit=True) as db:
        db.execute(rule, [hub.merge.org, RULES, RISK_RULES])


def measure(hub: BenchHub, home: Path) -> dict[str, object]:
    config = Config(home=home, user_home=home, hub=hub.all)
    numbers = random.Random(time.time_ns())
    topics = list(_topics(numbers))
    result: dict[str, object] = {}
    _send(
        config, hub, [f"warm {numbers.random()}"], topics[:2]
    )  # rules are compiled once
    for what in ("new topics", "the same topics again"):
        names = [f"{what} {numbers.random()} {number}" for number in range(SESSIONS)]
        began = time.process_time()
        taken, merged, count = _send(config, hub, names, topics)
        result |= {
            f"{what}: findings": count,
            f"{what}: taken in, s": round(taken, 2),
            f"{what}: merged, s": round(merged, 2),
            f"{what}: together, s": round(taken + merged, 2),
            f"{what}: of it computing here, s": round(time.process_time() - began, 2),
        }
    return result


def _send(
    config: Config, hub: BenchHub, names: list[str], topics: list[tuple[str, str, str]]
) -> tuple[float, float, int]:
    """Seconds to take in and to merge, and how many findings there were."""
    batch = [_session(name, at, topics) for at, name in enumerate(names)]
    count = sum(len(msgspec.json.decode(row.body)) for row in batch)
    start = time.perf_counter()
    answer = take_in(config, "laptop", batch)
    assert answer.accepted == len(batch), answer.refused
    taken = time.perf_counter()
    while merge_pending(hub.merge):
        pass
    return taken - start, time.perf_counter() - taken, count


def _topics(numbers: random.Random) -> Iterator[tuple[str, str, str]]:
    """Miner, repository and words."""
    for number in range(SESSIONS * FINDINGS):
        nouns, verb = numbers.sample(NOUNS, 3), numbers.choice(VERBS)
        mark = f"{numbers.randrange(1 << 32):08x}"
        repo = repo_name((number // FINDINGS) % REPOS)
        miner = "rules" if number % 2 else "state"
        yield (
            miner,
            repo,
            f"always {verb} the {nouns[0]} before the {nouns[1]} of the {nouns[2]} `{mark}`",
        )


def _session(name: str, at: int, topics: list[tuple[str, str, str]]) -> Contribution:
    own = topics[at * FINDINGS : (at + 1) * FINDINGS]
    repo = own[0][1]
    findings = [_finding(name, line, *topic, at) for line, topic in enumerate(own, 1)]
    body = msgspec.Raw(msgspec.json.encode(findings))
    return Contribution("session", name, repo, 1, body=body)


def _finding(
    name: str, line: int, miner: str, repo: str, words: str, day: int
) -> Finding:
    span = Evidence(
        name, "claude_code", line, "text", 0, len(words), blake2b(words.encode(), digest_size=8).hexdigest(),
        words, "user" if miner == "rules" else "assistant", repo, "", 1.78e9 + day * DAY,
    )  # fmt: skip
    if miner == "rules":
        slots = {"words": words, "key": "", "value": ""}
        return Finding(miner, f"rule|{words} @ {repo}", slots, (span,))
    slots = {
        "situation": words,
        "remedy": f"{words} twice",
        "check": "lamp",
        "agent_wide": "",
    }
    return Finding(
        miner, f"lamp|{words} @ {repo}", slots, (span,), fingerprint=words[-12:]
    )


if __name__ == "__main__":
    main()
