"""connect: an agent's own files are made to call us."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from afterglow.config import Config
from afterglow.connect import AGENTS
from afterglow.connect.plan import Edit, Machine, Plan
from afterglow.errors import AfterglowError, Conflict, StoreError, UsageError
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
    save_copy,
    write_record,
)


def connect(
    config: Config,
    agents: Iterable[str],
    *,
    project: Path | None = None,
    hints: bool = False,
    profile: str = "",
    dry_run: bool = False,
    expected: Mapping[str, str] = NOTHING_EXPECTED,
) -> tuple[ConnectResult, ...]:
    """Makes the agents' files call us. What is so already stays; a file that is not understood is not touched, and the
    other agents are connected all the same. `expected` has the mark of what a person was shown, by agent: raises
    `Conflict` where something else would be done by now."""
    names, results = checked_names(agents), []
    if profile and "hermes" not in names:
        raise UsageError(
            "only Hermes has profiles: afterglow connect hermes --profile NAME"
        )
    for name in names:
        try:
            facts = machine(config, name, project=project, hints=hints, profile=profile)
            mark = expected.get(name)
            results.append(_connect_agent(config, name, facts, dry_run, mark))
        except Conflict:
            raise
        except AfterglowError as error:
            results.append(ConnectResult(name, refused=str(error)))
    return tuple(results)


def _connect_agent(
    config: Config, name: str, facts: Machine, dry_run: bool, expected: str | None
) -> ConnectResult:
    if dry_run:
        plan: Plan = AGENTS.load(name).plan(facts, read_file)
        for edit in plan.edits:
            check_writable(edit.path)
        changes = [
            difference(config, edit.path, edit.before, edit.after)
            for edit in plan.edits
        ]
        return ConnectResult(name, tuple(changes), plan.notes, mark=_edits_mark(plan))
    with connect_lock(config.home):
        plan = AGENTS.load(name).plan(facts, read_file)
        check_expected(name, _edits_mark(plan), expected)
        changes = _apply(config, name, facts, plan.edits)
    return ConnectResult(name, tuple(changes), plan.notes)


def _edits_mark(plan: Plan) -> str:
    return changes_mark(
        (str(edit.path), edit.before, edit.after) for edit in plan.edits
    )


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
