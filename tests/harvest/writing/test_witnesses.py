"""Who speaks for a lesson: every session whose end shows the remedy, and no other."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from afterglow.harvest.writing.witnesses import witnesses_of
from afterglow.records.problems import Event
from lamp_problems import ended, failure, lesson, problem_of, shown

WET = "`lampctl light --all`: `lampctl: wick is wet`"


def heard(answer, *events, kind="failure"):
    problem = problem_of(*events, kind=kind)
    return witnesses_of(answer, problem, shown(problem))


def confirming(answer, *events, **fields) -> list[str]:
    return [item.session for item in heard(answer, *events, **fields).confirming]


def test_a_flag_that_came_speaks_for_the_lesson_whatever_else_varies():
    answer = lesson("Dry it on the way: `lampctl light --dry <lamp>`.", WET)
    events = [
        failure("a", "lampctl light --all north", by="lampctl light --dry north"),
        failure("b", "lampctl light --all pier", by="lampctl light pier --dry --loud"),
        failure("c", "lampctl light --all quay", by="lampctl light --wait quay"),
    ]
    result = heard(answer, *events)
    assert [item.session for item in result.confirming] == ["a", "b"]
    assert (result.sessions, result.otherwise) == (2, 1)


def test_episodes_that_the_dossier_had_no_room_for_are_heard_too():
    answer = lesson("`lampctl light --dry`.", WET)
    events = [
        failure(f"s{n}", "lampctl light --all", by="lampctl light --dry")
        for n in range(9)
    ]
    assert len(shown(problem_of(*events)).lines) < 3 * len(events)
    assert heard(answer, *events).sessions == 9


def test_what_is_left_out_speaks_for_a_lesson_that_says_so():
    answer = lesson("There is no `--all`: leave it out.", WET)
    event = failure("a", "lampctl light --all pier", by="lampctl light pier")
    assert confirming(answer, event) == ["a"]


def test_a_wrapper_that_went_and_a_runner_that_came():
    plain = lesson("Run it plainly: `lampctl light`.", "`sudo lampctl light`")
    runner = lesson("`npx wickcheck <file>`.", "`wickcheck <file>`: `not found`")
    dropped = failure("a", "sudo lampctl light pier", by="lampctl light pier")
    put_in_front = failure("b", "wickcheck pier.toml", by="npx wickcheck pier.toml")
    assert confirming(plain, dropped) == ["a"]
    assert confirming(runner, put_in_front) == ["b"]


def test_a_program_of_another_version_is_another_program():
    answer = lesson("There is no `python`: call `python3`.", "`python dry.py`")
    event = failure("a", "python dry.py", by="python3 dry.py")
    assert confirming(answer, event) == ["a"]


def test_quoting_is_a_remedy():
    answer = lesson(
        "Quote it: `lampctl get 'lamps?all=1'`.", "`lampctl get lamps?all=1`"
    )
    event = failure("a", "lampctl get piers?wet=1", by="lampctl get 'piers?wet=1'")
    assert confirming(answer, event) == ["a"]


def test_one_operand_in_place_of_several():
    answer = lesson("One filter only: `cargo test <name>`.", "`cargo test a b`")
    event = failure("a", "cargo test north pier", by="cargo test north")
    assert confirming(answer, event) == ["a"]


def test_where_the_same_call_worked_the_step_between_is_the_remedy():
    answer = lesson("First `lampctl dry`, then again.", "`lampctl light pier`")
    event = failure(
        "a",
        "lampctl light pier",
        by="lampctl light pier",
        tried=(ended("lampctl dry"),),
    )
    assert confirming(answer, event) == ["a"]


def test_a_step_near_another_ending_is_not_the_remedy():
    answer = lesson("First `lampctl dry`, then again.", "`lampctl light pier`")
    event = failure(
        "a",
        "lampctl light pier",
        by="lampctl replace pier --wick new",
        tried=(ended("lampctl dry"),),
    )
    assert confirming(answer, event) == []


def test_what_the_error_names_is_not_what_the_remedy_brings():
    answer = lesson("Not yours: `lamps/old` is a copy; leave it.", "wickcheck fails")
    event = failure(
        "a",
        "wickcheck",
        "wickcheck: lamps/old/pier.go: no wick",
        by="wickcheck",
        tried=(ended("rm -r lamps/old"),),
    )
    assert confirming(answer, event) == []


def test_words_of_an_edit_speak_for_a_lesson_about_code():
    answer = lesson("Call `trimWick()` before it burns.", "wickcheck: `untrimmed`")
    change = "- burn(w) ⏎ + trimWick(w); burn(w)"
    edit = ended(f"Edit lamps/pier.go ⏎ {change}", tool="Edit")
    event = failure("a", "wickcheck", by="wickcheck", tried=(edit,))
    assert confirming(answer, event) == ["a"]
    of_the_file = lesson("Look into `pier.go`.", "wickcheck: `untrimmed`")
    assert confirming(of_the_file, event) == []


def test_a_path_is_known_by_its_end():
    answer = lesson("It is `lamps/pier/wick.go`.", "`Read` of `lamps/wick.go`")
    event = failure(
        "a",
        "Read /home/o/harbor/lamps/wick.go",
        tool="Read",
        by=ended("Read /home/o/harbor/lamps/pier/wick.go", tool="Read"),
    )
    assert confirming(answer, event) == ["a"]


def test_another_file_than_the_lesson_names_is_another_end():
    answer = lesson("It is `lamps/pier/wick.go`.", "`Read` of `lamps/wick.go`")
    event = failure(
        "a",
        "Read /home/o/harbor/lamps/wick.go",
        tool="Read",
        by=ended("Read /home/o/harbor/lamps/quay/oil.go", tool="Read"),
    )
    result = heard(answer, event)
    assert (result.confirming, result.otherwise) == ((), 1)


def test_an_unseen_end_counts_where_the_error_did_not_come_again():
    answer = lesson("`lampctl light --dry`.", WET)
    further = ended("lampctl light --dry", worked=False, printed="north: lit")
    again = ended("lampctl light --dry", worked=False, printed="lampctl: wick is wet")
    assert confirming(answer, failure("a", "lampctl light --all", tried=(further,)))
    result = heard(answer, failure("a", "lampctl light --all", tried=(again,)))
    assert not result.confirming
    assert [item.session for item in result.contradicting] == ["a"]


def test_a_call_made_as_the_lesson_says_that_fails_alike_is_against_it():
    answer = lesson("`lampctl light --dry`.", "`lampctl light pier`", cites=(1, 2))
    events = [
        failure("a", "lampctl light pier", by="lampctl light --dry pier", time=1.0),
        failure("b", "lampctl light --dry pier", time=2.0),
        failure("c", "lampctl light --dry pier", "lampctl: out of oil", time=3.0),
    ]
    result = heard(answer, *events)
    assert [item.session for item in result.confirming] == ["a"]
    assert [item.session for item in result.contradicting] == ["b"]


@pytest.mark.parametrize(
    "warning", ["Never `lampctl -C <path>`:", "`lampctl -C <path>` lacks a pier:"]
)
def test_a_command_that_the_remedy_warns_of_is_not_what_it_tells(warning):
    answer = lesson(f"{warning} stand there and run `lampctl light`.", "")
    events = [
        failure("a", "lampctl -C /pier light", by="lampctl light"),
        failure("b", "lampctl -C /quay light"),
    ]
    result = heard(answer, *events)
    assert [item.session for item in result.confirming] == ["a"]
    assert not result.contradicting


def test_a_lesson_that_names_nothing_has_only_the_episodes_it_cites():
    answer = lesson("Let the wick dry for a night.", "the wick is wet", cites=(1,))
    said = {"because": "The wick has to dry first.", "by": "lampctl light --all"}
    events = [
        failure("a", "lampctl light", time=1.0, **said),
        failure("b", "lampctl light", time=2.0, **said),
    ]
    assert confirming(answer, *events) == ["a"]


def test_an_episode_that_does_not_speak_of_it_is_no_witness_though_cited():
    answer = lesson("Paint the mast white.", "the wick is wet", cites=(1, 2, 3, 4))
    event = failure("a", "lampctl light", by="lampctl light --all")
    assert confirming(answer, event) == []
    named = lesson("Use `mastpaint`.", "the wick is wet", cites=(1, 2, 3, 4))
    assert confirming(named, event) == []


@pytest.mark.parametrize("scope", ["user", "repo"])
def test_each_session_in_which_a_person_said_it_is_a_witness(scope):
    said = {"kind": "person", "error": ""}
    events = [
        failure("a", "git push", person="never push to the pier branch", **said),
        failure("b", "git push", person="do not push the pier branch!", **said),
        failure("c", "git push", person="the harbor master wants tea", **said),
    ]
    answer = lesson("Do not push to `pier`.", scope=scope, cites=(1,))
    sessions = set(confirming(answer, *events, kind="person"))
    assert sessions >= {"a", "b"} or sessions == {"c"}
    cited_first = shown(problem_of(*events, kind="person")).lines[0].session
    assert cited_first in sessions


def test_a_refusal_of_the_call_that_the_situation_names_is_a_word():
    refused = {"kind": "refused", "error": ""}
    events = [
        failure("a", "lampctl test --slow", person="too slow, do not", **refused),
        failure("b", "lampctl test --slow north", **refused),
        failure("c", "rm -r lamps", **refused),
    ]
    answer = lesson("Ask first.", "About to run `lampctl test --slow`", scope="user")
    assert confirming(answer, *events, kind="person") == ["a", "b"]


@pytest.mark.parametrize(
    "remedy",
    [
        "Use `lampctl light --dry` (it says ``a ` b`` then).",
        "Use `lampctl light --dry` below `C:\\lamps\\pier`.",
        "Use `lampctl light --dry`\tnow.",
        "Use `lampctl light --dry` and ` a lone tick.",
        "Use `lampctl light --dry '` with care.",
    ],
)
def test_backticks_windows_paths_and_tabs_cost_no_witness(remedy):
    event = failure("a", "lampctl light --all", by="lampctl light --dry")
    assert confirming(lesson(remedy, WET), event) == ["a"]


def test_a_call_that_passed_by_itself_speaks_for_trying_again():
    answer = lesson("It passes: run the same `lampctl light` again.", WET)
    again = failure("a", "lampctl light pier", by="lampctl light pier")
    otherwise = failure("b", "lampctl light pier", by="lampctl light --dry pier")
    assert confirming(answer, again, otherwise) == ["a"]
    tried = ended("lampctl light pier", worked=False, printed="lampctl: wick is wet")
    in_vain = failure(
        "c", "lampctl light pier", by="lampctl light --dry pier", tried=(tried,)
    )
    assert [item.session for item in heard(answer, in_vain).contradicting] == ["c"]


def test_a_program_that_is_not_there_needs_no_end():
    missing = "zsh: command not found: lampctl"
    situation = f"`lampctl light`: {missing}"
    answer = lesson("This machine has none: do without.", situation, cites=(1, 2))
    event = failure("a", "lampctl light pier", missing)
    present = failure("b", "lampctl light pier", "lampctl: wick is wet")
    assert confirming(answer, event, present) == ["a"]


def test_what_only_the_situation_names_and_the_ending_lacks_shows_no_other_remedy():
    situation = "A filter with `!=`: 'bad filter'"
    failing, ending = "lampctl filter 'wick != dry'", "lampctl filter 'wick == wet'"
    event = failure("a", failing, "bad filter", by=ending)
    elsewhere = lesson("Write `# lampctl: quiet` on that line.", situation)
    without = lesson("Ask for it without `!=`.", situation)
    assert confirming(elsewhere, event) == []
    assert confirming(without, event) == ["a"]


def test_one_word_that_two_sentences_share_is_no_word_for_the_lesson():
    said = {"kind": "person", "error": ""}
    events = [
        failure("a", "make", person="commit, push and open a request please", **said),
        failure("b", "make", person="commit and push, then the request", **said),
    ]
    wish = lesson(
        "The person wants commit, push and a request.", scope="user", cites=(1, 2)
    )
    other = lesson("The hook of a commit trims wicks: trim by hand.", scope="user")
    assert confirming(wish, *events, kind="person") == ["a", "b"]
    assert confirming(replace(other, cites=(1, 2)), *events, kind="person") == []


def test_who_cites_three_sessions_of_which_one_says_it_has_heard_it_in_other_words():
    said = {"kind": "refused", "error": ""}
    words = ("can we discuss it first?", "hold on, talk to me", "pause for a second")
    events = [
        failure(session, "Edit lens.go", person=text, **said)
        for session, text in zip("abc", words, strict=True)
    ]
    wish = lesson("Discuss the way before editing.", scope="user", cites=(1, 2, 3))
    assert confirming(wish, *events, kind="person") == ["a", "b", "c"]
    assert confirming(replace(wish, cites=(2, 3)), *events[1:], kind="person") == []
    other = lesson("Paint the mast white.", scope="user", cites=(1, 2, 3))
    assert confirming(other, *events, kind="person") == []


def test_words_of_one_root_are_one_word():
    said = {"kind": "person", "error": ""}
    events = [
        failure("a", "make", person="let us avoid duplication here", **said),
        failure("b", "make", person="can the lamps be shared too?", **said),
    ]
    wish = lesson("Share it, do not duplicate.", scope="user", cites=(1, 2))
    assert confirming(wish, *events, kind="person") == ["a", "b"]


def test_errors_that_name_something_else_are_not_about_the_lesson():
    situation = "`lampctl show --fields wick,glow`: 'unknown field: glow'"
    answer = lesson("Leave out `glow`.", situation, cites=(1, 2, 3))
    other = "unknown field: soot"
    events = [
        failure(
            "a",
            "lampctl show --fields wick,glow",
            "unknown field: glow",
            by="lampctl show --fields wick",
        ),
        failure("b", "lampctl show --fields soot", other, by="lampctl list"),
    ]
    assert heard(answer, *events).otherwise == 0


def test_a_path_that_the_error_names_and_the_ending_lacks_is_left_out():
    situation = "`lampctl add A B`: 'no such lamp'"
    answer = lesson("One lamp that is not there stops all: leave it out.", situation)
    event = failure(
        "a",
        "lampctl add lamps/pier lamps/quay",
        "no such lamp: lamps/quay",
        by="lampctl add lamps/pier",
    )
    moved = failure(
        "b",
        "lampctl add lamps/pier lamps/quay",
        "no such lamp: lamps/quay",
        by="lampctl add lamps/pier lamps/old/quay",
    )
    assert confirming(answer, event, moved) == ["a"]


def test_a_check_that_is_run_again_by_itself_is_the_same_check():
    answer = lesson("Write `wick.trim(dry)`.", "`lampctl check`: wick is wet")
    edit = ended("Edit pier.go ⏎ + wick.trim(dry)", tool="Edit")
    by = "lampctl check pier | tail -5"
    event = failure("a", "lampctl light && lampctl check pier", by=by, tried=(edit,))
    assert confirming(answer, event) == ["a"]
    other = failure("b", "lampctl check pier", by="lampctl check --dry", tried=(edit,))
    assert confirming(answer, other) == []


def test_an_end_that_is_not_to_be_seen_speaks_for_no_words():
    answer = lesson(
        "The wick was wet for a while, it dries by itself.", WET, cites=(1, 2)
    )
    again = "lampctl light pier"
    because = "the wick is wet for a while and dries by itself"
    dried = failure("a", again, by=again, because=because)
    asked = failure("b", again, by=again, because=because, turns=1)
    assert confirming(answer, dried) == ["a"]
    assert confirming(answer, asked) == []


def test_asking_a_person_is_shown_where_the_same_call_passed_behind_their_turn():
    answer = lesson("Ask the person to dry it, then run the same again.", "wet wick")
    light = "lampctl light pier"
    again = ended(light)
    helped = failure(
        "a", light, by=replace(again, again=True), turns=1, person="its dry now"
    )
    alone = failure("b", light, by=replace(again, again=True))
    in_vain = ended(light, worked=False, printed="lampctl: wick is wet")
    retried = failure("c", light, tried=(in_vain,))
    said = heard(answer, helped, alone, retried)
    assert [witness.session for witness in said.confirming] == ["a"]
    assert said.contradicting == ()


def test_what_an_assistant_found_out_speaks_for_a_cited_lesson_without_an_end():
    answer = lesson(
        "The wet wick of the north lamp comes from the pump, not from your change.",
        "the wick is wet",
        cites=(1, 2, 3, 4),
    )
    because = "The north lamp's wick is wet from the pump, unrelated to this change."
    assert confirming(answer, failure("a", "lampctl light", because=because)) == ["a"]
    other = failure("a", "lampctl light", because="The quay has no lamp at all.")
    assert confirming(answer, other) == []


def mended(session: str, change: str, rule: str = "dupl"):
    """A linter's report that an edit answered."""
    edit = replace(
        ended(f"Edit dock/lens.go ⏎ {change}", tool="Edit"), changes=True, mends=(rule,)
    )
    again = replace(ended("lampctl lint"), again=True)
    report = f"dock/lens.go:4:2: lines are duplicate ({rule})"
    return failure(
        session, "lampctl lint", report, by=again, tried=(edit,), rules=(rule,)
    )


