"""What sessions would have been told on failure, for a reader: drawn, exported, and the reader's verdicts counted.

    python -m bench.hints HOME... [--budget 600] [--export DIR] [--draw 60]
    python -m bench.hints HOME... --verdicts DIR

HOME is a home of afterglow that was harvested, one a project, named like it. `--export` writes DIR/PROJECT.md, which a
reader holds against the transcripts (each place is said), and DIR/PROJECT.jsonl. The reader writes
DIR/PROJECT.verdicts.jsonl, one `{"id": ..., "verdict": "useful" | "useless" | "wrong", "why": ...}` a line: right and
useful there; true, and nobody needs it there; wrong. Hints are drawn by a hash of their place, so a change elsewhere
does not draw others. No model is asked.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from afterglow.config import Config
from afterglow.context import BUDGET
from afterglow.flows.measure import replay
from afterglow.records.problems import Event
from afterglow.records.replay import DumpRow, ReplayReport
from afterglow.store.catalog import Catalog
from afterglow.store.events import events_of
from afterglow.store.knowledge import Knowledge

VERDICTS = ("useful", "useless", "wrong")
MAX_CHARACTERS = 400  # of a call, as a reader needs it
FROM_STATE = "state checks"


class DrawnHint(Struct, frozen=True, kw_only=True):
    """A hint in its place. `source` is the miner of its lesson, or says that the session's own state explains it."""

    id: str
    path: str
    line: int
    source: str
    hint: str
    call: str
    error: tuple[str, ...]
    followed: tuple[str, ...]


class Verdict(Struct, frozen=True):
    id: str
    verdict: Literal["useful", "useless", "wrong"]
    why: str = ""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("homes", type=Path, nargs="+", metavar="HOME")
    parser.add_argument("--budget", type=int, default=BUDGET, help="of the start")
    parser.add_argument("--export", type=Path, help="write hints for a reader")
    parser.add_argument("--draw", type=int, default=60, help="hints a project")
    parser.add_argument("--verdicts", type=Path, help="count what a reader said")
    options = parser.parse_args()
    for home in options.homes:
        if options.verdicts:
            _show_verdicts(home.name, options.verdicts)
            continue
        config = Config(home=home, user_home=home)
        report, rows = replay(config, budget=options.budget, jobs=2)
        _show(home.name, report)
        if options.export:
            drawn = sorted(_hints(config, rows), key=lambda hint: hint.id)
            export(home.name, drawn[: options.draw], options.export)


def _show(project: str, report: ReplayReport) -> None:
    told = report.on_failure
    ended = ", ".join(f"{how} {times}" for how, times in told.ended.items())
    print(
        f"{project:20} {told.hints / max(report.sessions, 1):.2f} hints a session ({told.hints} in {report.sessions}),"
        f" {told.explained} from state, {told.once} of one witness; lessons ended: {ended};"
        f" repeats in view {report.shares['in view'].value or 0:.2f}, at hand {told.at_hand.value or 0:.2f}"
    )


def _hints(config: Config, rows: Iterable[DumpRow]) -> Iterator[DrawnHint]:
    """Every hint once: calls made at once that failed alike have the same."""
    events, miners = _events(config), _miners(config)
    for row in rows:
        texts: set[str] = set()
        for hint in row.hints:
            event = events.get((row.session_id, hint.line))
            if event is None or hint.text in texts:
                continue
            texts.add(hint.text)
            yield DrawnHint(
                id=_id(row.session_id, hint.line),
                path=row.path,
                line=hint.line,
                source=miners.get("".join(hint.items), FROM_STATE),
                hint=hint.text,
                call=f"{event.tool}: {event.command[:MAX_CHARACTERS]}",
                error=tuple(line.text for line in event.lines[:4]),
                followed=tuple(_followed(event)),
            )


def _id(session: str, line: int) -> str:
    return blake2b(f"{session}:{line}".encode(), digest_size=5).hexdigest()


def _events(config: Config) -> Mapping[tuple[str, int], Event]:
    with Catalog(config.catalog) as catalog:
        ids = {entry.key: entry.id for entry in catalog.entries()}
        return {
            (ids[key], line): event
            for key, session in events_of(catalog, ids)
            for event in session.events
            for line in (event.line, *event.batch)
        }


def _miners(config: Config) -> dict[str, str]:
    with Knowledge(config.knowledge) as knowledge:
        items = knowledge.items()
    return {
        item.id: f"{item.miner}, once" if item.status == "candidate" else item.miner
        for item in items
    }


def _followed(event: Event) -> Iterator[str]:
    for call in event.tried:
        how = "worked" if call.worked else "failed"
        yield f"then {how}: {call.command[:MAX_CHARACTERS]} => {call.printed}"
    if event.remedy is not None:
        command = event.remedy.command[:MAX_CHARACTERS]
        yield f"ended after {event.calls} calls: {command} => {event.remedy.printed}"
    if event.because:
        yield f"the assistant: {event.because}"
    if event.person:
        yield f"a person: {event.person}"


def export(project: str, hints: Sequence[DrawnHint], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    lines = b"".join(msgspec.json.encode(hint) + b"\n" for hint in hints)
    (folder / f"{project}.jsonl").write_bytes(lines)
    text = "\n\n".join(map(_shown, hints)) + "\n"
    (folder / f"{project}.md").write_text(text, encoding="utf-8")
    print(f"{project:20} {len(hints)} hints to read in {folder / project}.md")


def _shown(hint: DrawnHint) -> str:
    place = f"{hint.path}:{hint.line}"
    head = f"## {hint.id} ({hint.source}) {place}\ncall: {hint.call}"
    errors = "\n".join(f"error: {line}" for line in hint.error)
    followed = "\n".join(hint.followed)
    return f"{head}\n{errors}\nHINT: {hint.hint}\n{followed}".rstrip()


def _show_verdicts(project: str, folder: Path) -> None:
    for source, counts in sorted(verdicts_of(project, folder).items()):
        total = counts.total()
        shares = ", ".join(f"{name} {counts[name] / total:.2f}" for name in VERDICTS)
        print(f"{project:20} {source:20} n {total:3}: {shares}")


def verdicts_of(project: str, folder: Path) -> dict[str, Counter[str]]:
    """How many hints a reader found useful, useless and wrong, by where their line comes from, and of all."""
    sources = {hint.id: hint.source for hint in _rows(folder / f"{project}.jsonl")}
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in _verdicts(folder / f"{project}.verdicts.jsonl"):
        counts[sources[row.id]][row.verdict] += 1
        counts["all"][row.verdict] += 1
    return counts


def _rows(path: Path) -> list[DrawnHint]:
    return msgspec.json.Decoder(DrawnHint).decode_lines(path.read_bytes())


def _verdicts(path: Path) -> list[Verdict]:
    return msgspec.json.Decoder(Verdict).decode_lines(path.read_bytes())


if __name__ == "__main__":
    main()
