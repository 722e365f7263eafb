"""What a call changed in files: old text, new text, per place, whatever the tool is called."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from afterglow.records.session import Call

LONGEST = 200_000  # characters of arguments that are looked at
_TOOLS = frozenset(
    "edit multiedit replace str_replace_editor str_replace_based_edit_tool apply_patch patch".split()
)
_FILE = re.compile(r"^\*\*\* (?:Update|Add) File: (.+)$|^\+\+\+ b/(.+)$", re.MULTILINE)


class Edit(Struct, frozen=True):
    path: str
    old: str
    new: str


class _Piece(Struct):
    old_string: str = ""
    new_string: str = ""
    oldText: str = ""
    newText: str = ""
    old_str: str = ""
    new_str: str = ""


class _Arguments(_Piece):
    file_path: str = ""
    path: str = ""
    edits: list[_Piece] = []
    input: str = ""
    patch: str = ""


_decode = msgspec.json.Decoder(_Arguments).decode


def edits_of(call: Call) -> Sequence[Edit]:
    """The replacements a call asked for; nothing for a call that edits nothing or whole files only."""
    if call.tool.lower() not in _TOOLS or len(call.arguments) > LONGEST:
        return ()
    try:
        asked = _decode(call.arguments)
    except (msgspec.DecodeError, RecursionError):
        return ()
    if patch := asked.input or asked.patch:
        return _of_patch(patch)
    path = asked.file_path or asked.path
    both = [_both(piece) for piece in (asked, *asked.edits)]
    return [Edit(path, old, new) for old, new in both if old]


def _both(piece: _Piece) -> tuple[str, str]:
    return (
        piece.old_string or piece.oldText or piece.old_str,
        piece.new_string or piece.newText or piece.new_str,
    )


def _of_patch(patch: str) -> list[Edit]:
    found: list[Edit] = []
    files = list(_FILE.finditer(patch))
    for file, after in zip(files, [*files[1:], None], strict=True):
        body = patch[file.end() : after.start() if after else None]
        for hunk in re.split(r"^@@.*$", body, flags=re.MULTILINE):
            lines = hunk.strip("\n").split("\n")
            old = "\n".join(line[1:] for line in lines if line[:1] in {"-", " "})
            new = "\n".join(line[1:] for line in lines if line[:1] in {"+", " "})
            if old.strip() and old != new:
                found.append(Edit((file[1] or file[2]).strip(), old, new))
    return found
