"""A marked block in a text file: put in, replaced, taken out. The rest of the file stays byte for byte.

<!-- afterglow:start ... -->
...
<!-- afterglow:end -->
"""

from __future__ import annotations

import re

from afterglow.errors import ConfigError

START, END = b"<!-- afterglow:start", b"<!-- afterglow:end -->"
_START = re.compile(rb"^<!-- afterglow:start[^\r\n]*", re.MULTILINE)
_END = re.compile(rb"^<!-- afterglow:end -->", re.MULTILINE)


def block(body: str, note: str) -> str:
    """Nothing in the body can close the block."""
    body = body.replace("<!--", "< !--")
    if body:
        body += "\n"
    return f"<!-- afterglow:start {note} -->\n{body}<!-- afterglow:end -->"


def existing(content: bytes, name: str) -> bytes | None:
    """The block that stands in a file, markers included."""
    place = _place(content, name)
    return content[place[0] : place[1]] if place else None


def put(content: bytes, text: str, name: str) -> bytes:
    """The file with this block in place of the one that is there, or at its end."""
    line = b"\r\n" if b"\r\n" in content else b"\n"
    piece = text.encode().replace(b"\n", line)
    place = _place(content, name)
    if place:
        return content[: place[0]] + piece + content[place[1] :]
    if not content:
        return piece + line
    if content.endswith(b"\n"):
        return content + line + piece + line
    return content + line + line + piece


def take_out(content: bytes, name: str) -> bytes:
    """The file as it was before `put`: without the block, and without the empty line that was set before it."""
    place = _place(content, name)
    if not place:
        return content
    before, after = content[: place[0]], content[place[1] :]
    line = b"\r\n" if before.endswith(b"\r\n") else b"\n"
    # The last line had no end, so that two were set.
    if not after.startswith((b"\n", b"\r\n")):
        return before.removesuffix(line).removesuffix(line) + after
    rest = after.removeprefix(b"\r").removeprefix(b"\n")
    bare = before.removesuffix(line)
    if bare.endswith(b"\n"):
        return bare + rest
    return before + rest


def _place(content: bytes, name: str) -> tuple[int, int] | None:
    starts, ends = list(_START.finditer(content)), list(_END.finditer(content))
    if not starts and not ends:
        return None
    if len(starts) == len(ends) == 1:
        start, end = starts[0], ends[0]
        if start.end() <= end.start():
            return start.start(), end.end()
    places = sorted(marker.start() for marker in (*starts, *ends))
    numbers = [content.count(b"\n", 0, place) + 1 for place in places]
    lines = ", ".join(map(str, numbers))
    raise ConfigError(
        f"{name} does not hold one whole block of afterglow: markers stand in line {lines}; nothing was changed; "
        f"leave one `{START.decode()} ... -->` with one `{END.decode()}` after it, or none"
    )
