"""What a search finds: labelled questions in, recall and reciprocal rank out, beside two simple baselines."""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

from afterglow.errors import NotFound, UnreadableSource
from afterglow.memory.quality.baselines import compared
from afterglow.memory.quality.formats import FORMATS
from afterglow.memory.quality.measures import SearchAnswers, measured
from afterglow.records.evaluation import Labels

__all__ = ["FORMATS", "SearchAnswers", "bundled", "compared", "load", "measured"]

HEAD = 1 << 16  # a format shows itself in its first bytes


def load(path: Path) -> Labels:
    """A labelled set in any format of the table."""
    if not path.exists():
        raise NotFound(
            f"{path} is not there; a labelled set is a JSON file or a folder"
        )
    head = b""
    if path.is_file():
        try:
            with path.open("rb") as file:
                head = file.read(HEAD)
        except OSError as error:
            raise UnreadableSource(f"{path}: {error.strerror}") from error
    for name in FORMATS.names():
        label_format = FORMATS.load(name)
        if label_format.sniff(path, head):
            labels: Labels = label_format.read(path)
            return labels
    raise UnreadableSource(
        f'{path} is no labelled set: a JSON file {{"entries": [...], "questions": [...]}} (docs/memory-evaluate.md), '
        "LoCoMo's JSON, or a folder with documents/ and tasks.json"
    )


@cache
def bundled() -> Labels:
    """The set that comes with afterglow: preferences of an invented person."""
    with as_file(files(__package__) / "preferences.json") as path:
        return load(path)
