"""One vector a word part, from the package `wordllama`: 16 MB, a tenth of a millisecond a sentence.

A text is the mean of its parts. Short parts count less, as short words do where words are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from afterglow.memory.meaning.weights import (
    can_compute,
    first_folder,
    read_tensors,
    read_tokenizer,
)

WEIGHT = 24.0  # what decides: `python -m bench.memory` measures it
AT_ONCE = 20_000  # entries: some seconds, once
TELLING_LETTERS = 5  # shorter parts tell less
MAX_CHARACTERS = 20_000  # of a text, as where words are read
PLACES = (("wordllama", ""),)
WEIGHTS = "weights/l2_supercat_256.safetensors"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_WORD_START = "\u2581"  # how the tokenizer marks a space


class WordLlama:
    name = "wordllama-l2-supercat-256"
    weight = WEIGHT
    at_once = AT_ONCE

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._parts: Any = None  # a row a word part, weighed by its length
        self._tokenizer: Any = None

    def vectors(self, texts: Sequence[str]) -> Any:
        numpy = import_module("numpy")
        if self._parts is None:
            self._read()
        rows = numpy.zeros((len(texts), self._parts.shape[1]), dtype="f4")
        for at, text in enumerate(texts):
            encoded = self._tokenizer.encode(
                text[:MAX_CHARACTERS], add_special_tokens=False
            )
            row = self._parts[encoded.ids].astype("f4").sum(axis=0)
            rows[at] = row / (numpy.linalg.norm(row) or 1.0)
        return rows

    def _read(self) -> None:
        numpy = import_module("numpy")
        tokenizer = read_tokenizer(self._folder / TOKENIZER)
        (parts,) = read_tensors(self._folder / WEIGHTS).values()
        letters = numpy.zeros(len(parts), dtype="f4")
        for part, number in tokenizer.get_vocab().items():
            letters[number] = len(part.strip(_WORD_START))
        share = numpy.minimum(1.0, letters / TELLING_LETTERS)
        self._parts = (parts * share[:, None]).astype("f2")
        self._tokenizer = tokenizer


def open_model() -> WordLlama | None:
    folder = first_folder(PLACES, (WEIGHTS, TOKENIZER)) if can_compute() else None
    return WordLlama(folder) if folder else None
