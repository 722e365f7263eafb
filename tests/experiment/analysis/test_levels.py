"""What each arm reached by itself: intervals allow for clusters, and say nothing where there is only one."""

import pytest

from afterglow.experiment.analysis import analyse
from afterglow.experiment.outcomes import OUTCOMES
from afterglow.experiment.report import as_html, as_markdown, as_paper, figures
from afterglow.records.experiment import Plan, Trial
from afterglow.stats.rates import rate

ARMS = ("cold", "start", "placebo")
PLAN = Plan(
    name="loop", arms=ARMS, allocation=(1 / 3,) * 3, outcomes=("success", "errors"), created=0.0, salt="s",
    unit="task", design="paired",
)  # fmt: skip


def trials(clusters: int = 6, tasks: int = 4) -> list[Trial]:
    """Whole families are solved in `start`, or not at all; nothing is elsewhere."""
    return [
        Trial(
            experiment="loop",
            unit=f"{family}-{task}",
            arm=arm,
            time=float(family),
            outcomes={
                "success": float(arm == "start" and family % 2 == 0),
                "errors": float(family + task),
            },
            cluster=f"family {family}",
            pair=f"{family}-{task}",
        )
        for family in range(clusters)
        for task in range(tasks)
        for arm in ARMS
    ]


def level(analysis, outcome, arm):
    (match,) = [
        level
        for level in analysis.levels
        if (level.outcome, level.arm) == (outcome, arm)
    ]
    return match


def test_a_share_is_as_uncertain_as_its_families_are_few():
    reached = level(analyse(PLAN, trials(), now=1.0), "success", "start")
    by_family = rate([(4, 4), (0, 4)] * 3)
    assert reached.mean == 0.5 and reached.n == 24
    assert reached.interval.low == pytest.approx(by_family.low, abs=0.01)
    assert reached.interval.high == pytest.approx(by_family.high, abs=0.01)
    alone = [trial_without_cluster(trial) for trial in trials()]
    narrow = level(analyse(PLAN, alone, now=1.0), "success", "start").interval
    assert narrow.high - narrow.low < reached.interval.high - reached.interval.low


def trial_without_cluster(trial: Trial) -> Trial:
    return Trial(
        experiment=trial.experiment, unit=trial.unit, arm=trial.arm, time=trial.time, outcomes=trial.outcomes,
        pair=trial.pair,
    )  # fmt: skip


def test_a_mean_has_an_interval_by_its_clusters_and_one_cluster_has_none():
    reached = level(analyse(PLAN, trials(), now=1.0), "errors", "cold")
    assert reached.mean == pytest.approx(4.0)
    assert reached.interval.low < 4.0 < reached.interval.high
    lone = level(analyse(PLAN, trials(clusters=1), now=1.0), "errors", "cold")
    assert lone.interval is None


def test_reports_and_papers_show_the_arms():
    analysis = analyse(PLAN, trials(), now=1.0)
    svg = figures(analysis, OUTCOMES)["arms.svg"]
    assert "start against cold" in svg and "start against placebo" not in svg
    plain = as_markdown(analysis, OUTCOMES)
    assert "success, by arm" in plain and "+50" in plain
    assert "12 to 0" in plain
    assert "The arms: success" in as_html(analysis, OUTCOMES)
    assert "arm_figure.arm_figure" in as_paper(analysis, OUTCOMES, html=True)
