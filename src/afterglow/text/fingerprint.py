"""An error message reduced to what stays the same when it happens again.

First the telling line is found (not the exit code, not the echo of the command, not a source excerpt), then whatever
varies from run to run (paths, numbers, ids, quoted values) is replaced by its shape.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from afterglow.text.clip import uncoloured
from afterglow.text.mask import mask

MAX = 160
_HEAD, _TAIL = 2000, 500
_TAG = re.compile(r"</?(?:tool_use_error|error|output|returncode)>")
_NOISE = re.compile(
    r"(?:exit(?:ed)?(?: with)?(?: code| status)?:? ?-?\d+|process exited.*|command failed.*"
    r"|(?:error: )?command ended with.*|npm warn .*|chunk id:.*|wall time:? .*|script completed"
    r"|output:|error:|original token count:.*|total output lines:.*|\$ .*|\[[\w:.-]+\] \$ .*"
    r"|(?:background pids|process group pgid|signal): .*|</?[a-z][\w:-]*(?:: [^<>]*)?>"
    r"|\[(?:showing lines|some lines truncated|\d+ more lines) .*\]"
    r"|(?:---|===) (?:run|pause|cont|pass).*|ok\s.*|\?\s.*|[-=*#\s^~|.]*)$",
    re.IGNORECASE,
)
_VAGUE = re.compile(
    r"(?:\[[\w:.-]+\] )?ERROR task failed|usage:|error:? *$|failed\.?$|[\w.]+ failed with exit code",
    re.IGNORECASE,
)
_LINTER = re.compile(r":\d+(?::\d+)?: .*\(([a-z][\w-]{2,30})\)$")
_TELLING = re.compile(
    r"errors?\b|fatal\b|panic\b|exception\b|traceback|failed\b|failure\b|not found|no such|cannot|can't|could not"
    r"|unable|undefined|denied|refused|invalid|unknown|unexpected|missing|timed out|timeout| conflict|not permitted"
    r"|does not|doesn't|rejected|must\b|unrecognized|usage\b|forbidden|unauthorized|unsupported|not supported"
)
_TRACEBACK = re.compile(
    r"^(\w+(?:\.\w+)*(?:Error|Exception|Interrupt|Exit|Warning)(?::.*)?)$", re.MULTILINE
)
_Shape = str | Callable[[re.Match[str]], str]
_SHAPES: tuple[tuple[re.Pattern[str], _Shape], ...] = (
    (
        re.compile(r"(?<![\w<])(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w.@+-]+){2,}[/\\]?"),
        lambda m: _path(m[0]),
    ),
    (re.compile(r"\b[\w.-]+(?:/[\w.@+-]+)+/?"), lambda m: _path(m[0])),
    (re.compile(r"\b0x[0-9a-fA-F]+\b"), "<n>"),
    (
        re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,}\b"),
        "<id>",
    ),
    (
        re.compile(r"'[^'\n]{25,}'|\"[^\"\n]{25,}\"|`[^`\n]{25,}`"),
        lambda m: f"{m[0][0]}…{m[0][0]}",
    ),
    (re.compile(r"\d+"), "<n>"),
    (re.compile(r"<n>(?:[.:,_-]?<n>)+"), "<n>"),
    (re.compile(r"\s+"), " "),
)


def telling_line(text: str) -> str:
    """The one line of an error that names the problem."""
    if len(text) > _HEAD + _TAIL:
        text = text[:_HEAD] + "\n" + text[-_TAIL:]
    if "Traceback" in text:
        raised = _TRACEBACK.findall(text)
        if raised:
            return str(raised[-1])
    text = _TAG.sub("", text)
    line = _first_telling(text.splitlines())
    return line or text.strip()[:MAX]


def _first_telling(lines: list[str]) -> str:
    """The first line that names a problem; else the first that is vague about it; else the first that says anything."""
    first = vague = ""
    for raw in lines:
        line = raw.strip()
        linter = _LINTER.search(line) if line.endswith(")") else None
        if linter:
            return f"lint: {linter[1]}"
        telling = _TELLING.search(line.lower())
        if first and not telling:
            continue
        if _NOISE.match(line):
            continue
        if not telling:
            first = line
        elif not _VAGUE.match(line):
            return line
        elif not vague:
            vague = line
    return vague or first


@lru_cache(maxsize=2048)
def fingerprint(text: str) -> str:
    """The reduced message, at most 160 characters, free of values. Equal for the same problem in another session."""
    return reduced(telling_line(uncoloured(text))) or "no message"


def is_noise(line: str) -> bool:
    """Whether a line only says how a call was run or that it ended: an exit code, an echo, a rule."""
    return _NOISE.match(line) is not None


def is_vague(line: str) -> bool:
    """Whether a line says no more than that something failed."""
    return _VAGUE.match(line) is not None


@lru_cache(maxsize=8192)  # a line is compared under several keys
def reduced(line: str) -> str:
    """One line with whatever varies from run to run replaced by its shape."""
    line = mask(line[:400])
    for pattern, shape in _SHAPES:
        line = pattern.sub(shape, line)
    return line.strip()[:MAX]


def _path(path: str) -> str:
    """A path keeps its last name when that is a word of its own (`mod.go`), not when it is a number or an id."""
    name = re.split(r"[/\\]", path.rstrip("/\\"))[-1]
    if re.fullmatch(r"[A-Za-z_.-]{2,40}", name):
        return f"<path>/{name}"
    return "<path>"
