"""What the hub counts about itself, in the text format that Prometheus reads. No label holds words of people or items."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

# Upper ends in seconds: a page is to be there in a fifth of one, a batch in two.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Labels = tuple[tuple[str, str], ...]


class Metric(NamedTuple):
    """One number, or one for each set of labels."""

    name: str
    help: str
    type: str  # counter or gauge
    values: Mapping[Labels, float]


class Metrics:
    """Requests by route, never by address: addresses hold names."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[Labels] = Counter()
        self._buckets: dict[str, list[int]] = {}
        self._seconds: dict[str, float] = {}
        self._under_way = 0

    def begin(self) -> None:
        with self._lock:
            self._under_way += 1

    def end(self, method: str, route: str, status: int, seconds: float) -> None:
        labels = (("method", method), ("route", route), ("status", str(status)))
        bucket = sum(seconds > end for end in BUCKETS)
        with self._lock:
            self._under_way -= 1
            self._requests[labels] += 1
            counts = self._buckets.setdefault(route, [0] * (len(BUCKETS) + 1))
            counts[bucket] += 1
            self._seconds[route] = self._seconds.get(route, 0.0) + seconds

    def text(self, more: Iterable[Metric] = ()) -> str:
        with self._lock:
            requests = [
                Metric(
                    "afterglow_requests_total",
                    "Requests answered.",
                    "counter",
                    dict(self._requests),
                ),
                Metric(
                    "afterglow_requests_under_way",
                    "Requests being answered.",
                    "gauge",
                    {(): self._under_way},
                ),
            ]
            latencies = list(self._latencies())
        lines = [line for metric in (*requests, *more) for line in _lines(metric)]
        return "\n".join([*lines, *latencies]) + "\n"

    def _latencies(self) -> Iterable[str]:
        name = "afterglow_request_seconds"
        yield f"# HELP {name} Time until the answer was sent."
        yield f"# TYPE {name} histogram"
        for route, counts in sorted(self._buckets.items()):
            total = 0
            for end, count in zip((*BUCKETS, "+Inf"), counts, strict=True):
                total += count
                labels = _labels((("route", route), ("le", str(end))))
                yield f"{name}_bucket{labels} {total}"
            labels = _labels((("route", route),))
            yield f"{name}_sum{labels} {self._seconds[route]:.6f}"
            yield f"{name}_count{labels} {total}"


def _lines(metric: Metric) -> Iterable[str]:
    yield f"# HELP {metric.name} {metric.help}"
    yield f"# TYPE {metric.name} {metric.type}"
    for labels, value in sorted(metric.values.items()):
        yield f"{metric.name}{_labels(labels)} {_number(value)}"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.6f}"


def _labels(labels: Labels) -> str:
    if not labels:
        return ""
    pairs = (f'{name}="{_escaped(value)}"' for name, value in labels)
    return "{" + ",".join(pairs) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