def test_a_comment_that_silences_a_linter_shows_no_lesson_that_does_not_tell_it():
    helper = lesson(
        "Put lines that repeat into a helper such as `newLamp(t)`.",
        "dupl: lines are duplicate",
        cites=tuple(range(1, 9)),
    )
    quiet = lesson(
        "Where it is meant so: `//nolint:dupl // <reason>`.",
        "dupl: lines are duplicate",
        cites=tuple(range(1, 9)),
    )
    moved = mended("a", "+ lamp := newLamp(t)")
    silenced = mended("b", "+ //nolint:dupl // two lamps of one kind")
    by_rule = {"key": "rule dupl"}
    assert heard_of_rule(helper, by_rule, moved, silenced) == (["a"], 1)
    sessions, _ = heard_of_rule(quiet, by_rule, moved, silenced)
    assert "b" in sessions


def heard_of_rule(answer, fields, *events):
    problem = replace(problem_of(*events), **fields)
    said = witnesses_of(answer, problem, shown(problem))
    return [witness.session for witness in said.confirming], said.otherwise


def test_a_lesson_about_one_check_of_a_linter_hears_no_other_check():
    answer = lesson(
        "For a trusted path `//nolint:gosec // <why>`.",
        "G304 (gosec)",
        cites=tuple(range(1, 9)),
    )
    same = mended("a", "+ //nolint:gosec // our own path", "gosec G304")
    other = mended("b", "+ //nolint:gosec // tests only", "gosec G306")
    sessions, otherwise = heard_of_rule(answer, {"key": "rule gosec"}, same, other)
    assert (sessions, otherwise) == (["a"], 0)


