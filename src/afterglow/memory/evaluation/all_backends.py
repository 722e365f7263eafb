"""Every backend of the table, each in a scratch home beside the real one: on the same disk, and gone afterwards."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import msgspec

from afterglow.config import Config
from afterglow.errors import AfterglowError, ConfigError
from afterglow.memory.backends import BACKENDS, open_named
from afterglow.memory.evaluation.one_backend import Progress, evaluate, unavailable
from afterglow.records.evaluation import Evaluation, Labels

SCRATCH = "evaluation-"
STALE = 3600.0  # seconds after which a scratch home was left by a run that was killed


def evaluate_all(
    config: Config,
    names: Sequence[str] | None = None,
    *,
    labels: Labels | None = None,
    full: bool = False,
    progress: Progress = lambda doing: None,
) -> tuple[Evaluation, ...]:
    """What can be opened is measured; of the rest the reason is told. `progress` hears what is being done."""
    wanted = list(names) if names is not None else BACKENDS.names()
    unknown = [name for name in wanted if name not in BACKENDS.names()]
    if unknown:
        raise ConfigError(
            f"no memory backend {unknown[0]!r}; there are {', '.join(BACKENDS.names())}"
        )
    return tuple(_one(name, config, labels, full, progress) for name in wanted)


def _one(
    name: str, config: Config, labels: Labels | None, full: bool, progress: Progress
) -> Evaluation:
    if name == "honcho" and not (config.honcho.key or config.honcho.url):
        return unavailable(
            name,
            True,
            "no key: set HONCHO_API_KEY, or HONCHO_URL for a server of your own",
        )
    with scratch_home(config) as settings:
        reopen = partial(open_named, name, settings)
        try:
            backend = reopen()
        except AfterglowError as error:
            return unavailable(name, False, str(error))
        try:
            folder = None if backend.is_cloud else settings.home
            return evaluate(
                backend,
                labels=labels,
                reopen=reopen,
                folder=folder,
                full=full,
                progress=progress,
            )
        finally:
            backend.close()


@contextmanager
def scratch_home(config: Config) -> Iterator[Config]:
    """The same settings with a home of their own. A home that is not there yet is not made for this."""
    home = config.home if config.home.is_dir() else None
    if home:
        for old in home.glob(f"{SCRATCH}*"):
            if (
                not old.is_symlink()
                and old.is_dir()
                and old.stat().st_mtime < time.time() - STALE
            ):
                shutil.rmtree(old, ignore_errors=True)
    try:
        folder = tempfile.TemporaryDirectory(
            prefix=SCRATCH, dir=home, ignore_cleanup_errors=True
        )
    except OSError:  # a home that cannot be written
        folder = tempfile.TemporaryDirectory(
            prefix=f"afterglow-{SCRATCH}", ignore_cleanup_errors=True
        )
    with folder as path:
        yield msgspec.structs.replace(config, home=Path(path))
