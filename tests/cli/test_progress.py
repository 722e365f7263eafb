"""Long work says how far it is, on a terminal only."""

from __future__ import annotations

import io
import sys

import pytest

from afterglow.cli.progress import ProgressLine, progress_bar, progress_text


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("position", "total", "seconds", "text"),
    [
        (25, 100, 4.0, "reading  [#####...............]  25 %, about 12 s left"),
        (50, 100, 62.0, "reading  [##########..........]  50 %, about 60 s left"),
        (1, 4, 100.0, "reading  [#####...............]  25 %, about 5 min left"),
        (1, 100, 3.0, "reading  [....................]  1 %, 3 s so far"),
        (100, 100, 9.0, "reading  [####################]  100 %"),
        (0, 0, 7.0, "reading, 7 s so far"),
    ],
)
def test_the_line_says_what_is_done_and_how_long_the_rest_takes(
    position: int, total: int, seconds: float, text: str
) -> None:
    assert progress_text("reading", position, total, seconds) == text


def test_what_is_over_at_once_draws_nothing() -> None:
    clock, screen = Clock(), Terminal()
    line = ProgressLine("reading", screen, clock)
    line.advance(1, 2)
    clock.now = 0.5
    line.advance(2, 2)
    line.end()
    assert screen.getvalue() == ""


def test_the_line_is_gone_when_the_work_has_ended() -> None:
    clock, screen = Clock(), Terminal()
    line = ProgressLine("reading", screen, clock)
    clock.now = 2.0
    line.advance(1, 2)
    assert "50 %, about 2 s left" in screen.getvalue()
    line.end()
    line.advance(2, 2)
    last = screen.getvalue().split("\r")
    assert last[-1] == ""
    assert last[-2].strip() == ""
    assert "100 %" not in screen.getvalue()


def test_a_second_part_of_the_work_has_a_time_of_its_own() -> None:
    clock, screen = Clock(), Terminal()
    line = ProgressLine("reading", screen, clock)
    clock.now = 100.0
    line.advance(10, 10)
    clock.now = 101.0
    line.advance(1, 10)
    clock.now = 110.0
    line.advance(5, 10)
    assert "about 9 s left" in screen.getvalue()


def test_elsewhere_than_on_a_terminal_nothing_is_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    with progress_bar("reading", ticking=True) as advance:
        advance(1, 2)
    assert screen.getvalue() == ""
