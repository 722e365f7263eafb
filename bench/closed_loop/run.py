"""`python -m bench.closed_loop.run --url http://127.0.0.1:8000/v1 --model NAME`: the loop, against any endpoint.

A run that was stopped goes on where it was. Without a sandbox nothing is run. See README.md here.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from bench.closed_loop.families import FAMILIES
from bench.closed_loop.loop import Loop, run
from bench.closed_loop.model import Endpoint
from bench.closed_loop.sandbox import NoSandbox, Sandbox

ITEMS = min(len(family.items) for family in FAMILIES)
OUT = Path(__file__).parents[1] / "out" / "closed_loop"


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
    parser.add_argument(
        "--learning", type=int, default=2, help="learning sessions per family"
    )
    parser.add_argument(
        "--measured",
        type=int,
        default=2,
        help="measured tasks per family, each in every arm",
    )
    parser.add_argument("--calls", type=int, default=8, help="calls a session may make")
    parser.add_argument(
        "--patience",
        type=int,
        default=2,
        help="failed calls after which the person helps a learner",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--minutes", type=float, default=0, help="begin no further task after so long"
    )
    given = parser.parse_args()
    if given.learning + given.measured > ITEMS:
        parser.error(f"a family has {ITEMS} tasks for learning and measuring together")
    try:
        sandbox = Sandbox(network=True)  # there the board is
    except NoSandbox as error:
        sys.exit(f"error: {error}")
    model = Endpoint(
        given.url,
        given.model,
        temperature=given.temperature,
        key=os.environ.get(given.key, ""),
    )
    loop = Loop(
        out=given.out, learning=given.learning, measured=given.measured, calls=given.calls, patience=given.patience,
        seed=given.seed, minutes=given.minutes,
    )  # fmt: skip
    rows = run(loop, model, sandbox)
    sys.stderr.write(
        f"{len(rows)} sessions in {loop.rows}; now: python -m bench.closed_loop.analyse --out {loop.out}\n"
    )


if __name__ == "__main__":
    main()
