"""Of all events of a problem, those are shown that say most about it, and of each what belongs to it."""

from __future__ import annotations

from msgspec.structs import replace

from afterglow.harvest.causes import causes_of
from afterglow.harvest.endings import helping_changes, lines_of, way_of
from afterglow.harvest.episodes import episodes
from afterglow.harvest.events.keys import keyed
from afterglow.harvest.writable import is_writable, side_by_side, worth_asking
from afterglow.records.knowledge import WITHOUT
from afterglow.records.problems import (
    Event,
    FollowingCall,
    KnownLesson,
    Problem,
    TellingLine,
)

OIL = "dock/lens.go:4:2: oil is unused (unused)"
WICK = "quay/wick.go:9:1: wick is not checked (errcheck)"


def event(session: str, *lines: str, time: float = 1.0, **fields) -> Event:
    made = Event(
        kind=fields.pop("kind", "failed"),
        session=session,
        agent="a",
        line=3,
        result_line=4,
        call=hash((session, lines)),
        time=time,
        tool="Bash",
        program="lampctl",
        command="lampctl lint",
        lines=tuple(TellingLine(line, 1, 3) for line in lines),
        **fields,
    )
    return keyed(made)


def problem(key: str, *events: Event, kind: str = "failure") -> Problem:
    sessions = tuple(dict.fromkeys(item.session for item in events))
    return Problem(
        id="abcd1234", repo="harbor", kind=kind, key=key, what="x", times=len(events), sessions=sessions,
        calls=1, turns=0, first=1.0, last=2.0, events=events,
    )  # fmt: skip


def edit(path: str, change: str) -> FollowingCall:
    return FollowingCall(5, "Edit", f"Edit {path} ⏎ {change}", True, changes=True)


AGAIN = FollowingCall(9, "Bash", "lampctl lint", True, "0 issues", again=True)
OTHER = FollowingCall(9, "Bash", "lampctl lint --oil", True, "0 issues")


def test_lines_that_make_the_problem_come_first_and_other_rules_not_at_all():
    both = event("a", WICK, OIL)
    assert [line.text for line in lines_of("rule unused", both)] == [OIL]
    assert [line.text for line in lines_of("line x", both)] == [WICK, OIL]


def test_only_changes_that_have_to_do_with_its_lines_are_shown():
    mended = edit("dock/lens.go", "- var oil = 1")
    elsewhere = edit("quay/wick.go", "+ check(err)")
    both = event("a", WICK, OIL, tried=(mended, elsewhere), remedy=AGAIN)
    assert helping_changes("rule unused", both) == [mended]
    assert helping_changes("rule errcheck", both) == [elsewhere]


def test_something_before_the_same_call_passed_must_have_helped():
    unnamed = edit("pier.go", "+ x")
    assert helping_changes("x", event("a", OIL, tried=(unnamed,), remedy=AGAIN)) == [
        unnamed
    ]
    assert helping_changes("x", event("a", OIL, tried=(unnamed,), remedy=OTHER)) == []


def test_edits_that_a_shell_makes_are_one_way_of_ending_as_those_of_an_editor_are():
    def by_shell(command: str) -> FollowingCall:
        return FollowingCall(5, "Bash", command, True, changes=True, edits=True)

    lines = ["sed -i s/oil/wax/ lens.go", "cat > lens.go <<'EOF' … EOF"]
    events = [event("a", OIL, tried=(by_shell(line),), remedy=AGAIN) for line in lines]
    assert {way_of("line x", item) for item in events} == {"then edit"}
    generated = replace(by_shell("lampctl generate"), edits=False)
    failed = event("a", OIL, tried=(events[0].tried[0], generated), remedy=AGAIN)
    assert helping_changes("test lens", failed) == [events[0].tried[0]]


def test_episodes_that_show_their_ending_come_before_others():
    open_ends = [event(f"s{number}", OIL, time=float(number)) for number in range(5)]
    ended = event("s9", OIL, time=2.5, remedy=OTHER)
    chosen = episodes("rule unused", [*open_ends, ended])
    assert ended in [episode.event for episode in chosen]
    solved = [event(f"s{n}", OIL, time=float(n), remedy=OTHER) for n in range(5)]
    chosen = episodes("rule unused", [*open_ends, *solved])
    assert all(episode.event.remedy for episode in chosen)


def test_what_events_say_tells_causes_apart_wherever_it_was_said():
    lines = ["a/b.go:3:1: undefined: oil"] * 2 + ["c.go:9:1: undefined: oil"]
    lines.append("c.go:9:1: undefined: wick")
    events = [event(f"s{number}", line) for number, line in enumerate(lines)]
    causes = causes_of("code x", events)
    assert [(cause.name, cause.sessions) for cause in causes] == [
        ("undefined: oil", 3),
        ("undefined: wick", 1),
    ]


