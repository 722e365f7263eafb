"""disconnect: an agent's own files are put back as they were."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from afterglow.config import Config
from afterglow.connect import AGENTS
from afterglow.connect.plan import Machine
from afterglow.errors import AfterglowError, Conflict, StoreError
from afterglow.flows.connect.connect_results import (
    EMPTY,
    NOTHING_EXPECTED,
    Change,
    ConnectResult,
    changes_mark,
    check_expected,
    difference,
)
from afterglow.flows.connect.machine_facts import checked_names, machine
from afterglow.flows.connect.record import (
    ConnectedFile,
    check_writable,
    connect_lock,
    connected_files,
    digest,
    put_file,
    read_file,
    saved_copy,
    write_record,
)

WRITING = "write"  # stands where a result has the name of its agent


class Undo(Struct, frozen=True):
    """A file as it is, as it should be again (None: not there), and what that is called."""

    file: ConnectedFile
    now: bytes
    after: bytes | None
    what: str


def disconnect(
    config: Config,
    agents: Iterable[str] = (),
    *,
    dry_run: bool = False,
    expected: Mapping[str, str] = NOTHING_EXPECTED,
) -> tuple[ConnectResult, ...]:
    """Puts files back byte for byte where they are as we left them; where they were changed since, takes out only our
    parts. Of every agent that is connected, unless some are named; with the last of them goes whoever wrote lessons in
    the background."""
    names = checked_names(agents)
    if not names:
        names = list(dict.fromkeys(file.agent for file in connected_files(config.home)))
    results = []
    for name in names:
        try:
            mark = expected.get(name)
            results.append(_disconnect_agent(config, name, dry_run, mark))
        except Conflict:
            raise
        except AfterglowError as error:
            results.append(ConnectResult(name, refused=str(error)))
    if not dry_run and not connected_files(config.home):
        results += _without_writer(config)
    return tuple(results)


def _without_writer(config: Config) -> list[ConnectResult]:
    """Only now is it loaded: hooks come by this module."""
    from afterglow.flows.connect.writer_consent import unset_writer

    try:
        path = unset_writer(config)
    except AfterglowError as error:
        return [ConnectResult(WRITING, refused=str(error))]
    if path is None:
        return []
    note = f"{config.write.writer} writes no more lessons in the background"
    return [ConnectResult(WRITING, (Change(str(path), "changed"),), (note,))]


def _disconnect_agent(
    config: Config, name: str, dry_run: bool, expected: str | None
) -> ConnectResult:
    facts = machine(config, name, versions=False)
    if dry_run:
        undos, notes = _undos(config, name, facts)
        changes = [
            difference(config, Path(undo.file.path), undo.now, undo.after)
            for undo in undos
        ]
        mark = _undos_mark(undos)
    else:
        with connect_lock(config.home):
            undos, notes = _undos(config, name, facts)
            check_expected(name, _undos_mark(undos), expected)
            changes = [_undone(undo) for undo in undos]
            lossy = [undo.file.backup for undo in undos if _lost_comments(undo, facts)]
            _forget(config, name, keep=lossy)
            notes += [
                f"Hermes had written it anew; as it was before: {config.home / 'backups' / backup}"
                for backup in lossy
            ]
        mark = ""
    if not changes and not notes:
        notes = ["nothing of ours was found"]
    return ConnectResult(name, tuple(changes), tuple(notes), mark=mark)


def _undos_mark(undos: Sequence[Undo]) -> str:
    return changes_mark((undo.file.path, undo.now, undo.after) for undo in undos)


def _lost_comments(undo: Undo, facts: Machine) -> bool:
    """An agent that writes its settings itself drops comments; only our copy still has them."""
    rewritten = undo.what == "cleaned" and facts.own_command is not None
    return rewritten and bool(undo.file.backup)


def _undos(config: Config, name: str, facts: Machine) -> tuple[list[Undo], list[str]]:
    """What is to be done to each file of an agent, checked before the first is touched; and what a person should
    know."""
    files = [file for file in connected_files(config.home) if file.agent == name]
    undos, notes = [], []
    for file in files or _unrecorded_files(name, facts):
        path = Path(file.path)
        now = read_file(path)
        if now is None:
            notes.append(f"{path} is gone already")
            continue
        after, what = _goal(config, name, facts, file, now)
        if what == "cleaned":
            notes.append(
                f"{path} was changed since it was connected: only our parts were taken out"
            )
        if after != now:
            check_writable(path)
            undos.append(Undo(file, now, after, what))
    return undos, notes


def _goal(
    config: Config, name: str, facts: Machine, file: ConnectedFile, now: bytes
) -> tuple[bytes | None, str]:
    """What a file should hold (None: it should not be there), and what that is called."""
    if digest(now) == file.before:
        return now, "restored"
    if digest(now) == file.after and file.after:
        if not file.before:
            return None, "removed"
        copy = saved_copy(config.home, file)
        if copy is not None:
            return copy, "restored"
    rest: bytes = AGENTS.load(name).without(facts, Path(file.path), now)
    if not file.before and rest.strip() in EMPTY:
        return None, "removed"
    return rest, "cleaned"


def _unrecorded_files(name: str, facts: Machine) -> list[ConnectedFile]:
    """Files that may hold something of ours though no note of it is left."""
    agent = AGENTS.load(name)
    files = []
    for path in agent.places(facts):
        content = read_file(path)
        if content is not None and agent.holds(path, content):
            files.append(
                ConnectedFile(agent=name, path=str(path), before="-", after="")
            )
    return files


def _undone(undo: Undo) -> Change:
    path = Path(undo.file.path)
    if undo.after is not None:
        put_file(path, undo.after)
    else:
        try:
            Path(os.path.realpath(path)).unlink()
        except OSError as error:
            raise StoreError(f"{path}: {error.strerror}; it was not removed") from error
    _drop_folders(undo.file.folders)
    return Change(undo.file.path, undo.what)


def _forget(config: Config, name: str, keep: Iterable[str]) -> None:
    """The agent's files are no longer in the record, nor their copies in the home, but for those to keep."""
    files = connected_files(config.home)
    remaining = [file for file in files if file.agent != name]
    if len(remaining) == len(files):
        return
    write_record(config.home, remaining)
    backups = {file.backup for file in files}
    used = {file.backup for file in remaining}
    for backup in backups.difference(used, keep, [""]):
        (config.home / "backups" / backup).unlink(missing_ok=True)


def _drop_folders(folders: Iterable[str]) -> None:
    """Folders that were made for a file, deepest first, as far as they are empty; compiled code does not count."""
    for folder in sorted(folders, key=len, reverse=True):
        shutil.rmtree(Path(folder) / "__pycache__", ignore_errors=True)
        try:
            Path(folder).rmdir()
        except OSError:
            return
