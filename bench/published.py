"""Published results, computed again from the runs themselves. `python -m bench.published DATA`.

DATA holds `tau_bench/gpt-4o-airline.json` (50 tasks, 4 trials each; published pass^1 to pass^4: .420 .273 .220 .200),
`tau2_bench/{airline,telecom}_{base,sft}.json` (the same tasks by a base and a tuned model; exact McNemar p = .508 and
.0005). Runs are read by our own readers and compared by our own analysis.
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy import stats

from afterglow.flows.experiment import from_runs
from afterglow.sessions import load

PASSED = 1 - 1e-6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    for k, (value, low, high) in passes(
        data / "tau_bench" / "gpt-4o-airline.json"
    ).items():
        print(
            f"tau-bench airline  pass^{k} {value:.3f}  95 % over tasks {low:.3f} to {high:.3f}"
        )
    for domain in ("airline", "telecom"):
        runs = [data / "tau2_bench" / f"{domain}_{arm}.json" for arm in ("base", "sft")]
        for estimate in from_runs(*runs).analysis.estimates:
            print(
                f"tau2 {domain:<8} {estimate.pairs} pairs  p = {estimate.p:.4f}  ({estimate.method})"
            )
            print(
                f"    {estimate.says}  Read once: from {estimate.interval.low:+.3f} to {estimate.interval.high:+.3f}"
            )


def passes(path: Path) -> dict[int, tuple[float, float, float]]:
    """pass^k: the chance that k trials of a task all pass, from c passes of n as C(c, k) / C(n, k), a mean over tasks.
    Tasks are what was drawn, so the interval is Student's t over tasks."""
    tasks: dict[str, list[bool]] = defaultdict(list)
    for session in load(path):
        tasks[session.task].append((session.score or 0.0) >= PASSED)
    found = {}
    for k in range(1, min(len(trials) for trials in tasks.values()) + 1):
        each = np.array(
            [
                math.comb(sum(trials), k) / math.comb(len(trials), k)
                for trials in tasks.values()
            ]
        )
        low, high = stats.t.interval(0.95, len(each) - 1, each.mean(), stats.sem(each))
        found[k] = float(each.mean()), float(low), float(high)
    return found


if __name__ == "__main__":
    main()