def test_a_file_that_was_asked_for_in_vain_is_a_witness_that_it_is_not_there():
    answer = lesson(
        "There is no `dock/wick.go`: it is `dock/lens.go`.", "File does not exist"
    )
    absent = failure("a", "Read", "no such file", tool="Read", target="/x/dock/wick.go")
    other = failure("b", "Read", "no such file", tool="Read", target="/x/dock/oil.go")
    assert confirming(answer, absent, other) == ["a"]


def test_who_looked_in_a_folder_that_is_not_there_bears_out_who_found_where_it_is():
    answer = lesson(
        "no such folder; `wick.go` is in `dock/quay`",
        "Grep in `dock/quay/lamps`",
        cites=(1, 2, 3),
    )

    def looked(session: str, folder: str, by: str = "") -> Event:
        fields = {"tool": "Grep", "target": f"/home/ana/{folder}"}
        call = ended(f"Grep {by}", tool="Grep") if by else None
        error = f"Path does not exist: {folder}"
        return failure(session, f"Grep {folder}", error, by=call, **fields)

    first = looked("a", "dock/quay/lamps", "dock/quay/wick.go")
    deeper, other = (
        looked("b", "dock/quay/lamps/oil"),
        looked("c", "dock/quay/lampshop"),
    )
    assert confirming(answer, first, deeper, other) == ["a", "b"]
    assert confirming(answer, deeper, other) == []  # nobody found it there


