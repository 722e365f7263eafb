"""Tools that carry calls inside: Codex's `exec` with JavaScript, and batches of other agents.

`inner_calls` says which tools were called, in order. `inner_results` says which part of the
output belongs to which: its text, exit code, and under which id it still runs. Where that
cannot be told, it says so instead of guessing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from afterglow.calls.arguments import decode
from afterglow.calls.scripts import UNKNOWN, Reader

# That one loop of a script may stand for: a list somebody wrote into a script is shorter.
MAX_REPEATED_CALLS = 50
# Of a line that says how a command stands: a longer one is output that mentions it.
MAX_STANDING_CHARACTERS = 80
SCRIPT_TOOLS = frozenset({"exec", "code_mode", "exec_script"})
SCRIPT_KEYS = ("input", "code")
RESULT_KEYS = frozenset({"output", "exit_code", "chunk_id"})
BATCH_TOOLS = frozenset({"batch", "multi_tool_use.parallel", "parallel", "batch_tool"})
# How agents name the calls of a batch, the tool of each, and its arguments.
BATCH_KEYS = ("tool_uses", "tool_calls", "invocations", "calls")
BATCHED_TOOL_KEYS = ("recipient_name", "tool", "name")
BATCHED_ARGUMENT_KEYS = ("parameters", "arguments", "input")

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


def inner_calls(tool: str, arguments: str) -> tuple[InnerCall, ...]:
    """The calls inside a call, in the order in which they stand."""
    name = tool.lower()
    if name in BATCH_TOOLS:
        return tuple(_batched(decode(arguments).values))
    if name not in SCRIPT_TOOLS:
        return ()
    decoded = decode(arguments)
    script = decoded.raw or _first(decoded.values, SCRIPT_KEYS, "")
    if not isinstance(script, str) or "tools" not in script:
        return ()
    return tuple(_called(script))


def _first(values: Mapping[str, Any], keys: Sequence[str], default: Any) -> Any:
    """The first of these members that is there and not empty."""
    return next((values[key] for key in keys if values.get(key)), default)


def _batched(values: Mapping[str, Any]) -> Iterator[InnerCall]:
    for key in BATCH_KEYS:
        listed = values.get(key)
        if not isinstance(listed, list):
            continue
        for use in listed:
            if isinstance(use, dict):
                yield _call_of_batch(use)


def _call_of_batch(use: Mapping[str, Any]) -> InnerCall:
    name = str(_first(use, BATCHED_TOOL_KEYS, ""))
    arguments = _first(use, BATCHED_ARGUMENT_KEYS, {})
    if not isinstance(arguments, str):
        arguments = msgspec.json.encode(arguments).decode()
    return InnerCall(name.rsplit("functions.", 1)[-1], arguments)


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
        place = match.start()
        if any(start < place < end for start, end in texts):
            continue
        tool = match[1] or match[2]
        loop = next((loop for loop in loops if loop.start <= place < loop.end), None)
        if loop is None:
            yield _inner_call(tool, reader, match.end(), False)
            continue
        for item in loop.items[:MAX_REPEATED_CALLS]:
            names = {**reader.names, **_bound(loop.target, item)}
            yield _inner_call(tool, Reader(script, names), match.end(), True)


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
        return _bound_by_place(names, item)
    if target.startswith("{"):
        members = item if isinstance(item, dict) else {}
        return {name: members.get(name, UNKNOWN) for name in names}
    return {names[0]: item}


def _bound_by_place(names: list[str], item: Any) -> dict[str, Any]:
    values = item if isinstance(item, list) else []
    missing = [UNKNOWN] * len(names)
    return dict(zip(names, [*values, *missing], strict=False))


def inner_results(
    calls: Sequence[InnerCall], output_parts: Sequence[str]
) -> tuple[InnerResult, ...]:
    """What came of each inner call, from the parts that the script printed."""
    header, parts = _without_header(output_parts)
    cell = _CELL.search(header)
    if cell:
        return _results_of_cell(len(calls), f"cell:{cell[1]}", parts)
    if len(calls) == 1:
        return (_result(parts),)
    groups = _groups(parts, len(calls))
    if not groups:
        return tuple(InnerResult() for _ in calls)
    return tuple(map(_result, groups))


def _results_of_cell(
    count: int, running: str, parts: list[str]
) -> tuple[InnerResult, ...]:
    """Of a script that still runs. What it printed so far belongs to its only call; of several nobody knows."""
    if not parts:
        return (InnerResult(None, None, running),) * count
    if count == 1:
        return (InnerResult(_result(parts).output, None, running),)
    return (InnerResult(),) * count


def _without_header(parts: Sequence[str]) -> tuple[str, list[str]]:
    """The first part says how the script ended; what it printed follows."""
    match = _HEADER.match(parts[0]) if parts else None
    if not match:
        return "", list(parts)
    rest = parts[0][match.end() :]
    printed = [rest] if rest.strip() else []
    return match[0], [*printed, *parts[1:]]


def _groups(parts: list[str], count: int) -> list[list[str]]:
    """The parts that belong to each of `count` calls; none where that cannot be told."""
    records = _listed(parts[0], count) if len(parts) == 1 else []
    if records:
        return [[record] for record in records]
    if len(parts) == count:
        return [[part] for part in parts]
    if len(parts[::2]) == count and _are_separators(parts[1::2]):
        return [[part] for part in parts[::2]]
    return _groups_by_standing(parts, count)


def _are_separators(lines: list[str]) -> bool:
    """The same line between any two."""
    return len(lines) > 1 and len(set(lines)) == 1


def _groups_by_standing(parts: list[str], count: int) -> list[list[str]]:
    """Parts cut where a call says how it stands: behind what it printed, or before it."""
    places = [at for at, part in enumerate(parts) if _standing(part) is not None]
    if len(places) != count or not places:
        return []
    if places[-1] == len(parts) - 1:
        ends = [at + 1 for at in places]
        starts = [0, *ends[:-1]]
    elif places[0] == 0:
        starts = places
        ends = [*places[1:], len(parts)]
    else:
        return []
    return [parts[start:end] for start, end in zip(starts, ends, strict=True)]


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
    records = [item for item in value if isinstance(item, dict)]
    if len(records) < count:
        return []
    return [msgspec.json.encode(record).decode() for record in records]


def _of_record(record: dict[str, Any]) -> InnerResult:
    output, code = record.get("output"), record.get("exit_code")
    session = record.get("session_id")
    running = ""
    if session is not None and code is None:
        running = f"session:{session}"
    return InnerResult(
        output=output if isinstance(output, str) else None,
        code=code if isinstance(code, int) else None,
        running=running,
    )
