"""Failures of shell commands, each with the run of the same program that worked afterwards, and did not fail again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from afterglow.harvest.trail import Step
from afterglow.text.fingerprint import fingerprint

MAX_CALLS_TO_SUCCESS = 40  # a later success may have any other reason
MAX_CALLS_TO_RELAPSE = 8  # in which the same failure takes the confirmation back


def recovered_runs(steps: Sequence[Step]) -> Iterator[tuple[Step, Step]]:
    """Failures of shell commands, each with the run of the same program that worked afterwards."""
    open_failures: dict[str, Step] = {}
    for step in steps:
        if not step.program or step.call.result is None:
            continue
        if step.failed:
            open_failures.pop(step.program, None)
            open_failures[step.program] = step
            _forget_old(open_failures, step)
        elif step.ok:
            failed = _take_failure_of(open_failures, step)
            if failed is not None and _is_confirmed(steps, failed, step):
                yield failed, step


def _forget_old(open_failures: dict[str, Step], latest: Step) -> None:
    """What failed too long ago can no longer be confirmed; the oldest stands first."""
    for name, failed in list(open_failures.items()):
        if latest.index - failed.index <= MAX_CALLS_TO_SUCCESS:
            return
        del open_failures[name]


def _take_failure_of(open_failures: dict[str, Step], worked: Step) -> Step | None:
    """The open failure that a success settles, one way or the other: a run that hides how it ended proves nothing."""
    for name in open_failures:
        if is_same_program(name, worked.program):
            return open_failures.pop(name)
    return None


def _is_confirmed(steps: Sequence[Step], failed: Step, worked: Step) -> bool:
    if worked.index - failed.index > MAX_CALLS_TO_SUCCESS:
        return False
    return _shows_every_end(worked) and not _fails_again(steps, worked, failed)


def _shows_every_end(step: Step) -> bool:
    """Whether a success is the command's own: a pipe or a `;` behind it would have hidden a failure."""
    return all(command.then in {"", "&&"} for command in step.action.working)


def is_same_program(failed: str, worked: str) -> bool:
    """Also behind a runner: `pytest`, `uv run pytest`."""
    if failed == worked:
        return True
    return worked.endswith(f" {failed}") or failed.endswith(f" {worked}")


def _fails_again(steps: Sequence[Step], worked: Step, failed: Step) -> bool:
    start = worked.index + 1
    later = steps[start : start + MAX_CALLS_TO_RELAPSE]
    mark = fingerprint(failed.call.error)
    return any(
        step.failed
        and step.program == worked.program
        and fingerprint(step.call.error) == mark
        for step in later
    )
