"""connect and disconnect: an agent's own files are made to call us, and are put back as they were."""

from __future__ import annotations

import difflib
import os
import shutil
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from afterglow.config import Config
from afterglow.connect import AGENTS
from afterglow.connect.plan import Edit, Machine
from afterglow.errors import AfterglowError, StoreError, UsageError
from afterglow.flows.connect.machine_facts import known, machine
from afterglow.flows.connect.record import (
    Touched,
    check_writable,
    digest,
    keep,
    kept,
    note,
    put_file,
    read_file,
    touched,
    turn,
)

EMPTY = {b"", b"{}"}  # what is left of a file that was only ours


class Change(Struct, frozen=True):
    """A file, what was done to it (made, changed, restored, cleaned, removed) and, for a dry run, the difference."""

    path: str
    what: str
    diff: str = ""


class Done(Struct, frozen=True):
    """What was done for one agent. `refused` says why nothing was."""

    agent: str
    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()
    refused: str = ""


def connect(
    config: Config,
    agents: Iterable[str],
    *,
    project: Path | None = None,
    hints: bool = False,
    profile: str = "",
    dry_run: bool = False,
) -> tuple[Done, ...]:
    """Makes the agents' files call us. What is so already stays; a file that is not understood is not touched, and the
    other agents are connected all the same."""
    wanted, done = known(agents), []
    if profile and "hermes" not in wanted:
        raise UsageError(
            "only Hermes has profiles: afterglow connect hermes --profile NAME"
        )
    for name in wanted:
        try:
            found = machine(config, name, project=project, hints=hints, profile=profile)
            if dry_run:
                plan = AGENTS.load(name).plan(found, read_file)
                for edit in plan.edits:
                    check_writable(edit.path)
                changes = [
                    _shown(config, edit.path, edit.before, edit.after)
                    for edit in plan.edits
                ]
            else:
                with turn(config.home):
                    plan = AGENTS.load(name).plan(found, read_file)
                    changes = _apply(config, name, plan.edits)
            done.append(Done(name, tuple(changes), plan.notes))
        except AfterglowError as error:
            done.append(Done(name, refused=str(error)))
    return tuple(done)


def disconnect(
    config: Config, agents: Iterable[str] = (), *, dry_run: bool = False
) -> tuple[Done, ...]:
    """Puts files back byte for byte where they are as we left them; where they were changed since, takes out only our
    parts. Of every agent that is connected, unless some are named."""
    named = known(agents)
    wanted = named or list(dict.fromkeys(one.agent for one in touched(config.home)))
    done = []
    for name in wanted:
        try:
            if dry_run:
                done.append(_undo(config, name, dry_run=True))
            else:
                with turn(config.home):
                    done.append(_undo(config, name, dry_run=False))
        except AfterglowError as error:
            done.append(Done(name, refused=str(error)))
    return tuple(done)


def _apply(config: Config, name: str, edits: Sequence[Edit]) -> list[Change]:
    """First every check, then every copy and the note of what is about to happen, then the files."""
    for edit in edits:
        check_writable(edit.path)
    if not edits:
        return []
    files = {one.path: one for one in touched(config.home)}
    for edit in edits:
        files[str(edit.path)] = _record(config, name, edit, files.get(str(edit.path)))
    note(config.home, list(files.values()))
    changes = []
    for edit in edits:
        if read_file(edit.path) != edit.before:
            raise StoreError(
                f"{edit.path} was changed by another program just now; connect again"
            )
        put_file(edit.path, edit.after)
        changes.append(
            Change(str(edit.path), "made" if edit.before is None else "changed")
        )
    return changes


def _record(config: Config, name: str, edit: Edit, before: Touched | None) -> Touched:
    """What the file goes back to: as it was before we first touched it, with what its owner changed since."""
    if before is not None and digest(edit.before) == before.after:
        return Touched(
            agent=name, path=before.path, before=before.before, after=digest(edit.after), backup=before.backup,
            time=before.time, folders=before.folders,
        )  # fmt: skip
    base = (
        None
        if edit.before is None
        else AGENTS.load(name).without(edit.path, edit.before)
    )
    if (
        before is not None
        and not before.before
        and base is not None
        and base.strip() in EMPTY
    ):
        base = None
    missing = [
        str(folder)
        for folder in Path(os.path.realpath(edit.path)).parents
        if not folder.exists()
    ]
    made = {*missing, *(before.folders if before is not None else ())}
    return Touched(
        agent=name, path=str(edit.path), before=digest(base), after=digest(edit.after),
        backup=keep(config.home, edit.path, base), time=time.time(), folders=tuple(sorted(made)),
    )  # fmt: skip


