"""What a delivered context did: which situations came up, which remedies show, which errors came all the same."""

from __future__ import annotations

import pytest

from afterglow.measure.effects import judge
from afterglow.measure.proofs import Proof
from afterglow.measure.remedy_signs import signs_of, subjects_of
from afterglow.records.delivery import Delivery, Given, Verdict
from trails import trail_of
from writing import Transcript

ID = "ag-0123456789"
STAT = Given(
    "k01", 0.8, situation="`gh pr diff <n> --stat` fails with 'unknown flag: --stat'",
    remedy="`gh pr diff <n> --name-only` works", fingerprints=("unknown flag: --stat",),
)  # fmt: skip
CONTEXT = f"What earlier sessions taught ({ID}):\n- one [k01 2026-10-01]\n- two [k02]"


def started() -> Transcript:
    return Transcript().user(CONTEXT).user("go on")


def verdict(transcript: Transcript, given: Given = STAT) -> Verdict:
    session = trail_of(transcript).session
    (found,) = judge(
        session,
        Delivery(id=ID, time=0.0, items=(given,)),
        Proof(0, frozenset({given.item})),
    )
    return found


def rungs(transcript: Transcript, given: Given = STAT) -> tuple[bool | None, ...]:
    """used, met, mattered, failed"""
    found = verdict(transcript, given)
    return found.used, found.met, found.mattered, found.failed


def test_an_item_that_was_cut_off_is_not_judged():
    session = trail_of(started().run("gh pr diff 7 --name-only")).session
    found = judge(
        session,
        Delivery(id=ID, time=0.0, items=(STAT, Given("k09", 0.9))),
        Proof(0, frozenset({"k01"})),
    )
    assert [one.used for one in found] == [True, None]


@pytest.mark.parametrize(
    "command",
    [
        "gh pr diff 7 --name-only",
        "cd /x && gh pr diff 12  --name-only | head",
        "FOO=1 gh pr diff 3 --name-only",
    ],
)
def test_a_remedy_shows_however_the_command_is_wrapped(command):
    assert rungs(started().run(command)) == (True, True, True, False)


@pytest.mark.parametrize(
    "command",
    ["git commit -m 'use gh pr diff 7 --name-only'", "echo gh pr diff 7 --name-only"],
)
def test_a_command_that_is_only_spoken_of_is_not_run(command):
    assert rungs(started().run(command)) == (False, False, False, False)


def test_what_was_done_before_the_context_came_does_not_count():
    before = Transcript().run(
        "gh pr diff 7 --stat", "Exit code 1\nunknown flag: --stat", error=True
    )
    session = trail_of(before.user(CONTEXT).reply("Hm.")).session
    (found,) = judge(
        session, Delivery(id=ID, time=0.0, items=(STAT,)), Proof(2, frozenset({"k01"}))
    )
    assert found == Verdict("k01", False, False, False, False)


def test_a_situation_met_another_way_without_the_error_mattered_though_nothing_was_used():
    assert rungs(started().run("gh pr diff 7")) == (False, True, True, False)


def test_the_known_error_makes_the_item_a_failure():
    failed = started().run(
        "gh pr diff 7 --stat", "Exit code 1\nunknown flag: --stat", error=True
    )
    assert rungs(failed) == (False, True, False, True)


def test_a_call_that_met_the_known_error_is_no_use_of_the_remedy():
    vague = Given(
        "k01",
        0.8,
        situation=STAT.situation,
        remedy="`gh pr diff <n>` works",
        fingerprints=STAT.fingerprints,
    )
    assert (
        rungs(
            started().run(
                "gh pr diff 7 --stat", "Exit code 1\nunknown flag: --stat", error=True
            ),
            vague,
        )[0]
        is False
    )


def test_a_call_nobody_let_run_says_nothing_about_the_error():
    blocked = started().run(
        "gh pr diff 7",
        "The user doesn't want to proceed with this tool use.",
        error=True,
    )
    assert rungs(blocked) == (False, True, None, None)


def test_an_item_that_is_cited_was_used():
    assert verdict(started().reply("As k01 says, no --stat.")).used is True


def test_handing_the_context_on_is_no_use_of_it():
    assert rungs(started().ask("Task", prompt=f"{CONTEXT} `gh pr diff 7 --name-only`").answer("ok")) == (
        False, False, False, False,
    )  # fmt: skip


def test_a_preference_is_unknown_until_a_person_says_no():
    push = Given(
        "k02", 0.9, situation="about to run `git push`", remedy="do not push anything"
    )
    no = "The user doesn't want to proceed with this tool use."
    assert rungs(started().run("git status"), push) == (None, False, None, None)
    assert rungs(started().run("git push origin main"), push) == (
        None,
        True,
        None,
        None,
    )
    assert rungs(started().run("git push", no, error=True), push) == (
        None,
        True,
        False,
        True,
    )


def test_a_rule_in_plain_words_is_unknown_and_one_that_names_code_is_not():
    plain = Given("k02", 0.9, remedy="keep it short")
    code = Given("k02", 0.9, remedy="always run `make fmt` before a commit")
    assert rungs(started().run("make fmt"), plain) == (None, None, None, None)
    assert rungs(started().run("make fmt"), code) == (True, True, None, None)
    assert rungs(started().run("make test"), code) == (False, None, None, None)


