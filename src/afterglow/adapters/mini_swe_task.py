"""A task for mini-swe-agent, alone in a folder: what `afterglow experiment run --agent mini-swe` starts.

    python -m afterglow.adapters.mini_swe_task --base-url http://127.0.0.1:8000/v1 --model NAME REQUEST

Any OpenAI-compatible endpoint will do; its key is read from AFTERGLOW_TASK_KEY. The trajectory is recorded in the home of
the run.
"""

from __future__ import annotations

import sys
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
from minisweagent.environments.local import LocalEnvironment
from minisweagent.models.utils.actions_text import (
    format_observation_messages,
    parse_regex_actions,
)

from afterglow.adapters.mini_swe_agent import WarmAgent
from afterglow.records.task_run import NO_ANSWER

KEY = "AFTERGLOW_TASK_KEY"
STEPS = 40  # of a run, unless said: a task of a study is done by then, or not at all
SECONDS = 300.0  # for one answer: a model on this machine may be slow
TRIES = 3  # a study of hours does not lose a run because a server was busy once
BLOCK = r"```(?:bash|sh)?\s*\n(.*?)\n```"
SYSTEM = "You work alone in a shell. Answer with one command in a ```bash block."
REQUEST = "{{task}}\n\nWhen it is done, run: echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
MALFORMED = "Answer with exactly one command in a ```bash block."
OBSERVED = "<returncode>{{output.returncode}}</returncode>\n<output>\n{{output.output}}</output>"
ROLES = ("system", "user", "assistant")


class EndpointModel:
    """A model behind an OpenAI-compatible endpoint, as mini-swe-agent asks one."""

    def __init__(self, url: str, name: str, key: str = "") -> None:
        self._address = f"{url.rstrip('/')}/chat/completions"
        self._name, self._key = name, key

    def query(self, messages: list[dict[str, Any]], **_: Any) -> dict[str, Any]:
        answer = self._asked(messages)
        text = str(answer["choices"][0]["message"]["content"] or "")
        actions = parse_regex_actions(
            text, action_regex=BLOCK, format_error_template=MALFORMED
        )
        extra = {
            "actions": actions,
            "cost": 0.0,
            "timestamp": time.time(),
            "response": {"usage": answer.get("usage") or {}},
        }
        return {"role": "assistant", "content": text, "extra": extra}

    def _asked(self, messages: Sequence[dict[str, Any]]) -> dict[str, Any]:
        sent = [
            {"role": message["role"], "content": message["content"]}
            for message in messages
            if message["role"] in ROLES
        ]
        body = {"model": self._name, "messages": sent}
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(
            self._address, msgspec.json.encode(body), headers
        )
        reason: OSError | None = None
        for _ in range(TRIES):
            try:
                with urllib.request.urlopen(request, timeout=SECONDS) as reply:
                    return msgspec.json.decode(reply.read(), type=dict[str, Any])
            except OSError as error:
                reason = error
        sys.stderr.write(f"the model does not answer: {reason}\n")
        raise SystemExit(NO_ANSWER)  # no failure of the agent: the run is made again

    def format_message(self, **message: Any) -> dict[str, Any]:
        return message

    def format_observation_messages(
        self,
        message: dict[str, Any],
        outputs: list[dict[str, Any]],
        template_vars: dict[str, Any] | None = None,
    ) -> Any:
        return format_observation_messages(
            outputs, observation_template=OBSERVED, template_vars=template_vars
        )

    def get_template_vars(self, **_: Any) -> dict[str, Any]:
        return {}

    def serialize(self) -> dict[str, Any]:
        """The name alone: the key is nobody's to read."""
        return {"info": {"config": {"model": {"model_name": self._name}}}}


@click.command()
@click.option("--base-url", required=True)
@click.option("--model", required=True)
@click.option("--key", envvar=KEY, default="", hidden=True)
@click.option("--calls", type=click.IntRange(1), default=STEPS, show_default=True)
@click.argument("request_text")
def main(base_url: str, model: str, key: str, calls: int, request_text: str) -> None:
    """Work on a request in the present folder."""
    environment = LocalEnvironment(cwd=str(Path.cwd()))
    agent = WarmAgent(
        EndpointModel(base_url, model, key),
        environment,
        system_template=SYSTEM,
        instance_template=REQUEST,
        step_limit=calls,
        cost_limit=0.0,
    )
    agent.run(request_text)


if __name__ == "__main__":
    main()
