"""The local memory backend beside LIKE and plain BM25: speed, and what is found. `python -m bench.memory --help`.

Speed: made-up entries as in `bench.knowledge`, of one user and of a thousand. LIKE and FTS5 search the same entries in
memory, without the file, the lock and the redaction that a store goes through. Quality: the labelled set that comes
with afterglow, and any other given on the command line (a folder like `tau2_banking_knowledge`, a LoCoMo file).
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from itertools import product
from pathlib import Path
from typing import Any

from afterglow.memory.local import LocalBackend
from afterglow.memory.meaning import MODELS, Model
from afterglow.memory.quality import SearchAnswers, bundled, load, measured
from afterglow.memory.quality.baselines import BASELINES
from afterglow.memory.quality.measures import Find
from afterglow.records.evaluation import Labels
from afterglow.text.redact import Redactor
from bench.knowledge import Maker
from bench.measuring import afterglow, command, median_ms

OUT = Path(__file__).parent / "out"
ASKED = {"store": "under 1", "retrieve": "under 1", "query": "under 3"}
CALLS = 500
ROUNDS = 3


def each(work: Callable[[Any], object], over: Iterable[Any]) -> list[float]:
    """Milliseconds of each call."""
    taken = []
    for one in over:
        start = time.perf_counter()
        work(one)
        taken.append(1000 * (time.perf_counter() - start))
    return taken


def speed(size: int, users: int) -> Iterator[tuple[str, list[float]]]:
    maker = Maker()
    made = [
        (f"u{n % users}", f"{'_'.join(maker.some(2))}_{n}", maker.fact())
        for n in range(size)
    ]
    questions = maker.questions(CALLS)
    with tempfile.TemporaryDirectory() as folder:
        memory = LocalBackend(Path(folder) / "memory.db", redactor=Redactor())
        yield "store", each(lambda one: memory.store(*one), made)[-10 * CALLS :]
        yield (
            "retrieve",
            each(lambda one: memory.retrieve(one[0], one[1]), made[: 4 * CALLS]),
        )
        yield "query", each(lambda one: memory.query("u0", one), questions)
        parts = [maker.some(1)[0][1:5] for _ in range(CALLS)]
        yield "query, part of a word", each(lambda one: memory.query("u0", one), parts)
        nowhere = ["qx" + "".join(maker.some(2)) for _ in range(CALLS // 10)]
        yield "query, nothing found", each(lambda one: memory.query("u0", one), nowhere)
        yield (
            "update",
            each(lambda one: memory.store(one[0], one[1], maker.fact()), made[:CALLS]),
        )
        yield "delete", each(lambda one: memory.delete(one[0], one[1]), made[:CALLS])
        memory.close()
        yield (
            "bytes an entry",
            [sum(one.stat().st_size for one in Path(folder).iterdir()) / size],
        )
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE VIRTUAL TABLE texts USING fts5 (key, value, user UNINDEXED)")
        db.executemany("INSERT INTO texts (user, key, value) VALUES (?, ?, ?)", made)
        plain = "SELECT rowid FROM texts WHERE texts MATCH ? AND user = 'u0' ORDER BY bm25(texts) LIMIT 10"
        asked = [
            " OR ".join(f'"{word}"' for word in one.replace('"', "").split())
            for one in questions
        ]
        yield (
            "plain BM25 query",
            each(lambda one: db.execute(plain, [one]).fetchall(), asked[: CALLS // 5]),
        )
        db.execute("CREATE TABLE entries (user, key, value)")
        db.executemany("INSERT INTO entries VALUES (?, ?, ?)", made)
        like = "SELECT rowid FROM entries WHERE user = 'u0' AND (key LIKE ? OR value LIKE ?) LIMIT 10"
        longest = [f"%{max(one.split(), key=len)}%" for one in questions]
        yield (
            "LIKE query, one word",
            each(
                lambda one: db.execute(like, [one, one]).fetchall(),
                longest[: CALLS // 5],
            ),
        )


def opened_models() -> Iterator[tuple[str, Model]]:
    for name in MODELS.names():
        model = MODELS.load(name).open_model()
        if model is not None:
            yield name, model


def answering(memory: LocalBackend) -> Find:
    def find(user: str, question: str, limit: int) -> list[tuple[str, str]]:
        entries = memory.query(f"user {user}", question, limit)
        return [(entry.key, entry.value) for entry in entries]

    return find


def all_read(memory: LocalBackend, labels: Labels, model: Model) -> None:
    """A question reads some entries that are new to the model; here each is to be read."""
    for user in {entry.user for entry in labels.entries}:
        for _ in range(0, len(labels.entries), model.at_once):
            memory.query(f"user {user}", "anything")


def quality(labels: Labels) -> Iterator[tuple[str, list[float]]]:
    """recall@1, @5, @10, MRR and milliseconds a question, of each search. Processor time, each question asked of all of
    them in turn: what else the machine does meanwhile counts for none."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        memory = LocalBackend(Path(folder) / "memory.db", redactor=Redactor())
        for one in labels.entries:
            memory.store(f"user {one.user}", one.key, one.value, redact=False)

        finds = {
            name: stack.enter_context(baseline(labels.entries))
            for name, baseline in BASELINES.items()
        }
        finds["ours, words alone"] = answering(memory)
        for name, model in opened_models():
            by_meaning = LocalBackend(
                Path(folder) / "memory.db", redactor=Redactor(), model=model
            )
            stack.callback(by_meaning.close)
            finds[f"ours, words and {name}"] = answering(by_meaning)
            all_read(by_meaning, labels, model)
        numbers = {
            name: measured(name, SearchAnswers(labels, search))
            for name, search in finds.items()
        }
        took: dict[str, list[float]] = {name: [] for name in finds}
        for question, (name, search) in product(
            ROUNDS * labels.questions, finds.items()
        ):
            start = time.thread_time()
            search(question.user, question.text, 10)
            took[name].append(1000 * (time.thread_time() - start))
        for name, got in numbers.items():
            recall = [got.recall[cut].value for cut in (1, 5, 10)]
            yield name, [*recall, got.mrr.value, statistics.median(took[name])]
        memory.close()


