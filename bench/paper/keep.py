"""Takes results in: what a run, a research question or a replay wrote becomes a small file under docs/paper/results,
with the command that makes it again. Texts of sessions stay out; the paper needs only the numbers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.paper.counted import LESSONS
from bench.paper.results import ResultFile

LOOP = ResultFile(
    command="python -m bench.closed_loop.run --url URL --model NAME --out DIR; python -m bench.closed_loop.analyse --out DIR",
    what="The closed loop: learning sessions, harvest, lessons, measured runs.",
    result=None,
)
SECOND_READING = ResultFile(
    command="the same transcripts and the writer's same answers, harvested and written again in another DIR; bench/closed_loop/told.py writes DIR/told.json",  # noqa: E501
    what="What the loop's families would be told after the harvest was mended, by what reading its first contact had shown.",
    result=None,
)
REPLAY = ResultFile(
    command="afterglow scan FOLDERS; afterglow replay --json",
    what="Replay of public histories in time order, by rules alone.",
    result=None,
)
# What of a replay is about numbers; the rest quotes items and error messages.
REPLAYED = """budget given sessions repos first_day last_day calls errors blocked cancelled mute first shares
apart_from_work on_failure written foreseen tokens items empty curve placebo trend by_repo conventions lessons outdated
calibration""".split()
# The rest of an answer says where it was computed.
ANSWERED = """question title answer enough findings sessions repos first_day last_day left_out tables figures limits
method""".split()
TELLINGS = {
    "at_start": "start",
    "after_failure": "failure",
    "in_template": "template",
}
DIGITS = 6  # behind the point: more than is ever shown


def loop(path: Path, folder: Path) -> Path:
    return _write(folder / "loop.json", LOOP, _read(path))


def second_reading(path: Path, folder: Path) -> Path:
    """What would be told of each family, counted; the lines themselves stay in their file."""
    families = _read(path)
    tellings = {
        name: dict(Counter(family[moment]["lesson"] for family in families))
        for name, moment in TELLINGS.items()
    }
    lessons = Counter(_lesson(family) for family in families)
    result = {
        "families": len(families),
        "lessons": {name: lessons[name] for name in LESSONS},
        "tellings": {
            name: {lesson: counts.get(lesson, 0) for lesson in LESSONS}
            for name, counts in tellings.items()
        },
    }
    return _write(folder / "loop-again.json", SECOND_READING, result)


def _lesson(family: Mapping[str, Any]) -> str:
    """That of the lines at the start and after a failure, as the loop counts it: wrong if either would mislead."""
    told = {family[moment]["lesson"] for moment in ("start", "failure")}
    return next(name for name in ("wrong", "right", "missing") if name in told)


def replay(path: Path, folder: Path) -> Path:
    whole = _read(path)
    kept = {key: whole[key] for key in REPLAYED}
    kept["harms"] = [
        {"times": miss["times"], "sessions": miss["sessions"]}
        for miss in whole["misses"]
        if miss["kind"] == "harm"
    ]
    return _write(folder / "replay.json", REPLAY, without_spaces(kept))


def research(path: Path, folder: Path) -> Path:
    """One question of `afterglow research`, with its figures and tables."""
    whole = _read(path)
    answer = {key: whole[key] for key in ANSWERED}
    question = answer["question"]
    about = ResultFile(
        command=f"afterglow research {question} --json",
        what="A question of the founding documents, answered on public histories.",
        result=None,
    )
    return _write(folder / f"research-{question}.json", about, answer)


def without_spaces(value: Any) -> Any:
    """Keys that can stand in an address."""
    if isinstance(value, Mapping):
        return {
            key.replace(" ", "_"): without_spaces(inner) for key, inner in value.items()
        }
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [without_spaces(inner) for inner in value]
    return value


def rounded(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: rounded(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [rounded(inner) for inner in value]
    return round(value, DIGITS) if isinstance(value, float) else value


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _write(path: Path, about: ResultFile, result: Any) -> Path:
    content = {"command": about.command, "what": about.what, "result": rounded(result)}
    text = json.dumps(content, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
    return path
