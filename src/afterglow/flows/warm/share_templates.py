"""warm export, warm import: templates as files for other people and machines.

What comes in is nobody's until a person approves it; what is damaged in a file or folder is named, and the rest comes
in.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import NotFound, StoreError, UnreadableSource
from afterglow.flows.redactor import redactor_of
from afterglow.flows.warm.templates import record
from afterglow.folders import place_file
from afterglow.harvest.screen import danger as order_to_agents
from afterglow.records.template import WarmTemplate
from afterglow.store.templates import legacy
from afterglow.store.templates.entries import (
    LARGEST,
    Record,
    decode,
    encode_share,
    pieces,
)
from afterglow.store.templates.folder import Templates, Trouble
from afterglow.store.templates.importing import CleanMany, Danger, clean, screen
from afterglow.text.clip import clip, printable
from afterglow.text.redact import Redactor

MOST = 10_000  # files of a folder that are looked at
NAME = 200  # characters of a name that comes in
EMPTY = "it holds no templates"


class Exported(Struct, frozen=True):
    file: str
    templates: tuple[str, ...]
    bytes: int
    redacted: dict[str, int]
    held: tuple[str, ...] = ()


class Taken(Struct, frozen=True):
    """A template that came in, under which id, and what was left behind."""

    id: str
    name: str
    examples: int
    renamed_from: str = ""
    held: tuple[str, ...] = ()


class Imported(Struct, frozen=True):
    """What came in, what was there already, what cannot be read, and what was taken out of the texts."""

    source: str
    taken: tuple[Taken, ...]
    known: tuple[str, ...]
    troubles: tuple[Trouble, ...]
    redacted: dict[str, int]


def export(config: Config, names: Sequence[str], output: Path) -> Exported:
    """Writes templates with their record as it is now into one file, redacted again."""
    kept = Templates(config.templates)
    ids = dict.fromkeys(kept.find(name) for name in names)
    records = record(config, ids)
    redact = redaction(redactor_of(config))
    counts: Counter[str] = Counter()
    whole, held = [], []
    for id in ids:
        done = clean(kept.get(id), redact)
        known = records.get(id, Record())
        whole.append(
            replace(
                done.template,
                uses=known.uses,
                successes=known.successes,
                failures=known.failures,
            )
        )
        counts.update(done.redacted)
        held += [f"{id}: {what}" for what in done.held]
    data = encode_share(whole)
    try:
        place_file(output, data)
    except OSError as error:
        raise StoreError(
            f"{output}: {error.strerror}; give a file in a folder that can be written"
        ) from error
    return Exported(str(output), tuple(ids), len(data), dict(counts), tuple(held))


def import_(
    config: Config, source: Path, *, danger: Danger = order_to_agents, now: float | None = None
) -> Imported:  # fmt: skip
    """Takes in the templates of a file, or of all JSON files in a folder: ours, or those of older tools. They are
    redacted and screened again, and not given to sessions until a person approves them."""
    now = time.time() if now is None else now
    kept = Templates(config.templates)
    redact = redaction(redactor_of(config))
    counts: Counter[str] = Counter()
    taken, known, troubles = [], [], []
    contents = {
        _content(kept.get(one.id)): one.id
        for one in kept.glances()[0]
        if _readable(kept, one.id)
    }
    for found in _found(source):
        if isinstance(found, Trouble):
            troubles.append(found)
            continue
        done = clean(found, redact)
        counts.update(done.redacted)
        safe, held = screen(_unproved(done.template), danger)
        if _content(safe) in contents:
            known.append(contents[_content(safe)])
            continue
        if (
            not safe.seed.tool_examples
            and not safe.seed.recovery_patterns
            and not safe.seed.system_context
        ):
            why = (
                "nothing of it may be taken in: " + "; ".join(held[:3])
                if held
                else "there is nothing in it"
            )
            troubles.append(Trouble(found.name or found.id, why))
            continue
        new = kept.add(safe, now)
        contents[_content(new)] = new.id
        was = found.id if found.id != new.id else ""
        taken.append(
            Taken(
                new.id, new.name, len(new.seed.tool_examples), was, (*done.held, *held)
            )
        )
    return Imported(
        str(source), tuple(taken), tuple(known), tuple(troubles), dict(counts)
    )


def redaction(redactor: Redactor) -> CleanMany:
    return lambda texts: [
        (done.text, dict(done.counts)) for done in redactor.redact_many(list(texts))
    ]


def _found(source: Path) -> Iterator[WarmTemplate | Trouble]:
    """Every template in a file or folder, and whatever cannot be read."""
    if not source.exists():
        raise NotFound(
            f"{source} is not there; give a file that `afterglow warm export` wrote, or a folder of such"
        )
    if not source.is_dir():
        yield from _in_file(source)
        return
    files = sorted(path for path in source.glob("*.json") if path.is_file())[:MOST]
    if not files:
        raise NotFound(
            f"{source} holds no JSON files; give a file that `afterglow warm export` wrote"
        )
    for path in files:
        yield from _in_file(path)


def _in_file(path: Path) -> Iterator[WarmTemplate | Trouble]:
    try:
        if path.stat().st_size > LARGEST:
            raise UnreadableSource(
                f"{path} is larger than {LARGEST >> 20} MB: not templates"
            )
        data = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
        plain = msgspec.json.decode(data)
    except UnreadableSource as error:
        yield Trouble(str(path), str(error))
        return
    except OSError as error:
        yield Trouble(str(path), error.strerror or str(error))
        return
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        yield Trouble(str(path), f"damaged: {error}")
        return
    if isinstance(plain, dict) and "format" in plain:
        yield from _ours(data, plain, path)
        return
    several = plain.get("templates") if isinstance(plain, dict) else plain
    if several == []:
        yield Trouble(str(path), EMPTY)
    for one in several if isinstance(several, list) else [plain]:
        try:
            if not legacy.looks_older(one):
                raise UnreadableSource(
                    "not a template: it has no format of ours, nor a name and examples"
                )
            yield legacy.read(one, path.name)
        except UnreadableSource as error:
            yield Trouble(str(path), str(error))


def _ours(
    data: bytes, plain: dict[str, object], path: Path
) -> Iterator[WarmTemplate | Trouble]:
    try:
        files = pieces(data, path.name) if "templates" in plain else (data,)
    except UnreadableSource as error:
        yield Trouble(str(path), str(error))
        return
    if not files:
        yield Trouble(str(path), EMPTY)
    for number, piece in enumerate(files, 1):
        name = f"{path.name}, template {number}" if len(files) > 1 else path.name
        try:
            yield decode(piece, name)
        except UnreadableSource as error:
            yield Trouble(str(path), str(error))


def _unproved(template: WarmTemplate) -> WarmTemplate:
    """As it is kept here: version 1, not approved; what was counted elsewhere is a note, not a record. A call that
    failed is no example."""
    notes = dict(template.notes)
    name = clip(" ".join(printable(template.name).split()), NAME) or template.id
    worked = tuple(one for one in template.seed.tool_examples if one.success)
    if template.uses:
        notes["used there"] = (
            f"{template.uses} times, {template.successes} successes, {template.failures} failures"
        )
    return replace(
        template, name=name, version=1, uses=0, successes=0, failures=0, approved=False, made_by="import", notes=notes,
        updated=0.0, seed=replace(template.seed, tool_examples=worked),
    )  # fmt: skip


def _content(template: WarmTemplate) -> bytes:
    """What makes two templates the same, whatever they are called by."""
    return msgspec.json.encode(
        (template.name, template.task_type, template.tags, template.seed),
        order="sorted",
    )


def _readable(kept: Templates, id: str) -> bool:
    try:
        kept.get(id)
    except UnreadableSource:
        return False
    return True
