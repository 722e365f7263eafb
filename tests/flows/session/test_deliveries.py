"""The ladder, end to end: lessons are harvested, a context is given out, transcripts prove that it arrived."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from afterglow.config import Config
from afterglow.context import choose
from afterglow.flows.harvest import harvest
from afterglow.flows.read import scan
from afterglow.flows.session import (
    DELIVERY_PATIENCE,
    record_delivery,
    record_repeat,
    settle_deliveries,
    topics_told,
)
from afterglow.records.context import Context, ContextLine, Need
from afterglow.records.selection import below
from afterglow.store.knowledge import Knowledge
from afterglow.store.ledger import Ledger
from writing import Transcript

DAY = 1440  # minutes, in a transcript
GIVEN = datetime(2026, 10, 6, tzinfo=UTC).timestamp()
LATER = GIVEN + 86400.0
STAT = "Exit code 1\nunknown flag: --stat"
TASK = "which files does pull request 52 touch?"


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


def lesson(number: int, **options) -> Transcript:
    """A session that learns that `gh pr diff` has no --stat."""
    return (
        Transcript(number, **options)
        .user("what changed in the pull request?")
        .run(f"gh pr diff 4{number} --stat", STAT, error=True)
        .run(f"gh pr diff 4{number} --name-only", "dock/agent.go")
        .reply("One file changed.")
    )


@pytest.fixture
def given(config, tmp_path):
    """A context made of what two sessions taught, given out and noted."""
    lesson(1).save(tmp_path / "s")
    lesson(2, start=2 * DAY).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    return give_out(config, "ag-00000000c1")


def give_out(config, id: str):
    with Knowledge(config.knowledge) as knowledge:
        items = knowledge.items(status=("active",))
    need = Need(now=GIVEN, repo="harbor", agent="claude-code", task=TASK, sessions=2)
    context = choose(items, need, count=len, budget=6000, id=id)
    record_delivery(config, context, need, items)
    return context


def warm(context, number: int = 3, start: int = 5 * DAY) -> Transcript:
    return (
        Transcript(number, start=start)
        .user(f"<system-reminder>{context.text}</system-reminder>")
        .user(TASK)
    )


def settled(config, folder, now: float = LATER):
    scan(config, [folder])
    return settle_deliveries(config, now=now)


def deliveries(config):
    with Ledger(config.ledger) as ledger:
        return ledger.deliveries()


def lesson_of(delivery):
    return next(one for one in delivery.items if "--name-only" in one.remedy)


def test_a_remedy_that_shows_where_the_error_does_not_come_was_used_and_mattered(
    config, given, tmp_path
):
    assert "--name-only" in given.text
    warm(given).run("gh pr diff 52 --name-only", "dock/pier.go").reply(
        "Just one."
    ).save(tmp_path / "s")
    report = settled(config, tmp_path / "s")
    (delivery,) = deliveries(config)
    assert (report.proved, report.waiting, report.troubles) == (1, 0, ())
    assert (delivery.state, delivery.session, delivery.turn) == (
        "delivered",
        warm(given).id,
        0,
    )
    one = lesson_of(delivery)
    assert (one.met, one.used, one.mattered, one.failed) == (True, True, True, False)


def test_the_known_error_coming_all_the_same_is_a_failure_of_the_item(
    config, given, tmp_path
):
    lesson_again = (
        warm(given).run("gh pr diff 52 --stat", STAT, error=True).reply("Hm.")
    )
    lesson_again.save(tmp_path / "s")
    settled(config, tmp_path / "s")
    one = lesson_of(deliveries(config)[0])
    assert (one.met, one.used, one.mattered, one.failed) == (True, False, False, True)


def test_a_session_without_the_id_leaves_it_waiting_and_after_a_week_there_is_no_data(
    config, given, tmp_path
):
    Transcript(3, start=5 * DAY).user(TASK).run("gh pr diff 52 --name-only").reply(
        "Done."
    ).save(tmp_path / "s")
    first = settled(config, tmp_path / "s")
    assert [one.state for one in deliveries(config)] == ["waiting"]
    assert (first.proved, first.waiting, first.no_data) == (0, 1, 0)
    last = settled(config, tmp_path / "s", now=GIVEN + 8 * 86400.0)
    (delivery,) = deliveries(config)
    assert (delivery.state, delivery.session, last.no_data) == ("no data", "", 1)
    assert {(one.used, one.mattered) for one in delivery.items} == {(None, None)}


def test_a_transcript_that_turns_up_late_still_proves_it(config, given, tmp_path):
    settled(config, tmp_path / "s", now=GIVEN + 8 * 86400.0)
    warm(given).run("gh pr diff 52 --name-only").reply("Done.").save(tmp_path / "s")
    settled(config, tmp_path / "s", now=GIVEN + 9 * 86400.0)
    assert [one.state for one in deliveries(config)] == ["delivered"]


def test_an_id_alone_is_no_proof(config, given, tmp_path):
    seen = (
        Transcript(3, start=5 * DAY)
        .user("what is in the ledger?")
        .run("cat ledger.txt", f"{given.id} waiting")
    )
    seen.reply("One.").save(tmp_path / "s")
    settled(config, tmp_path / "s")
    assert [one.state for one in deliveries(config)] == ["waiting"]


def test_only_the_first_session_that_shows_a_context_proves_it(config, given, tmp_path):
    warm(given, 4, start=5 * DAY + 90).run(
        "gh pr diff 52 --stat", STAT, error=True
    ).reply("A fork.").save(tmp_path / "s")
    settled(config, tmp_path / "s")
    assert deliveries(config)[0].session == warm(given, 4).id
    warm(given, 3).run("gh pr diff 52 --name-only").reply("Done.").save(tmp_path / "s")
    settled(config, tmp_path / "s")
    (delivery,) = deliveries(config)
    assert delivery.session == warm(given, 3).id
    assert lesson_of(delivery).mattered is True


def test_a_session_is_looked_at_once_and_again_only_when_it_went_on(
    config, given, tmp_path
):
    story = warm(given).run("gh pr diff 52 --name-only").reply("Done.")
    story.save(tmp_path / "s")
    assert settled(config, tmp_path / "s").looked == 1
    assert settled(config, tmp_path / "s").looked == 0
    story.user("and of 53?").run("gh pr diff 53 --stat", STAT, error=True).reply(
        "Hm."
    ).save(tmp_path / "s")
    report = settled(config, tmp_path / "s")
    assert (report.looked, report.proved, report.judged) == (1, 0, 1)
    one = lesson_of(deliveries(config)[0])
    assert (one.used, one.mattered, one.failed) == (True, False, True)


def test_a_session_that_still_runs_is_left_for_later(config, given, tmp_path):
    warm(given).run("gh pr diff 52 --name-only").save(tmp_path / "s")
    assert settled(config, tmp_path / "s", now=GIVEN + 300.0).waiting == 1
    assert settled(config, tmp_path / "s").proved == 1


def test_a_session_from_another_time_is_not_read(config, given, tmp_path):
    warm(given, start=7 * DAY + 60).run("gh pr diff 52 --name-only").reply(
        "Done."
    ).save(tmp_path / "s")
    report = settled(config, tmp_path / "s", now=GIVEN + 3 * 86400.0)
    assert (report.looked, report.waiting) == (0, 1)


def test_a_transcript_that_is_gone_is_no_data_and_no_trouble(config, given, tmp_path):
    path = (
        warm(given).run("gh pr diff 52 --name-only").reply("Done.").save(tmp_path / "s")
    )
    scan(config, [tmp_path / "s"])
    path.unlink()
    report = settle_deliveries(config, now=GIVEN + 8 * 86400.0)
    assert (report.no_data, report.troubles) == (1, ())


def test_a_source_that_cannot_be_read_is_named_and_tried_again(config, given, tmp_path):
    path = (
        warm(given).run("gh pr diff 52 --name-only").reply("Done.").save(tmp_path / "s")
    )
    scan(config, [tmp_path / "s"])
    whole = path.read_bytes()
    path.write_bytes(f"{given.id} is all that is left\n".encode())
    report = settle_deliveries(config, now=LATER)
    assert [source for source, _ in report.troubles] == [str(path)]
    path.write_bytes(whole)
    assert settle_deliveries(config, now=LATER).proved == 1


def test_the_task_is_kept_as_a_hash_only_and_an_empty_context_not_at_all(config, given):
    assert deliveries(config)[0].task not in ("", TASK)
    assert TASK.encode() not in config.ledger.read_bytes()
    need = Need(now=GIVEN, task=TASK)
    empty = choose((), need, count=len, id="ag-00000000e0")
    assert record_delivery(config, empty, need, ()).items == ()
    assert [one.id for one in deliveries(config)] == [given.id]


def test_settling_without_a_ledger_makes_none(config):
    assert settle_deliveries(config).waiting == 0
    assert not config.ledger.exists()


def test_progress_counts_the_sessions_looked_at(config, given, tmp_path):
    warm(given).run("gh pr diff 52 --name-only").reply("Done.").save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    told = []
    settle_deliveries(
        config, now=LATER, progress=lambda done, total: told.append((done, total))
    )
    assert told == [(1, 1)]


def test_a_running_session_that_reads_about_another_one_does_not_take_its_proof(
    config, given, tmp_path
):
    warm(given).run("gh pr diff 52 --name-only").reply("Done.").save(tmp_path / "s")
    nosy = Transcript(4, start=5 * DAY - 30).user("what did the other session get?")
    nosy.clock += 180
    nosy.run("cat other.jsonl", given.text).reply("A context.").save(tmp_path / "s")
    settled(config, tmp_path / "s")
    assert deliveries(config)[0].session == warm(given).id


def test_a_running_session_that_asks_for_a_context_proves_it(config, given, tmp_path):
    asked = Transcript(4, start=5 * DAY - 30).user(TASK)
    asked.clock += 30
    asked.run("afterglow bootstrap", given.text).reply("Thanks.").save(tmp_path / "s")
    settled(config, tmp_path / "s")
    assert deliveries(config)[0].session == asked.id


def test_waiting_for_a_busy_ledger_took_longer_than_hooks_may(config):
    assert config.hooks.deadline_ms / 1000 > 2 * DELIVERY_PATIENCE


HINT = "on 1 and 3 Oct the same error; `gh pr diff 52 --name-only` worked"


def hinted(config, story: Transcript, **more) -> None:
    """A line is given out on failure and noted; what is kept of it are marks."""
    with Knowledge(config.knowledge) as knowledge:
        items = [
            item for item in knowledge.items(status=("active",)) if item.fingerprints
        ]
    lines = tuple(ContextLine(item.id, HINT, 1.0, {}) for item in items)
    hint = Context(
        id="ag-00000000f1", text=HINT, tokens=20, budget=60, shown=lines
    )  # fmt: skip
    need = Need(now=GIVEN, repo="harbor", agent="claude-code")
    told = {"session": story.id, "when": "failure", "topics": ("problem:p1",), **more}
    record_delivery(config, hint, need, items, **told)


def hook_told(story: Transcript, text: str) -> Transcript:
    hook = {"type": "hook_additional_context", "content": [text]}
    story._line(type="attachment", attachment=hook)
    return story


def test_a_hint_is_proved_by_its_words_and_what_followed_is_kept_with_it(
    config, given, tmp_path
):
    story = Transcript(5, start=5 * DAY).user(TASK)
    story.run("gh pr diff 52 --stat", STAT, error=True)
    hinted(config, story, call=story.asked)
    hook_told(story, HINT).run("gh pr diff 52 --name-only", "dock/pier.go")
    story.reply("Just one.").save(tmp_path / "s")
    assert settled(config, tmp_path / "s").proved == 1
    hint = next(each for each in deliveries(config) if each.when == "failure")
    assert (hint.state, hint.session) == ("delivered", story.id)
    assert hint.followed is not None
    assert (hint.followed.used, hint.followed.solved) == (True, True)
    assert (hint.followed.calls, hint.followed.repeated) == (1, False)


def test_nothing_of_a_hint_stands_in_the_ledger_but_marks(config, given):
    hinted(config, Transcript(5))
    kept = b"".join(path.read_bytes() for path in config.home.glob("ledger.db*"))
    assert b"worked" not in kept
    assert b"problem:p1" not in kept
    told = deliveries(config)
    assert topics_told(told, ["problem:p1", "problem:p2"]) == {"problem:p1"}


def test_a_session_that_quotes_the_hint_of_another_does_not_prove_it(
    config, given, tmp_path
):
    hinted(config, Transcript(5))
    other = Transcript(6, start=5 * DAY).user(TASK).run("cat other.jsonl", HINT)
    other.reply("A hint.").save(tmp_path / "s")
    settled(config, tmp_path / "s")
    assert [each.state for each in deliveries(config)] == ["waiting", "waiting"]


def test_a_context_told_again_after_a_compaction_is_a_moment_of_its_own(
    config, given, tmp_path
):
    story = warm(given)
    (start,) = deliveries(config)
    items = [each.item for each in start.items]
    for later in (240.0, 9000.0):
        record_repeat(config, start, items, now=GIVEN + later)
    story.run("make", "done").run("make", "done")
    story.user(f"<system-reminder>{given.text}</system-reminder>")
    story.run("gh pr diff 52 --name-only").reply("Done.").save(tmp_path / "s")
    assert settled(config, tmp_path / "s").proved == 2
    start, again = deliveries(config)
    assert (again.when, again.state, again.session) == (
        "compaction",
        "delivered",
        story.id,
    )
    assert (start.turn or 0) < (again.turn or 0)
    assert lesson_of(again).used is True


def test_a_known_error_that_came_after_the_start_context_shows_what_followed(
    config, given, tmp_path
):
    story = warm(given).run("gh pr diff 52 --stat", STAT, error=True)
    story.run("gh pr diff 52 --stat", STAT, error=True)
    story.run("gh pr diff 52 --name-only", "dock/pier.go").reply("Hm.")
    story.save(tmp_path / "s")
    settled(config, tmp_path / "s")
    (delivery,) = deliveries(config)
    assert delivery.followed is not None
    assert (delivery.followed.repeated, delivery.followed.solved) == (True, True)
    assert delivery.followed.calls == 2


def test_a_hint_to_a_sub_agent_is_proved_by_the_transcript_of_the_sub_agent(
    config, given, tmp_path
):
    parent = Transcript(5, start=5 * DAY).user(TASK).reply("Somebody will look.")
    parent.save(tmp_path / "s")
    story = Transcript(5, start=5 * DAY).user(TASK)
    story.run("gh pr diff 52 --stat", STAT, error=True)
    hook_told(story, HINT).run("gh pr diff 52 --name-only", "dock/pier.go")
    story.reply("Just one.")
    side = story.text.replace('"isSidechain": false', '"isSidechain": true, "agentId": "a1"')  # fmt: skip
    (tmp_path / "s" / "agent-a1.jsonl").write_text(side)
    hinted(config, parent, session=f"{parent.id}/a1")
    assert settled(config, tmp_path / "s").proved == 1
    hint = next(each for each in deliveries(config) if each.when == "failure")
    assert (hint.state, hint.session) == ("delivered", "agent-a1")


def test_a_hint_that_was_asked_for_by_a_tool_is_looked_for_in_what_ran_then(
    config, given, tmp_path
):
    hinted(config, Transcript(5), session="")
    later = Transcript(6, start=6 * DAY).user(TASK).run("cat old.jsonl", HINT)
    later.reply("A hint of yesterday.").save(tmp_path / "s")
    story = Transcript(5, start=5 * DAY - 2).user(TASK)
    story.run("gh pr diff 52 --stat", STAT, error=True)
    story.ask("mcp__afterglow__failed_before", output=STAT).answer(HINT)
    story.run("gh pr diff 52 --name-only", "dock/pier.go").reply("Just one.")
    story.save(tmp_path / "s")
    assert settled(config, tmp_path / "s", LATER + 86400.0).proved == 1
    hint = next(each for each in deliveries(config) if each.when == "failure")
    assert (hint.session, hint.state) == (story.id, "delivered")
    assert hint.followed is not None
    assert (hint.followed.used, hint.followed.solved) == (True, True)
