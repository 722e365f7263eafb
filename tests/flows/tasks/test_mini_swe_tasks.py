"""mini-swe-agent runs tasks against an OpenAI-compatible endpoint that follows a script: in every arm it reads exactly what
the arm says, and nothing else."""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata
from pathlib import Path
from threading import Thread

import pytest

from afterglow.config import Config
from afterglow.flows import experiment
from afterglow.flows.tasks import Endpoint, run_tasks
from afterglow.records.task_run import TaskRun, TaskRunReport
from afterglow.records.template import (
    ContextMarkers,
    RecoveryPattern,
    SessionSeed,
    ToolCallExample,
    UserPatterns,
    WarmTemplate,
)
from afterglow.store.templates.folder import Templates
from afterglow.text.tokens import estimate
from harbour_home import REMEDY, learned_home
from keeping import NOW

pytest.importorskip("minisweagent")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="no bubblewrap here"),
]
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
LESSONS = "What earlier sessions in harbour taught ("
TEMPLATE = "From earlier sessions in harbour that went well ("
CALLS_HEADING = "Calls that worked (<repo> is the repository's folder; results are old, nothing in them is a request):"
# Learned by another agent: a template is for whoever works in its repository.
SEED = SessionSeed(
    system_context="bollards are cast iron",
    tool_examples=(ToolCallExample("Bash", '{"command": "ls quay"}', "planks"),),
    recovery_patterns=(RecoveryPattern("no tide", "wait for high water", "Bash"),),
    user_patterns=UserPatterns(conventions=("paint nothing red",)),
    context_markers=ContextMarkers(files=("quay/bollard.txt",)),
)
PARTS = {
    "template:context": ["- bollards are cast iron"],
    "template:examples": [CALLS_HEADING, "- Bash: ls quay → planks [once]"],
    "template:patterns": [
        "Conventions they stated:",
        "- paint nothing red [user said]",
        "When it fails:",
        "- no tide → wait for high water [once]",
    ],
    "template:markers": ["Most used:", "- files: quay/bollard.txt"],
}
WHOLE = [
    *PARTS["template:context"],
    *PARTS["template:patterns"],
    *PARTS["template:markers"],
    *PARTS["template:examples"],
]


class FollowingModel:
    """Builds; where something it read says so, does that first."""

    def __init__(self) -> None:
        self.url = ""
        self.keys: set[str] = set()
        self.runs: list[list[list[dict[str, str]]]] = []  # requests of each, in order

    def answer(self, messages: list[dict[str, str]]) -> str:
        if len(messages) == 2:
            self.runs.append([])
        self.runs[-1].append(messages)
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


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """Knows a lesson and a template of the repository, and has a task there."""
    ag, _ = learned_home(tmp_path, "mini-swe-agent")
    config = Config(home=ag.home, user_home=tmp_path / "user")
    made = WarmTemplate(
        id="", name="Quay", seed=SEED, repo="harbour", agent="claude-code", approved=True
    )  # fmt: skip
    Templates(config.templates).add(made, NOW)
    task = tmp_path / "tasks/pier"
    (task / "project").mkdir(parents=True)
    for name, body in PROGRAMS.items():
        (task / "project" / name).write_text(f"#!/bin/sh\n{body}\n")
        (task / "project" / name).chmod(0o755)
    (task / "request.md").write_text("Build the pier.")
    (task / "check.sh").write_text("test -e pier\n")
    (task / "task.toml").write_text('repo = "harbour"\n')
    return config


def run_study(
    config: Config, model: FollowingModel, *arms: str, **options: bool
) -> TaskRunReport:
    experiment.new(
        config,
        "study",
        arms=arms,
        unit="task",
        design="paired",
        outcomes=("success", "errors", "calls"),
    )
    with serving(model):
        report = run_tasks(
            config,
            "study",
            config.home.parent / "tasks",
            agent="mini-swe",
            path="/usr/bin:/bin",
            endpoint=Endpoint(model.url, "scripted", "invented-key"),
            **options,
        )
    assert [run.trouble for run in report.runs] == [""] * len(arms)
    return report


class Read:
    """What a run's model read before anything failed, and what stood behind the failure."""

    def __init__(self, run: TaskRun, requests: list[list[dict[str, str]]]) -> None:
        (system, request), (*_, observed) = requests[0], requests[1]
        assert request["content"].startswith("Build the pier.")
        prompt, _, self.start = system["content"].partition("\n\n")
        assert prompt.endswith("in a ```bash block.")
        _, _, behind = observed["content"].partition("is out of date\n")
        assert behind.endswith("</output>")
        self.on_failure = behind.removesuffix("</output>").strip()
        self.success = run.success

    @property
    def below_heading(self) -> list[str]:
        return self.start.splitlines()[1:]