def test_a_rule_that_says_what_not_to_do_has_no_sign():
    rule = Given(
        "k02",
        0.9,
        remedy="using `tar.Walk()` instead of `pier.Root()` breaks in folders",
    )
    assert (
        rungs(started().ask("Edit", new_string="tar.Walk()").answer("ok"), rule)[0]
        is None
    )


def test_an_argument_is_a_sign_unless_every_call_has_it():
    part = Given(
        "k02", 0.9, situation="`Read` fails with 'too large'", remedy="read a part of it with `offset`",
        fingerprints=("too large",),
    )  # fmt: skip
    whole = started().ask("Read", file_path="/a").answer("a")
    assert rungs(whole, part) == (False, True, True, False)
    assert (
        rungs(whole.ask("Read", file_path="/b", offset=9).answer("b"), part)[0] is True
    )
    assert (
        rungs(started().ask("Read", file_path="/b", offset=9).answer("b"), part)[0]
        is None
    )
    assert rungs(started().run("make"), part) == (None, False, False, False)


def test_a_flag_counts_only_with_the_command_it_is_for():
    tags = Given(
        "k02", 0.9, situation="`go test ./tide` fails with 'setup failed'", remedy="add `-tags harbor`",
        fingerprints=("setup failed",),
    )  # fmt: skip
    assert rungs(started().run("go vet -tags harbor ./..."), tags)[0] is False
    assert rungs(started().run("go test -tags harbor ./tide"), tags)[0] is True


def test_which_rule_a_linter_found_decides_not_only_which_linter():
    rule = Given(
        "k02", 0.9, situation="`make lint` reports gosec G104: 'Errors unhandled'", remedy="fix by changing the code",
        fingerprints=("lint: gosec",),
    )  # fmt: skip
    other = "Exit code 1\npier/dock.go:4:2: G306: Expect WriteFile permissions to be 0600 or less (gosec)"
    same = "Exit code 1\npier/dock.go:4:2: G104: Errors unhandled (gosec)"
    assert rungs(started().run("make lint", other, error=True), rule) == (
        None,
        True,
        True,
        False,
    )
    assert rungs(started().run("make lint", same, error=True), rule) == (
        None,
        True,
        False,
        True,
    )


def test_a_situation_without_anything_to_look_for_is_unknown_until_its_error_comes():
    vague = Given(
        "k02",
        0.9,
        situation="the tide is out",
        remedy="wait",
        fingerprints=("no water",),
    )
    assert rungs(started().run("make ship"), vague) == (None, None, None, None)
    assert rungs(
        started().run("make ship", "Exit code 1\nno water", error=True), vague
    ) == (None, True, False, True)


def test_fingerprints_are_compared_as_they_were_kept():
    kept = Given(
        "k01", 0.8, situation=STAT.situation, fingerprints=("unknown name <name>",)
    )
    session = trail_of(
        started().run("gh pr diff 7", "Exit code 1\nunknown name Ada", error=True)
    ).session
    (found,) = judge(
        session, Delivery(id=ID, time=0.0, items=(kept,)), Proof(0, frozenset({"k01"})),
        clean=lambda mark: mark.replace("Ada", "<name>"),
    )  # fmt: skip
    assert found.failed is True


@pytest.mark.parametrize(
    ("remedy", "signs"),
    [
        ("run `go mod tidy` first", ["go mod tidy"]),
        ("use `--no-config` instead of `--bare`", ["--no-config"]),
        ("do not try again: use `grep -rn`", ["grep -rn"]),
        ("fix by changing the code, e.g. `a.b()` → `b.c()`", []),
        (
            "suppress it with `//nolint:dupl` on a line such as `x = 1` or `y = 2`",
            ["//nolint:dupl"],
        ),
        ("the file is '.pier.yaml'", [".pier.yaml"]),
        ("use team=Quay, no labels", ["team=Quay"]),
        ("always exit with os.Exit(1), i.e. at once", ["os.Exit(1)"]),
        ("be kind", []),
    ],
)
def test_signs_are_what_a_remedy_says_to_the_letter(remedy, signs):
    assert [sign.text for sign in signs_of(remedy, "`make`")] == signs


@pytest.mark.parametrize(
    ("situation", "names"),
    [
        ("`gh pr diff <n> --stat` fails with 'unknown flag: --stat'", ["gh pr diff"]),
        ("`Edit` and `Write` fail with 'not read yet'", ["edit", "write"]),
        ("The Bash tool keeps its folder", ["bash"]),
        ("mcp__quay__create(team=Pier) fails with 'no'", ["mcp__quay__create"]),
        ("There is no '.pier.yml' here", [".pier.yml"]),
        ("looking for `dock/pier.go` in harbor", ["dock/pier.go"]),
        ("the user is still deciding", []),
    ],
)
def test_subjects_are_tools_commands_and_paths(situation, names):
    assert [subject.name for subject in subjects_of(situation)] == names
