"""What waits for a person: lessons whose remedy is risky, and what somebody proposed in a shared folder."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.config import Config
from afterglow.flows.doctor.store_checks import read_only_rows
from afterglow.records.doctor import CheckupLine
from afterglow.store.folder.plan import FOLDER
from afterglow.text.numbers import count

LIST = "afterglow knowledge list --status candidate"
LIST_ORDERS = "afterglow knowledge list --status quarantined"

_WAITING = """
SELECT
  count(*) FILTER (WHERE status = 'candidate' AND risk <> '' AND miner <> ?1),
  count(*) FILTER (WHERE status = 'candidate' AND miner = ?1),
  count(*) FILTER (WHERE status = 'quarantined'),
  count(*) FILTER (WHERE status = 'active' AND risk <> '' AND approved = '')
FROM items
"""


def review(config: Config) -> Iterator[CheckupLine]:
    """None of it is told to an agent before somebody has looked at it; that it waits is no trouble."""
    counts = read_only_rows(config.knowledge_file, _WAITING, [FOLDER])
    if not counts:
        return
    risky, proposed, quarantined, unapproved = counts[0]
    waiting = [
        (risky, "lesson does", "lessons do", "something risky", LIST),
        (proposed, "change was", "changes were", "proposed in a folder", LIST),
        (quarantined, "item gives", "items give", "orders to agents", LIST_ORDERS),
    ]
    for number, is_one, are_many, what, help in waiting:
        if number:
            text = f"{count(number, is_one, are_many)} {what}: told to nobody before you approve"
            yield CheckupLine("review", "note", text, help)
    if unapproved:
        text = f"{count(unapproved, 'active item is', 'active items are')} risky, and nobody approved the words"
        yield CheckupLine("review", "attention", text, "afterglow harvest")
    if not any(counts[0]):
        yield CheckupLine("review", "ok", "nothing waits for you")
