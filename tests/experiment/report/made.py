"""An analysis made by hand, so that what a report says can be told from how it was computed."""

from __future__ import annotations

from msgspec.structs import replace

from afterglow.records.experiment import (
    Analysis,
    ArmTold,
    Estimate,
    FairnessCheck,
    Interval,
    OutcomeSpec,
    PairTable,
    Plan,
    RepoCount,
    Step,
    StratumEffect,
    StudyTimes,
    TaskEntry,
    WorkerCount,
)

DAY = 86_400.0
START = 1_780_000_000.0
SPECS = {
    spec.name: spec
    for spec in (
        OutcomeSpec(
            "error-rate",
            "lower",
            "rate",
            "failed calls as a share of all",
            "errors per call",
        ),
        OutcomeSpec("success", "higher", "yes-no", "it got there"),
        OutcomeSpec(
            "seconds", "lower", "seconds", "time from the first turn to the last", "s"
        ),
        OutcomeSpec("tokens", "lower", "amount", "tokens read and written", "tokens"),
        OutcomeSpec(
            "corrections",
            "lower",
            "rate",
            "requests that correct the agent",
            "",
            proxy=True,
        ),
        OutcomeSpec("tools", "none", "count", "different tools", "tools"),
    )
}
PLAN = Plan(
    name="daily",
    arms=("cold", "warm", "placebo"),
    allocation=(0.4, 0.4, 0.2),
    outcomes=tuple(SPECS),
    created=START,
    salt="grain",
    hypothesis="Sessions that start with lessons fail less often",
    min_effect=0.02,
    planned=200,
    exclusions=("robots", "empty"),
)


def estimate(
    outcome="error-rate",
    arm="warm",
    *,
    values=(0.08, 0.13),
    half=0.02,
    wide=0.04,
    **changes,
) -> Estimate:
    """The difference of two means with an interval of so much to both sides, and a wider one for any time."""
    mean, control = values
    gap = mean - control
    verdict = changes.get("verdict", "could not tell")
    found = Estimate(
        outcome=outcome, arm=arm, control="cold", n=110, n_control=118, mean=mean, mean_control=control, difference=gap,
        interval=Interval(gap - half, gap + half), p=0.004, sequence=Interval(gap - wide, gap + wide), e=42.0,
        method="Welch's t, robust to 14 clusters", verdict=verdict, says=f"{verdict}: {mean:g} against {control:g}.",
        holm=0.02, clusters=14, missing=3, effect_size=-0.2,
    )  # fmt: skip
    return replace(found, **changes)


ESTIMATES = (
    estimate(verdict="better", needed=180, ratio=0.62, ratio_interval=Interval(0.5, 0.77), adjusted=-0.048,
             adjusted_interval=Interval(-0.066, -0.03)),
    estimate("success", values=(0.74, 0.7), half=0.1, wide=0.18, p=0.4, holm=0.8, e=0.6,
             method="Newcombe interval, Boschloo's exact test", clusters=0),
    estimate("seconds", values=(1300.0, 1420.0), half=260.0, wide=480.0, p=0.36, e=0.5),
    estimate("tokens", values=(101_000.0, 90_500.0), half=4_000.0, wide=7_200.0, p=0.0004, e=290.0, verdict="worse"),
    estimate("corrections", values=(0.1, 0.11), half=0.03, wide=0.05, p=0.6, e=0.3),
    estimate("tools", values=(6.4, 6.1), half=0.4, wide=0.8, p=0.2, e=0.7),
    estimate(arm="placebo", values=(0.14, 0.13), half=0.03, wide=0.06, n=52, p=0.5, e=0.4, needed=240),
    estimate("tokens", "placebo", values=(99_000.0, 90_500.0), half=6_000.0, wide=11_000.0, n=52, p=0.01, e=9.0),
)  # fmt: skip

CHECKS = (
    FairnessCheck(
        "sample ratio",
        True,
        "assigned 125 cold, 120 warm, 60 placebo, as planned",
        0.93,
    ),
    FairnessCheck(
        "missing",
        False,
        "without a result: cold 2 of 120, warm 14 of 120; arms differ in this",
        0.0004,
    ),
    FairnessCheck(
        "covariates", None, "nothing was known of sessions before they started"
    ),
)


def steps(arm, gap, looks=40) -> tuple[Step, ...]:
    return tuple(
        Step(
            START + look * DAY,
            6 * look,
            arm,
            gap,
            Interval(gap - 0.6 / look**0.7, gap + 0.6 / look**0.7),
            1.1**look,
        )
        for look in range(1, looks + 1)
    )


TIMES = StudyTimes(
    planned=START,
    assigned=START + 3 * 3600,
    first=START + 3 * 3600,
    last=START + 39 * DAY,
)


