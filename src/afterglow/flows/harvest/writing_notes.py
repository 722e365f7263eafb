"""What came of writing in the background, noted for `status` and `doctor`, which must not load what writes."""

from __future__ import annotations

from contextlib import suppress

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.harvest.queue import log_of
from afterglow.folders import place_file
from afterglow.store.answers import Answers

NOTE = "writing.json"
WRITTEN = ("active", "candidate")  # outcomes of an answer that became a lesson


class LastWriting(Struct, frozen=True, kw_only=True):
    """What came of the last time. `trouble` says why nothing was answered."""

    time: float
    by: str
    problems: int = 0
    answered: int = 0
    lessons: int = 0
    trouble: str = ""


def last_writing(config: Config) -> LastWriting | None:
    """The note, without its trouble where a writer has answered since."""
    try:
        content = (config.home / NOTE).read_bytes()
        last = msgspec.json.decode(content, type=LastWriting)
    except (OSError, msgspec.DecodeError):
        return None
    if last.trouble and _answered_since(config, last.time):
        return replace(last, trouble="")
    return last


def _answered_since(config: Config, when: float) -> bool:
    return any(answered.time > when for answered in Answers(config.answers).every())


def lessons_written(config: Config, since: float) -> int:
    """How many answers of whatever writer became lessons since then."""
    return sum(
        answer.outcome in WRITTEN
        for answered in Answers(config.answers).every()
        if answered.time >= since
        for answer in answered.answers
    )


def note_writing(config: Config, last: LastWriting) -> None:
    """Best effort: a note that cannot be written costs another try in an hour, not the lessons."""
    log = log_of(config)
    if last.trouble:
        last = replace(last, trouble=log.cleaned(last.trouble))
        log.add("no lessons written", f"{last.by}: {last.trouble}")
    with suppress(OSError):
        place_file(config.home / NOTE, msgspec.json.encode(last))
