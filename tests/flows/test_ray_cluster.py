"""The engine ray: the same results as processes of this machine; a worker that ends costs its piece, not the run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from bench.engine import content

from afterglow.config import Config
from afterglow.environment import ray_keeps_to_itself
from afterglow.errors import Unsupported, UsageError
from afterglow.flows.code_mark import code_mark
from afterglow.flows.harvest import harvest
from afterglow.flows.ray_cluster import LOST, Run
from afterglow.flows.read import scan
from afterglow.flows.read.scan_worker import Job
from afterglow.flows.read.surveys import NOT_SHARED, _lost, _seen_from_here
from afterglow.flows.workers import in_use, spread
from afterglow.records.catalog import Source
from afterglow.records.engine import Engine
from afterglow.records.selection import below
from afterglow.store.catalog import Catalog
from afterglow_demo import write_fleet
from flows.test_workers import is_over, until
from object_store import ObjectStore, object_store

pytestmark = pytest.mark.slow

RAY = Engine("ray")
NOW = 1_790_000_000.0

ENDLESS_WORK = """
import os, signal, sys
from collections import deque
from pathlib import Path
from afterglow.flows.workers import spread
from afterglow.records.engine import Engine

def work(folder):
    Path(folder, str(os.getpid())).touch()
    while True:
        signal.pause()

for _ in spread(work, deque([sys.argv[1]] * 8), 2, engine=Engine("ray")):
    pass
