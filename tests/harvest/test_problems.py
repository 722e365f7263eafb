"""Events become problems: coarse, each call once, without noise, with ids that last."""

from __future__ import annotations

import random

from msgspec.structs import replace

from afterglow.harvest.events.keys import keyed
from afterglow.harvest.problems import problem_id, problems_of, telling_events
from afterglow.harvest.sayings import themes
from afterglow.records.problems import Event, FollowingCall, SessionEvents, TellingLine


def event(
    session: str,
    text: str = "lampctl: wick is wet",
    *,
    call: int | None = None,
    **fields,
) -> Event:
    made = Event(
        kind=fields.pop("kind", "failed"),
        session=session,
        agent="claude-code",
        line=4,
        result_line=5,
        call=call if call is not None else hash((session, text)) & 0xFFFFFFFF,
        time=fields.pop("time", 1000.0),
        tool="Bash",
        program=fields.pop("program", "lampctl"),
        command="lampctl ignite",
        lines=(TellingLine(text, fields.pop("good", 7), 3),),
        calls=fields.pop("calls", 2),
        **fields,
    )
    return keyed(made)


def of(*events: Event, **fields) -> SessionEvents:
    return SessionEvents(tuple(events), **fields)


def test_what_two_sessions_met_is_a_problem():
    (problem,) = problems_of("harbor", [of(event("a")), of(event("b", time=2000.0))])
    assert (problem.times, problem.sessions, problem.calls) == (2, ("a", "b"), 4)
    assert (problem.first, problem.last) == (1000.0, 2000.0)
    assert "wick is wet" in problem.what


def test_what_one_session_met_is_none_unless_asked_for():
    assert problems_of("harbor", [of(event("a"), event("a", call=9))]) == []
    assert len(problems_of("harbor", [of(event("a"))], least=1)) == 1


def test_a_call_that_a_fork_repeats_counts_once():
    sessions = [of(event("a", call=1)), of(event("fork", call=1, time=3000.0))]
    (kept,) = telling_events(sessions)
    assert kept.session == "a"
    assert problems_of("harbor", sessions) == []


def test_lines_that_good_runs_print_too_are_noise():
    hidden = event("a", kind="hidden", good=41)
    assert telling_events([of(hidden), of(good=(41,))]) == []
    assert telling_events([of(hidden), of(good=(42,))]) == [hidden]


def test_a_failed_call_stays_an_event_whatever_good_runs_print():
    failed = event("a", good=41)
    assert telling_events([of(failed, good=(41,))]) == [failed]


def test_silence_is_strange_only_where_a_check_prints_by_habit():
    silent = keyed(replace(event("a", kind="empty"), lines=()))
    assert telling_events([of(silent, printing={"lampctl": (9, 1)})]) == [silent]
    assert telling_events([of(silent, printing={"lampctl": (1, 9)})]) == []
    assert telling_events([of(silent, printing={"lampctl": (2, 0)})]) == []


def test_words_are_strange_only_where_a_check_is_silent_by_habit():
    lines = (TellingLine("Diff in lens.rs", 3, 0),)
    spoken = keyed(replace(event("a", kind="hidden"), lines=lines))
    assert telling_events([of(spoken, printing={"lampctl": (0, 9)})]) == [spoken]
    assert telling_events([of(spoken, printing={"lampctl": (9, 0)})]) == []


def test_names_and_numbers_do_not_part_a_problem():
    sessions = [
        of(event("a", "open '/x/lamp-1.txt': locked by 4711")),
        of(event("b", "open '/y/buoy.txt': locked by 12")),
    ]
    assert len(problems_of("harbor", sessions)) == 1


def test_one_run_that_breaks_two_rules_is_in_two_problems():
    both = keyed(replace(event("a"), rules=("errcheck", "nilerr")))
    sessions = [
        of(both),
        of(keyed(replace(event("b", "x"), rules=("errcheck",)))),
        of(keyed(replace(event("c", "y"), rules=("nilerr",)))),
    ]
    names = {problem.key for problem in problems_of("harbor", sessions)}
    assert {"rule errcheck", "rule nilerr"} <= names


def test_families_with_nearly_the_same_events_are_one_problem_with_all_their_ids():
    sessions = [of(event(name, "zsh:1: command not found: lampctl")) for name in "abc"]
    (problem,) = problems_of("harbor", sessions)
    assert problem.key == "program lampctl"
    assert problem.also


