"""Events against labelled cases: how many of them are events, and how many meet their like again.

    python -m bench.events CORPUS GOLD [--draw 100]

CORPUS is a folder of sessions, GOLD one with `cases.jsonl`: one case a line, with session, line of the call and lesson.
Prints the share of cases (with a lesson) that are events at that line, the share whose problem holds an earlier case of
the same lesson, and how many events there are; draws some of them at random into bench/out for reading.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from afterglow.config import Config
from afterglow.flows.harvest import harvest
from afterglow.harvest.problems import problems_of, telling_events
from afterglow.records.problems import Event, SessionEvents
from afterglow.records.selection import below
from afterglow.store.catalog import Catalog
from afterglow.store.events import events_of

Case = dict[str, Any]
OUT = Path(__file__).parent / "out"
_CALL = re.compile(r'"call_id":\s*"([^"]+)"')


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("gold", type=Path)
    parser.add_argument("--draw", type=int, default=100, help="events to draw")
    parser.add_argument("--misses", action="store_true", help="print missed cases")
    options = parser.parse_args()
    sessions = mined(options.corpus)
    cases = [json.loads(line) for line in (options.gold / "cases.jsonl").open()]
    labelled = Labelled(options.corpus, sessions)
    with_lesson = [case for case in cases if case["lesson"]]
    measure(labelled, with_lesson, misses=options.misses)
    draw(options.corpus.name, labelled.events, options.draw)


def mined(corpus: Path) -> list[SessionEvents]:
    with tempfile.TemporaryDirectory(prefix="bench-events-") as home:
        config = Config(home=Path(home), user_home=Path(home))
        harvest(config, below(corpus), jobs=2)
        with Catalog(config.catalog) as catalog:
            keys = [entry.key for entry in catalog.entries()]
            return [events for _, events in events_of(catalog, keys)]


class Labelled:
    """Events and problems of a corpus, looked up by the places that labels name."""

    def __init__(self, corpus: Path, sessions: list[SessionEvents]) -> None:
        self.corpus = corpus
        self.events = telling_events(sessions)
        self.problems = problems_of("", sessions)
        self.at_line: dict[tuple[str, int], list[Event]] = defaultdict(list)
        for event in self.events:
            for line in {event.line, event.result_line, *event.batch}:
                self.at_line[event.session, line].append(event)
        self.problems_of_call: dict[int, set[str]] = defaultdict(set)
        for problem in self.problems:
            for event in problem.events:
                self.problems_of_call[event.call].add(problem.id)
        self.results: dict[str, dict[int, int]] = {}

    def events_at(self, case: Case) -> list[Event]:
        name, line = case["file"], case["line"]
        if name not in self.results:
            self.results[name] = result_lines(self.corpus / name)
        places = {line, self.results[name].get(line, line)}
        return [e for place in places for e in self.at_line[case["session"], place]]

    def problems_at(self, case: Case) -> set[str]:
        calls = (event.call for event in self.events_at(case))
        return set().union(*(self.problems_of_call[call] for call in calls))


def measure(labelled: Labelled, cases: list[Case], *, misses: bool) -> None:
    matched = [case for case in cases if labelled.events_at(case)]
    start = {event.session: event.time or 0.0 for event in reversed(labelled.events)}
    ordered = sorted(cases, key=lambda case: start.get(case["session"], 0.0))
    repeated, grouped = grouping(labelled, ordered)
    sessions = len({event.session for event in labelled.events})
    print("cases that are events         ", share(len(matched), len(cases)))
    print("repeats in an earlier's problem", share(len(grouped), len(repeated)))
    print(
        f"events                         {len(labelled.events)} in {sessions} sessions"
    )
    print(f"problems of two sessions       {len(labelled.problems)}")
    if misses:
        for how, matches in (("missed", matched), ("alone", grouped)):
            expected = cases if how == "missed" else repeated
            for case in expected:
                if case not in matches:
                    error = case["error"][:90].replace("\n", " ")
                    place = f"{case['session'][:8]}:{case['line']}"
                    print(how, place, case["lesson"], error)


def grouping(labelled: Labelled, cases: list[Case]) -> tuple[list[Case], list[Case]]:
    """The cases whose lesson an earlier session had met, and those of them that share a problem with it."""
    earlier: dict[str, dict[str, set[str]]] = defaultdict(dict)
    repeated, grouped = [], []
    for case in cases:
        ids = labelled.problems_at(case)
        met = earlier[case["lesson"]]
        before = [names for session, names in met.items() if session != case["session"]]
        if before:
            repeated.append(case)
        if any(ids & names for names in before):
            grouped.append(case)
        met.setdefault(case["session"], set()).update(ids)
    return repeated, grouped


def share(part: int, whole: int) -> str:
    return f"{part} of {whole} = {part / max(whole, 1):.2f}"


def result_lines(path: Path) -> dict[int, int]:
    """Where the result of a call stands, by the line of the call (Codex: both name the same call_id)."""
    first: dict[str, int] = {}
    results: dict[int, int] = {}
    for number, line in enumerate(path.open(encoding="utf-8", errors="replace"), 1):
        if match := _CALL.search(line):
            if match[1] in first:
                results.setdefault(first[match[1]], number)
            first.setdefault(match[1], number)
    return results


def draw(name: str, events: list[Event], count: int) -> None:
    OUT.mkdir(exist_ok=True)
    drawn = random.Random(0).sample(events, min(count, len(events)))
    path = OUT / f"events-{name}.txt"
    path.write_text("\n".join(map(shown, drawn)) + "\n", encoding="utf-8")
    print(f"{len(drawn)} drawn into        {path}")


def shown(event: Event) -> str:
    lines = "\n".join(f"    => {line.text}" for line in event.lines[:3])
    said = f"\n    person: {event.person}" if event.person else ""
    return f"{event.kind} {event.session[:8]}:{event.line} {event.command[:200]}\n{lines}{said}"


if __name__ == "__main__":
    main()
