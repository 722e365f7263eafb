"""index.json: valid by its published schema, the same bytes for the same items, and the items come back whole."""

import json
from importlib.resources import files
from random import Random

import pytest
from jsonschema import Draft202012Validator

from afterglow.errors import UnreadableSource
from afterglow.records.knowledge import Evidence
from afterglow.store.folder.entries import decode, encode, entry_of, item_of, schema
from keeping import item

NOW = 1_790_000_000.0
SCHEMA = files("afterglow.store.folder") / "index.schema.json"


def whole(number=1, **fields):
    span = Evidence(
        session="s1", agent="codex", line=4, part="result", start=0, length=9, hash="ab12", quote="no pier",
        trust="tool", repo="harbor", author="a1", time=NOW + 0.25,
    )  # fmt: skip
    told = {
        "reason": "2 independent sessions", "domain": "build", "tags": ("go",), "against": 1, "expires": NOW + 99.5,
        "related": ("k0000009",), "situation": "no pier", "remedy": "build it", "fingerprints": ("f",), "cost": 2.5,
        "key": "k", "value": "v", "superseded_by": "k0000008", "decided": True, "edited": True, "agent": "codex",
        "evidence": (span,),
    }  # fmt: skip
    return item(number, **{**told, **fields})


def bytes_of(*items):
    return encode([entry_of(one) for one in items])


def test_items_come_back_whole():
    items = [
        whole(1),
        item(2),
        item(3, first_seen=None, last_confirmed=None, fact="ünï\n[k]"),
    ]
    assert [item_of(entry) for entry in decode(bytes_of(*items), "x").facts] == items


def test_the_same_items_give_the_same_bytes_in_any_order():
    items = [whole(n) for n in range(20)]
    assert bytes_of(*items) == bytes_of(*Random(1).sample(items, len(items)))


def test_an_item_more_is_a_few_lines_more():
    items = [whole(n) for n in range(20)]
    before, after = (set(bytes_of(*some).split(b"\n")) for some in (items[1:], items))
    assert len(before - after) == 1  # total_facts


def test_last_updated_is_when_an_item_was_last_seen_not_now():
    made = json.loads(
        bytes_of(
            item(1, first_seen=NOW - 9, last_confirmed=NOW - 5),
            item(2, first_seen=NOW, last_confirmed=None),
        )
    )
    assert (made["version"], made["last_updated"], made["total_facts"]) == (
        1,
        "2026-09-21T14:13:20Z",
        2,
    )


def test_the_published_schema_is_the_one_of_the_code(golden):
    golden(SCHEMA, json.dumps(schema(), indent=2, default=list) + "\n")


def test_an_index_is_valid_by_the_published_schema():
    published = json.loads(SCHEMA.read_text())
    Draft202012Validator.check_schema(published)
    made = json.loads(
        bytes_of(whole(1), item(2), item(3, first_seen=None, confidence=1))
    )
    assert list(Draft202012Validator(published).iter_errors(made)) == []
    made["facts"][0]["category"] = "rumour"
    assert list(Draft202012Validator(published).iter_errors(made))


def test_every_field_the_folder_promises_is_there():
    promised = "id fact category domain repo confidence tags source_count first_seen last_confirmed expires related"
    assert json.loads(bytes_of(item(1)))["facts"][0].keys() >= set(promised.split())


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda text: text.replace('"version": 1', '"version": 2'), "has version 2"),
        (
            lambda text: text.replace('"confidence": 0.8', '"confidence": "high"'),
            "`$.facts[0].confidence`",
        ),
        (
            lambda text: text.replace('"confidence": 0.8', '"confidence": 8'),
            "`$.facts[0].confidence`",
        ),
        (lambda text: text.replace('"pitfall"', '"rumour"'), "`$.facts[0].category`"),
        (lambda text: text.replace('"k0000001"', '"../x"'), "`$.facts[0].id`"),
        (lambda text: text.replace('"facts"', '"fax"'), "facts"),
        (lambda text: text.replace('"tags": []', '"tags": ['), "x:"),
        (
            lambda text: text.replace('"facts"', '\n<<<<<<< HEAD\n"facts"'),
            "x:9: git left a conflict here",
        ),
        (lambda text: "[]", "not an index"),
    ],
)
def test_what_is_wrong_with_an_index_is_said_with_its_place(change, word):
    with pytest.raises(UnreadableSource) as raised:
        decode(change(bytes_of(item(1)).decode()).encode(), "x")
    assert word in str(raised.value)


def test_an_id_twice_is_an_error():
    with pytest.raises(UnreadableSource, match="stands in it twice"):
        decode(bytes_of(item(1), item(1)), "x")