def _undo(config: Config, name: str, *, dry_run: bool) -> Done:
    files = touched(config.home)
    mine = [one for one in files if one.agent == name]
    notes: list[str] = []
    planned: list[tuple[Touched, bytes | None, bytes | None, str]] = []
    for one in mine or _lost(config, name):
        path, agent = Path(one.path), AGENTS.load(name)
        now = read_file(path)
        if now is None:
            notes.append(f"{path} is gone already")
            continue
        after, what = _goal(config, agent, one, now)
        if what == "cleaned":
            notes.append(
                f"{path} was changed since it was connected: only our parts were taken out"
            )
        if after != now:
            check_writable(path)
            planned.append((one, now, after, what))
    changes = []
    for one, now, after, what in planned:
        if dry_run:
            changes.append(_shown(config, Path(one.path), now, after))
            continue
        _set(Path(one.path), after)
        _drop_folders(one.folders)
        changes.append(Change(one.path, what))
    if mine and not dry_run:
        left = [one for one in files if one.agent != name]
        note(config.home, left)
        _drop_backups(config, mine, left)
    return Done(
        name,
        tuple(changes),
        tuple(notes) or (() if changes else ("nothing of ours was found",)),
    )


def _goal(
    config: Config, agent: Any, one: Touched, now: bytes
) -> tuple[bytes | None, str]:
    """What a file should hold (None: it should not be there), and what that is called."""
    if digest(now) == one.before:
        return now, "restored"
    if digest(now) == one.after and one.after:
        if not one.before:
            return None, "removed"
        if (data := kept(config.home, one)) is not None:
            return data, "restored"
    data = agent.without(Path(one.path), now)
    if not one.before and data.strip() in EMPTY:
        return None, "removed"
    return data, "cleaned"


def _lost(config: Config, name: str) -> list[Touched]:
    """Files that may hold something of ours though no note of it is left."""
    found: Machine = machine(config, name, versions=False)
    lost = []
    for path in AGENTS.load(name).places(found):
        data = read_file(path)
        if data is not None and AGENTS.load(name).without(path, data) != data:
            lost.append(Touched(agent=name, path=str(path), before="-", after=""))
    return lost


def _set(path: Path, data: bytes | None) -> None:
    if data is not None:
        put_file(path, data)
        return
    try:
        Path(os.path.realpath(path)).unlink()
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}; it was not removed") from error


def _drop_folders(folders: Iterable[str]) -> None:
    """Folders that were made for a file, deepest first, as far as they are empty; compiled code does not count."""
    for folder in sorted(folders, key=len, reverse=True):
        shutil.rmtree(Path(folder) / "__pycache__", ignore_errors=True)
        try:
            Path(folder).rmdir()
        except OSError:
            return


def _drop_backups(
    config: Config, gone: Iterable[Touched], left: Iterable[Touched]
) -> None:
    used = {one.backup for one in left}
    for one in gone:
        if one.backup and one.backup not in used:
            (config.home / "backups" / one.backup).unlink(missing_ok=True)


def _shown(
    config: Config, path: Path, before: bytes | None, after: bytes | None
) -> Change:
    """The difference, with what is secret in it hidden: settings may hold keys."""
    from afterglow.flows.redactor import redactor_of

    old, new = (
        (data or b"").decode("utf-8", "replace").splitlines()
        for data in (before, after)
    )
    names = (
        "/dev/null" if before is None else str(path),
        "/dev/null" if after is None else str(path),
    )
    diff = "\n".join(difflib.unified_diff(old, new, *names, n=2, lineterm=""))
    what = "made" if before is None else "removed" if after is None else "changed"
    return Change(str(path), what, redactor_of(config).redact(diff).text)
