"""Do sessions meet what a start tells them as often as was expected? On harvested homes, without any label.

    python -m bench.met_again HOME...

Walks each history as `afterglow replay` does. When a session starts, every line that it could be told has an expected
number of meetings; how often its situation was met from then on is known in the end. Where one kind of line is met more
often than expected for it, and another less, the order of a start is wrong. Nothing is written and no model is asked.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from afterglow.config import Config
from afterglow.context import CONFIDENCE, unfit
from afterglow.context.same_telling import STATE, WISHES
from afterglow.context.worth import spoken_in, worth
from afterglow.flows.harvest import replaced_by_written, written_by_session
from afterglow.flows.measure.history import Past, history_of, lives
from afterglow.records.context import Need
from afterglow.records.knowledge import WRITTEN_BY, KnowledgeItem


class Line(Struct):
    """One item of a history: how often it had been met when it was first known, and what was expected from then on."""

    kind: str
    met_before: int
    sessions: int = 0
    expected: float = 0.0


class Kind(Struct):
    """All lines of a kind."""

    lines: int = 0
    sessions: int = 0
    expected: float = 0.0
    met: int = 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("homes", type=Path, nargs="+")
    options = parser.parse_args()
    for home in options.homes:
        if not Config(home=home, user_home=home).catalog.exists():
            parser.error(f"{home} is no harvested home: there is no catalogue in it")
    kinds: dict[str, Kind] = defaultdict(Kind)
    for home in options.homes:
        for line, met in lines_of(Config(home=home, user_home=home)):
            kind = kinds[line.kind]
            kind.lines += 1
            kind.sessions += line.sessions
            kind.expected += line.expected
            kind.met += met
    print(f"{'kind':10} {'lines':>6} {'sessions':>9} {'expected':>9} {'met':>6} {'share':>6}")  # fmt: skip
    for name, kind in sorted(kinds.items()):
        share = kind.met / max(kind.expected, 1e-9)
        print(
            f"{name:10} {kind.lines:6} {kind.sessions:9} {kind.expected:9.1f} {kind.met:6} {share:6.2f}"
        )


def lines_of(config: Config) -> Iterator[tuple[Line, int]]:
    """Every item that could have been told, with how often it was met after it was known."""
    history = history_of(config, (), jobs=1, progress=lambda done, total: None)
    lived, _ = lives(config, history.entries, jobs=1, progress=lambda done, total: None)
    lessons, replaces = written_by_session(config), replaced_by_written(config)
    past = Past(history.entries, history.findings, lived, lessons, replaces)
    lines: dict[str, Line] = {}
    for start, entry in past.moments():
        if entry.key not in lived:
            continue
        need = Need(
            now=start,
            repo=entry.repo,
            agent=entry.agent,
            task=lived[entry.key].task,
            sessions=past.had[entry.repo],
        )
        spoken = spoken_in(need.task)
        for item in past.shelf.here(entry.repo):
            if unfit(item, need, CONFIDENCE)[0] is not None:
                continue
            value = worth(item, need, spoken)
            line = lines.setdefault(item.id, Line(kind_of(item), times_of(item)))
            line.sessions += 1
            line.expected += value.likely * value.often
    for id, line in lines.items():
        yield line, max(times_of(past.shelf.kept[id]) - line.met_before, 0)


def times_of(item: KnowledgeItem) -> int:
    return max(item.times, item.source_count)


def kind_of(item: KnowledgeItem) -> str:
    if not WISHES.isdisjoint(item.tags):
        return "wish"
    return item.miner if item.miner in {*WRITTEN_BY, STATE} else "mined"


if __name__ == "__main__":
    main()
