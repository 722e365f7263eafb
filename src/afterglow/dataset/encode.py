"""Tables as files: CSV, or Parquet with pyarrow. The same table makes the same bytes."""

from __future__ import annotations

import csv
import io
from importlib import import_module
from typing import Any, Literal

from afterglow.dataset.table import Cell, Filled, Kind
from afterglow.errors import Unsupported

Format = Literal["csv", "parquet"]
FORMATS: tuple[Format, ...] = ("csv", "parquet")
_ARROW: dict[Kind, str] = {"whole": "int64", "number": "float64", "yes-no": "bool"}


def encode(filled: Filled, format: Format) -> bytes:
    return _as_csv(filled) if format == "csv" else _as_parquet(filled)


def require(format: Format) -> None:
    """Raises where a format cannot be written here."""
    if format == "parquet":
        _arrow()


def _as_csv(filled: Filled) -> bytes:
    text = io.StringIO(newline="")
    names = [column.name for column in filled.table.columns]
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_plain(row[name]) for name in names] for row in filled.rows)
    return text.getvalue().encode("utf-8")


def _plain(cell: Cell) -> Cell:
    return str(cell).lower() if isinstance(cell, bool) else cell


def _as_parquet(filled: Filled) -> bytes:
    pa, parquet = _arrow()
    columns = filled.table.columns
    schema = pa.schema(
        [
            pa.field(
                column.name,
                pa.type_for_alias(_ARROW.get(column.kind, "string")),
                nullable=column.kind in ("whole", "number"),
                metadata={"description": column.words},
            )
            for column in columns
        ]
    )
    cells = {
        column.name: [row[column.name] for row in filled.rows] for column in columns
    }
    sink = io.BytesIO()
    parquet.write_table(pa.table(cells, schema=schema), sink, compression="snappy")
    return sink.getvalue()


def _arrow() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise Unsupported(
            "Parquet needs pyarrow: pip install 'afterglow-agents[dataset]'; --format csv works without"
        ) from error
