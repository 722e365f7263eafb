"""Cheap looks at the world before an item is shown."""

from __future__ import annotations

import pytest

from afterglow.context.checks import fails
from afterglow.records.knowledge import KnowledgeItem


def item(miner: str, remedy: str) -> KnowledgeItem:
    return KnowledgeItem(id="k1", fact="f", category="fact", miner=miner, remedy=remedy)


@pytest.mark.parametrize(
    ("miner", "remedy", "why"),
    [
        ("places", "`docs/runbook.md`", ""),
        ("places", "`docs/gone.md`", "docs/gone.md is not there"),
        ("commands", "`make test`, `nosuch lint`", ""),
        ("commands", "`nosuch lint`", ""),  # not on the PATH of this process
        ("commands", "`scripts/check.sh`", ""),
        ("commands", "`scripts/gone.sh`", "scripts/gone.sh is not there"),
        ("recoveries", "`nosuch`", ""),
        ("rules", "", ""),
    ],
)
def test_only_what_an_item_says_plainly_is_checked(tmp_path, miner, remedy, why):
    for name in ("docs/runbook.md", "scripts/check.sh"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    assert fails(item(miner, remedy), tmp_path) == why
