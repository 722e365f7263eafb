"""Session -> SessionSeed: what made a session good, read out of it, screened, redacted and made short.

Each module reads one thing (`pick_examples` the calls, `learned` what harvest made of them, `instructions`, `user_style`,
`recoveries`, `markers`) and hands it over as it stands in the session; nothing leaves here that has not been through
the redactor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from afterglow.calls import decode
from afterglow.harvest import trust
from afterglow.harvest.trail import Step, Trail
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.session import Session
from afterglow.records.template import (
    ContextMarkers,
    RecoveryPattern,
    SessionSeed,
    ToolCallExample,
    UserPatterns,
)
from afterglow.text.clip import clip
from afterglow.text.redact import Redactor
from afterglow.warm.extract.clipping import clipped_arguments
from afterglow.warm.extract.instructions import instructions, sources
from afterglow.warm.extract.learned import learned
from afterglow.warm.extract.markers import MAX_MARKER_CHARACTERS, markers
from afterglow.warm.extract.pick_examples import chosen, examples
from afterglow.warm.extract.recoveries import recovery_patterns
from afterglow.warm.extract.redact import Cleaner
from afterglow.warm.extract.shown_results import shown_result
from afterglow.warm.extract.user_style import patterns

__all__ = ["SessionExtractor", "examples"]

# Characters of one text that are redacted; what lies behind is not shown.
MAX_REDACTED = 100_000
MAX_CALL_SEARCHED = 4000  # characters of a call that is not shown, searched for secrets


class SessionExtractor:
    """Makes seeds. One redactor serves for many sessions."""

    def __init__(self, redactor: Redactor, *, max_examples: int = 8) -> None:
        self._redactor, self._most = redactor, max_examples

    def extract(
        self, session: Session, repo: str = "", items: Sequence[KnowledgeItem] = ()
    ) -> SessionSeed:
        """`items` are harvested items whose evidence is in this session."""
        trail = Trail(session, repo)
        calls = chosen(trail, self._most)
        cleaner = Cleaner(self._redactor, (session.git_root, session.cwd))
        cleaner.learn(_places(trail, calls))
        person = patterns(trail, items)
        rules = instructions(trail, (*person.conventions, *person.corrections))
        sentences = list(dict.fromkeys([*learned(items), *rules]))
        return SessionSeed(
            system_context="\n".join(cleaner.clean(sentences)),
            tool_examples=tuple(_examples(trail, calls, cleaner)),
            recovery_patterns=tuple(
                _clean_recoveries(recovery_patterns(trail, items), cleaner)
            ),
            user_patterns=_clean_patterns(person, cleaner),
            context_markers=_clean_markers(markers(trail), cleaner),
        )


def _places(trail: Trail, calls: Sequence[Step]) -> Iterator[str]:
    """The texts pieces are cut out of, as they stand: there it shows what is secret."""
    for turn in sources(trail):
        yield turn.text[:MAX_REDACTED]
    for turn in trail.turns:
        if turn.role == "user" and len(turn.text) < MAX_REDACTED:
            yield turn.text
    for step in calls:
        yield step.call.arguments[:MAX_REDACTED]
        yield (step.call.result or "")[:MAX_REDACTED]
    for step in trail.steps:
        yield step.call.arguments[:MAX_CALL_SEARCHED]
        if step.failed or step.blocked:
            yield step.call.error[:MAX_CALL_SEARCHED]


def _examples(
    trail: Trail, calls: Sequence[Step], cleaner: Cleaner
) -> Iterator[ToolCallExample]:
    for step in calls:
        values = cleaner.clean_arguments(dict(decode(step.call.arguments).values))
        if values is None:
            continue
        result = step.call.result or ""
        (clean_result,) = cleaner.clean([result[:MAX_REDACTED]])
        unread = max(len(result) - MAX_REDACTED, 0)
        yield ToolCallExample(
            tool_name=step.tool,
            arguments=clipped_arguments(values),
            result=shown_result(clean_result, trust.of_result(step.call), more=unread),
            turn_number=step.turn,
            session=trail.session.id,
        )


def _clean_recoveries(
    patterns: Sequence[RecoveryPattern], cleaner: Cleaner
) -> Iterator[RecoveryPattern]:
    errors = cleaner.clean(pattern.error for pattern in patterns)
    remedies = cleaner.clean(pattern.worked for pattern in patterns)
    tools = cleaner.clean(pattern.tool for pattern in patterns)
    cleaned = zip(patterns, errors, remedies, tools, strict=True)
    for pattern, error, worked, tool in cleaned:
        yield replace(pattern, error=error, worked=worked, tool=tool)


def _clean_patterns(person: UserPatterns, cleaner: Cleaner) -> UserPatterns:
    return replace(
        person,
        conventions=tuple(cleaner.clean(person.conventions)),
        corrections=tuple(cleaner.clean(person.corrections)),
    )


def _clean_markers(session_markers: ContextMarkers, cleaner: Cleaner) -> ContextMarkers:
    def cleaned(texts: Sequence[str]) -> tuple[str, ...]:
        short = (clip(text, MAX_MARKER_CHARACTERS) for text in cleaner.clean(texts))
        return tuple(dict.fromkeys(short))

    return ContextMarkers(
        files=cleaned(session_markers.files),
        urls=cleaned(session_markers.urls),
        repos=cleaned(session_markers.repos),
        commands=cleaned(session_markers.commands),
    )
