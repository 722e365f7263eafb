"""The standing holdout: how much longer an agent waits for its start when sessions are assigned to arms.
`python -m bench.holdout`.

Cold processes, as in `bench.hooks`, with 100,000 items and a context of a full page; the runs of all kinds take turns.
The experiment has 1,000 sessions already, in one stratum. Then the draw alone, in one process, and how close placebos
come to the length they should have, by the estimate and by the exact tokenizer. Results go to bench/out/holdout.json.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import msgspec
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.context.placebo import placebo
from afterglow.experiment.plan import plan_hash
from afterglow.flows.session.permission import permission
from afterglow.flows.session.standing_experiment import seated
from afterglow.records.experiment import BOTH, COLD, PLACEBO, Plan
from afterglow.store.experiments import Experiments
from afterglow.store.knowledge import SESSIONS, Knowledge
from afterglow.text.tokens import count, estimate
from bench.hooks import OUT, REPO
from bench.knowledge import Maker
from bench.measuring import afterglow, environment

TURNS = 90  # hooks of each plan; a third of them in each arm
BEFORE = 1000  # sessions that are assigned already


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=100_000)
    options = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    home = Path(tempfile.mkdtemp(prefix="bench-holdout-"))
    config = Config(home=home, user_home=home)
    fill(config, options.size)
    found = {**draws(config), **hooks(config), **lengths()}
    shutil.rmtree(home)
    (OUT / "holdout.json").write_text(json.dumps(found, indent=2) + "\n")
    for name, value in found.items():
        print(f"{name}: {value}")


def fill(config: Config, size: int) -> None:
    maker = Maker()
    with Knowledge(config.knowledge) as knowledge:
        for start in range(0, size, 20_000):
            knowledge.save(
                maker.items(min(20_000, size - start), start),
                by="import",
                now=time.time(),
            )
        knowledge.set_fact(SESSIONS, msgspec.json.encode({REPO: 60}).decode())
    with Experiments(config.experiments) as kept:
        for name, separate in (("daily", False), ("apart", True)):
            plan = Plan(
                name=name, arms=(COLD, BOTH, PLACEBO), allocation=(1 / 3, 1 / 3, 1 / 3), outcomes=("errors",),
                created=0.0, salt="bench", separate=separate,
            )  # fmt: skip
            kept.add_plan(plan, plan_hash(plan))


def draws(config: Config) -> dict[str, object]:
    """The processor's time for one draw, after none and after many."""
    taken: dict[str, list[float]] = {"daily": [], "apart": []}
    for name, times in taken.items():
        for number in range(BEFORE):
            begun = time.process_time()
            with seated(
                replace(config, experiment=name),
                session=f"old {number}",
                repo=REPO.split("/")[1],
                agent="claude-code",
                now=time.time(),
            ):
                pass
            times.append(1000 * (time.process_time() - begun))
    first, last = taken["daily"][:50], taken["daily"][-50:]
    later = []
    for number in range(BEFORE):
        begun = time.process_time()
        permission(
            replace(config, experiment="daily"),
            session=f"old {number}",
            when="failure",
        )
        later.append(1000 * (time.process_time() - begun))
    return {
        "a draw, the first 50, median ms": round(statistics.median(first), 2),
        f"a draw after {BEFORE:,}, median ms": round(statistics.median(last), 2),
        "what an arm allows on failure, median ms": round(statistics.median(later), 2),
    }


def hooks(config: Config) -> dict[str, object]:
    cwd = config.home / REPO.split("/")[1]
    cwd.mkdir()
    taken: dict[str, list[float]] = {}
    for number in range(TURNS):
        for name in ("", "daily", "apart"):
            (config.home / "config.toml").write_text(f'[experiment]\nname = "{name}"\n')
            event = {"session_id": f"s{number}", "cwd": str(cwd), "source": "startup"}
            begun = time.perf_counter()
            subprocess.run(
                afterglow("hook", "SessionStart"), input=json.dumps(event).encode(), env=environment(config.home),
                capture_output=True, check=True,
            )  # fmt: skip
            passed = 1000 * (time.perf_counter() - begun)
            with Experiments(config.experiments) as kept:
                mine = kept.assignment(name, f"s{number}")
            kind = (
                "no experiment"
                if not mine
                else mine.arm
                if name == "daily"
                else f"{mine.arm}, arms kept apart"
            )
            taken.setdefault(kind, []).append(passed)
    return {
        f"SessionStart, {kind}, median ms": round(statistics.median(all_), 1)
        for kind, all_ in taken.items()
    }


def lengths() -> dict[str, object]:
    wanted = range(50, 2000, 5)
    made = [
        placebo(f"ag-{tokens:010x}", "acme/cli", tokens=tokens, now=time.time())
        for tokens in wanted
    ]
    off = [abs(one.tokens / one.budget - 1) for one in made]
    exact = [count(one.text) / estimate(one.text) for one in made]
    return {
        "placebos": len(made),
        "furthest from the length asked for": round(max(off), 3),
        "exact tokens for each estimated one, least and most": [
            round(min(exact), 3),
            round(max(exact), 3),
        ],
    }


if __name__ == "__main__":
    main()