@pytest.mark.parametrize(
    "situation", ["Grep `dock/quay/lamps`", "Path does not exist: …/quay/lamps"]
)
def test_what_was_found_in_the_folder_above_bears_out_that_it_is_there(situation):
    answer = lesson("no such folder: lamps are in `dock/quay`", situation)

    def looked(session: str, by: str) -> Event:
        fields = {"tool": "Grep", "target": "/home/ana/dock/quay/lamps"}
        error = "Path does not exist: dock/quay/lamps"
        by_call = ended(f"Grep {by}", tool="Grep")
        return failure(session, "Grep dock/quay/lamps", error, by=by_call, **fields)

    events = looked("a", "dock/quay"), looked("b", "/home/ana/dock/quay/wick.go")
    assert confirming(answer, *events, looked("c", "dock/pier")) == ["a", "b"]


def test_an_episode_with_another_error_is_about_another_lesson():
    answer = lesson("`lampctl dry` first", "`lampctl light`: wick is wet", cites=(1, 2))
    same, other = (
        failure(session, "lampctl light", error, by="lampctl dry && lampctl light")
        for session, error in (("a", "lampctl: wick is wet"), ("b", "oil ran out"))
    )
    assert confirming(answer, same, other) == ["a"]


def test_what_the_state_of_a_session_explains_says_nothing_of_another_cause():
    answer = lesson("`lampctl light --dry`.", "`lampctl light pier`", cites=(1, 2))
    ended_so = failure(
        "a", "lampctl light pier", by="lampctl light --dry pier", time=1.0
    )
    in_vain = failure("b", "lampctl light --dry pier", time=2.0)
    astray = replace(in_vain, state="the shell stands in another directory")
    assert len(heard(answer, ended_so, in_vain).contradicting) == 1
    assert not heard(answer, ended_so, astray).contradicting


def test_a_folder_that_is_there_says_nothing_of_what_was_missed_below_it():
    answer = lesson(
        "`wick.go` is `lens.go` there", "Read of parts in `dock/quay`", cites=(1, 2, 3)
    )

    def read(session: str, name: str, by: str = "") -> Event:
        call = ended(f"Read dock/quay/{by}", tool="Read") if by else None
        fields = {"tool": "Read", "target": f"/home/ana/dock/quay/{name}", "by": call}
        return failure(session, f"Read {name}", "File does not exist", **fields)

    events = [
        read("a", "wick.go", "lens.go"),
        read("b", "oil.go"),
        read("c", "pier.go"),
    ]
    assert confirming(answer, *events) == ["a"]


def test_an_error_that_many_things_have_is_the_same_only_at_the_same_place():
    answer = lesson("`lampctl get harbor/<quay>/oil`", "`lamps/<id>/oil`: HTTP 404")
    same = failure(
        "a", "lampctl get lamps/7/oil", "HTTP 404", by="lampctl get harbor/1/oil"
    )
    other = failure(
        "b", "lampctl get tides/7", "HTTP 404", by="lampctl get harbor/2/oil"
    )
    assert confirming(answer, same, other) == ["a"]
