"""A person's word about a template: about exactly what they read, and it holds."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import Conflict, UsageError
from afterglow.flows import warm
from afterglow.records.template import SessionSeed, ToolCallExample, WarmTemplate
from afterglow.store.templates.folder import Templates

NOW = 1_790_000_000.0


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


def seed(command: str) -> SessionSeed:
    example = ToolCallExample("Bash", f'{{"command": "{command}"}}', "ok\nfine")
    return SessionSeed(system_context="Ship with care.", tool_examples=(example,))


@pytest.fixture
def template(config) -> WarmTemplate:
    new = WarmTemplate(id="", name="Ship", seed=seed("make ship"))
    return Templates(config.templates).add(new, NOW)


def next_version(config, template: WarmTemplate, command: str) -> WarmTemplate:
    waiting = replace(template, seed=seed(command), approved=False)
    return Templates(config.templates).save(waiting, NOW + 5)


def test_a_rejected_version_is_not_given_and_the_approved_one_goes_on(config, template):
    (approved,) = warm.approve(config, [template.id])
    newer = next_version(config, approved, "make ship FAST=1")
    (rejected,) = warm.reject(config, [newer.id], now=NOW)
    assert rejected.rejected and "2026" in rejected.notes["rejected"]
    assert warm.approved_template(config, newer.id).version == 1
    (listed,) = warm.list_templates(config).templates
    assert listed.template.rejected
    (again,) = warm.approve(config, [newer.id])
    assert again.approved and again.notes == {}


def test_an_approved_one_can_be_rejected_later(config, template):
    warm.approve(config, [template.id])
    warm.reject(config, [template.id])
    with pytest.raises(UsageError, match="not approved"):
        warm.approved_template(config, template.id)


def test_a_new_version_waits_anew(config, template):
    (rejected,) = warm.reject(config, [template.id])
    newer = next_version(config, replace(rejected, notes={}), "make dock")
    assert not newer.rejected and not newer.approved


def test_what_changed_since_it_was_read_is_not_decided(config, template):
    expected = {template.id: warm.template_mark(config, template.id)}
    next_version(config, template, "make ship FAST=1")
    for decide in (warm.approve, warm.reject, warm.delete):
        with pytest.raises(Conflict, match="since you looked"):
            decide(config, [template.id], expected=expected)
    expected = {template.id: warm.template_mark(config, template.id)}
    (approved,) = warm.approve(config, [template.id], expected=expected)
    assert approved.version == 2


def test_two_versions_are_compared_in_words(config, template):
    with pytest.raises(UsageError, match="no version before 1"):
        warm.version_before(config, template.id)
    (approved,) = warm.approve(config, [template.id])
    second = next_version(config, approved, "make dock")
    third = next_version(config, second, "make pier")
    older = warm.version_before(config, third.id)
    assert older.version == 1  # what was approved, not merely what was before
    lines = warm.difference(config, older, warm.TemplateVersion(third.id)).splitlines()
    assert '-Bash {"command": "make ship"}' in lines
    assert '+Bash {"command": "make pier"}' in lines
    assert "     fine" in lines
    same = warm.TemplateVersion(third.id, 3)
    assert warm.difference(config, same, same) == ""


def test_two_templates_are_compared_in_words(config, template):
    other = Templates(config.templates).add(
        WarmTemplate(id="", name="Dock", seed=seed("make dock")), NOW + 9
    )
    changes = warm.difference(
        config, warm.TemplateVersion(template.id), warm.TemplateVersion(other.id)
    )
    assert "-Ship" in changes and "+Dock" in changes
