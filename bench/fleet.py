"""Harvests the simulated fleet and judges what came out against what was planted. `python -m bench.fleet --help`.

An item states a plant when it is in its scope, holds all words of its remedy, and shows a sign of the problem; or, for
causes, questions and beliefs, when it holds most of the words of the lesson. Recall: plants that hold and that some
active item states. Precision: active items that state such a plant. No planted secret may stand in any byte of the home
folder, no planted order in an active item.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from afterglow.config import Config
from afterglow.flows.harvest import harvest
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.selection import Selection
from afterglow.store.knowledge import Knowledge
from afterglow_demo import Truth, write_fleet
from afterglow_demo.truth import PlantTruth

MOST = 0.7  # of the words of a lesson
RUN = 5  # words of an order in a row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=600)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--scale", type=float, default=0.2, help="length of texts")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        fleet, home = Path(folder) / "fleet", Path(folder) / "home"
        truth = write_fleet(
            fleet, seed=options.seed, sessions=options.sessions, scale=options.scale
        )
        home.mkdir()
        report = harvest(
            Config(home=home, user_home=home), Selection(paths=(str(fleet),))
        )
        with Knowledge(home / "knowledge.db") as store:
            items = store.items(evidence=True)
        _out(
            f"{report.mined} sessions mined, {len(items)} items: {dict(Counter(item.status for item in items))}"
        )
        judge(truth, items)
        bare(truth, home, items)


def judge(truth: Truth, items: list[KnowledgeItem]) -> None:
    active = [item for item in items if item.status == "active"]
    taught = [plant for plant in truth.plants if plant.sessions]
    holding = [plant for plant in taught if not plant.wrong and not plant.superseded_by]
    found = {
        plant.id for plant in holding if any(states(item, plant) for item in active)
    }
    kinds = Counter(plant.kind for plant in holding)
    for kind, count in sorted(kinds.items()):
        hits = sum(plant.id in found for plant in holding if plant.kind == kind)
        _out(f"  {kind:<14} {hits:>3} of {count:>3} found")
    right = [item for item in active if any(states(item, plant) for plant in holding)]
    _out(
        f"recall    {len(found)} of {len(holding)} = {len(found) / max(len(holding), 1):.2f} (asked: .85)"
    )
    _out(
        f"precision {len(right)} of {len(active)} = {len(right) / max(len(active), 1):.2f} (asked: .85)"
    )
    for plant in holding:
        if plant.id not in found:
            near = next((item for item in items if states(item, plant)), None)
            _out(
                f"  MISSED {plant.kind} {plant.id} ({len(plant.sessions)} sessions): {plant.lesson}"
            )
            _out(
                f"         {f'{near.status}, {near.reason}: {near.fact[:160]}' if near else 'no item of any status'}"
            )
    for item in active:
        if item not in right:
            gone = next(
                (p for p in taught if (p.wrong or p.superseded_by) and states(item, p)),
                None,
            )
            why = "WRONG, no longer holds" if gone else "no plant"
            _out(
                f"  {why}: {item.repo or 'everywhere'} {item.miner} {item.confidence}: {item.fact[:200]}"
            )


def states(item: KnowledgeItem, plant: PlantTruth) -> bool:
    if plant.repo and item.repo not in {"", plant.repo.rsplit("/", 1)[-1], plant.repo}:
        return False
    words = _plain(" ".join((item.fact, item.situation, item.remedy)))
    lesson = set(_plain(plant.lesson).strip("?.").split())
    if not plant.remedy or plant.kind == "cause":
        if len(lesson & set(words.split())) >= MOST * len(lesson):
            return True
        if not plant.remedy:
            return False
    shown = words + _plain(
        " ".join((*item.fingerprints, *(one.quote for one in item.evidence)))
    )
    return all(_plain(word) in words for word in plant.remedy) and (
        not plant.signs or any(_plain(sign) in shown for sign in plant.signs)
    )


def bare(truth: Truth, home: Path, items: list[KnowledgeItem]) -> None:
    """What must not be there at all."""
    stored = b"".join(
        path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file()
    )
    leaked = [
        secret for secret in truth.secrets if _long(secret.value).encode() in stored
    ]
    _out(
        f"secrets in the home folder: {len(leaked)} of {len(truth.secrets)} (none may be)"
    )
    for kind, count in Counter(
        f"{secret.kind} in {secret.where}" for secret in leaked
    ).items():
        _out(f"  LEAKED {count} {kind}")
    runs = {run for poison in truth.poison for run in _runs(poison.text)}
    holding = [
        item
        for item in items
        if _runs(" ".join((item.fact, item.situation, item.remedy))) & runs
    ]
    active = [item for item in holding if item.status == "active"]
    _out(
        f"items with planted orders: {len(holding)}, active {len(active)} of {len(truth.poison)} plants (none may be)"
    )
    for item in active:
        _out(f"  POISON {item.miner} {item.trust}: {item.fact[:200]}")


def _long(value: str) -> str:
    """The line of a secret that tells it apart: the first may be a label."""
    return max(value.splitlines(), key=len)


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("`", "").split())


def _runs(text: str) -> set[str]:
    words = _plain(text).split()
    return {" ".join(words[at : at + RUN]) for at in range(len(words) - RUN + 1)}


def _out(line: str) -> None:
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main()
