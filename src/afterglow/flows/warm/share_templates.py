"""warm export, warm import: templates as files for other people and machines.

What comes in is nobody's until a person approves it; what is damaged in a file or folder is named, and the rest comes
in.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import NotFound, StoreError, UnreadableSource
from afterglow.flows.redactor import redactor_of
from afterglow.flows.warm.template_records import record
from afterglow.folders import place_file
from afterglow.records.template import REJECTED, ToolCallExample, WarmTemplate
from afterglow.store.templates import legacy
from afterglow.store.templates.entries import (
    LARGEST,
    Record,
    decode,
    encode_share,
    pieces,
)
from afterglow.store.templates.folder import Templates, Trouble
from afterglow.store.templates.importing import (
    Cleaned,
    CleanMany,
    Danger,
    clean,
    screen,
)
from afterglow.text.clip import clip, printable
from afterglow.text.redact import Redactor
from afterglow.warm.extract.risky import RISKY, harm_in, is_risky_call

MAX_FILES = 10_000  # of a folder that are looked at: no one has more templates
MAX_NAME_CHARACTERS = 200  # of a name that comes in
MAX_REASONS = 3  # why a template may not come in: the first say enough
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


class Imported(Struct, frozen=True, rename={"already_here": "known"}):
    """What came in, what was there already, what cannot be read, and what was taken out of the texts."""

    source: str
    taken: tuple[Taken, ...]
    already_here: tuple[str, ...]
    troubles: tuple[Trouble, ...]
    redacted: dict[str, int]


def export(config: Config, names: Sequence[str], output: Path) -> Exported:
    """Writes templates with their record as it is now into one file, redacted again."""
    folder = Templates(config.templates)
    ids = dict.fromkeys(folder.find(name) for name in names)
    records = record(config, ids)
    redact = redaction(redactor_of(config))
    counts: Counter[str] = Counter()
    templates, held = [], []
    for id in ids:
        cleaned = clean(folder.get(id), redact)
        counted = records.get(id, Record())
        templates.append(
            replace(
                cleaned.template,
                uses=counted.uses,
                successes=counted.successes,
                failures=counted.failures,
            )
        )
        counts.update(cleaned.redacted)
        held += [f"{id}: {piece}" for piece in cleaned.held]
    content = encode_share(templates)
    try:
        place_file(output, content, mode=0o666)  # a file to hand out
    except OSError as error:
        raise StoreError(
            f"{output}: {error.strerror}; give a file in a folder that can be written"
        ) from error
    return Exported(str(output), tuple(ids), len(content), dict(counts), tuple(held))


def import_(
    config: Config,
    source: Path,
    *,
    danger: Danger = harm_in,
    now: float | None = None,
) -> Imported:
    """Takes in the templates of a file, or of all JSON files in a folder: ours, or those of older tools. They are
    redacted and screened again, and not given to sessions until a person approves them."""
    now = time.time() if now is None else now
    folder = Templates(config.templates)
    redact = redaction(redactor_of(config))
    counts: Counter[str] = Counter()
    taken, already_here, troubles = [], [], []
    contents = _contents(folder)
    for template in _templates_in(source):
        if isinstance(template, Trouble):
            troubles.append(template)
            continue
        cleaned = without_risks(_unproved(template), redact, danger)
        counts.update(cleaned.redacted)
        safe = cleaned.template
        if _content(safe) in contents:
            already_here.append(contents[_content(safe)])
            continue
        if _is_empty(safe):
            reason = "there is nothing in it"
            if cleaned.held:
                first = "; ".join(cleaned.held[:MAX_REASONS])
                reason = f"nothing of it may be taken in: {first}"
            troubles.append(Trouble(template.name or template.id, reason))
            continue
        new = folder.add(safe, now)
        contents[_content(new)] = new.id
        taken.append(
            Taken(
                id=new.id,
                name=new.name,
                examples=len(new.seed.tool_examples),
                renamed_from=template.id if template.id != new.id else "",
                held=cleaned.held,
            )
        )
    return Imported(
        source=str(source),
        taken=tuple(taken),
        already_here=tuple(already_here),
        troubles=tuple(troubles),
        redacted=dict(counts),
    )


def without_risks(
    template: WarmTemplate, redact: CleanMany, danger: Danger = harm_in
) -> Cleaned:
    """A template redacted, without orders to agents and without what nobody should do on somebody else's word."""
    cleaned = clean(template, redact)
    safe, held = screen(cleaned.template, danger)
    safe, held = _without_risky_calls(safe, held)
    return replace(cleaned, template=safe, held=(*cleaned.held, *held))


