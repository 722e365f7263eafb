"""Writes a simulated fleet and the truth about it.

The numbers behind it, so that nobody mistakes them for findings: a call fails with probability .035 whatever the tool,
the length of the session or the place in it; planted problems add to that, as often as their `chance` says, which makes
about 6 % in all. Some 8 % of sessions are empty, 3 % of the line files damaged. Lengths have a long tail (median 8
calls, at most about 400), but are shorter than those of real coding sessions, to keep a file at about 150 KB while a
call takes as many bytes as a real one. Nothing here may be quoted as evidence about real agents.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import chain
from multiprocessing import get_context
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from afterglow.errors import UsageError
from afterglow_demo.damage import spoil
from afterglow_demo.filler import Pool
from afterglow_demo.lessons import catalogue
from afterglow_demo.plan import Plan, plan, random_for
from afterglow_demo.script import compose
from afterglow_demo.story import Compaction, Reply, Story
from afterglow_demo.truth import File, Poison, Secret, SessionTruth, Truth
from afterglow_demo.writers import FILES, WRITERS, claude_code, hermes_db

UNTIL = 1_782_777_600.0  # 30 June 2026: the day the fleet's history ends, unless told otherwise


class Recipe(Struct, frozen=True):
    """Everything a fleet follows from."""

    seed: int
    sessions: int
    scale: float
    until: float
    prose: bool = False


class Chapter(Struct):
    """What was written by one worker."""

    sessions: list[tuple[int, SessionTruth]] = []
    planted: list[tuple[str, str]] = []
    secrets: list[Secret] = []
    poison: list[Poison] = []
    copies: list[File] = []


def write_fleet(
    root: Path,
    *,
    seed: int = 7,
    sessions: int = 300,
    scale: float = 1.0,
    until: float = UNTIL,
    jobs: int = 1,
    prose: bool = False,
) -> Truth:
    """A home folder of simulated agents below `root`, which must be empty: the same seed gives the same bytes.

    `scale` makes texts longer or shorter (at 1 a file has about 150 KB) and changes no count, `until` is when the six
    weeks of its history end, `jobs` writes with several processes. With `prose`, people also explain things in words
    that no rule reads, and the truth says so.
    """
    if root.exists() and any(root.iterdir()):
        raise UsageError(f"{root} is not empty; a simulated fleet needs a new folder")
    root.mkdir(parents=True, exist_ok=True)
    recipe = Recipe(seed, sessions, scale, until, prose)
    truth = _truth(
        recipe, list(_chapters(root, recipe, jobs)), _unreadable(root, recipe)
    )
    truth.save(root)
    return truth


def _chapters(root: Path, recipe: Recipe, jobs: int) -> Iterator[Chapter]:
    if jobs <= 1:
        yield write_files(root, recipe, 0, 1)
        yield write_databases(root, recipe)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as workers:
        tasks = [workers.submit(write_databases, root, recipe)]
        tasks += [
            workers.submit(write_files, root, recipe, part, jobs * 4)
            for part in range(jobs * 4)
        ]
        for task in tasks:
            yield task.result()


def write_files(root: Path, recipe: Recipe, part: int, parts: int) -> Chapter:
    """Every `parts`-th session, of the agents that keep one file for each."""
    chapter, pool = Chapter(), Pool(recipe.seed)
    for index in range(part, recipe.sessions, parts):
        planned = plan(recipe.seed, index, recipe.sessions, recipe.until)
        if planned.agent in FILES:
            story = compose(
                planned, pool, recipe.seed, recipe.scale, prose=recipe.prose
            )
            _write_file(root, recipe, story)
            _record(chapter, story)
    return chapter


def write_databases(root: Path, recipe: Recipe) -> Chapter:
    """All sessions of Hermes, a database for each profile."""
    chapter, pool = Chapter(), Pool(recipe.seed)
    homes: dict[str, list[Plan]] = defaultdict(list)
    for index in range(recipe.sessions):
        planned = plan(recipe.seed, index, recipe.sessions, recipe.until)
        if planned.agent == "hermes":
            homes[hermes_db.path(planned)].append(planned)

    def stories(plans: Iterable[Plan]) -> Iterator[Story]:
        for planned in plans:
            story = compose(
                planned, pool, recipe.seed, recipe.scale, prose=recipe.prose
            )
            _record(chapter, story)
            yield story

    for path, plans in homes.items():
        hermes_db.write(stories(plans), root / path)
        os.utime(root / path, (recipe.until, recipe.until))
    return chapter


def _write_file(root: Path, recipe: Recipe, story: Story) -> None:
    planned = story.plan
    writer = FILES[planned.agent]
    content = writer.encode(story)
    if planned.damage:
        content = spoil(
            content, planned.damage, random_for(recipe.seed, planned.index, "damage")
        )
    _save(root / writer.path(planned), content, story.clock)
    if planned.copied:
        _save(root / _copy(planned), content, story.clock)


def _save(path: Path, content: bytes, moment: float) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    os.utime(path, (moment, moment))


def _copy(planned: Plan) -> str:
    return f".claude/projects/{claude_code.project(planned.person.home)}-backup/{planned.id}.jsonl"


def _record(chapter: Chapter, story: Story) -> None:
    """Adds what is true of a session to what is known of the fleet."""
    planned = story.plan
    chapter.sessions.append((planned.index, describe(story)))
    chapter.planted += [(plant, planned.id) for plant in story.planted]
    chapter.secrets += [replace(secret, session=planned.id) for secret in story.secrets]
    chapter.poison += [replace(poison, session=planned.id) for poison in story.poison]
    if planned.copied:
        chapter.copies.append(File(_copy(planned), "copy", planned.id))


def describe(story: Story) -> SessionTruth:
    """The counts of one session, from the story itself and not from what was written."""
    planned, writer = story.plan, WRITERS[story.plan.agent]
    replies = [event for event in story.events if type(event) is Reply]
    acts = [act for reply in replies for act in reply.acts]
    ends = Counter(act.end for act in acts)
    compactions = sum(type(event) is Compaction for event in story.events)
    requests = len(story.events) - len(replies) - compactions
    has_turns = writer.REPLIES_COUNT
    results = len(acts) - ends["open"]
    return SessionTruth(
        id=planned.id,
        agent=planned.agent,
        format=writer.FORMAT,
        path=writer.path(planned),
        start=planned.start,
        end=story.clock,
        model=planned.model,
        repo=planned.repo.full if planned.repo else "",
        located=_located(planned),
        origin=planned.origin,
        parent=planned.parent,
        calls=len(acts),
        failed=ends["failed"],
        blocked=ends["blocked"],
        cancelled=ends["cancelled"],
        unknown=ends["open"],
        masked=sum(act.masked for act in acts),
        requests=requests,
        replies=len(replies) if has_turns else None,
        messages=requests + len(replies) + results if has_turns else None,
        compactions=compactions,
        tools=dict(Counter(writer.call(act, planned)[0] for act in acts)),
        empty=planned.empty,
        damage=int(bool(planned.damage)),
    )


def _located(planned: Plan) -> bool:
    """Whether the file says where the session worked. Hermes notes it only for sessions started in a terminal."""
    return {
        "claude-code": not planned.empty,
        "codex": True,
        "hermes": planned.origin == "main",
    }.get(planned.agent, False)


def _unreadable(root: Path, recipe: Recipe) -> list[File]:
    """Files that lie where sessions are kept and hold none that can be read."""
    rng = random_for(recipe.seed, 0, "unreadable")
    folder = f".claude/projects/{claude_code.project('/home/ana/src/harbor')}"
    text = '{"type":"user","message":{"role":"user","content":"simulated"}}\n' * 20
    chat = f'{{\n  "sessionId": "{rng.getrandbits(64):x}",\n  "projectHash": "simulated",\n  "messages": [{{"id": "1", "ty'
    contents = {
        f"{folder}/{rng.getrandbits(64):016x}.jsonl": (rng.randbytes(4096), "binary"),
        f"{folder}/{rng.getrandbits(64):016x}-utf16.jsonl": (
            text.encode("utf-16"),
            "UTF-16",
        ),
        f".gemini/tmp/{rng.getrandbits(64):016x}/chats/session-{rng.getrandbits(32):08x}.json": (
            chat.encode(),
            "cut off",
        ),
        f".codex/sessions/rollout-{rng.getrandbits(64):016x}.jsonl": (b"", "no bytes"),
    }
    for path, (content, _) in contents.items():
        _save(root / path, content, recipe.until)
    return [File(path, reason) for path, (_, reason) in contents.items()]


def _truth(recipe: Recipe, chapters: list[Chapter], unreadable: list[File]) -> Truth:
    indexed = sorted(
        chain.from_iterable(chapter.sessions for chapter in chapters),
        key=lambda pair: pair[0],
    )
    order = {session.id: index for index, session in indexed}
    sessions_of: dict[str, list[str]] = defaultdict(list)
    for chapter in chapters:
        for plant, session in chapter.planted:
            sessions_of[plant].append(session)
    plants = [
        replace(plant, sessions=tuple(sorted(sessions_of[id], key=order.__getitem__)))
        for id, plant in catalogue(prose=recipe.prose).items()
    ]
    secrets = chain.from_iterable(chapter.secrets for chapter in chapters)
    poison = chain.from_iterable(chapter.poison for chapter in chapters)
    copies = chain.from_iterable(chapter.copies for chapter in chapters)
    return Truth(
        seed=recipe.seed,
        scale=recipe.scale,
        sessions=tuple(session for _, session in indexed),
        plants=tuple(plants),
        secrets=tuple(sorted(secrets, key=lambda secret: order[secret.session])),
        poison=tuple(sorted(poison, key=lambda text: order[text.session])),
        copies=tuple(sorted(copies, key=lambda file: file.path)),
        unreadable=tuple(unreadable),
    )
