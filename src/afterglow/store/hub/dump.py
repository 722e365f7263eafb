"""A hub in one file and back, by PostgreSQL's own programs.

Only rows are dumped: a restore lays out the tables anew, with the roles of the database that it restores into, and
brings them up to date afterwards. Until it is finished the layout has no version, so that no server starts over half a
hub. A password is handed to the programs by their environment, since everybody can read the words of a command.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psycopg
from msgspec import Struct
from psycopg.conninfo import conninfo_to_dict

from afterglow.errors import StoreError, Unsupported
from afterglow.store.hub.layout import Layout
from afterglow.store.hub.migrations import (
    MIGRATIONS,
    as_owner,
    make_hub,
    refuse_newer,
    upgrade_hub,
)
from afterglow.store.hub.roles import HubRoles, roles_of

MAGIC = b"PGDMP"  # how such a file begins
USUAL_PLACES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/bin")
_VERSION = re.compile(r"\(PostgreSQL\) (\d+)")
_LAYOUT = re.compile(r"^COPY afterglow\.layout \(version\) FROM stdin;\n(\d+)$", re.M)
EVERY_TABLE = """
SELECT relname FROM pg_class WHERE relnamespace = 'afterglow'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname
"""


class Programs(Struct, frozen=True):
    """`pg_dump` and `pg_restore` for one server, and the environment they are started with."""

    folder: Path
    environment: dict[str, str]

    def run(self, program: str, *words: str) -> str:
        """What it printed."""
        finished = subprocess.run(
            [str(self.folder / program), *words],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if finished.returncode:
            lines = finished.stderr.strip().splitlines() or [f"{program} failed"]
            raise StoreError(f"{lines[0]}; nothing that was kept is lost")
        return finished.stdout


def programs_for(
    db: psycopg.Connection[Any], url: str, environment: Mapping[str, str]
) -> Programs:
    """Those on the PATH, beside the server or in the usual places: the first that know its version."""
    version = db.info.server_version // 10000
    words = conninfo_to_dict(url)
    variables = {
        "PGHOST": words.get("host"),
        "PGPORT": words.get("port"),
        "PGUSER": words.get("user"),
        "PGPASSWORD": words.get("password"),
        "PGDATABASE": words.get("dbname"),
        "PGSSLMODE": words.get("sslmode"),
        "PGSSLROOTCERT": words.get("sslrootcert"),
        "PGPASSFILE": words.get("passfile"),
    }
    named = {key: str(value) for key, value in variables.items() if value}
    for folder in _folders(db, environment.get("PATH", "")):
        if _version(folder) >= version:
            return Programs(folder, {**environment, **named})
    raise Unsupported(
        f"pg_dump {version} or newer is needed on this machine: install the client programs of PostgreSQL {version}"
    )


def _folders(db: psycopg.Connection[Any], path: str) -> list[Path]:
    program = shutil.which("pg_dump", path=path)
    folders = [Path(program).parent] if program else []
    try:
        row = db.execute(
            "SELECT setting FROM pg_config WHERE name = 'BINDIR'"
        ).fetchone()
        folders += [Path(row[0])] if row else []
    except psycopg.errors.InsufficientPrivilege:
        pass  # only some may know where the server's programs are
    for place in USUAL_PLACES:
        folders += sorted(Path("/").glob(place.removeprefix("/")), reverse=True)
    return [folder for folder in folders if (folder / "pg_dump").exists()]


def _version(folder: Path) -> int:
    printed = subprocess.run(
        [str(folder / "pg_dump"), "--version"],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    match = _VERSION.search(printed)
    return int(match[1]) if match else 0


def dump(db: psycopg.Connection[Any], programs: Programs, file: Path) -> int:
    """All rows of one moment, as the owner sees them, which is all of them. The layout it has."""
    programs.run(
        "pg_dump",
        "--format=custom",
        "--data-only",
        "--schema=afterglow",
        "--enable-row-security",
        f"--role={roles_of(db).owner}",
        f"--file={file}",
    )
    return dumped_layout(programs, file)


def dumped_layout(programs: Programs, file: Path) -> int:
    """Read from the file, which is whole if that can be."""
    with file.open("rb") as opened:
        if opened.read(len(MAGIC)) != MAGIC:
            raise StoreError(f"{file} is no backup of a hub")
    printed = programs.run(
        "pg_restore", "--data-only", "--table=layout", "--file=-", str(file)
    )
    match = _LAYOUT.search(printed)
    if match is None:
        raise StoreError(f"{file} is no finished backup of a hub")
    return int(match[1])


def restore(
    db: psycopg.Connection[Any], programs: Programs, file: Path
) -> dict[str, str]:
    """Into an empty database. The passwords of its roles."""
    version = dumped_layout(programs, file)
    refuse_newer(version, len(MIGRATIONS))
    passwords = make_hub(db, MIGRATIONS[:version])
    roles = roles_of(db)
    _open_for_filling(db, roles)
    programs.run(
        "pg_restore",
        "--data-only",
        "--single-transaction",
        f"--role={roles.owner}",
        f"--dbname={programs.environment['PGDATABASE']}",
        str(file),
    )
    _close_again(db, roles)
    upgrade_hub(db)
    _name_anew(db, roles)
    return passwords


def _name_anew(db: psycopg.Connection[Any], roles: HubRoles) -> None:
    """By its name machines see that a hub was put back and may lack what it had acknowledged: they send it again."""
    with db.transaction(), as_owner(db, roles):
        Layout(db, roles).run_plain(
            [
                "UPDATE facts SET value = replace(gen_random_uuid()::text, '-', '') WHERE name = 'identity'"
            ]
        )


def _open_for_filling(db: psycopg.Connection[Any], roles: HubRoles) -> None:
    """Empty, and rows come in as they are: neither judged nor written down a second time."""
    with db.transaction(), as_owner(db, roles):
        layout = Layout(db, roles)
        tables = [name for (name,) in db.execute(EVERY_TABLE)]
        for table in tables:
            layout.run("ALTER TABLE {table} DISABLE TRIGGER USER", table=table)
            layout.run("ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY", table=table)
        layout.run_plain([f"TRUNCATE {', '.join(map(layout.quoted, tables))}"])


def _close_again(db: psycopg.Connection[Any], roles: HubRoles) -> None:
    with db.transaction(), as_owner(db, roles):
        layout = Layout(db, roles)
        for (table,) in db.execute(EVERY_TABLE).fetchall():
            layout.run("ALTER TABLE {table} ENABLE TRIGGER USER", table=table)
            layout.run("ALTER TABLE {table} FORCE ROW LEVEL SECURITY", table=table)
