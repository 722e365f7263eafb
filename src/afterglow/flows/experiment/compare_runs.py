"""experiment from-runs: two runs of the same tasks, read as they lie, paired by task and trial, and compared.

Nobody drew lots, so nothing is claimed about why one run did better; nothing is kept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from afterglow import sessions
from afterglow.errors import UnreadableSource, UsageError
from afterglow.experiment.analysis import analyse
from afterglow.records.experiment import Analysis, OutcomeSpec, Plan, Trial
from afterglow.records.session import Session
from afterglow.sessions.agent_homes import walk

# A score is a number that was computed: this near to the mark counts as reached.
SCORE_TOLERANCE = 1e-6
SUCCESS = OutcomeSpec("success", "higher", "yes-no", "the task was done")


class RunPairs(Struct, frozen=True, kw_only=True):
    """Two runs compared. `both`, `neither`, `only_first` and `only_second` count pairs by who passed: only the last two
    say anything. `unpaired` are the trials of a run that the other has no counterpart of, `unscored` those without a
    score; `trials` is how often each task was tried at most."""

    first: str
    second: str
    tasks: int
    trials: int
    pairs: int
    both: int
    neither: int
    only_first: int
    only_second: int
    unpaired: tuple[int, int]
    unscored: tuple[int, int]
    analysis: Analysis


class _Run(Struct):
    name: str
    passed: dict[tuple[str, int], bool]
    sessions: dict[tuple[str, int], Session]
    unscored: int


def from_runs(first: Path, second: Path, *, passing: float = 1.0) -> RunPairs:
    """Compares the runs in two files or folders; a task is passed from a score of `passing` on."""
    names = _names(first, second)
    runs = [
        _read(path, name, passing)
        for path, name in zip((first, second), names, strict=True)
    ]
    pairs = sorted(runs[0].passed.keys() & runs[1].passed.keys())
    if not pairs:
        raise UsageError(_why_none(first, second, runs))
    plan = _plan(names)
    trials = [_trial(plan, run, pair) for run in runs for pair in pairs]
    outcomes = [(runs[0].passed[pair], runs[1].passed[pair]) for pair in pairs]
    return RunPairs(
        first=names[0],
        second=names[1],
        tasks=len({task for task, _ in pairs}),
        trials=1 + max(trial for _, trial in pairs),
        pairs=len(pairs),
        both=outcomes.count((True, True)),
        neither=outcomes.count((False, False)),
        only_first=outcomes.count((True, False)),
        only_second=outcomes.count((False, True)),
        unpaired=(len(runs[0].passed) - len(pairs), len(runs[1].passed) - len(pairs)),
        unscored=(runs[0].unscored, runs[1].unscored),
        analysis=analyse(plan, trials, (), now=0.0, specs={"success": SUCCESS}),
    )


def _names(first: Path, second: Path) -> tuple[str, str]:
    """What tells the two apart."""
    if first.resolve() == second.resolve():
        raise UsageError(f"{first} is one run: name two, of the same tasks")
    if first.stem != second.stem:
        return first.stem, second.stem
    return str(first), str(second)


def _read(path: Path, name: str, passing: float) -> _Run:
    if not path.exists():
        raise UsageError(f"{path} is not there; name a file or folder with sessions")
    tried: dict[str, list[Session]] = defaultdict(list)
    unscored = 0
    for session in _sessions(path):
        if session.task and session.score is not None:
            tried[session.task].append(session)
        else:
            unscored += 1
    numbered = {
        (task, number): session
        for task, trials in tried.items()
        for number, session in enumerate(sorted(trials, key=_order))
    }
    passed = {
        pair: (session.score or 0.0) >= passing - SCORE_TOLERANCE
        for pair, session in numbered.items()
    }
    return _Run(name, passed, numbered, unscored)


def _order(session: Session) -> tuple[float, str]:
    """Trials of a task are told apart by when they were made."""
    return session.start or 0.0, session.id


def _sessions(path: Path) -> Iterator[Session]:
    if path.is_file():
        yield from sessions.load(path)
        return
    for folder in walk(path):
        for file, *_ in folder.files:
            try:
                yield from sessions.load(Path(folder.path) / file)
            except UnreadableSource:
                continue  # a run's folder holds other files too


def _why_none(first: Path, second: Path, runs: Sequence[_Run]) -> str:
    for path, run in zip((first, second), runs, strict=True):
        if not run.passed:
            what = f"{run.unscored} sessions, none of a task with a score"
            return f"{path}: {what if run.unscored else 'no sessions'}; nothing can be compared"
    return f"{first} and {second} have no task in common"


def _plan(names: tuple[str, str]) -> Plan:
    return Plan(
        name=f"{names[0]} and {names[1]}",
        arms=names,
        allocation=(0.5, 0.5),
        outcomes=("success",),
        created=0.0,
        salt="",
        unit="task",
        design="paired",
    )


def _trial(plan: Plan, run: _Run, pair: tuple[str, int]) -> Trial:
    session = run.sessions[pair]
    task, number = pair
    unit = f"{task}#{number + 1}" if number else task
    return Trial(
        experiment=plan.name,
        unit=unit,
        arm=run.name,
        time=session.start or 0.0,
        outcomes={"success": float(run.passed[pair])},
        pair=unit,
        session=session.id,
    )