def worker(model="large-2", trials=(60, 55, 27), **changes) -> WorkerCount:
    made = WorkerCount(
        agent="codex",
        agent_version="0.58.0",
        model=model,
        afterglow_version="0.1.0",
        trials=dict(zip(PLAN.arms, trials, strict=True)),
    )
    return replace(made, **changes)


def analysis(**changes) -> Analysis:
    found = Analysis(
        plan=PLAN,
        plan_hash="ab" * 32,
        data_hash="cd" * 32,
        time=START + 40 * DAY,
        assigned={"cold": 125, "warm": 120, "placebo": 60},
        excluded={
            "cold": {"robots": 4},
            "warm": {"robots": 5, "empty": 1},
            "placebo": {},
        },
        analysed={"cold": 119, "warm": 111, "placebo": 53},
        estimates=ESTIMATES,
        checks=CHECKS,
        evidence=steps("warm", -0.05) + steps("placebo", 0.01, 12),
        strata=(
            StratumEffect(
                "acme/shop, codex", "warm", 40, 42, -0.07, Interval(-0.12, -0.02)
            ),
            StratumEffect(
                "acme/till, claude-code", "warm", 66, 70, -0.04, Interval(-0.08, 0.0)
            ),
        ),
        times=TIMES,
        workers=(
            worker(),
            worker("small-1", (59, 56, 26), agent="claude-code", agent_version=""),
        ),
        repos=(
            RepoCount(repo="acme/till", units=180, families=0),
            RepoCount(repo="acme/shop", units=103, families=0),
        ),
    )
    return replace(found, **changes)


def task(name, family, cold, warm, **changes) -> TaskEntry:
    made = TaskEntry(
        name=name,
        family=family,
        repo="acme/till",
        source="written by the team",
        task_hash="0123456789ab",
        values={"cold": cold, "warm": warm},
    )
    return replace(made, **changes)


def task_study(**changes) -> Analysis:
    """Tasks, each run in both arms."""
    arms = ("cold", "warm")
    plan = replace(
        PLAN, unit="task", design="paired", arms=arms, allocation=(0.5, 0.5), outcomes=("success", "tokens"),
        strata=("task",), exclusions=(), planned=0,
    )  # fmt: skip
    solved = estimate(
        "success", values=(0.75, 0.25), half=0.2, wide=0.6, n=4, n_control=4, clusters=0, pairs=4, discordant=(2, 0),
        method="exact McNemar test, interval of Agresti and Min", holm=None, missing=0,
    )  # fmt: skip
    made = analysis(
        plan=plan, estimates=(solved,), checks=(), evidence=(), strata=(), excluded={arm: {} for arm in arms},
        assigned=dict.fromkeys(arms, 4), analysed=dict.fromkeys(arms, 4),
        workers=(worker(trials=(4, 4, 0), agent="mini-swe", agent_version="2.1.0"),),
        repos=(RepoCount(repo="acme/till", units=4, families=2),),
        told_by_arm=(
            ArmTold(arm="cold", trials=4, told_trials=0, tokens=0.0),
            ArmTold(arm="warm", trials=4, told_trials=3, tokens=231.4),
        ),
        tasks=(
            task("berth-1", "berths", 0.0, 1.0), task("berth-2", "berths", 0.0, 1.0),
            task("pier-1", "piers", 1.0, 1.0), task("pier-2", "piers", 0.0, 0.0, source=""),
        ),
        pair_tables=(
            PairTable(outcome="success", arm="warm", control="cold", both=1, only_arm=2, only_control=0, neither=1,
                      p=0.5, holm=0.5),
        ),
    )  # fmt: skip
    return replace(made, **changes)


def evil(text) -> Analysis:
    """The same with `text` wherever a person or a program could have put it."""
    arms = ("cold", text, "placebo")
    plan = replace(PLAN, name=text, arms=arms, outcomes=(text, "tokens"), hypothesis=text, notes=text,
                   strata=(text,), exclusions=(text,))  # fmt: skip
    made = estimate(text, text, verdict="better", says=text, method=text)
    return analysis(
        plan=plan, plan_hash=text, data_hash=text, estimates=(made, estimate("tokens", text, verdict="worse")),
        assigned={"cold": 5, text: 5}, analysed={"cold": 5, text: 4}, excluded={text: {text: 1}},
        checks=(FairnessCheck(text, False, text, 0.5),), evidence=steps(text, -0.05, 4),
        strata=(StratumEffect(text, text, 4, 5, 0.1, Interval(-0.1, 0.3)),),
        workers=(worker(text, agent=text, agent_version=text), worker(agent=text)),
        repos=(RepoCount(repo=text, units=5, families=1),),
        tasks=(task(text, text, 0.0, 1.0, repo=text, source=text, task_hash=text),),
        pair_tables=(
            PairTable(outcome=text, arm=text, control="cold", both=1, only_arm=2, only_control=0, neither=1, p=0.5,
                      holm=0.5),
        ),
    )  # fmt: skip
