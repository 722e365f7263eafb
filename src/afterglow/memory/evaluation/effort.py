"""How much is tried. On a server of others little: every call takes a request or a few, and may cost money."""

from __future__ import annotations

from msgspec import Struct


class Effort(Struct, frozen=True):
    """`probes` entries are stored, retrieved and asked for; `writers` processes store `each` at once; a process is
    killed after `acknowledged` entries of `further` times as many; `large` characters in one value."""

    probes: int
    writers: int
    each: int
    acknowledged: int
    further: int
    large: int


LOCAL = Effort(
    probes=200, writers=8, each=25, acknowledged=20, further=50, large=1_000_000
)
CLOUD = Effort(probes=5, writers=3, each=2, acknowledged=1, further=1, large=30_000)
