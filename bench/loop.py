"""The closed loop on simulated agents, many times: how often intervals cover the truth, and how often nothing is taken
for something. `python -m bench.loop --help`.

Every seed is run twice, with agents that heed their contexts and with agents that ignore them. The truth of a run is
known: what its sessions would have come to cold. Results go to bench/out/loop.json.

Measured 2026-11-15, 20 seeds, 150 sessions in three weeks (about 33 an arm), 40 runs in 7 minutes on two busy cores:

    outcome, arm                     truth    off    interval   sequence   said    against the truth
    early-error-rate warm           -0.103  -0.003   20 of 20   20 of 20   18 of 20   0
    early-error-rate placebo         0       0.000   19 of 20   20 of 20    0 of 20   0
    errors warm                     -1.37   -0.03    19 of 20   20 of 20   14 of 20   0
    errors placebo                   0      -0.01    19 of 20   20 of 20    0 of 20   0
    calls warm                      -1.61   -0.12    19 of 20   20 of 20    0 of 20   0
    calls placebo                    0      -0.01    19 of 20   20 of 20    0 of 20   0
    first-success-seconds warm     +28.3    -0.4     20 of 20   20 of 20   10 of 20   0
    first-success-seconds placebo  +30.0    -1.3     18 of 20   20 of 20    8 of 20   0

Agents that ignore their contexts: no false alarm in 20 runs, on the primary outcome or another. `interval` (read once)
and `sequence` (read at any time) count how often the truth lay inside, `said` how often a verdict was better or worse.
The fewer calls and half of the harms could not be told with so few sessions. Before hooks' words stopped starting the
clock of a session, first-success-seconds was "worse" by 17 to 23 s in such a null run (of 360 sessions): only sessions
that are given something have that line, and the time until their person asked for anything was counted with it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import tempfile
import time
from collections import deque
from pathlib import Path

from afterglow.flows.workers import spread
from afterglow_demo.agent import HEEDING, IGNORING
from afterglow_demo.closed_loop import Loop, Run, loop
from afterglow_demo.fleet import UNTIL

OUT = Path(__file__).parent / "out"
CLAIMS = ("better", "worse")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--sessions", type=int, default=150)
    parser.add_argument("--weeks", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix="bench-loop-"))
    runs = [
        Run(
            place / f"{seed}-{name}",
            UNTIL,
            1000 + seed,
            options.sessions,
            options.weeks,
            temper,
        )
        for seed in range(options.seeds)
        for name, temper in (("heeded", HEEDING), ("ignored", IGNORING))
    ]
    begun = time.perf_counter()
    done = [found for _, found in spread(one_run, deque(runs), options.jobs)]
    shutil.rmtree(place)
    found = {
        "runs": len(done),
        "sessions": options.sessions,
        "seconds": round(time.perf_counter() - begun),
    }
    told = {
        **found,
        **summary(
            [one for one in done if one.heeded], [one for one in done if not one.heeded]
        ),
    }
    (OUT / "loop.json").write_text(json.dumps(told, indent=2) + "\n")
    for what, value in told.items():
        print(f"{what:<58}  {value}")


def one_run(run: Run) -> Loop:
    found = loop(run)
    shutil.rmtree(run.folder)
    return found


def summary(heeded: list[Loop], ignored: list[Loop]) -> dict[str, object]:
    told: dict[str, object] = {}
    for outcome in dict.fromkeys(effect.outcome for effect in heeded[0].effects):
        for arm in ("warm", "placebo"):
            told |= {
                f"{outcome} {arm}: {what}": value
                for what, value in _found(heeded, outcome, arm).items()
            }
    primary = heeded[0].analysis.plan.primary
    claims = {
        (number, one.outcome)
        for number, run in enumerate(ignored)
        for one in run.analysis.estimates
        if one.verdict in CLAIMS
    }
    told["null runs: false alarm on the primary outcome"] = _of(
        {n for n, name in claims if name == primary}, ignored
    )
    told["null runs: false alarm on any outcome"] = _of({n for n, _ in claims}, ignored)
    return told


def _found(runs: list[Loop], outcome: str, arm: str) -> dict[str, object]:
    pairs = [
        (
            effect.difference,
            next(
                e
                for e in run.analysis.estimates
                if (e.outcome, e.arm) == (outcome, arm)
            ),
        )
        for run in runs
        for effect in run.effects
        if (effect.outcome, effect.arm) == (outcome, arm)
    ]
    off = [estimate.difference - true for true, estimate in pairs]
    return {
        "truth, mean": round(statistics.fmean(true for true, _ in pairs), 4),
        "estimate minus truth, mean": round(statistics.fmean(off), 4),
        "interval covers the truth": _of(
            [1 for t, e in pairs if e.interval.low <= t <= e.interval.high], runs
        ),
        "sequence covers the truth": _of(
            [1 for t, e in pairs if e.sequence.low <= t <= e.sequence.high], runs
        ),
        "verdicts": _of([1 for _, e in pairs if e.verdict in CLAIMS], runs)
        + " better or worse",
        "against the truth": sum(
            e.verdict in CLAIMS and e.difference * t < 0 for t, e in pairs
        ),
    }


def _of(some: set[int] | list[int], every: list[Loop]) -> str:
    return f"{len(some)} of {len(every)}"


if __name__ == "__main__":
    main()
