"""dataset: what a home could share, and sharing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterglow.registry import exports

if TYPE_CHECKING:
    from afterglow.flows.dataset.export_tables import LEAST, Dataset, K, export, prepare
else:
    __getattr__ = exports(
        __name__,
        {
            "export_tables": "Dataset K LEAST export prepare",
        },
    )
