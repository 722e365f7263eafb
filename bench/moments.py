"""Does an experiment find at which moment telling helps? The closed loop on simulated agents with arms by moment, many
times. `python -m bench.moments --help`.

Every seed is run twice. In one world a context keeps some agents from falling into a known pitfall, and a line right
after the failure gets most of them out soon; in the other nothing that is told does anything. Lines on failure come from
the product, as a hook would get them; sessions are harvested after the first week, in which none is told anything, and
at the end. The truth of a run is what its sessions would have come to in each arm. A run is one line of
bench/out/moments.jsonl; the summary goes to bench/out/moments.json.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from msgspec import Struct
from msgspec.json import encode

from afterglow.config import Config
from afterglow.flows.experiment import gathered
from afterglow.flows.workers import spread
from afterglow.records.experiment import COLD, FAILURE, START, Interval
from afterglow_demo.agent import HEEDING_LATE, IGNORING_BOTH
from afterglow_demo.closed_loop import NAME, WEEK, Loop, Run, loop
from afterglow_demo.fleet import UNTIL

OUT = Path(__file__).parent / "out"
CLAIMS = ("better", "worse")
# Fewer than there are, so that each has enough sessions to tell one moment from the other.
ARMS = (COLD, START, FAILURE)


class Pair(Struct, frozen=True):
    """One arm against another on one outcome: what was said, and what is true."""

    outcome: str
    arm: str
    control: str
    truth: float
    difference: float
    interval: Interval
    sequence: Interval
    verdict: str


class Finding(Struct, frozen=True):
    """A run: its comparisons, and in how many of its sessions exactly the true number of lost calls was measured."""

    seed: int
    heeded: bool
    sessions: int
    exact: int
    pairs: tuple[Pair, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--sessions", type=int, default=300)
    parser.add_argument("--weeks", type=int, default=3)
    parser.add_argument("--planned", type=int, default=62, help="sessions an arm")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix="bench-moments-"))
    runs = [
        Run(
            place / f"{seed}-{name}",
            UNTIL,
            2000 + seed,
            options.sessions,
            options.weeks,
            temper,
            ARMS,
            nights=options.weeks * WEEK,
            planned=options.planned,
        )
        for seed in range(options.seeds)
        for name, temper in (("heeded", HEEDING_LATE), ("ignored", IGNORING_BOTH))
    ]
    begun = time.perf_counter()
    findings: list[Finding] = []
    with (OUT / "moments.jsonl").open("wb") as rows:
        for _, finding in spread(one_run, deque(runs), options.jobs):
            findings.append(finding)
            rows.write(encode(finding) + b"\n")
            rows.flush()
    shutil.rmtree(place)
    table = {"seconds": round(time.perf_counter() - begun), **summary(findings)}
    (OUT / "moments.json").write_text(json.dumps(table, indent=2) + "\n")
    for name, value in table.items():
        print(f"{name:<46}  {value}")


def one_run(run: Run) -> Finding:
    finished = loop(run)
    finding = Finding(
        seed=run.seed,
        heeded=finished.heeded,
        sessions=len(finished.sessions),
        exact=_exact(run, finished),
        pairs=tuple(_pairs(finished)),
    )
    shutil.rmtree(run.folder)
    return finding


def _exact(run: Run, finished: Loop) -> int:
    config = Config(home=run.folder / "afterglow", user_home=run.folder / "home")
    trials = gathered(config, NAME, now=run.until).trials
    measured = {trial.unit: trial.outcomes["calls-lost"] for trial in trials}
    return sum(
        measured[session.session] == session.would[session.arm].lost
        for session in finished.sessions
    )


def _pairs(finished: Loop) -> list[Pair]:
    truth = {(each.outcome, each.arm): each.difference for each in finished.effects}
    estimates = (*finished.analysis.estimates, *finished.analysis.between)
    return [
        Pair(
            outcome=each.outcome,
            arm=each.arm,
            control=each.control,
            truth=truth[each.outcome, each.arm]
            - truth.get((each.outcome, each.control), 0.0),
            difference=each.difference,
            interval=each.interval,
            sequence=each.sequence,
            verdict=each.verdict,
        )
        for each in estimates
        if (each.outcome, each.arm) in truth
    ]


def summary(findings: Sequence[Finding]) -> dict[str, object]:
    heeded = [finding for finding in findings if finding.heeded]
    ignored = [finding for finding in findings if not finding.heeded]
    table: dict[str, object] = {"runs": f"{len(heeded)} and {len(ignored)} null"}
    sessions = sum(finding.sessions for finding in findings)
    exact = sum(finding.exact for finding in findings)
    table["calls lost measured exactly"] = f"{exact} of {sessions} sessions"
    names = dict.fromkeys(
        (pair.outcome, pair.arm, pair.control)
        for finding in heeded
        for pair in finding.pairs
    )
    for name in names:
        table[f"{name[0]}: {name[1]} against {name[2]}"] = _row(heeded, name)
    alarms = [
        pair for finding in ignored for pair in finding.pairs if pair.verdict in CLAIMS
    ]
    comparisons = sum(len(finding.pairs) for finding in ignored)
    table["null runs: false alarms"] = f"{len(alarms)} of {comparisons} comparisons"
    return table


def _row(heeded: Sequence[Finding], name: tuple[str, str, str]) -> str:
    pairs = [
        pair
        for finding in heeded
        for pair in finding.pairs
        if (pair.outcome, pair.arm, pair.control) == name
    ]
    claims = [pair for pair in pairs if pair.verdict in CLAIMS]
    wrong = [pair for pair in claims if pair.difference * pair.truth < 0]
    off = fmean(pair.difference - pair.truth for pair in pairs)
    return (
        f"truth {fmean(pair.truth for pair in pairs):+.2f}, off {off:+.2f}; covered "
        f"{_covered(pairs, once=True)} and {_covered(pairs, once=False)}, said {len(claims)} of "
        f"{len(pairs)}, against the truth {len(wrong)}"
    )


def _covered(pairs: Sequence[Pair], *, once: bool) -> int:
    """How often the truth lies in the interval read once, or in the one that holds at any time."""
    spans = [(pair.interval if once else pair.sequence, pair.truth) for pair in pairs]
    return sum(span.low <= truth <= span.high for span, truth in spans)


if __name__ == "__main__":
    main()
