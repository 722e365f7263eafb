"""Where a mark, a row or a name of a report leads. A file of its own leads nowhere; the pages of `afterglow serve` do."""

from __future__ import annotations

from collections.abc import Callable

LinkOf = Callable[[str], str]  # the name of a group -> its address, "" for none


class Links:
    """Addresses of what stands behind a number; "" where there is no such page. `sessions` takes the filter behind it:
    `week`, `repo`, `agent`, `model`, `tool`."""

    def sessions(self, **filters: str) -> str:
        return ""

    def item(self, id: str) -> str:
        return ""


NOWHERE = Links()


def no_link(name: str) -> str:
    return ""
