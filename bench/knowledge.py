"""The knowledge store: adding, searching with and without the word index, by size. `python -m bench.knowledge --help`.

Facts are made up: sentences of about 120 characters over 30,000 words that are as unevenly common as words are, with
commands, flags, paths and error messages. Questions are 3 to 8 words, most from one made-up fact, common ones too.
Quality is how many of the ten best by exact BM25 over all items are among the ten that were found.
"""

from __future__ import annotations

import argparse
import heapq
import json
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import accumulate
from math import log
from pathlib import Path
from typing import Any

from afterglow.records.knowledge import CATEGORIES, TRUSTS, Evidence, KnowledgeItem
from afterglow.store.knowledge import Knowledge
from afterglow.store.search import asked

OUT = Path(__file__).parent / "out"
ASKED = {
    "last 10,000 items added, s": {100_000: "under 5", 1_000_000: "under 5"},
    "search, median ms": {100_000: "under 5", 1_000_000: "under 25"},
}
_SOUNDS = (
    "ba be bi ca ce co da de di fa fi fo ga ge go ka ke ko la le lo ma me mo na ne no pa pe po ra re ro sa se so ta te "
    "to va ve vo"
).split()
_COMMON = (
    "the to in is of a for and when before with that not fails run use file must be on test it build after error from "
    "needs command by this only set has path as if are config each first without an no version branch"
).split()


class Maker:
    """Facts and questions, the same for the same seed."""

    def __init__(self, seed: int = 1) -> None:
        self.random = random.Random(seed)
        made = {
            "".join(self.random.choices(_SOUNDS, k=self.random.randint(2, 4))): None
            for _ in range(60_000)
        }
        self.words = _COMMON + list(made)[:30_000]
        self.shares = list(
            accumulate(1 / (rank + 4) for rank in range(len(self.words)))
        )

    def some(self, count: int) -> list[str]:
        return self.random.choices(self.words, cum_weights=self.shares, k=count)

    def fact(self) -> str:
        a, b, c, d = self.some(4)
        shape = self.random.randrange(5)
        start = (
            f"`{a} {b} --{c}-{d}` in {'/'.join(self.some(2))}",
            f"{a.title()}{b.title()} of {c}_{d}",
            f"'{a} {b}: {c} {d}'",
            f"{a}.{b} = {self.random.randint(1, 99)}",
            f"src/{a}/{b}.py",
        )[shape]
        return f"{start} {' '.join(self.some(self.random.randint(10, 18)))}"

    def items(self, count: int, start: int = 0) -> Iterator[KnowledgeItem]:
        for number in range(start, start + count):
            pick = self.random.random()
            yield KnowledgeItem(
                id=f"{number:08x}{self.random.getrandbits(32):08x}",
                fact=self.fact(),
                category=CATEGORIES[number % 5],
                status="active" if pick < 0.8 else "candidate",
                repo="" if pick < 0.1 else f"acme/repo-{int(400 * pick * pick)}",
                confidence=round(0.3 + 0.6 * self.random.random(), 2),
                tags=tuple(self.some(2)),
                source_count=1 + number % 3,
                trust=TRUSTS[number % 5],
                miner="recoveries",
                topics=(f"topic {number}",),
                evidence=tuple(
                    Evidence(
                        session=f"session-{number // 3}-{place}",
                        agent="claude-code",
                        line=number % 997,
                        part="result",
                        start=0,
                        length=120,
                        hash=f"{self.random.getrandbits(64):016x}",
                        quote=" ".join(self.some(16)),
                        trust="tool",
                        repo="acme/app",
                        time=1.7e9 + number,
                    )
                    for place in range(2)
                ),
            )

    def questions(self, count: int) -> list[str]:
        found = []
        for _ in range(count):
            known = self.fact().split()
            chosen = self.random.sample(
                known, min(len(known), self.random.randint(2, 6))
            )
            found.append(" ".join(chosen + self.some(self.random.randint(1, 2))))
        return found


