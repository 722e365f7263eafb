"""Lessons on labelled projects: how many repeated failures had their remedy at hand, with a writer and without.

    python -m bench.generalise --data SESSIONS --gold LABELS --answers ANSWERS [--project NAME]... [--homes DIR] [--losses]
    python -m bench.generalise --data SESSIONS --gold LABELS --export DIR [--project NAME]...

SESSIONS holds a folder a project somewhere below it, LABELS and ANSWERS one folder a project. `--export` writes what a
writer reads; put what it answers into ANSWERS/PROJECT/answers.jsonl. No model is asked.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from bench.generalise.exchange import export
from bench.generalise.judge import Score
from bench.generalise.losses import table
from bench.generalise.project import BUDGETS, Outcome, Project, Way, measured, prepared

OUT = Path(__file__).parents[1] / "out"
ACROSS = (
    "Nothing is learned across projects: each has a home of its own and the same settings, so what a project gets is"
    " what it gets when all the others are left out."
)
CONTACT = (
    "First contact is what about.json says of the answers alone (labels not opened before they were written); it says"
    " nothing about rules, checks and hints."
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="sessions")
    parser.add_argument("--gold", type=Path, required=True, help="labels")
    parser.add_argument("--answers", type=Path, help="what a writer answered")
    parser.add_argument("--export", type=Path, help="write what a writer reads")
    parser.add_argument("--project", action="append", help="only these")
    parser.add_argument("--homes", type=Path, help="keep what is harvested here")
    parser.add_argument(
        "--losses", action="store_true", help="at which stage each lesson is lost"
    )
    options = parser.parse_args()
    names = options.project or sorted(path.name for path in options.gold.iterdir())
    with tempfile.TemporaryDirectory(prefix="bench-generalise-") as temporary:
        homes = options.homes or Path(temporary)
        projects = [_project(name, options, homes) for name in names]
        if options.export:
            _export(projects, options.export)
        else:
            _measure(projects, losses=options.losses)


def _project(name: str, options: argparse.Namespace, homes: Path) -> Project:
    folders = [path for path in options.data.rglob(name) if path.is_dir()]
    if not folders:
        raise SystemExit(f"no folder {name} below {options.data}")
    home = homes / name
    home.mkdir(parents=True, exist_ok=True)
    answers = (options.answers or homes / "no-answers") / name
    return Project(name, folders[0], options.gold / name, answers, home)


def _export(projects: Sequence[Project], folder: Path) -> None:
    for project in projects:
        writing = prepared(project)
        batches = [question.dossiers for question in writing.questions]
        read = export(folder / project.name, writing.prompt.text, batches)
        count = len(writing.dossiers)
        print(f"{project.name:20} {count} dossiers, {read:,} tokens to read")
    print(f"Answers go to {folder}/PROJECT/answers.jsonl")


def _measure(projects: Sequence[Project], *, losses: bool) -> None:
    outcomes = []
    for project in projects:
        outcome = measured(project)
        outcomes.append(outcome)
        _show(outcome)
        if losses and outcome.losses:
            print("\n".join(table(outcome.losses)), end="\n\n")
    print(ACROSS)
    print(CONTACT)
    OUT.mkdir(exist_ok=True)
    (OUT / "generalise.json").write_bytes(msgspec.json.encode(outcomes))


def _show(outcome: Outcome) -> None:
    print(
        f"{outcome.project}: {outcome.problems} problems, {outcome.dossiers} dossiers of {outcome.dossier_tokens:,} tokens;"
        f" scan, harvest and problems {outcome.seconds:.1f} s"
    )
    if outcome.by:
        print(f"  written by {outcome.by}; first contact: {outcome.first_contact}")
    for way in outcome.ways:
        print(f"  {way.name}: {_cost(way)}")
        for budget in BUDGETS:
            print(f"    {budget:5} tokens: {_scored(way.scores[budget])}")
    print()


def _cost(way: Way) -> str:
    if not way.read:
        return "rules and state checks only"
    return (
        f"{way.kept} lessons kept ({_counts(way.outcomes)}); refused by {_counts(way.refused) or 'no check'};"
        f" {way.read:,} tokens read, {way.read / max(way.kept, 1):,.0f} a kept lesson"
    )


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in counts.items())


def _scored(score: Score) -> str:
    return (
        f"in view {score.share_in_view:.2f} ({score.in_view} of {score.cases}), {score.lessons_in_view} of"
        f" {score.lessons} lessons; at hand {score.share_at_hand:.2f} ({score.at_hand}), {score.lessons_at_hand}"
        f" lessons; {score.tokens} tokens a context"
    )


if __name__ == "__main__":
    main()
