"""What a session begins with by the form of its arm: a context, a template, both; and a placebo as long as the longest."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.experiment.plan import plan_hash
from afterglow.flows.session import Start, beginning_again, handed, start
from afterglow.flows.session.permission import permission
from afterglow.records.experiment import BOTH, COLD, CONTEXT, PLACEBO, TEMPLATE, Plan
from afterglow.records.settings import Hooks
from afterglow.records.template import SessionSeed, ToolCallExample, WarmTemplate
from afterglow.store.experiments import Experiments
from afterglow.store.templates.folder import Templates
from afterglow.text.tokens import estimate
from keeping import NOW, item, keep

FORMS = (COLD, CONTEXT, TEMPLATE, BOTH, PLACEBO)
CALLS = tuple(
    ToolCallExample("Bash", f'{{"command": "go test ./dock/{number}"}}', "ok")
    for number in range(8)
)


@pytest.fixture
def config(tmp_path):
    config = Config(
        home=tmp_path / "kept", user_home=tmp_path / "home", experiment="forms"
    )
    keep(
        config,
        *(item(n, miner=f"miner {n}", domain=f"domain {n}") for n in range(1, 6)),
    )
    return config


def template(config: Config, **fields) -> WarmTemplate:
    standard = {
        "id": "",
        "name": "Piers",
        "seed": SessionSeed(tool_examples=CALLS),
        "repo": "harbor",
        "approved": True,
    }
    return Templates(config.templates).add(WarmTemplate(**{**standard, **fields}), NOW)


def planned(config: Config, *arms: str, **fields) -> None:
    shares = tuple(1 / len(arms) for _ in arms)
    plan = Plan(
        name="forms", arms=arms, allocation=shares, outcomes=("errors",), created=NOW, salt="pepper", strata=(),
        **fields,
    )  # fmt: skip
    with Experiments(config.experiments) as experiments:
        experiments.add_plan(plan, plan_hash(plan))


def begin(config: Config, tmp_path, session: str = "s1", **options) -> Start:
    place = {"agent": "claude-code", "cwd": tmp_path / "harbor"}
    return start(config, session=session, now=NOW, **place, **options)


def sessions(config: Config, tmp_path, prefix: str = "s") -> Iterator[Start]:
    for number in range(len(FORMS)):
        yield begin(config, tmp_path, f"{prefix}{number}")


def test_a_placebo_is_as_long_as_the_longest_of_the_arms_beside_it(config, tmp_path):
    lines = "\n".join(f"pier {number} stands on rock" for number in range(8))
    template(config, seed=SessionSeed(lines, CALLS))
    planned(config, CONTEXT, TEMPLATE, PLACEBO)
    by_arm = {begun.arm: begun for begun in sessions(config, tmp_path)}
    lengths = {arm: estimate(begun.text) for arm, begun in by_arm.items()}
    assert lengths[CONTEXT] < 0.8 * lengths[TEMPLATE]
    assert lengths[PLACEBO] == pytest.approx(lengths[TEMPLATE], rel=0.1)
    assert "go test" not in by_arm[PLACEBO].text


def test_a_placebo_stands_in_for_a_template_alone(config, tmp_path):
    template(config)
    planned(config, TEMPLATE, PLACEBO)
    by_arm = {begun.arm: begun for begun in sessions(config, tmp_path)}
    lengths = {arm: estimate(begun.text) for arm, begun in by_arm.items()}
    assert lengths[PLACEBO] == pytest.approx(lengths[TEMPLATE], rel=0.1)
    assert by_arm[PLACEBO].id in by_arm[PLACEBO].text


def test_where_no_template_fits_its_arm_is_told_nothing_and_both_the_context(
    config, tmp_path
):
    template(config, repo="meadow")
    template(config, approved=False)
    planned(config, *FORMS)
    by_arm = {begun.arm: begun for begun in sessions(config, tmp_path)}
    silent = by_arm[TEMPLATE]
    assert (silent.text, silent.items) == ("", ()) and "no template" in silent.reason
    assert by_arm[BOTH].text and "make ship" in by_arm[BOTH].text


def test_a_template_is_chosen_by_the_words_of_the_task_where_they_are_known(
    config, tmp_path
):
    piers = template(config)
    tides = template(config, name="Tide tables and moon phases")
    on = replace(config, experiment="", hooks=Hooks(templates=True))
    begun = begin(on, tmp_path, task="mend the tide tables for all moon phases")
    assert tides.id in begun.items and piers.id not in begun.items


def test_a_template_keeps_to_the_room_that_is_left(config, tmp_path):
    template(config)
    on = replace(config, experiment="", hooks=Hooks(templates=True))
    whole = begin(on, tmp_path, "s1")
    less = begin(on, tmp_path, "s2", characters=len(whole.text) - 100)
    assert "Calls that worked" in less.text and len(less.text) < len(whole.text) - 100
    none = begin(on, tmp_path, "s3", characters=len(whole.text) // 2)
    assert "Calls that worked" not in none.text and "make ship" in none.text
    by_item = {one.items[0].item[:1]: one for one in handed(on, "s2", NOW)}
    assert by_item["w"].tokens <= by_item["w"].budget < 600 == by_item["k"].budget


def test_after_a_compaction_a_template_that_is_not_approved_any_more_does_not_come(
    config, tmp_path
):
    made = template(config)
    on = replace(config, experiment="", hooks=Hooks(templates=True))
    whole = begin(on, tmp_path)
    assert beginning_again(on, "s1", NOW).text == whole.text
    folder = Templates(config.templates)
    folder.amend(replace(made, approved=False))
    assert "Calls that worked" not in beginning_again(on, "s1", NOW).text
    folder.delete(made.id)
    assert "make ship" in beginning_again(on, "s1", NOW).text


def test_a_template_that_only_other_arms_taught_is_kept_away_if_the_plan_says_so(
    config, tmp_path
):
    planned(config, TEMPLATE, COLD, separate=True)
    arms: dict[str, str] = {}
    for number in range(8):
        arms[f"old{number}"] = begin(config, tmp_path, f"old{number}").arm
    cold = tuple(session for session, arm in arms.items() if arm == COLD)
    made = template(config, source_sessions=cold)
    begun = [begin(config, tmp_path, f"new{number}") for number in range(8)]
    assert not any(start.text for start in begun)
    Templates(config.templates).amend(replace(made, source_sessions=tuple(arms)))
    later = [begin(config, tmp_path, f"later{number}") for number in range(8)]
    assert {start.arm for start in later if start.text} == {TEMPLATE}


def test_a_sub_agent_of_a_template_arm_is_told_nothing(config, tmp_path):
    template(config)
    planned(config, *FORMS)
    for number, begun in enumerate(sessions(config, tmp_path)):
        allowed = permission(config, session=f"s{number}", when="subagent")
        is_silent = begun.arm in (COLD, TEMPLATE)
        assert (allowed.tells == "nothing") == is_silent
