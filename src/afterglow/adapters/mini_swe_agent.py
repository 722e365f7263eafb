"""mini-swe-agent: agents that start warm, by a word of its configuration.

    mini -c mini.yaml -c agent.agent_class=afterglow.adapters.mini_swe_agent.WarmInteractiveAgent

Or in Python: `WarmAgent` takes what `DefaultAgent` takes. Trajectories are as they were; they say which session they
are of, and which line of an output was ours.
"""

from __future__ import annotations

from typing import Any

from minisweagent.agents.default import DefaultAgent
from minisweagent.agents.interactive import InteractiveAgent

from afterglow.adapters.prompts import with_context
from afterglow.api import Afterglow, RunningSession
from afterglow.records.context import BEHIND_OUTPUT

AGENT = "mini-swe-agent"  # as its own trajectories are read


class WarmEnvironment:
    """An environment, with a line behind the output of a command that failed."""

    def __init__(self, environment: Any) -> None:
        self._environment = environment
        self.session: RunningSession | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._environment, name)

    def execute(self, action: dict[str, Any], *words: Any, **options: Any) -> Any:
        outcome = self._environment.execute(action, *words, **options)
        if self.session is None:
            return outcome
        return _with_line(self.session, action, outcome)


def _with_line(
    session: RunningSession, action: dict[str, Any], outcome: dict[str, Any]
) -> dict[str, Any]:
    """The outcome as the model should read it; `extra` goes into the trajectory and keeps what the command printed."""
    printed, code = str(outcome.get("output", "")), outcome.get("returncode")
    result = f"Exit code {code}\n{printed}" if code else printed
    failed = bool(code) or bool(outcome.get("exception_info"))
    command = {"command": action.get("command", "")}
    line = session.result("bash", command, result, failed=failed).removeprefix(result)
    if not line:
        return outcome
    extra = {
        **outcome.get("extra", {}),
        "raw_output": printed,
        "afterglow": line.removeprefix(BEHIND_OUTPUT),
    }
    return {**outcome, "output": f"{printed}{line}", "extra": extra}


class WarmAgent(DefaultAgent):
    """`DefaultAgent`, warm. `afterglow_home` is where what is known lies, if not in your own home; with
    `afterglow_record` off, only trajectories that you scan are learned from."""

    def __init__(
        self,
        model: Any,
        env: Any,
        *,
        afterglow_home: str = "",
        afterglow_record: bool = True,
        **options: Any,
    ) -> None:
        self._environment = WarmEnvironment(env)
        super().__init__(model, self._environment, **options)
        self._afterglow = Afterglow(afterglow_home or None, agent=AGENT)
        self._records = afterglow_record
        self._session: RunningSession | None = None

    def run(self, task: str = "", **variables: Any) -> Any:
        folder = getattr(self.env.config, "cwd", "") or "."
        session = self._afterglow.session(task, cwd=folder)
        self._session = self._environment.session = session
        try:
            return super().run(task, **variables)
        finally:
            if self._records:
                session.record_trajectory(_without_settings(self.serialize()))

    def serialize(self, *parts: Any) -> Any:
        """The trajectory says whose session it is: that proves what was told."""
        session = {"session": self._session.id} if self._session else {}
        return super().serialize({"info": {"afterglow": session}}, *parts)

    def _render_template(self, template: str) -> str:
        """The context stands behind the rendered prompt: its braces are words, not a template's."""
        rendered = str(super()._render_template(template))
        if self._session is None or template != self.config.system_template:
            return rendered
        return str(with_context(rendered, self._session.text))


def _without_settings(trajectory: dict[str, Any]) -> dict[str, Any]:
    """Keys and variables stand in the settings of models and environments; of those, only names are kept."""
    about = trajectory["info"]
    model = about["config"].get("model", {}).get("model_name", "")
    folder = about["config"].get("environment", {}).get("cwd", "")
    config = {"model": {"model_name": model}, "environment": {"cwd": folder}}
    return {**trajectory, "info": {**about, "config": config}}


class WarmInteractiveAgent(WarmAgent, InteractiveAgent):
    """What the program `mini` runs, warm."""
