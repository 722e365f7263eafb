"""One session as the questions need it: what came up in it, and what it could have taught a later one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from afterglow.calls import commands_in, is_everyday, shape_of, shape_of_command
from afterglow.harvest.trail import Trail
from afterglow.measure.replay.session_failures import Living
from afterglow.records.replay import Lived
from afterglow.records.session import Session
from afterglow.records.template import SessionSeed
from afterglow.warm.extract import SessionExtractor
from afterglow.warm.extract.markers import files_named

CACHED_LINES = 8192  # shell lines: the same ones are met again and again


class Material(Struct, frozen=True, kw_only=True):
    """`lived` is what went wrong, `commands` are the shapes of commands that worked, apart from those any agent knows
    (`ls`, `cat`), `files` the files that calls named, from the top of the repository. `seed` is what the session alone
    teaches, `shapes` how often each shape of call worked. `author` tells people apart without naming them."""

    lived: Lived
    seed: SessionSeed
    shapes: dict[str, int]
    commands: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    author: str = ""


def material_of(
    session: Session, repo: str, extractor: SessionExtractor | None
) -> Material:
    """Words of `lived` as they stand in the session; the seed's are redacted. Without an extractor there is none."""
    trail = Trail(session, repo)
    worked = [step for step in trail.steps if step.ok]
    living = Living()
    living.add(session)
    commands: set[str] = set()
    files: set[str] = set()
    for step in worked:
        commands |= commands_of(step.command)
        files.update(files_named(trail, step))
    return Material(
        lived=living.lived(),
        seed=extractor.extract(session, repo) if extractor else SessionSeed(),
        shapes=dict(
            Counter(shape_of(step.tool, step.call.arguments) for step in worked)
        ),
        commands=frozenset(commands),
        files=frozenset(files),
        author=trail.author,
    )


@lru_cache(maxsize=CACHED_LINES)
def commands_of(line: str) -> frozenset[str]:
    """The shapes of the commands of a line that say something about their project."""
    return frozenset(filter(None, _shapes(line)))


def _shapes(line: str) -> Iterator[str]:
    for command in commands_in(line):
        if command.words and not is_everyday(command):
            yield shape_of_command(command)
