"""What a writer cites as the end of an episode counts, unless the episode says otherwise."""

from __future__ import annotations

from msgspec.structs import replace

from afterglow.harvest.writing.cited_lines import cited_in, is_borne_out
from afterglow.harvest.writing.same_matter import cited_elsewhere, read_together
from afterglow.harvest.writing.witnesses import witnesses_of
from lamp_problems import ended, failure, lesson, problem_of, shown


def edited(session: str, change: str, **fields):
    """The same call passed after an edit."""
    edit = replace(ended(f"Edit lens.md ⏎ {change}", tool="Edit"), changes=True)
    again = replace(ended("lampctl light"), again=True)
    return failure(session, "lampctl light", by=again, tried=(edit,), **fields)


def cites(problem, *parts: str) -> tuple[int, ...]:
    return tuple(line.number for line in shown(problem).lines if line.part in parts)


def test_an_episode_is_shown_by_who_cites_its_end_and_not_by_who_cites_its_failure():
    problem = problem_of(failure("a", "lampctl light", by="lampctl light --dry"))
    call = problem.events[0].call
    told = lesson("x", cites=cites(problem, "failure", "printed"))
    assert cited_in(told, problem, shown(problem)).ends == frozenset()
    told = lesson("x", cites=cites(problem, "ending"))
    assert cited_in(told, problem, shown(problem)).ends == {call}


def test_code_in_an_edit_is_compared_where_the_end_is_cited():
    answer = lesson("Say who lights it: `<!-- keeper: <name> -->` on top.", "KEEP01")
    event = edited("a", "+ <!-- keeper: Moll -->")
    assert is_borne_out(answer.remedy, event)
    assert heard(answer, problem_of(event), "ending") == ["a"]
    assert not is_borne_out(answer.remedy, edited("b", "+ <!-- TODO -->"))


def test_an_end_that_has_nothing_of_the_remedy_shows_it_to_nobody():
    answer = lesson("Check with `lampctl --harbour lint`.", "`wickcheck`")
    event = failure("a", "lampctl --harbour wickcheck", by="npx wickcheck pier")
    assert not is_borne_out(answer.remedy, event)
    assert heard(answer, problem_of(event), "failure", "ending") == []


def test_prose_is_borne_out_by_what_was_said_not_by_what_was_printed():
    event = failure("a", "lampctl light", because="the pump is wet since the flood")
    assert is_borne_out("The pump has been wet since the flood.", event)
    assert not is_borne_out("The wick is wet.", replace(event, because="no idea"))


def test_signs_alone_are_in_any_edit_and_show_nothing():
    event = edited("a", "- ### Tides ⏎ + ## Tides")
    assert not is_borne_out("One step at a time: `##` after `#`.", event)


def test_a_tag_that_was_taken_out_to_the_letter_is_no_place_to_fill_in():
    remedy = "Leave tag lines (`<pier>`, `</pier>`) out."
    assert is_borne_out(remedy, edited("a", "- <pier>"))
    assert not is_borne_out(remedy, edited("b", "- <quay>"))


def heard(answer, problem, *parts: str) -> list[str]:
    answer = replace(answer, cites=cites(problem, *parts))
    witnesses = witnesses_of(answer, problem, shown(problem))
    return [witness.session for witness in witnesses.confirming]


def test_lines_of_other_dossiers_are_read_along():
    answer = lesson("x", cites=(1,), elsewhere=("77ab:2", "[77ab:3]", "p:9", "odd"))
    assert cited_elsewhere(answer) == {"77ab": {2, 3}}
    own = shown(problem_of(failure("a", "lampctl light", by="lampctl light --dry")))
    other = shown(problem_of(failure("b", "lampctl glow", by="lampctl glow --dry")))
    together, page = read_together(answer, own, other.lines[1:2])
    assert together.cites == (1, len(own.lines) + 1)
    assert page.lines[-1].session == "b"
    assert page.text == own.text