"""


@pytest.fixture(scope="module")
def bucket() -> Iterator[ObjectStore]:
    with object_store() as store, pytest.MonkeyPatch.context() as patch:
        for name, value in store.variables.items():
            patch.setenv(name, value)
        yield store


@pytest.fixture(scope="module")
def ray(bucket) -> Iterator[object]:
    """A small cluster on this machine, for all tests of this module. Its workers may read the bucket."""
    ray_keeps_to_itself()
    import ray

    ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    yield ray
    ray.shutdown()


@pytest.fixture(scope="module")
def fleet(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("fleet") / "sessions"
    write_fleet(folder, sessions=60, scale=0.2)
    return folder


def harvested(home: Path, fleet: Path, engine: Engine) -> dict:
    config = Config(home=home, user_home=home)
    scanned = scan(config, [fleet], jobs=2, engine=engine)
    report = harvest(config, below(fleet), jobs=2, engine=engine, now=NOW)
    assert scanned.sessions and report.mined
    return content(home)


def test_a_harvest_by_ray_leaves_the_same_in_every_table(ray, fleet, tmp_path):
    here = harvested(tmp_path / "here", fleet, Engine())
    by_ray = harvested(tmp_path / "ray", fleet, RAY)
    assert len(here["knowledge.items"]) > 5
    assert by_ray == here


def test_workers_read_an_object_store_themselves(ray, bucket, tmp_path):
    session = (
        '{"type":"user","sessionId":"s1","uuid":"u1","parentUuid":null,"userType":"external",'
        '"timestamp":"2026-06-20T10:00:00Z","message":{"role":"user","content":"hello"}}\n'
    )
    bucket.objects["team/sessions/s1.jsonl"] = session.encode()
    config = Config(home=tmp_path, user_home=tmp_path)
    report = scan(config, [Path("s3://team/sessions")], jobs=2, engine=RAY)
    assert (report.read, report.troubles) == (1, ())
    with Catalog(config.catalog) as catalog:
        [entry] = catalog.entries(all=True)
    assert (entry.id, entry.source) == ("s1", "s3://team/sessions/s1.jsonl")


def ends_its_worker(numbers: list[int]) -> list[int]:
    if 3 in numbers:
        os.kill(os.getpid(), signal.SIGKILL)
    return [10 * number for number in numbers]


def test_what_ends_its_worker_each_time_is_told_and_costs_only_itself(ray, capsys):
    def lost(numbers: list[int], why: str) -> list[int]:
        assert why == LOST
        return [-number for number in numbers]

    pieces = deque([[1, 2, 3, 4], [5, 6]])
    results = dict.fromkeys(range(1, 7), 0)
    with in_use(RAY):
        for work, done in spread(ends_its_worker, pieces, 2, engine=RAY, lost=lost):
            results |= dict(zip(work, done, strict=True))
    assert capsys.readouterr().out == ""  # it may be what a program reads
    assert results == {1: 10, 2: 20, 3: -3, 4: 40, 5: 50, 6: 60}


def ends_its_worker_once(place: str) -> str:
    try:
        Path(place).touch(exist_ok=False)
    except FileExistsError:
        return "done"
    os.kill(os.getpid(), signal.SIGKILL)
    return "never"


def test_a_piece_whose_worker_was_ended_is_tried_again(ray, tmp_path):
    places = deque([str(tmp_path / name) for name in "abc"])
    results = [done for _, done in spread(ends_its_worker_once, places, 2, engine=RAY)]
    assert results == ["done"] * 3


def fails(number: int) -> int:
    raise UsageError(f"{number} is wrong")


def test_an_error_of_the_function_flies_as_it_would_here(ray):
    with pytest.raises(UsageError, match="7 is wrong"):
        list(spread(fails, deque([7]), 2, engine=RAY))


def same(number: int) -> int:
    return number


def test_workers_that_run_other_code_are_refused_in_words(ray):
    run = Run(ray, same, 2, None, "afterglow 0.0.9 (0000), Python 3.11")
    with pytest.raises(Unsupported) as error:
        list(run.results(deque([1])))
    message = str(error.value)
    assert code_mark() in message
    assert "here it is afterglow 0.0.9" in message
    assert "install the same on every node" in message


def test_a_cluster_that_is_not_there_is_said_so():
    """In another process: this one has a cluster already."""
    code = (
        "from collections import deque\n"
        "from afterglow.errors import Unreachable\n"
        "from afterglow.flows.workers import spread\n"
        "from afterglow.records.engine import Engine\n"
        "for address in ('127.0.0.1:1', 'ray://nowhere.invalid:10001'):\n"
        "    try:\n"
        "        list(spread(str, deque([1]), 0, engine=Engine('ray', address)))\n"
        "    except Unreachable as error:\n"
        "        print(error)\n"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    first, second = process.stdout.splitlines()
    assert first.startswith("no Ray cluster at 127.0.0.1:1: ")
    assert second.startswith("no Ray cluster at ray://nowhere.invalid:10001: ")


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_an_interrupt_ends_the_run_and_every_worker(tmp_path):
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
                process.send_signal(signal.SIGINT)
            return process.poll() is not None

        assert until(has_ended)
        assert until(lambda: all(map(is_over, workers)))
    finally:
        for each in [process.pid, *workers]:
            with suppress(OSError):
                os.kill(each, signal.SIGKILL)
        process.wait()


def test_a_file_that_only_this_machine_sees_is_not_gone(tmp_path):
    here = tmp_path / "a.jsonl"
    here.touch()
    [surveyed] = _lost([Job(str(here), 1, 1, 1)], "why")
    assert (surveyed.source.state, surveyed.source.reason) == ("busy", "why")
    for path, expected in [
        (here, ("busy", NOT_SHARED)),
        (tmp_path / "b", ("gone", "")),
    ]:
        source = Source(str(path), "", 1, 1, state="gone")
        seen = _seen_from_here(type(surveyed)(source)).source
        assert (seen.state, seen.reason) == expected


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(Unsupported, match=r"pip install 'afterglow-agents\[ray\]'"):
        list(spread(same, deque([1]), 1, engine=RAY))


def test_an_engine_that_nobody_has_is_named_with_those_there_are():
    with pytest.raises(UsageError, match="spark is no engine; there are: local, ray"):
        list(spread(same, deque([1]), 1, engine=Engine("spark")))
