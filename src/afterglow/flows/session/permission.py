"""What a session may be told now: everything, unless a standing experiment gave it an arm that says otherwise.

It is asked at every moment of every session, mostly where there is no experiment; then nothing is loaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from afterglow.config import Config

if TYPE_CHECKING:
    from afterglow.experiment.moments import Telling
    from afterglow.records.delivery import When
    from afterglow.records.form import Form


class Permission(Struct, frozen=True):
    """What a session may be told at a moment: lessons, a placebo of the length they would have, or nothing. What only
    the sessions `without` taught is kept from it. `arm` is empty outside of experiments; `trouble` is what went
    wrong, if something did. `forms` are those in which it is told; of a placebo, those of each arm it stands in for;
    empty outside of experiments, where the settings say."""

    tells: Telling = "lessons"
    arm: str = ""
    without: frozenset[str] = frozenset()
    trouble: str = ""
    forms: tuple[frozenset[Form], ...] = ()


def permission(config: Config, *, session: str, when: When) -> Permission:
    """For a session that runs already. One that was given no arm is told what everybody is told."""
    if not config.experiment or not config.experiments.exists():
        return Permission()
    from afterglow.flows.session.standing_experiment import allowed, of_arm

    if config.arm:
        return of_arm(config, when)
    return allowed(config, session, when) if session else Permission()
