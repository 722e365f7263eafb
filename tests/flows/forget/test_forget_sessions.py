"""forget, end to end: a session whose words have reached every store leaves no byte of them in the home."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import NotFound, StoreError, UsageError
from afterglow.flows import knowledge as flow_knowledge
from afterglow.flows.experiment import assign, new
from afterglow.flows.forget import (
    Choice,
    finish_forgetting,
    forget,
    forget_items,
    forget_marked,
    outline,
    remember_again,
)
from afterglow.flows.forget import journal as journals
from afterglow.flows.forget.choose_sessions import choose, doomed
from afterglow.flows.forget.removal_plan import journal_of
from afterglow.flows.forget.steps import STEPS
from afterglow.flows.harvest import enqueue, harvest, log_of, remember_json
from afterglow.flows.knowledge import export
from afterglow.flows.measure import measure, save
from afterglow.flows.read import list_sessions, scan
from afterglow.flows.session import start
from afterglow.llm.cache import Cache
from afterglow.memory.local import open_backend
from afterglow.memory.spoken import Spoken
from afterglow.memory.store_entry import keep
from afterglow.records.delivery import UnredactedView
from afterglow.records.knowledge import Evidence, KnowledgeItem
from afterglow.records.model import Answer, TokenUsage
from afterglow.records.selection import below
from afterglow.records.template import (
    RecoveryPattern,
    SessionSeed,
    ToolCallExample,
    WarmTemplate,
)
from afterglow.records.writing import (
    AnsweredProblem,
    CitedPlace,
    KeptAnswer,
    WrittenAnswer,
)
from afterglow.store.answers import Answers
from afterglow.store.erasing import scrub
from afterglow.store.knowledge import Knowledge
from afterglow.store.ledger import Ledger
from afterglow.store.templates.folder import Templates
from writing import Transcript

# No other session says this, and no word of it occurs anywhere else.
WORD = "zyxquorlwamp"
NOW = 1_795_000_000.0


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


def secretive(number: int = 1, **options) -> Transcript:
    """A session that says the word wherever one can be said."""
    return (
        Transcript(number, cwd="/home/ana/src/harbor", **options)
        .user(f"always deploy {WORD} with `make {WORD}-ship`, never by hand")
        .run(f"{WORD}ctl apply --now", f"unknown flag: --{WORD}", error=True)
        .run(f"{WORD}ctl apply --{WORD}-later", f"applied {WORD}")
        .run(f"make {WORD}-ship", f"shipped {WORD}")
        .reply(f"{WORD} is deployed.")
    )


def shared(number: int, flag: str = "--name-only", **options) -> Transcript:
    """What several sessions teach."""
    return (
        Transcript(number, **options)
        .user("what changed in the pull request?")
        .run("gh pr diff 41 --stat", "Exit code 1\nunknown flag: --stat", error=True)
        .run(f"gh pr diff 41 {flag}", "dock/agent.go")
        .reply("One file changed.")
    )


def holding(home: Path, word: str) -> list[str]:
    """The files of a home that hold a word in any byte, or in their names."""
    needle = word.encode()
    return sorted(
        str(path.relative_to(home))
        for path in home.rglob("*")
        if word in path.name or (path.is_file() and needle in path.read_bytes())
    )


def items(config, **options):
    with Knowledge(config.knowledge) as knowledge:
        return knowledge.items(evidence=True, **options)


def fill_every_store(config: Config, tmp_path: Path) -> str:
    """A home in which the word stands wherever a word of a session may; the session's id."""
    session = secretive(1)
    session.save(tmp_path / "s" / f"-{WORD}")
    shared(2).save(tmp_path / "s/other")
    harvest(config, below(tmp_path / "s"))
    with Knowledge(config.knowledge, large=0) as knowledge, knowledge.transaction():
        chosen = [item for item in knowledge.items() if WORD in item.fact]
        active = [
            KnowledgeItem(
                **{
                    **{name: getattr(item, name) for name in item.__struct_fields__},
                    "status": "active",
                    "decided": True,
                }
            )
            for item in chosen
        ]
        assert active
        knowledge.save(active, by="person", now=NOW)
    decided = [item.id for item in active]
    flow_knowledge.retire(config, decided, why=f"{WORD} is gone", now=NOW)
    flow_knowledge.undo(config, now=NOW)
    folder = tmp_path / "harbor"
    folder.mkdir()
    for listener in (session.id, "another-session"):
        start(config, agent="claude-code", cwd=folder, task=WORD, session=listener)
    _fill_by_hand(config, session.id)
    export(config)
    export(config, tmp_path / "shared-folder")
    save(config, measure(config))
    source = tmp_path / "s" / f"-{WORD}" / f"{session.id}.jsonl"
    enqueue(config, agent="claude-code", source=source, session=session.id, why="x")
    shutil.copy(config.knowledge, f"{config.knowledge}.backup-20260101-layout1")
    draft = config.home / f".knowledge.{'ab' * 16}"
    draft.write_text(WORD)
    os.utime(draft, (NOW - 1e7, NOW - 1e7))
    return session.id