def test_where_all_say_the_same_calls_tell_causes_apart():
    def call(session: str, command: str) -> Event:
        return replace(event(session, "not found"), command=command)

    events = [call("a", "gh api pulls comments"), call("b", "gh api pulls comments -f")]
    events.append(call("c", "curl harbor lamps"))
    causes = causes_of("line not found", events)
    assert [cause.sessions for cause in causes] == [2, 1]


def test_each_check_of_a_linter_and_each_way_to_answer_it_is_a_cause():
    def linted(session: str, rule: str, added: str) -> Event:
        change = replace(edit("lens.go", f"+ {added}"), mends=(rule,))
        line = f"lens.go:4:2: {rule.split()[1]}: x (revive)"
        return event(session, line, rules=(rule,), tried=(change,), remedy=AGAIN)

    quiet = "light() //nolint:revive // it burns"
    events = [
        linted("a", "revive exported", "light()"),
        linted("b", "revive exported", quiet),
        linted("c", "revive exported", quiet),
        linted("d", "revive stutter", "light()"),
    ]
    causes = causes_of("rule revive", events)
    assert [(cause.key, cause.name, cause.sessions) for cause in causes] == [
        ("rule revive exported", "comment that suppresses it", 2),
        ("rule revive exported", "code changed", 1),
        ("rule revive stutter", "code changed", 1),
    ]


def test_every_cause_that_comes_back_is_shown():
    names = ["oil", "wick", "lens", "quay"]
    events = [
        event(f"{name}{number}", f"unknown lamp: {name}", remedy=OTHER)
        for name in names
        for number in range(2)
    ]
    shown = episodes("line x", events)
    told = [episode.event.lines[0].text.split()[-1] for episode in shown]
    assert sorted(told) == sorted(names)
    assert [episode.is_brief for episode in shown] == [False, False, True, True]
    assert {(episode.times, episode.sessions) for episode in shown} == {(2, 2)}


def test_a_problem_that_nothing_ended_and_nobody_spoke_about_is_not_for_writers():
    assert not is_writable(problem("line x", event("a", OIL), event("b", OIL)))
    assert is_writable(problem("line x", event("a", OIL, person="leave the oil")))
    assert is_writable(problem("line x", event("a", OIL, state="elsewhere")))
    assert is_writable(problem("line x", event("a", OIL, remedy=OTHER)))
    assert not is_writable(problem("line x", event("a", OIL, remedy=AGAIN)))


def test_what_rules_told_with_a_place_to_fill_in_is_still_for_writers():
    def told(fact: str) -> Problem:
        lesson = KnownLesson("k1", fact, "active", miner="changes")
        asked = problem("line x", event("a", OIL, remedy=OTHER))
        return replace(asked, lessons=(lesson,))

    assert not is_writable(
        told("`lamp <name>` fails: oil: add `--wet`: `lamp <name> --wet`")
    )
    assert is_writable(
        told("`lamp <name>` fails: oil: add `--on`: `lamp <name> --on <on>`")
    )


def test_different_messages_that_went_when_code_was_edited_are_ordinary_work():
    def failing(session: str, test: str, call: FollowingCall) -> Event:
        return event(session, f"--- FAIL: {test}", tried=(call,), remedy=AGAIN)

    mended = edit("dock/lens.go", "+ light()")
    different = [failing("a", "TestOil", mended), failing("b", "TestWick", mended)]
    assert not is_writable(problem("mute lampctl", *different))
    same = [failing("a", "TestOil", mended), failing("b", "TestOil", mended)]
    assert is_writable(problem("mute lampctl", *same))
    generated = FollowingCall(5, "Bash", "lampctl generate", True, changes=True)
    prepared = [failing("a", "TestOil", generated), failing("b", "TestWick", mended)]
    assert is_writable(problem("mute lampctl", *prepared))


def test_one_message_that_other_files_were_edited_for_each_time_is_ordinary_work():
    verdict = "lamps are not in order"

    def mended(*files: str) -> Problem:
        events = [
            event(
                f"s{n}", verdict, tried=(edit(f"dock/{file}", "+ oil"),), remedy=AGAIN
            )
            for n, file in enumerate(files)
        ]
        return problem(f"line {verdict}", *events)

    assert not is_writable(mended("lens.go", "wick.go", "oil.go", "pier.go"))
    assert is_writable(mended("lens.go", "lens.go", "lens.go", "pier.go"))


