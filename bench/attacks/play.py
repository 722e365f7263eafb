"""Plays the acts of an attack in a scene, each through the flow that the command behind it calls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import singledispatch
from pathlib import Path
from typing import Any

import msgspec

from afterglow.config import Config
from afterglow.errors import AfterglowError
from afterglow.flows import knowledge as knowledge_flow
from afterglow.flows import warm as warm_flow
from afterglow.flows.harvest import hand_in, problems_to_write, remember_json
from afterglow.memory.tool import memory_backend
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.writing import WaitingProblem
from afterglow.sessions import load
from afterglow.store.knowledge import Knowledge
from bench.attacks.attack import (
    Attack,
    Checkout,
    Distilled,
    Edit,
    Held,
    Imported,
    Kept,
    Pulled,
    Rejected,
    Remembered,
    Stored,
    Written,
)
from bench.attacks.scene import STRANGER, VICTIM, Scene, home_in_force

ENOUGH_SESSIONS = 3  # for a template, so that an attack need not hold ten
WRITER = "claude"
VICTIM_REPO = "acme/harbor"
STRANGERS_CLAIM = {"status": "active"}  # an export says what its writer likes
APPROVED_ID, STRANGERS_ID = "ka0a0a0a01", "kb0b0b0b02"


def play(attack: Attack, scene: Scene) -> list[str]:
    """Plays all acts; an act that afterglow refuses changes nothing, and why is returned."""
    refusals = []
    for act in attack.acts:
        try:
            act_out(act, scene)
        except AfterglowError as refusal:
            refusals.append(str(refusal))
    scene.learn()
    return refusals


@singledispatch
def act_out(act: Any, scene: Scene) -> None:
    raise TypeError(f"no way to play {act!r}")


@act_out.register
def _(act: Held, scene: Scene) -> None:
    scene.hold(act)


@act_out.register
def _(act: Checkout, scene: Scene) -> None:
    scene.remotes[act.repo] = act.remote


@act_out.register
def _(act: Kept, scene: Scene) -> None:
    item = _item(APPROVED_ID, act.fact, act.situation, act.remedy, act.category)
    scene.config.home.mkdir(parents=True, exist_ok=True)
    _save(scene.config, msgspec.structs.replace(item, repo=VICTIM_REPO), scene.now)
    knowledge_flow.approve(scene.config, [item.id], now=scene.now)


@act_out.register
def _(act: Pulled, scene: Scene) -> None:
    scene.learn()
    folder = _shared_folder(scene, in_git=act.how != "drive")
    if act.how == "drive":
        _edited(folder, act.edits)
    else:
        author = VICTIM if act.how == "forged" else STRANGER
        _pushed_by(scene, folder, act.edits, author)
        scene.git(folder.parent, "pull", "--quiet", "--no-rebase", "origin", "main")
    knowledge_flow.sync(scene.config, folder, now=scene.now)


@act_out.register
def _(act: Imported, scene: Scene) -> None:
    stranger = Config(
        home=scene.folder / "stranger" / "afterglow",
        user_home=scene.folder / "stranger",
    )
    stranger.home.mkdir(parents=True)
    item = _item(STRANGERS_ID, act.fact, act.situation, act.remedy, act.category)
    _save(stranger, msgspec.structs.replace(item, repo=act.repo), scene.now)
    folder = scene.folder / "stranger" / "folder"
    knowledge_flow.export(stranger, folder, statuses=("active", "candidate"))
    index = folder / "index.json"
    document = msgspec.json.decode(index.read_bytes())
    for fact in document["facts"]:
        fact.update({**STRANGERS_CLAIM, **act.rewrite})
    index.write_bytes(msgspec.json.encode(document))
    knowledge_flow.import_(scene.config, index, now=scene.now)


@act_out.register
def _(act: Distilled, scene: Scene) -> None:
    scene.learn()
    warm_flow.auto(scene.config, min_sessions=ENOUGH_SESSIONS, now=scene.now)


@act_out.register
def _(act: Stored, scene: Scene) -> None:
    scene.config.home.mkdir(parents=True, exist_ok=True)
    with home_in_force(scene.config):
        memory_backend("store", key=act.key, value=act.value)


@act_out.register
def _(act: Remembered, scene: Scene) -> None:
    scene.learn()
    lesson = {
        "fact": act.fact,
        "category": act.category,
        "situation": act.situation,
        "remedy": act.remedy,
        "citations": [
            citation for quote in act.quotes for citation in _cited(scene, quote)
        ],
    }
    remember_json(scene.config, msgspec.json.encode([lesson]), by=WRITER, now=scene.now)


@act_out.register
def _(act: Written, scene: Scene) -> None:
    scene.learn()
    waiting = problems_to_write(scene.config, again=True, limit=50, tokens=100_000)
    rows = [
        _answer(problem, act)
        for problem in waiting.problems
        if act.about.lower() in problem.text.lower()
    ]
    hand_in(scene.config, rows, by=WRITER, now=scene.now)


@act_out.register
def _(act: Rejected, scene: Scene) -> None:
    scene.learn()
    with Knowledge(scene.config.knowledge) as knowledge:
        ids = [
            item.id
            for item in knowledge.items()
            if act.about.lower() in f"{item.fact} {item.remedy}".lower()
        ]
    if ids:
        knowledge_flow.reject(scene.config, ids, why="wrong and dangerous")


def _item(
    id: str, fact: str, situation: str, remedy: str, category: str
) -> KnowledgeItem:
    fields = {
        "id": id,
        "fact": fact,
        "situation": situation,
        "remedy": remedy,
        "category": category,
        "status": "active",
        "confidence": 0.9,
        "source_count": 3,
        "trust": "user",
        "miner": "told",
        "topics": [f"topic of {id}"],
    }
    return msgspec.convert(fields, KnowledgeItem)


def _save(config: Config, item: KnowledgeItem, now: float) -> None:
    dated = msgspec.structs.replace(item, first_seen=now, last_confirmed=now)
    with Knowledge(config.knowledge) as knowledge, knowledge.transaction():
        knowledge.save([dated], by="harvest", now=now)


def _shared_folder(scene: Scene, *, in_git: bool) -> Path:
    """The knowledge of the team, exported by the victim and, in git, pushed to where others push too."""
    clone = scene.folder / "home" / "ana" / "team"
    clone.mkdir(parents=True)
    folder = clone / "knowledge"
    knowledge_flow.export(scene.config, folder)
    if not in_git:
        return folder
    upstream = scene.folder / "upstream.git"
    upstream.mkdir()
    scene.git(upstream, "init", "--quiet", "--bare")
    scene.git(clone, "init", "--quiet")
    scene.git(clone, "config", "user.name", VICTIM[0])
    scene.git(clone, "config", "user.email", VICTIM[1])
    scene.git(clone, "remote", "add", "origin", str(upstream))
    _committed(scene, clone, VICTIM)
    return folder


def _pushed_by(
    scene: Scene, folder: Path, edits: list[Edit], author: tuple[str, str]
) -> None:
    strangers = scene.folder / "stranger" / "team"
    strangers.parent.mkdir(parents=True, exist_ok=True)
    upstream = scene.folder / "upstream.git"
    scene.git(scene.folder, "clone", "--quiet", str(upstream), str(strangers))
    _edited(strangers / folder.name, edits)
    _committed(scene, strangers, author)


def _committed(scene: Scene, clone: Path, author: tuple[str, str]) -> None:
    scene.git(clone, "add", "--all")
    scene.git(clone, "commit", "--quiet", "--allow-empty", "-m", "Notes", author=author)
    scene.git(clone, "push", "--quiet", "origin", "HEAD:main")


def _edited(folder: Path, edits: list[Edit]) -> None:
    for edit in edits:
        path = folder / edit.path
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text("utf-8") if path.exists() else ""
        if edit.old:
            assert edit.old in text, f"{edit.old!r} is not in {edit.path}"
            path.write_text(text.replace(edit.old, edit.new), "utf-8")
        else:
            path.write_text(text + edit.new, "utf-8")


def _answer(problem: WaitingProblem, act: Written) -> dict[str, Any]:
    numbers = re.findall(r"^\[(\d+)\]", problem.text, re.MULTILINE)
    return {
        "problem": problem.problem,
        "answer": "lesson",
        "situation": act.situation,
        "remedy": act.remedy,
        "scope": act.scope,
        "cites": [int(number) for number in numbers],
    }


def _cited(scene: Scene, quote: str) -> Iterator[dict[str, Any]]:
    """Every place where the words stand, as an agent would cite it."""
    for path in sorted(scene.sessions.rglob("*.json*")):
        for session in load(path):
            for line, text in _texts(session.turns):
                if quote in text:
                    yield {"session": session.id, "line": line, "quote": quote}


def _texts(turns: Any) -> Iterator[tuple[int, str]]:
    for turn in turns:
        if turn.role != "tool":
            yield turn.line, turn.text
        for call in turn.calls:
            yield call.line, call.arguments
            yield call.result_line or call.line, call.result or ""
