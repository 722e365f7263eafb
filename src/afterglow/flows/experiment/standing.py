"""experiment: from now on every new session gets an arm of a plan, or none does any more."""

from __future__ import annotations

from afterglow.config import Config
from afterglow.errors import Conflict, UsageError
from afterglow.experiment.moments import check_standing, tells_templates
from afterglow.flows.experiment.experiments import show
from afterglow.flows.no_transcripts import check_transcripts
from afterglow.flows.settings import set_values
from afterglow.records.experiment import Plan

KEY = "experiment.name"


def start(config: Config, name: str) -> Plan:
    """Each session that starts from now on is assigned to an arm of this plan. There is one such experiment at a time."""
    check_transcripts(config, "a standing experiment")
    plan, _ = show(config, name)
    check_standing(plan)
    if tells_templates(plan.arms):
        check_templates(config)
    if plan.simulated:
        raise UsageError(
            f"{name} is simulated: no real session takes part; plan one without --simulated"
        )
    if config.experiment and config.experiment != name:
        raise Conflict(
            f"{config.experiment} is under way; `afterglow experiment stop {config.experiment}` ends that first"
        )
    set_values(config, {KEY: name})
    return plan


def check_templates(config: Config) -> None:
    """Raises `UsageError` if no session could be given one: after weeks the arm would be a second cold one."""
    if not config.hooks.template_budget:
        raise UsageError(
            "hooks.template_budget is 0, so no arm is told a template; "
            "`afterglow config set hooks.template_budget 600` would work"
        )
    from afterglow.flows.warm import approved_templates

    if not approved_templates(config):
        raise UsageError(
            "no template is approved, so no arm can be told one; `afterglow warm auto` makes some, "
            "`afterglow warm approve ID` lets sessions begin with them"
        )


def stop(config: Config, name: str) -> None:
    """Sessions that start from now on get no arm; what was assigned and recorded stays, and may be read."""
    if not config.experiment:
        raise UsageError(f"{name} is not under way: there is nothing to stop")
    if config.experiment != name:
        raise Conflict(f"{config.experiment} is under way, not {name}")
    set_values(config, {KEY: None})
