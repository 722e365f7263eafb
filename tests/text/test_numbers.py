"""One way to write each kind of number."""

import pytest

from afterglow.records.profile_report import Rate
from afterglow.text import numbers

RATE = Rate(value=0.045, low=0.04, high=0.0494, count=54, n=1203, sessions=30)
NOTHING = Rate(value=None, low=0.0, high=1.0, count=0, n=0, sessions=0)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (numbers.percent(0.045), "4.5 %"),
        (numbers.percent(0.0004), "0.04 %"),
        (numbers.percent(None), "–"),
        (numbers.short_percent(1 / 3), "33.3 %"),
        (numbers.short_percent(0.5), "50 %"),
        (numbers.round_percent(2 / 3), "67 %"),
        (numbers.level(0.05), "95 %"),
        (numbers.level(0.001), "99.9 %"),
        (numbers.share(1, 8), "12.5 %"),
        (numbers.share(1, 0), "–"),
        (numbers.interval(RATE), "4.0–4.9 %"),
        (numbers.interval(NOTHING), "–"),
        (numbers.rate_words(RATE), "4.5 % [4.0–4.9 %, n = 1,203]"),
        (numbers.rate_words(NOTHING), "no calls"),
        (numbers.points(-0.012), "−1.2 points"),
        (numbers.points_range(-0.001, 0.025), "−0.1 to +2.5"),
        (numbers.signed(-0.0001), "0.0"),
        (numbers.number(1203), "1,203"),
        (numbers.number(2.54), "2.5"),
        (numbers.compact(90_600), "90.6k"),
        (numbers.compact(1_230_000), "1.2 million"),
        (numbers.count(1, "session"), "1 session"),
        (numbers.count(2, "entry", "entries"), "2 entries"),
        (numbers.size(31_400), "31 KB"),
        (numbers.duration(45), "45 s"),
        (numbers.duration(720), "12 min"),
        (numbers.duration(12_600), "3.5 h"),
        (numbers.day(0.0), "1970-01-01"),
        (numbers.moment(0.0), "1970-01-01 00:00 UTC"),
        (numbers.week(0.0), "1970-W01"),
        (numbers.local_time(None), "–"),
        (numbers.short_id("b91bb193-be4c-4d10-9a57-0123456789ab"), "b91bb193-be4c"),
        (numbers.short_id("20261114_1216_abc"), "20261114_1216_abc"),
    ],
)  # fmt: skip
def test_it_is_written_so(written, expected):
    assert written == expected
