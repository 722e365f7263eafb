"""What the rule of a family is asked and what it answers. Rules run on the board, so nothing of them lies in a project.

A receipt is sealed: one that was written by hand, or for another task, counts for nothing.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence

from msgspec import Struct

SEAL = b"an invented key: agents see neither this file nor the board's memory"
SEAL_LENGTH = 12  # characters: enough that nobody guesses it in a few calls
RECEIPTS = "done"
STATE = "var"  # where tools note what was done before

Files = Mapping[str, str]


class UnknownOption(Exception):
    """An option that the tool does not have."""


class Call(Struct, frozen=True, kw_only=True):
    """One call of a tool: its path in the project, its words, the project's small files and a few variables. `item`
    and `value` are those of the task at hand, for rules that depend on it."""

    task: str
    number: int
    family: str
    tool: str
    words: tuple[str, ...] = ()
    files: Files = {}
    variables: Mapping[str, str] = {}
    item: str = ""
    value: str = ""

    def split(self, *options: str, flags: Sequence[str] = ()) -> Split:
        """Operands apart from options: `options` take a value, `flags` none, and there are no others."""
        operands: list[str] = []
        given: dict[str, str] = {}
        words = [
            part
            for word in self.words
            for part in (word.split("=", 1) if word.startswith("--") else [word])
        ]
        while words:
            word = words.pop(0)
            if word in options:
                given[word] = words.pop(0) if words else ""
            elif word in flags:
                given[word] = "yes"
            elif word.startswith("-"):
                raise UnknownOption(word)
            else:
                operands.append(word)
        return Split(tuple(operands), given)


class Split(Struct, frozen=True):
    operands: tuple[str, ...]
    options: Mapping[str, str]


class Answer(Struct, frozen=True):
    """How a call ends: its exit code, what it prints, and what it writes and deletes in the project."""

    code: int = 0
    text: str = ""
    write: Mapping[str, str] = {}
    delete: tuple[str, ...] = ()


def refused(text: str, *, code: int = 1, delete: Sequence[str] = ()) -> Answer:
    return Answer(code, text, delete=tuple(delete))


def finished(
    call: Call,
    receipt: str,
    text: str,
    *,
    part: str = "",
    write: Files | None = None,
    delete: Sequence[str] = (),
) -> Answer:
    """The work is done: a sealed receipt says of what. `part` names one of several receipts."""
    name = f"{RECEIPTS}/{call.family}{part}"
    sealed = f"{receipt}\nseal {seal(call.task, receipt)}\n"
    return Answer(0, text, {**(write or {}), name: sealed}, tuple(delete))


def seal(task: str, receipt: str) -> str:
    message = f"{task}\n{receipt}".encode()
    return hmac.new(SEAL, message, hashlib.sha256).hexdigest()[:SEAL_LENGTH]


def receipts(task: str, family: str, files: Files) -> list[str]:
    """The receipts of a task that a tool really left."""
    texts = []
    for path, content in sorted(files.items()):
        receipt, _, rest = content.strip().rpartition("\nseal ")
        is_ours = path.startswith(f"{RECEIPTS}/{family}")
        if is_ours and hmac.compare_digest(rest, seal(task, receipt)):
            texts.append(receipt)
    return texts
