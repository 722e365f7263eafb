"""The packages that a repository names, as far as a session read its manifests.

Only what was read and not changed before in the same session counts: a session that was led to add a package must not
make it the repository's own by looking at what it wrote.
"""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.calls import prints_files
from afterglow.harvest.manifests import is_manifest, packages_in
from afterglow.harvest.trail import Step, Trail

MAX_PACKAGES_OF_A_SESSION = 1_000  # what one person's repository names is less


def packages_read(trail: Trail) -> tuple[str, ...]:
    """Plain names, sorted."""
    names: set[str] = set()
    changed: set[str] = set()
    for step in trail.steps:
        if step.edits:
            changed.update(map(_file_name, _paths(step)))
            continue
        if not step.ok or not step.call.result:
            continue
        for path in _paths(step):
            if is_manifest(path) and _file_name(path) not in changed:
                names |= packages_in(path, step.call.result)
    return tuple(sorted(names))[:MAX_PACKAGES_OF_A_SESSION]


def _paths(step: Step) -> Iterator[str]:
    """The files that a call is about: by its target, or as operands of what prints them."""
    action = step.action
    if action.target.kind == "file":
        yield action.target.value
    for command in action.commands:
        if prints_files(command) or step.edits:
            yield from command.operands
            yield from (item.target for item in command.redirections)


def _file_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]
