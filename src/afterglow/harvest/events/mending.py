"""Which edit answered which report of a linter: the one at the reported file, nearest to the reported line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from afterglow.calls import Edit
from afterglow.harvest.lint_lines import Lint
from afterglow.harvest.trail import Step

# How near an edit is to a report: it changed the line that the report shows, it has that line in view, or else as many
# as the names they share.
CHANGES_THE_LINE, HAS_THE_LINE = 200, 100
MIN_SHARED_NAMES = (
    2  # where a file was edited several times: any two edits share a word
)

_NAME = re.compile(r"[A-Za-z_]\w{2,}")


def mended_by(steps: Sequence[Step], lints: Iterable[Lint]) -> dict[int, list[Lint]]:
    """By the index of a step, the reports that its edit answered; of edits as near as each other it is the first."""
    mended: dict[int, list[Lint]] = {}
    for lint in lints:
        ranked = [
            (_nearness(edit, lint), -step.index)
            for step in steps
            if step.ok
            for edit in step.action.edits
            if is_same_file(edit.path, lint.path)
        ]
        nearness, index = max(ranked, default=(0, 0))
        if nearness >= MIN_SHARED_NAMES or (nearness and len(ranked) == 1):
            mended.setdefault(-index, []).append(lint)
    return mended


def about(lints: Iterable[Lint]) -> str:
    """The words of reports, by which the lines of an edit that answer them are known."""
    return "\n".join(f"{lint.path} {lint.message} {lint.excerpt}" for lint in lints)


def is_same_file(path: str, reported: str) -> bool:
    """Either may be named from a folder further in."""
    ends = [f"/{name.replace(chr(92), '/').lstrip('./')}" for name in (path, reported)]
    return ends[0].endswith(ends[1]) or ends[1].endswith(ends[0])


def _nearness(edit: Edit, lint: Lint) -> int:
    old, new = edit.old.splitlines(), edit.new.splitlines()
    changed = [line for line in old if line not in new]
    changed += [line for line in new if line not in old]
    names = set(_NAME.findall(lint.message)) | set(_NAME.findall(lint.excerpt))
    shared = len(names.intersection(_NAME.findall("\n".join(changed))))
    if lint.excerpt and any(lint.excerpt in line for line in changed):
        return CHANGES_THE_LINE + shared
    if lint.excerpt and lint.excerpt in edit.old:
        return HAS_THE_LINE + shared
    return shared
