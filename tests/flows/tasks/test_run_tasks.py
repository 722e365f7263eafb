"""Tasks run in every arm: an agent that is a shell script, told what its arm says, judged by the task's own check."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import NotFound, Unsupported, UsageError
from afterglow.flows import experiment
from afterglow.flows.tasks import Endpoint, read_tasks, run_tasks
from afterglow.flows.tasks.agent_programs import AGENTS
from afterglow.flows.tasks.enclosure import Enclosure, OpenRoom
from afterglow.flows.tasks.task_folders import hash_of
from afterglow.records.task_run import RunLimits
from afterglow.records.template import SessionSeed, ToolCallExample, WarmTemplate
from afterglow.store.templates.folder import Templates
from keeping import NOW, item, keep

pytestmark = pytest.mark.slow
# Does what its request says helps, and nothing without: a model that cannot guess.
AGENT = """#!/bin/sh
grep -q 'make seed' "$1" && touch seeded
test -e seeded && echo built > pier
echo "$1" >> "$HOME/requests"
"""


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    for number in (1, 2, 3):
        folder = tmp_path / f"tasks/pier-{number}"
        (folder / "project").mkdir(parents=True)
        (folder / "request.md").write_text(f"Build pier {number}.\n")
        (folder / "check.sh").write_text("test -e pier\n")
        (folder / "project/README").write_text("piers\n")
        (folder / "task.toml").write_text('repo = "otterquay/harbor"\nfamily = "a"\n')
    return tmp_path / "tasks"


@pytest.fixture
def config(tmp_path: Path) -> Config:
    config = Config(home=tmp_path / "kept", user_home=tmp_path / "user")
    lesson = item(
        1,
        fact="Piers build only after `make seed`.",
        repo="otterquay/harbor",
        category="pitfall",
        confidence=0.95,
        situation="build a pier",
        remedy="run `make seed` first",
    )
    keep(config, lesson)
    plan(config, "study", ("cold", "start"))
    return config


def plan(config: Config, name: str, arms: tuple[str, ...]) -> None:
    experiment.new(
        config,
        name,
        arms=arms,
        unit="task",
        design="paired",
        outcomes=("success", "errors"),
    )


def run(config: Config, tasks: Path, **options):
    agent = tasks.parent / "agent.sh"
    agent.write_text(AGENT)
    shutil.copy(agent, tasks.parent / "agent.sh.copy")
    settings = {
        "agent": "command",
        "command": f"sh {agent} {{request}}",
        "sandbox": False,
        "path": "/usr/bin:/bin",
        **options,
    }
    return run_tasks(config, "study", tasks, **settings)


def test_every_task_is_run_in_every_arm_and_what_it_was_told_decides(config, tasks):
    report = run(config, tasks)
    assert (report.planned, report.remaining, report.stopped) == (6, 0, "")
    by_arm = {arm: [r.success for r in report.runs if r.arm == arm] for arm in ("cold", "start")}  # fmt: skip
    assert by_arm == {"cold": [False] * 3, "start": [True] * 3}
    analysis = experiment.analyse(config, "study")
    assert analysis.estimates[0].discordant == (3, 0)
    trials = experiment.gathered(config, "study").trials
    assert {trial.cluster for trial in trials} == {"a"}
    conditions = trials[0].conditions
    assert (conditions.agent, conditions.repo) == ("command", "otterquay/harbor")
    assert conditions.afterglow_version and len({trial.conditions.task_hash for trial in trials}) == 3  # fmt: skip
    told = {arm.arm: (arm.trials, arm.told_trials) for arm in analysis.told_by_arm}
    assert told == {"cold": (3, 0), "start": (3, 3)}
    assert analysis.times.planned <= analysis.times.first <= analysis.times.last
    assert not list((config.home / "runs/study").glob("pier-*"))


def test_arms_by_form_begin_with_lessons_or_with_a_template(config, tasks):
    call = ToolCallExample("Bash", '{"command": "make seed"}', "ok")
    seed = SessionSeed(tool_examples=(call,))
    made = WarmTemplate(id="", name="P", seed=seed, repo="otterquay/harbor")
    Templates(config.templates).add(replace(made, approved=True), NOW)
    plan(config, "study", ("cold", "context", "template", "both"))
    report = run(config, only(tasks), keep_rooms=True)
    assert {each.arm for each in report.runs if each.success} == {"context", "template", "both"}  # fmt: skip
    rooms = config.home / "runs/study"
    texts = {arm: (rooms / f"pier-1.{arm}/request.md").read_text() for arm in ("context", "template", "both")}  # fmt: skip
    assert [arm for arm in texts if "Calls that worked" in texts[arm]] == ["template", "both"]  # fmt: skip
    assert [arm for arm in texts if "build a pier" in texts[arm]] == ["context", "both"]


def test_a_template_arm_without_an_approved_template_is_refused_before_it_begins(
    config, tasks
):
    plan(config, "study", ("cold", "template:examples"))
    with pytest.raises(UsageError, match="no template is approved"):
        run(config, tasks)


def test_a_study_goes_on_where_it_was_and_from_what_was_known_then(config, tasks):
    first = run(config, tasks, limits=RunLimits(runs=2))
    assert first.stopped == "2 runs were asked for"
    assert first.remaining == 4
    keep(config, item(2, fact="Never touch piers.", repo="otterquay/harbor"))
    second = run(config, tasks, keep_rooms=True)
    assert second.remaining == 0
    pairs = [(each.task, each.arm) for each in (*first.runs, *second.runs)]
    assert len(pairs) == len(set(pairs)) == 6
    requests = [p.read_text() for p in (config.home / "runs/study").glob("*/request.md")]  # fmt: skip
    assert requests and not any("Never touch" in text for text in requests)
    assert run(config, tasks).runs == ()


def test_a_trial_keeps_the_model_and_where_its_task_comes_from(config, tasks):
    about = tasks / "pier-1/task.toml"
    about.write_text(about.read_text() + 'source = "written for this test"\n')
    endpoint = Endpoint("http://127.0.0.1:9/v1", "small-1", "invented")
    run(config, only(tasks), endpoint=endpoint)
    kept = {trial.conditions for trial in experiment.gathered(config, "study").trials}
    assert {(each.model, each.source) for each in kept} == {
        ("small-1", "written for this test")
    }


def test_the_hash_of_a_task_is_of_its_files_and_not_of_its_place(tasks, tmp_path):
    copied = shutil.copytree(tasks, tmp_path / "elsewhere")
    here, there = (hash_of(read_tasks(folder)[0]) for folder in (tasks, copied))
    assert here == there
    (copied / "pier-1/check.sh").write_text("true\n")
    assert hash_of(read_tasks(copied)[0]) != here


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="no bubblewrap here")
def test_calls_at_once_with_tasks_of_their_own_share_a_study(config, tasks):
    shares = []
    for number in (1, 2, 3):
        share = tasks.parent / f"share-{number}"
        shutil.copytree(tasks / f"pier-{number}", share / f"pier-{number}")
        shares.append(share)
    with ThreadPoolExecutor(len(shares)) as pool:
        reports = list(pool.map(lambda share: run(config, share, sandbox=True), shares))
    assert [report.remaining for report in reports] == [0, 0, 0]
    trials = experiment.gathered(config, "study").trials
    assert len({(trial.unit, trial.arm) for trial in trials}) == len(trials) == 6
    assert [path.name for path in (config.home / "runs/study").iterdir()] == ["knowledge"]  # fmt: skip


def test_the_order_is_random_and_the_same_again(config, tasks):
    report = run(config, tasks)
    order = [(each.task, each.arm) for each in report.runs]
    assert order != sorted(order)


def test_limits_of_minutes_end_a_study_between_runs(config, tasks):
    report = run(config, tasks, limits=RunLimits(minutes=0.0))
    assert (report.runs, report.stopped) == ((), "0 minutes are over")


def test_a_run_whose_time_is_up_counts_as_it_stands(config, tasks):
    (tasks / "pier-1/task.toml").write_text("minutes = 0.01\n")
    hang = "echo built > pier; cat {request}; exec sleep 60"
    report = run(config, only(tasks), command=hang)
    assert {(each.success, each.exit_code) for each in report.runs} == {(True, None)}


def only(tasks: Path) -> Path:
    """The first task alone."""
    folder = tasks.parent / "alone"
    shutil.copytree(tasks / "pier-1", folder / "pier-1")
    return folder


def test_what_cannot_be_set_up_is_told_and_stays_to_be_run(config, tasks):
    (tasks / "pier-1/setup.sh").write_text("echo no crane here; exit 3\n")
    report = run(config, only(tasks))
    assert {each.trouble.split(" ended")[1] for each in report.runs} == {
        " with 3: no crane here"
    }
    assert report.remaining == 2


def test_an_agent_without_hooks_cannot_be_told_after_a_failure(config, tasks):
    plan(config, "late", ("cold", "both"))
    with pytest.raises(UsageError, match="told at its start only"):
        run_tasks(config, "late", tasks, agent="command", command="true {request}")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"agent": "parrot", "command": ""}, "no agent 'parrot'"),
        ({"command": "true"}, "takes --command with {request}"),
        ({"agent": "codex"}, "--command goes with --agent command"),
    ],
)
def test_what_is_asked_for_wrongly_is_said(config, tasks, options, words):
    with pytest.raises(UsageError, match=words.replace("{", r"\{")):
        run(config, tasks, **options)


def test_an_agent_that_is_not_installed_is_said(config, tasks):
    import afterglow.flows.tasks.agent_programs as programs

    program = replace(programs.AGENTS["codex"], program="no-such-program")
    with pytest.raises(Unsupported, match="no 'no-such-program' on PATH"):
        program.places("/usr/bin")


def test_tasks_are_folders_with_a_request_and_a_check(tmp_path, tasks):
    assert [task.name for task in read_tasks(tasks)] == ["pier-1", "pier-2", "pier-3"]
    with pytest.raises(NotFound, match="is not a folder"):
        read_tasks(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="holds no task"):
        read_tasks(tmp_path)
    (tasks / "pier-1/task.toml").write_text("minute = 3\n")
    with pytest.raises(
        UsageError, match="it may say family, repo, source, minutes and calls"
    ):
        read_tasks(tasks)
    (tasks / "pier-1/task.toml").write_text("calls = -1\n")
    with pytest.raises(UsageError, match="calls must be 1 or more"):
        read_tasks(tasks)
    (tasks / "pier-1/task.toml").write_text("calls = 12\n")
    assert [task.calls for task in read_tasks(tasks)] == [12, 0, 0]
    (tasks / "pier-1/check.sh").unlink()
    with pytest.raises(UsageError, match=r"has no check\.sh"):
        read_tasks(tasks)


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="no bubblewrap here")
def test_inside_the_sandbox_only_the_room_can_be_seen(config, tasks):
    secret = tasks.parent / "secret.txt"
    secret.write_text("mooring")
    look = f"cat {secret} ~root/.bashrc ~/../../secret.txt {{request}} > seen 2>&1; touch pier"
    report = run(config, only(tasks), command=look, sandbox=True, keep_rooms=True)
    assert all(each.success for each in report.runs)
    (seen, *_) = (config.home / "runs/study").glob("*/projects/harbor/seen")
    assert "mooring" not in seen.read_text()
    assert "Build pier 1." in seen.read_text()


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="no bubblewrap here")
def test_a_command_that_hangs_is_gone_with_all_it_started(tmp_path):
    enclosure = Enclosure(tmp_path)
    ended = enclosure.run(
        ["/bin/sh", "-c", "sleep 100 & sleep 100"], tmp_path, tmp_path, {}, 0.5
    )
    assert ended.code is None


def test_a_key_stands_in_no_words():
    endpoint = Endpoint("http://127.0.0.1:1/v1", "m", "hush-hush")
    assert "hush" not in repr(endpoint)


def test_a_person_who_trusts_it_runs_without_a_sandbox(tmp_path):
    ended = OpenRoom().run(["/bin/echo", "hi"], tmp_path, tmp_path, {}, 10)
    assert (ended.code, ended.output) == (0, "hi\n")


def test_the_folder_of_python_m_is_not_seen_in_a_room(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where the tasks may lie, and with them their checks
    monkeypatch.syspath_prepend(tmp_path)
    places = AGENTS["mini-swe"].places("/usr/bin")
    assert Path.cwd() not in {place.resolve() for place in places}
    assert any((place / "afterglow").is_dir() for place in places)


def test_the_path_of_a_room_does_not_tell_the_arm(config, tasks):
    run(config, only(tasks), command="sh -c 'pwd; env' # {request}", keep_rooms=True)
    for arm in ("cold", "start"):
        room = config.home / f"runs/study/pier-1.{arm}"
        printed = (room / "printed.txt").read_text()
        assert "projects/harbor" in printed and f".{arm}" not in printed