def test_a_small_family_of_which_another_holds_all_but_one_event_is_that_problem():
    lines = ("lens: no oil in the lamp", "pier: gate is shut")
    both = [
        replace(event(name), lines=tuple(TellingLine(text, 3, 3) for text in lines))
        for name in "abc"
    ]
    others = [event("d", lines[0]), event("e", lines[0]), event("f", lines[1])]
    sessions = [of(keyed(each)) for each in [*both, *others]]
    (problem,) = problems_of("harbor", sessions)
    assert problem.times == 6


def test_what_people_say_is_grouped_by_what_it_is_about():
    def said(session: str, words: str) -> Event:
        return keyed(
            replace(
                event(session, call=hash(words) & 0xFFFF),
                kind="person",
                lines=(),
                person=words,
                turns=1,
            )
        )

    sessions = [
        of(said("a", "never commit lamps to the main branch")),
        of(said("b", "do not commit any lamps on branch main please")),
        of(said("c", "we use brass polish for lenses")),
    ]
    (problem,) = problems_of("harbor", sessions)
    assert (problem.kind, problem.sessions) == ("person", ("a", "b"))


def test_the_dearest_comes_first():
    cheap = [of(event(name, "lampctl: wick is wet")) for name in "ab"]
    dear = [of(event(name, "lampctl: oil has run out", calls=20)) for name in "cd"]
    first, second = problems_of("harbor", [*cheap, *dear])
    assert (first.cost, second.cost) == (40, 4)


def test_ids_do_not_depend_on_the_order_of_sessions_and_differ_by_repository():
    texts = [
        "wick is wet",
        "oil has run out",
        "lens is cracked",
        "zsh:1: command not found: oiler",
    ]
    sessions = [
        of(event(f"s{number}", texts[number % 4], call=number, time=float(number)))
        for number in range(24)
    ]
    expected = [
        (problem.id, problem.also) for problem in problems_of("harbor", sessions)
    ]
    shuffler = random.Random(3)
    for _ in range(5):
        shuffler.shuffle(sessions)
        assert [
            (problem.id, problem.also) for problem in problems_of("harbor", sessions)
        ] == expected
    assert not {name for name, _ in expected} & {
        problem.id for problem in problems_of("quay", sessions)
    }


def test_ids_last_when_a_session_is_added():
    before = [of(event("a")), of(event("b"))]
    (problem,) = problems_of("harbor", before)
    remedy = FollowingCall(9, "Bash", "lampctl dry && lampctl ignite", True)
    grown = problems_of("harbor", [*before, of(event("c", remedy=remedy, time=9000.0))])
    assert [item.id for item in grown] == [problem.id]


def said(session: str, words: str, **fields) -> Event:
    person = replace(
        event(session, call=hash((session, words)) & 0xFFFFFF),
        kind="person",
        lines=(),
        person=words,
        turns=1,
        **fields,
    )
    return keyed(person)


def test_what_is_merely_asked_for_counts_when_it_is_asked_for_again_and_again():
    requests = [
        "can you add tests for the lamps?",
        "could we add a test for lamps too?",
        "please add some tests of lamps",
        "did you add lamp tests?",
    ]
    sessions = [
        of(said(name, words)) for name, words in zip("abcd", requests, strict=True)
    ]
    (problem,) = problems_of("harbor", sessions)
    assert (problem.kind, len(problem.sessions)) == ("person", 4)
    assert problems_of("harbor", sessions[:3]) == []
    assert problems_of("harbor", sessions[:1], least=1) == []


def test_every_sentence_of_a_theme_leads_to_its_problem():
    sessions = [
        of(said("a", "never commit lamps to the main branch")),
        of(said("b", "do not commit any lamps on branch main please")),
    ]
    (problem,) = problems_of("harbor", sessions)
    ids = {
        problem_id("harbor", "person", key)
        for session in sessions
        for key in session.events[0].keys
    }
    assert ids <= {problem.id, *problem.also}


def test_words_that_everybody_uses_do_not_make_a_theme():
    places = "quay pier mole dock buoy reef".split()
    sessions = [
        of(said(place, f"never light the lamps of the {place} before the {place} bell"))
        for place in places
    ]
    common = [of(said(f"x{n}", f"never light lamps {n * 'z'}ink")) for n in range(3, 9)]
    alone = {len(problem.sessions) for problem in problems_of("harbor", sessions)}
    assert alone <= {len(places)}
    assert len(themes([s.events[0] for s in [*sessions, *common]])) > 1


