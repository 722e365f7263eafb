"""The file of a template: `{"format", "checksum", "template"}`; an export holds several of them. The schema is
published beside this file, and a test keeps the two the same.

The checksum is over the values, not the bytes: it tells damage and edits, and survives being formatted anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import blake2b
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from afterglow.errors import UnreadableSource
from afterglow.records.template import REJECTED, ContextMarkers, WarmTemplate
from afterglow.records.tools import TaskType
from afterglow.text.clip import harmless_json

FORMAT = 2
UNREAD_FORMAT = (
    1  # in which what was made here counted as approved, although nobody had read it
)
LARGEST = 16 << 20  # bytes of a file; a template has a few thousand
LATEST = 1e11  # seconds since 1970; what is later is no time
ID = re.compile(r"warm_\d{8}_\d{6}(?:_[0-9a-z]{1,32})?", re.ASCII)


class TemplateFile(Struct, frozen=True):
    """A template as it is kept."""

    format: Annotated[int, Meta(ge=1, le=FORMAT)]
    checksum: Annotated[
        str,
        Meta(
            description="BLAKE2b (16 bytes) of the template as compact JSON with sorted keys."
        ),
    ]
    template: WarmTemplate


class SharedFile(Struct, frozen=True):
    """Templates as they are exported."""

    format: Annotated[int, Meta(ge=1, le=FORMAT)]
    templates: tuple[TemplateFile, ...]


class Glance(Struct, frozen=True, kw_only=True):
    """What a list and a choice need of a template. `tools` has one name an example."""

    id: str
    name: str
    description: str = ""
    task_type: TaskType = TaskType.MIXED
    tags: tuple[str, ...] = ()
    source_sessions: tuple[str, ...] = ()
    agent: str = ""
    repo: str = ""
    version: int = 1
    created: float = 0.0
    updated: float = 0.0
    approved: bool = False
    made_by: str = ""
    notes: dict[str, str] = {}
    tools: tuple[str, ...] = ()
    markers: ContextMarkers = ContextMarkers()

    @property
    def rejected(self) -> bool:
        return not self.approved and REJECTED in self.notes


class Record(Struct, frozen=True):
    """What is known of a template's deliveries: given out, found in a transcript, and how those sessions ended;
    `guessed` of them are judged by their last words only."""

    uses: int = 0
    proved: int = 0
    successes: int = 0
    failures: int = 0
    guessed: int = 0

    @property
    def known(self) -> int:
        return self.successes + self.failures


class _Tool(Struct):
    tool_name: str


class _Seed(Struct):
    tool_examples: tuple[_Tool, ...] = ()
    context_markers: ContextMarkers = ContextMarkers()


class _Narrow(Glance, frozen=True, kw_only=True):
    seed: _Seed


class _NarrowFile(Struct):
    format: int
    template: _Narrow


class _RawFile(Struct):
    format: int
    checksum: str
    template: msgspec.Raw


class _RawShare(Struct):
    format: int
    templates: tuple[msgspec.Raw, ...]


class _Format(Struct):
    format: int


_narrow = msgspec.json.Decoder(_NarrowFile)
_raw = msgspec.json.Decoder(_RawFile)
_template = msgspec.json.Decoder(WarmTemplate)
_WRONG = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_HEAD = tuple(
    name for name in Glance.__struct_fields__ if name not in {"tools", "markers"}
)


def encode(template: WarmTemplate) -> bytes:
    return _pretty(_packed(template))


def encode_share(templates: Iterable[WarmTemplate]) -> bytes:
    return _pretty(
        {"format": FORMAT, "templates": [_packed(template) for template in templates]}
    )


def decode(data: bytes, name: str) -> WarmTemplate:
    """The template in a file, whole and checked; what is wrong with it is said."""
    try:
        file = _raw.decode(data)
        plain = msgspec.json.decode(file.template)
        if file.format <= FORMAT and checksum(plain) != file.checksum:
            raise UnreadableSource(
                f"{name} does not match its checksum: it is damaged, or was edited by hand"
            )
        template = _template.decode(file.template)
    except _WRONG as error:
        raise UnreadableSource(_reason(data, name, error)) from error
    _refuse_newer(file.format, name)
    wrong = flaw(template)
    if wrong:
        raise UnreadableSource(f"{name}: {wrong}")
    if _nobody_read(file.format, template.made_by):
        return replace(template, approved=False)
    return template


def glance(data: bytes, name: str) -> Glance:
    """The few fields of a template that a list needs. Read so that the text of its examples is passed over."""
    try:
        file = _narrow.decode(data)
    except _WRONG as error:
        raise UnreadableSource(_reason(data, name, error)) from error
    _refuse_newer(file.format, name)
    template = file.template
    head: dict[str, Any] = {field: getattr(template, field) for field in _HEAD}
    if _nobody_read(file.format, template.made_by):
        head["approved"] = False
    tools = tuple(example.tool_name for example in template.seed.tool_examples)
    return Glance(**head, tools=tools, markers=template.seed.context_markers)


def pieces(data: bytes, name: str) -> tuple[bytes, ...]:
    """The files in an export, each to be decoded by itself."""
    try:
        share = msgspec.json.decode(data, type=_RawShare)
    except _WRONG as error:
        raise UnreadableSource(_reason(data, name, error)) from error
    _refuse_newer(share.format, name)
    return tuple(bytes(piece) for piece in share.templates)


def flaw(template: WarmTemplate) -> str:
    """What is wrong with a template that its types do not tell; empty where nothing is."""
    if not ID.fullmatch(template.id):
        return f"the id {template.id[:80]!r} is not like warm_20261115_101500"
    if (
        template.version < 1
        or min(template.uses, template.successes, template.failures) < 0
    ):
        return "a count is below zero"
    if not all(0 <= time < LATEST for time in (template.created, template.updated)):
        return "it was made or changed at a time that no calendar has"
    for place, example in enumerate(template.seed.tool_examples):
        if not example.tool_name or not is_object(example.arguments):
            return f"example {place + 1} has no tool, or arguments that are not a JSON object"
    return ""


def is_object(text: str) -> bool:
    """Whether a text is JSON, and an object."""
    try:
        return isinstance(msgspec.json.decode(text), dict)
    except (*_WRONG, UnicodeEncodeError):
        return False


def checksum(plain: object) -> str:
    return blake2b(
        msgspec.json.encode(plain, order="sorted"), digest_size=16
    ).hexdigest()


def schema() -> dict[str, object]:
    """The JSON Schema of a template's file and of an export."""
    (stored, shared), definitions = msgspec.json.schema_components(
        [TemplateFile, SharedFile], ref_template="#/$defs/{name}"
    )
    for definition in definitions.values():
        if "description" in definition:
            definition["description"] = " ".join(definition["description"].split())
        if definition.get("type") == "object":
            definition["additionalProperties"] = False
    definitions["WarmTemplate"]["properties"]["id"]["pattern"] = f"^{ID.pattern}$"
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "afterglow warm templates",
        "anyOf": [stored, shared],
        "$defs": definitions,
    }


def _packed(template: WarmTemplate) -> dict[str, object]:
    plain = msgspec.to_builtins(template, str_keys=True)
    return {"format": FORMAT, "checksum": checksum(plain), "template": plain}


def _pretty(value: object) -> bytes:
    return (
        harmless_json(msgspec.json.format(msgspec.json.encode(value), indent=1)) + b"\n"
    )


def _reason(data: bytes, name: str, error: Exception) -> str:
    """A newer format is named before whatever is not understood in it."""
    try:
        format_ = msgspec.json.decode(data, type=_Format).format
    except _WRONG:
        format_ = 0
    return (
        _newer(format_, name)
        if format_ > FORMAT
        else f"{name} is not a template, or is damaged: {error}"
    )


def _nobody_read(format: int, made_by: str) -> bool:
    """Of an older file: only what was imported had to be approved by a person."""
    return format <= UNREAD_FORMAT and made_by != "import"


def _refuse_newer(format: int, name: str) -> None:
    if format > FORMAT:
        raise UnreadableSource(_newer(format, name))


def _newer(format: int, name: str) -> str:
    return f"{name} was written by a newer afterglow (format {format}, this one knows {FORMAT}); upgrade to use it"
