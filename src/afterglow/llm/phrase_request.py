"""How a request is put: for a server that keeps answers to a schema, for one that does not, and for a second try."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec.structs import replace

from afterglow.llm.parse_reply import Read
from afterglow.llm.request import FORMATS, Manners, Request
from afterglow.llm.schema import is_strict
from afterglow.records.model import Message

SHOWN = 2000  # characters of a bad answer that the model sees again

IN_WORDS = "Answer with one JSON value and nothing else, no fence and no remark. It must fit this JSON schema:\n{schema}"
REPAIR = "That answer cannot be used: {problem}. Answer again, in full, with nothing but the JSON that was asked for."
_LIMIT = re.compile(r"max_(completion_)?tokens", re.IGNORECASE)


def worded(request: Request) -> Request:
    """With the schema in the prompt where the server does not keep answers to it."""
    if request.schema is None or request.manners.format == "json_schema":
        return request
    schema = msgspec.json.encode(request.schema).decode()
    last = request.messages[-1]
    with_schema = replace(
        last, content=f"{last.content}\n\n{IN_WORDS.format(schema=schema)}"
    )
    return replace(request, messages=(*request.messages[:-1], with_schema))


def again(request: Request, parsed: Read) -> Request:
    """The same for a second try: more room if there was too little, or what was wrong with the first answer."""
    if parsed.kind == "cut off":
        return replace(request, max_tokens=request.max_tokens * 2)
    if parsed.kind in {"refusal", "empty"} or not parsed.text:
        return request
    complaint = (
        Message("assistant", parsed.text[:SHOWN]),
        Message("user", REPAIR.format(problem=parsed.problem)),
    )
    return replace(request, messages=(*request.messages, *complaint))


def plainer(
    manners: Manners, complaint: str, schema: dict[str, Any] | None
) -> Manners | None:
    """What may please a server that did not like a request; None if there is nothing left to try."""
    if "temperature" in complaint and manners.temperature:
        return replace(manners, temperature=False)
    if _LIMIT.search(complaint) and manners.limit == "max_tokens":
        return replace(manners, limit="max_completion_tokens")
    if schema is None or manners.format == FORMATS[-1]:
        return None
    if manners.format == "json_schema" and manners.strict and is_strict(schema):
        return replace(manners, strict=False)
    return replace(manners, format=FORMATS[FORMATS.index(manners.format) + 1])