def exact(folder: Path, questions: list[str]) -> list[list[str]]:
    """The ten best active items by BM25, worked out over every item in plain Python."""
    asking = [set(asked(question).words) for question in questions]
    have = dict.fromkeys(set().union(*asking), 0)
    kept, total, count = [], 0, 0
    with closing(sqlite3.connect(folder / "knowledge.db")) as db:
        for id, text, status in db.execute(
            "SELECT id, words, status FROM items JOIN texts ON texts.rowid = n"
        ):
            words = text.split()
            total, count = total + len(words), count + 1
            hit = have.keys() & words
            for word in hit:
                have[word] += 1
            if status == "active" and hit:
                kept.append(
                    (id, hit, 1 + 1.2 * (0.25 + 0.75 * len(words) * count / total))
                )
    weight = {word: log(1 + (count - n + 0.5) / (n + 0.5)) for word, n in have.items()}
    best = []
    for words in asking:
        scored = [
            (-sum(weight[word] for word in hit & words) / norm, id)
            for id, hit, norm in kept
            if hit & words
        ]
        best.append([id for _, id in heapq.nsmallest(10, scored)])
    return best


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ask(
    knowledge: Knowledge, questions: list[str], **wanted: Any
) -> tuple[list[float], list[list[str]]]:
    times, found = [], []
    for question in questions:
        start = time.perf_counter()
        hits = knowledge.search(question, limit=10, **wanted)
        times.append(1000 * (time.perf_counter() - start))
        found.append([hit.item.id for hit in hits])
    return times, found


FILTERS: dict[str, dict[str, Any]] = {
    "in a large repo": {"repo": "acme/repo-4"},
    "in a small repo": {"repo": "acme/repo-399"},
    "of very sure ones": {"min_confidence": 0.895},
}


def measure(size: int, folder: Path, questions: int) -> Iterator[tuple[str, float]]:
    maker = Maker()
    path = folder / "knowledge.db"
    with Knowledge(path, large=0) as knowledge:
        for first in range(0, size, 10_000):
            items = list(maker.items(min(10_000, size - first), first))
            taken = timed(partial(knowledge.save, items, by="harvest", now=2e9))
        yield "last 10,000 items added, s", taken
        yield "word index made, s", timed(partial(knowledge._db.index.ready, 1 << 60))
    yield "database, MB", path.stat().st_size / 1e6
    yield (
        "word index, MB",
        sum(one.stat().st_size for one in (folder / "knowledge.index").rglob("*"))
        / 1e6,
    )
    asking = maker.questions(questions)
    right = exact(folder, asking[:100])
    with Knowledge(path) as knowledge:
        yield from report("search", *ask(knowledge, asking), right)
        for name, wanted in FILTERS.items():
            yield from report(f"search {name}", *ask(knowledge, asking[:200], **wanted))
        yield (
            "one item added and searched for, ms",
            1000 * timed(partial(add_one, knowledge, maker)),
        )
        sys.modules["tantivy"] = None  # type: ignore[assignment]
        yield from report("FTS5 alone", *ask(knowledge, asking[:200]), right)
        for name, wanted in FILTERS.items():
            yield from report(
                f"FTS5 alone {name}", *ask(knowledge, asking[:200], **wanted)
            )
        del sys.modules["tantivy"]


def add_one(knowledge: Knowledge, maker: Maker) -> None:
    item = next(maker.items(1, 1 << 31))
    knowledge.save([item], by="harvest", now=2e9)
    assert item.id in [
        hit.item.id for hit in knowledge.search(item.fact, limit=10, status=None)
    ]


def report(
    what: str,
    times: list[float],
    found: list[list[str]],
    right: Sequence[list[str]] = (),
) -> Iterator[tuple[str, float]]:
    yield f"{what}, median ms", statistics.median(times)
    yield f"{what}, 99 %, ms", sorted(times)[int(0.99 * len(times))]
    if right:
        shared = [
            len({*a} & {*b}) / len(b) for a, b in zip(found, right, strict=False) if b
        ]
        yield f"{what}, share of the ten best by exact BM25", statistics.mean(shared)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="10000,100000,1000000")
    parser.add_argument("--questions", type=int, default=500)
    options = parser.parse_args()
    found: dict[int, dict[str, float]] = {}
    for size in map(int, options.sizes.split(",")):
        sys.stdout.write(f"-- {size:,} items\n")
        found[size] = {}
        with tempfile.TemporaryDirectory() as folder:
            for what, value in measure(size, Path(folder), options.questions):
                found[size][what] = round(value, 3)
                sys.stdout.write(
                    f"{what:<60} {value:>10.2f}  {ASKED.get(what, {}).get(size, '')}\n"
                )
                sys.stdout.flush()
    OUT.mkdir(exist_ok=True)
    (OUT / "knowledge.json").write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
