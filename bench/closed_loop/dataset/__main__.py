"""`python -m bench.closed_loop.dataset --out DIR --to dataset`: the published dataset, out of a loop's folder.

`--check dataset` tells whether the files of one are whole and hold what their card says.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.closed_loop.dataset import files
from bench.closed_loop.dataset.card import counts_in
from bench.closed_loop.dataset.columns import TABLES
from bench.closed_loop.dataset.loop_folder import NoLoop
from bench.closed_loop.dataset.make import make_dataset


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="the folder of the loop")
    parser.add_argument("--to", type=Path, default=Path("dataset"), help="to write to")
    parser.add_argument("--check", type=Path, metavar="DATASET", help="only look")
    options = parser.parse_args()
    if options.check is None and options.out is None:
        parser.error("--out DIR is the folder of a loop; --check DATASET only looks")
    if options.check is not None:
        wrong = list(problems(options.check))
        sys.exit("\n".join(wrong) if wrong else 0)
    try:
        contents = make_dataset(options.out)
        files.write(options.to, contents)
    except (NoLoop, files.Wrong) as error:
        sys.exit(f"error: {error}")
    for name, content in contents.items():
        sys.stdout.write(f"{len(content):>10,}  {options.to / name}\n")


def problems(folder: Path) -> Iterator[str]:
    """What is wrong with a dataset: its files, then the counts of its card."""
    broken = list(files.problems(folder))
    yield from broken
    if broken:
        return
    rows = files.read(folder)
    counted = {TABLES[name].file: len(rows[name]) for name in rows}
    stated = counts_in((folder / files.CARD).read_text(encoding="utf-8"))
    if stated != counted:
        yield f"the card says {stated}, the files hold {counted}"


if __name__ == "__main__":
    main()
