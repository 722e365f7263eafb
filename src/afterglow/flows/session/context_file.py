"""context: what a new session here should know, kept as a marked block in a file that agents read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.connect.block import block, existing, put, take_out
from afterglow.context import BUDGET
from afterglow.errors import StoreError, UsageError
from afterglow.flows.connect import check_writable, put_file, read_file
from afterglow.flows.session.build_context import bootstrap, root_of
from afterglow.flows.session.deliveries import record_delivery
from afterglow.records.context import Context, Need
from afterglow.records.knowledge import KnowledgeItem

NOTE = "(kept by `afterglow context --write`; edits in here are lost)"

_HEAD = re.compile(rb"^What earlier sessions.*rests on:\r?$", re.MULTILINE)
# How often and when last, as it is told and as it was: alone no reason to write the file anew.
_DAY = re.compile(rb"( \d+ sessions)?( \d{1,2} [A-Z][a-z]{2}| \d{4}-\d{2}-\d{2})?\]$")

What = Literal["new", "changed", "same", "removed", "none"]


class Kept(Struct, frozen=True):
    """What became of the block: `none` if there is nothing to say and none was there. `reason` tells why it is short or
    empty, `unnoted` why the ledger does not know of it. `new_folder` had to be made for the file."""

    path: str
    what: What
    items: tuple[str, ...] = ()
    tokens: int = 0
    reason: str = ""
    unnoted: str = ""
    new_folder: str = ""


def context_block(
    config: Config, *, cwd: Path, agent: str = "", budget: int = BUDGET
) -> tuple[str, Kept]:
    """The block as text, noted as given out."""
    context, need, items = bootstrap(config, cwd=cwd, agent=agent, budget=budget)
    unnoted = _note(config, context, need, items) if context.shown else ""
    text = block(context.text, NOTE) if context.text else ""
    return text, _kept("", "new", context, unnoted)


def keep_context(
    config: Config,
    path: Path,
    *,
    cwd: Path,
    agent: str = "",
    budget: int = BUDGET,
    write: bool = True,
) -> Kept:
    """Brings the block of a file up to date; only if `write` is said, else it is just compared. While the items are the
    same nothing is written: their days and the id of the context stay. Where nothing at all is known (another machine,
    a new home), what stands there is left."""
    content = read_file(path)
    old = existing(content or b"", str(path))
    context, need, items = bootstrap(config, cwd=cwd, agent=agent, budget=budget)
    if old is None and not context.text:
        return _kept(str(path), "none", context)
    if old is not None and not config.knowledge.exists():
        return _kept(str(path), "same", context)
    new = block(context.text, NOTE)
    if old is not None and _said(old) == _said(new.encode()):
        return _kept(str(path), "same", context)
    after = put(content or b"", new, str(path))
    unnoted = new_folder = ""
    if write:
        new_folder = _missing_folder(path)
        check_writable(path)
        put_file(path, after)
        unnoted = _note(config, context, need, items) if context.shown else ""
    what: What = "new" if old is None else "changed"
    return replace(_kept(str(path), what, context, unnoted), new_folder=new_folder)


def _missing_folder(path: Path) -> str:
    """A folder that is made for the file. Only within a checkout, where `.github` or `.cursor/rules` may be missing:
    elsewhere a name is more likely misspelt."""
    folder = path.absolute().parent
    if folder.exists():
        return ""
    if not (root_of(folder) / ".git").exists():
        raise UsageError(f"{folder} is not there; name a file in a folder that is")
    return str(folder)


def remove_context(path: Path) -> Kept:
    """Takes the block out; a file that held nothing else goes with it."""
    content = read_file(path)
    after = take_out(content, str(path)) if content is not None else None
    if content is None or after == content:
        return Kept(str(path), "none", reason="no block of afterglow stands in it")
    check_writable(path)
    if after:
        put_file(path, after)
    else:
        path.resolve().unlink()
    return Kept(str(path), "removed")


def _said(text: bytes) -> frozenset[bytes]:
    """The lines of a block, whatever their order; without the id of the context and the days of the items."""
    bare = _HEAD.sub(b"", text)
    return frozenset(
        _DAY.sub(b"]", line.rstrip(b"\r"))
        for line in bare.split(b"\n")[1:-1]
        if line.strip()
    )


def _note(
    config: Config, context: Context, need: Need, items: list[KnowledgeItem]
) -> str:
    try:
        record_delivery(config, context, need, items)
    except StoreError as error:  # the context is worth more than the note about it
        return str(error)
    return ""


def _kept(path: str, what: What, context: Context, unnoted: str = "") -> Kept:
    items = tuple(line.item for line in context.shown)
    return Kept(path, what, items, context.tokens, context.reason, unnoted)
