"""Arms that take a template apart: one part of it alone, or all of it in fewer tokens; and a placebo beside them."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.experiment.plan import plan_hash
from afterglow.flows.session import Start, beginning_again, handed, start
from afterglow.flows.warm import list_templates
from afterglow.measure.proofs import find_proof
from afterglow.records.experiment import BOTH, COLD, PLACEBO, TEMPLATE, Plan
from afterglow.records.session import Session, Turn
from afterglow.records.settings import Hooks
from afterglow.records.template import (
    PARTS,
    ContextMarkers,
    RecoveryPattern,
    SessionSeed,
    ToolCallExample,
    UserPatterns,
    WarmTemplate,
)
from afterglow.store.experiments import Experiments
from afterglow.store.templates.folder import Templates
from afterglow.text.tokens import estimate
from keeping import NOW, item, keep

# What only this part of the template says.
WORDS = {
    "context": ("the dock is built before the pier",),
    "examples": ("go test ./dock/7",),
    "patterns": ("go generate ./moor", "commit in small steps", "never touch the keel"),
    "markers": ("dock/bollard.go",),
}
CALLS = tuple(
    ToolCallExample("Bash", f'{{"command": "go test ./dock/{number}"}}', "ok")
    for number in range(20)
)
SEED = SessionSeed(
    system_context="the dock is built before the pier\nmoorings are numbered from the lighthouse",
    tool_examples=CALLS,
    recovery_patterns=(
        RecoveryPattern("undefined: Moor", "go generate ./moor", "Bash"),
    ),
    user_patterns=UserPatterns(
        conventions=("commit in small steps",), corrections=("never touch the keel",)
    ),
    context_markers=ContextMarkers(files=("dock/bollard.go",)),
)
PART_ARMS = {f"template:{part}": words for part, words in WORDS.items()}


@pytest.fixture
def config(tmp_path) -> Config:
    config = Config(
        home=tmp_path / "kept", user_home=tmp_path / "home", experiment="parts"
    )
    keep(config, item(1), item(2))
    piers = WarmTemplate(id="", name="Piers", seed=SEED, repo="harbor", approved=True)
    Templates(config.templates).add(piers, NOW)
    return config


def begun_by_arm(config: Config, tmp_path, *arms: str) -> dict[str, Start]:
    """A session in each arm, in a home made for it, as `experiment run` makes them."""
    plan = Plan(
        name="parts", arms=arms, allocation=tuple(1 / len(arms) for _ in arms), outcomes=("errors",), created=NOW,
        salt="pepper",
    )  # fmt: skip
    with Experiments(config.experiments) as experiments:
        experiments.add_plan(plan, plan_hash(plan))
    begun = {}
    for arm in arms:
        begun[arm] = start(
            replace(config, arm=arm), agent="claude-code", cwd=tmp_path / "harbor", session=arm, now=NOW
        )  # fmt: skip
    return begun


def test_every_part_has_an_arm_and_is_told_alone(config, tmp_path):
    assert PARTS.keys() == WORDS.keys()
    begun = begun_by_arm(config, tmp_path, COLD, *PART_ARMS, TEMPLATE, BOTH, PLACEBO)
    for arm, words in PART_ARMS.items():
        text = begun[arm].text
        assert all(word in text for word in words)
        foreign = [w for other in PART_ARMS if other != arm for w in PART_ARMS[other]]
        assert not [word for word in foreign if word in text]
        assert "make ship" not in text
    everything = [word for words in WORDS.values() for word in words]
    for arm in (TEMPLATE, BOTH):
        assert all(word in begun[arm].text for word in everything)
        assert not any(word in begun[PLACEBO].text for word in everything)
    assert begun[COLD].text == ""


def test_a_size_holds_whatever_the_settings_say_and_is_used(config, tmp_path):
    sizes = (100, 150, 300, 450)
    small = replace(config, hooks=Hooks(template_budget=100))
    begun = begun_by_arm(small, tmp_path, COLD, *(f"template:{size}" for size in sizes))
    lengths = [estimate(begun[f"template:{size}"].text) for size in sizes]
    assert all(0 < length <= size for length, size in zip(lengths, sizes, strict=True))
    assert lengths == sorted(set(lengths)) and lengths[-1] > 300


def test_where_templates_are_off_no_part_or_size_of_them_is_told(config, tmp_path):
    never = replace(config, hooks=Hooks(template_budget=0))
    begun = begun_by_arm(never, tmp_path, COLD, "template:examples", "template:150")
    assert {start.text for start in begun.values()} == {""}


def test_a_part_that_the_template_lacks_is_told_nothing_and_says_so(config, tmp_path):
    folder = Templates(config.templates)
    (id,) = folder.ids()
    bare = replace(SEED, context_markers=ContextMarkers())
    folder.amend(replace(folder.get(id), seed=bare, approved=True))
    begun = begun_by_arm(config, tmp_path, COLD, "template:markers")
    assert begun["template:markers"].text == ""
    assert begun["template:markers"].reason == "nothing of the template fits"


def test_a_placebo_is_as_long_as_the_longest_part(config, tmp_path):
    begun = begun_by_arm(config, tmp_path, COLD, *PART_ARMS, PLACEBO)
    longest = max(estimate(begun[arm].text) for arm in PART_ARMS)
    assert estimate(begun[PLACEBO].text) == pytest.approx(longest, rel=0.1)


@pytest.mark.parametrize("arm", [*PART_ARMS, "template:150"])
def test_after_a_compaction_the_same_is_told_again_also_when_the_study_is_over(
    config, tmp_path, arm
):
    begun = begun_by_arm(config, tmp_path, COLD, arm)
    over = replace(config, experiment="", arm="")
    assert beginning_again(over, arm, NOW).text == begun[arm].text != ""


def test_a_transcript_proves_a_part_and_what_a_part_did_counts_for_no_template(
    config, tmp_path
):
    begun = begun_by_arm(config, tmp_path, COLD, "template:examples", "template:150")
    for arm in ("template:examples", "template:150"):
        (delivery,) = handed(config, arm, NOW)
        turn = Turn(line=1, role="user", text=begun[arm].text)
        session = Session(
            id=arm, agent="claude-code", format="x", source="x", turns=(turn,)
        )
        assert find_proof(session, [delivery]).keys() == {delivery.id}
    (listed,) = list_templates(config).templates
    assert listed.record.uses == 1  # of the one told whole, if short
