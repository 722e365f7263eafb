"""Times and JSON as agents write them down, cheaply."""

from __future__ import annotations

import time

import msgspec

from afterglow_demo.filler import Quoted, quote


def iso(moment: float) -> str:
    """`2026-04-01T08:00:00.000Z`."""
    whole = int(moment)
    t = time.gmtime(whole)
    return f"{t[0]}-{t[1]:02d}-{t[2]:02d}T{t[3]:02d}:{t[4]:02d}:{t[5]:02d}.{int((moment - whole) * 1000):03d}Z"


def stamp(moment: float, shape: str) -> str:
    return time.strftime(shape, time.gmtime(moment))


def encoded(value: object) -> str:
    return msgspec.json.encode(value).decode()


def twice(value: object) -> Quoted:
    """JSON inside a JSON string."""
    return quote(encoded(value))
