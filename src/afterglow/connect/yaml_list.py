"""One name in the list `plugins: enabled:` of a YAML file, changed as text so that comments and order stay.

The shapes that occur are understood: block lists, flow lists on one line, an empty or missing list. Anything else is
refused with `Unsupported`: a file that is not understood is not touched.
"""

from __future__ import annotations

import re

from msgspec import Struct

from afterglow.errors import Unsupported

_TOP = re.compile(r"""^(["']?)plugins\1[ ]*:(?P<rest>.*)$""")
_FLOW = re.compile(r"^\[(?P<items>[^\[\]{}#]*)\]$")
_NOTHING = {"", "{}", "null", "~", "[]"}


class Found(Struct, frozen=True):
    """Where a list stands: the line of its key, its value there, the names in it and the lines they stand in."""

    line: int
    value: str
    names: tuple[str, ...]
    lines: tuple[int, ...]
    indent: int


def enabled(text: str, name: str) -> str:
    """The file with `name` in the list."""
    lines, end = _lines(text)
    top = _top(lines)
    if top is None:
        gap = "" if not text or text.endswith("\n") else end
        return f"{text}{gap}plugins:{end}  enabled:{end}    - {name}{end}"
    rest = _bare(_match(lines[top])["rest"])
    if rest in _NOTHING and not (rest == "" and _children(lines, top)):
        key = lines[top].rstrip("\r\n")
        lines[top] = (
            _replaced(
                key,
                rest,
                f" {{enabled: [{name}]}}" if rest == "" else f"{{enabled: [{name}]}}",
            )
            + end
        )
        return "".join(lines)
    if rest:
        return _in_braces(lines, top, rest, name)
    found = _list(lines, top, "enabled")
    if found is None:
        indent = " " * _children(lines, top)[0][1]
        lines.insert(top + 1, f"{indent}enabled:{end}{indent}  - {name}{end}")
    elif name in found.names:
        return text
    elif found.lines:
        last = found.lines[-1]
        lines[last] = lines[last].rstrip("\r\n") + end
        dash = lines[last][: lines[last].index("-")]
        lines.insert(last + 1, f"{dash}- {name}{end}")
    else:
        said = ", ".join([*found.names, name])
        key = lines[found.line].rstrip("\r\n")
        lines[found.line] = (
            _replaced(
                key, found.value, f" [{said}]" if not found.value else f"[{said}]"
            )
            + end
        )
    return "".join(lines)


def names(text: str, key: str) -> tuple[str, ...]:
    """The names in `plugins: KEY:`, where they stand in a block."""
    lines, _ = _lines(text)
    top = _top(lines)
    found = (
        _list(lines, top, key)
        if top is not None and not _bare(_match(lines[top])["rest"])
        else None
    )
    return found.names if found else ()


def disabled(text: str, name: str) -> str:
    """The file without `name` in the list of what is enabled."""
    lines, end = _lines(text)
    top = _top(lines)
    if top is None:
        return text
    rest = _bare(_match(lines[top])["rest"])
    found = None if rest else _list(lines, top, "enabled")
    if found is not None and name in found.names and found.lines:
        del lines[found.lines[found.names.index(name)]]
        if len(found.names) == 1:
            lines[found.line] = lines[found.line].rstrip("\r\n") + f" []{end}"
        return "".join(lines)
    place = top if rest else found.line if found else None
    if place is None:
        return text
    one = re.compile(rf"""(?<=[\[, ])(["']?){re.escape(name)}\1(?=[\], ])(?:, *)?""")
    if one.search(lines[place]):
        lines[place] = re.sub(r", *\]", "]", one.sub("", lines[place], count=1))
    return "".join(lines)


def _lines(text: str) -> tuple[list[str], str]:
    lines = text.splitlines(keepends=True)
    bare = [line.rstrip("\r\n") for line in lines]
    if (
        any(line.startswith(("{", "[", "...", "%")) for line in bare)
        or "---" in bare[1:]
    ):
        raise Unsupported("the file is not one plain YAML block")
    return lines, "\r\n" if "\r\n" in text else "\n"


