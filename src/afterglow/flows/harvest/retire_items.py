"""Items that nothing in harvest looks for any more: retired, with a reason a person can read.

What a person approved, edited or decided on stays as it is. So does what other packages' miners made: whether such a
package is only missing for a while cannot be known.
"""

from __future__ import annotations

from afterglow.flows.harvest.merge_rules import may_retire, retired
from afterglow.harvest import FORMER_MINERS
from afterglow.store.knowledge import Knowledge

HOLDING = ("active", "candidate")


def retire_unlooked(knowledge: Knowledge, now: float) -> int:
    """Inside the store's transaction. Returns how many items were retired."""
    items = [
        retired(item, reason)
        for miner, reason in FORMER_MINERS.items()
        for item in knowledge.items(miner=miner, status=HOLDING)
        if may_retire(item)
    ]
    return knowledge.save(items, by="harvest", now=now) if items else 0
