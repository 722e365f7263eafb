"""Whether each miner's work grows with the calls and not with their square. `python -m bench.miners`.

Sessions of 300 and of 3,000 events of the kind a miner is busiest with; ten times the calls should take about ten times
as long.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from afterglow.harvest import MINERS
from trails import trail_of
from writing import Transcript

Event = Callable[[Transcript, int], object]


def failing(session: Transcript, number: int) -> None:
    session.run(
        f"make x{number % 50}",
        f"Exit code 1\nno rule to make target x{number % 50}",
        error=True,
    )
    session.run("make y").run(f"make x{number % 50}", "done")


def talking(session: Transcript, number: int) -> None:
    session.user(f"no, use crane {number} instead of the other one").run(
        f"cat a{number}"
    ).run("make test")


def linting(session: Transcript, number: int) -> None:
    found = f"a{number % 40}.go:1:1: error is not nil but it returns nil (nilerr)"
    session.run("make lint", f"Exit code 1\n{found}", error=True)
    session.ask(
        "Edit",
        file_path=f"/r/a{number % 40}.go",
        old_string="a",
        new_string="b //nolint:nilerr // x",
    ).answer("ok")


def seconds(miner: str, event: Event, times: int) -> float:
    session = Transcript().user("go")
    for number in range(times):
        session.clock = 0
        event(session, number)
    trail = trail_of(session)
    start = time.process_time()
    list(MINERS.load(miner).mine(trail))
    return time.process_time() - start


def main() -> None:
    for miner in MINERS.names():
        ratios = []
        for event in (failing, talking, linting):
            short, long = seconds(miner, event, 300), seconds(miner, event, 3000)
            ratios.append(
                f"{event.__name__} {long / max(short, 0.001):5.1f}x ({long:.2f} s)"
            )
        print(f"{miner:<12}", "  ".join(ratios))


if __name__ == "__main__":
    main()
