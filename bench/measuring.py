"""Times commands and watches the memory of a whole process tree."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple


class Run(NamedTuple):
    seconds: float
    peak_mb: float
    output: str


def environment(home: Path) -> dict[str, str]:
    """Ours, with bytecode allowed (start-up is measured compiled) and a home of its own."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name != "PYTHONDONTWRITEBYTECODE"
    }
    return {**kept, "AFTERGLOW_HOME": str(home), "HOME": str(home)}


def command(*words: str, home: Path, code: int = 0) -> Run:
    """Runs a command to its end; the peak is the sum over all its processes (shared pages counted once)."""
    start = time.perf_counter()
    process = subprocess.Popen(
        words, env=environment(home), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    peak = [0.0]
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.05):
            peak[0] = max(peak[0], sum(map(_proportional_mb, _tree(process.pid))))

    watcher = threading.Thread(target=watch)
    watcher.start()
    output, _ = process.communicate()
    seconds = time.perf_counter() - start
    done.set()
    watcher.join()
    assert process.returncode == code, output.decode()
    return Run(seconds, peak[0], output.decode())


def median_ms(*words: str, home: Path, times: int = 15) -> float:
    """The median time of a short command, after one run to compile."""
    env = environment(home)
    taken = []
    for _ in range(times + 1):
        start = time.perf_counter()
        subprocess.run(
            words,
            env=env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        taken.append(1000 * (time.perf_counter() - start))
    return statistics.median(taken[1:])


def afterglow(*words: str) -> tuple[str, ...]:
    return (str(Path(sys.executable).with_name("afterglow")), *words)


def _tree(pid: int) -> list[int]:
    found, waiting = [], [pid]
    while waiting:
        one = waiting.pop()
        found.append(one)
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            try:
                waiting += map(int, task.read_text().split())
            except OSError:
                continue
    return found


def _proportional_mb(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1000
