"""Arms by form as agents meet them: a session begins with its context, a template, both, or a placebo as long; its
transcript proves it, and its end tells how sessions with that template went."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from afterglow.config import Config, load
from afterglow.experiment.plan import plan_hash
from afterglow.flows.harvest import log_of, waiting
from afterglow.flows.session import handed
from afterglow.flows.warm import list_templates
from afterglow.records.experiment import (
    BOTH,
    COLD,
    CONTEXT,
    PLACEBO,
    TEMPLATE,
    Plan,
)
from afterglow.records.template import SessionSeed, ToolCallExample, WarmTemplate
from afterglow.store.experiments import Experiments
from afterglow.store.ledger import Ledger
from afterglow.store.templates.entries import Record
from afterglow.store.templates.folder import Templates
from afterglow.text.fingerprint import fingerprint
from afterglow.text.tokens import estimate
from hooks.calling import context_of, event, hook
from keeping import DAY, NOW, home_with_rules, item, keep
from writing import Transcript

FORMS = (COLD, CONTEXT, TEMPLATE, BOTH, PLACEBO)
EXAMPLE = ToolCallExample("Bash", '{"command": "go test ./dock"}', "ok", support=7)


@pytest.fixture
def config(tmp_path, compiled_rules):
    home = home_with_rules(tmp_path / "kept", compiled_rules)
    config = Config(home=home, user_home=tmp_path / "home")
    keep(config, item(1), item(2))
    seed = SessionSeed(
        system_context="the dock is built before the pier", tool_examples=(EXAMPLE,) * 3
    )
    template = WarmTemplate(
        id="", name="Piers", seed=seed, repo="otterquay/harbor", approved=True
    )
    Templates(config.templates).add(template, NOW)
    return config


def settings(config: Config, text: str) -> None:
    (config.home / "config.toml").write_text(text)


def planned(config: Config, *arms: str) -> None:
    settings(config, '[experiment]\nname = "forms"\n')
    shares = tuple(1 / len(arms) for _ in arms)
    plan = Plan(
        name="forms", arms=arms, allocation=shares, outcomes=("errors",), created=NOW, salt="pepper",
    )  # fmt: skip
    with Experiments(config.experiments) as experiments:
        experiments.add_plan(plan, plan_hash(plan))


def began(config: Config, session: str, source: str = "startup") -> str:
    told = event("SessionStart", session_id=session, source=source)
    return context_of(hook(config, told, "SessionStart"))


def arms_of(config: Config) -> dict[str, str]:
    with Experiments(config.experiments) as experiments:
        return {one.arm: one.unit for one in experiments.assignments("forms")}


def lived(text: str, session: str, folder: Path) -> Path:
    """A session that ends well and whose transcript, written now, shows what it began with."""
    story = Transcript()
    story.id = session
    hook_says = {"type": "hook_additional_context", "content": [text]}
    story._line(type="attachment", attachment=hook_says)
    story.user("ship the pier").run("go test ./dock", "ok").reply("It is shipped.")
    now = time.time()
    lines = [json.loads(line) for line in story.lines]
    for number, line in enumerate(lines):
        moment = datetime.fromtimestamp(now + number, UTC)
        line["timestamp"] = f"{moment:%Y-%m-%dT%H:%M:%S.000Z}"
    folder.mkdir(parents=True)
    path = folder / f"{session}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def states(config: Config) -> dict[str, str]:
    """Of deliveries, by how the id of their first item begins."""
    with Ledger(config.ledger) as ledger:
        return {one.items[0].item[:5]: one.state for one in ledger.deliveries()}


def test_each_session_begins_in_the_forms_of_its_arm_and_the_same_after_a_compaction(
    config,
):
    planned(config, *FORMS)
    texts = {f"s{number}": began(config, f"s{number}") for number in range(len(FORMS))}
    sessions = arms_of(config)
    assert set(sessions) == set(FORMS)
    (template,) = Templates(config.templates).ids()
    for arm, session in sessions.items():
        text = texts[session]
        assert ("make ship" in text) == (arm in (CONTEXT, BOTH))
        assert ("go test ./dock" in text) == (arm in (TEMPLATE, BOTH))
        deliveries = handed(config, session)
        assert len(deliveries) == {COLD: 0, BOTH: 2}.get(arm, 1)
        assert all(delivery.id in text for delivery in deliveries)
        with_template = [d for d in deliveries if d.items[0].item == template]
        assert len(with_template) == (arm in (TEMPLATE, BOTH))
        assert began(config, session, "compact") == text
    assert texts[sessions[COLD]] == ""
    lengths = {arm: estimate(texts[session]) for arm, session in sessions.items()}
    assert lengths[PLACEBO] == pytest.approx(lengths[BOTH], rel=0.1)
    assert lengths[BOTH] <= 2 * 600 and lengths[TEMPLATE] <= 600
    assert log_of(config).recent() == []


def test_hooks_tell_the_part_or_size_that_an_arm_says_and_the_same_after_a_compaction(
    config,
):
    arms = (COLD, "template:context", "template:examples", "template:100")
    planned(config, *arms)
    texts = {f"s{number}": began(config, f"s{number}") for number in range(len(arms))}
    by_arm = {arm: texts[session] for arm, session in arms_of(config).items()}
    assert by_arm[COLD] == ""
    assert "built before the pier" in by_arm["template:context"]
    assert "go test" not in by_arm["template:context"]
    assert "go test" in by_arm["template:examples"]
    assert "built before" not in by_arm["template:examples"]
    assert 0 < estimate(by_arm["template:100"]) <= 100
    for session, text in texts.items():
        assert began(config, session, "compact") == text
    assert log_of(config).recent() == []


def test_in_a_plan_of_forms_nothing_is_told_on_failure(config):
    planned(config, *FORMS)
    lesson = item(
        3, situation="`lampctl ignite` fails with 'the oil is low'", remedy="`lampctl fill` first, then the same again",
        fingerprints=(fingerprint("lampctl: error: the oil is low"),), first_seen=time.time() - 9 * DAY,
        last_confirmed=time.time() - DAY,
    )  # fmt: skip
    keep(config, lesson)
    for number in range(len(FORMS)):
        began(config, f"s{number}")
        failed = event("PostToolUseFailure", session_id=f"s{number}")
        assert context_of(hook(config, failed, "PostToolUseFailure")) == ""


def test_outside_of_experiments_a_template_is_given_only_where_a_person_says_so(
    config,
):
    assert "go test ./dock" not in began(config, "s1")
    settings(config, "[hooks]\ntemplates = true\n")
    both = began(config, "s2")
    assert "make ship" in both and "go test ./dock" in both
    settings(config, "[hooks]\ntemplates = true\ntemplate_budget = 0\n")
    assert "go test ./dock" not in began(config, "s3")
    settings(config, "[hooks]\ntemplates = true\n")
    elsewhere = event("SessionStart", session_id="s4", cwd="/home/ana/src/lighthouse")
    assert "go test ./dock" not in context_of(hook(config, elsewhere, "SessionStart"))


def test_the_end_of_a_session_tells_how_its_template_did_without_a_further_command(
    config, tmp_path, monkeypatch
):
    settings(config, "[hooks]\ntemplates = true\n")
    session = Transcript(7).id
    text = began(config, session)
    path = lived(text, session, tmp_path / "s")
    ended = event("SessionEnd", session_id=session, transcript_path=str(path))
    assert context_of(hook(config, ended, "SessionEnd")) == ""
    while waiting(config) or set(states(config).values()) != {"delivered"}:
        assert log_of(config).recent() == []
    assert states(config).keys() == {"k0000", "warm_"}
    monkeypatch.setenv("AFTERGLOW_HOME", str(config.home))
    (listed,) = list_templates(load()).templates
    assert listed.record == Record(uses=1, proved=1, successes=1, guessed=1)
