"""The literature behind what was done: only what this analysis in fact used is cited, and work on the same question.

The entries stand in `references.toml`, each with what of it was read; nothing is cited that was not looked up.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Literal

import msgspec
from msgspec import Struct

from afterglow.experiment.report.view import View
from afterglow.show.blocks import Cite, Points, say

_INITIALS = re.compile(r" [A-Z]{1,3}$")  # behind a surname


class Reference(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`read` is what of it was read before it was cited: only that it exists as it stands here (`citation`), its
    abstract, a page about it, or all of it. `says` is one sentence on what that says. `used_for` is a word of the method
    that calls for it; without one every analysis does. `background` is for our own manuscript alone."""

    kind: Literal["method", "related", "background"]
    authors: str
    year: int
    title: str
    venue: str
    read: Literal["citation", "abstract", "page", "whole"]
    says: str = ""
    url: str = ""
    used_for: str = ""

    @property
    def entry(self) -> str:
        """As a list of references has it."""
        title = self.title if self.title.endswith("?") else f"{self.title}."
        return f"{self.authors} ({self.year}). {title} {self.venue}."

    @property
    def short(self) -> str:
        """As a sentence has it: `Schulz et al. (2010)`."""
        first, *coauthors = self.authors.split(", ")
        surname = _INITIALS.sub("", first)
        return f"{surname}{' et al.' if coauthors else ''} ({self.year})"


@cache
def library() -> dict[str, Reference]:
    """Everything that may be cited, by key, in the order of the file."""
    file = resources.files("afterglow.experiment.report") / "references.toml"
    return msgspec.convert(
        tomllib.loads(file.read_text(encoding="utf-8")), dict[str, Reference]
    )


def related() -> dict[str, Reference]:
    """Work on the same question."""
    return _of_kind("related")


def _of_kind(kind: str) -> dict[str, Reference]:
    return {key: entry for key, entry in library().items() if entry.kind == kind}


def used(view: View) -> list[str]:
    """Keys of what this analysis rests on, and of related work, in the order of the list."""
    estimates = view.analysis.estimates
    words = " ".join(estimate.method.lower() for estimate in estimates)
    if any(estimate.adjusted is not None for estimate in estimates):
        words += " adjusted"
    if any(estimate.holm is not None for estimate in estimates):
        words += " holm"
    if view.analysis.pair_tables:
        words += " mcnemar holm"
    methods = [
        key
        for key, entry in _of_kind("method").items()
        if re.search(entry.used_for, words)
    ]
    return [*methods, *related()]


def cite(view: View, *keys: str) -> Iterator[Cite]:
    cited = used(view)
    for key in keys:
        if key in cited:
            yield Cite(cited.index(key) + 1)


def references(view: View) -> Points:
    return Points(tuple(say(library()[key].entry) for key in used(view)), numbered=True)
