"""Makes arguments and results short without breaking them: JSON stays JSON, and what was left out is said."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from afterglow.text.clip import clip, uncoloured

ARGUMENTS = 900  # characters
RESULT, PRINTED = (
    400,
    200,
)  # of a result; of one that shows what stands in a file or on a page
LINE, SHORTEST = 200, 40  # of a line of a result, whole and cut
DEEPEST, ITEMS = (
    6,
    5,
)  # levels and entries of a list that are kept in arguments that are too long
VALUE, RECORDS = (
    24,
    1,
)  # characters of a value and entries of a list in the answer of a service
_STEPS = (
    600,
    300,
    150,
    60,
)  # characters of a string, tried in turn until the whole is short enough

# Lines that say how it went; what stands between them and the head is seldom missed.
_TELLING = re.compile(
    r"(?i)\b(?:pass(?:ed|es)?|succe\w+|fail(?:ed|ures?|s)?|errors?|warnings?|total|summary|created|updated|deleted"
    r"|wrote|written|saved|done|finished|completed|exit code|no issues|not found|insertions?|up to date"
    r"|\d+ (?:tests?|files?|matches|issues|problems|rows|results|items))\b|^ok\b|^PASS|^[✓✔✗]"
)


# What agents put into results for themselves.
_ASIDE = re.compile(
    r"<(system[-_]reminder|system[-_]notice)>.*?(?:</\1>|\Z)", re.DOTALL
)
_ENVELOPE = re.compile(
    r"\A(?:(?:chunk id: \w+|wall time: [\d.]+ seconds?|(?:original token count|total output lines): \d+|output:"
    r"|<output>|process exited with code 0|exit ?code: 0(?: \(execution succeeded\))?|<returncode>0</returncode>)?"
    r"[ \t]*\n)*(?:(?:code )?output: )?"
    r"|^(?:</output>|<shellid: \d+ completed with exit code 0>|(?:error|exit code|signal): (?:\(none\)|0)"
    r"|(?:background pids|process group pgid): [^\n]*)$\n?",
    re.IGNORECASE | re.MULTILINE,
)
MAIN = 0.5  # of an answer in JSON: a text of that share is what the answer is


def clipped_arguments(values: dict[str, Any], limit: int = ARGUMENTS) -> str:
    """The arguments as JSON of about `limit` characters: long strings lose their middle, long lists their end."""
    text = _encoded(values)
    for longest in _STEPS:
        if len(text) <= limit:
            break
        text = _encoded(
            {name: _shortened(value, longest, 1) for name, value in values.items()}
        )
    return text


def _shortened(value: Any, longest: int, depth: int, items: int = ITEMS) -> Any:
    if isinstance(value, str):
        return (
            without_middle(value, longest) if longest > VALUE else clip(value, longest)
        )
    if depth >= DEEPEST and isinstance(value, list | dict):
        return "…"
    if isinstance(value, list):
        return [_shortened(one, longest, depth + 1, items) for one in value[:items]]
    if isinstance(value, dict):
        return {
            name: _shortened(one, longest, depth + 1, items)
            for name, one in value.items()
        }
    return value


def without_middle(text: str, limit: int) -> str:
    """A long text with its middle left out, and how much that was: a command keeps its closing quote."""
    if len(text) <= limit:
        return text
    head, tail = limit * 2 // 3, limit // 5
    return f"{text[:head].rstrip()}\n[… {len(text) - head - tail} characters left out …]\n{text[-tail:].lstrip()}"


def bare(text: str) -> str:
    """A result without colours and without what the agent wrapped around it."""
    return _ENVELOPE.sub("", _ASIDE.sub("", uncoloured(text))).strip("\n")


def clipped_result(text: str, limit: int = RESULT, *, more: int = 0) -> str:
    """The head of a result, and the lines behind it that say how it went. `more` characters were never looked at."""
    text = bare(text)
    if len(text) <= limit and not more:
        return text or "(no output)"
    if (
        text[:1] in "{["
        and not more
        and len(short := _short_json(text, limit)) <= 2 * limit
    ):
        return short
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    head = _fitting(lines, limit * 6 // 10 if len(lines) > 1 else limit)
    rest = lines[len(head) :]
    room = limit - sum(len(line) + 1 for line in head)
    last = [line for line in rest[-1:] if not more]
    tail = _fitting(
        [*last, *(one for one in reversed(rest[:-1]) if _TELLING.search(one))], room
    )[::-1]
    return "\n".join(
        [
            *head,
            _left_out(len(lines) - len(head) - len(tail), text, [*head, *tail], more),
            *tail,
        ]
    )


def _short_json(text: str, limit: int) -> str:
    """The answer of a service keeps its shape: which names it has says more than what stands behind them. Where one
    text is most of it, such as the output of a command, that is what is clipped."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text
    texts = (
        {name: one for name, one in value.items() if isinstance(one, str)}
        if isinstance(value, dict)
        else {}
    )
    main = max(texts, key=lambda name: len(texts[name]), default="")
    if main and len(texts[main]) > MAIN * len(text):
        return _encoded({**value, main: clipped_result(texts[main], limit)})
    short = msgspec.json.encode(_shortened(value, VALUE, 1, RECORDS)).decode()
    return (
        f"{short}\n[… {len(text)} characters in all …]"
        if len(short) < len(text)
        else text
    )


def _fitting(lines: list[str], room: int) -> list[str]:
    """The lines from the front that fit, the last of them perhaps cut."""
    found: list[str] = []
    for line in lines:
        if len(clip(line, LINE)) >= room:
            return [*found, clip(line, room - 1)] if room > SHORTEST else found
        found.append(clip(line, LINE))
        room -= len(found[-1]) + 1
    return found


def _left_out(lines: int, text: str, kept: list[str], more: int) -> str:
    gone = len(text) + more - sum(len(line) + 1 for line in kept)
    if lines > 0 and not more:
        return f"[… {lines} line{'s' * (lines != 1)} left out …]"
    return f"[… {max(gone, more, 1)} characters left out …]"


def _encoded(values: dict[str, Any]) -> str:
    return msgspec.json.encode(values).decode()
