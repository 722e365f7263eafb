"""`python -m bench.closed_loop.run --url http://127.0.0.1:8000/v1 --model NAME`: the loop, against any endpoint.

A loop that was stopped goes on where it was. Without a sandbox nothing is run. See README.md here.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from bench.closed_loop.board import Board
from bench.closed_loop.families import FAMILIES
from bench.closed_loop.loop import Loop, run_loop
from bench.closed_loop.model import Endpoint
from bench.closed_loop.plans import PLANS
from bench.closed_loop.sandbox import NoSandbox, Sandbox

OUT = Path(__file__).parents[1] / "out" / "closed_loop"
NAMES = [plan.name for plan in PLANS]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--url", required=True, help="an OpenAI-compatible endpoint, up to and with /v1"
    )
    parser.add_argument("--model", default="local")
    parser.add_argument(
        "--key",
        metavar="VARIABLE",
        default="",
        help="the variable that holds the key, if it needs one",
    )
    parser.add_argument("--temperature", type=float, default=0.5)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--calls", type=int, default=12, help="calls a session makes")
    parser.add_argument(
        "--patience",
        type=int,
        default=2,
        help="failed calls after which the person helps a learner",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--parallel", type=int, default=1, help="sessions at once")
    parser.add_argument(
        "--plans", nargs="*", choices=NAMES, default=NAMES, help="which studies to run"
    )
    parser.add_argument(
        "--families", type=int, default=len(FAMILIES), help="only the first so many"
    )
    options = parser.parse_args()
    try:
        sandbox = Sandbox(network=True)  # there the board is
    except NoSandbox as error:
        sys.exit(f"error: {error}")
    model = Endpoint(
        options.url,
        options.model,
        temperature=options.temperature,
        key=os.environ.get(options.key, ""),
    )
    loop = Loop(
        out=options.out.absolute(),
        url=options.url,
        model=options.model,
        key=options.key,
        families=FAMILIES[: options.families],
        plans=tuple(plan for plan in PLANS if plan.name in options.plans),
        calls=options.calls,
        patience=options.patience,
        seed=options.seed,
        parallel=options.parallel,
    )
    # Tasks carry the board's address: a loop that goes on has them as they were.
    place = loop.out / "board-port.txt"
    with Board(port=int(place.read_text()) if place.exists() else 0) as board:
        loop.out.mkdir(parents=True, exist_ok=True)
        place.write_text(board.url.rpartition(":")[2])
        run_loop(loop, model, sandbox, board.url)
    sys.stderr.write(f"now: python -m bench.closed_loop.analyse --out {loop.out}\n")


if __name__ == "__main__":
    main()
