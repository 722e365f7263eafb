"""Whether a service's error told the agent what to send next, other than by naming what it takes."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from afterglow.harvest.trail import Step
from afterglow.harvest.trust import SERVICE

REACH = 7  # calls between an error and what was done about it
SHORTEST = 3  # characters of a name or value that is looked for
LOOKED_AT = 2000  # characters of an error

# "must be one of `a`, `b`", "did you mean `a`", "missing field `a`": a service naming its own values.
_NAMING = re.compile(
    r"\b(?:one of|must be|should be|expect(?:ed|s)|valid|allowed|supported|available|options?|choices?|did you mean"
    r"|either|enum|require[ds]?|missing|accepts?|field|parameter|argument|property|values?|type)\b([^.!?;\n]{0,80})$",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"\b(?:set|use|pass|add|send|call|run|include|provide|try|put|give|with)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"^[\"'`\])]*:?\s*(?:(?:is|are|was|must|should|cannot|can't|not)\b|required|missing|invalid|expected)",
    re.IGNORECASE,
)


def obeys(steps: Sequence[Step], index: int) -> bool:
    """Whether a call to a service holds a name or value that stands in an error shortly before it, and is not one the
    service lists as its own: a text from elsewhere may speak through an error."""
    near = range(max(index - REACH, 0), index)
    return steps[index].tool.startswith(SERVICE) and any(
        _told(steps[before], steps[index]) for before in near
    )


def is_obeyed(steps: Sequence[Step], index: int) -> bool:
    """The same of an error: whether a call shortly after it does what it says."""
    near = range(index + 1, min(index + 1 + REACH, len(steps)))
    return steps[index].tool.startswith(SERVICE) and any(
        _told(steps[index], steps[after]) for after in near
    )


def _told(before: Step, after: Step) -> bool:
    if not before.failed or before.tool != after.tool:
        return False
    error = before.call.result or before.call.error
    return any(
        _is_imposed(word, error)
        for word in _words(after.call.arguments) - _words(before.call.arguments)
    )


def _words(arguments: str) -> set[str]:
    """The names and the values of a call."""
    try:
        values_by_name = msgspec.json.decode(arguments, type=dict[str, object])
    except (msgspec.DecodeError, RecursionError):
        return set()
    values = (
        element
        for value in values_by_name.values()
        for element in (value if isinstance(value, list) else [value])
    )
    return {
        word
        for word in (*values_by_name, *values)
        if isinstance(word, str) and SHORTEST <= len(word) <= LOOKED_AT
    }


def _is_imposed(word: str, error: str) -> bool:
    error = error[:LOOKED_AT]
    places = [
        match.span()
        for match in re.finditer(rf"(?<![\w-]){re.escape(word)}(?![\w-])", error)
    ]
    return bool(places) and not any(
        _is_named(error, start, end) for start, end in places
    )


def _is_named(error: str, start: int, end: int) -> bool:
    naming = _NAMING.search(error[max(start - 100, 0) : start])
    return bool(
        (naming and not _TELLING.search(naming[1]))
        or _NAMED.match(error[end : end + 20])
    )
