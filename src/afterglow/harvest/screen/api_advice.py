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
    step = steps[index]
    if not step.tool.startswith(SERVICE):
        return False
    earlier_steps = steps[max(index - REACH, 0) : index]
    return any(_told(earlier, step) for earlier in earlier_steps)


def is_obeyed(steps: Sequence[Step], index: int) -> bool:
    """The same of an error: whether a call shortly after it does what it says."""
    step = steps[index]
    if not step.tool.startswith(SERVICE):
        return False
    later_steps = steps[index + 1 : index + 1 + REACH]
    return any(_told(step, later) for later in later_steps)


def _told(before: Step, after: Step) -> bool:
    if not before.failed or before.tool != after.tool:
        return False
    error = before.call.result or before.call.error
    new_words = _words(after.call.arguments) - _words(before.call.arguments)
    return any(_is_imposed(word, error) for word in new_words)


def _words(arguments: str) -> set[str]:
    """The names and the values of a call."""
    try:
        values_by_name = msgspec.json.decode(arguments, type=dict[str, object])
    except (msgspec.DecodeError, RecursionError):
        return set()
    words: list[object] = list(values_by_name)
    for value in values_by_name.values():
        words += value if isinstance(value, list) else [value]
    texts = (word for word in words if isinstance(word, str))
    return {text for text in texts if SHORTEST <= len(text) <= LOOKED_AT}


def _is_imposed(word: str, error: str) -> bool:
    error = error[:LOOKED_AT]
    matches = list(re.finditer(rf"(?<![\w-]){re.escape(word)}(?![\w-])", error))
    is_named = any(_is_named(error, *match.span()) for match in matches)
    return bool(matches) and not is_named


def _is_named(error: str, start: int, end: int) -> bool:
    naming = _NAMING.search(error[max(start - 100, 0) : start])
    if naming and not _TELLING.search(naming[1]):
        return True
    return _NAMED.match(error[end : end + 20]) is not None