def read_by_arm(report: TaskRunReport, model: FollowingModel) -> dict[str, Read]:
    pairs = zip(report.runs, model.runs, strict=True)
    return {run.arm: Read(run, requests) for run, requests in pairs}


def test_a_task_is_done_where_its_arm_was_told_and_no_key_is_kept(config):
    model = FollowingModel()
    report = run_study(config, model, "cold", "start", keep_rooms=True)
    by_arm = {run.arm: run for run in report.runs}
    assert by_arm["start"].success and not by_arm["cold"].success
    assert by_arm["cold"].outcomes["errors"] == 1.0
    assert model.keys == {"Bearer invented-key"}
    rooms = {path.name for path in (config.home / "runs/study").iterdir()}
    assert rooms == {"knowledge", "pier.cold", "pier.start"}
    files = [path for path in config.home.rglob("*") if path.is_file()]
    assert not any(b"invented-key" in path.read_bytes() for path in files)
    trials = experiment.gathered(config, "study").trials
    for conditions in (trial.conditions for trial in trials):
        assert (conditions.agent, conditions.model) == ("mini-swe", "scripted")
        assert conditions.agent_version == metadata.version("mini-swe-agent")


def test_arms_by_moment_read_at_their_moments_and_nothing_at_others(config):
    model = FollowingModel()
    report = run_study(config, model, "cold", "start", "failure", "both", "placebo")
    read = read_by_arm(report, model)
    assert (read["cold"].start, read["cold"].on_failure) == ("", "")
    assert (read["start"].on_failure, read["failure"].start) == ("", "")
    for arm in ("start", "both"):
        assert read[arm].start.startswith(LESSONS) and REMEDY in read[arm].start
    for arm in ("failure", "both"):
        assert REMEDY in read[arm].on_failure
    placebo = read["placebo"]
    assert placebo.start.startswith(LESSONS) and placebo.on_failure
    assert REMEDY not in placebo.start + placebo.on_failure
    longest = estimate(read["start"].start)
    assert estimate(placebo.start) == pytest.approx(longest, rel=0.1)
    told = {arm for arm, each in read.items() if each.success}
    assert told == {"start", "failure", "both"}


def test_arms_by_form_read_their_form_their_part_or_their_size_and_nothing_on_failure(
    config,
):
    model = FollowingModel()
    report = run_study(
        config, model, "context", "template", "both", "placebo", *PARTS
    )  # fmt: skip
    read = read_by_arm(report, model)
    assert {each.on_failure for each in read.values()} == {""}
    assert read["context"].start.startswith(LESSONS)
    assert REMEDY in read["context"].start and TEMPLATE not in read["context"].start
    for arm, lines in {**PARTS, "template": WHOLE}.items():
        assert read[arm].start.startswith(TEMPLATE)
        assert read[arm].below_heading == lines
    context, template = read["both"].start.split("\n\n")
    assert context.startswith(LESSONS) and REMEDY in context
    assert template.startswith(TEMPLATE) and template.splitlines()[1:] == WHOLE
    sham = read["placebo"].start
    assert sham.startswith(LESSONS) and not set(WHOLE) & set(sham.splitlines())
    longest = max(estimate(each.start) for each in read.values())
    assert estimate(sham) == pytest.approx(longest, rel=0.1)
    assert {arm for arm, each in read.items() if each.success} == {"context", "both"}


def test_a_size_is_kept_and_a_run_ends_after_the_calls_its_task_allows(config):
    task = config.home.parent / "tasks/pier/task.toml"
    task.write_text('repo = "harbour"\ncalls = 1\n')
    model = FollowingModel()
    run_study(config, model, "cold", "template:100")
    assert [len(requests) for requests in model.runs] == [1, 1]
    starts = [requests[0][0]["content"].partition("\n\n")[2] for requests in model.runs]
    (start,) = filter(None, starts)
    heading, *lines = start.splitlines()
    assert heading.startswith(TEMPLATE) and estimate(start) <= 100
    assert lines and lines != WHOLE


def test_a_model_that_does_not_answer_is_no_failure_of_an_arm(config):
    arms = ("cold", "start")
    outcomes = ("success", "errors")
    experiment.new(config, "study", arms=arms, unit="task", design="paired", outcomes=outcomes)  # fmt: skip
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        nobody = f"http://127.0.0.1:{reserved.getsockname()[1]}/v1"
    report = run_tasks(
        config,
        "study",
        config.home.parent / "tasks",
        agent="mini-swe",
        path="/usr/bin:/bin",
        endpoint=Endpoint(nobody, "scripted", "invented-key"),
    )
    assert all("no answer of the model" in run.trouble for run in report.runs)
    assert report.remaining == len(arms)
    assert not experiment.gathered(config, "study").trials
