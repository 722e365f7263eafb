"""The loop: sessions that learn, a harvest, lessons; then later tasks of the same families, in every arm.

Everything behind the learning sessions is what a user would type: `afterglow harvest`, `write`, `warm auto`, `experiment
new`, `experiment run`, in a home of the loop's own. A loop that was stopped goes on where it was.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
from msgspec import Struct

from afterglow.config import Config
from afterglow.flows.experiment import list_experiments
from afterglow.flows.tasks import folder_name
from bench.closed_loop import rows
from bench.closed_loop.agent import LearningSession
from bench.closed_loop.families import FAMILIES
from bench.closed_loop.model import Model
from bench.closed_loop.plans import PLANS, StudyPlan
from bench.closed_loop.rows import LearningRow
from bench.closed_loop.sandbox import Runner
from bench.closed_loop.tasks import PROJECTS, Family, Task, write_tasks
from bench.closed_loop.told import told_families
from bench.closed_loop.transcript import Transcript

DAY = 86400.0
LEARNING = 2  # sessions a family: what two days agree on is told
WRITER_TOKENS = 400_000  # the most that writing lessons may take


class Loop(Struct, frozen=True, kw_only=True):
    """How a run goes. The person helps a learning session after `patience` failed calls. `parallel` sessions run at
    once, never two of a family. `url`, `model` and `key` (a variable's name) say who answers measured runs."""

    out: Path
    url: str = ""
    model: str = ""
    key: str = ""
    families: tuple[Family, ...] = FAMILIES
    plans: tuple[StudyPlan, ...] = PLANS
    calls: int = 12
    patience: int = 2
    seed: int = 1
    parallel: int = 1
    sandbox: bool = True

    @property
    def rows(self) -> Path:
        return self.out / "learning.jsonl"

    @property
    def config(self) -> Config:
        return Config(home=self.out / "home", user_home=self.out / "user")

    @property
    def learning_sessions(self) -> Path:
        return self.out / "sessions" / "learning"

    @property
    def measured_sessions(self) -> Path:
        return self.out / "sessions" / "measured"

    def tasks(self, plan: StudyPlan) -> Path:
        return self.out / "tasks" / plan.name


def run_loop(loop: Loop, model: Model, runner: Runner, board_url: str) -> None:
    """The whole of it, or what is left."""
    for folder in (loop.config.home, loop.config.user_home, loop.learning_sessions):
        folder.mkdir(parents=True, exist_ok=True)
    learn(loop, model, runner, board_url)
    (loop.out / "model.txt").write_text(f"{model.name}\n")
    if not (loop.out / "told.json").exists():
        harvest(loop)
        tell(loop, runner, board_url)
    for plan in loop.plans:
        measure(loop, plan, board_url)


def learn(loop: Loop, model: Model, runner: Runner, board_url: str) -> None:
    """Two sessions of each family, on two days by their stamps."""
    ended = {row.task for row in rows.read(loop.rows)}

    def sessions(family: Family) -> None:
        for number in range(LEARNING):
            if family.task(number).name not in ended:
                _learning_session(loop, family, number, model, runner, board_url)

    with ThreadPoolExecutor(loop.parallel) as pool:
        list(pool.map(sessions, loop.families))


def _learning_session(
    loop: Loop, family: Family, number: int, model: Model, runner: Runner, url: str
) -> None:
    """In a folder of its own; its transcript is kept, then its row is added."""
    task = family.task(number)
    id = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{loop.seed} {task.name}"))
    begun = time.time()
    start = begun - (LEARNING - number) * DAY
    transcript = Transcript(
        id, cwd=f"{PROJECTS}/{family.project}", model=model.name, start=start
    )
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        folder = Path(place) / family.project
        task.lay_out(folder, url)
        session = LearningSession(task, number, folder, model, runner, transcript)
        seed = random.Random(f"{loop.seed} {task.name}").randrange(1 << 20)
        worked = session.work(seed=seed, calls=loop.calls, patience=loop.patience)
    transcript.save(loop.learning_sessions)
    row = LearningRow(
        task=task.name,
        family=family.full_name,
        kind=family.kind,
        number=number,
        session=id,
        start=start,
        seconds=round(time.time() - begun, 1),
        solved=worked.solved,
        calls=worked.calls,
        failed=worked.failed,
        helped=worked.helped,
        tokens=worked.tokens,
    )
    rows.add(loop.rows, row)
    outcome = "solved" if row.solved else "not solved"
    _tell(f"{row.task}: {outcome}, {row.failed} of {row.calls} calls failed")


def harvest(loop: Loop) -> None:
    """Lessons by rule, then by the writer; templates out of the same sessions. What a person would have to do is
    approve the templates: here all that passed the screens are."""
    afterglow(loop, "harvest", str(loop.learning_sessions))
    writer = ["--with", loop.model, "--base-url", loop.url] if loop.url else []
    if writer:
        most = ["--max-tokens", str(WRITER_TOKENS)]
        written = _ran(loop, "write", *writer, *most)  # a model may have no answer
        printed = written.stdout + written.stderr
        (loop.out / "written.txt").write_text(printed, encoding="utf-8")
    afterglow(loop, "warm", "auto", "--min-sessions", "2", "--min-calls", "2")
    templates = sorted(path.stem for path in loop.config.templates.glob("warm_*"))
    if templates:
        afterglow(loop, "warm", "approve", *templates)
    listed = afterglow(loop, "knowledge", "list", "--limit", "1000")
    (loop.out / "lessons.txt").write_text(listed, encoding="utf-8")


def tell(loop: Loop, runner: Runner, board_url: str) -> None:
    """What later tasks will be told, written down before the first of them."""
    told = told_families(
        loop.config, loop.families, loop.plans[0].numbers[0], runner, board_url
    )
    text = msgspec.json.format(msgspec.json.encode(told), indent=1)
    (loop.out / "told.json").write_bytes(text + b"\n")


def measure(loop: Loop, plan: StudyPlan, board_url: str) -> None:
    """Every task of a plan in every arm, by `afterglow experiment run`; families are shared out among `parallel` of
    them."""
    families = loop.families[:: plan.every]
    tasks = write_tasks(
        loop.tasks(plan), plan.numbers, board_url, families, calls=loop.calls
    )
    known_plans = {listed.plan.name for listed in list_experiments(loop.config)}
    if plan.name not in known_plans:
        afterglow(loop, *plan.words(len(tasks)))
    parts = [families[part :: loop.parallel] for part in range(loop.parallel)]
    shares = [_share(loop, plan, part) for part in parts if part]
    with ThreadPoolExecutor(loop.parallel) as pool:
        list(pool.map(lambda share: _run_share(loop, plan, share), shares))
    _collect_sessions(loop, plan, tasks)


def _share(loop: Loop, plan: StudyPlan, families: Sequence[Family]) -> Path:
    """A folder with the tasks of some families."""
    folder = loop.out / "shares" / plan.name / families[0].full_name
    shutil.rmtree(folder, ignore_errors=True)  # of a call with other shares
    folder.mkdir(parents=True)
    for family in families:
        for number in plan.numbers:
            name = family.task(number).name
            (folder / name).symlink_to((loop.tasks(plan) / name).resolve())
    return folder


def _run_share(loop: Loop, plan: StudyPlan, share: Path) -> None:
    words = ["experiment", "run", plan.name, "--tasks", str(share), "--keep"]
    words += ["--agent", "mini-swe", "--base-url", loop.url, "--model", loop.model]
    words += ["--key", loop.key] if loop.key else []
    words += [] if loop.sandbox else ["--no-sandbox"]
    _tell(afterglow(loop, *words))


def _collect_sessions(loop: Loop, plan: StudyPlan, tasks: Sequence[Task]) -> None:
    """The transcripts of measured runs, by task and arm; their rooms are not needed any more."""
    for task in tasks:
        for arm in plan.arms:
            name = f"{task.name}.{folder_name(arm)}"
            room = loop.config.home / "runs" / plan.name / name
            for path in room.glob("afterglow/recorded/*/*.traj.json"):
                place = loop.measured_sessions / plan.name / f"{name}.json"
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, place)
            shutil.rmtree(room, ignore_errors=True)


def afterglow(loop: Loop, *words: str) -> str:
    """What the command printed; one that fails ends the loop."""
    ran = _ran(loop, *words)
    if ran.returncode:
        raise RuntimeError(f"afterglow {' '.join(words)}: {ran.stderr or ran.stdout}")
    return ran.stdout


def _ran(loop: Loop, *words: str) -> subprocess.CompletedProcess[str]:
    variables = os.environ | {
        "AFTERGLOW_HOME": str(loop.config.home),
        "HOME": str(loop.config.user_home),
    }
    # -P: the folder we are in holds the families, and would be seen in every room.
    command = [sys.executable, "-P", "-m", "afterglow", *words]
    return subprocess.run(
        command, env=variables, capture_output=True, text=True, check=False
    )


def _tell(words: str) -> None:
    sys.stderr.write(f"{words.strip()}\n")