def _without_risky_calls(
    template: WarmTemplate, held: tuple[str, ...]
) -> tuple[WarmTemplate, tuple[str, ...]]:
    """The template without examples that nobody should imitate on somebody else's word, and what was left behind."""
    examples: list[ToolCallExample] = []
    for example in template.seed.tool_examples:
        if is_risky_call(example.tool_name, example.arguments):
            held = (*held, f"example {example.tool_name}: {RISKY}")
        else:
            examples.append(example)
    seed = replace(template.seed, tool_examples=tuple(examples))
    return replace(template, seed=seed), held


def _is_empty(template: WarmTemplate) -> bool:
    seed = template.seed
    return not (seed.tool_examples or seed.recovery_patterns or seed.system_context)


def _contents(folder: Templates) -> dict[bytes, str]:
    """What the templates hold that are here and can be read, and their ids."""
    contents = {}
    for glance in folder.glances()[0]:
        try:
            contents[_content(folder.get(glance.id))] = glance.id
        except UnreadableSource:
            continue
    return contents


def redaction(redactor: Redactor) -> CleanMany:
    return lambda texts: [
        (result.text, dict(result.counts))
        for result in redactor.redact_many(list(texts))
    ]


def _templates_in(source: Path) -> Iterator[WarmTemplate | Trouble]:
    """Every template in a file or folder, and whatever cannot be read."""
    if not source.exists():
        raise NotFound(
            f"{source} is not there; give a file that `afterglow warm export` wrote, or a folder of such"
        )
    if not source.is_dir():
        yield from _in_file(source)
        return
    files = sorted(path for path in source.glob("*.json") if path.is_file())[:MAX_FILES]
    if not files:
        raise NotFound(
            f"{source} holds no JSON files; give a file that `afterglow warm export` wrote"
        )
    for path in files:
        yield from _in_file(path)


def _in_file(path: Path) -> Iterator[WarmTemplate | Trouble]:
    try:
        content = _read(path)
        document = msgspec.json.decode(content)
    except UnreadableSource as error:
        yield Trouble(str(path), str(error))
        return
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        yield Trouble(str(path), f"damaged: {error}")
        return
    if isinstance(document, dict) and "format" in document:
        yield from _ours(content, document, path)
    else:
        yield from _older(document, path)


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > LARGEST:
            raise UnreadableSource(
                f"{path} is larger than {LARGEST >> 20} MB: not templates"
            )
        return path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise UnreadableSource(error.strerror or str(error)) from error


def _older(document: Any, path: Path) -> Iterator[WarmTemplate | Trouble]:
    several = document.get("templates") if isinstance(document, dict) else document
    if several == []:
        yield Trouble(str(path), EMPTY)
    for template in several if isinstance(several, list) else [document]:
        try:
            if not legacy.looks_older(template):
                raise UnreadableSource(
                    "not a template: it has no format of ours, nor a name and examples"
                )
            yield legacy.read(template, path.name)
        except UnreadableSource as error:
            yield Trouble(str(path), str(error))


def _ours(
    content: bytes, document: dict[str, object], path: Path
) -> Iterator[WarmTemplate | Trouble]:
    try:
        files = pieces(content, path.name) if "templates" in document else (content,)
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
    notes = {key: note for key, note in template.notes.items() if key != REJECTED}
    name = (
        clip(" ".join(printable(template.name).split()), MAX_NAME_CHARACTERS)
        or template.id
    )
    worked = tuple(
        example for example in template.seed.tool_examples if example.success
    )
    if template.uses:
        notes["used there"] = (
            f"{template.uses} times, {template.successes} successes, {template.failures} failures"
        )
    return replace(
        template,
        name=name,
        version=1,
        uses=0,
        successes=0,
        failures=0,
        approved=False,
        made_by="import",
        notes=notes,
        updated=0.0,
        seed=replace(template.seed, tool_examples=worked),
    )


def _content(template: WarmTemplate) -> bytes:
    """What makes two templates the same, whatever they are called by."""
    return msgspec.json.encode(
        (template.name, template.task_type, template.tags, template.seed),
        order="sorted",
    )
