"""How often somebody may ask, what a hub counts, where it answers, and how its merger works."""

from __future__ import annotations

import threading

import pytest

from afterglow.errors import LimitReached, StoreError, UsageError
from afterglow.records.hub import Member
from afterglow.web.hub.address import hub_address
from afterglow.web.hub.limits import Pace
from afterglow.web.hub.merger import Merger
from afterglow.web.hub.metrics import Metric, Metrics

SOON = 20.0  # seconds: for a machine that is loaded


class Clock:
    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


def test_a_pace_lets_so_many_through_and_says_when_to_come_back():
    clock = Clock()
    pace = Pace(60, 2, clock)
    pace.take("ada")
    pace.take("ada")
    with pytest.raises(LimitReached) as refused:
        pace.take("ada")
    assert refused.value.retry_after == 2
    pace.take("grace")  # somebody else's own
    clock.time += 1
    pace.take("ada")


def test_what_was_refused_does_not_count():
    clock = Clock()
    pace = Pace(60, 1, clock)
    pace.take("ada")
    for _ in range(5):
        with pytest.raises(LimitReached):
            pace.take("ada")
    clock.time += 1
    pace.take("ada")


def test_looking_whether_one_may_is_not_counted():
    pace = Pace(60, 1, Clock())
    pace.check("ada")
    pace.check("ada")
    pace.take("ada")
    with pytest.raises(LimitReached):
        pace.check("ada")


def test_somebody_may_have_a_pace_of_their_own():
    clock = Clock()
    pace = Pace(60, 1, clock)
    pace.take("ada", a_minute=600)
    clock.time += 0.2
    pace.take("ada", a_minute=600)


def test_more_than_fits_at_once_passes_when_all_is_free():
    pace = Pace(60, 10, Clock())
    pace.take("ada", 50)
    with pytest.raises(LimitReached):
        pace.take("ada")


def test_metrics_are_text_that_prometheus_reads():
    metrics = Metrics()
    metrics.begin()
    metrics.end("GET", "/review", 200, 0.03)
    metrics.begin()
    items = Metric("afterglow_items", "Items.", "gauge", {(("status", 'a"b'),): 12e6})
    text = metrics.text([items])
    assert (
        'afterglow_requests_total{method="GET",route="/review",status="200"} 1' in text
    )
    assert "afterglow_requests_under_way 1" in text
    assert 'afterglow_items{status="a\\"b"} 12000000' in text
    assert 'afterglow_request_seconds_bucket{route="/review",le="0.025"} 0' in text
    assert 'afterglow_request_seconds_bucket{route="/review",le="0.05"} 1' in text
    assert 'afterglow_request_seconds_bucket{route="/review",le="+Inf"} 1' in text
    assert 'afterglow_request_seconds_count{route="/review"} 1' in text
    assert text.endswith("\n")


def test_the_merger_works_until_nothing_is_left_and_ends_between_steps():
    steps = [3, 2, 0]
    idle = threading.Event()

    def merge() -> int:
        if len(steps) == 1:
            idle.set()
        return steps.pop(0) if steps else 0

    merger = Merger(merge, lambda: 7.0)
    merger.start()
    assert idle.wait(SOON)
    assert merger.stop(SOON)
    assert (merger.merged, merger.last, merger.trouble) == (5, 7.0, "")


def test_the_merger_tries_again_after_trouble_when_woken():
    answers = [StoreError("the hub's database is away"), 4]
    failed, merged = threading.Event(), threading.Event()

    def merge() -> int:
        if not answers:
            merged.set()
            return 0
        answer = answers.pop(0)
        if isinstance(answer, StoreError):
            failed.set()
            raise answer
        return answer

    merger = Merger(merge)
    merger.start()
    assert failed.wait(SOON)
    merger.wake()
    assert merged.wait(SOON)
    assert merger.stop(SOON)
    assert (merger.failures, merger.merged, merger.trouble) == (1, 4, "")


def test_behind_a_proxy_the_public_name_is_ours_and_the_cookie_is_for_tls_only():
    address = hub_address(["127.0.0.1:8378"], "https://Hub.Example", "0.0.0.0")
    assert address.public == "https://hub.example"
    assert address.hosts == {"hub.example", "127.0.0.1:8378"}
    assert "https://hub.example" in address.origins
    assert address.is_secure
    assert address.cookie == "__Host-afterglow"


def test_without_a_proxy_only_this_machine_is_named():
    address = hub_address(["127.0.0.1:8378", "localhost:8378"])
    assert address.hosts == {"127.0.0.1:8378", "localhost:8378"}
    assert not address.is_secure
    assert address.cookie == "afterglow-hub-8378"


@pytest.mark.parametrize(
    "public", ["", "hub.example", "ftp://hub.example", "https://hub.example/team"]
)
def test_an_address_for_others_has_to_be_said_as_people_open_it(public):
    with pytest.raises(UsageError, match="--public-url"):
        hub_address(["0.0.0.0:8378"], public, "0.0.0.0")


MEMBER = Member(
    person=1,
    name="Ada",
    org=1,
    org_name="acme",
    is_admin=False,
    scope="review",
    patterns={"read": ("acme/*",), "contribute": ("acme/*",), "review": ("acme/tide",)},
)


@pytest.mark.parametrize(
    ("right", "repo", "allowed"),
    [
        ("read", "acme/harbor", True),
        ("review", "acme/harbor", False),
        ("review", "acme/tide", True),
        ("read", "other/harbor", False),
        ("read", "", True),
        ("review", "", False),
        ("read", "(no repository)", False),
        ("read", "acme/*", False),
    ],
)
def test_a_page_offers_what_the_database_would_allow(right, repo, allowed):
    assert MEMBER.may(right, repo) is allowed
