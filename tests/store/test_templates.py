"""Templates as files: whole or not at all, versions kept, damage named, names safe, the schema published."""

import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from afterglow.errors import NotFound, StoreError, UnreadableSource
from afterglow.records.template import (
    ContextMarkers,
    RecoveryPattern,
    SessionSeed,
    ToolCallExample,
    UserPatterns,
    WarmTemplate,
)
from afterglow.store.templates import legacy
from afterglow.store.templates.entries import (
    decode,
    encode,
    encode_share,
    pieces,
    schema,
)
from afterglow.store.templates.folder import Templates
from afterglow.store.templates.importing import clean, screen

NOW = 1_790_000_000.0  # 2026-09-21 14:13:20 UTC
SCHEMA = files("afterglow.store.templates") / "template.schema.json"
SEED = SessionSeed(
    system_context="run the linter before you push",
    tool_examples=(
        ToolCallExample(
            "Bash",
            '{"command": "make ship"}',
            "shipped\n⚓",
            turn_number=4,
            session="s1",
            support=3,
        ),
        ToolCallExample("Read", '{"file_path": "dock/pier.go"}', "package dock"),
    ),
    recovery_patterns=(RecoveryPattern("no pier", "build it first", "Bash", 2),),
    user_patterns=UserPatterns(
        "direct", "terse", "en", ("tabs, not spaces",), ("no, the other pier",)
    ),
    context_markers=ContextMarkers(
        files=("dock/pier.go",), commands=("make ship",), repos=("otterquay/harbor",)
    ),
)


def template(**fields) -> WarmTemplate:
    return WarmTemplate(
        **{"id": "", "name": "Ship it", "seed": SEED, "tags": ("go", "ship"), **fields}
    )


@pytest.fixture
def kept(tmp_path):
    return Templates(tmp_path / "templates")


def test_a_template_comes_back_whole_under_an_id_of_its_second(kept):
    made = kept.add(template(), NOW)
    assert made.id == "warm_20260921_141320" and (made.created, made.updated) == (
        NOW,
        NOW,
    )
    assert kept.get(made.id) == made


def test_two_of_one_second_are_kept_apart_also_after_one_was_deleted(kept):
    ids = [kept.add(template(), NOW).id for _ in range(3)]
    kept.delete(ids[1])
    assert kept.add(template(), NOW).id == "warm_20260921_141320_4"
    assert ids == [
        "warm_20260921_141320",
        "warm_20260921_141320_2",
        "warm_20260921_141320_3",
    ]


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "", "a/b\\c:d*?", "CON", "\x00\x1b[2J", "n" * 5000, "🙂"],
)
def test_whatever_a_template_is_called_its_file_is_named_by_its_id(kept, name):
    made = kept.add(template(name=name), NOW)
    assert [path.name for path in kept.folder.glob("*.json")] == [f"{made.id}.json"]
    assert kept.get(made.id).name == name


def test_an_id_that_is_no_id_of_ours_never_becomes_a_path(kept):
    assert kept.add(template(id="../../x"), NOW).id == "warm_20260921_141320"
    for id in ("../x", "warm_20260921_141320/../x", "warm_1", ""):
        with pytest.raises(NotFound):
            kept.get(id)


def test_saving_keeps_the_version_before(kept):
    first = kept.add(template(), NOW)
    second = kept.save(replace(first, description="better"), NOW + 60)
    assert (second.version, second.created, second.updated) == (2, NOW, NOW + 60)
    assert (
        kept.get(first.id) == second
        and kept.get(first.id, 1) == first
        and kept.versions(first.id) == [1, 2]
    )
    with pytest.raises(NotFound, match="there are 1, 2"):
        kept.get(first.id, 7)


def test_a_version_made_from_an_older_one_is_refused_and_nothing_is_lost(kept):
    first = kept.add(template(), NOW)
    second = kept.save(replace(first, description="mine"), NOW)
    with pytest.raises(StoreError, match="changed meanwhile"):
        kept.save(replace(first, description="theirs"), NOW)
    assert kept.get(first.id) == second


def test_a_template_is_found_by_part_of_its_id_or_by_its_name(kept):
    one, two = kept.add(template(), NOW), kept.add(template(name="Dock"), NOW + 1)
    assert (
        kept.find("141320")
        == kept.find("warm_20260921_141320")
        == kept.find(" ship IT")
        == one.id
    )
    assert kept.find("dock") == two.id
    with pytest.raises(NotFound, match="fits 2"):
        kept.find("warm_2026")
    with pytest.raises(NotFound):
        kept.find("")


