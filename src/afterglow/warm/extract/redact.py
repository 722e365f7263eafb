"""Takes secrets and personal data out of the pieces a seed is made of.

A piece cut out of its place may not show any more that it is a secret. So the places are looked at, too, and what is
secret in one is taken out of every piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from afterglow.harvest.pipeline import without
from afterglow.records.template import ROOT
from afterglow.text.clip import uncoloured
from afterglow.text.redact import Redactor

SHORTEST, WORD = (
    5,
    12,
)  # characters of a value that is looked for elsewhere, and of one that could be a word

_LINE = re.compile(
    r"(?:\n|\\n)+"
)  # what is said again on one line has lost its line ends
_HOME = re.compile(
    r"(?:/home|/Users|[A-Za-z]:[/\\]Users)[/\\]([^/\\]{4,})"
)  # whose name also stands in listings
_NOBODY = frozenset(
    "user users root admin developer runner ubuntu vscode node coder docker test guest shared".split()
)


class Cleaner:
    """Redacts, and remembers what was secret anywhere. `roots` are the folders the session worked in."""

    def __init__(self, redactor: Redactor, roots: Sequence[str] = ()) -> None:
        self._redactor = redactor
        self._known: dict[str, str] = {}
        bare = {root.rstrip("/") for root in roots if root.strip("/").count("/")}
        deep = sorted(
            (root for root in bare if not _HOME.fullmatch(root)), key=len, reverse=True
        )
        names = {
            found[1]
            for root in roots
            if (found := _HOME.match(root)) and found[1].lower() not in _NOBODY
        }
        self._names = (
            re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, names))})(?![\w-])")
            if names
            else None
        )
        self._root = (
            re.compile(rf"(?:{'|'.join(map(re.escape, deep))})(?![\w-])(?!\.\w)")
            if deep
            else None
        )

    def learn(self, places: Iterable[str]) -> None:
        """Looks for secrets in texts as they stand in a session."""
        texts = list(dict.fromkeys(filter(None, places)))
        for text, seen in zip(texts, self._redactor.redact_many(texts), strict=True):
            for hit in self._redactor.find(text) if seen.counts else ():
                shown = (
                    f"<secret:{hit.rule}>" if hit.kind == "secret" else f"<{hit.kind}>"
                )
                values = [
                    one.strip("\"'\\")
                    for one in _LINE.split(text[hit.start : hit.end])
                    if hit.kind != "home"
                ]
                self._known |= {
                    one: shown
                    for one in values
                    if len(one) >= (WORD if one.isalpha() else SHORTEST)
                }

    def clean(self, texts: Iterable[str]) -> list[str]:
        plain = map(uncoloured, texts)
        placed = (
            [self._root.sub(ROOT, text) for text in plain]
            if self._root
            else list(plain)
        )
        results = self._redactor.redact_many(placed)
        clean = [without(result.text, self._known.items()) for result in results]
        return (
            [self._names.sub("<name>", text) for text in clean]
            if self._names
            else clean
        )

    def clean_arguments(self, values: dict[str, Any]) -> dict[str, Any] | None:
        """Arguments with every string in them clean; None where something else in them is secret, such as a number."""
        try:
            strings = list(dict.fromkeys(_strings(values)))
            clean = dict(zip(strings, self.clean(strings), strict=True))
            (text,) = self.clean(
                [msgspec.json.encode(_replaced(values, clean)).decode()]
            )
            value = msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError):
            return None
        return value if isinstance(value, dict) else None


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, one in value.items():
            yield name
            yield from _strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)


def _replaced(value: Any, clean: dict[str, str]) -> Any:
    if isinstance(value, str):
        return clean[value]
    if isinstance(value, dict):
        return {clean[name]: _replaced(one, clean) for name, one in value.items()}
    return (
        [_replaced(one, clean) for one in value] if isinstance(value, list) else value
    )
