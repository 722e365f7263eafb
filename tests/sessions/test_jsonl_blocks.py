"""Lines of any size and state, in bounded memory, numbered as an editor would."""

import io

import msgspec
import pytest

from afterglow.records import Mark
from afterglow.sessions import jsonl_blocks
from afterglow.sessions.jsonl_blocks import blocks


class Line(msgspec.Struct):
    n: int = 0


START = Mark()
DECODER = msgspec.json.Decoder(Line)


def read(data: bytes, since: Mark = START):
    found = list(blocks(io.BytesIO(data), DECODER, since))
    values = [
        (number, value.n)
        for block in found
        for number, value in zip(block.numbers, block.values, strict=True)
    ]
    return values, [damage for block in found for damage in block.damage]


def test_lines_are_numbered_from_one():
    assert read(b'{"n":1}\n{"n":2}\n') == ([(1, 1), (2, 2)], [])


def test_empty_lines_count_but_are_no_damage():
    assert read(b'{"n":1}\n\n  \n{"n":4}\n') == ([(1, 1), (4, 4)], [])


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b'{"n":', "not JSON"),
        (b"\x00\x01\x02", "not JSON"),
        (b'{"n":"word"}', "unexpected shape"),
        (b'{"x":' + b"[" * 100_000, "nested too deeply"),
    ],
)
def test_a_damaged_line_is_named_and_costs_only_itself(bad, reason):
    values, damage = read(b'{"n":1}\n' + bad + b'\n{"n":3}\n')
    assert values == [(1, 1), (3, 3)]
    assert [(d.line, d.reason.split(":")[0]) for d in damage] == [(2, reason)]


def test_a_wrong_encoding_is_read_with_replacements_and_counted():
    class Text(msgspec.Struct):
        t: str

    (block,) = blocks(io.BytesIO(b'{"t":"caf\xe9"}\n'), msgspec.json.Decoder(Text))
    assert block.values == [Text("caf\ufffd")]
    assert block.damage[0].line == 1 and "UTF-8" in block.damage[0].reason


@pytest.mark.parametrize("cut", [rb"\ud83d", rb"\ude00", rb"\ud83d\ud83d\ude00"])
def test_half_a_character_costs_only_itself(cut):
    class Text(msgspec.Struct):
        t: str

    (block,) = blocks(
        io.BytesIO(b'{"t":"a' + cut + b'b"}\n'), msgspec.json.Decoder(Text)
    )
    assert block.values[0].t.startswith("a\ufffd") and block.values[0].t.endswith("b")
    assert [(d.line, d.reason) for d in block.damage] == [
        (1, "half a character: replaced")
    ]


def test_a_last_line_without_newline_is_read_when_whole():
    assert read(b'{"n":1}\n{"n":2}') == ([(1, 1), (2, 2)], [])


def test_a_half_written_last_line_is_damage_on_its_line():
    values, damage = read(b'{"n":1}\n{"n":')
    assert values == [(1, 1)]
    assert [(d.line, d.reason) for d in damage] == [(2, "half-written last line")]


def test_an_endless_line_is_skipped_without_being_kept(monkeypatch):
    monkeypatch.setattr(jsonl_blocks, "MAX_LINE_BYTES", 1 << 12)
    monkeypatch.setattr(jsonl_blocks, "BLOCK_BYTES", 1 << 10)
    values, damage = read(b'{"n":1}\n' + b"x" * (1 << 16) + b'\n{"n":3}\n{"n":4}\n')
    assert values == [(1, 1), (3, 3), (4, 4)]
    assert [d.line for d in damage] == [2] and "skipped" in damage[0].reason


@pytest.mark.parametrize("size", [16, 64, 1 << 20])
def test_the_size_of_blocks_makes_no_difference(monkeypatch, size):
    monkeypatch.setattr(jsonl_blocks, "BLOCK_BYTES", size)
    data = b"".join(b'{"n":%d}\n' % n for n in range(1, 200))
    assert read(data) == ([(n, n) for n in range(1, 200)], [])


def test_reading_on_from_a_mark_continues_the_numbers():
    data = b'{"n":1}\n{"n":2}\n{"n":3}\n'
    assert read(data, Mark(offset=8, line=1)) == ([(2, 2), (3, 3)], [])


def test_the_offset_behind_a_line_is_where_the_next_begins():
    data = b'{"n":1}\n{"n":22}\n{"n":3}\n'
    (block,) = blocks(io.BytesIO(data), DECODER)
    assert [data[block.mark_after(n).offset :][:7] for n in (0, 1, 2)] == [
        b'{"n":1}',
        b'{"n":22',
        b'{"n":3}',
    ]
