"""A stand-in for a language model on the simulated fleet: it reads the windows it is given and nothing else.

Where a person says that something is so *because* of something else, it tells that as a lesson, in their words. It
knows no plant and no place; it is for `ScriptedModel(reading)`, so that harvesting with a model can be tried with
no model at all.
"""

from __future__ import annotations

import re
from typing import Any

from afterglow.llm.request import Request
from afterglow.records.model import Ask

_PERSON = re.compile(r"^(\d+) person \(user\): (.*)$", re.MULTILINE)
_WHY = re.compile(r"\b(?:because|the reason is)\b")


def reading(request: Ask | Request) -> dict[str, Any]:
    """The answer to a question about windows: a lesson for each explanation."""
    lines = _PERSON.findall(request.messages[-1].content)
    lessons = [_lesson(int(line), text) for line, text in lines if _WHY.search(text)]
    return {"lessons": lessons}


def _lesson(line: int, text: str) -> dict[str, Any]:
    _, _, helps = text.partition("; ")
    return {
        "fact": text,
        "category": "pitfall",
        "situation": "",
        "remedy": helps,
        "confidence": 0.9,
        "citations": [{"line": line, "quote": text}],
    }
