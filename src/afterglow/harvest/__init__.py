"""Session -> findings -> items: miners read single sessions, and what they found is screened, merged and weighed.

A miner is one module in `harvest/miners/` with

    NAME      the word it is called by
    VERSION   raised when it would read a session differently
    mine      Trail -> findings: what one session shows, cheap, no judgement across sessions
    tell      all findings of one topic -> the sentence to keep, or a word of why it is not worth keeping
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from afterglow.registry import Table

if TYPE_CHECKING:  # hooks load parts of this package while an agent waits
    from afterglow.harvest.trail import Trail
    from afterglow.records.knowledge import Finding, Telling


class Miner(Protocol):
    NAME: str
    VERSION: int

    def mine(self, trail: Trail) -> Iterator[Finding]: ...
    def tell(self, findings: Sequence[Finding]) -> Telling | str: ...


MINERS = Table(
    "afterglow.miners",
    {
        name: f"afterglow.harvest.miners.{module}"
        for name, module in {
            "recoveries": "recoveries",
            "state": "state",
            "linters": "linters",
            "corrections": "corrections",
            "rules": "rules",
            "commands": "commands",
            "places": "moved_paths",
            "questions": "questions",
            "reruns": "reruns",
            "ran-nothing": "ran_nothing",
            "retries": "retries",
            "same-object": "same_object",
        }.items()
    },
)

# Miners that are gone, and what is said of the items they left behind. What they looked for did not hold up when their
# items were read against the sessions they came from: docs/design/2026-11-16-rules-after-first-contact.md.
FORMER_MINERS = {
    "arguments": "another argument, guessed from the next call that was accepted: `afterglow problems` shows both",
    "conventions": "a habit of a tool, guessed from what came after: state checks see such causes themselves",
    "notes": "copied from an instruction file: the agent reads that file itself",
    "choices": "an answer to one task's question, no longer kept as knowledge",
    "recurring": "an error without a remedy: `afterglow problems` lists those",
    "causes": "a cause somebody stated, never checked: `afterglow problems` has the failures",
}
