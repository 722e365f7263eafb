"""A folder as a loop leaves it, made without a model: sessions, lessons, a template, a study with its transcripts."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
from bench.closed_loop import rows
from bench.closed_loop.families import FAMILIES
from bench.closed_loop.loop import Loop
from bench.closed_loop.rows import LearningRow
from bench.closed_loop.tasks import Task
from bench.closed_loop.told import Telling, ToldFamily
from bench.closed_loop.transcript import Transcript

from afterglow.experiment.plan import make_plan, plan_hash
from afterglow.flows.harvest import harvest
from afterglow.records.experiment import RunConditions, Trial
from afterglow.records.selection import below
from afterglow.records.template import (
    RecoveryPattern,
    SessionSeed,
    ToolCallExample,
    WarmTemplate,
)
from afterglow.store.experiments import Experiments
from afterglow.store.templates.folder import Templates

FEW = FAMILIES[:2]
ARMS = ("cold", "start", "failure", "template:150")
PROMPT = "You work alone in a shell."
BEGAN, DAY = 1_794_600_000.0, 86400.0
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"  # invented


def make_loop_folder(out: Path) -> Loop:
    loop = Loop(out=out, families=FEW)
    for folder in (loop.config.home, loop.learning_sessions):
        folder.mkdir(parents=True)
    for family in FEW:
        for number in range(2):
            _learn(loop, family.task(number))
    harvest(loop.config, below(loop.learning_sessions), now=BEGAN + 5 * DAY)
    (out / "model.txt").write_text("scripted\n")
    _add_template(loop)
    told = [_told(family.task(2)) for family in FEW]
    (out / "told.json").write_bytes(msgspec.json.encode(told))
    _measure(loop)
    return loop


def _learn(loop: Loop, task: Task) -> None:
    """It tries the obvious, is put right, and does it."""
    id = f"00000000-0000-4000-8000-{abs(hash_of(task.name)):012d}"
    start = BEGAN + task.number * DAY
    transcript = Transcript(
        id, cwd=f"/projects/{task.family.project}", model="scripted", start=start
    )
    transcript.user(task.request)
    transcript.call(task.naive, 1, f"no, says {loop.out}/home/runs/x/y/project")
    transcript.user(task.correction())
    transcript.call(task.solution, 0, "well, says /home/ana/notes")
    transcript.reply("Done.")
    transcript.save(loop.learning_sessions)
    rows.add(
        loop.rows,
        LearningRow(
            task=task.name,
            family=task.family.full_name,
            kind=task.family.kind,
            number=task.number,
            session=id,
            start=start,
            seconds=1.0,
            solved=True,
            calls=2,
            failed=1,
            helped=True,
            tokens=100,
        ),
    )


def hash_of(name: str) -> int:
    """The same in every process, unlike Python's own."""
    return sum(ord(letter) * 31**place for place, letter in enumerate(name)) % 10**12


def _add_template(loop: Loop) -> None:
    task = FEW[0].task(0)
    arguments = json.dumps({"command": task.solution})
    session = rows.read(loop.rows)[0].session
    seed = SessionSeed(
        system_context=f"Work in {loop.out}/home/runs/a/b/projects/x.",
        tool_examples=(ToolCallExample("Bash", arguments, "well", session=session),),
        recovery_patterns=(RecoveryPattern(f"{task.naive} fails", task.solution),),
    )
    template = WarmTemplate(
        id="", name="small", seed=seed, repo=task.family.project, approved=True,
        made_by="auto", source_sessions=(session,),
    )  # fmt: skip
    Templates(loop.config.templates).add(template, BEGAN + 2 * DAY)


def _told(task: Task) -> ToldFamily:
    return ToldFamily(
        family=task.family.full_name,
        kind=task.family.kind,
        tool_quirk=task.family.tool_quirk,
        task=task.name,
        start=Telling(lesson_about(task), "right"),
        failure=Telling("", "missing"),
        template=Telling("", "missing"),
    )


def lesson_about(task: Task) -> str:
    """Words that tell the lesson of a family, as its person would."""
    return f"- {task.naive} fails → {task.solution}; {task.correction(0)}"


def _measure(loop: Loop) -> None:
    plan = make_plan(
        "moments", arms=ARMS, unit="task", design="paired", outcomes=("success", "errors", "calls", "tokens"),
        created=BEGAN + 3 * DAY, salt="salt",
    )  # fmt: skip
    trials = [
        _trial(loop, family.task(2), arm, place)
        for place, (family, arm) in enumerate(
            (family, arm) for family in FEW for arm in ARMS
        )
    ]
    with Experiments(loop.config.experiments) as experiments:
        experiments.add_plan(plan, plan_hash(plan))
        experiments.record(trials, kept=BEGAN + 4 * DAY)


def _trial(loop: Loop, task: Task, arm: str, place: int) -> Trial:
    is_last = (task.family, arm) == (FEW[-1], ARMS[-1])
    if not is_last:  # one whose transcript was not kept
        folder = loop.measured_sessions / "moments"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{task.name}.{arm.replace(':', '-')}.json"
        path.write_text(json.dumps(_trajectory(loop, task, arm)))
    return Trial(
        experiment="moments", unit=task.name, arm=arm, time=BEGAN + 3 * DAY + place, cluster=task.family.full_name,
        outcomes={"success": float(arm == "start"), "errors": 1.0, "calls": 2.0, "tokens": None},
        run=RunConditions(agent="mini-swe", agent_version="2.4", model="scripted"),
    )  # fmt: skip


def _trajectory(loop: Loop, task: Task, arm: str) -> dict[str, object]:
    told = f"\n\n{lesson_about(task)}" if arm == "start" else ""
    hint = {"afterglow": lesson_about(task)} if arm == "failure" else {}
    room = f"{loop.out}/home/runs/moments/{task.name}.{arm}"
    result = {"returncode": 1, "timestamp": BEGAN + 2.5, **hint}
    action = {"actions": [{"command": f"{task.naive}"}], "timestamp": BEGAN}
    return {
        "info": {"config": {}, "exit_status": "Submitted"},
        "messages": [
            {"role": "system", "content": PROMPT + told},
            {"role": "user", "content": task.request},
            {"role": "assistant", "content": "I try.", "extra": action},
            {"role": "user", "content": f"in {room}: {TOKEN}", "extra": result},
            {"role": "exit", "content": "", "extra": {}},
        ],
    }
