"""A template taken apart: one part of it alone, or all but one. What each part is worth can then be measured."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from afterglow.records.template import (
    PARTS,
    SessionSeed,
    TemplatePart,
)

NOTHING = SessionSeed()


def part_alone(seed: SessionSeed, part: TemplatePart) -> SessionSeed:
    """What a template would be that held nothing else."""
    return replace(NOTHING, **_fields(seed, part))


def without_part(seed: SessionSeed, part: TemplatePart) -> SessionSeed:
    """What it would be without that."""
    return replace(seed, **_fields(NOTHING, part))


def _fields(seed: SessionSeed, part: TemplatePart) -> dict[str, Any]:
    return {name: getattr(seed, name) for name in PARTS[part]}
