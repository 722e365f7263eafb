"""What state checks explain, by project: failures, firings of each check, sessions. `python -m bench.state_checks FOLDER...`

Each FOLDER is a project's sessions. Draws up to 25 firings a check and project into bench/out for reading (--draw): the
failing call, what it printed, what the check says, and the three calls that followed.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from afterglow.errors import UnreadableSource
from afterglow.harvest.events.explained import explained
from afterglow.harvest.events.failures import symptoms
from afterglow.harvest.state_checks import CHECKS, Explanation
from afterglow.harvest.trail import Step, Trail
from afterglow.sessions import load
from afterglow.text.tokens import estimate

OUT = Path(__file__).parent / "out"
MAX_TOKENS = 60


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("projects", type=Path, nargs="+")
    parser.add_argument("--draw", type=int, default=25, help="firings a check")
    options = parser.parse_args()
    names = CHECKS.names()
    print("project", "failures", "explained", *names, sep="\t")
    for project in options.projects:
        measure(project, names, options.draw)


def measure(project: Path, names: list[str], draw: int) -> None:
    failures, firings = 0, defaultdict(list)
    sessions: dict[str, set[str]] = defaultdict(set)
    for trail in trails(project):
        failures += sum(
            symptom is not None and symptom.kind in {"failed", "hidden"}
            for symptom in symptoms(trail)
        )
        for index, explanation in explained(trail).items():
            firings[explanation.check].append(text_of(trail, index, explanation))
            sessions[explanation.check].add(trail.session.id)
    total = sum(map(len, firings.values()))
    cells = [f"{len(firings[name])}/{len(sessions[name])}" for name in names]
    print(project.name, failures, total, *cells, sep="\t")
    save(project.name, firings, draw)


def trails(project: Path) -> Iterator[Trail]:
    unread: Counter[str] = Counter()
    for path in sorted(filter(Path.is_file, project.rglob("*"))):
        try:
            yield from (Trail(session) for session in load(path))
        except UnreadableSource:
            unread[path.suffix] += 1
    if unread:
        print(f"{project.name}: no sessions in {dict(unread)}")


def text_of(trail: Trail, index: int, explanation: Explanation) -> str:
    step = trail.steps[index]
    output = " ⏎ ".join((step.call.error or step.call.result or "").split("\n"))
    tokens = estimate(explanation.line)
    return "\n".join(
        [
            f"{trail.session.id}:{step.call.line}",
            f"  call    {called(step)[:400]}",
            f"  printed {output[:400]}",
            f"  says    {explanation.line}"
            + f" ({tokens} tokens)" * (tokens > MAX_TOKENS),
            *(
                f"  then    {called(later)[:160]}"
                for later in trail.steps[index + 1 : index + 4]
            ),
        ]
    )


def called(step: Step) -> str:
    words = step.command or f"{step.tool} {step.action.target.value}"
    return f"{step.call.outcome.value} {' ⏎ '.join(words.split(chr(10)))}"


def save(project: str, firings: dict[str, list[str]], draw: int) -> None:
    OUT.mkdir(exist_ok=True)
    for name, texts in firings.items():
        drawn = random.Random(0).sample(texts, min(draw, len(texts)))
        path = OUT / f"state-{project}-{name}.txt"
        path.write_text("\n\n".join(drawn), encoding="utf-8")


if __name__ == "__main__":
    main()
