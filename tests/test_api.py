"""The public way in: its surface, which is not to change by accident, and a whole loop through it."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import afterglow
from afterglow import Afterglow
from afterglow.api import Experiment, KnowledgeView, RunningSession
from afterglow.errors import NotFound, Refused, UsageError

SURFACE = {
    "Afterglow": "(home: 'str | Path | None' = None, *, agent: 'str' = 'python') -> 'None'",
    "Afterglow.context": "(self, task: 'str' = '', *, cwd: 'str | Path' = '.', session: 'str' = '', "
    "budget: 'int | None' = None) -> 'Start'",
    "Afterglow.experiment": "(self, name: 'str', **plan: 'Any') -> 'Experiment'",
    "Afterglow.harvest": "(self) -> 'HarvestReport'",
    "Afterglow.home": "property",
    "Afterglow.knowledge": "property",
    "Afterglow.on_failure": "(self, tool: 'str', arguments: 'Mapping[str, Any] | str', output: 'str', *, "
    "cwd: 'str | Path' = '.', session: 'str' = '', call: 'str' = '', failed: 'bool | None' = True) -> 'Start'",
    "Afterglow.record": "(self, messages: 'Iterable[Any]', *, session: 'str' = '', "
    "cwd: 'str | Path' = '.', model: 'str' = '', title: 'str' = '') -> 'str'",
    "Afterglow.replay": "(self, *, budget: 'int | None' = None) -> 'ReplayReport'",
    "Afterglow.scan": "(self, *paths: 'str | Path') -> 'ScanReport'",
    "Afterglow.session": "(self, task: 'str' = '', *, cwd: 'str | Path' = '.', session: 'str' = '', "
    "budget: 'int | None' = None) -> 'RunningSession'",
    "Experiment": "(config: 'Config', name: 'str') -> 'None'",
    "Experiment.analyse": "(self) -> 'Analysis'",
    "Experiment.assign": "(self, unit: 'str', *, task: 'str' = '') -> 'tuple[Assignment, ...]'",
    "Experiment.plan": "property",
    "Experiment.record": "(self, unit: 'str', **outcomes: 'Any') -> 'None'",
    "KnowledgeView": "(config: 'Config') -> 'None'",
    "KnowledgeView.approve": "(self, id: 'str', *, risky: 'bool' = False) -> 'None'",
    "KnowledgeView.get": "(self, id: 'str') -> 'KnowledgeItem'",
    "KnowledgeView.list": "(self, *, repo: 'str | None' = None, status: 'Status' = 'active', "
    "limit: 'int' = 20) -> 'list[KnowledgeItem]'",
    "KnowledgeView.reject": "(self, id: 'str', *, why: 'str') -> 'None'",
    "KnowledgeView.search": "(self, words: 'str', *, repo: 'str | None' = None, status: 'Status' = 'active', "
    "limit: 'int' = 20) -> 'list[KnowledgeItem]'",
    "RunningSession": "(ag: 'Afterglow', id: 'str', *, cwd: 'str | Path' = '.', start: 'Start | None' = None) -> 'None'",
    "RunningSession.record": "(self, messages: 'Iterable[Any]', *, model: 'str' = '', title: 'str' = '') -> 'bool'",
    "RunningSession.record_trajectory": "(self, trajectory: 'Mapping[str, Any]') -> 'bool'",
    "RunningSession.result": "(self, tool: 'str', arguments: 'Mapping[str, Any] | str', output: 'str', *, "
    "call: 'str' = '', failed: 'bool | None' = None) -> 'str'",
    "RunningSession.text": "property",
}


def surface(kind: type) -> dict[str, str]:
    found = {kind.__name__: str(inspect.signature(kind))}
    for name, member in vars(kind).items():
        if name.startswith("_"):
            continue
        is_method = inspect.isfunction(member)
        words = str(inspect.signature(member)) if is_method else "property"
        found[f"{kind.__name__}.{name}"] = words
        assert member.__doc__ or not is_method, f"{name} says nothing about itself"
    return found


def test_the_surface_is_what_was_promised():
    kinds = (Afterglow, RunningSession, KnowledgeView, Experiment)
    found = {name: words for kind in kinds for name, words in surface(kind).items()}
    assert found == SURFACE
    assert afterglow.__all__ == ["Afterglow", "__version__"]


def test_importing_it_loads_nothing_else():
    code = "import sys, afterglow; print('afterglow.api' in sys.modules, 'msgspec' in sys.modules)"
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.split() == ["False", "False"]


def build(number: int, command: str, output: str) -> list[dict]:
    call = {"name": "bash", "arguments": f'{{"command": "{command}"}}'}
    calls = [{"id": f"c{number}", "type": "function", "function": call}]
    return [
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": f"c{number}", "content": output},
    ]


FAILED = "Exit code 1\nerror: pier-lock.json is out of date"


def messages() -> list[dict]:
    return [
        {"role": "user", "content": "build the harbour"},
        *build(1, "make pier", FAILED),
        *build(2, "make lock", "locked 12 piers"),
        *build(3, "make pier", "built"),
        {"role": "assistant", "content": "Built."},
    ]


@pytest.fixture
def ag(tmp_path, monkeypatch) -> Afterglow:
    monkeypatch.setenv("HOME", str(tmp_path))
    return Afterglow(tmp_path / "home", agent="dockhand")


def test_a_program_learns_from_its_own_sessions(ag, tmp_path):
    folder = tmp_path / "harbour"
    folder.mkdir()
    for number in range(2):
        assert ag.record(messages(), session=f"s{number}", cwd=folder) == f"s{number}"
    files = sorted((ag.home / "recorded" / "dockhand").iterdir())
    assert [file.name for file in files] == ["s0.jsonl", "s1.jsonl"]
    assert all(file.stat().st_mode & 0o077 == 0 for file in files)
    known = [*ag.knowledge.list(), *ag.knowledge.list(status="candidate")]
    assert any("make lock" in item.fact for item in known)
    item = known[0]
    assert ag.knowledge.get(item.id).evidence
    ag.knowledge.approve(item.id)
    assert ag.knowledge.search("pier lock")


def test_messages_of_anthropic_are_taken_as_they_are(ag, tmp_path):
    use = {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "ls"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "no such pier"}
    result["is_error"] = True
    spoken = [
        {"role": "user", "content": "look"},
        {"role": "assistant", "content": [{"type": "text", "text": "I look."}, use]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": [{"type": "text", "text": "Nothing."}]},
    ]
    ag.record(spoken, session="a1", cwd=tmp_path)
    from afterglow.flows.read import open_session
    from afterglow.records.session import Outcome

    _, session = open_session(ag._config, "a1")
    (call,) = [call for turn in session.turns for call in turn.calls]
    assert (call.tool, call.outcome) == ("bash", Outcome.FAILED)


def test_secrets_are_not_recorded(ag, tmp_path):
    secret = "ghp_k7Qm2VxR9tLw4ZpN8sYb1HcD5fGj3KvA6uEe"
    said = [{"role": "user", "content": f"use the token {secret}"}]
    ag.record(said, session="s", cwd=tmp_path)
    for path in ag.home.rglob("*"):
        assert not path.is_file() or secret.encode() not in path.read_bytes()


def test_what_was_recorded_can_be_forgotten(ag, tmp_path):
    ag.record(messages(), session="gone", cwd=tmp_path)
    from afterglow.flows.forget import Choice, forget

    forget(ag._config, Choice(names=("gone",)))
    assert not list((ag.home / "recorded").rglob("*.jsonl"))


def test_a_session_is_told_what_is_known(ag, tmp_path):
    context = ag.context(task="build", cwd=tmp_path)
    assert (context.text, bool(context.reason)) == ("", True)
    line = ag.on_failure("bash", {"command": "make pier"}, FAILED, cwd=tmp_path)
    assert line.text == ""


def learned(ag: Afterglow, folder) -> None:
    """What two sessions taught, approved."""
    for number in range(2):
        ag.record(messages(), session=f"s{number}", cwd=folder)
    known = [*ag.knowledge.list(), *ag.knowledge.list(status="candidate")]
    ag.knowledge.approve(next(i.id for i in known if "make lock" in i.fact))


def test_a_session_is_told_at_its_start_and_when_a_call_fails_and_the_ledger_proves_it(
    ag, tmp_path
):
    learned(ag, tmp_path)
    session = ag.session("build the harbour", cwd=tmp_path)
    assert "make lock" in session.text
    result = session.result("bash", {"command": "make pier"}, FAILED, call="c1")
    output, line = result.split("\n\n[afterglow] ")
    assert (output, "make lock" in line) == (FAILED, True)
    fine = session.result("bash", {"command": "ls"}, "pier", call="c2")
    again = session.result("bash", {"command": "make pier"}, FAILED, call="c3")
    assert (fine, again) == ("pier", FAILED)
    told = [{"role": "system", "content": session.text}, *messages()[:2]]
    told += [{"role": "tool", "tool_call_id": "c1", "content": result}]
    assert session.record([*told, {"role": "assistant", "content": "Locked."}])
    assert proved(ag) == {("start", session.id), ("failure", session.id)}


def proved(ag: Afterglow) -> set[tuple[str, str]]:
    from afterglow.flows.session import settle_deliveries
    from afterglow.store.ledger import Ledger

    sessions = {path.stem for path in (ag.home / "recorded").rglob("*.jsonl")}
    settle_deliveries(ag._config, ended=sessions)
    with Ledger(ag._config.ledger) as ledger:
        deliveries = ledger.deliveries()
    return {(d.when, d.session) for d in deliveries if d.state == "delivered"}


def read_calls(ag: Afterglow, session: str):
    from afterglow.flows.read import open_session

    _, read = open_session(ag._config, session)
    return [call for turn in read.turns for call in turn.calls]


def test_what_only_the_program_knew_of_a_call_is_recorded(ag, tmp_path):
    """A result that does not look like a failure, and when it came."""
    session = ag.session("look", cwd=tmp_path)
    session.result("fetch", {"pier": 3}, "no such pier", call="c1", failed=True)
    asked = {"role": "user", "content": "look"}
    spoken = [asked, *build(1, "make pier", "no such pier")]
    session.record([*spoken, {"role": "assistant", "content": "Nothing."}])
    (call,) = read_calls(ag, session.id)
    assert (call.outcome.value, call.error) == ("failed", "no such pier")


class Spoken:
    """What the packages of both APIs return: an object that can be written down."""

    def __init__(self, **fields):
        self.fields = fields

    def model_dump(self, mode, exclude_none):
        return {name: value for name, value in self.fields.items() if value}


def test_objects_and_items_of_the_packages_are_messages(ag, tmp_path):
    use = Spoken(type="tool_use", id="t1", name="bash", input={"command": "ls"})
    call = {"type": "function_call", "call_id": "c1", "name": "bash"}
    spoken = [
        {"role": "user", "content": "look"},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1"}]},
        {"type": "reasoning", "summary": []},
        Spoken(**call, arguments='{"command": "ls"}'),
        {"type": "function_call_output", "call_id": "c1", "output": "Exit code 2\n?"},
        Spoken(role="assistant", content=[{"type": "output_text", "text": "Done."}]),
    ]
    ag.record(spoken, session="objects", cwd=tmp_path)
    calls = read_calls(ag, "objects")
    assert [(call.tool, call.outcome.value) for call in calls] == [
        ("bash", "ok"),
        ("bash", "failed"),
    ]


def test_what_is_private_is_not_written_down(ag, tmp_path):
    asked = [{"role": "user", "content": "#private\nmy salary"}]
    session = ag.session("talk", cwd=tmp_path)
    assert not session.record(asked)
    with pytest.raises(Refused):
        ag.record(asked, session="another", cwd=tmp_path)
    assert not (ag.home / "recorded").exists()


def test_what_breaks_here_does_not_stop_a_session(ag, tmp_path):
    ag.record(messages(), cwd=tmp_path)
    (ag.home / "knowledge.db").write_bytes(b"no database" * 999)
    session = ag.session("build", cwd=tmp_path)
    assert (session.text, bool(session.start and session.start.reason)) == ("", True)
    assert session.result("bash", {"command": "make pier"}, FAILED) == FAILED
    assert not session.record(messages())
    assert "dockhand session" in (ag.home / "hooks.log").read_text()


THREADS = """
import sys, threading
from afterglow import Afterglow
ag, gate, results = Afterglow(sys.argv[1], agent="dockhand"), threading.Barrier(8), []
def work():
    gate.wait()
    session = ag.session("build the harbour", cwd=sys.argv[2])
    results.append(session.result("bash", {"command": "make pier"}, sys.argv[3]))
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sum("make lock" in result for result in results))
"""


def test_threads_that_start_at_once_do_not_end_the_process(ag, tmp_path):
    """They decoded into the same record for the first time, and every third program died of it."""
    learned(ag, tmp_path)
    for _ in range(4):
        command = [sys.executable, "-c", THREADS, ag.home, tmp_path, FAILED]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stdout) == (0, "8\n"), ended.stderr


def test_an_experiment_runs_through_it(ag):
    study = ag.experiment(
        "trial", arms=["cold", "warm"], outcomes=["success"], unit="task"
    )
    arm = study.assign("u1")[0].arm
    assert arm in study.plan.arms
    with pytest.raises(NotFound):
        ag.experiment("nowhere")


@pytest.mark.parametrize("wrong", [[], [{"content": "x"}], [{"role": "ghost"}]])
def test_what_is_no_session_is_refused_in_words(ag, tmp_path, wrong):
    with pytest.raises(UsageError):
        ag.record(wrong, cwd=tmp_path)
