"""How far the offline estimate of tokens is above the exact count, whether it is ever below, and how fast it is.

    pip install splintr-rs
    python -m bench.tokens [--knowledge knowledge.db] [--corpus DIR]

Contexts of 200 to 8,000 characters: items of a knowledge store in random groups, written as bullets; windows into the
texts of sessions (what people and agents said, what tools returned); texts in other languages and of hard shapes.
What is absent is skipped with a message. The worst of each kind are printed.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from afterglow.records.knowledge import KnowledgeItem
from afterglow.text.token_prices import TABLE
from afterglow.text.tokens import Counter, counter, estimate
from bench.tongues import LANGUAGES, SHAPES

SIZES = (200, 400, 800, 1500, 3000, 6000, 8000)


def day(item: KnowledgeItem) -> str:
    return datetime.fromtimestamp(item.last_confirmed, UTC).strftime("%Y-%m-%d")


FORMS = (
    lambda item: f"- {item.fact}",
    lambda item: f"- {item.fact} [{item.id}, {day(item)}]",
    lambda item: f"- {item.situation} -> {item.remedy} ({item.id}, {day(item)})",
    lambda item: f"- **{item.situation}**: {item.remedy or item.fact}",
)


def of_items(path: Path, dice: random.Random, groups: int = 3000) -> Iterator[str]:
    from afterglow.store.knowledge import Knowledge

    items = list(Knowledge(path).items())
    for _ in range(groups):
        form = dice.choice(FORMS)
        text = "\n".join(
            map(form, dice.sample(items, min(len(items), dice.randint(3, 40))))
        )[:8000]
        if len(text) >= 200:
            yield text


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str) and len(value) >= 200:
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from strings(part)
    elif isinstance(value, dict):
        for part in value.values():
            yield from strings(part)


def records(path: Path) -> Iterator[Any]:
    text = path.read_text(encoding="utf-8", errors="replace")
    for part in [text] if path.suffix == ".json" else text.splitlines():
        try:
            yield json.loads(part)
        except ValueError:
            continue


def of_sessions(corpus: Path, dice: random.Random, each: int = 200) -> Iterator[str]:
    for path in sorted([*corpus.rglob("*.jsonl"), *corpus.rglob("*.json")]):
        found = [text for record in records(path) for text in strings(record)]
        for text in dice.sample(found, min(each, len(found))):
            size = dice.choice(SIZES)
            start = dice.randrange(max(1, len(text) - size))
            yield text[start : start + size]


def made(dice: random.Random, texts: dict[str, str]) -> Iterator[str]:
    """Sentences of one text in changing order, alone and between bullets of ordinary prose."""
    for text in texts.values():
        parts = text.replace("。", "。 ").split(" ")
        for size in (*SIZES, *SIZES):
            words = [
                word
                for _ in range(size // len(text) + 1)
                for word in dice.sample(parts, len(parts))
            ]
            yield " ".join(words)[:size]
        yield f"{SHAPES['prose']}- {text}\n{SHAPES['prose']}"


def report(name: str, texts: list[str], exact: Counter) -> None:
    rows = sorted(
        (estimate(text) / max(1, exact.count(text)) - 1, text)
        for text in texts
        if len(text) >= 200
    )
    over = [row[0] for row in rows]
    long = [share for share, text in rows if len(text) >= 1000]
    below = sum(share < 0 for share in over)
    print(
        f"{name:22} {len(over):6} contexts  below {below:3}   above: mean {statistics.mean(over):6.1%}"
        f"  p95 {over[int(0.95 * len(over))]:6.1%}  max {over[-1]:6.1%}   1,000 characters and more:"
        f" mean {statistics.mean(long) if long else 0:6.1%}"
    )
    for share, text in (*rows[:2], *rows[-2:]):
        print(f"    {share:+7.1%} {text[:100]!r}")


def speed(texts: list[str]) -> None:
    text = "\n".join(texts)[:4_000_000]
    start = time.perf_counter()
    estimate(text)
    print(
        f"\n{len(text) / 1e6 / (time.perf_counter() - start):.1f} MB/s for {len(text) / 1e6:.1f} MB"
    )
    page = [text[i : i + 8000] for i in range(0, min(len(text), 800_000), 8000)]
    taken = []
    for one in page:
        start = time.perf_counter()
        estimate(one)
        taken.append(1000 * (time.perf_counter() - start))
    print(
        f"{statistics.median(taken):.2f} ms for 8,000 characters, about 2,000 tokens (median of {len(page)})"
    )
    code = (
        "import time;t=time.perf_counter();from afterglow.text import tokens;u=time.perf_counter();"
        "tokens.estimate('a b');v=time.perf_counter();print(f'{1000*(u-t):.1f} {1000*(v-u):.1f}')"
    )
    run = [sys.executable, "-c", code]
    cold = [
        subprocess.run(run, capture_output=True, text=True, check=True).stdout.split()
        for _ in range(5)
    ]
    imported, first = (min(float(row[i]) for row in cold) for i in (0, 1))
    print(
        f"import {imported} ms, first estimate {first} ms, table {TABLE.stat().st_size} bytes"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--knowledge", type=Path, help="a knowledge store")
    parser.add_argument(
        "--corpus", type=Path, help="folder with sessions (.jsonl or .json)"
    )
    chosen = parser.parse_args()
    exact, dice = counter("splintr"), random.Random(7)
    kinds = {
        "other languages": list(made(dice, LANGUAGES)),
        "hard shapes": list(made(dice, SHAPES)),
    }
    if chosen.knowledge:
        kinds["knowledge items"] = list(of_items(chosen.knowledge, dice))
    if chosen.corpus:
        kinds["windows of sessions"] = list(of_sessions(chosen.corpus, dice))
    for missing in {"knowledge", "corpus"} - {
        name for name, value in vars(chosen).items() if value
    }:
        print(f"no --{missing}: skipped")
    for name, texts in kinds.items():
        report(name, texts, exact)
    speed(max(kinds.values(), key=len))


if __name__ == "__main__":
    main()
