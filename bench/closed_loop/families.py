"""Thirty-two families in eight invented projects: fourteen quirks of tools and services, and eighteen that are none of
those (the order of steps across tools, a person's rules, facts of the environment, and what was true only at first)."""

from __future__ import annotations

from bench.closed_loop.families_apiary import APIARY
from bench.closed_loop.families_beacon import BEACON
from bench.closed_loop.families_glasshouse import GLASSHOUSE
from bench.closed_loop.families_kennel import KENNEL
from bench.closed_loop.families_playhouse import PLAYHOUSE
from bench.closed_loop.families_pressroom import PRESSROOM
from bench.closed_loop.families_quarry import QUARRY
from bench.closed_loop.families_tramline import TRAMLINE
from bench.closed_loop.tasks import Family

FAMILIES: tuple[Family, ...] = (
    *TRAMLINE,
    *APIARY,
    *PRESSROOM,
    *BEACON,
    *GLASSHOUSE,
    *QUARRY,
    *PLAYHOUSE,
    *KENNEL,
)
