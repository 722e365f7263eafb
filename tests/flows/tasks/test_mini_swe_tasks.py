"""mini-swe-agent runs tasks against an OpenAI-compatible endpoint that follows a script."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from afterglow.config import Config
from afterglow.flows import experiment
from afterglow.flows.tasks import Endpoint, run_tasks
from harbour_home import REMEDY, learned_home

pytest.importorskip("minisweagent")
pytestmark = pytest.mark.slow
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


class FollowingModel:
    """Builds; where something it read says so, does that first."""

    def __init__(self) -> None:
        self.url = ""
        self.keys: set[str] = set()

    def answer(self, messages: list[dict[str, str]]) -> str:
        read = " ".join(message["content"] for message in messages)
        steps = sum(message["role"] == "assistant" for message in messages)
        commands = ["./build-pier", f"{REMEDY} && ./build-pier", SUBMIT]
        if REMEDY not in read:
            commands = ["./build-pier", SUBMIT]
        command = commands[min(steps, len(commands) - 1)]
        return f"Next.\n```bash\n{command}\n```"


@contextmanager
def serving(model: FollowingModel) -> Iterator[FollowingModel]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            return

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            model.keys.add(self.headers["Authorization"])
            message = {"role": "assistant", "content": model.answer(body["messages"])}
            usage = {"prompt_tokens": 50, "completion_tokens": 5, "total_tokens": 55}
            text = json.dumps({"choices": [{"message": message}], "usage": usage})
            self.send_response(200)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    model.url = f"http://127.0.0.1:{http.server_port}/v1"
    thread = Thread(target=http.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield model
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


PROGRAMS = {
    "build-pier": "test -e locked && touch pier && exit 0; echo 'error: pier-lock.json is out of date'; exit 1",
    "lock-piers": "touch locked",
}


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="no bubblewrap here")
def test_a_task_is_done_where_its_arm_was_told(tmp_path: Path):
    ag, _ = learned_home(tmp_path, "mini-swe-agent")
    config = Config(home=ag.home, user_home=tmp_path / "user")
    experiment.new(
        config,
        "study",
        arms=("cold", "start", "failure"),
        unit="task",
        design="paired",
        outcomes=("success", "errors", "calls"),
    )
    task = tmp_path / "tasks/pier"
    (task / "project").mkdir(parents=True)
    for name, body in PROGRAMS.items():
        (task / "project" / name).write_text(f"#!/bin/sh\n{body}\n")
        (task / "project" / name).chmod(0o755)
    (task / "request.md").write_text("Build the pier.")
    (task / "check.sh").write_text("test -e pier\n")
    (task / "task.toml").write_text('repo = "harbour"\n')
    with serving(FollowingModel()) as model:
        endpoint = Endpoint(model.url, "scripted", "invented-key")
        report = run_tasks(
            config,
            "study",
            tmp_path / "tasks",
            agent="mini-swe",
            path="/usr/bin:/bin",
            endpoint=endpoint,
            keep_rooms=True,
        )
    by_arm = {run.arm: run for run in report.runs}
    assert [run.trouble for run in report.runs] == [""] * 3
    assert not by_arm["cold"].success
    assert by_arm["start"].success and by_arm["failure"].success
    assert by_arm["cold"].outcomes["errors"] == 1.0
    assert model.keys == {"Bearer invented-key"}
    files = [path for path in config.home.rglob("*") if path.is_file()]
    assert not any(b"invented-key" in path.read_bytes() for path in files)
