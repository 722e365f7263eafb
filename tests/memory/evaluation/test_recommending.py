"""The advice follows from the numbers, whoever they belong to."""

from msgspec.structs import replace

from afterglow.memory.evaluation import recommendation
from afterglow.records.evaluation import (
    POINTS,
    Evaluation,
    MemoryCheck,
    Quality,
    Share,
    Times,
)

TIMES = {"store": Times(100, 2.0, 4.0), "retrieve": Times(100, 0.1, 0.2)}
CHECKS = (MemoryCheck("store", "passed", ""), MemoryCheck("deletion", "passed", ""))


def measured(backend, total, *, cloud=False, checks=CHECKS, **more):
    return Evaluation(
        backend=backend, available=True, is_cloud=cloud, points=dict(POINTS), total=total, keeps=True, times=TIMES,
        checks=checks, **more,
    )  # fmt: skip


def finding(name, value, **ahead):
    share = Share(value, value - 0.05, value + 0.05, 200)
    return Quality(
        name=name, labels="tiny", entries=10, questions=200, recall={10: share}, hit={10: share}, mrr=share, kinds={},
        times=Times(200, 1.0, 2.0), ahead=ahead,
    )  # fmt: skip


NULL = replace(measured("null", 40), keeps=False, reason="it keeps nothing")
AWAY = Evaluation(
    backend="honcho",
    available=False,
    is_cloud=True,
    points={},
    total=0,
    reason="no key",
)


def test_the_most_points_win_and_the_reason_is_told():
    said = recommendation([NULL, measured("local", 95), measured("slow", 80)])
    assert said.startswith(
        "Use local (AFTERGLOW_MEMORY_BACKEND=local): 95 of 100 points, on this machine"
    )
    assert "store takes 2 ms" in said and "slow" not in said.replace("slowest", "")


def test_one_that_is_not_available_is_never_recommended():
    assert "Use" not in recommendation([NULL, AWAY])
    assert "honcho: no key" in recommendation([NULL, AWAY])
    assert "Use" not in recommendation([])


def test_where_data_leaves_the_machine_it_is_said():
    assert "Warning: with cloudy what you store leaves" in recommendation(
        [measured("cloudy", 80, cloud=True)]
    )
    assert "Warning" not in recommendation([measured("local", 95), AWAY])


def test_two_that_are_close_are_called_close():
    said = recommendation([measured("local", 90), measured("cloudy", 88, cloud=True)])
    assert (
        "cloudy is close (88): so few points do not decide, where the data lives may."
        in said
    )
    assert "close" not in recommendation(
        [measured("local", 95), measured("cloudy", 80, cloud=True)]
    )


def test_points_do_not_make_up_for_lost_entries():
    losing = measured(
        "fast", 100, checks=(MemoryCheck("concurrency", "failed", "lost"),)
    )
    assert recommendation([losing, measured("local", 85)]).startswith("Use local")
    assert "But it fails at concurrency." in recommendation([losing])


def test_what_is_unsupported_or_untried_is_not_hidden():
    checks = (
        MemoryCheck("deletion", "unsupported", "no"),
        MemoryCheck("durability", "untried", "no"),
    )
    said = recommendation([measured("odd", 90, checks=checks, left_behind=3)])
    assert (
        "It cannot do deletion. Not tried: durability. 3 test entries could not be deleted again."
        in said
    )


def test_a_difference_that_may_be_chance_is_not_called_one():
    mine = finding(
        "local", 0.6, LIKE=Share(0.5, 0.4, 0.6, 200), BM25=Share(0.1, -0.1, 0.3, 200)
    )
    said = recommendation(
        [
            measured(
                "local",
                95,
                quality=mine,
                baselines=(finding("LIKE", 0.1), finding("BM25", 0.5)),
            )
        ]
    )
    assert (
        "it has 60 % (55–65 %) among its first 10; LIKE has 10 % (clearly less)" in said
    )
    assert "BM25 has 50 % (no clear difference)" in said
