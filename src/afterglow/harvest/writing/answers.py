"""What a writer sent back -> answers, each by itself.

Writers shorten ids, number lines that are not there and forget fields. What is meant is taken where it is plain; what
is not becomes a word of why, and costs no other answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from afterglow.errors import UsageError
from afterglow.records.problems import Dossier
from afterglow.records.writing import CitedPlace, WrittenAnswer
from afterglow.text.clip import clip, printable

MAX_SITUATION_CHARACTERS = (
    200  # twice what writers are asked for: nobody's lesson dies of a word too many
)
MAX_REMEDY_CHARACTERS = 400
MAX_WHY_CHARACTERS = 300
MIN_ID_CHARACTERS = 4  # of a shortened id
WOULD_WORK = (
    'lines like {"problem": "3f2a91bc", "answer": "lesson", "situation": "…", "remedy": "…", "cites": [1, 3]} or '
    '{"problem": "3f2a91bc", "answer": "nothing", "why": "…"} would work'
)
_NO_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class Unusable(Struct, frozen=True):
    """An answer that cannot be used, and why; `problem` is empty where not even that is known."""

    problem: str
    why: str


def read_answers(
    rows: Iterable[Any], dossiers: Sequence[Dossier]
) -> list[WrittenAnswer | Unusable]:
    """The answers to some dossiers, in the order in which they were given."""
    return [_read(row, dossiers) for row in rows]


def rows_of(text: bytes) -> list[Any]:
    """The answers in a file, not read yet: a list, an object with `answers`, or one a line. A line that is no JSON is
    one that cannot be used."""
    try:
        decoded = msgspec.json.decode(text)
    except _NO_JSON as error:
        rows = [_row(number, line) for number, line in _numbered(text)]
        if all(isinstance(row, Unusable) for row in rows):
            raise UsageError(f"not JSON: {error}; {WOULD_WORK}") from error
        return rows
    if isinstance(decoded, dict) and isinstance(decoded.get("answers"), list):
        decoded = decoded["answers"]
    return decoded if isinstance(decoded, list) else [decoded]


def _numbered(text: bytes) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            yield number, line


def _row(number: int, line: bytes) -> Any:
    try:
        return msgspec.json.decode(line)
    except _NO_JSON as error:
        return Unusable("", f"line {number} is no JSON: {error}")


def _read(row: Any, dossiers: Sequence[Dossier]) -> WrittenAnswer | Unusable:
    if isinstance(row, Unusable):
        return row
    known_fields = row if not isinstance(row, dict) else _own_fields(row)
    try:
        answer = msgspec.convert(known_fields, WrittenAnswer)
    except msgspec.ValidationError as error:
        name = row.get("problem", "") if isinstance(row, dict) else ""
        return Unusable(str(name)[:40], f"no answer: {error}")
    dossier = _dossier(answer.problem, dossiers)
    if dossier is None:
        return Unusable(answer.problem[:40], "names no problem that was asked about")
    lines = len(dossier.lines)
    cites = tuple(dict.fromkeys(cite for cite in answer.cites if 0 < cite <= lines))
    answer = replace(_tidied(answer), problem=dossier.problem, cites=cites)
    if answer.answer == "lesson" and not (answer.situation and answer.remedy):
        return Unusable(dossier.problem, "a lesson needs a situation and a remedy")
    return answer


def _own_fields(row: dict[str, Any]) -> dict[str, Any]:
    """Those an answer has, without what says nothing: writers add remarks, nulls and empty strings."""
    fields = WrittenAnswer.__struct_fields__
    return {name: row[name] for name in fields if row.get(name) not in (None, "")}


def _dossier(id: str, dossiers: Sequence[Dossier]) -> Dossier | None:
    by_id = {dossier.problem: dossier for dossier in dossiers}
    if id in by_id:
        return by_id[id]
    if len(id) < MIN_ID_CHARACTERS:
        return None
    matches = [name for name in by_id if name.startswith(id) or id.startswith(name)]
    return by_id[matches[0]] if len(matches) == 1 else None


def _tidied(answer: WrittenAnswer) -> WrittenAnswer:
    """On one line each, nothing hidden in them, no longer than a line that is told may be."""
    return replace(
        answer,
        situation=_line(answer.situation, MAX_SITUATION_CHARACTERS),
        remedy=_line(answer.remedy, MAX_REMEDY_CHARACTERS),
        why=_line(answer.why, MAX_WHY_CHARACTERS),
        item=answer.item.strip(),
    )


def _line(text: str, limit: int) -> str:
    return clip(" ".join(printable(text).split()), limit)


def cited_places(answer: WrittenAnswer, dossier: Dossier) -> tuple[CitedPlace, ...]:
    """Where in which transcripts the lines stand that an answer cites."""
    lines = {line.number: line for line in dossier.lines}
    cited = [lines[number] for number in answer.cites if number in lines]
    places = [CitedPlace(line.session, line.line) for line in cited if line.session]
    return tuple(dict.fromkeys(places))
