"""The files of the dataset: Parquet and JSON lines, checksums over all of them; the same rows make the same bytes."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from bench.closed_loop.dataset.columns import TABLES, Column, Row, Table

CARD, LICENCE, CHECKSUMS = "README.md", "LICENSE", "CHECKSUMS.sha256"
FILES = (*(table.file for table in TABLES.values()), CARD, LICENCE, CHECKSUMS)
MAX_BYTES = 5_000_000  # of all files together: it lies in a repository of code
LICENCE_TEXT = """\
This dataset is licensed under the Creative Commons Attribution 4.0 International
licence (CC-BY-4.0). To view a copy of this licence, visit
https://creativecommons.org/licenses/by/4.0/legalcode

You may share and adapt it for any purpose if you give credit: name "afterglow, closed
loop dataset", link to the licence, and say what you changed.

The programs that made it are under the licence of the repository they are in.
"""


class Wrong(Exception):
    """A dataset that must not be written, or is not what it says."""


def encoded(tables: Mapping[str, Sequence[Row]], card: str) -> dict[str, bytes]:
    """Every file of the dataset by name, checksums last."""
    files = {table.file: _encode(table, tables[name]) for name, table in TABLES.items()}
    files[CARD] = card.encode()
    files[LICENCE] = LICENCE_TEXT.encode()
    files[CHECKSUMS] = "".join(
        f"{sha256(content).hexdigest()}  {name}\n" for name, content in files.items()
    ).encode()
    size = sum(map(len, files.values()))
    if size > MAX_BYTES:
        raise Wrong(f"{size:,} bytes are more than the {MAX_BYTES:,} it may have")
    return files


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Puts the files into a folder; one that holds anything else is left alone."""
    strangers = (
        sorted({path.name for path in folder.iterdir()} - set(FILES))
        if folder.exists()
        else []
    )
    if strangers:
        raise Wrong(f"{folder} holds other things than a dataset: {strangers[0]}")
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)


def read(folder: Path) -> dict[str, list[Row]]:
    """The tables of a dataset, by name."""
    return {name: _decode(table, folder / table.file) for name, table in TABLES.items()}


def problems(folder: Path) -> Iterator[str]:
    """What is not as the checksums and columns say; nothing where all is well."""
    listed = {
        name: digest
        for digest, name in (
            line.split("  ")
            for line in (folder / CHECKSUMS).read_text(encoding="utf-8").splitlines()
        )
    }
    expected = set(FILES) - {CHECKSUMS}
    if set(listed) != expected:
        yield f"{CHECKSUMS} lists {sorted(listed)}, not {sorted(expected)}"
    for name, digest in listed.items():
        path = folder / name
        if not path.exists():
            yield f"{name} is missing"
        elif sha256(path.read_bytes()).hexdigest() != digest:
            yield f"{name} is not what its checksum says"
    for path in folder.iterdir():
        if path.name not in FILES:
            yield f"{path.name} does not belong to it"


def _encode(table: Table, rows: Sequence[Row]) -> bytes:
    names = [column.name for column in table.columns]
    for row in rows:
        if sorted(row) != sorted(names):
            raise Wrong(f"{table.name}: a row has {sorted(row)}, not {sorted(names)}")
    if table.file.endswith(".parquet"):
        return _parquet(table, rows)
    lines = (
        json.dumps({name: row[name] for name in names}, ensure_ascii=False)
        for row in rows
    )
    return "".join(f"{line}\n" for line in lines).encode()


def _decode(table: Table, path: Path) -> list[Row]:
    if table.file.endswith(".parquet"):
        from pyarrow import parquet

        rows: list[Row] = parquet.read_table(path).to_pylist()
        return rows
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _parquet(table: Table, rows: Sequence[Row]) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    types = {"text": pa.string(), "whole": pa.int64(), "number": pa.float64(), "yes-no": pa.bool_()}  # fmt: skip

    def field(column: Column) -> Any:
        return pa.field(
            column.name, types[column.kind], metadata={"description": column.words}
        )

    schema = pa.schema([field(column) for column in table.columns])
    cells = {
        column.name: [row[column.name] for row in rows] for column in table.columns
    }
    sink = io.BytesIO()
    parquet.write_table(pa.table(cells, schema=schema), sink, compression="zstd")
    return sink.getvalue()
