"""A transcript in windows: what is cut, what is marked, where failures are, and that nothing secret is in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import NotFound
from afterglow.flows.harvest import harvest
from afterglow.flows.read import (
    cited_lines,
    scan,
    session_story,
    transcript_window,
    whole_text,
)
from afterglow.flows.read.opened_sessions import (
    MAX_FAILURE,
    WINDOW_CHARACTERS,
    WINDOW_TURNS,
)
from afterglow.records.delivery import Delivery, Given
from afterglow.records.selection import below
from afterglow.records.transcript import ShownText
from afterglow.store.ledger import Ledger
from keeping import item, keep, proof
from writing import Transcript, ordinary

TOKEN = "ghp_" + "k3Jx9QmZt7RwB2vN5cYs8LdPa1Fh6Ug4Ei0o"  # invented


FIXTURES = Path(__file__).parents[2] / "sessions" / "fixtures" / "claude-code"
FORK = FIXTURES / "5f5f0000-aaaa-4bbb-8ccc-000000000002.jsonl"


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


@pytest.fixture
def window(config, tmp_path):
    """The window of a session that was just written."""

    def show(transcript: Transcript, **options):
        transcript.save(tmp_path / "s")
        scan(config, [tmp_path / "s"])
        return transcript_window(
            config, session_story(config, transcript.id), **options
        )

    return show


def test_results_stand_with_their_calls_and_failures_are_told_apart(window):
    shown = window(ordinary(1))
    assert [turn.role for turn in shown.turns] == ["user", *["assistant"] * 4]
    failed = shown.turns[1].calls[0]
    assert (failed.failure, failed.outcome, failed.line) == ("failed", "failed", 2)
    assert failed.request.head == "go test ./..."
    assert "undefined: defaultAgent" in failed.words
    assert [turn.failures for turn in shown.turns] == [0, 1, 0, 0, 0]
    assert shown.failure_lines == (2,)
    assert (shown.first_line, shown.last_line) == (1, 8)


def test_a_failure_behind_a_pipe_is_one_to_look_at(window):
    shown = window(
        Transcript(1).user("test").run("go test ./... | tail -2", "--- FAIL: TestDepth")
    )
    call = shown.turns[1].calls[0]
    assert (call.failure, call.outcome) == ("hidden", "ok")
    assert shown.failure_lines == (2,)


def test_failures_that_harvest_finds_are_marked_too(config, tmp_path):
    output = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'dock'"
    transcript = Transcript(1).user("start").run("python -m harbor; true", output)
    transcript.reply("It does not start.").save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    story = session_story(config, transcript.id)
    assert story.is_mined
    assert transcript_window(config, story).turns[1].calls[0].failure == "hidden"


def test_secrets_are_hidden_wherever_they_stand(window):
    transcript = (
        Transcript(1)
        .user(f"use {TOKEN}")
        .run(f"curl -H 'Authorization: Bearer {TOKEN}' x", f"token {TOKEN}", error=True)
        .ask(f"tool {TOKEN}", token=TOKEN)
    )
    assert TOKEN not in str(window(transcript))
    assert TOKEN in str(window(transcript, redacted=False))


def test_no_half_of_a_secret_stays_at_a_cut(window):
    filler = "x " * ((MAX_FAILURE * 2 // 3 - 10) // 2)
    transcript = Transcript(1).user("go")
    for shift in range(12):
        transcript.run("make", f"Error: {filler}{' ' * shift}{TOKEN} {'y ' * 9000}")
    text = str(window(transcript))
    assert not any(TOKEN[:end] in text for end in range(12, len(TOKEN)))


@pytest.mark.parametrize("length", [50_000, 200_000])
def test_a_long_text_is_cut_in_the_middle_and_can_be_read_whole(config, window, length):
    middle = "word " * (length // 5)
    shown = window(
        Transcript(1).user("go").run("make", f"begin {middle} end", error=True)
    )
    result = shown.turns[1].calls[0].result
    assert result.head.startswith("begin") and result.tail.endswith("end")
    assert result.missing > length - MAX_FAILURE
    first = whole_text(config, Transcript(1).id, turn=1, call=0, part="result")
    pieces = [first]
    while pieces[-1].end < first.length:
        start = pieces[-1].end
        pieces.append(
            whole_text(
                config, Transcript(1).id, turn=1, call=0, part="result", start=start
            )
        )
    assert "".join(piece.text for piece in pieces) == f"begin {middle} end"


def test_whole_texts_are_redacted_and_other_places_are_not_found(config, window):
    window(Transcript(1).user(f"use {TOKEN}").run("make", f"got {TOKEN}"))
    id = Transcript(1).id
    assert TOKEN not in whole_text(config, id, turn=0, call=None, part="text").text
    assert TOKEN not in whole_text(config, id, turn=1, call=0, part="result").text
    for turn, call in ((99, None), (0, 0), (1, 7)):
        with pytest.raises(NotFound, match="open the session again"):
            whole_text(config, id, turn=turn, call=call, part="result")


def long_session(turns: int = 150) -> Transcript:
    transcript = Transcript(1).user("go on")
    for number in range(turns):
        transcript.run(f"make part-{number}", "broken", error=number == 100)
    return transcript


def test_windows_follow_each_other_without_gap_or_repeat(config, window):
    shown = window(long_session())
    assert shown.windows == -(-151 // WINDOW_TURNS)
    story = session_story(config, Transcript(1).id)
    places = [
        turn.index
        for number in range(1, shown.windows + 1)
        for turn in transcript_window(config, story, number=number).turns
    ]
    assert len(places) == len(set(places)) == 151
    assert transcript_window(config, story, number=99).number == shown.windows


def test_a_line_leads_to_its_window_and_is_marked(config, window):
    shown = window(long_session(), line=203)
    (marked,) = [call for turn in shown.turns for call in turn.calls if call.is_marked]
    assert marked.request.head == "make part-100"
    assert shown.number > 1 and shown.holds(203)
    story = session_story(config, Transcript(1).id)
    first = transcript_window(config, story)
    assert (first.failure_behind(first.last_line), first.failure_before(1)) == (202, 0)
    assert transcript_window(config, story, line=10**8).number == shown.windows


def test_a_window_stays_small_however_much_is_in_it(window):
    transcript = Transcript(1).user("go " * 40_000)
    for _ in range(60):
        transcript.run("make " + "x" * 9000, "y" * 90_000, error=True)
    shown = window(transcript)
    size = sum(
        len(text.head) + len(text.tail)
        for turn in shown.turns
        for text in (turn.text, *(t for c in turn.calls for t in (c.request, c.result)))
    )
    assert 0 < size <= WINDOW_CHARACTERS
    assert shown.windows > 1


def test_what_could_turn_the_writing_is_taken_out(window):
    shown = window(Transcript(1).user("a\u202eb\x1b[31mc\x00d\r\ne"))
    assert shown.turns[0].text == ShownText("a bc d\ne")


def test_what_was_given_and_taught_stands_where_it_was(config, tmp_path, window):
    transcript = ordinary(1)
    path = transcript.save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    evidence = proof(path, "undefined: defaultAgent")
    keep(config, item(1, evidence=(evidence,)), item(2))
    given = Given("k0000002", 0.8, used=True)
    delivery = Delivery(
        id="ag-1", time=5.0, session=transcript.id, state="delivered", turn=2, items=(given,)
    )  # fmt: skip
    with Ledger(config.ledger) as ledger:
        ledger.add(delivery)
        ledger.add(replace(delivery, id="ag-2", turn=None, state="waiting"))
    story = session_story(config, transcript.id)
    assert [(lesson.item.id, lesson.lines) for lesson in story.taught] == [
        ("k0000001", (3,))
    ]
    assert story.facts == {"k0000002": item(2).fact}
    assert len(story.deliveries) == 2
    shown = transcript_window(config, story)
    assert [turn.items for turn in shown.turns] == [(), ("k0000001",), (), (), ()]
    assert [len(turn.deliveries) for turn in shown.turns] == [0, 1, 0, 0, 0]
    assert cited_lines(config, limit=5) == [(transcript.id, 3)]


def test_findings_nothing_was_made_of_are_named(config, tmp_path):
    ordinary(1).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    story = session_story(config, ordinary(1).id)
    taught = {topic for lesson in story.taught for topic in lesson.item.topics}
    assert story.is_mined
    assert all(finding.quote and finding.line for finding in story.unkept)
    assert taught or story.unkept


def test_sessions_that_it_led_to_are_named(config, tmp_path):
    first = Transcript(1)
    first.id = "5f5f0000-aaaa-4bbb-8ccc-000000000001"
    first.user("start the work").reply("It is begun.").save(tmp_path / "s")
    scan(config, [tmp_path / "s", FORK])
    story = session_story(config, first.id)
    assert [entry.id for entry in story.children] == [FORK.stem]
    assert session_story(config, FORK.stem).children == ()


def test_a_session_that_went_on_is_read_again(config, tmp_path, window):
    transcript = ordinary(1)
    assert len(window(transcript).turns) == 5
    transcript.user("and now?").reply("Now too.")
    path = transcript.save(tmp_path / "s")
    os.utime(path, ns=(1, 1))
    story = session_story(config, transcript.id)
    assert len(transcript_window(config, story).turns) == 7


def test_a_transcript_that_is_gone_says_so_and_the_story_stays(config, tmp_path):
    path = ordinary(1).save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    path.unlink()
    story = session_story(config, ordinary(1).id)
    with pytest.raises(NotFound, match="is gone"):
        transcript_window(config, story)
    with pytest.raises(NotFound, match="sessions list"):
        session_story(config, "nowhere")
