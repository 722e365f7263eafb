"""Session -> SessionSeed: what made a session good, read out of it, screened, redacted and made short.

Each module reads one thing (`choosing` the calls, `instructions`, `people`, `mending`: recoveries, `markers`) and hands
it over as it stands in the session; nothing leaves here that has not been through the redactor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from afterglow.harvest import trust
from afterglow.harvest.tool_remedies import decoded
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
from afterglow.warm.extract.call_shape import shape_of
from afterglow.warm.extract.clipping import (
    PRINTED,
    RESULT,
    clipped_arguments,
    clipped_result,
)
from afterglow.warm.extract.instructions import instructions, sources
from afterglow.warm.extract.markers import LONGEST, markers
from afterglow.warm.extract.pick_examples import chosen, examples
from afterglow.warm.extract.recoveries import recovery_patterns
from afterglow.warm.extract.redact import Cleaner
from afterglow.warm.extract.user_style import patterns

__all__ = ["SessionExtractor", "examples", "shape_of"]

SEEN = (
    100_000  # characters of one text that are redacted; what lies behind is not shown
)


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
        told = instructions(trail, (*person.conventions, *person.corrections))
        return SessionSeed(
            system_context="\n".join(cleaner.clean(told)),
            tool_examples=tuple(_examples(trail, calls, cleaner)),
            recovery_patterns=tuple(
                _clean_recoveries(recovery_patterns(trail, items), cleaner)
            ),
            user_patterns=_clean_patterns(person, cleaner),
            context_markers=_clean_markers(markers(trail), cleaner),
        )


def _places(trail: Trail, calls: Sequence[Step]) -> Iterator[str]:
    """The texts pieces are cut out of, as they stand: there it shows what is secret."""
    yield from (turn.text[:SEEN] for turn in sources(trail))
    yield from (
        turn.text
        for turn in trail.turns
        if turn.role == "user" and len(turn.text) < SEEN
    )
    for step in calls:
        yield step.call.arguments[:SEEN]
        yield (step.call.result or "")[:SEEN]
    for step in trail.steps:
        yield step.call.arguments[:4000]
        if step.failed or step.blocked:
            yield step.call.error[:4000]


def _examples(
    trail: Trail, calls: Sequence[Step], cleaner: Cleaner
) -> Iterator[ToolCallExample]:
    for step in calls:
        values = cleaner.clean_arguments(decoded(step.call.arguments))
        if values is None:
            continue
        result = step.call.result or ""
        (seen,) = cleaner.clean([result[:SEEN]])
        limit = (
            PRINTED if trust.of_result(step.call) in {"file", "external"} else RESULT
        )
        yield ToolCallExample(
            tool_name=step.tool,
            arguments=clipped_arguments(values),
            result=clipped_result(seen, limit, more=max(len(result) - SEEN, 0)),
            turn_number=step.turn,
            session=trail.session.id,
        )


def _clean_recoveries(
    found: Sequence[RecoveryPattern], cleaner: Cleaner
) -> Iterator[RecoveryPattern]:
    texts = cleaner.clean(
        [text for one in found for text in (one.error, one.worked, one.tool)]
    )
    for one, error, worked, tool in zip(
        found, texts[::3], texts[1::3], texts[2::3], strict=True
    ):
        yield replace(one, error=error, worked=worked, tool=tool)


def _clean_patterns(found: UserPatterns, cleaner: Cleaner) -> UserPatterns:
    conventions, corrections = (
        tuple(cleaner.clean(texts)) for texts in (found.conventions, found.corrections)
    )
    return replace(found, conventions=conventions, corrections=corrections)


def _clean_markers(found: ContextMarkers, cleaner: Cleaner) -> ContextMarkers:
    return ContextMarkers(
        *(
            tuple(
                dict.fromkeys(
                    clip(one, LONGEST) for one in cleaner.clean(getattr(found, name))
                )
            )
            for name in found.__struct_fields__
        )
    )
