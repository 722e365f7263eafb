"""What writers answered, one small file a problem: so that nobody is asked twice, and replay needs no model.

Answers are paid for, so they do not stand in the catalogue, which may be deleted. A newer answer takes the place of the
older one; what became of both stands in the history of the items.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path

import msgspec
from msgspec.structs import replace

from afterglow.folders import place_file, private
from afterglow.records.writing import AnsweredProblem, KeptAnswer

_NAME = re.compile(r"[0-9a-f]{8,32}")


class Answers:
    """The answers in a folder, which need not be there yet."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def of(self, problem: str) -> AnsweredProblem | None:
        if not _NAME.fullmatch(problem):
            return None
        return _read(self.folder / f"{problem}.json")

    def problems(self) -> set[str]:
        """The ids under which something was answered."""
        return {path.stem for path in self.folder.glob("*.json")}

    def newest(self, limit: int) -> list[str]:
        """The ids under which something was answered last, the newest first."""
        files = [(path.stat().st_mtime_ns, path) for path in self.folder.glob("*.json")]
        return [path.stem for _, path in sorted(files, reverse=True)[:limit]]

    def every(self) -> Iterator[AnsweredProblem]:
        for path in sorted(self.folder.glob("*.json")):
            answered = _read(path)
            if answered is not None:
                yield answered

    def save(self, answered: AnsweredProblem) -> None:
        content = msgspec.json.format(msgspec.json.encode(answered), indent=1)
        private(self.folder)
        place_file(self.folder / f"{answered.problem}.json", content, lasting=True)

    def drop(self, problem: str) -> None:
        """Somebody may be asked about it again."""
        if _NAME.fullmatch(problem):
            (self.folder / f"{problem}.json").unlink(missing_ok=True)

    def blank(self, items: AbstractSet[str]) -> None:
        """Answers that became these items lose their words; that there was one stays, so nobody is asked again."""
        for answered in list(self.every()) if items else ():
            if items.isdisjoint(answer.item for answer in answered.answers):
                continue
            answers = tuple(
                _blanked(answer) if answer.item in items else answer
                for answer in answered.answers
            )
            self.save(replace(answered, answers=answers))


def _blanked(answer: KeptAnswer) -> KeptAnswer:
    words = replace(answer.answer, situation="", remedy="", why="")
    return replace(answer, answer=words, objections=())


def _read(path: Path) -> AnsweredProblem | None:
    """Nothing where it is not there, or not ours: it is asked again."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=AnsweredProblem)
    except (OSError, msgspec.DecodeError):
        return None