def test_refusals_with_the_same_words_are_one_problem_whatever_was_refused():
    def refused(session: str, program: str, words: str) -> Event:
        made = replace(
            event(session, call=hash((session, words)) & 0xFFFFFF, program=program),
            kind="refused",
            lines=(),
            person=words,
        )
        return keyed(made)

    sessions = [
        of(refused("a", "git add", "do not commit the design notes")),
        of(refused("b", "git commit", "leave the design notes out of the commit")),
        of(refused("c", "git add", "why is the lens red?")),
        of(refused("d", "git add", "which quay?")),
    ]
    problems = problems_of("harbor", sessions)
    keys = {problem.sessions: problem.key for problem in problems}
    assert keys["a", "b"].startswith("said ")
    assert keys["c", "d"] == "refused git add"


def test_a_line_that_only_frames_others_counts_what_nothing_else_explains():
    frame = TellingLine("error: lamps failed, to try again pass `--lamps`", 1, 3)
    causes = ["oil has run out"] * 2 + ["wick is wet"] * 2 + ["lens broke", "no keeper"]
    sessions = []
    for number, cause in enumerate(causes):
        lines = (TellingLine(f"lampctl: {cause} today", 2, 3), frame)
        sessions.append(
            of(keyed(replace(event(f"s{number}", call=number), lines=lines)))
        )
    problems = {problem.what: problem.times for problem in problems_of("h", sessions)}
    assert problems == {
        "lampctl: lampctl: oil has run out today": 2,
        "lampctl: lampctl: wick is wet today": 2,
        "lampctl: error: lamps failed, to try again pass `--lamps`": 2,
    }


def test_families_that_grow_together_hold_the_events_of_both():
    def broken(number: int, line: str) -> SessionEvents:
        lines = (TellingLine(line, number, 3),)
        made = replace(event(f"s{number}", call=number), lines=lines, rules=("oil",))
        return of(keyed(replace(made, rules=("oil",) if number else ())))

    sessions = [
        broken(number, "lampctl: ERR_OIL no oil in tank") for number in range(6)
    ]
    (problem,) = problems_of("harbor", sessions)
    assert problem.key == "rule oil"
    assert problem.times == 6


def test_programs_that_are_missing_once_each_are_one_problem():
    sessions = [
        of(event(name, f"zsh:1: command not found: {program}"))
        for name, program in zip("abc", ("oiler", "lenser", "wicker"), strict=True)
    ]
    (problem,) = problems_of("harbor", sessions)
    assert problem.what == "programs that are not there"
    assert problem.times == 3


def test_what_good_runs_print_too_does_not_head_a_problem():
    banner = TellingLine("lamps of the harbour, second edition", 41, 0)
    failed = replace(event("a"), lines=(banner,))
    (stays,) = telling_events([of(failed, good=(41,))])
    assert (stays.call, stays.lines) == (failed.call, ())
    spoken = replace(failed, lines=(banner, TellingLine("the wick is wet", 43, 1)))
    (stays,) = telling_events([of(spoken, good=(41,))])
    assert [line.text for line in stays.lines] == ["the wick is wet"]


def test_where_a_thread_ended_says_nothing_and_why_says_all():
    place = "thread 'lamps::oil' (12) panicked at src/lamps.rs:4:2:"
    keys = event("a", f"{place} ⏎ the wick was not trimmed").keys
    assert [key for key in keys if key.startswith("line ")] == [
        "line the wick was not trimmed"
    ]


def test_what_one_laid_down_and_three_ask_for_is_one_rule():
    def said(session: str, words: str) -> Event:
        spoken = event(session, person=words, kind="person")
        return keyed(replace(spoken, lines=(), program="gh api"))

    rule = said("a", "always reply to the comment with the commit sha")
    asks = [
        said("b", "reply to the comment with the sha"),
        said("c", "now reply to this comment, sha too"),
    ]
    (problem,) = problems_of("harbor", [of(item) for item in (rule, *asks)])
    assert problem.sessions == ("a", "b", "c")
    assert problems_of("harbor", [of(item) for item in asks]) == []


def test_a_problem_is_named_by_what_most_of_its_events_say():
    events = [
        event("a", time=1000.0),
        event("b", time=2000.0),
        event("c", program="quayctl", time=3000.0),
    ]
    (problem,) = problems_of("harbor", [of(each) for each in events])
    assert problem.what == "lampctl: lampctl: wick is wet"


def test_what_failed_on_one_machine_is_one_problem_where_nothing_else_says_why():
    there = "ssh keeper@<ip>"
    sessions = [
        of(event("a", "sh: cd: /srv/old: No such file", program="lampctl", host=there)),
        of(event("b", "cat: wick.yml is not readable", program="cat", host=there)),
    ]
    (problem,) = problems_of("harbor", sessions)
    assert problem.what == "ssh keeper@<address>: what fails there"
    assert problem.sessions == ("a", "b")
