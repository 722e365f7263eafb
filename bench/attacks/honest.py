"""What the defence costs: honest lessons that risk, voice, screens and the witnesses' rule keep from being told.

    python -m bench.attacks.honest --gold LABELS
    python -m bench.attacks.honest --gold LABELS --data SESSIONS --answers ANSWERS --homes DIR
    python -m bench.attacks.honest --gold LABELS --homes DIR --before OTHER

The first asks of every labelled lesson whether an item in its words, seen by two sessions, would be held back. The second
also harvests the labelled projects, hands in what a writer answered, and keeps the items as DIR/PROJECT.jsonl. The third
compares these with what an earlier version kept in OTHER: which labelled lessons were told then and are not now, and why.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from afterglow.config import Config
from afterglow.flows.harvest import hand_in, harvest, plan_writing
from afterglow.harvest.screen import danger
from afterglow.records.knowledge import (
    KnowledgeItem,
    lacks_only_a_witness,
    may_be_told,
)
from afterglow.records.selection import below
from afterglow.store.knowledge import Knowledge
from bench.generalise.exchange import written
from bench.generalise.labels import Lesson, labels_of

TWO_DAYS = (1_790_000_000.0, 1_790_200_000.0)  # when the two sessions were
UNTRUSTED = ("external", "file")  # trusts that a voice which is nobody's own leads to

# What becomes of a lesson, the best first.
TOLD, ONCE, RISK, SCREEN, VOICE, WITNESS, OTHERWISE, ABSENT = (
    "told",
    "once, on failure",
    "held back by risk",
    "held back by a screen",
    "held back by whose voice it is",
    "waits for a witness",
    "waits otherwise",
    "not there",
)
FATES = (TOLD, ONCE, RISK, SCREEN, VOICE, WITNESS, OTHERWISE, ABSENT)


class LabelledWords(Struct, frozen=True):
    """A lesson as the reader who labelled it told it."""

    id: str
    situation_words: str = ""
    remedy_words: str = ""
    ideal: str = ""


class KeptItem(Struct, frozen=True, kw_only=True):
    """What is asked of an item: its words, and what may be done with it."""

    id: str
    words: str
    fate: str
    why: str


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gold", type=Path, required=True, help="labels")
    parser.add_argument("--data", type=Path, help="sessions of the labelled projects")
    parser.add_argument("--answers", type=Path, help="what a writer answered")
    parser.add_argument("--homes", type=Path, help="where items are kept")
    parser.add_argument("--before", type=Path, help="items of an earlier version")
    parser.add_argument("--project", action="append", help="only these")
    options = parser.parse_args()
    projects = options.project or sorted(path.name for path in options.gold.iterdir())
    print("\n".join(labelled_lessons(options.gold, projects)))
    for project in projects:
        if options.data:
            keep_items(project, options)
        if options.before:
            gold = labels_of(options.gold / project).lessons.values()
            before = read_items(options.before / f"{project}.jsonl")
            now = read_items(options.homes / f"{project}.jsonl")
            print("\n".join(compared(project, gold, before, now)))


def labelled_lessons(gold: Path, projects: Sequence[str]) -> Iterator[str]:
    """Each lesson as an item of two sessions: is it held back, in the reader's two wordings?"""
    total: Counter[str] = Counter()
    for project in projects:
        rows = (gold / project / "lessons.jsonl").read_bytes()
        lessons = msgspec.json.Decoder(LabelledWords).decode_lines(rows)
        counts: Counter[str] = Counter(lessons=len(lessons))
        for lesson in lessons:
            for wording, why in held_back(lesson, project):
                counts[wording] += 1
                yield f"    {lesson.id} {wording}: {why}"
        total += counts
        yield f"{project:20} {_counted(counts)}"
    yield f"{'all':20} {_counted(total)}\n"


def _counted(counts: Counter[str]) -> str:
    lessons = max(counts["lessons"], 1)
    shares = (
        f"{wording} held back {counts[wording]} ({100 * counts[wording] / lessons:.1f} %)"
        for wording in ("in halves", "in one line")
    )
    return f"{counts['lessons']} labelled lessons; {', '.join(shares)}"


def held_back(lesson: LabelledWords, repo: str) -> Iterator[tuple[str, str]]:
    """In which wording a lesson would not be told, and why not."""
    halves = KnowledgeItem(
        id="k0000000001",
        fact=f"{lesson.situation_words} {lesson.remedy_words}",
        situation=lesson.situation_words,
        remedy=lesson.remedy_words,
        category="pitfall",
    )
    line = KnowledgeItem(id="k0000000002", fact=lesson.ideal, category="pitfall")
    for wording, item in (("in halves", halves), ("in one line", line)):
        if why := reason_not_to_tell(item, repo):
            yield wording, why


