"""The last look, the files and the card."""

from __future__ import annotations

import csv
import io
from hashlib import sha256

import msgspec
import pytest
from msgspec.structs import replace
from tests.dataset.sharing import contents, material

from afterglow.dataset import build
from afterglow.dataset.card import NO_LICENCE, About, Manifest, card, file_of, manifest
from afterglow.dataset.encode import encode
from afterglow.dataset.pseudonyms import KEY
from afterglow.dataset.screen import screen, screened_licence
from afterglow.errors import AfterglowError
from afterglow.text.redact import Redactor

ABOUT = About(version="9.9", k=5, people=1, licence="", salt="abcdefghijklmnop")


@pytest.fixture(scope="module")
def tables():
    return build(material(), b"s" * KEY, k=5)


def test_what_is_well_made_passes(tables):
    for filled in tables.values():
        screen(filled, Redactor())


def test_a_find_stops_it_and_names_the_place_not_the_value(tables):
    with pytest.raises(AfterglowError) as told:
        screen(tables["sessions"], Redactor(["claude-opus"]))
    assert "sessions.model, row 1: the redactor finds name; nothing was written" in str(
        told.value
    )
    assert "opus" not in str(told.value)


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("session", "ana-1"),
        ("agent", "ana's bot"),
        ("period", "2026-11-18"),
        ("calls", "12"),
        ("cost", 3),
        ("repo", None),
    ],
)
def test_what_a_column_may_not_hold_stops_it(tables, column, cell):
    filled = tables["sessions"]
    wrong = replace(filled, rows=({**filled.rows[0], column: cell}, *filled.rows[1:]))
    with pytest.raises(AfterglowError) as told:
        screen(wrong, Redactor())
    assert f"sessions.{column}, row 1" in str(told.value)
    assert str(cell) == "None" or str(cell) not in str(told.value).replace("row 1", "")


def test_a_licence_is_a_name():
    redactor = Redactor()
    assert screened_licence("  CC-BY-4.0 ", redactor) == "CC-BY-4.0"
    for wrong in ("x" * 201, "ask ana.lima@otterquay.org", "CC\0BY"):
        with pytest.raises(AfterglowError, match=r"CC-BY-4\.0"):
            screened_licence(wrong, redactor)


def test_csv_reads_back(tables):
    rows = list(
        csv.DictReader(io.StringIO(encode(tables["recoveries"], "csv").decode()))
    )
    assert len(rows) == len(tables["recoveries"].rows)
    assert {row["recovered"] for row in rows} == {"true", "false"}
    assert rows[0]["tool"] in {"code", "other"}


def test_parquet_reads_back_with_types_and_words(tables):
    parquet = pytest.importorskip("pyarrow.parquet")
    for filled in tables.values():
        read = parquet.read_table(io.BytesIO(encode(filled, "parquet")))
        assert read.to_pylist() == list(filled.rows)
    field = parquet.read_schema(
        io.BytesIO(encode(tables["sessions"], "parquet"))
    ).field("calls")
    assert (str(field.type), field.metadata[b"description"]) == ("int64", b"tool calls")


def test_an_empty_table_has_its_columns(tables):
    empty = replace(tables["sessions"], rows=())
    assert encode(empty, "csv").decode().startswith("session,user,repo")
    assert encode(empty, "parquet")


def test_the_card_tells_every_field_and_what_is_not_protected(tables):
    text = card(ABOUT, {f"{name}.csv": filled for name, filled in tables.items()})
    for filled in tables.values():
        assert [
            column.name
            for column in filled.table.columns
            if f"| `{column.name}` |" not in text
        ] == []
    for words in (
        NO_LICENCE,
        "k = 5",
        "does not protect",
        "one person",
        "not differential privacy",
        "BLAKE2b",
    ):
        assert words in text
    assert "Simulated" not in text
    assert "**Simulated" in card(replace(ABOUT, simulated=True), {})


def test_the_manifest_has_the_hash_of_every_file(tables):
    data = encode(tables["sessions"], "csv")
    told = msgspec.json.decode(
        manifest(ABOUT, [file_of("sessions.csv", tables["sessions"], data)], "words"),
        type=Manifest,
    )
    assert (told.files[0].sha256, told.files[0].bytes) == (
        sha256(data).hexdigest(),
        len(data),
    )
    assert told.card == sha256(b"words").hexdigest()


def test_a_card_with_contents_says_that_there_are_words_and_what_they_may_tell():
    filled = build(material(contents=contents()), b"s" * KEY, k=5)
    text = card(replace(ABOUT, contents=True), filled)
    assert "k-anonymity says nothing" in text
    assert "| `text` | redacted text |" in text
    assert "No text of any session" not in text
    assert "No free text" not in text
