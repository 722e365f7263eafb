"""Failures of a session that its own state explains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from afterglow.calls import Standing
from afterglow.harvest.events.failures import Symptom, symptoms
from afterglow.harvest.state_checks import (
    Explanation,
    Moment,
    SessionState,
    explain,
    missing_program,
)
from afterglow.harvest.trail import Step, Trail
from afterglow.records.session import Outcome


class _Followed(Struct, frozen=True):
    explanations: dict[int, Explanation]
    later: dict[int, Explanation]
    absent: dict[int, Explanation]
    standings: list[Standing]


def explained(trail: Trail) -> dict[int, Explanation]:
    """Why calls of a session went wrong, by the index of their step, where its state shows it at that moment."""
    return _follow(trail).explanations


def unexplained(
    trail: Trail, wrong: Sequence[Symptom | None]
) -> Iterator[tuple[Step, Symptom]]:
    """Calls that went wrong, and that the session's state does not explain at that moment."""
    by_state = explained(trail)
    for step, symptom in zip(trail.steps, wrong, strict=True):
        if symptom is not None and step.index not in by_state:
            yield step, symptom


def explained_later(trail: Trail) -> dict[int, Explanation]:
    """The same for what only the rest of the session shows: how a program that was missing is reached."""
    return _follow(trail).later


def absent_programs(trail: Trail) -> dict[int, Explanation]:
    """Programs that were missing and that nothing in the session reached."""
    return _follow(trail).absent


def places(trail: Trail) -> dict[int, str]:
    """Where the shell stood at each call, as seen from where the session began; nothing for there."""
    home = trail.session.cwd
    directories = {
        step.index: standing.directory
        for step, standing in zip(trail.steps, _follow(trail).standings, strict=True)
        if step.action.kind == "shell" and standing.directory not in {"", home}
    }
    return {
        index: directory.removeprefix(f"{home}/")
        for index, directory in directories.items()
    }


@lru_cache(maxsize=1)  # asked for the same session by a miner and for its events
def _follow(trail: Trail) -> _Followed:
    state = SessionState(trail.session.cwd)
    explanations, unexplained = {}, []
    for step, symptom in zip(trail.steps, symptoms(trail), strict=True):
        moment = moment_of(state, step, symptom)
        if moment is not None:
            explanation = explain(moment)
            if explanation is not None:
                explanations[step.index] = explanation
            elif moment.missing:
                unexplained.append(moment)
        state.add(step, says_no_failure=_says_no_failure(step, symptom))
    later = {
        moment.step.index: explanation
        for moment in unexplained
        if (explanation := missing_program.explain(moment)) is not None
    }
    absent = {
        moment.step.index: explanation
        for moment in unexplained
        if moment.step.index not in later
        and (explanation := missing_program.absent(moment)) is not None
    }
    return _Followed(explanations, later, absent, state.standings)


def moment_of(
    state: SessionState, step: Step, symptom: Symptom | None
) -> Moment | None:
    """A call that went wrong, for the checks to look at; None where its session's state has no part in it."""
    if symptom is None or not _is_checked(step, symptom):
        return None
    return state.moment(step, _claims(step, symptom))


def _says_no_failure(step: Step, symptom: Symptom | None) -> bool:
    """It printed something that may be what such calls always print."""
    lines = symptom.lines if symptom is not None else ()
    return bool(step.call.result) and all(line.strength == 0 for line in lines)


def _is_checked(step: Step, symptom: Symptom) -> bool:
    """What the log of a run elsewhere says is not about this session's state; a call that failed itself is."""
    is_failure = step.call.outcome is Outcome.FAILED
    return is_failure or symptom.kind in {"failed", "hidden"}


def _claims(step: Step, symptom: Symptom) -> str:
    """Of an output that does not fail by its exit code, only the lines that claim it."""
    if step.call.outcome is Outcome.FAILED:
        return ""
    return "\n".join(line.text for line in symptom.lines)
