"""What the checks of lessons cost and catch: a writer's answers, run through witnesses and checks.

    python -m bench.lesson_checks HOME --answers DIR [--labels FILE] [--wrong swapped|reversed] [--list]

HOME is a harvested home, DIR a folder with `answers.jsonl` and `dossiers.jsonl` (`bench.generalise --export` makes
one). Prints for each check how many lessons it refused or made wait. With labels (JSON lines: problem, remedy,
label), also how many right lessons that cost and how many wrong ones it caught; a label is `right`, `obvious`, `partly`
or `wrong`. `--wrong` makes wrong lessons of them: each with the remedy of another problem, or with what failed told as
the remedy. None of these may become active. Nothing is asked of a model, and the home is not touched.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.harvest.index_problems import ProblemIndex, problem_index
from afterglow.flows.harvest.take_answers import Taken, take_answers
from afterglow.harvest.writing.answers import read_answers
from afterglow.harvest.writing.checks import CHECKS
from afterglow.harvest.writing.names import spans
from afterglow.records.problems import Dossier, Problem
from afterglow.records.writing import WrittenAnswer

TRUE_LABELS = (
    "right",
    "obvious",
)  # true; whether it is worth telling is another matter
MAX_REMEDY_CHARACTERS = 60  # of a remedy by which a label knows its lesson

Labels = dict[tuple[str, str], str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", type=Path)
    parser.add_argument("--answers", type=Path, required=True)
    parser.add_argument("--labels", type=Path)
    parser.add_argument("--wrong", choices=["swapped", "reversed"])
    parser.add_argument("--list", action="store_true", help="print every lesson")
    options = parser.parse_args()
    lessons = checked(options.home, options.answers, options.wrong)
    labels = labels_in(options.labels) if options.labels else {}
    if options.list:
        print_lessons(lessons, labels)
    print_outcomes(lessons, labels)
    print_checks(lessons, labels)


def checked(home: Path, folder: Path, wrong: str | None = None) -> list[Taken]:
    """What becomes of each lesson by itself, in a copy of the home."""
    decoder = msgspec.json.Decoder(Dossier)
    dossiers = decoder.decode_lines((folder / "dossiers.jsonl").read_bytes())
    rows = [json.loads(line) for line in (folder / "answers.jsonl").open()]
    answers = [
        answer
        for answer in read_answers(rows, dossiers)
        if isinstance(answer, WrittenAnswer)
    ]
    answers = _made_wrong(answers, wrong) if wrong else answers
    by_problem = {dossier.problem: dossier for dossier in dossiers}
    outcomes = []
    with tempfile.TemporaryDirectory(prefix="bench-checks-") as place:
        copy = Path(place) / "home"
        shutil.copytree(home, copy)
        config = Config(home=copy, user_home=copy)
        index = problem_index(config, least=1)
        for answer in answers:
            if answer.answer != "lesson":
                continue
            if config.knowledge.exists():
                shutil.copyfile(home / config.knowledge.name, config.knowledge)
            merged = [item for item in answers if _is_merged(item, answer)]
            outcomes += _taken(config, index, answer, merged, by_problem)
    return outcomes


def _made_wrong(answers: Sequence[WrittenAnswer], how: str) -> list[WrittenAnswer]:
    """Lessons that are certainly wrong. Those that tell nothing to run cannot be reversed."""
    lessons = [answer for answer in answers if answer.answer == "lesson"]
    if how == "swapped":
        half = len(lessons) // 2
        remedies = [answer.remedy for answer in lessons[half:] + lessons[:half]]
        pairs = zip(lessons, remedies, strict=True)
        return [replace(answer, remedy=remedy, item="") for answer, remedy in pairs]
    return [
        replace(
            answer,
            situation=f"`{told_spans[0]}` fails",
            remedy=f"Run `{failing[0]}`.",
            item="",
        )
        for answer in lessons
        if (failing := _commands(answer.situation))
        and (told_spans := _commands(answer.remedy))
    ]


def _commands(text: str) -> list[str]:
    return [span for span in spans(text) if " " in span and ":" not in span]


def _is_merged(item: WrittenAnswer, lesson: WrittenAnswer) -> bool:
    return item.answer == "merge" and item.item == lesson.problem


def _taken(
    config: Config,
    index: ProblemIndex,
    lesson: WrittenAnswer,
    merged: Sequence[WrittenAnswer],
    dossiers: Mapping[str, Dossier],
) -> list[Taken]:
    """The lesson as an answer to the problem of today that holds what it cites: families are grouped better by now."""
    seen_dossier = dossiers[lesson.problem]
    problem = _today(index, seen_dossier)
    if problem is None:
        print(f"{lesson.problem}: no problem holds what it cites")
        return []
    others = [_today(index, dossiers[item.problem]) for item in merged]
    answers = [replace(lesson, problem=problem.id)]
    answers += [
        replace(item, problem=other.id, item=problem.id)
        for item, other in zip(merged, others, strict=True)
        if other is not None and other.id != problem.id
    ]
    known_dossiers = {problem.id: replace(seen_dossier, problem=problem.id)}
    taken = take_answers(config, index, answers, by="bench", dossiers=known_dossiers)[0]
    written = replace(taken.kept_answer.answer, problem=lesson.problem)
    return [replace(taken, kept_answer=replace(taken.kept_answer, answer=written))]


def _today(index: ProblemIndex, dossier: Dossier) -> Problem | None:
    """The problem of that id, or the one that holds most of what the dossier shows."""
    if exact := [item for item in index.problems if item.id == dossier.problem]:
        return exact[0]
    places = {(line.session, line.line) for line in dossier.lines if line.session}

    def shared(problem: Problem) -> int:
        return sum((event.session, event.line) in places for event in problem.events)

    best = max(index.problems, key=shared, default=None)
    return best if best is not None and shared(best) else None


def labels_in(path: Path) -> Labels:
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return {_key(row["problem"], row["remedy"]): row["label"] for row in rows}


def _key(problem: str, remedy: str) -> tuple[str, str]:
    return problem, remedy[:MAX_REMEDY_CHARACTERS]


def label_of(taken: Taken, labels: Labels) -> str:
    answer = taken.kept_answer.answer
    return labels.get(_key(answer.problem, answer.remedy), "unread")


def print_lessons(lessons: Iterable[Taken], labels: Labels) -> None:
    for taken in lessons:
        report = taken.report
        problem = taken.kept_answer.answer.problem
        print(f"{problem} {label_of(taken, labels)} {report.outcome}", end=" ")
        print(f"({report.sessions} sessions, {report.reason}) {report.line}")
        for objection in taken.kept_answer.objections:
            print(f"    {objection.effect} {objection.check}: {objection.reason}")


def print_outcomes(lessons: Sequence[Taken], labels: Labels) -> None:
    """Outcomes by label: of the right lessons at most a tenth refused, of the active ones at most 5 % wrong."""
    table: Counter[tuple[str, str]] = Counter(
        (label_of(taken, labels), taken.report.outcome) for taken in lessons
    )
    print(f"{len(lessons)} lessons\n| label | active | candidate | refused |")
    print("|---|---|---|---|")
    for label in sorted({label for label, _ in table}):
        counts = [table[label, name] for name in ("active", "candidate", "refused")]
        print(f"| {label} | {' | '.join(map(str, counts))} |")


def print_checks(lessons: Sequence[Taken], labels: Labels) -> None:
    print(
        "\n| check | refused | made wait | true lessons it cost | wrong ones it caught |"
    )
    print("|---|---|---|---|---|")
    for name in CHECKS.names():
        print(f"| {name} | {' | '.join(_row(name, lessons, labels))} |")


def _row(name: str, lessons: Sequence[Taken], labels: Labels) -> list[str]:
    effects: Counter[str] = Counter()
    cost = caught = 0
    for taken in lessons:
        for objection in taken.kept_answer.objections:
            if objection.check != name:
                continue
            effects[objection.effect] += 1
            label = label_of(taken, labels)
            cost += label in TRUE_LABELS
            caught += label in {"partly", "wrong"}
    numbers: list[Any] = [effects["refuse"], effects["wait"], cost, caught]
    return list(map(str, numbers))


if __name__ == "__main__":
    main()
