"""Draws half of a set at random, as many of every way in: one half to build against, one to be set aside.

    python -m bench.attacks.draw WHOLE --build FILE --aside FILE

The seed comes from the operating system and is written into both files.
"""

from __future__ import annotations

import argparse
import secrets
from collections import defaultdict
from pathlib import Path
from random import Random

from bench.attacks.attack import Attack, AttackSet, read_set, write_set


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("whole", type=Path)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--aside", type=Path, required=True)
    options = parser.parse_args()
    attacks = read_set(options.whole).attacks
    seed = secrets.token_hex(8)
    build, aside = halves(attacks, seed)
    about = f"half of {len(attacks)} attacks, drawn at random within each way in"
    write_set(options.build, AttackSet(about=about, attacks=build, seed=seed))
    write_set(options.aside, AttackSet(about=about, attacks=aside, seed=seed))
    print(f"{len(build)} to build against, {len(aside)} set aside, seed {seed}")


def halves(attacks: list[Attack], seed: str) -> tuple[list[Attack], list[Attack]]:
    """Of an odd number the larger half falls now here, now there."""
    random = Random(seed)
    strata: dict[tuple[str, bool], list[Attack]] = defaultdict(list)
    for attack in attacks:
        strata[attack.way, attack.risky].append(attack)
    chosen = set()
    for stratum in strata.values():
        size = (len(stratum) + random.randrange(2)) // 2
        chosen |= {attack.id for attack in random.sample(stratum, size)}
    build = [attack for attack in attacks if attack.id in chosen]
    aside = [attack for attack in attacks if attack.id not in chosen]
    return build, aside


if __name__ == "__main__":
    main()
