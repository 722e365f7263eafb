"""One attempt to cross a border, and what came of it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import psycopg
from msgspec import Struct
from psycopg import sql

from afterglow.store.postgres.connection import IDENTITY
from bench.borders.scene import Scene

TABLE = Path(__file__).with_name("attempts.json")
INNOCENT = (None, 0, False, "", [])  # what tells nothing
PATIENCE = "2s"  # an attempt that waits for a lock has not got it


class Attempt(Struct, frozen=True):
    """`statements` are run as the actor, in one transaction that is kept. What they answer may hold no mark that the actor
    may not see; where `blind`, it may tell nothing at all. An error of the class `oracle` would tell, too. Where
    `alone`, who asks is not said to the database before: the statements say it themselves. What only `reads` a table
    leaves it as it is."""

    name: str
    actor: str
    statements: tuple[str, ...]
    blind: bool = False
    oracle: str = ""
    alone: bool = False
    reads: bool = False


class Row(Struct, frozen=True):
    """Of `attempts.json`: what somebody thought of."""

    actor: str
    tries: str
    statements: tuple[str, ...]
    blind: bool = False
    oracle: str = ""
    alone: bool = False


def thought_of() -> list[Attempt]:
    """Forged settings, other people's rows, oracles, catalogues, functions, files, roles, paths."""
    rows = msgspec.json.decode(TABLE.read_bytes(), type=list[Row])
    return [
        Attempt(
            f"{row.actor} {row.tries}",
            row.actor,
            row.statements,
            blind=row.blind,
            oracle=row.oracle,
            alone=row.alone,
        )
        for row in rows
    ]


class Outcome(Struct, frozen=True):
    """`crossed` says how; empty where the border held."""

    attempt: str
    actor: str
    crossed: str
    answer: str


class Judge:
    """Runs attempts, and looks behind the borders whether anything changed."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._behind = psycopg.connect(scene.superuser, autocommit=True)
        self._digest = contents(self._behind, scene)
        self._open: dict[str, psycopg.Connection[Any]] = {}
        # Somebody is always asking something with a token that others would like to have.
        place = scene.actors["ada"]
        self._busy = psycopg.connect(place.url)
        self._busy.execute(IDENTITY, [place.token, str(place.org), PATIENCE])

    def close(self) -> None:
        for db in (self._behind, self._busy, *self._open.values()):
            db.close()

    def judge(self, attempt: Attempt) -> Outcome:
        answer, state = self._answer(attempt)
        crossed = self._seen(attempt, answer, state)
        if not state and not attempt.reads:
            after = contents(self._behind, self._scene)
            changed = [t for t in after if after[t] != self._digest[t]]
            if changed:
                crossed = f"changed {', '.join(changed)}"
            self._digest = after
        shown = answer[0] if state else f"{len(answer)} answers"
        return Outcome(attempt.name, attempt.actor, crossed, str(shown)[:80])

    def _answer(self, attempt: Attempt) -> tuple[list[Any], str]:
        """All that the actor got to read, and the class of the error that ended it."""
        answer: list[Any] = []
        db = self._connection(attempt.actor)
        db.add_notice_handler(
            handler := lambda note: answer.append(note.message_primary)
        )
        place = self._scene.actors[attempt.actor]
        try:
            db.execute("BEGIN")
            if not attempt.alone:
                db.execute(IDENTITY, [place.token, str(place.org), PATIENCE])
            for statement in attempt.statements:
                answer += _run(db, statement.format_map(self._scene.values))
            db.execute("COMMIT")
        except psycopg.Error as error:
            told = (error.diag.message_primary, error.diag.message_detail)
            hint = (error.diag.message_hint, error.diag.context)
            return [" ".join(filter(None, (*told, *hint))) or str(error)], (
                error.sqlstate or "-"
            )
        finally:
            if db.closed:
                del self._open[attempt.actor]
            else:
                db.rollback()
                db.remove_notice_handler(handler)
                db.execute("DISCARD ALL")
        return answer, ""

    def _connection(self, actor: str) -> psycopg.Connection[Any]:
        if actor not in self._open:
            url = self._scene.actors[actor].url
            self._open[actor] = psycopg.connect(
                url, autocommit=True, prepare_threshold=None
            )
        return self._open[actor]

    def _seen(self, attempt: Attempt, answer: list[Any], state: str) -> str:
        text = "\n".join(map(str, answer))
        marks = sorted(
            mark for mark in self._scene.forbidden(attempt.actor) if mark in text
        )
        if state and state == attempt.oracle:
            return "an error told what is in hidden rows"
        if state and attempt.blind:
            return ""
        if marks and not state:
            return f"saw {', '.join(marks)}"
        if attempt.blind and any(cell not in INNOCENT for cell in answer):
            return f"learned {text[:60]}"
        return ""


def contents(
    behind: psycopg.Connection[Any], scene: Scene, besides: str = "0"
) -> dict[str, str]:
    """Of every table, as one mark: all rows but those of one person, and but when tokens were last used."""
    query = sql.SQL(" UNION ALL ").join(
        sql.SQL(
            "SELECT {}, coalesce(md5(string_agg(r::text, '|' ORDER BY r::text)), '') "
            "FROM (SELECT to_jsonb(t) - 'last_used' AS r FROM afterglow.{} t) rows "
            "WHERE r ->> 'person' IS DISTINCT FROM {}"
        ).format(sql.Literal(table), sql.Identifier(table), sql.Literal(besides))
        for table in scene.tables
    )
    return dict(behind.execute(query).fetchall())


def _run(db: psycopg.Connection[Any], statement: str) -> list[Any]:
    """Every cell that came back."""
    if statement.startswith("COPY") and "STDOUT" in statement:
        with db.cursor() as cursor, cursor.copy(sql.SQL(statement)) as rows:
            return [bytes(part).decode() for part in rows]
    cursor = db.execute(sql.SQL(statement))
    if cursor.description is None or statement.startswith("SELECT set_config"):
        return []
    return [cell for row in cursor.fetchall() for cell in row]


def judged(scene: Scene, attempts: list[Attempt]) -> list[Outcome]:
    with closing(Judge(scene)) as judge:
        return [judge.judge(attempt) for attempt in attempts]