def cold() -> float:
    """`afterglow memory query` from start to end, among a thousand entries."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "config.toml").write_text('[memory]\nbackend = "local"\n')
        maker = Maker()
        memory = LocalBackend(home / "memory.db", redactor=Redactor())
        for n in range(1_000):
            memory.store("u0", f"key {n}", maker.fact())
        memory.close()
        words = afterglow("memory", "query", maker.questions(1)[0], "--user", "u0")
        command(*words, home=home)
        return median_ms(*words, home=home)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labelled", nargs="*", type=Path, help="further labelled sets")
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--quality", action="store_true", help="not the speed")
    options = parser.parse_args()
    result: dict[str, Any] = {}
    for users in () if options.quality else (1, 1_000):
        sys.stdout.write(
            f"-- {options.size:,} entries, users: {users:,}{'median':>40} {'95 %':>9}\n"
        )
        for what, taken in speed(options.size, users):
            middle, most = (
                statistics.median(taken),
                sorted(taken)[int(0.95 * len(taken))],
            )
            result[f"{what}, {users} users"] = [round(middle, 3), round(most, 3)]
            sys.stdout.write(
                f"{what:<60} {middle:>9.3f} {most:>9.3f}  {ASKED.get(what, '')}\n"
            )
            sys.stdout.flush()
    for labels in [bundled(), *map(load, options.labelled)]:
        head = f"-- {labels.name}: {len(labels.entries)} entries, {len(labels.questions)} questions"
        sys.stdout.write(f"{head:<60} recall@1  @5   @10   MRR  median ms\n")
        for name, (*numbers, milliseconds) in quality(labels):
            result[f"{labels.name}, {name}"] = [
                round(one, 3) for one in (*numbers, milliseconds)
            ]
            sys.stdout.write(
                f"{name:<62} {'  '.join(f'{one:.3f}' for one in numbers)} {milliseconds:>8.2f}\n"
            )
    result["afterglow memory query, ms"] = round(cold(), 1)
    sys.stdout.write(
        f"afterglow memory query, whole command, ms {result['afterglow memory query, ms']:>20}\n"
    )
    OUT.mkdir(exist_ok=True)
    (OUT / "memory.json").write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
