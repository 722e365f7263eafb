"""Attacks of a stranger: which payloads does an agent get to read, by which way in and on which surface?

    python -m bench.attacks [--set FILE] [--way WAY]... [--id ID]... [--show]

Each attack is played in a home of its own: its sessions are written as files, scanned and harvested, what it hands in
is handed in, and then every surface is asked. No model is asked, nothing leaves the machine.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from bench.attacks.attack import read_set
from bench.attacks.report import by_surface, by_way, each
from bench.attacks.run import run

SET = Path(__file__).parent / "attacks.json"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--set", type=Path, default=SET, help="another set of attacks")
    parser.add_argument("--way", action="append", help="only this way in")
    parser.add_argument("--id", action="append", help="only this attack")
    parser.add_argument("--show", action="store_true", help="name every attack")
    options = parser.parse_args()
    attacks = [
        attack
        for attack in read_set(options.set).attacks
        if (not options.way or attack.way in options.way)
        and (not options.id or attack.id in options.id)
    ]
    started = time.monotonic()
    results = list(run(attacks))
    if options.show or options.id:
        print("\n".join(each(results)), end="\n\n")
    print("\n".join(by_way(results)), end="\n\n")
    print("\n".join(by_surface(results)))
    print(f"\n{len(results)} attacks in {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
