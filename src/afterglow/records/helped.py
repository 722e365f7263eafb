"""Who was helped by what: how often items were given to the sessions of a member, in a repository, and what became of
them there."""

from __future__ import annotations

from msgspec import Struct


class HelpedCount(Struct, frozen=True, kw_only=True):
    """`name` is a member, a repository or an item's id; `words` what the item says, where whoever asks may read it.

    `used`: the remedy shows in a later call. `ignored`: the situation came up and the remedy does not show. `harmful`:
    it was used and the known error came all the same. Of the rest of `times_given` nothing of this can be said.
    """

    name: str
    times_given: int = 0
    used: int = 0
    ignored: int = 0
    harmful: int = 0
    words: str = ""


class Helped(Struct, frozen=True, kw_only=True):
    """As far as whoever asks may read the repositories. The most given first; `items_left_out` are too many to list."""

    total: HelpedCount
    members: tuple[HelpedCount, ...] = ()
    repos: tuple[HelpedCount, ...] = ()
    items: tuple[HelpedCount, ...] = ()
    items_left_out: int = 0
