"""Makes arguments and results short without breaking them: JSON stays JSON, and what was left out is said."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from afterglow.text.clip import clip, uncoloured

# Characters.
MAX_ARGUMENTS = 900  # a command with a short script in it
MAX_RESULT = 400  # how it went; that is what an example is for
MAX_RESULT_LINE, MIN_CUT_LINE = 200, 40  # a line cut shorter than that says nothing
MAX_SHAPE = 300  # of the names in an answer of a service
MAX_SERVICE_VALUE = 24  # in the answer of a service, where the names say more
# Tried in turn until arguments are short enough.
STRING_LENGTHS = (600, 300, 150, 60)

# Levels, and entries of a list, in arguments that are too long and in the answer of a service.
MAX_DEPTH, MAX_LIST_ENTRIES, MAX_SERVICE_RECORDS = 6, 5, 1
PLAIN_NAME = re.compile(r"\w{1,40}")  # of a field; what has spaces may say anything
# Of an answer in JSON: a text of that share is what the answer is.
MAIN_TEXT_SHARE = 0.5
HEAD_PERCENT = 60  # of a result's room; the rest is for lines that say how it went

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


def clipped_arguments(values: dict[str, Any], limit: int = MAX_ARGUMENTS) -> str:
    """The arguments as JSON of about `limit` characters: long strings lose their middle, long lists their end."""
    text = _encoded(values)
    for longest in STRING_LENGTHS:
        if len(text) <= limit:
            break
        short = {
            name: _shortened(value, longest, 1, MAX_LIST_ENTRIES)
            for name, value in values.items()
        }
        text = _encoded(short)
    return text


def _shortened(value: Any, longest: int, depth: int, entries: int) -> Any:
    if isinstance(value, str):
        cut = without_middle if longest > MAX_SERVICE_VALUE else clip
        return cut(value, longest)
    if not isinstance(value, list | dict):
        return value
    if depth >= MAX_DEPTH:
        return "…"
    if isinstance(value, list):
        return [
            _shortened(inner, longest, depth + 1, entries) for inner in value[:entries]
        ]
    return {
        name: _shortened(inner, longest, depth + 1, entries)
        for name, inner in value.items()
    }


def without_middle(text: str, limit: int) -> str:
    """A long text with its middle left out, and how much that was: a command keeps its closing quote."""
    if len(text) <= limit:
        return text
    head, tail = limit * 2 // 3, limit // 5
    return f"{text[:head].rstrip()}\n[… {len(text) - head - tail} characters left out …]\n{text[-tail:].lstrip()}"


def bare(text: str) -> str:
    """A result without colours and without what the agent wrapped around it."""
    return _ENVELOPE.sub("", _ASIDE.sub("", uncoloured(text))).strip("\n")


def clipped_result(text: str, limit: int = MAX_RESULT, *, more: int = 0) -> str:
    """The head of a result, and the lines behind it that say how it went. `more` characters were never looked at."""
    text = bare(text)
    if more:
        return _head_and_tail(text, limit, more)
    if len(text) <= limit:
        return text or "(no output)"
    if text.startswith(("{", "[")):
        short = _short_json(text, limit)
        if len(short) <= 2 * limit:
            return short
    return _head_and_tail(text, limit, more)


def result_shape(text: str, *, more: int = 0) -> str:
    """What came back without a word of it: the names of an answer in JSON, else how much it was. What stands in a file
    or on a page will be read anew, and is somebody else's."""
    text = bare(text)
    if text.startswith(("{", "[")) and not more:
        try:
            shape = _encoded(_emptied(msgspec.json.decode(text), 1))
        except (msgspec.DecodeError, RecursionError):
            shape = ""
        if 0 < len(shape) <= MAX_SHAPE:
            return shape
    lines = sum(1 for line in text.splitlines() if line.strip())
    if not lines:
        return "(no output)"
    if more:
        return f"[… {len(text) + more} characters left out …]"
    return f"[… {lines} line{'s' * (lines != 1)} left out …]"


def _emptied(value: Any, depth: int) -> Any:
    if isinstance(value, dict) and depth < MAX_DEPTH:
        names = [name for name in value if PLAIN_NAME.fullmatch(name)]
        return {name: _emptied(value[name], depth + 1) for name in names}
    if isinstance(value, list) and depth < MAX_DEPTH:
        return [_emptied(inner, depth + 1) for inner in value[:MAX_SERVICE_RECORDS]]
    return "…"


def _head_and_tail(text: str, limit: int, more: int) -> str:
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    room = limit
    if len(lines) > 1:
        room = limit * HEAD_PERCENT // 100
    head = _fitting(lines, room)
    room = limit - _length(head)
    tail = _fitting(_telling_lines(lines[len(head) :], with_last=not more), room)
    left_out_lines = len(lines) - len(head) - len(tail)
    left_out_characters = len(text) + more - _length([*head, *tail])
    if left_out_lines > 0 and not more:
        plural = "" if left_out_lines == 1 else "s"
        note = f"{left_out_lines} line{plural}"
    else:
        note = f"{max(left_out_characters, more, 1)} characters"
    return "\n".join([*head, f"[… {note} left out …]", *reversed(tail)])


def _telling_lines(lines: list[str], *, with_last: bool) -> list[str]:
    """Those that say how it went, from behind."""
    last = lines[-1:] if with_last else []
    return last + [line for line in reversed(lines[:-1]) if _TELLING.search(line)]


def _short_json(text: str, limit: int) -> str:
    """The answer of a service keeps its shape: which names it has says more than what stands behind them. Where one
    text is most of it, such as the output of a command, that is what is clipped."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text
    if isinstance(value, dict):
        texts = {name: inner for name, inner in value.items() if isinstance(inner, str)}
        main = max(texts, key=lambda name: len(texts[name]), default="")
        if main and len(texts[main]) > MAIN_TEXT_SHARE * len(text):
            return _encoded({**value, main: clipped_result(texts[main], limit)})
    short = _encoded(_shortened(value, MAX_SERVICE_VALUE, 1, MAX_SERVICE_RECORDS))
    if len(short) >= len(text):
        return text
    return f"{short}\n[… {len(text)} characters in all …]"


def _fitting(lines: list[str], room: int) -> list[str]:
    """The lines from the front that fit, the last of them perhaps cut."""
    fitting: list[str] = []
    for line in lines:
        short = clip(line, MAX_RESULT_LINE)
        if len(short) >= room:
            return [*fitting, clip(line, room - 1)] if room > MIN_CUT_LINE else fitting
        fitting.append(short)
        room -= len(short) + 1
    return fitting


def _length(lines: list[str]) -> int:
    return sum(len(line) + 1 for line in lines)


def _encoded(value: Any) -> str:
    return msgspec.json.encode(value).decode()
