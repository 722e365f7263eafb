"""Lessons as sessions of the past left them."""

from __future__ import annotations

from afterglow.flows.harvest.index_problems import ProblemIndex
from afterglow.flows.harvest.written_history import spread_over_sessions
from afterglow.records.knowledge import Evidence, KnowledgeItem
from lamp_problems import failure, problem_of


def test_counts_of_a_lesson_hold_nothing_that_came_later():
    def met(session: str, time: float, **fields):
        return failure(session, "lampctl light", by="lampctl dry", time=time, **fields)

    events = [
        met("s1", 1000.0, calls=2),
        met("s2", 2000.0, calls=6),
        met("s2", 2100.0, calls=1),
        met("s3", 3000.0, calls=9),
    ]
    spans = [
        Evidence(session, "a", 4, "call", 0, 5, "h", "q", "tool", time=time)
        for session, time in (("s1", 1000.0), ("s3", 3000.0))
    ]
    item = KnowledgeItem(
        id="k1", fact="x", category="pitfall", status="active", situation="`lampctl light`: wick is wet",
        remedy="`lampctl dry`", miner="written", source_count=3, times=4, worked=2, cost=5.0,
        topics=(f"problem:{problem_of(*events).id}",), evidence=tuple(spans),
    )  # fmt: skip
    history = spread_over_sessions([item], ProblemIndex((problem_of(*events),)))
    counts = [
        (session, part.source_count, part.times, part.worked, part.cost)
        for session, parts in history.items()
        for part in parts
    ]
    assert counts == [("s1", 1, 1, 1, 2.0), ("s2", 2, 3, 1, 3.0), ("s3", 3, 4, 2, 4.5)]
