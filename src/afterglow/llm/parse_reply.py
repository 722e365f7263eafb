"""What a reply says: without its thinking, as a value of the type that was asked for, or what is wrong with it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from msgspec import Struct

from afterglow.llm.request import Reply
from afterglow.llm.schema import Misfit, decoded

_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL)
# What is wrong with a question, or with how a model takes it; every other failure is one of the way to the model.
UNUSABLE = frozenset(
    {"refusal", "filtered", "bad json", "wrong shape", "cut off", "empty"}
)
MAX_PLACES = 200  # where JSON is looked for in a text: chatter before it is short


class Read(Struct, frozen=True, kw_only=True):
    """`problem` says what is wrong, in words the model can act on, and `kind` names it; both empty if all is well."""

    text: str = ""
    data: Any = None
    kind: str = ""
    problem: str = ""


def read(reply: Reply, answer_type: type[Any] | None) -> Read:
    text = _said(reply.text)
    if reply.finish == "refusal":
        return Read(text=text, kind="refusal", problem="the model refused to answer")
    if reply.finish == "filter":
        return Read(
            text=text, kind="filtered", problem="a content filter held the answer back"
        )
    if answer_type is None:
        return Read(text=text) if text else _nothing(reply)
    answer = _typed(text, answer_type)
    if not answer.kind:  # whole, even if the limit was met right after it
        return answer
    return _nothing(reply) if reply.finish == "length" or not text else answer


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


def _typed(text: str, answer_type: type[Any]) -> Read:
    """The first JSON in a text that is of the type; if none is, what is wrong with the first."""
    problem = ""
    for data in _json_in(text):
        try:
            return Read(text=text, data=decoded(data, answer_type))
        except Misfit as error:
            problem = problem or str(error)
    if problem:
        return Read(text=text, kind="wrong shape", problem=problem)
    return Read(text=text, kind="bad json", problem="the answer is not JSON")


def _json_in(text: str) -> Iterator[Any]:
    """Every JSON value of a text that is not inside another."""
    decode = json.JSONDecoder(parse_constant=_refuse, parse_float=_number).raw_decode
    brackets = (match.start() for match in re.finditer(r"[\[{]", text))
    end = 0
    for start in islice(chain([0], brackets), MAX_PLACES):
        if start < end:
            continue
        try:
            data, end = decode(text, start)
            json.dumps(data, ensure_ascii=False).encode()  # no half characters
        except (ValueError, RecursionError):
            continue
        if start == 0 and text[end:].strip() and not isinstance(data, dict | list):
            end = 0  # a sentence that begins with a number
            continue
        yield data


def _number(digits: str) -> float | int:
    """`3.0` counts as the integer it is."""
    number = float(digits)
    return int(number) if number.is_integer() else number


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")
