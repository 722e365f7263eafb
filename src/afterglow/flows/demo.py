"""demo: the whole loop on a simulated fleet."""

from __future__ import annotations

import time
from pathlib import Path

from msgspec import Struct

from afterglow.config import Config
from afterglow.demo import Truth, write_fleet
from afterglow.flows.profile import profile
from afterglow.flows.sample import sample
from afterglow.flows.scan import scan
from afterglow.records.catalog import ScanReport
from afterglow.records.report import Report
from afterglow.records.sample import Sample

DAY = 86400


class Demo(Struct, frozen=True):
    """What was planted, and what each step made of it."""

    folder: str
    truth: Truth
    scan: ScanReport
    profile: Report
    sample: Sample


def demo(folder: Path, *, seed: int = 7, sessions: int = 300, jobs: int = 1) -> Demo:
    """Writes a fleet whose history ends today into `folder` (which must be empty) and runs every step on it."""
    until = float(time.time() // DAY * DAY)
    truth = write_fleet(folder / "fleet", seed=seed, sessions=sessions, until=until, jobs=jobs)
    config = Config(
        home=folder / "afterglow", user_home=folder / "fleet", paths=(folder / "fleet" / "openai",), cores=jobs
    )
    return Demo(
        str(folder),
        truth,
        scan(config, jobs=jobs),
        profile(config, simulated=True),
        sample(config, count=10),
    )
