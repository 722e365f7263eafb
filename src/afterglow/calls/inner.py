"""Tools that carry calls inside: Codex's `exec` with JavaScript, and batches of other agents.

`inner_calls` says which tools were called, in order. `inner_results` says which part of the
output belongs to which: its text, exit code, and under which id it still runs. Where that
cannot be told, it says so instead of guessing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from afterglow.calls.arguments import decode
from afterglow.calls.scripts import UNKNOWN, Reader

MAX_REPEATED_CALLS = 50  # that one loop of a script may stand for
SCRIPT_TOOLS = frozenset({"exec", "code_mode", "exec_script"})
MAX_STANDING_CHARACTERS = 80  # of a line that says how a command stands
RESULT_KEYS = frozenset({"output", "exit_code", "chunk_id"})
BATCH_TOOLS = frozenset({"batch", "multi_tool_use.parallel", "parallel", "batch_tool"})

_TOOL = re.compile(
    r"\btools(?:\.([A-Za-z_$][\w$]*)|\[\s*['\"]([\w.-]+)['\"]\s*\])\s*\("
)
_LOOP = re.compile(r"\bfor\s*\(\s*(?:const|let|var)\s+([^;()]+?)\s+of\s+")
_MAP = re.compile(
    r"([A-Za-z_$][\w$]*|\])\s*\.(?:map|forEach)\(\s*(?:async\s*)?(\([^=]*?\)|[A-Za-z_$][\w$]*)\s*=>"
)
_HEADER = re.compile(
    r"Script (completed|failed|running|yielded)[^\n]*\n(?:.*?\n)?Output:\n?", re.DOTALL
)
_CELL = re.compile(r"Script running with cell ID (\S+)")
# A line, or a part, that only says how a command stands: `EXIT=1`, `=== 2 exit=0 ===`, `SESSION_ID=2046`.
_CODE = re.compile(
    r"\W*(?:\w+\W+)?(?:(?:exit(?:[_ ]?code)?|rc|status)\s*[=:]|process exited with code)"
    r"\s*(-?\d{1,3}|undefined|null)\W*",
    re.IGNORECASE,
)
_SESSION = re.compile(
    r"\W*(?:process running with )?session[_ ]?id\s*[=: ]\s*(\d+)\W*", re.IGNORECASE
)


class InnerCall(Struct, frozen=True):
    """A call inside a call. `arguments` is JSON; what could not be read is left out of it,
    and `complete` is false then. `repeated` marks one of several made by a loop."""

    tool: str
    arguments: str
    complete: bool = True
    repeated: bool = False


class InnerResult(Struct, frozen=True):
    """What came of an inner call. `output` is None where it cannot be told from the rest.

    `running`: it had not ended; its end is told by a later call about this id
    (`session:2046`, `cell:55`).
    """

    output: str | None = None
    code: int | None = None
    running: str = ""


def carries_calls(tool: str, arguments: str) -> bool:
    """Whether a call is only the envelope of others."""
    return bool(inner_calls(tool, arguments))


def inner_calls(tool: str, arguments: str) -> tuple[InnerCall, ...]:
    """The calls inside a call, in the order in which they stand."""
    name = tool.lower()
    if name in BATCH_TOOLS:
        return tuple(_batched(decode(arguments).values))
    if name not in SCRIPT_TOOLS:
        return ()
    decoded = decode(arguments)
    script = (
        decoded.raw or decoded.values.get("input") or decoded.values.get("code") or ""
    )
    if not isinstance(script, str) or "tools" not in script:
        return ()
    return tuple(_called(script))


def _batched(values: Any) -> Iterator[InnerCall]:
    for key in ("tool_uses", "tool_calls", "invocations", "calls"):
        listed = values.get(key)
        for use in listed if isinstance(listed, list) else []:
            if not isinstance(use, dict):
                continue
            name = use.get("recipient_name") or use.get("tool") or use.get("name") or ""
            inner = (
                use.get("parameters") or use.get("arguments") or use.get("input") or {}
            )
            text = (
                inner if isinstance(inner, str) else msgspec.json.encode(inner).decode()
            )
            yield InnerCall(str(name).rsplit("functions.", 1)[-1], text)


class _Loop(Struct):
    """A stretch of the script that runs once for each of `items`."""

    start: int
    end: int
    target: str
    items: list[Any]


def _called(script: str) -> Iterator[InnerCall]:
    reader = Reader(script)
    reader.bind_names()
    loops = [*_for_loops(reader), *_maps(reader)]
    texts = reader.texts()
    for match in _TOOL.finditer(reader.script):
        if any(start < match.start() < end for start, end in texts):
            continue
        tool = match[1] or match[2]
        loop = next(
            (item for item in loops if item.start <= match.start() < item.end), None
        )
        if loop is None:
            yield _inner_call(tool, reader, match.end(), False)
            continue
        for item in loop.items[:MAX_REPEATED_CALLS]:
            bound = {**reader.names, **_bound(loop.target, item)}
            repeated = Reader(script, bound)
            yield _inner_call(tool, repeated, match.end(), True)


def _inner_call(tool: str, reader: Reader, at: int, repeated: bool) -> InnerCall:
    value, _ = reader.value(at)
    if reader.script[at : at + 1] == ")":
        value = {}
    if isinstance(value, str):  # tools.apply_patch(patch)
        value = {"input": value}
    if not isinstance(value, dict):
        return InnerCall(tool, "{}", False, repeated)
    readable = {key: item for key, item in value.items() if not _has_unknown(item)}
    text = msgspec.json.encode(readable).decode()
    return InnerCall(tool, text, len(readable) == len(value), repeated)


def _has_unknown(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_unknown, value.values()))
    if isinstance(value, list):
        return any(map(_has_unknown, value))
    return value is UNKNOWN


def _for_loops(reader: Reader) -> Iterator[_Loop]:
    """`for (const c of commands) { ... }`"""
    for match in _LOOP.finditer(reader.script):
        items, at = reader.value(match.end())
        body = reader.script.find("{", at)
        if body < 0:
            continue
        listed = items if isinstance(items, list) else [UNKNOWN]
        yield _Loop(match.start(), reader.end_of_group(body), match[1], listed)


def _maps(reader: Reader) -> Iterator[_Loop]:
    """`commands.map(c => tools.exec_command({cmd: c}))`, also over a list written there."""
    if ".map(" not in reader.script and ".forEach(" not in reader.script:
        return
    for match in _MAP.finditer(reader.script):
        bracket = reader.script.rfind("(", 0, match.start(2))
        items = reader.names.get(match[1], UNKNOWN)
        if match[1] == "]":
            items = _list_that_ends(reader, match.start(1))
        listed = items if isinstance(items, list) else [UNKNOWN]
        target = match[2].strip("() ")
        yield _Loop(match.start(2), reader.end_of_group(bracket), target, listed)


def _list_that_ends(reader: Reader, end: int) -> Any:
    """The list whose closing bracket stands at `end`."""
    for start in (m.start() for m in re.finditer(r"\[", reader.script[:end])):
        if reader.end_of_group(start) == end + 1:
            return reader.value(start)[0]
    return UNKNOWN


def _bound(target: str, item: Any) -> dict[str, Any]:
    """The names a loop binds for one item: `c`, `[name, cmd]`, `{cmd, dir}`, `(c, index)`."""
    names = [name.strip() for name in target.strip("[]{} ").split(",")]
    if target.startswith("["):
        values = item if isinstance(item, list) else []
        return {name: _at(values, place) for place, name in enumerate(names)}
    if target.startswith("{"):
        members = item if isinstance(item, dict) else {}
        return {name: members.get(name, UNKNOWN) for name in names}
    return {names[0]: item}


def _at(values: list[Any], place: int) -> Any:
    return values[place] if place < len(values) else UNKNOWN


def inner_results(
    calls: Sequence[InnerCall], output_parts: Sequence[str]
) -> tuple[InnerResult, ...]:
    """What came of each inner call, from the parts that the script printed."""
    header, parts = _without_header(output_parts)
    cell = _CELL.search(header)
    if cell and not parts:
        return tuple(InnerResult(None, None, f"cell:{cell[1]}") for _ in calls)
    if len(calls) == 1:
        result = _result(parts)
        if cell:
            result = InnerResult(result.output, None, f"cell:{cell[1]}")
        return (result,)
    groups = [] if cell else _groups(parts, len(calls))
    return tuple(map(_result, groups)) or tuple(InnerResult() for _ in calls)


def _without_header(parts: Sequence[str]) -> tuple[str, list[str]]:
    """The first part says how the script ended; what it printed follows."""
    if not parts:
        return "", []
    match = _HEADER.match(parts[0])
    if not match:
        return "", list(parts)
    rest = parts[0][match.end() :]
    return match[0], [*([rest] if rest.strip() else []), *parts[1:]]


def _groups(parts: list[str], count: int) -> list[list[str]]:
    """The parts that belong to each of `count` calls; none where that cannot be told."""
    if len(parts) == 1 and (listed := _listed(parts[0], count)):
        return [[record] for record in listed]
    if len(parts) == count:
        return [[part] for part in parts]
    between = parts[1::2]
    if len(parts[::2]) == count and len(between) > len(set(between)) == 1:
        return [[part] for part in parts[::2]]  # the same line between any two
    standing = [_standing(part) is not None for part in parts]
    if sum(standing) != count:
        return []
    if standing[-1]:  # what it printed, then how it ended
        ends = [place + 1 for place, is_last in enumerate(standing) if is_last]
        return [parts[a:b] for a, b in zip([0, *ends], ends, strict=False)]
    if standing[0]:
        starts = [place for place, is_first in enumerate(standing) if is_first]
        stops = [*starts[1:], len(parts)]
        return [parts[a:b] for a, b in zip(starts, stops, strict=True)]
    return []


def _result(parts: Sequence[str]) -> InnerResult:
    """What the parts of one call say together: its output, and how it stands."""
    output: list[str] = []
    code: int | None = None
    running = ""
    for part in parts:
        standing = _standing(part)
        if standing is None:
            output.append(part)
            standing = _standing_in_lines(part)
        elif standing.output is not None:
            output.append(standing.output)
        code = standing.code if standing.code is not None else code
        running = standing.running or running
    return InnerResult("\n".join(output), code, running if code is None else "")


def _standing(part: str) -> InnerResult | None:
    """How a call stands, by a part that says nothing else: a record, or `EXIT=1`."""
    stripped = part.strip()
    if stripped.startswith("{"):
        record = _record(stripped)
        return None if record is None else _of_record(record)
    if "\n" in stripped:
        return None
    if code := _CODE.fullmatch(stripped):
        return InnerResult(None, _number(code[1]))
    if session := _SESSION.fullmatch(stripped):
        return InnerResult(None, None, f"session:{session[1]}")
    return None


def _standing_in_lines(text: str) -> InnerResult:
    """The same by the first or last line of an output: `echo EXIT=$?` prints it there."""
    lines = text.strip().splitlines()
    for line in lines[-1:] + lines[:1]:
        standing = _standing(line) if len(line) <= MAX_STANDING_CHARACTERS else None
        if standing is not None and standing.output is None:
            return standing
    return InnerResult()


def _number(text: str) -> int | None:
    return int(text) if text.lstrip("-").isdigit() else None


def _record(text: str) -> dict[str, Any] | None:
    """`{"output": ..., "exit_code": 1}`, printed by JSON.stringify; the output may be left out."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None
    is_result = isinstance(value, dict) and not RESULT_KEYS.isdisjoint(value)
    return value if is_result else None


def _listed(text: str, count: int) -> list[str]:
    """A list of as many records as there are calls, each as text."""
    try:
        value = msgspec.json.decode(text.strip())
    except (msgspec.DecodeError, RecursionError):
        return []
    if not isinstance(value, list) or len(value) != count:
        return []
    if not all(isinstance(item, dict) for item in value):
        return []
    return [msgspec.json.encode(item).decode() for item in value]


def _of_record(record: dict[str, Any]) -> InnerResult:
    output, code = record.get("output"), record.get("exit_code")
    session = record.get("session_id")
    return InnerResult(
        output=output if isinstance(output, str) else None,
        code=code if isinstance(code, int) else None,
        running=f"session:{session}" if session is not None and code is None else "",
    )
