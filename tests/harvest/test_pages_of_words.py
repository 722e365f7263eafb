"""What people refused or put right, page by page: every sentence that may come back in other words, and no other."""

from __future__ import annotations

from msgspec.structs import replace

from afterglow.harvest.dossiers import dossier
from afterglow.harvest.families import Family
from afterglow.harvest.pages_of_words import PAGE, pages_of
from afterglow.harvest.problems import problems_of
from afterglow.records.problems import SessionEvents
from afterglow.text.tokens import estimate
from lamp_problems import failure


def refusal(session: str, words: str, *, tool: str = "Edit", **fields):
    event = failure(session, f"{tool} lens.go", "", kind="refused", tool=tool, **fields)
    return replace(event, person=words, program=tool)


def refusals(count: int, **fields) -> list:
    return [
        refusal(f"s{number}", f"no lamp number{number} on pier{number}", time=float(number), **fields)
        for number in range(count)
    ]  # fmt: skip


def test_refusals_of_several_sessions_stand_on_one_page():
    (page,) = pages_of(refusals(6), [])
    assert (page.key, len(page.events)) == ("remarks proposals 1", 6)


def test_few_sentences_or_few_sessions_make_no_page():
    assert pages_of(refusals(4), []) == []
    of_two = [replace(item, session=f"s{n % 2}") for n, item in enumerate(refusals(8))]
    assert pages_of(of_two, []) == []


def test_a_full_page_stays_as_it_is_when_more_is_said():
    events = refusals(2 * PAGE)
    (first,) = pages_of(events[: PAGE + 2], [])
    first_later, second = pages_of(events, [])
    assert first == first_later
    assert second.key == "remarks proposals 2"


def test_what_was_refused_to_be_done_stands_apart_from_what_was_shown():
    deeds = [
        replace(event, person=f"{event.person}, dry it")
        for event in refusals(5, tool="Bash")
    ]
    pages = pages_of([*refusals(5), *deeds], [])
    assert [page.key for page in pages] == ["remarks deeds 1", "remarks proposals 1"]


def test_questions_what_is_so_and_words_about_oneself_are_of_the_moment():
    asked = [
        *refusals(5),
        refusal("s7", "what does the lamp do here?"),
        refusal("s8", "i'll light the lamp myself"),
    ]
    (page,) = pages_of(asked, [])
    assert len(page.events) == 5


def test_what_stands_in_a_theme_of_its_own_is_on_no_page():
    events = refusals(6)
    (page,) = pages_of(events, [Family("said lamp", (events[0],))])
    assert events[0] not in page.events
    (page,) = pages_of(events, [Family("refused Edit", tuple(events))])
    assert len(page.events) == 6


def test_a_page_is_a_problem_whose_dossier_shows_each_sentence_in_a_line():
    sessions = [SessionEvents((event,)) for event in refusals(6)]
    pages = [each for each in problems_of("harbor", sessions) if "remarks" in each.key]
    (page,) = pages
    assert (page.kind, page.what) == ("person", "what people refused or put right: proposals 1")  # fmt: skip
    shown = dossier(page, estimate)
    assert len(shown.lines) == 6
    assert {line.part for line in shown.lines} == {"person"}
    assert '"no lamp number0 on pier0" (no to Edit lens.go)' in shown.text
    assert shown.tokens <= 400
