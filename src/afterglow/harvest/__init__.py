"""Session -> findings -> items: miners read single sessions, and what they found is screened, merged and weighed.

A miner is one module in `harvest/miners/` with

    NAME      the word it is called by
    VERSION   raised when it would read a session differently
    mine      Trail -> findings: what one session shows, cheap, no judgement across sessions
    tell      all findings of one topic -> the sentence to keep, or a word of why it is not worth keeping
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from afterglow.harvest.trail import Trail
from afterglow.records.knowledge import Finding, Telling
from afterglow.registry import Table


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
            "arguments": "arguments",
            "conventions": "tool_quirks",
            "linters": "linters",
            "recurring": "recurring_errors",
            "corrections": "corrections",
            "rules": "rules",
            "choices": "choices",
            "notes": "instruction_files",
            "commands": "commands",
            "places": "moved_paths",
            "causes": "causes",
        }.items()
    },
)
