"""What a reply says: without its thinking, as JSON where a schema was given, or what is wrong with it."""

from __future__ import annotations

import json
import re
from typing import Any

from msgspec import Struct

from afterglow.llm.request import Reply
from afterglow.llm.schema import misfit

_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL)
_STARTS = 200  # places of a text at which JSON is looked for


class Read(Struct, frozen=True, kw_only=True):
    """`problem` says what is wrong, in words the model can act on, and `kind` names it; both empty if all is well."""

    text: str = ""
    data: Any = None
    kind: str = ""
    problem: str = ""


def read(reply: Reply, schema: dict[str, Any] | None) -> Read:
    text = _said(reply.text)
    if reply.finish == "refusal":
        return Read(text=text, kind="refusal", problem="the model refused to answer")
    if reply.finish == "filter":
        return Read(
            text=text, kind="filtered", problem="a content filter held the answer back"
        )
    if schema is None:
        return Read(text=text) if text else _nothing(reply)
    found, data = _json_in(text, schema)
    problem = misfit(data, schema) if found else ""
    if found and not problem:  # whole, even if the limit was met right after it
        return Read(text=text, data=data)
    if reply.finish == "length" or not text:
        return _nothing(reply)
    if not found:
        return Read(text=text, kind="bad json", problem="the answer is not JSON")
    return Read(text=text, kind="wrong shape", problem=problem)


def _nothing(reply: Reply) -> Read:
    if reply.finish == "length":
        return Read(
            kind="cut off", problem="the answer was cut off at its limit of tokens"
        )
    return Read(kind="empty", problem="the answer is empty")


def _said(text: str) -> str:
    """Without what models think aloud, also where only the end of it is marked; with whole characters only."""
    text = _THINKING.sub("", text)
    if "</think>" in text:
        text = text.rsplit("</think>", 1)[1]
    return text.encode("utf-8", "replace").decode().strip()


def _json_in(text: str, schema: dict[str, Any]) -> tuple[bool, Any]:
    """Whether there is JSON in a text, and which: what fits the schema goes before what does not."""
    decode = json.JSONDecoder(parse_constant=_refuse).raw_decode
    starts = [0, *(match.start() for match in re.finditer(r"[\[{]", text))][:_STARTS]
    first: tuple[bool, Any] = (False, None)
    end = 0
    for start in starts:
        if start < end:
            continue
        try:
            data, end = decode(text, start)
            json.dumps(
                data, ensure_ascii=False
            ).encode()  # half characters are of no use to anybody
        except (ValueError, RecursionError):
            continue
        if start == 0 and text[end:].strip() and not isinstance(data, dict | list):
            end = 0  # a sentence that begins with a number
            continue
        if not misfit(data, schema):
            return True, data
        first = first if first[0] else (True, data)
    return first


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")
