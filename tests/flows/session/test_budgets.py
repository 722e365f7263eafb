"""Whatever is known and whatever the settings allow: no session is told more than its budget, in any arm, not by a token."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from afterglow.config import Config
from afterglow.experiment.moments import is_by_form
from afterglow.experiment.plan import plan_hash
from afterglow.flows.session import Start, start, start_subagent
from afterglow.flows.session.start_session import MAX_SUBAGENT_TOKENS
from afterglow.records.experiment import Plan
from afterglow.records.settings import Hooks
from afterglow.records.template import SessionSeed, ToolCallExample, WarmTemplate
from afterglow.store.experiments import Experiments
from afterglow.store.templates.folder import Templates
from afterglow.text.tokens import estimate
from keeping import NOW, item, keep

WORDS = "pier dock `make seed` go.mod → /srv/tide 0x1F über 港 build--all naïve".split()
BY_MOMENT = ("cold", "start", "failure", "both", "placebo")
BY_FORM = ("cold", "context", "template", "both", "placebo", "template:150", "template:examples")  # fmt: skip


def words(random: Random, most: int) -> str:
    return " ".join(random.choices(WORDS, k=random.randint(1, most)))


def known(tmp_path: Path, random: Random, arms: tuple[str, ...]) -> Config:
    hooks = Hooks(
        budget=random.randint(60, 700), template_budget=random.randint(60, 700)
    )
    config = Config(home=tmp_path / "kept", user_home=tmp_path / "home", experiment="forms", hooks=hooks)  # fmt: skip
    items = [
        item(n, miner=f"miner {n}", domain=f"domain {n}", situation=words(random, 25), remedy=words(random, 25))
        for n in range(1, random.randint(2, 20))
    ]  # fmt: skip
    keep(config, *items)
    calls = tuple(
        ToolCallExample("Bash", f'{{"command": "go test ./dock/{n} {words(random, 9)}"}}', words(random, 20))
        for n in range(random.randint(1, 12))
    )  # fmt: skip
    seed = SessionSeed(words(random, 80), calls)
    made = WarmTemplate(id="", name="Piers", seed=seed, repo="harbor", approved=True)
    Templates(config.templates).add(made, NOW)
    plan = Plan(
        name="forms", arms=arms, allocation=(1 / len(arms),) * len(arms), outcomes=("errors",), created=NOW,
        salt="pepper", strata=(),
    )  # fmt: skip
    with Experiments(config.experiments) as experiments:
        experiments.add_plan(plan, plan_hash(plan))
    return config


def most(config: Config, arms: tuple[str, ...], arm: str) -> int:
    """The tokens an arm may be told as it begins; a placebo has the room of the longest beside it."""
    whole = config.hooks.budget + config.hooks.template_budget
    if not is_by_form(arms):
        return config.hooks.budget
    rooms = {
        "context": config.hooks.budget,
        "template": config.hooks.template_budget,
        "template:examples": config.hooks.template_budget,
        "template:150": 150,
    }
    return rooms.get(arm, whole)


def check(begun: Start, room: int) -> None:
    length = estimate(begun.text) if begun.text else 0
    assert length <= begun.tokens <= room, (begun.arm, length, begun.tokens, room)


@pytest.mark.parametrize("arms", [BY_MOMENT, BY_FORM], ids=["moments", "forms"])
@pytest.mark.parametrize("seed", range(3))
def test_no_arm_is_told_more_than_its_budget(tmp_path, seed, arms):
    config = known(tmp_path, Random(seed), arms)
    arms_seen: set[str] = set()
    for number in range(4 * len(arms)):
        begun = start(
            config, agent="claude-code", cwd=tmp_path / "harbor", session=f"s{number}", now=NOW
        )  # fmt: skip
        check(begun, most(config, arms, begun.arm))
        arms_seen.add(begun.arm)
    assert arms_seen == set(arms)


@pytest.mark.parametrize("seed", range(3))
def test_a_sub_agent_is_told_no_more_than_it_may(tmp_path, seed):
    config = known(tmp_path, Random(seed), BY_MOMENT)
    for number in range(8):
        start(config, agent="claude-code", cwd=tmp_path / "harbor", session=f"s{number}", now=NOW)  # fmt: skip
        begun = start_subagent(
            config, agent="claude-code", cwd=tmp_path / "harbor", session=f"s{number}", now=NOW
        )  # fmt: skip
        check(begun, min(config.hooks.budget, MAX_SUBAGENT_TOKENS))