def test_refused_edits_are_for_writers_only_with_a_theme():
    refused = [
        event("a", person="not so", kind="refused"),
        event("b", person="why red?", kind="refused"),
    ]
    assert not is_writable(problem("refused Edit", *refused, kind="person"))
    assert not is_writable(problem("refused git add", *refused, kind="person"))
    banned = [replace(item, person="never add plans") for item in refused]
    assert is_writable(problem("refused git add", *banned, kind="person"))
    assert not is_writable(problem("refused Edit", *banned, kind="person"))
    assert is_writable(problem("said lamp red", *refused, kind="person"))


def test_what_is_not_there_is_worth_knowing_though_nothing_ended_it():
    events = [event(name, "rg: tests: No such file") for name in "abc"]
    assert is_writable(problem("file tests", *events))
    assert not is_writable(problem("file tests", *events[:2]))


def test_where_nothing_passed_what_was_done_instead_is_shown():
    instead = FollowingCall(5, "Bash", "gh pr create", True, changes=True)
    because = "405: the branch is protected."
    events = [
        event(name, "curl: 405", tried=(instead,), because=because) for name in "ab"
    ]
    assert helping_changes("line x", events[0]) == [instead]
    assert is_writable(problem("line x", *events))
    silent = event("c", "curl: 405", tried=(instead,))
    assert helping_changes("line x", silent) == []


def known(miner: str, status: str = "active") -> KnownLesson:
    fact = "`lampctl --oil` fails: leave out `--oil`: `lampctl`"
    return KnownLesson("k1", fact, status, miner=miner)


def test_what_rules_tell_already_is_not_asked_about_unless_more_comes_back():
    def told(problem: Problem, lesson: KnownLesson) -> Problem:
        return replace(problem, lessons=(lesson,))

    same = problem("code x", *[event(name, OIL, remedy=OTHER) for name in "ab"])
    assert not is_writable(told(same, known("changes")))
    assert not is_writable(told(same, known("state")))
    assert is_writable(told(same, known("changes", "candidate")))
    assert is_writable(told(same, known("written")))
    further = [event(name, WICK, remedy=OTHER) for name in "cd"]
    both = problem("code x", *same.events, *further)
    assert is_writable(told(both, known("changes")))
    by_state = problem("state the wick is wet", *both.events)
    assert not is_writable(told(by_state, known("state")))
    assert is_writable(told(by_state, known("changes")))
    fact = f"`lampctl` is not on the PATH here: {WITHOUT}."
    what_is_not_there = KnownLesson("k2", fact, "active", miner="state")
    assert is_writable(told(same, what_is_not_there))


def test_what_an_editor_refused_is_not_asked_about_also_where_its_state_explains_it():
    def refused(session: str, **fields) -> Event:
        return replace(event(session, "oldString not found", **fields), tool="edit")

    explained = refused("a", state="an edit that misses by white space", remedy=OTHER)
    assert not is_writable(problem("line oldstring", explained, refused("b")))


def test_different_things_that_were_looked_for_once_each_are_guesses():
    def absent(session: str, name: str) -> Event:
        line = f"ls: {name}: No such file or directory"
        return event(session, line, target=f"dock/{name}", remedy=OTHER)

    guesses = [absent("a", "oil.go"), absent("b", "wick.go")]
    assert not is_writable(problem("line ls", *guesses))
    again = [*guesses, absent("c", "oil.go")]
    assert is_writable(problem("line ls", *again))


def test_a_search_that_says_nothing_is_no_problem_to_write_about():
    silent = [event(name, "lens.go:4: oil", remedy=OTHER) for name in "ab"]
    assert not is_writable(problem("mute rg", *silent))
    assert is_writable(problem("mute lampctl", *silent))


def test_unlike_failures_under_one_closing_line_are_nothing_to_write_about():
    frame = "lamp error: run with --verbose for more"
    key = "line lamp error: run with --verbose for more"
    lines = (
        "error: no oil in the lamp",
        "error: pier gate is shut",
        "error: wick is wet",
    )
    ends = [
        replace(OTHER, command=f"lampctl {name}") for name in ("fill", "open", "dry")
    ]
    unlike = [
        event(name, line, frame, remedy=end)
        for name, line, end in zip("abc", lines, ends, strict=True)
    ]
    assert not is_writable(problem(key, *unlike))
    assert is_writable(problem(key, *unlike[:2]))
    again = [*unlike, event("d", lines[0], frame, remedy=ends[0])]
    assert is_writable(problem(key, *again))


def named(id: str, key: str, *events: Event) -> Problem:
    return replace(problem(key, *events), id=id)


def test_a_file_that_another_dossier_counts_is_not_asked_about_by_itself():
    def absent(session: str, name: str) -> Event:
        line = f"ls: {name}: No such file or directory"
        return event(session, line, target=f"/w/dock/{name}", remedy=OTHER)

    oil = [absent(name, "oil.go") for name in "abc"]
    wick = [absent(name, "wick.go") for name in "de"]
    every = named("every", "line ls: <x>: no such file", *oil, *wick)
    one = named("one", "file oil.go", *oil)
    assert worth_asking([every, one]) == [every]
    assert worth_asking([one]) == [one]