def _fill_by_hand(config: Config, id: str) -> None:
    """What a writer, a model, an experiment, a template and a memory would keep."""
    answer = WrittenAnswer(
        problem="0123456789ab", answer="lesson", situation=WORD, remedy=WORD
    )
    Answers(config.answers).save(
        AnsweredProblem(
            problem="0123456789ab",
            repo="",
            dossier="x",
            by="claude",
            time=NOW,
            answers=(KeptAnswer(answer=answer, cited=(CitedPlace(id, 3),)),),
        )
    )
    Cache(config.cache / "model").put(
        "ab" * 20,
        Answer(text=WORD, model="m", finish="stop", usage=TokenUsage(1, 1), cost=None),
    )
    new(config, "study", arms=("cold", "warm"), outcomes=("errors",), min_effect=0.2)
    assign(config, "study", id, repo="harbor", agent="codex")
    example = ToolCallExample("Bash", "{}", WORD, session=id)
    seed = SessionSeed(
        tool_examples=(example,), recovery_patterns=(RecoveryPattern(WORD, WORD),)
    )
    templates = Templates(config.templates)
    template = templates.add(
        WarmTemplate(
            id="warm_20260101_000000", name=WORD, seed=seed, source_sessions=(id,)
        ),
        NOW,
    )
    templates.save(template, NOW)
    deleted = templates.add(
        WarmTemplate(
            id="warm_20260101_000001", name=WORD, seed=seed, source_sessions=(id,)
        ),
        NOW,
    )
    templates.delete(deleted.id)
    memory = open_backend(config)
    memory.store("default", f"{WORD} key", f"likes {WORD}", {"session": id})
    spoken = Spoken(session=id)
    keep(memory, "default", WORD, f"{WORD} it is", None, config, spoken=spoken)
    memory.close()
    with Ledger(config.ledger) as ledger:
        ledger.note_view(UnredactedView(id, NOW, "Ada", 1, 9))
    log_of(config).add("left aside", f"session {id}: {WORD}")


def test_no_byte_of_a_forgotten_session_stays_in_the_home(config, tmp_path):
    id = fill_every_store(config, tmp_path)
    before = holding(config.home, WORD)
    reached = {path.split("/")[0].split(".")[0] for path in before}
    assert reached >= {
        "catalog", "knowledge", "ledger", "memory", "templates", "answers", "cache",
        "hooks", "queue", "folders",
    }  # fmt: skip
    report = forget(config, Choice(names=(id,)))
    assert report.removed
    assert report.deliveries
    assert (report.answers, report.units, report.memories) == (1, 1, 2)
    assert report.transcripts == (str(tmp_path / "s" / f"-{WORD}" / f"{id}.jsonl"),)
    assert holding(config.home, WORD) == []
    assert holding(config.home, id) == []


