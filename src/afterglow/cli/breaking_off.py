"""Ctrl-C while a model is asked: what is under way is paid for."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread

import click

from afterglow.records.model_harvest import ModelReport
from afterglow.records.writing import WriterReport

NOTHING_ANSWERED, INTERRUPTED = 7, 130  # exit codes


def exit_code(*reports: ModelReport | WriterReport) -> int:
    """Not 0 where it was broken off, or where somebody was to be asked and nothing was answered."""
    if any(report.interrupted for report in reports):
        return INTERRUPTED
    if any(report.answered for report in reports):
        return 0
    failed = any(report.stopped or report.failures for report in reports)
    return NOTHING_ANSWERED if failed else 0


@contextmanager
def breaking_off() -> Iterator[None]:
    """The first Ctrl-C waits for the answers under way, because they are paid for; a second one leaves at once."""
    if current_thread() is not main_thread():
        yield
        return

    def leave(*_: object) -> None:
        os._exit(130)

    def stop(*_: object) -> None:
        signal.signal(signal.SIGINT, leave)
        click.echo(
            "\nwaiting for the answers under way, they are paid for; Ctrl-C again leaves at once",
            err=True,
        )
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