def _top(lines: list[str]) -> int | None:
    found = [
        number for number, line in enumerate(lines) if _TOP.match(line.rstrip("\r\n"))
    ]
    if len(found) > 1:
        raise Unsupported(
            f"`plugins` stands in it twice, lines {found[0] + 1} and {found[1] + 1}"
        )
    return found[0] if found else None


def _match(line: str) -> re.Match[str]:
    found = _TOP.match(line.rstrip("\r\n"))
    if found is None:
        raise Unsupported("`plugins` is written in a way that is not understood")
    return found


def _children(lines: list[str], top: int) -> list[tuple[int, int]]:
    """The lines below a key that say something: number and indentation."""
    found = []
    for number, line in enumerate(lines[top + 1 :], top + 1):
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        if not line.startswith((" ", "\t", "-")):
            break
        if line.startswith(("\t", "-")):
            raise Unsupported(f"line {number + 1} is not a key below `plugins`")
        found.append((number, len(line) - len(line.lstrip(" "))))
    return found


def _list(lines: list[str], top: int, key: str) -> Found | None:
    children = _children(lines, top)
    if not children:
        return None
    indent = children[0][1]
    for place, (number, depth) in enumerate(children):
        said = re.match(
            rf"""^ {{{indent}}}(["']?){key}\1[ ]*:(?P<rest>.*)$""",
            lines[number].rstrip("\r\n"),
        )
        if depth != indent or not said:
            continue
        value = _bare(said["rest"])
        if value and (flow := _FLOW.match(value)):
            return Found(
                number,
                value,
                tuple(filter(None, map(_name, flow["items"].split(",")))),
                (),
                indent,
            )
        if value not in {"", "null", "~"}:
            raise Unsupported(
                f"line {number + 1}: `{key}` is neither a list on one line nor one of lines with dashes"
            )
        items = []
        for below, deep in children[place + 1 :]:
            dash = lines[below].lstrip(" ").startswith("-")
            if deep < indent or (deep == indent and not dash):
                break
            if not dash:
                raise Unsupported(f"line {below + 1}: `{key}` holds more than names")
            items.append(below)
        said_names = tuple(_name(_bare(lines[item].strip()[1:])) for item in items)
        if value and items:
            raise Unsupported(f"line {number + 1}: `{key}` is not understood")
        return Found(number, value, said_names, tuple(items), indent)
    return None


def _in_braces(lines: list[str], top: int, rest: str, name: str) -> str:
    """`plugins: {enabled: [...], ...}` on one line."""
    if (
        not (rest.startswith("{") and rest.endswith("}"))
        or rest.count("{") != rest.count("}")
        or "#" in rest
    ):
        raise Unsupported(f"line {top + 1}: `plugins` is not understood")
    said = re.search(r"\benabled *: *\[([^\[\]{}]*)\]", rest)
    if said is None and "enabled" in rest:
        raise Unsupported(f"line {top + 1}: `enabled` is not understood")
    if said is None:
        after = f"{{enabled: [{name}], {rest[1:].lstrip()}"
    elif name in map(_name, said[1].split(",")):
        return "".join(lines)
    else:
        kept = said[1].strip()
        after = (
            rest[: said.start(1)]
            + (f"{kept}, {name}" if kept else name)
            + rest[said.end(1) :]
        )
    lines[top] = lines[top].replace(rest, after, 1)
    return "".join(lines)


def _replaced(line: str, value: str, new: str) -> str:
    """The line with another value behind its key; a comment stays."""
    colon = line.index(":") + 1
    return line[:colon] + (
        line[colon:].replace(value, new, 1) if value else new + line[colon:]
    )


def _bare(text: str) -> str:
    """Without a comment."""
    return re.sub(r"(^|\s)#.*$", "", text).strip()


def _name(text: str) -> str:
    return text.strip().strip("\"'")