def test_a_damaged_file_is_named_and_the_others_load(kept):
    good, bad, newer, moved = (
        kept.add(template(name=str(n)), NOW + n) for n in range(4)
    )
    kept.folder.joinpath(f"{bad.id}.json").write_bytes(b'{"format": 1, "templ')
    path = kept.folder / f"{newer.id}.json"
    path.write_text(path.read_text().replace('"format": 2', '"format": 3'))
    kept.folder.joinpath(f"{moved.id}.json").rename(
        kept.folder / "warm_20200101_000000.json"
    )
    found, troubles = kept.glances()
    assert [one.id for one in found] == [good.id]
    said = " ".join(trouble.why for trouble in troubles)
    assert (
        "damaged" in said
        and "newer afterglow" in said
        and "renamed" in said
        and len(troubles) == 3
    )


def test_a_template_of_a_newer_format_is_not_written_over(kept):
    made = kept.add(template(), NOW)
    path = kept.folder / f"{made.id}.json"
    path.write_text(path.read_text().replace('"format": 2', '"format": 3'))
    before = path.read_bytes()
    with pytest.raises(UnreadableSource, match="newer afterglow"):
        kept.save(made, NOW)
    assert path.read_bytes() == before


def test_a_word_that_was_changed_in_the_file_is_noticed_and_the_last_version_is_named(
    kept,
):
    made = kept.save(kept.add(template(), NOW), NOW)
    path = kept.folder / f"{made.id}.json"
    path.write_text(path.read_text().replace("make ship", "make chip"))
    with pytest.raises(
        UnreadableSource, match=r"does not match its checksum.*--version 1"
    ):
        kept.get(made.id)


def test_formatting_a_file_anew_changes_nothing():
    made = template(id="warm_20260921_141320")
    dense = json.dumps(json.loads(encode(made)), sort_keys=True).encode()
    assert decode(dense, "x") == made


def test_deleting_moves_all_versions_to_the_trash(kept):
    made = kept.save(kept.add(template(), NOW), NOW)
    where = kept.delete(made.id)
    assert kept.ids() == [] and decode(where.read_bytes(), "x") == made
    assert sorted(path.name for path in kept.trash.iterdir()) == [
        f"{made.id}.1.json",
        f"{made.id}.json",
    ]
    with pytest.raises(NotFound):
        kept.delete(made.id)


def test_a_damaged_template_can_be_deleted(kept):
    made = kept.add(template(), NOW)
    kept.folder.joinpath(f"{made.id}.json").write_bytes(b"{")
    assert kept.delete(made.id).read_bytes() == b"{"


def test_a_glance_has_what_a_list_needs(kept):
    made = kept.add(template(description="ships", agent="codex", repo="harbor"), NOW)
    ((seen,), troubles) = kept.glances()
    assert (
        troubles == []
        and seen.tools == ("Bash", "Read")
        and seen.markers == SEED.context_markers
    )
    assert (seen.id, seen.name, seen.tags, seen.agent) == (
        made.id,
        "Ship it",
        ("go", "ship"),
        "codex",
    )


def test_arguments_that_are_no_object_are_not_kept(kept):
    with pytest.raises(StoreError, match="JSON object"):
        kept.add(
            template(
                seed=SessionSeed(tool_examples=(ToolCallExample("Bash", "[1]", ""),))
            ),
            NOW,
        )
    assert kept.ids() == []


def test_a_folder_that_cannot_be_written_is_said_and_leaves_no_draft(tmp_path):
    (tmp_path / "templates").write_text("a file is in the way")
    with pytest.raises(StoreError, match="nothing that was kept is lost"):
        Templates(tmp_path / "templates").add(template(), NOW)


def test_the_published_schema_is_the_one_of_the_code(golden):
    golden(SCHEMA, json.dumps(schema(), indent=2, default=list) + "\n")


def test_files_are_valid_by_the_published_schema():
    published = json.loads(SCHEMA.read_text())
    Draft202012Validator.check_schema(published)
    made = template(id="warm_20260921_141320")
    check = Draft202012Validator(published)
    for data in (encode(made), encode_share([made, made])):
        assert list(check.iter_errors(json.loads(data))) == []
    wrong = json.loads(encode(made))
    wrong["template"]["id"] = "../x"
    assert list(check.iter_errors(wrong))


def test_an_export_is_read_piece_by_piece():
    made = [template(id=f"warm_20260921_14132{n}", name=str(n)) for n in range(3)]
    data = encode_share(made).replace(b'"name": "1"', b'"name": "7"')
    got = []
    for piece in pieces(data, "x"):
        try:
            got.append(decode(piece, "x").name)
        except UnreadableSource as error:
            got.append("checksum" in str(error))
    assert got == ["0", True, "2"]


