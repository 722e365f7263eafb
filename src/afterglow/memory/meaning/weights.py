"""Files of weights inside installed packages, found and read without importing those packages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from afterglow.errors import UnreadableSource

_KINDS = {"F16": "<f2", "F32": "<f4"}
_HEAD_LENGTH = 8  # bytes that say how long the description of the tensors is


def can_compute() -> bool:
    return all(find_spec(name) for name in ("numpy", "tokenizers"))


def package_folder(name: str) -> Path | None:
    """Where a package lies, None where it is not installed."""
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0])


def first_folder(
    places: Sequence[tuple[str, str]], needed: Sequence[str]
) -> Path | None:
    """The first place (package, folder in it) that has all the files."""
    for package, below in places:
        folder = package_folder(package)
        if folder and all((folder / below / name).is_file() for name in needed):
            return folder / below
    return None


def read_tensors(path: Path) -> dict[str, Any]:
    """The tensors of a safetensors file, by name, as numpy arrays over the file's bytes."""
    numpy = import_module("numpy")
    content = path.read_bytes()
    start = _HEAD_LENGTH + int.from_bytes(content[:_HEAD_LENGTH], "little")
    tensors: dict[str, Any] = {}
    try:
        described = json.loads(content[_HEAD_LENGTH:start])
        for name, tensor in described.items():
            if name == "__metadata__" or tensor["dtype"] not in _KINDS:
                continue
            first, end = tensor["data_offsets"]
            stored = content[start + first : start + end]
            flat = numpy.frombuffer(stored, dtype=_KINDS[tensor["dtype"]])
            tensors[name] = flat.reshape(tensor["shape"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnreadableSource(
            f"{path}: no weights that can be read: {error}"
        ) from error
    return tensors


def read_tokenizer(path: Path) -> Any:
    tokenizer = import_module("tokenizers").Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    return tokenizer
