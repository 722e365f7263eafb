"""The plain attempts, on every table that there is."""

from __future__ import annotations

from collections.abc import Iterator

from bench.borders.attempt import Attempt
from bench.borders.scene import Scene

# Rows that say nothing about anybody.
OPEN = {"layout"}
STRANGERS = ("nobody", "left", "expired", "revoked")


def attempts_by_table(scene: Scene) -> Iterator[Attempt]:
    for table in scene.tables:
        if table not in OPEN:
            yield from _reading(table)
        yield from _writing(table)


def _reading(table: str) -> Iterator[Attempt]:
    org = "id" if table == "organisations" else "org"
    rows = f"afterglow.{table}"
    for stranger in STRANGERS:
        yield Attempt(
            f"{stranger} reads {table}",
            stranger,
            (f"SELECT t::text FROM {rows} t",),
            blind=True,
            reads=True,
        )
    yield Attempt(
        f"an admin reads {table} of another organisation",
        "ada",
        (f"SELECT t::text FROM {rows} t WHERE {org} = {{rival}}",),
        blind=True,
        reads=True,
    )
    if table != "organisations":
        yield Attempt(
            f"the merger reads {table} of another organisation",
            "merge",
            (f"SELECT t::text FROM {rows} t WHERE org = {{rival}}",),
            blind=True,
            reads=True,
        )
    for member in ("dee", "cyd", "ben", "fay", "ada", "merge"):
        yield Attempt(
            f"{member} reads all of {table}",
            member,
            (f"SELECT t::text FROM {rows} t",),
            reads=True,
        )
    yield Attempt(f"dee copies {table}", "dee", (f"COPY {rows} TO STDOUT",), reads=True)


def _writing(table: str) -> Iterator[Attempt]:
    rows = f"afterglow.{table}"
    org = {"organisations": "id", "layout": "version"}.get(table, "org")
    for stranger in ("nobody", "dee"):
        yield Attempt(f"{stranger} empties {table}", stranger, (f"DELETE FROM {rows}",))
    yield Attempt(f"an admin truncates {table}", "ada", (f"TRUNCATE {rows} CASCADE",))
    yield Attempt(
        f"an admin deletes {table} of another organisation",
        "ada",
        (f"DELETE FROM {rows} WHERE {org} = {{rival}}",),
    )
    yield Attempt(
        f"the merger deletes {table} of another organisation",
        "merge",
        (f"DELETE FROM {rows} WHERE {org} = {{rival}}",),
    )
    yield Attempt(
        f"an admin takes {table} of another organisation",
        "ada",
        (f"UPDATE {rows} SET {org} = {{acme}} WHERE {org} = {{rival}}",),
    )
    for actor in ("ada", "merge"):
        yield Attempt(
            f"{actor} gives {table} to another organisation",
            actor,
            (f"UPDATE {rows} SET {org} = {{rival}}",),
        )
    yield Attempt(
        f"dee turns off row security of {table}",
        "dee",
        (f"ALTER TABLE {rows} DISABLE ROW LEVEL SECURITY",),
    )
