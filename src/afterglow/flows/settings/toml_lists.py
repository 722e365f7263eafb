"""A list of `config.toml` that is written over several lines keeps the lines of what stays in it, with their comments."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from afterglow.flows.settings.toml_values import as_toml, text_lines, understood


class _ListLine(Struct, frozen=True):
    """A line within a list, and what it holds."""

    text: str
    elements: list[object]


def list_by_line(
    text: str, key: str, value: Sequence[object], newline: str
) -> str | None:
    """The statement `key = [...]` with another value. None where the list is not written line by line."""
    first, *rest = text_lines(text.removesuffix("\n"))
    middle = _list_lines(rest[:-1])
    if not middle:
        return None
    staying = [line for line in middle if all(part in value for part in line.elements)]
    present = [part for line in staying for part in line.elements]
    added = [part for part in value if part not in present]
    before = [line.text for line in staying]
    if added:
        before = [_with_comma(line) for line in staying]
    indent = middle[0].text[: -len(middle[0].text.lstrip())]
    new = [f"{indent}{as_toml(part)},{newline}" for part in added]
    changed = "".join([first, *before, *new, rest[-1]]) + "\n"
    return changed if understood(changed) == {key: list(value)} else None


def _list_lines(lines: Sequence[str]) -> list[_ListLine]:
    """Nothing where one of them is no whole."""
    elements = [_elements(line) for line in lines]
    return [
        _ListLine(line, parts)
        for line, parts in zip(lines, elements, strict=True)
        if parts is not None and None not in elements
    ]


def _elements(line: str) -> list[object] | None:
    parsed = understood(f"x = [\n{line}\n]")
    return parsed["x"] if parsed else None


def _with_comma(line: _ListLine) -> str:
    """The last element of a list may stand without one."""
    followed = [*line.elements, 0]
    places = range(len(line.text))
    candidates = [f"{line.text[:at]},{line.text[at:]}" for at in places]
    for candidate in (line.text, *candidates):
        if _elements(f"{candidate}\n0") == followed:
            return candidate
    return line.text
