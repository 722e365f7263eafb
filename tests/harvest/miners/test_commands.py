"""Commands that work in a repository."""

from __future__ import annotations

from afterglow.calls import commands_in, project_pattern
from afterglow.harvest.miners import commands
from afterglow.harvest.trail import Trail
from afterglow.records.knowledge import Telling
from afterglow.sessions import load
from writing import Transcript

MINUTES_OF_A_DAY = 1440  # behind which a transcript is of another day


def told(folder, *transcripts: Transcript, topic: str) -> Telling | str:
    findings = [
        finding
        for transcript in transcripts
        for session in load(transcript.save(folder))
        for finding in commands.mine(Trail(session, "quay/harbor"))
    ]
    return commands.tell(
        [finding for finding in findings if finding.topic == f"quay/harbor|{topic}"]
    )


def fact(folder, *transcripts: Transcript, topic: str) -> str:
    telling = told(folder, *transcripts, topic=topic)
    assert isinstance(telling, Telling), telling
    return telling.fact


def shape(command: str, root: str = "") -> str:
    found = project_pattern(commands_in(command)[0], root)
    return found.text if found else ""


def test_what_changes_from_run_to_run_becomes_a_placeholder():
    assert (
        shape("go test ./dock/tide/ -run TestTide -v -count=1")
        == "go test <package> -run <test>"
    )
    assert shape("go test ./...") == "go test ./..."
    assert (
        shape("gh run view 1234567890 --log-failed") == "gh run view <n> --log-failed"
    )
    assert shape("gh api repos/a/b/pulls/41/comments -f body='well done'") == (
        "gh api repos/a/b/pulls/<n>/comments -f body=<text>"
    )
    assert shape("pytest tests/test_tide.py -k slow") == "pytest <path> -k <test>"
    assert (
        shape("/home/ana/harbor/scripts/load.sh dev", "/home/ana/harbor")
        == "scripts/load.sh dev"
    )


def test_plumbing_has_no_shape():
    for command in (
        "ls -la",
        "git status",
        "cat a.go",
        "python3 -c 'print(1)'",
        "make --help",
        "/tmp/x.sh",
        "$CMD run",
    ):
        assert shape(command) == ""


def test_the_order_of_options_does_not_matter():
    one, two = (
        project_pattern(commands_in(c)[0])
        for c in ("go test -run TestA ./dock", "go test ./quay -run TestB -v")
    )
    assert one and two and one.key == two.key


def test_commands_of_one_kind_are_one_sentence_and_are_counted(tmp_path):
    one = (
        Transcript(1).run("make test").run("cd dock && make test:slow").run("make lint")
    )
    two = (
        Transcript(2, start=MINUTES_OF_A_DAY)
        .run("make test")
        .run("make test", "Exit code 1\nboom", error=True)
        .run("make test:slow")
    )
    telling = told(tmp_path, one, two, topic="test")
    assert telling.fact == "Tests run with `make test`; `make test:slow`."
    assert (telling.worked, telling.times) == (4, 5)


def test_one_session_is_not_enough(tmp_path):
    assert (
        told(tmp_path, Transcript(1).run("make lint").run("make lint"), topic="lint")
        == "seen in one session"
    )


UNPROVEN = "not seen to work often enough"


def test_a_task_that_mostly_fails_is_not_told(tmp_path):
    both = [
        Transcript(n).run("make lint", "Exit code 1\nboom", error=True) for n in (1, 2)
    ]
    assert told(tmp_path, *both, topic="lint") == UNPROVEN


def test_a_run_behind_a_pipe_is_no_success(tmp_path):
    piped = [Transcript(n).run("make lint 2>&1 | tail -5") for n in (1, 2, 3)]
    assert told(tmp_path, *piped, topic="lint") == UNPROVEN


def test_what_anybody_would_try_is_not_mined(tmp_path):
    tried = Transcript(1).run("go vet ./dock/...").run("gh pr view 7").run("ruff check")
    (session,) = load(tried.save(tmp_path))
    assert [*commands.mine(Trail(session, "quay/harbor"))] == []


def test_a_task_is_told_as_it_was_run(tmp_path):
    ran = [
        Transcript(n)
        .run("uv run pytest -q")
        .run("pytest -q", "Exit code 1\nno module named tide", error=True)
        for n in (1, 2)
    ]
    assert fact(tmp_path, *ran, topic="test") == "Tests run with `uv run pytest -q`."


def test_an_argument_that_never_changes_is_kept(tmp_path):
    same = [Transcript(n).run("make lint ./dock/a.go") for n in (1, 2, 3)]
    assert "`make lint ./dock/a.go`" in fact(tmp_path, *same, topic="lint")


def test_a_task_with_more_behind_it_is_not_told(tmp_path):
    """Some runners run everything all the same: what they do with a path is their own matter."""
    varied = [Transcript(n).run(f"make lint ./berth/{n}.go") for n in (4, 5, 6)]
    plain = [Transcript(n).run("make lint") for n in (7, 8)]
    sentence = fact(tmp_path, *varied, *plain, topic="lint")
    assert "`make lint`" in sentence
    assert "<path>" not in sentence


def test_two_sessions_of_one_day_are_one_witness_and_two_such_commands_are_not_two(
    tmp_path,
):
    today = [Transcript(number).run("make test") for number in (1, 2)]
    later = [
        Transcript(number, start=2 * MINUTES_OF_A_DAY).run("make test:slow")
        for number in (3, 4)
    ]
    assert fact(tmp_path, *today, *later, topic="test") == "Tests run with `make test`."
