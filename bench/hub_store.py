"""One million items at a hub and in a file: a context for a repository, and search. `python -m bench.hub_store --help`.

At the hub questions are asked under the app's role, behind row-level security, by one member who may read all 200
repositories and one who may read 20 of them. The file holds the same items and is asked in the same run. Quality is how
many of the ten best by exact BM25 over all items are among the ten that were found.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from afterglow.config import Config
from afterglow.flows.session import bootstrap
from afterglow.records.hub import HubPlace
from afterglow.records.knowledge import KnowledgeItem
from afterglow.store.knowledge import Knowledge
from afterglow.store.knowledge_writes import Saving
from afterglow.store.postgres.connection import pooled
from bench.hub_items import BATCH, REPOS, drawn_items, repo_name, running_hub
from bench.knowledge import Maker, exact

OUT = Path(__file__).parent / "out"
ASKED_MS = 25  # for a context's items, and for a search
LARGE_REPO, USUAL_REPO = repo_name(0), repo_name(100)


def filled_file(path: Path, items: Iterable[KnowledgeItem]) -> None:
    """Written as the store writes, but for looking whether it has the items already."""
    waiting, start = iter(items), 1
    with Knowledge(path, large=0) as knowledge:
        while batch := list(islice(waiting, BATCH)):
            saving = Saving(change=start, by="harvest", now=2e9)
            for number, item in enumerate(batch, start):
                saving.create(number, item)
            knowledge.run(saving.statements())
            start += len(batch)
            sys.stderr.write(f"\r{start - 1:,} items")
    sys.stderr.write("\n")


def measured(
    work: Callable[[Any], object], asked: Iterable[Any]
) -> tuple[float, float]:
    """The median and the 95th percentile, in milliseconds."""
    times = []
    for value in asked:
        start = time.perf_counter()
        work(value)
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times), sorted(times)[int(0.95 * len(times))]


def figures(
    place: Path | HubPlace, home: Path, questions: list[str]
) -> Iterator[tuple[str, float, float]]:
    hub = place if isinstance(place, HubPlace) else None
    config = Config(home=home, user_home=home, hub=hub)
    repos = [repo_name(10 * number % REPOS) for number in range(len(questions))]
    with Knowledge(place) as knowledge:

        def strongest(repo: str) -> None:
            for where in (repo, ""):
                knowledge.items(
                    status=("active",), repo=where, min_confidence=0.5, limit=150
                )

        for _ in range(2):  # once to warm up
            items = measured(strongest, repos)
            search = measured(lambda text: knowledge.search(text, limit=20), questions)
        yield "items of a context", *items
        yield "search", *search
        for name, repo in (("usual", USUAL_REPO), ("large", LARGE_REPO)):
            if not knowledge.items(repo=repo, limit=1):
                continue
            times = measured(
                lambda text, repo=repo: knowledge.search(text, limit=20, repo=repo),
                questions,
            )
            yield f"search in a repository of {name} size", *times

    def whole_context(asked: tuple[str, str]) -> None:
        repo, task = asked
        bootstrap(config, cwd=home, repo=repo, task=task, keep_doubts=False)

    pairs = list(zip(repos, questions, strict=True))
    measured(whole_context, pairs[:10])
    yield (
        "whole context with a task, opened and chosen",
        *measured(whole_context, pairs),
    )


def quality(
    place: Path | HubPlace, questions: list[str], best: list[list[str]]
) -> float:
    with Knowledge(place) as knowledge:
        answers = [
            {hit.item.id for hit in knowledge.search(text, limit=10)}
            for text in questions
        ]
    pairs = [(answer, ids) for answer, ids in zip(answers, best, strict=True) if ids]
    return statistics.mean(len(answer & {*ids}) / len(ids) for answer, ids in pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument(
        "--folder", type=Path, default=OUT / "hub", help="where both stores are kept"
    )
    options = parser.parse_args()
    home = options.folder / "home"
    file = home / "knowledge.db"
    if not file.exists():
        home.mkdir(parents=True, exist_ok=True)
        filled_file(file, drawn_items(options.items))
    questions = Maker(7).questions(options.questions)
    best = exact(home, questions[:100])
    report: dict[str, dict[str, Any]] = {}
    with running_hub(options.folder / "server", options.items) as hub:
        places: dict[str, Path | HubPlace] = {
            "hub, all repositories": hub.all,
            "hub, 20 of 200": hub.few,
            "file": file,
        }
        with pooled(hub.all.url, 2):
            for name, place in places.items():
                report[name] = {}
                for what, median, late in figures(place, home, questions):
                    report[name][what] = [round(median, 1), round(late, 1)]
                    verdict = "" if median < ASKED_MS else f"  asked: under {ASKED_MS}"
                    sys.stdout.write(
                        f"{name:<22} {what:<46} {median:7.1f} ms, 95 % {late:7.1f}{verdict}\n"
                    )
                    sys.stdout.flush()
            for name in ("hub, all repositories", "file"):
                share = quality(places[name], questions[:100], best)
                report[name]["share of the ten best"] = round(share, 2)
                sys.stdout.write(
                    f"{name:<22} share of the ten best by BM25 {share:.2f}\n"
                )
    OUT.mkdir(exist_ok=True)
    (OUT / "hub_store.json").write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