def test_what_more_telling_problems_explain_is_not_asked_about_again():
    oil = [event(name, OIL, remedy=OTHER) for name in "ab"]
    wick = [event(name, WICK, remedy=OTHER) for name in "cd"]
    both = named("both", "line task failed", *oil, *wick)
    rules = [named("oil", "rule unused", *oil), named("wick", "rule errcheck", *wick)]
    assert worth_asking([both, *rules]) == rules
    assert worth_asking([both, rules[0]]) == [both, rules[0]]


def test_of_one_program_and_of_what_people_said_a_question_holds_all_together():
    def asked(id: str, what: str, key: str = "line x", kind: str = "failed"):
        return replace(problem(key, kind=kind), id=id, what=what)

    problems = [
        asked("lint", "lampctl lint: wick is wet"),
        asked("first", "what people refused: deeds 1", "remarks deeds 1", "person"),
        asked("dive", "tide dive: no air"),
        asked("light", "lampctl light: no oil"),
        asked("second", "what people refused: deeds 2", "remarks deeds 2", "person"),
    ]
    ordered = [item.id for item in side_by_side(problems)]
    assert ordered == ["lint", "light", "first", "second", "dive"]


def test_where_one_of_many_causes_comes_back_sessions_with_others_are_shown_whole_too():
    def failed(session: str, call: str, time: float) -> Event:
        return replace(event(session, WICK, time=time, remedy=OTHER), command=call)

    events = [
        failed("a", "lampctl lint the north lamp", 1.0),
        failed("b", "lampctl lint the north lamp", 2.0),
        failed("c", "quayctl moor boats", 3.0),
        failed("d", "tidectl forecast moon", 4.0),
    ]
    whole = [item for item in episodes("line wick", events) if not item.is_brief]
    assert len(whole) == 3
    assert len({item.event.session for item in whole} & {"b", "c", "d"}) >= 2


def test_a_step_is_known_by_how_the_words_of_the_failure_begin():
    step = FollowingCall(5, "Bash", "lampctl generate", True, changes=True)
    missing = event("a", "Missing generated files: lens.json", tried=(step,), remedy=OTHER)  # fmt: skip
    assert helping_changes("line missing", missing) == [step]


def test_what_was_done_next_ended_nothing():
    done = edit("dock/lens.go", "+ oil()")
    unseen = event("a", OIL, tried=(done,), because="oil is used elsewhere")
    assert way_of("line x", unseen) == "next Edit"
    assert way_of("line x", replace(unseen, remedy=AGAIN)) == "then Edit"


def test_of_one_cause_the_episodes_are_shown_that_say_most():
    silent = [event(f"s{n}", OIL, time=float(n)) for n in (1, 9)]
    solved = [
        event(f"t{n}", OIL, time=float(n), remedy=OTHER, because="no oil")
        for n in (3, 5)
    ]
    other = event("u", WICK, time=7.0)
    shown = episodes("line x", [silent[0], *solved, other, silent[1]])
    assert [item.event.session for item in shown if not item.is_brief][:2] == [
        "t3",
        "t5",
    ]


def test_a_line_that_mostly_comes_in_company_is_shown_in_company():
    """A filter (`| tail -3`) leaves the closing line alone, and with it nobody learns what was wrong."""
    closing = "some lamps were not in order"
    lamps = "red green blue tall small round wide long".split()

    def lines_shown(whole: int, cut: int) -> set[int]:
        events = [
            event(f"w{n}", f"crooked: {lamp}", closing, time=n, remedy=OTHER)
            for n, lamp in enumerate(lamps[:whole])
        ]
        events += [
            event(f"c{n}", closing, time=100 + n, remedy=OTHER) for n in range(cut)
        ]
        return {
            len(item.event.lines)
            for item in episodes(f"line {closing}", events)
            if not item.is_brief
        }

    assert lines_shown(whole=8, cut=4) == {2}
    assert lines_shown(whole=4, cut=8) == {1}


def test_a_test_is_worth_a_dossier_where_it_failed_elsewhere():
    name = "--- FAIL: TestLamps (0.01s)"
    here = [
        event(f"s{n}", name, tried=(edit("lamp.go", "+ a"),), remedy=AGAIN)
        for n in (1, 2)
    ]
    assert not is_writable(problem("test TestLamps", *here))
    of_ci = [replace(here[0], kind="ci"), here[1]]
    assert is_writable(problem("test TestLamps", *of_ci))
