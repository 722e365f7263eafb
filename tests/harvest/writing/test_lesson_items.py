"""What a lesson is worth as an item: how many stand behind it and against it, and a person's own words."""

from __future__ import annotations

from msgspec.structs import replace

from afterglow.harvest.writing.lesson import item_of_lesson
from afterglow.harvest.writing.named_by_person import is_named_by_person
from afterglow.records.knowledge import ONE_DAY, Evidence, lacks_only_a_witness
from afterglow.records.writing import Witness, Witnesses
from lamp_problems import case, failure, lesson, problem_of, shown


def cites(problem, *parts: str) -> tuple[int, ...]:
    return tuple(line.number for line in shown(problem).lines if line.part in parts)


def test_a_name_is_a_person_s_if_they_said_it_and_the_call_did_not():
    remedy = "The lamps hang on 10.9.8.7: `lampctl --at <host>`."
    said = failure("a", "lampctl light", person="its on 10.9.8.7, look there")
    assert is_named_by_person(remedy, said)
    assert not is_named_by_person(remedy, replace(said, person="look there"))
    known = replace(said, command="lampctl light 10.9.8.7")
    assert not is_named_by_person(remedy, known)


def span(trust: str, quote: str, part: str = "text") -> Evidence:
    return Evidence(
        session="a",
        agent="claude-code",
        line=3,
        start=0,
        length=len(quote),
        hash="h",
        quote=quote,
        part=part,
        trust=trust,
        time=1000.0,
    )


def test_what_a_person_named_in_their_own_words_needs_no_second_session():
    event = failure("a", "lampctl light", person="it hangs on 10.9.8.7", person_line=9)
    answer = lesson("the lamp hangs on 10.9.8.7, not here", "lamp not found")
    problem = problem_of(event)
    answer = replace(answer, cites=cites(problem, "failure", "person"))
    read = case(answer, problem)
    assert read.witnesses.confirming[0].said_line == 9
    own = [span("assistant", "lampctl light", "arguments"), span("user", "it hangs on 10.9.8.7")]  # fmt: skip
    item = item_of_lesson(read, own, ())
    assert (item.status, item.reason) == ("active", "a person's own words")
    assert item.confidence > 0.7
    other = [own[0], span("user", "go on please")]
    assert item_of_lesson(read, other, ()).status == "candidate"


def test_sessions_of_one_day_wait_for_one_of_another_day():
    events = [failure(name, "lampctl light", by="lampctl light --dry") for name in "ab"]
    problem = problem_of(*events)
    answer = replace(lesson("`lampctl light --dry`", "lamp not found"), cites=(1,))
    acts = [replace(span("assistant", "lampctl light --dry", "arguments"), session=name) for name in "ab"]  # fmt: skip
    item = item_of_lesson(case(answer, problem), acts, ())
    assert (item.status, item.reason) == ("candidate", ONE_DAY)
    assert lacks_only_a_witness(item)


def test_a_lesson_was_confirmed_when_its_remedy_was_last_shown():
    events = [
        failure("a", "lampctl light", by="lampctl light --dry", time=1000.0),
        failure("b", "lampctl light", time=9000.0),
    ]
    problem = problem_of(*events)
    answer = replace(lesson("`lampctl light --dry`", "lamp not found"), cites=(1,))
    item = item_of_lesson(case(answer, problem), [span("assistant", "x")], ())
    assert item.last_confirmed == 1000.0


def test_a_wish_that_was_said_once_still_waits():
    event = failure(
        "a", "lampctl light", kind="person", person="lamps go to docs/lamps"
    )
    problem = problem_of(event, kind="person")
    answer = lesson("Lamps go to `docs/lamps`.", "a lamp", scope="user", cites=(1,))
    item = item_of_lesson(case(answer, problem), [span("user", event.person)], ())
    assert item.status == "candidate"


def test_sessions_against_a_lesson_weigh_by_their_share_however_few_are_traced():
    events = [failure(f"s{n}", "lampctl light", by="lampctl light --dry") for n in range(45)]  # fmt: skip
    problem = problem_of(*events)
    answer = lesson("`lampctl light --dry`", "wick is wet")
    traced = [
        replace(span("assistant", f"lampctl light --dry {n}", "arguments"), session=f"s{n}", hash=f"h{n}", time=n * 90000.0)
        for n in range(8)
    ]  # fmt: skip

    def of(against: int):
        witnesses = Witnesses(
            tuple(Witness(f"s{n}", 4) for n in range(45)),
            tuple(Witness(f"x{n}", 4) for n in range(against)),
        )
        return item_of_lesson(case(answer, problem, witnesses=witnesses), traced, ())

    assert of(8).confidence > 0.7
    assert (of(8).status, of(8).against) == ("active", 8)
    assert of(40).confidence < of(8).confidence < of(0).confidence
    assert of(50).status == "candidate"