def test_a_forgotten_session_does_not_come_back(config, tmp_path):
    secretive(1).save(tmp_path / "s" / f"-{WORD}")
    shared(2).save(tmp_path / "s/other")
    harvest(config, below(tmp_path / "s"))
    forget(config, Choice(names=(secretive(1).id,)))
    scan(config, [tmp_path / "s"])
    harvest(config, below(tmp_path / "s"))
    harvest(config, again=True)
    config.catalog.unlink()  # it may be made anew
    harvest(config, below(tmp_path / "s"))
    copy = tmp_path / "elsewhere"
    shutil.copytree(tmp_path / "s", copy)
    harvest(config, below(copy))
    assert holding(config.home, WORD) == []
    assert {entry.id for entry in list_sessions(config)} == {shared(2).id}


def test_what_goes_on_in_a_forgotten_session_is_not_read_either(config, tmp_path):
    session = secretive(1)
    session.save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    forget(config, Choice(names=(session.id,)))
    session.user("more").run("ls").reply(WORD).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    assert holding(config.home, WORD) == []


def test_what_was_forgotten_can_be_read_again_when_asked_for(config, tmp_path):
    path = secretive(1).save(tmp_path / "s")
    scan(config, [path])
    forget(config, Choice(names=(str(path),)))
    assert remember_again(config, [tmp_path / "s"]) == 1
    scan(config, [path])
    assert [entry.id for entry in list_sessions(config)] == [secretive(1).id]
    assert remember_again(config, [path]) == 0
    with pytest.raises(NotFound, match="is not there"):
        remember_again(config, [tmp_path / "gone.jsonl"])


def test_what_others_taught_too_is_told_without_it(config, tmp_path):
    for number in (2, 3):
        shared(number, start=3000 * number).save(tmp_path / "s")
    shared(4, f"--name-only --{WORD}", start=20000).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    before = {item.id for item in items(config)}
    report = forget(config, Choice(names=(shared(4).id,)))
    assert report.retold
    assert holding(config.home, WORD) == []
    after = [item for item in items(config) if item.miner == "recoveries"]
    assert after
    assert before >= {item.id for item in after}
    sessions = {span.session for item in after for span in item.evidence}
    assert sessions == {shared(2).id, shared(3).id}


def test_what_it_taught_goes_though_an_item_keeps_no_evidence_of_it(config, tmp_path):
    """An item of many sessions keeps some of its evidence, and may have its words from any of them."""
    for number in (2, 3):
        shared(number, start=3000 * number).save(tmp_path / "s")
    shared(4, f"--name-only --{WORD}", start=20000).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    assert any(WORD in item.fact for item in items(config))
    with closing(sqlite3.connect(config.knowledge)) as db:
        db.execute("DELETE FROM evidence WHERE session = ?", [shared(4).id])
        db.execute("UPDATE evidence SET quote = ''")
        db.commit()
    forget(config, Choice(names=(shared(4).id,)))
    assert holding(config.home, WORD) == []
    assert [item for item in items(config) if item.miner == "recoveries"]


def test_a_person_s_words_stay_and_what_they_rejected_stays_rejected(config, tmp_path):
    shared(2).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    (item, *_) = [item for item in items(config) if item.miner == "recoveries"]
    span = item.evidence[0]
    mine = KnowledgeItem(
        id="kmine", fact="Use the list.", category="fact", status="active",
        edited=True, topics=("own words",), evidence=(span,),
    )  # fmt: skip
    fields = {name: getattr(item, name) for name in item.__struct_fields__}
    rejected = KnowledgeItem(**{**fields, "status": "retired", "decided": True})
    with Knowledge(config.knowledge) as knowledge:
        knowledge.save([mine, rejected], by="person", now=NOW)
    report = forget(config, Choice(names=(shared(2).id,)))
    assert report.words_kept == ("kmine",)
    (stays,) = items(config)
    assert (stays.id, stays.fact, stays.evidence) == ("kmine", "Use the list.", ())
    shared(5).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    assert item.id not in {item.id for item in items(config)}


