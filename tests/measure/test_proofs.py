"""A transcript proves what a session was told: contexts by their id, hints by their very words."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from afterglow.measure.proofs import Proof, find_proof
from afterglow.records.delivery import Delivery, Given
from afterglow.sessions import load
from afterglow.text.word_marks import words_mark
from trails import trail_of
from writing import Transcript

ID = "ag-0123456789"
CONTEXT = f"What earlier sessions taught ({ID}):\n- one [k01 2026-10-01]\n- two [k02]"
ITEMS = (Given("k01", 0.8), Given("k02", 0.9), Given("k03", 0.9))
LINE = "on 3 and 5 Nov the same error; `bun test` without `rtk` worked [k01]"
OCTOBER = datetime(2026, 10, 1, tzinfo=UTC).timestamp()
HINT = Delivery(
    id="ag-00000000f1", time=OCTOBER, when="failure", words=words_mark(LINE), items=ITEMS[:1]
)  # fmt: skip


def proofs(transcript: Transcript, *deliveries: Delivery) -> dict[str, Proof]:
    context = Delivery(id=ID, time=0.0, items=ITEMS)
    return find_proof(trail_of(transcript).session, deliveries or [context])


def failing(result: str = "Exit code 1\nrtk: no such test") -> Transcript:
    return Transcript().user("test it").run("rtk bun test", result, error=True)


def attached(transcript: Transcript, text: str, event: str) -> Transcript:
    """What Claude Code writes when a hook answers with additional context."""
    hook = {"type": "hook_additional_context", "content": [text], "hookEvent": event}
    transcript._line(type="attachment", attachment=hook)
    return transcript


def test_a_context_is_found_in_the_turn_it_was_given_in_with_the_items_that_arrived():
    assert proofs(Transcript().user("hello").user(CONTEXT)) == {
        ID: Proof(1, frozenset({"k01", "k02"}))
    }


def test_a_context_is_found_in_the_result_of_a_call():
    asked = Transcript().user("go").run("afterglow bootstrap", CONTEXT)
    assert proofs(asked)[ID].turn == 1


def test_an_id_without_an_item_is_no_proof():
    assert proofs(Transcript().user(f"what is {ID}?").reply("An id.")) == {}


@pytest.mark.parametrize(
    "event", ["PostToolUseFailure", "PostToolUse", "PostToolBatch"]
)
def test_a_hint_is_found_by_its_words_in_what_a_hook_told(event):
    told = attached(failing(), LINE, event)
    (proof,) = proofs(told, HINT).values()
    assert proof.items == {"k01"}
    assert trail_of(told).session.turns[proof.turn].text == LINE


def test_a_hint_is_found_in_the_output_it_was_put_behind():
    told = failing(f"Exit code 1\nrtk: no such test\n\n{LINE}")
    assert proofs(told, HINT)[HINT.id].turn == 1


def test_what_the_agent_says_itself_proves_no_hint():
    assert proofs(failing().reply(LINE).run(f"echo '{LINE}'"), HINT) == {}


def test_the_same_words_at_another_time_prove_no_hint():
    told = attached(failing(), LINE, "PostToolUseFailure")
    assert proofs(told, replace(HINT, time=OCTOBER - 86400.0)) == {}


def test_another_line_proves_no_hint():
    told = attached(failing(), LINE.replace("5 Nov", "6 Nov"), "PostToolUseFailure")
    assert proofs(told, HINT) == {}


def test_of_two_hints_with_the_same_words_each_has_its_place():
    second = Delivery(
        id="ag-00000000f2", time=OCTOBER + 1.0, when="failure", words=HINT.words
    )
    told = attached(failing(), LINE, "PostToolUseFailure")
    told.run("rtk bun test", "Exit code 1\nrtk: no such test", error=True)
    told = attached(told, LINE, "PostToolUseFailure")
    places = [proof.turn for proof in proofs(told, HINT, second).values()]
    assert len(places) == 2
    assert places[0] < places[1]


def test_a_context_told_again_after_a_compaction_is_found_at_its_second_place():
    told = Transcript().user(CONTEXT).user("go on").run("make").user(CONTEXT)
    first = Delivery(id=ID, time=OCTOBER, items=ITEMS)
    again = Delivery(
        id=f"{ID}@compaction", time=OCTOBER + 240, when="compaction", items=ITEMS
    )
    turns = {id: proof.turn for id, proof in proofs(told, first, again).items()}
    assert turns[ID] == 0
    assert turns[again.id] == len(trail_of(told).session.turns) - 1


def test_a_context_that_stands_twice_at_the_start_was_not_told_again():
    told = Transcript().user(CONTEXT).user(CONTEXT).user("go on").run("make")
    first = Delivery(id=ID, time=OCTOBER, items=ITEMS)
    again = Delivery(
        id=f"{ID}@compaction", time=OCTOBER + 3600, when="compaction", items=ITEMS
    )
    assert list(proofs(told, first, again)) == [ID]


def test_codex_shows_a_hint_as_a_message_of_the_developer(tmp_path):
    told = {
        "type": "message",
        "role": "developer",
        "content": [{"type": "input_text", "text": LINE}],
    }
    call = {
        "type": "function_call",
        "name": "shell",
        "arguments": json.dumps({"command": ["rtk", "bun", "test"]}),
        "call_id": "call_1",
    }
    output = {
        "type": "function_call_output",
        "call_id": "call_1",
        "output": json.dumps({"output": "no", "metadata": {"exit_code": 1}}),
    }
    request = {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": "test it"}],
    }
    meta = {"id": "0199aaaa-0000-7000-8000-000000000001", "cwd": "/home/ana/harbor"}
    lines = [{"type": "session_meta", "payload": meta}]
    lines += [
        {"type": "response_item", "payload": body}
        for body in (request, call, output, told)
    ]
    stamp = "2026-10-01T01:00:00.000Z"
    path = tmp_path / "rollout-2026-10-01T01-00-00-0199aaaa.jsonl"
    path.write_text("".join(_compact({"timestamp": stamp, **line}) for line in lines))
    (session,) = load(path)
    assert list(find_proof(session, [HINT])) == [HINT.id]


def _compact(line: dict[str, object]) -> str:
    return json.dumps(line, separators=(",", ":")) + "\n"
