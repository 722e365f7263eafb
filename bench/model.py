"""Harvest with a model, measured: valid answers, what the checks refuse and why, tokens, seconds, lessons found.

    python -m bench.model --home HARVESTED --base-url http://127.0.0.1:8080/v1 --model qwen --gold lessons.jsonl

The home of somebody who has scanned and harvested is copied, never written. Gold lessons were written by a reader of
the sessions: an item finds one that holds a word of each of its groups (`remedy_keywords`), a judge that is generous.
With `--alone` the model reads the windows of sessions that no rule has mined. Results go to bench/out/model*.json.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from msgspec import to_builtins
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.harvest import plan
from afterglow.flows.harvest.ask_model import tell
from afterglow.flows.model_client import model_of
from afterglow.records.model import Answer, Ask, Model
from afterglow.records.model_harvest import LessonOutcome, ModelReport
from afterglow.records.settings import ModelSettings
from afterglow.store.knowledge import Knowledge

OUT = Path(__file__).parent / "out"


class Timed:
    """A model, one question at a time, with how long each took."""

    def __init__(self, model: Model) -> None:
        self.model, self.name = model, model.name
        self.seconds: list[float] = []
        self.tries: list[int] = []

    @property
    def spent(self):
        return self.model.spent

    def ask(self, ask: Ask) -> Answer:
        return self.model.ask(ask)

    def ask_all(self, asks):
        answers = []
        for ask in asks:
            start = time.perf_counter()
            answers += self.model.ask_all([ask])
            self.seconds.append(time.perf_counter() - start)
            self.tries += [answers[-1].tries] if isinstance(answers[-1], Answer) else []
            said = "answered" if isinstance(answers[-1], Answer) else str(answers[-1])
            print(
                f"{len(self.seconds):>4}  {self.seconds[-1]:6.1f} s  {said}", flush=True
            )
        return answers


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--home",
        type=Path,
        required=True,
        help="a home that was harvested by rules; it is copied",
    )
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--windows", type=int, default=30)
    parser.add_argument(
        "--tokens", type=int, default=1200, help="of windows in one ask"
    )
    parser.add_argument(
        "--max-tokens", type=int, default=300_000, help="the cap of the run"
    )
    parser.add_argument("--timeout", type=float, default=600.0)
    parser.add_argument(
        "--gold",
        type=Path,
        nargs="*",
        default=[],
        help="lessons by a reader, JSON lines",
    )
    parser.add_argument(
        "--alone", action="store_true", help="as if no rule had mined anything"
    )
    options = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-model-") as place:
        home = Path(place) / "home"
        shutil.copytree(
            options.home, home, ignore=shutil.ignore_patterns("model", "spending.db*")
        )
        rules = items(Config(home=home, user_home=home))
        if options.alone:
            for path in home.glob("knowledge.db*"):
                path.unlink()
        said = ModelSettings(timeout=options.timeout, concurrency=1, retries=1, price=0)
        name = "model-alone" if options.alone else "model"
        result = measure(
            Config(home=home, user_home=home, model=said),
            options,
            rules,
            OUT / f"{name}.json",
        )
    print(
        json.dumps(
            {what: value for what, value in result.items() if what != "lessons"},
            indent=1,
        )
    )


def measure(
    config: Config, options: argparse.Namespace, rules: list[str], out: Path
) -> dict[str, object]:
    """One ask at a time, and what is known so far is written after each: a small machine takes hours."""
    planned = plan(config, limit=options.windows, tokens=options.tokens)
    gold = [
        json.loads(line)
        for path in options.gold
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    worth = [
        one
        for one in gold
        if one.get("usefulness", 0) >= 2 and one.get("remedy_exists", True)
    ]
    reports: list[ModelReport] = []
    result: dict[str, object] = {}
    with model_of(
        config,
        name=options.model,
        base_url=options.base_url,
        max_tokens=options.max_tokens,
    ) as client:
        model = Timed(client)
        for one in planned.asks:
            reports.append(tell(config, model, replace(planned, asks=(one,))))
            result = figures(reports, model, rules, worth)
            out.write_text(json.dumps(result, indent=1) + "\n")
            if reports[-1].stopped:
                break
    return result


def figures(
    reports: list[ModelReport], model: Timed, rules: list[str], gold: list[dict]
) -> dict[str, object]:
    heard = [one for report in reports for one in report.lessons]
    kept = texts(one for one in heard if one.became.outcome != "refused")
    ways = {
        "rules": rules,
        "model": kept,
        "rules and model": rules + kept,
        "model, refused too": texts(heard),
    }
    spent = model.spent.usage
    return {
        "model": model.name,
        "prompt": reports[0].prompt,
        "windows answered": sum(report.windows for report in reports),
        "asks": sum(report.asks for report in reports),
        "answered with what the schema asks for": sum(
            report.answered for report in reports
        ),
        "... at the first try": sum(tries == 1 for tries in model.tries),
        "failures": summed(report.failures for report in reports),
        "stopped": reports[-1].stopped,
        "lessons told": len(heard),
        "outcomes": summed(report.outcomes for report in reports),
        "refused because": summed(report.refused for report in reports),
        "tokens in, out": [spent.input, spent.output],
        "seconds an ask, median": round(statistics.median(model.seconds), 1),
        "seconds": round(sum(model.seconds)),
        "gold lessons": len(gold),
        "gold lessons found": {name: found(some, gold) for name, some in ways.items()},
        "lessons": [to_builtins(one) for one in heard],
    }


def summed(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for some in counts:
        total.update(some)
    return dict(total.most_common())


def items(config: Config) -> list[str]:
    """Everything rules made, as text: what is active and what waits."""
    with Knowledge(config.knowledge) as knowledge:
        some = knowledge.items(status=("active", "candidate"), limit=100_000)
    return [f"{one.fact} {one.situation} {one.remedy}".lower() for one in some]


def texts(lessons: Iterable[LessonOutcome]) -> list[str]:
    told = [one.lesson for one in lessons if one.lesson is not None]
    return [f"{one.fact} {one.situation} {one.remedy}".lower() for one in told]


def found(some: list[str], gold: list[dict]) -> int:
    return sum(any(holds(text, one) for text in some) for one in gold)


def holds(text: str, gold: dict) -> bool:
    groups = gold.get("remedy_keywords") or gold.get("keywords") or []
    return bool(groups) and all(
        any(word.lower() in text for word in group) for group in groups
    )


if __name__ == "__main__":
    main()