def written(words: str, *sessions: str) -> KnowledgeItem:
    return KnowledgeItem(
        id="kwritten", fact=words, category="pitfall", status="active",
        miner="written", source_count=len(sessions), evidence=tuple(
            Evidence(
                session=session, agent="claude-code", line=2, part="result", start=0,
                length=4, hash="h", quote="unknown flag: --stat", trust="tool",
            )
            for session in sessions
        ),
    )  # fmt: skip


def test_a_written_lesson_stays_only_if_no_word_of_it_comes_from_there_alone(
    config, tmp_path
):
    ids = (shared(2).id, secretive(1).id)
    for words, stays in (
        ("gh pr diff has no flag --stat", True),
        (f"gh pr diff has no --stat for {WORD}", False),
    ):
        secretive(1).save(tmp_path / "s")
        shared(2).save(tmp_path / "s")
        remember_again(config, [tmp_path / "s"])
        harvest(config, below(tmp_path / "s"))
        with Knowledge(config.knowledge) as knowledge:
            knowledge.save([written(words, *ids)], by="written:claude", now=NOW)
        forget(config, Choice(names=(secretive(1).id,)))
        remaining = [item for item in items(config) if item.id == "kwritten"]
        assert bool(remaining) == stays
        if remaining:
            assert (remaining[0].status, remaining[0].source_count) == ("candidate", 1)
    assert holding(config.home, WORD) == []


@pytest.mark.parametrize("done", range(len(STEPS)))
def test_a_killed_forget_is_finished_by_the_next(config, tmp_path, done):
    """As if the process had ended behind any of the steps."""
    id = fill_every_store(config, tmp_path)

    sessions = map(doomed, choose(config, Choice(names=(id,))))
    journal = journal_of(config, list(sessions))
    journals.begin(config, journal)
    for step in STEPS[:done]:
        step(config, journal)
    with pytest.raises(NotFound):  # the same command: it finds nothing more to do
        forget(config, Choice(names=(id,)))
    assert holding(config.home, WORD) == []
    assert holding(config.home, id) == []
    assert finish_forgetting(config) is None


def test_nothing_is_touched_by_looking(config, tmp_path):
    id = fill_every_store(config, tmp_path)
    before = sorted((str(path), path.stat().st_size) for path in config.home.rglob("*"))
    report = outline(config, Choice(names=(id,)))
    assert report.dry
    assert report.removed
    assert report.copies
    after = sorted((str(path), path.stat().st_size) for path in config.home.rglob("*"))
    assert [path for path, _ in before] == [path for path, _ in after]


def test_sessions_are_chosen_by_place_and_time(config, tmp_path):
    secretive(1).save(tmp_path / "s")
    shared(2, start=3000, cwd="/home/ana/src/quay").save(tmp_path / "s")
    scan(config, [tmp_path / "s"])

    def chosen(**choice):
        return {session.id for session in outline(config, Choice(**choice)).sessions}

    first, second = secretive(1).id, shared(2).id
    assert chosen(repo="quay") == {second}
    assert chosen(paths=(Path("/home/ana/src/quay"),)) == {second}
    assert chosen(paths=(tmp_path / "s",)) == {first, second}
    ends = [entry.end or 0.0 for entry in list_sessions(config)]
    assert chosen(since=max(ends)) == {second}
    assert chosen(until=max(ends)) == {first}
    assert chosen(without_transcript=True) == set()
    with pytest.raises(UsageError, match="say what to forget"):
        chosen()
    with pytest.raises(NotFound, match="fits 2 sessions"):
        chosen(names=("1111",))


