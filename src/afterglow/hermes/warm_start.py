"""`hermes warm start ID`: a session that begins with a template, put into Hermes' own store and resumed from there."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from afterglow import config
from afterglow.errors import StoreError, Unsupported, UsageError
from afterglow.flows import warm as flow
from afterglow.hermes.session_events import AGENT, folder, home


@click.command()
@click.argument("id")
@click.argument("message", required=False, default="")
@click.option(
    "--budget",
    type=click.IntRange(1, 1_000_000),
    default=flow.BUDGET,
    show_default=True,
    help="Tokens, at most.",
)
@click.option("--seed", is_flag=True, help="Only make the session; print its id.")
@click.option(
    "--quiet", "-Q", is_flag=True, help="With MESSAGE: print nothing but the answer."
)
def start(id: str, message: str, budget: int, seed: bool, quiet: bool) -> None:
    """Start a Hermes session that begins with a template. ID may be shortened, or be its name.

    With MESSAGE it is answered and Hermes ends; without, the session is yours.
    """
    session, note = seeded(id, message, budget)
    if note:
        sys.stderr.write(f"note: {note}\n")
    if seed:
        sys.stdout.write(f"{session}\n")
        return
    words = [
        "chat",
        "--resume",
        session,
        *(["-q", message] if message else []),
        *(["-Q"] if quiet and message else []),
    ]
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-P", "-m", "hermes_cli.main", *words])


def seeded(id: str, message: str, budget: int) -> tuple[str, str]:
    """The id of the new session in Hermes' store, and why the ledger does not know of it, if it does not."""
    here = folder()
    target = flow.Target(
        format=AGENT, budget=budget, tools=_tools(), agent=AGENT, root=str(here)
    )
    delivered = flow.deliver(config.load(), id, message, target)
    session = delivered.warm.session
    if session is None or not delivered.warm.id:
        raise UsageError(
            f"{delivered.template} adds nothing to a session of at most {budget} tokens; give it more"
        )
    _put({**session, "cwd": str(here)}, home() / "state.db")
    return str(session["id"]), delivered.unnoted


def _put(session: dict[str, Any], path: Path) -> None:
    """Hermes writes its store itself: only it knows what belongs in there."""
    try:
        store = import_module("hermes_state").SessionDB(db_path=path)
    except (ImportError, AttributeError) as error:
        raise Unsupported(
            "there is no Hermes here; run this as `hermes warm start`"
        ) from error
    try:
        report = store.import_sessions([session])
    finally:
        store.close()
    if not report.get("imported"):
        raise StoreError(
            f"{path}: Hermes did not take the session: {report.get('errors') or 'it is there already'}"
        )


def _tools() -> list[str] | None:
    """The tools a session has here, or None where Hermes does not say."""
    try:
        return list(import_module("model_tools").get_all_tool_names())
    except (ImportError, AttributeError):
        return None
