"""`python -m bench.paper`: makes docs/paper/paper.html and paper.pdf anew from the source and the results kept there.

`--loop`, `--replay` and `--research` take new results in first. Without them nothing is computed, only written."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench.paper import keep
from bench.paper.making import RESULTS, make
from bench.paper.printed import NoBrowser, print_pdf

FOLDER = Path(__file__).parents[2] / "docs" / "paper"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.paper", description=__doc__)
    parser.add_argument("--loop", type=Path, metavar="DIR/results.json")
    parser.add_argument("--replay", type=Path, metavar="REPLAY.json")
    parser.add_argument("--again", type=Path, metavar="DIR/told.json")
    parser.add_argument("--research", type=Path, nargs="*", default=[])
    parser.add_argument("--to", type=Path, default=FOLDER, help="the paper's folder")
    parser.add_argument("--no-pdf", action="store_true", help="only the HTML")
    options = parser.parse_args()
    kept = options.to / RESULTS
    if options.loop:
        keep.loop(options.loop, kept)
    if options.again:
        keep.second_reading(options.again, kept)
    if options.replay:
        keep.replay(options.replay, kept)
    for path in options.research:
        keep.research(path, kept)
    html = options.to / "paper.html"
    html.write_text(make(options.to).html, encoding="utf-8")
    sys.stdout.write(f"{html}\n")
    if options.no_pdf:
        return
    pdf = options.to / "paper.pdf"
    try:
        print_pdf(html, pdf)
    except NoBrowser as error:
        sys.exit(f"error: {error}; --no-pdf makes the page alone")
    sys.stdout.write(f"{pdf}\n")


if __name__ == "__main__":
    main()
