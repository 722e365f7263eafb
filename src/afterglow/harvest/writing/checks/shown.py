"""Every name of a remedy stands in some session of the problem: words are checked only so far.

Placeholders, marks of redaction, backticks in prose, the slashes of Windows and how something is quoted are no reason
to doubt a lesson.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from afterglow.harvest.writing.names import PLACEHOLDER, spans
from afterglow.records.problems import Event
from afterglow.records.writing import Objection, WrittenCase

NAME = "shown"

_SPLIT = re.compile(r"[\s'\"`()\[\]{}<>|;&,=:]+")
_NAME = re.compile(r"--?[A-Za-z][\w-]+|[\w.~@-]*[\w@-][/.][\w@-][\w./@-]*")
_INVENTED = re.compile(r"(?i)^(?:.*/)?(?:foo|bar|baz|file|name|path|x|y|tmp|example)\b")


def check(case: WrittenCase) -> Objection | None:
    """Flags and paths of the remedy that no session shows, nor the facts of its machine."""
    names = list(dict.fromkeys(_names(case.answer.remedy)))
    if not names:
        return None
    text = _plain("\n".join(_texts(case)))
    unseen = [name for name in names if _plain(name) not in text]
    if not unseen:
        return None
    listed = ", ".join(f"`{name}`" for name in unseen[:3])
    reason = (
        f"no session of this problem shows {listed}: one that does, or a person's word, "
        "would make it active"
    )
    return Objection(NAME, "wait", reason)


def _names(remedy: str) -> Iterator[str]:
    for span in spans(remedy):
        for word in _SPLIT.split(PLACEHOLDER.sub(" … ", span)):
            is_name = _NAME.fullmatch(word) and "…" not in word
            if is_name and not _INVENTED.match(word):
                yield word.strip("./")


def _plain(text: str) -> str:
    return text.replace("\\", "/").casefold()


def _texts(case: WrittenCase) -> Iterator[str]:
    yield case.dossier.text
    yield case.instructions
    yield from case.problem.environment
    for event in case.problem.events:
        yield from _event_texts(event)
    met = set(case.problem.sessions)
    for session in case.history:
        if session.events and session.events[0].session in met:
            yield from session.runs
            for event in session.events:
                yield from _event_texts(event)


def _event_texts(event: Event) -> Iterator[str]:
    yield event.command
    yield event.directory
    yield event.because
    yield event.person
    yield from (line.text for line in event.lines)
    for call in event.following:
        yield call.command
        yield call.printed
