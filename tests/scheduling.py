"""Which tests a worker takes together: those of a module, so that what it prepares is made once.

The marks of pytest-xdist's own `loadgroup` do not reach it with pytest 9.2: xdist 3.8 writes them where nobody looks.
"""

from __future__ import annotations

import pytest
from xdist.scheduler import LoadScopeScheduling

# Real agents wait for their hooks a few seconds and no longer: one of them at a time, and nothing big beside them.
TOGETHER = {
    "tests/live/": "programs",
    "tests/flows/test_ray_cluster.py": "programs",
    "tests/test_architecture.py": "house rules",  # they look at the same modules
    "tests/test_house.py": "house rules",
}
# What takes longest comes first, so that no worker begins with it while the other has nothing left.
FIRST = (
    "tests/live/",
    "tests/flows/test_ray_cluster.py",
    "tests/afterglow_demo/",
    "tests/closed_loop/test_loop.py",
    "tests/store/test_knowledge_processes.py",
    "tests/flows/hub/",
    "tests/hooks/",
    "tests/web/hub/",
    "tests/test_docs.py",
    "tests/test_distribution.py",
    "tests/bench/",
    "tests/cli/",
    "tests/store/",
)


class ModuleScheduling(LoadScopeScheduling):
    """Whole modules, in the order in which they were collected."""

    def __init__(self, config: pytest.Config, log: object = None) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False

    def _split_scope(self, nodeid: str) -> str:
        module = nodeid.split("::", maxsplit=1)[0]
        groups = (
            group for start, group in TOGETHER.items() if module.startswith(start)
        )
        return next(groups, module)


def longest_first(items: list[pytest.Item]) -> None:
    def rank(item: pytest.Item) -> int:
        places = enumerate(FIRST)
        return next(
            (n for n, place in places if item.nodeid.startswith(place)), len(FIRST)
        )

    items.sort(key=rank)
