"""However the process that spreads work ends, no worker outlives it."""

import signal
import subprocess
import sys
from contextlib import suppress

import pytest

PATIENCE_SECONDS = 60  # that a busy machine may take

ENDLESS_WORK = """
import signal
from collections import deque
from afterglow.flows.workers import spread

def work(number):
    print("at work", flush=True)
    while True:
        signal.pause()

for _ in spread(work, deque(range(8)), 2):
    pass
"""


@pytest.mark.skipif(sys.platform != "linux", reason="workers end with their parent")
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_workers_end_with_the_process_that_started_them(sign):
    """Their output is that of the process: as long as one of them lives it has no end. Python loses an interrupt that
    comes just while it forks, so it is sent as a person would, until it is heard."""
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS_WORK],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(2)]
        assert lines == ["at work\n"] * 2
        for _ in range(PATIENCE_SECONDS):
            process.send_signal(sign)
            with suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=1)
                break
        process.kill()
    assert process.returncode not in (0, None)
