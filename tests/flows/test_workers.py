"""However the process that spreads work ends, no worker outlives it."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

PATIENCE_SECONDS = 60.0  # that a busy machine may take
PAUSE_SECONDS = 0.05

ENDLESS_WORK = """
import os, signal, sys
from collections import deque
from pathlib import Path
from afterglow.flows.workers import spread

def work(number):
    Path(sys.argv[1], str(os.getpid())).touch()
    while True:
        signal.pause()

for _ in spread(work, deque(range(8)), 2):
    pass
"""


def until(is_so) -> bool:
    """Looks again and again, as long as patience lasts."""
    begun = time.monotonic()
    while time.monotonic() - begun < PATIENCE_SECONDS:
        if is_so():
            return True
        select.select([], [], [], PAUSE_SECONDS)
    return False


def is_over(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"


@pytest.mark.skipif(sys.platform != "linux", reason="workers end with their parent")
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_workers_end_with_the_process_that_started_them(sign, tmp_path):
    """Python loses an interrupt that comes just while it forks, so it is sent as a person would: until it is heard."""
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS_WORK, str(tmp_path)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    workers: list[int] = []
    try:
        assert until(lambda: len(list(tmp_path.iterdir())) == 2)
        workers = [int(file.name) for file in tmp_path.iterdir()]

        def has_ended() -> bool:
            with suppress(OSError):
                process.send_signal(sign)
            return process.poll() is not None

        assert until(has_ended)
        assert process.returncode != 0
        assert until(lambda: all(map(is_over, workers)))
    finally:
        for each in [process.pid, *workers]:
            with suppress(OSError):
                os.kill(each, signal.SIGKILL)
        process.wait()
