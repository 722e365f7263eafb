"""What texts mean, as vectors: the model that is installed, or none. Nothing is ever fetched.

A model is a module with `open_model() -> Model | None`, None where its weights are not installed. The packages that carry
weights are never imported: only their files are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Protocol

from afterglow.registry import Table

# Best first; other packages add theirs by entry point.
MODELS = Table(
    "afterglow.meaning_models",
    {
        "minilm": "afterglow.memory.meaning.minilm",
        "wordllama": "afterglow.memory.meaning.wordllama",
    },
)


class Model(Protocol):
    """Turns texts into vectors of length one, whose products say how near they are in meaning."""

    @property
    def name(self) -> str:
        """Vectors of another name are not comparable."""

    @property
    def weight(self) -> float:
        """What it adds to an entry's score that its vector is the question's."""

    @property
    def at_once(self) -> int:
        """Entries it reads while somebody waits for an answer."""

    def vectors(self, texts: Sequence[str]) -> Any:
        """A row a text, as a numpy array of floats; zeros for a text without words."""


@cache
def installed_model() -> Model | None:
    for name in MODELS.names():
        model: Model | None = MODELS.load(name).open_model()
        if model is not None:
            return model
    return None
