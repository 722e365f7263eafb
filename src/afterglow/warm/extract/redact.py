"""Takes secrets and personal data out of the pieces a seed is made of.

A piece cut out of its place may not show any more that it is a secret. So the places are looked at, too, and what is
secret in one is taken out of every piece.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import msgspec

from afterglow.harvest.secret_values import without
from afterglow.records.template import ROOT
from afterglow.text.clip import uncoloured
from afterglow.text.redact import Hit, Redactor

# Characters of a secret that is looked for elsewhere: a shorter value, or a short word, stands everywhere by chance.
MIN_SECRET, MIN_SECRET_WORD = 5, 12

# What is said again on one line has lost its line ends.
_LINE_END = re.compile(r"(?:\n|\\n)+")
# Whose name also stands in listings.
_HOME = re.compile(r"(?:/home|/Users|[A-Za-z]:[/\\]Users)[/\\]([^/\\]{4,})")
_NOBODY = frozenset(
    "user users root admin developer runner ubuntu vscode node coder docker test guest shared".split()
)
_NEVER = re.compile(r"(?!)")


class Cleaner:
    """Redacts, and remembers what was secret anywhere. `roots` are the folders the session worked in."""

    def __init__(self, redactor: Redactor, roots: Sequence[str] = ()) -> None:
        self._redactor = redactor
        self._secrets: dict[str, str] = {}  # value -> what is shown instead
        self._names = _any_of(_user_names(roots), r"(?<![\w-])", r"(?![\w-])")
        self._root = _any_of(_deep(roots), "", r"(?![\w-])(?!\.\w)")

    def learn(self, places: Iterable[str]) -> None:
        """Looks for secrets in texts as they stand in a session."""
        texts = list(dict.fromkeys(filter(None, places)))
        for text, result in zip(texts, self._redactor.redact_many(texts), strict=True):
            if not result.counts:
                continue
            for hit in self._redactor.find(text):
                if hit.kind != "home":
                    self._learn(hit, text[hit.start : hit.end])

    def _learn(self, hit: Hit, secret: str) -> None:
        sign = f"<{hit.kind}>"
        if hit.kind == "secret":
            sign = f"<secret:{hit.rule}>"
        for line in _LINE_END.split(secret):
            value = line.strip("\"'\\")
            shortest = MIN_SECRET_WORD if value.isalpha() else MIN_SECRET
            if len(value) >= shortest:
                self._secrets[value] = sign

    def clean(self, texts: Iterable[str]) -> list[str]:
        placed = [self._root.sub(ROOT, uncoloured(text)) for text in texts]
        results = self._redactor.redact_many(placed)
        clean = [without(result.text, self._secrets.items()) for result in results]
        return [self._names.sub("<name>", text) for text in clean]

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


def _user_names(roots: Sequence[str]) -> set[str]:
    homes = filter(None, map(_HOME.match, roots))
    return {home[1] for home in homes if home[1].lower() not in _NOBODY}


def _deep(roots: Sequence[str]) -> list[str]:
    """Longest first, without those at the top of the disk and the homes themselves."""
    deep: set[str] = set()
    for root in roots:
        folder = root.rstrip("/")
        is_deep = "/" in folder.strip("/")
        if is_deep and not _HOME.fullmatch(folder):
            deep.add(folder)
    return sorted(deep, key=len, reverse=True)


def _any_of(texts: Collection[str], before: str, after: str) -> re.Pattern[str]:
    if not texts:
        return _NEVER
    return re.compile(f"{before}(?:{'|'.join(map(re.escape, texts))}){after}")


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def _replaced(value: Any, clean: dict[str, str]) -> Any:
    if isinstance(value, str):
        return clean[value]
    if isinstance(value, dict):
        return {clean[name]: _replaced(inner, clean) for name, inner in value.items()}
    if isinstance(value, list):
        return [_replaced(inner, clean) for inner in value]
    return value
