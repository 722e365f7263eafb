"""connect and disconnect: an agent's own files are made to call us, and are put back as they were."""

from __future__ import annotations

import difflib
import os
import shutil
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from afterglow.config import Config
from afterglow.connect import AGENTS
from afterglow.connect.plan import Edit, Machine, Plan
from afterglow.errors import AfterglowError, StoreError, UsageError
from afterglow.flows.connect.machine_facts import checked_names, machine
from afterglow.flows.connect.record import (
    ConnectedFile,
    check_writable,
    connect_lock,
    connected_files,
    digest,
    put_file,
    read_file,
    save_copy,
    saved_copy,
    write_record,
)

WRITING = "write"  # stands where a result has the name of its agent
EMPTY = {b"", b"{}"}  # what is left of a file that was only ours


class Change(Struct, frozen=True):
    """A file, what was done to it (made, changed, restored, cleaned, removed) and, for a dry run, the difference."""

    path: str
    what: str
    diff: str = ""


class ConnectResult(Struct, frozen=True):
    """What was done for one agent. `refused` says why nothing was."""

    agent: str
    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()
    refused: str = ""


class Undo(Struct, frozen=True):
    """A file as it is, as it should be again (None: not there), and what that is called."""

    file: ConnectedFile
    now: bytes
    after: bytes | None
    what: str


def connect(
    config: Config,
    agents: Iterable[str],
    *,
    project: Path | None = None,
    hints: bool = False,
    profile: str = "",
    dry_run: bool = False,
) -> tuple[ConnectResult, ...]:
    """Makes the agents' files call us. What is so already stays; a file that is not understood is not touched, and the
    other agents are connected all the same."""
    names, results = checked_names(agents), []
    if profile and "hermes" not in names:
        raise UsageError(
            "only Hermes has profiles: afterglow connect hermes --profile NAME"
        )
    for name in names:
        try:
            facts = machine(config, name, project=project, hints=hints, profile=profile)
            results.append(_connect_agent(config, name, facts, dry_run=dry_run))
        except AfterglowError as error:
            results.append(ConnectResult(name, refused=str(error)))
    return tuple(results)


def disconnect(
    config: Config, agents: Iterable[str] = (), *, dry_run: bool = False
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
            results.append(_disconnect_agent(config, name, dry_run=dry_run))
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


def _connect_agent(
    config: Config, name: str, facts: Machine, *, dry_run: bool
) -> ConnectResult:
    if dry_run:
        plan: Plan = AGENTS.load(name).plan(facts, read_file)
        for edit in plan.edits:
            check_writable(edit.path)
        changes = [
            _difference(config, edit.path, edit.before, edit.after)
            for edit in plan.edits
        ]
    else:
        with connect_lock(config.home):
            plan = AGENTS.load(name).plan(facts, read_file)
            changes = _apply(config, name, facts, plan.edits)
    return ConnectResult(name, tuple(changes), plan.notes)


def _apply(
    config: Config, name: str, facts: Machine, edits: Sequence[Edit]
) -> list[Change]:
    """First every check, then every copy and the note of what is about to happen, then the files."""
    for edit in edits:
        check_writable(edit.path)
    if not edits:
        return []
    files = {file.path: file for file in connected_files(config.home)}
    for edit in edits:
        earlier = files.get(str(edit.path))
        files[str(edit.path)] = _recorded(config, name, facts, edit, earlier)
    write_record(config.home, list(files.values()))
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


def _recorded(
    config: Config,
    name: str,
    facts: Machine,
    edit: Edit,
    earlier: ConnectedFile | None,
) -> ConnectedFile:
    """What the file goes back to: as it was before we first touched it, with what its owner changed since."""
    if earlier is not None and digest(edit.before) == earlier.after:
        return ConnectedFile(
            agent=name,
            path=earlier.path,
            before=earlier.before,
            after=digest(edit.after),
            backup=earlier.backup,
            time=earlier.time,
            folders=earlier.folders,
        )
    base = None
    if edit.before is not None:
        base = AGENTS.load(name).without(facts, edit.path, edit.before)
        was_only_ours = earlier is not None and not earlier.before
        if was_only_ours and base.strip() in EMPTY:
            base = None
    folders = _missing_folders(edit.path)
    if earlier is not None:
        folders.update(earlier.folders)
    return ConnectedFile(
        agent=name,
        path=str(edit.path),
        before=digest(base),
        after=digest(edit.after),
        backup=save_copy(config.home, edit.path, base),
        time=time.time(),
        folders=tuple(sorted(folders)),
    )


def _missing_folders(path: Path) -> set[str]:
    parents = Path(os.path.realpath(path)).parents
    return {str(folder) for folder in parents if not folder.exists()}


def _disconnect_agent(config: Config, name: str, *, dry_run: bool) -> ConnectResult:
    facts = machine(config, name, versions=False)
    if dry_run:
        undos, notes = _undos(config, name, facts)
        changes = [
            _difference(config, Path(undo.file.path), undo.now, undo.after)
            for undo in undos
        ]
    else:
        with connect_lock(config.home):
            undos, notes = _undos(config, name, facts)
            changes = [_undone(undo) for undo in undos]
            lossy = [undo.file.backup for undo in undos if _lost_comments(undo, facts)]
            _forget(config, name, keep=lossy)
            notes += [
                f"Hermes had written it anew; as it was before: {config.home / 'backups' / backup}"
                for backup in lossy
            ]
    if not changes and not notes:
        notes = ["nothing of ours was found"]
    return ConnectResult(name, tuple(changes), tuple(notes))


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


def _difference(
    config: Config, path: Path, before: bytes | None, after: bytes | None
) -> Change:
    """The difference, with what is secret in it hidden: settings may hold keys."""
    from afterglow.flows.redactor import redactor_of

    diff = difflib.unified_diff(
        _lines(before),
        _lines(after),
        "/dev/null" if before is None else str(path),
        "/dev/null" if after is None else str(path),
        n=2,
        lineterm="",
    )
    what = "changed"
    if before is None:
        what = "made"
    elif after is None:
        what = "removed"
    return Change(str(path), what, redactor_of(config).redact("\n".join(diff)).text)


def _lines(content: bytes | None) -> list[str]:
    return (content or b"").decode("utf-8", "replace").splitlines()
