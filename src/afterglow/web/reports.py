"""Reports that take their time: made once, kept in memory, shown with their age until somebody has them made again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any, NamedTuple

MAX_REPORTS = (
    16  # a person compares a few repositories; a report takes a megabyte at most
)


class KeptReport(NamedTuple):
    """What was made, when, from how many sessions, and a mark of what the stores held then."""

    value: Any
    time: float
    sessions: int
    state: str


class Reports:
    """By what was asked for; those nobody asked for lately go."""

    def __init__(self) -> None:
        self._reports: OrderedDict[str, KeptReport] = OrderedDict()
        self._lock = threading.Lock()  # pages and work under way share it

    def get(self, key: str) -> KeptReport | None:
        with self._lock:
            report = self._reports.get(key)
            if report is not None:
                self._reports.move_to_end(key)
            return report

    def put(self, key: str, report: KeptReport) -> None:
        with self._lock:
            self._reports[key] = report
            self._reports.move_to_end(key)
            while len(self._reports) > MAX_REPORTS:
                self._reports.popitem(last=False)
