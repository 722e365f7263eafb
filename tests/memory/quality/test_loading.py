"""Labelled sets are recognised by what is in them, and refused with what would work."""

import json

import pytest

from afterglow.errors import NotFound, UnreadableSource
from afterglow.memory.quality import bundled, load
from afterglow.memory.quality.formats import FORMATS
from afterglow.records.evaluation import Labelled, Question

OWN = {
    "entries": [
        {"id": "new", "key": "editor", "value": "Zed", "updated": "2026-02-01"},
        {"id": "old", "key": "editor", "value": "Helix", "updated": 1735689600},
        {"id": "tea", "key": "tea", "value": "green", "updated": "2025-06-01"},
    ],
    "questions": [
        {"text": "which editor?", "wanted": ["old"], "kind": "update"},
        {"text": "tea?", "wanted": ["tea"]},
    ],
}
LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ada",
            "session_2": [
                {"speaker": "Ada", "dia_id": "D2:1", "text": "The kiln broke."}
            ],
            "session_2_date_time": "10:31 am on 9 June, 2023",
            "session_1": [
                {
                    "speaker": "Ben",
                    "dia_id": "D1:1",
                    "text": "Hello",
                    "blip_caption": "a photo of a kiln",
                },
                {"speaker": "Ada", "dia_id": "D1:2", "text": "Mine is new."},
            ],
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_3_date_time": "2:00 pm on 1 July, 2023",
        },
        "qa": [
            {
                "question": "What broke?",
                "answer": "kiln",
                "evidence": ["D2:01; D1:2"],
                "category": 1,
            },
            {
                "question": "Is it old?",
                "adversarial_answer": "yes",
                "evidence": ["D1:2"],
                "category": 5,
            },
            {"question": "Nobody knows?", "answer": "", "evidence": [], "category": 3},
            {
                "question": "Elsewhere?",
                "answer": "",
                "evidence": ["D9:9"],
                "category": 4,
            },
        ],
    },
    {
        "conversation": {
            "session_1": {
                "date_time": "2024-01-05",
                "messages": [{"dia_id": "D1:1", "text": "Hi"}],
            }
        },
        "qa": [{"question": "Who?", "evidence": "D:1:1", "category": 2}],
    },
]


def written(path, value):
    path.write_text(
        value if isinstance(value, str) else json.dumps(value), encoding="utf-8"
    )
    return path


def tau2(folder):
    (folder / "documents").mkdir()
    written(
        folder / "documents" / "one.json",
        {"id": "d1", "title": "Fees", "content": "None."},
    )
    written(
        folder / "documents" / "two.json",
        {"id": "d2", "title": "Cards", "content": "Gold."},
    )
    said = {
        "user_scenario": {"instructions": {"reason": "You want a card.", "known": None}}
    }
    return written(folder / "tasks.json", [said | {"required_documents": ["d2"]}, said])


def test_our_own_format_is_put_in_order_and_an_updated_entry_means_its_newest(tmp_path):
    labels = load(written(tmp_path / "mine.json", OWN))
    assert labels.name == "mine"
    assert [entry.id for entry in labels.entries] == ["old", "tea", "new"]
    assert labels.questions[0] == Question("which editor?", ("new",), "update")


def test_locomo_conversations_are_apart_and_their_turns_are_entries(tmp_path):
    labels = load(written(tmp_path / "locomo.json", LOCOMO))
    assert [(entry.user, entry.id) for entry in labels.entries] == [
        ("conv-1", "D1:1"), ("conv-1", "D1:2"), ("conv-1", "D2:1"), ("1", "D1:1")
    ]  # fmt: skip
    assert labels.entries[0] == Labelled(
        "D1:1", "D1:1", "Ben: Hello a photo of a kiln", 1683554160.0, "conv-1"
    )
    assert labels.questions[0] == Question(
        "What broke?", ("D2:1", "D1:2"), "multi-hop", "conv-1"
    )
    assert [question.kind for question in labels.questions] == [
        "multi-hop",
        "adversarial",
        "temporal",
    ]
    assert labels.left_out == 2


def test_a_folder_of_documents_and_tasks_is_read(tmp_path):
    tau2(tmp_path)
    labels = load(tmp_path)
    assert labels.entries[1] == Labelled("d2", "d2", "Cards\nGold.")
    assert labels.questions == (Question("You want a card.", ("d2",), "task"),)
    assert labels.left_out == 1


def test_each_format_is_recognised_by_its_own_reader_and_no_other(tmp_path):
    (tmp_path / "folder").mkdir()
    tau2(tmp_path / "folder")
    sets = {
        "own": written(tmp_path / "own.json", OWN),
        "locomo": written(tmp_path / "locomo.json", LOCOMO),
        "tau2": tmp_path / "folder",
    }
    for name, path in sets.items():
        head = path.read_bytes() if path.is_file() else b""
        assert [
            other for other in FORMATS.names() if FORMATS.load(other).sniff(path, head)
        ] == [name]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is no labelled set: a JSON file"),
        ("hello", "is no labelled set: a JSON file"),
        ('{"entries": [', "is no labelled set: Input data was truncated"),
        ('{"entries": [{"id": "a"}], "questions": []}', "missing required field `key`"),
        ('{"entries": [], "questions": []}', "none of 0 questions names an entry"),
        (
            json.dumps(OWN | {"questions": [{"text": "x", "wanted": ["z"]}]}),
            "'x' wants 'z', and there is no such entry",
        ),
        (json.dumps(OWN | {"entries": OWN["entries"] * 2}), "is there twice"),
        (
            json.dumps(OWN).replace('"tea", "value"', '"", "value"'),
            "entry 'tea' has no key",
        ),
        ('[{"conversation": {}, "qa": 3}]', "Expected `array`, got `int`"),
        (
            '[{"conversation": {"session_1": 7, "session_2": [8]}, "qa": []}]',
            "none of 0 questions",
        ),
    ],
)
def test_a_bad_file_is_refused_with_the_reason(tmp_path, text, says):
    with pytest.raises(UnreadableSource) as caught:
        load(written(tmp_path / "bad.json", text))
    assert says in str(caught.value) and "bad.json" in str(caught.value)


def test_a_file_that_is_not_text_or_not_there_is_refused(tmp_path):
    (tmp_path / "binary.json").write_bytes(b'{"entries": "\xff\xfe')
    with pytest.raises(UnreadableSource):
        load(tmp_path / "binary.json")
    with pytest.raises(UnreadableSource):
        load(tmp_path)
    with pytest.raises(NotFound):
        load(tmp_path / "missing.json")


def test_the_bundled_set_comes_with_the_package():
    labels = bundled()
    assert labels.name == "preferences" and labels.left_out == 0
    assert (
        len({entry.key for entry in labels.entries}) >= 300
        and len(labels.questions) >= 150
    )


def test_locomo_sessions_numbered_with_zeros_are_read(tmp_path):
    turns = [{"speaker": "Ada", "dia_id": "D1:1", "text": "The kiln broke."}]
    asked = [{"question": "What broke?", "evidence": ["D1:1"]}]
    path = written(
        tmp_path / "set.json", [{"conversation": {"session_01": turns}, "qa": asked}]
    )
    assert [entry.id for entry in load(path).entries] == ["D1:1"]
