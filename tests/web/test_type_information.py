"""Regression: three requests at once, right after the start, ended the server (msgspec read what was half built)."""

from __future__ import annotations

import subprocess
import sys

DECODES_AT_ONCE = """
import sys, threading
from afterglow.calls import programs
from afterglow.web.type_information import build_type_information
assert build_type_information() > 100
sys.setswitchinterval(1e-6)
start = threading.Barrier(8)
def read():
    start.wait()
    programs.table.__wrapped__()
threads = [threading.Thread(target=read) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def test_threads_that_decode_at_once_do_not_end_the_process():
    process = subprocess.run([sys.executable, "-c", DECODES_AT_ONCE], check=False)
    assert process.returncode == 0