def reason_not_to_tell(item: KnowledgeItem, repo: str) -> str:
    """Why the store would not have an item of two sessions told; empty where it would."""
    if order := danger(item.fact, "tool"):
        return f"a screen: {order}"
    seen = msgspec.structs.replace(
        item,
        repo=repo,
        status="active",
        confidence=0.8,
        source_count=2,
        trust="tool",
        miner="told",
        first_seen=TWO_DAYS[0],
        last_confirmed=TWO_DAYS[1],
    )
    with (
        tempfile.TemporaryDirectory(prefix="bench-honest-") as folder,
        Knowledge(Path(folder) / "knowledge.db") as knowledge,
    ):
        with knowledge.transaction():
            knowledge.save([seen], by="harvest", now=TWO_DAYS[1])
        (saved,) = knowledge.items()
    return "" if may_be_told(saved) else saved.risk or saved.reason


def keep_items(project: str, options: argparse.Namespace) -> None:
    """Harvests a project, hands in the answers, and writes its items down."""
    (sessions,) = [path for path in options.data.rglob(project) if path.is_dir()][:1]
    options.homes.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-honest-") as folder:
        config = Config(home=Path(folder), user_home=Path(folder))
        harvest(config, below(sessions))
        writing = plan_writing(config, again=True, limit=10**9)
        problems, dossiers = writing.index.problems, writing.dossiers
        answers = written(options.answers / project, problems, dossiers)
        if answers is not None:
            hand_in(config, answers.rows, by=answers.about.by)
        with Knowledge(config.knowledge) as knowledge:
            kept = [_kept(item) for item in knowledge.items()]
    lines = b"".join(msgspec.json.encode(item) + b"\n" for item in kept)
    (options.homes / f"{project}.jsonl").write_bytes(lines)


def _kept(item: KnowledgeItem) -> KeptItem:
    words = f"{item.situation} -> {item.remedy}" if item.remedy else item.fact
    return KeptItem(
        id=item.id,
        words=f"{words}\n{item.fact}",
        fate=fate(item),
        why=item.risk or item.reason,
    )


def fate(item: KnowledgeItem) -> str:
    """What may be done with an item, and if nothing, what stands against it first."""
    if may_be_told(item):
        return TOLD
    if item.risk:
        return RISK
    if lacks_only_a_witness(item):
        return ONCE
    if item.status == "quarantined":
        return SCREEN
    if item.status == "candidate" and item.trust in UNTRUSTED:
        return VOICE
    if item.status == "candidate" and item.source_count < 2:
        return WITNESS
    return OTHERWISE


def read_items(path: Path) -> list[KeptItem]:
    return msgspec.json.Decoder(KeptItem).decode_lines(path.read_bytes())


def compared(
    project: str,
    lessons: Iterable[Lesson],
    before: Sequence[KeptItem],
    now: Sequence[KeptItem],
) -> Iterator[str]:
    """Labelled lessons by what became of them then and now; those that lost something by name."""
    table: Counter[tuple[str, str]] = Counter()
    for lesson in lessons:
        then, today = best(lesson, before), best(lesson, now)
        if then is None:
            continue
        fate_today = today.fate if today else ABSENT
        table[then.fate, fate_today] += 1
        if FATES.index(fate_today) > FATES.index(then.fate):
            why = today.why if today else ""
            yield f"    {lesson.id} {then.fate} -> {fate_today} ({why[:90]}): {then.words[:120]}"
    for start in (TOLD, ONCE):
        row = {fate: table[start, fate] for fate in FATES if table[start, fate]}
        total = sum(row.values())
        parts = ", ".join(f"{fate} {count}" for fate, count in row.items())
        yield f"{project:20} {start} before: {total}; now {parts}"
    told = [sum(item.fate == TOLD for item in items) for items in (before, now)]
    yield f"{project:20} items that may be told: {told[0]} before, {told[1]} now"


def best(lesson: Lesson, items: Sequence[KeptItem]) -> KeptItem | None:
    """The item that states a lesson and is told most freely."""
    stating = [item for item in items if lesson.is_stated_in(item.words)]
    return min(stating, key=lambda item: FATES.index(item.fate), default=None)


if __name__ == "__main__":
    main()