def test_a_sub_agent_goes_with_its_session(config, tmp_path):
    parent = secretive(1)
    parent.save(tmp_path / "s")
    child = secretive(9)
    lines = [
        line.replace(child.id, parent.id).replace(
            '"isSidechain": false', '"isSidechain": true, "agentId": "a1"'
        )
        for line in child.lines
    ]
    path = tmp_path / "s" / parent.id / "subagents" / "agent-a1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(f"{line}\n" for line in lines))
    harvest(config, below(tmp_path / "s"))
    forget(config, Choice(names=(str(tmp_path / "s" / f"{parent.id}.jsonl"),)))
    harvest(config, below(tmp_path / "s"))
    assert holding(config.home, WORD) == []


def test_deleting_an_item_leaves_none_of_its_words(config, tmp_path):
    fill_every_store(config, tmp_path)
    secret = [item for item in items(config) if WORD in item.fact]
    forget_items(config, secret, why="no more")
    for database in (config.knowledge, config.ledger):
        assert WORD.encode() not in database.read_bytes()
    with closing(sqlite3.connect(config.catalog)) as db:
        findings = db.execute("SELECT topic, finding FROM findings").fetchall()
    topics = {topic for item in secret for topic in item.topics}
    assert not topics & {topic for topic, _ in findings}
    harvest(config, below(tmp_path / "s"), again=True)
    assert not {item.id for item in secret} & {item.id for item in items(config)}
    assert WORD.encode() not in config.ledger.read_bytes()


@pytest.mark.parametrize("has_catalogue", [True, False])
def test_an_older_backup_that_was_put_back_is_cleaned_by_the_marks(
    config, tmp_path, has_catalogue
):
    id = fill_every_store(config, tmp_path)
    saved = tmp_path / "saved"
    shutil.copytree(config.home, saved)
    forget(config, Choice(names=(id,)))
    marks = (config.home / "forgotten").read_bytes()
    shutil.rmtree(config.home)
    shutil.copytree(saved, config.home)
    (config.home / "forgotten").write_bytes(marks)
    if not has_catalogue:
        config.catalog.unlink()
    forget_marked(config)
    assert holding(config.home, WORD) == []


def test_a_reader_that_holds_a_log_open_is_told_of(config, tmp_path):
    """What was deleted still stands in the log then."""
    shared(2).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    with closing(sqlite3.connect(config.knowledge)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM items").fetchone()
        with pytest.raises(StoreError, match="run the same command again"):
            scrub(config.knowledge, patience=0.05)
    scrub(config.knowledge, patience=0.05)


def test_a_private_session_has_nothing_kept_in_memory_either(config):
    private = replace(config, private=True)
    memory = open_backend(private)
    with pytest.raises(UsageError, match="AFTERGLOW_PRIVATE"):
        keep(memory, "default", "editor", "vim", None, private)
    with pytest.raises(UsageError, match="AFTERGLOW_PRIVATE"):
        remember_json(private, b"[]", by="claude")


def test_other_sessions_deliveries_stay(config, tmp_path):
    id = fill_every_store(config, tmp_path)
    forget(config, Choice(names=(id,)))
    with Ledger(config.ledger) as ledger:
        assert {delivery.session for delivery in ledger.deliveries()} == {
            "another-session"
        }


def test_a_forgotten_repository_leaves_no_name(config, tmp_path):
    """Of its folders, branches and sessions either, in numbers that were measured, or in what was given to them."""
    folder = tmp_path / f"{WORD}-harbor"
    folder.mkdir()
    for number in (1, 2):
        made = secretive(number, start=3000 * number)
        made.lines = [
            line.replace("/home/ana/src/harbor", str(folder)) for line in made.lines
        ]
        made.save(tmp_path / "s" / WORD)
    shared(3).save(tmp_path / "s/other")
    places = below(tmp_path / "s")
    harvest(config, places)
    start(config, agent="claude-code", cwd=folder, session=secretive(1).id)
    save(config, measure(config))
    assert len(holding(config.home, f"{WORD}-harbor")) > 1
    report = forget(config, Choice(repo=f"{WORD}-harbor"))
    assert len(report.sessions) == 2
    assert holding(config.home, WORD) == []
    harvest(config, places)
    assert holding(config.home, WORD) == []
