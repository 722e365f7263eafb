"""Numbers against those of scipy and statsmodels."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.api import OLS, add_constant
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestIndPower, TTestPower
from statsmodels.stats.proportion import confint_proportions_2indep

from afterglow.errors import UsageError
from afterglow.experiment.analysis import needed, power_of
from afterglow.experiment.analysis.compare import compare
from afterglow.experiment.analysis.robust import fit
from afterglow.experiment.analysis.rows import Columns
from afterglow.experiment.analysis.verdicts import holm

RNG = np.random.default_rng(1)


def rows(values, treated, clusters=None, pairs=None):
    alone = np.arange(len(values))
    return Columns(
        np.asarray(values, dtype=float),
        np.asarray(treated, dtype=bool),
        alone,
        alone if clusters is None else clusters,
        alone if pairs is None else pairs,
        (),
    )


def test_amounts_are_compared_as_welch_does():
    x, y = RNG.normal(1, 2, 40), RNG.normal(0, 1, 25)
    found = compare(
        rows([*x, *y], [True] * 40 + [False] * 25), "amount", 0.05, paired=False
    )
    expected = stats.ttest_ind(x, y, equal_var=False)
    assert found.p == pytest.approx(expected.pvalue)
    low, high = expected.confidence_interval()
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high))
    assert found.delta == pytest.approx(
        2 * stats.mannwhitneyu(x, y).statistic / 1000 - 1
    )


def test_shares_have_newcombes_interval_and_boschloos_p():
    values = [1.0] * 30 + [0.0] * 20 + [1.0] * 18 + [0.0] * 27
    found = compare(
        rows(values, [True] * 50 + [False] * 45), "yes-no", 0.05, paired=False
    )
    low, high = confint_proportions_2indep(
        30, 50, 18, 45, compare="diff", method="newcomb"
    )
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high))
    assert found.p == pytest.approx(stats.boschloo_exact([[30, 18], [20, 27]]).pvalue)
    assert found.ratio == pytest.approx(0.6 / 0.4)


def test_a_large_table_has_the_p_of_the_score_test():
    values = [1.0] * 130 + [0.0] * 120 + [1.0] * 100 + [0.0] * 150
    found = compare(
        rows(values, [True] * 250 + [False] * 250), "yes-no", 0.05, paired=False
    )
    assert found.p == pytest.approx(
        stats.chi2_contingency([[130, 100], [120, 150]], correction=False).pvalue
    )


def test_mixed_clusters_have_the_variance_of_statsmodels():
    clusters = np.arange(400) % 20
    treated = RNG.random(400) < 0.5
    values = (
        RNG.normal(size=20)[clusters]
        + treated * RNG.normal(0.3, 0.5, size=20)[clusters]
        + RNG.normal(size=400)
    )
    found = compare(rows(values, treated, clusters), "amount", 0.05, paired=False)
    model = OLS(values, add_constant(treated.astype(float))).fit(
        cov_type="cluster", cov_kwds={"groups": clusters}
    )
    assert found.contrast.clusters == 20
    assert found.contrast.difference == pytest.approx(model.params[1])
    assert found.contrast.variance == pytest.approx(
        model.cov_params()[1, 1] * 398 / 399
    )


def test_whole_clusters_of_equal_size_are_compared_as_their_means():
    clusters = np.repeat(np.arange(24), 5)
    treated = clusters % 2 == 0
    values = RNG.normal(size=24)[clusters] + RNG.normal(size=120)
    found = compare(rows(values, treated, clusters), "amount", 0.05, paired=False)
    means = values.reshape(24, 5).mean(1)
    assert found.p == pytest.approx(
        stats.ttest_ind(means[::2], means[1::2], equal_var=False).pvalue
    )


def test_few_mixed_clusters_are_left_out_of_it():
    clusters = np.arange(60) % 3
    treated = np.arange(60) % 2 == 0
    values = RNG.normal(size=60)
    found = compare(rows(values, treated, clusters), "amount", 0.05, paired=False)
    assert found.contrast.clusters == 0
    assert found.p == pytest.approx(
        stats.ttest_ind(values[treated], values[~treated], equal_var=False).pvalue
    )


def test_pairs_of_yes_and_no_have_mcnemars_exact_p():
    arm = [1] * 12 + [1] * 9 + [0] * 2 + [0] * 7
    control = [1] * 12 + [0] * 9 + [1] * 2 + [0] * 7
    found = compare(
        rows(
            [*arm, *control],
            [True] * 30 + [False] * 30,
            pairs=np.tile(np.arange(30), 2),
        ),
        "yes-no",
        0.05,
        paired=True,
    )
    assert found.p == pytest.approx(mcnemar([[12, 9], [2, 7]], exact=True).pvalue)
    assert found.interval.low < 7 / 30 < found.interval.high
    assert found.pairs == 30


def test_pairs_of_amounts_are_compared_by_their_differences():
    x, y = RNG.normal(0.4, 1, 25), RNG.normal(0, 1, 25)
    found = compare(
        rows([*x, *y], [True] * 25 + [False] * 25, pairs=np.tile(np.arange(25), 2)),
        "amount",
        0.05,
        paired=True,
    )
    assert found.p == pytest.approx(stats.ttest_rel(x, y).pvalue)


def test_a_task_run_several_times_counts_once():
    pairs = np.repeat(np.arange(10), 4)
    treated = np.tile([True, True, False, False], 10)
    values = (RNG.random(40) < 0.5).astype(float)
    found = compare(rows(values, treated, pairs=pairs), "yes-no", 0.05, paired=True)
    by_task = values.reshape(10, 2, 2).mean(2)
    assert found.pairs == 10
    assert found.p == pytest.approx(
        stats.ttest_rel(by_task[:, 0], by_task[:, 1]).pvalue
    )


@pytest.mark.parametrize("clustered", [False, True])
def test_regression_within_strata_is_that_of_statsmodels(clustered):
    strata, clusters = np.arange(200) % 8, np.arange(200) % 25
    arm, known = (RNG.random(200) < 0.4).astype(float), RNG.normal(size=200)
    values = strata + 0.5 * arm + known * (1 + arm) + RNG.normal(size=200)
    found = fit(
        values, [arm, known, known * arm], strata, clusters if clustered else None
    )
    dummies = (strata[:, None] == np.arange(8)).astype(float)
    design = np.column_stack([arm, known, known * arm, dummies])
    kind = (
        {"cov_type": "cluster", "cov_kwds": {"groups": clusters}}
        if clustered
        else {"cov_type": "HC2"}
    )
    model = OLS(values, design).fit(use_t=True, **kind)
    assert found.value == pytest.approx(model.params[0])
    assert found.variance == pytest.approx(model.cov_params()[0, 0])
    assert found.p() == pytest.approx(model.pvalues[0])
    assert (
        found.value - found.half(0.05),
        found.value + found.half(0.05),
    ) == pytest.approx(tuple(model.conf_int()[0]))


def test_holm_is_that_of_statsmodels():
    p = [0.04, 0.001, 0.2, 0.03, 0.03]
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1])


@pytest.mark.parametrize("effect", [0.2, 0.5, 1.2])
def test_needed_units_are_those_of_statsmodels(effect):
    assert needed(effect, sd=1.0) == int(
        np.ceil(TTestIndPower().solve_power(effect, power=0.8, alpha=0.05))
    )
    assert needed(effect, sd=2.0, ratio=4.0) == int(
        np.ceil(TTestIndPower().solve_power(effect / 2, power=0.8, alpha=0.05, ratio=4))
    )


def test_power_of_pairs_is_that_of_statsmodels():
    found = power_of(30, 0.5, sd=1.0, paired=True, correlation=0.5)
    assert found == pytest.approx(TTestPower().power(0.5, 30, 0.05))


def test_clusters_and_correlation_change_what_is_needed():
    alone = needed(0.5, sd=1.0)
    assert needed(0.5, sd=1.0, cluster_size=10, icc=0.1) == pytest.approx(
        alone * 1.9, rel=0.1
    )
    assert needed(0.5, sd=1.0, paired=True, correlation=0.9) < alone / 4


def test_shares_need_their_textbook_number():
    """Fleiss without correction: 93 an arm for 50 against 70 %."""
    assert needed(0.2, scale="yes-no", baseline=0.5) == pytest.approx(91, abs=2)


@pytest.mark.parametrize(
    "wrong",
    [
        {"effect": 0.0, "sd": 1.0},
        {"effect": 0.1},
        {"effect": 0.1, "sd": 1.0, "power": 1.0},
        {"effect": 0.6, "scale": "yes-no", "baseline": 0.5},
        {"effect": 1e-9, "sd": 1.0},
        {"effect": 0.1, "sd": 1.0, "icc": 2.0},
    ],
)
def test_what_no_number_could_show_is_an_error(wrong):
    with pytest.raises(UsageError):
        needed(**wrong)
