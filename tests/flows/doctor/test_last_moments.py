"""What doctor and status say of each agent: when it was last told something, and when a hook of it last failed."""

from __future__ import annotations

import time

import pytest

from afterglow.cli.status import status_line
from afterglow.config import Config
from afterglow.flows.doctor import status
from afterglow.flows.doctor.agent_moments import last_moments, moments
from afterglow.flows.harvest import log_of
from afterglow.flows.session import start, start_subagent
from keeping import item, keep

HOUR = 3600.0


@pytest.fixture
def config(tmp_path):
    config = Config(home=tmp_path / "kept", user_home=tmp_path / "home")
    keep(config, item(1))
    return config


def told(config, agent: str, hours: float, **more) -> None:
    """A session that was told something that many hours ago."""
    cwd, now = config.user_home / "harbor", time.time() - hours * HOUR
    begin = start_subagent if more else start
    begin(config, agent=agent, cwd=cwd, session=f"s{hours}", now=now, **more)


def failed(config, detail: str, hours: float, what: str = "hook failed") -> None:
    log_of(config).add(what, detail, now=time.time() - hours * HOUR)


def test_each_agent_has_its_own_moments(config):
    told(config, "claude-code", 5)
    told(config, "claude-code", 2, transcript=None)
    told(config, "codex", 50)
    failed(config, "SessionStart --agent codex: StoreError: locked", 1)
    failed(config, "Stop: ConfigError: broken", 3)
    claude, codex = last_moments(config)
    assert claude.last[0] == "subagent" and set(claude.times) == {"start", "subagent"}
    assert "ConfigError" in claude.failure and "locked" in codex.failure
    line = status_line(status(config))
    assert (
        "claude-code: told 2 h ago as a sub-agent began, a hook failed 3 h ago" in line
    )
    assert "codex: told 2 d ago at the start, a hook failed 1 h ago" in line


def test_a_hook_that_failed_since_needs_attention_and_one_before_does_not(config):
    failed(config, "SessionStart --agent codex: StoreError: locked", 4)
    told(config, "codex", 2)
    failed(config, "PostToolUse --agent claude-code", 1, "no answer in time")
    levels = {
        line.text.partition(":")[0]: line.level
        for line in moments(config, {"codex", "claude-code", "hermes"}, time.time())
    }
    assert levels == {"codex": "note", "claude-code": "attention", "hermes": "note"}


def test_what_is_no_failure_of_a_hook_is_not_told_as_one(config):
    failed(config, "", 1, "harvest failed")
    assert last_moments(config) == []