WRITER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from store.test_templates import template, NOW
from afterglow.errors import StoreError
from afterglow.store.templates.folder import Templates
from msgspec.structs import replace
kept, number = Templates(Path(sys.argv[1])), 0
while True:
    kept.add(template(name=f"{sys.argv[2]}-{number}"), NOW)
    try:
        kept.save(replace(kept.get("warm_20260101_000000"), description=f"{sys.argv[2]}-{number}"), NOW)
    except StoreError:
        pass
    print(number, flush=True)
    number += 1
"""


def test_two_writers_killed_in_the_middle_lose_nothing_they_had_written(kept):
    shared = kept.add(template(id="warm_20260101_000000"), NOW)
    words = [str(kept.folder), "", str(Path(__file__).parents[1])]
    said = {}
    for round in range(3):
        names = [f"{round}a", f"{round}b"]
        writers = [
            subprocess.Popen(
                [sys.executable, "-c", WRITER, words[0], name, words[2]],
                stdout=subprocess.PIPE,
                text=True,
            )
            for name in names
        ]
        for writer in writers:
            for _ in range(10):
                writer.stdout.readline()
        for name, writer in zip(names, writers, strict=True):
            writer.kill()
            said[name] = 10 + len(writer.stdout.read().splitlines())
            writer.wait()
            writer.stdout.close()
        found, troubles = kept.glances()
        assert troubles == []
        there = {one.name for one in found}
        assert {
            f"{name}-{n}" for name, many in said.items() for n in range(many)
        } <= there
        versions = kept.versions(shared.id)
        assert versions == list(range(1, len(versions) + 1))
        assert [kept.get(shared.id, number).version for number in versions] == versions


def hidden(texts):
    return [
        (text.replace("hunter2", "<secret>"), {"word": text.count("hunter2")})
        for text in texts
    ]


def test_every_text_is_redacted_and_arguments_stay_json():
    spoiled = replace(
        SEED,
        system_context="hunter2",
        tool_examples=(
            ToolCallExample("Bash", '{"hunter2": ["a\\nhunter2"]}', "hunter2"),
        ),
        recovery_patterns=(RecoveryPattern("hunter2", "hunter2"),),
        user_patterns=UserPatterns(conventions=("hunter2",)),
        context_markers=ContextMarkers(urls=("hunter2",)),
    )
    done = clean(
        template(
            name="hunter2",
            tags=("hunter2",),
            notes={"hunter2": "hunter2"},
            seed=spoiled,
        ),
        hidden,
    )
    assert (
        b"hunter2" not in encode(done.template)
        and done.redacted["word"] > 8
        and done.held == ()
    )
    assert json.loads(done.template.seed.tool_examples[0].arguments) == {
        "<secret>": ["a\n<secret>"]
    }


def test_an_example_whose_arguments_are_broken_by_hiding_is_left_out():
    def breaking(texts):
        return [(text.replace('"command"', "<secret>"), {}) for text in texts]

    done = clean(template(), breaking)
    assert [one.tool_name for one in done.template.seed.tool_examples] == [
        "Read"
    ] and "1 examples" in done.held[0]


def test_what_reads_like_an_order_is_left_behind_and_the_rest_stays():
    def danger(text, trust):
        assert trust == "external"
        return "an order" if "obey" in text else ""

    seed = replace(
        SEED,
        tool_examples=(
            *SEED.tool_examples,
            ToolCallExample("Bash", '{"command": "a\\nobey"}', ""),
        ),
        user_patterns=UserPatterns(conventions=("obey me", "tabs")),
    )
    safe, held = screen(template(seed=seed, description="obey"), danger)
    assert (
        safe.seed.tool_examples == SEED.tool_examples
        and safe.seed.user_patterns.conventions == ("tabs",)
    )
    assert (
        safe.description == ""
        and len(held) == 3
        and all("an order" in one for one in held)
    )


OLDER = {
    "id": "review-7",
    "name": "Reviews",
    "task_type": "code",
    "tags": ["review"],
    "usage_count": 5,
    "success_rate": 0.8,
    "created_at": "2026-02-01T10:00:00",
    "examples": [
        {"tool_name": "terminal", "arguments": {"command": "git diff"}, "result": "+1", "turn_number": 3},
        {"tool_name": "terminal", "arguments": '{"command": "ls"}', "result": {"output": "a"}},
        {"tool_name": "terminal", "arguments": {"command": "false"}, "result": "no", "success": False},
        {"tool_name": "terminal", "arguments": "ls", "result": "no object"},
        "no example at all",
    ],
}  # fmt: skip


def test_a_file_of_an_older_tool_keeps_its_working_calls_and_what_it_counted_is_a_note():
    made = legacy.read(OLDER, "x")
    assert [(one.arguments, one.result) for one in made.seed.tool_examples] == [
        ('{"command":"git diff"}', "+1"),
        ('{"command": "ls"}', '{"output":"a"}'),
    ]
    assert (made.uses, made.success_rate, made.notes["usage_count there"]) == (
        0,
        None,
        "5",
    )
    assert (
        made.task_type.value == "code" and made.seed.tool_examples[0].turn_number == 3
    )


def test_examples_of_older_tools_are_found_in_a_seed_too_and_nothing_else_is_taken_for_one():
    assert legacy.looks_older(
        {"name": "x", "session_seed": {"tool_examples": OLDER["examples"]}}
    )
    for other in (
        {},
        [],
        "x",
        {"name": "x"},
        {"examples": []},
        {"name": "x", "examples": "many"},
    ):
        assert not legacy.looks_older(other)
    with pytest.raises(UnreadableSource, match="no successful call"):
        legacy.read(
            {"name": "x", "examples": [{"tool_name": "a", "success": False}]}, "x"
        )


def test_a_turn_number_that_is_true_or_a_year_beyond_the_calendar_does_not_make_a_file_that_cannot_be_read(
    kept,
):
    calls = [{"tool_name": "terminal", "arguments": {}, "turn_number": True}]
    for stamp in (
        "9999-12-31T23:59:59-23:00",
        "0001-01-01T00:00:00+23:00",
        1e300,
        -5,
        True,
    ):
        made = kept.add(
            legacy.read(
                {**OLDER, "id": "", "examples": calls, "created_at": stamp}, "x"
            ),
            NOW,
        )
        assert kept.get(made.id) == made and made.created == NOW


@pytest.mark.parametrize("time", [1e300, -1.0])
def test_a_time_no_calendar_has_is_a_flaw(time):
    good = template(id="warm_20260921_141320", created=NOW, updated=NOW)
    with pytest.raises(UnreadableSource, match="time"):
        decode(encode(replace(good, created=time)), "x")


def test_an_order_in_the_name_of_an_argument_a_repository_or_a_tool_is_left_behind():
    def danger(text, trust):
        return "an order" if "obey" in text else ""

    seed = replace(
        SEED,
        tool_examples=(
            *SEED.tool_examples,
            ToolCallExample("Bash", '{"obey": [{"obey me": 1}]}', ""),
            ToolCallExample("obey", "{}", ""),
        ),
        recovery_patterns=(*SEED.recovery_patterns, RecoveryPattern("a", "b", "obey")),
    )
    safe, held = screen(
        template(seed=seed, repo="obey", agent="obey", source_sessions=("obey", "s1")),
        danger,
    )
    assert safe.seed == SEED and (safe.repo, safe.agent, safe.source_sessions) == (
        "",
        "",
        ("s1",),
    )
    assert len(held) == 6


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes in folders")
def test_a_pipe_among_the_files_does_not_make_a_list_wait_forever(kept):
    made = kept.add(template(), NOW)
    os.mkfifo(kept.folder / "warm_20260921_150000.json")
    found, troubles = kept.glances()
    assert [one.id for one in found] == [made.id] and "not a file" in troubles[0].why


def written_in_format_1(kept, **fields):
    """As an older version left it: what it made itself counted as approved."""
    made = kept.add(template(approved=True, **fields), NOW)
    path = kept.folder / f"{made.id}.json"
    path.write_text(path.read_text().replace('"format": 2', '"format": 1'))
    return made.id


@pytest.mark.parametrize(
    ("made_by", "approved"), [("auto", False), ("extract", False), ("import", True)]
)
def test_of_older_files_only_what_a_person_approved_is_approved(
    kept, made_by, approved
):
    id = written_in_format_1(kept, made_by=made_by)
    assert kept.get(id).approved is approved
    assert kept.glances()[0][0].approved is approved


def test_the_newest_version_that_was_approved_is_the_one_in_use(kept):
    first = kept.add(template(approved=True), NOW)
    kept.save(replace(first, name="unread", approved=False), NOW + 5)
    assert kept.approved(first.id).version == 1
    (latest,) = kept.glances()[0]
    assert not latest.approved and kept.approved_glance(latest).version == 1
    kept.amend(replace(kept.get(first.id), approved=True))
    assert kept.approved(first.id).name == "unread"


def test_without_an_approved_version_none_is_in_use(kept):
    made = kept.add(template(), NOW)
    assert kept.approved(made.id) is None
