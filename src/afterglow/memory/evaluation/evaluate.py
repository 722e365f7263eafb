"""A backend measured from one end to the other; every backend of the table, each in a scratch home beside the real one.

A scratch home is on the same disk as the home, and gone afterwards.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import msgspec
from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import AfterglowError, ConfigError
from afterglow.memory.backend import MemoryBackend
from afterglow.memory.backends import BACKENDS, open_named
from afterglow.memory.evaluation.checks import CHECKS, check, erases
from afterglow.memory.evaluation.probe import (
    CLOUD_EFFORT,
    LOCAL_EFFORT,
    Guest,
    ProbeResult,
    probe,
)
from afterglow.memory.evaluation.processes import (
    Reopen,
    loses_nothing_to_other_writers,
    survives_a_kill,
)
from afterglow.memory.quality import SearchAnswers, bundled, compared, measured
from afterglow.records.evaluation import (
    POINTS,
    Cost,
    Evaluation,
    Labels,
    MemoryCheck,
    Quality,
)

Progress = Callable[[str], None]
CLOUD_PRIVACY_POINTS = 5  # a quarter: the data leaves, but to a place one chose
SCREEN_CUT = 5  # entries that a person or an agent looks at
SCRATCH_PREFIX = "evaluation-"
STALE_SECONDS = 3600.0  # a scratch home this old was left by a run that was killed


class Options(Struct, frozen=True, kw_only=True):
    """`labels` is the set that comes with afterglow unless told. `reopen` opens the same backend once more, also in
    another process (it must be picklable). `folder` is where the backend alone keeps its files."""

    labels: Labels | None = None
    reopen: Reopen | None = None
    folder: Path | None = None
    full: bool = False
    progress: Progress = lambda doing: None


def evaluate(
    backend: MemoryBackend,
    *,
    labels: Labels | None = None,
    reopen: Reopen | None = None,
    folder: Path | None = None,
    full: bool = False,
    progress: Progress = lambda doing: None,
) -> Evaluation:
    """Scores a backend as a user nobody has; what that user stored is deleted again.

    Without `reopen` durability and concurrency are not tried. A backend off this machine is asked little, and the
    labelled set only when `full`.
    """
    options = Options(
        labels=labels, reopen=reopen, folder=folder, full=full, progress=progress
    )
    name, cloud = backend.backend_name, backend.is_cloud
    progress(f"{name}: is it there?")
    if not backend.is_available():
        return _unavailable(name, cloud, "it does not answer")
    guest = Guest(backend, CLOUD_EFFORT if cloud else LOCAL_EFFORT)
    with guest:
        evaluation = _evaluate_as(guest, options)
    cost = evaluation.cost and msgspec.structs.replace(
        evaluation.cost, calls=guest.calls
    )
    return msgspec.structs.replace(evaluation, cost=cost, left_behind=guest.left_behind)


def evaluate_all(
    config: Config,
    names: Sequence[str] | None = None,
    *,
    labels: Labels | None = None,
    full: bool = False,
    progress: Progress = lambda doing: None,
) -> tuple[Evaluation, ...]:
    """What can be opened is measured; of the rest the reason is told. `progress` hears what is being done."""
    chosen = list(names) if names is not None else BACKENDS.names()
    unknown = [name for name in chosen if name not in BACKENDS.names()]
    if unknown:
        raise ConfigError(
            f"no memory backend {unknown[0]!r}; there are {', '.join(BACKENDS.names())}"
        )
    options = Options(labels=labels, full=full, progress=progress)
    return tuple(_evaluate_named(name, config, options) for name in chosen)


def _evaluate_named(name: str, config: Config, options: Options) -> Evaluation:
    if name == "honcho" and not (config.honcho.key or config.honcho.url):
        return _unavailable(
            name,
            True,
            "no key: set HONCHO_API_KEY, or HONCHO_URL for a server of your own",
        )
    with scratch_home(config) as settings:
        reopen = partial(open_named, name, settings)
        try:
            backend = reopen()
        except AfterglowError as error:
            return _unavailable(name, False, str(error))
        try:
            return evaluate(
                backend,
                labels=options.labels,
                reopen=reopen,
                folder=None if backend.is_cloud else settings.home,
                full=options.full,
                progress=options.progress,
            )
        finally:
            backend.close()


def _unavailable(name: str, cloud: bool, reason: str) -> Evaluation:
    return Evaluation(
        backend=name,
        available=False,
        is_cloud=cloud,
        points=dict.fromkeys(POINTS, 0),
        total=0,
        reason=reason,
    )


@contextmanager
def scratch_home(config: Config) -> Iterator[Config]:
    """The same settings with a home of their own. A home that is not there yet is not made for this."""
    home = config.home if config.home.is_dir() else None
    if home:
        _remove_stale(home)
    try:
        folder = tempfile.TemporaryDirectory(
            prefix=SCRATCH_PREFIX, dir=home, ignore_cleanup_errors=True
        )
    except OSError:  # a home that cannot be written
        folder = tempfile.TemporaryDirectory(
            prefix=f"afterglow-{SCRATCH_PREFIX}", ignore_cleanup_errors=True
        )
    with folder as path:
        yield msgspec.structs.replace(config, home=Path(path))


def _remove_stale(home: Path) -> None:
    oldest = time.time() - STALE_SECONDS
    for folder in home.glob(f"{SCRATCH_PREFIX}*"):
        if folder.is_symlink() or not folder.is_dir():
            continue
        if folder.stat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)


def _evaluate_as(guest: Guest, options: Options) -> Evaluation:
    name = guest.backend.backend_name
    options.progress(f"{name}: storing and finding {guest.effort.probes} entries")
    evaluation, nothing_kept = _basics(guest, options.folder)
    if nothing_kept:
        untried = (*CHECKS, "erasure", "durability", "concurrency")
        return msgspec.structs.replace(
            evaluation,
            reason=nothing_kept,
            unmeasured=nothing_kept,
            checks=evaluation.checks
            + tuple(
                MemoryCheck(check_name, "untried", nothing_kept)
                for check_name in untried
            ),
        )
    options.progress(f"{name}: what it does, survives and loses")
    checks = evaluation.checks + tuple(_further_checks(guest, options))
    options.progress(f"{name}: what it finds")
    return _with_quality(
        msgspec.structs.replace(evaluation, checks=checks), guest, options
    )


def _basics(guest: Guest, folder: Path | None) -> tuple[Evaluation, str]:
    """What storing and finding is worth; and why nothing is kept, where that is so."""
    backend = guest.backend
    _warm_up(guest)
    before = _size(backend, folder)
    probed = probe(guest)
    after = _size(backend, folder)
    points = {
        "availability": POINTS["availability"],
        **probed.points(),
        "privacy": CLOUD_PRIVACY_POINTS if backend.is_cloud else POINTS["privacy"],
    }
    evaluation = Evaluation(
        backend=backend.backend_name,
        available=True,
        is_cloud=backend.is_cloud,
        points=points,
        total=sum(points.values()),
        keeps=probed.keeps,
        times=probed.times(),
        checks=tuple(probed.checks()),
        cost=_cost(guest, probed, before, after),
    )
    return evaluation, "" if probed.keeps else probed.nothing_because


def _cost(
    guest: Guest, probed: ProbeResult, before: int | None, after: int | None
) -> Cost:
    bytes_per_entry = None
    if before is not None and after is not None:
        bytes_per_entry = max(after - before, 0) / probed.n
    return Cost(
        bytes_per_entry=bytes_per_entry,
        text_per_entry=probed.text_per_entry,
        calls=guest.calls,
        leaves_machine=guest.backend.is_cloud,
    )


def _further_checks(guest: Guest, options: Options) -> Iterator[MemoryCheck]:
    for name, run in CHECKS.items():
        yield check(name, partial(run, guest))
    yield check("erasure", partial(erases, guest, options.folder))
    yield check("durability", partial(survives_a_kill, guest, options.reopen))
    yield check(
        "concurrency", partial(loses_nothing_to_other_writers, guest, options.reopen)
    )


def _with_quality(evaluation: Evaluation, guest: Guest, options: Options) -> Evaluation:
    labels = options.labels or bundled()
    if evaluation.is_cloud and not options.full:
        reason = f"would send {len(labels.entries)} entries and {len(labels.questions)} questions off this machine"
        return msgspec.structs.replace(evaluation, unmeasured=reason)

    def find(user: str, text: str, limit: int) -> list[tuple[str, str]]:
        entries = guest.query(text, limit, name=f"labels-{user}")
        return [(entry.key, entry.value) for entry in entries]

    try:
        for entry in labels.entries:
            guest.store(entry.key, entry.value, name=f"labels-{entry.user}")
        answers = SearchAnswers(labels, find)
    except AfterglowError as error:
        return msgspec.structs.replace(evaluation, unmeasured=str(error))
    baselines = compared(labels)
    quality = measured(evaluation.backend, answers, baselines)
    points = evaluation.points | {"query": _query_points(evaluation, quality)}
    return msgspec.structs.replace(
        evaluation,
        points=points,
        total=sum(points.values()),
        quality=quality,
        baselines=tuple(
            measured(name, baseline) for name, baseline in baselines.items()
        ),
    )


def _query_points(evaluation: Evaluation, quality: Quality) -> int:
    """That questions are answered earns little; that the answer is right earns them all."""
    right = round(POINTS["query"] * quality.recall[SCREEN_CUT].value)
    return min(evaluation.points["query"], right)


def _warm_up(guest: Guest) -> None:
    """The first call opens files and compiles rules. What goes wrong here goes wrong again where it is counted."""
    try:
        guest.store("warm", "so that nothing is opened or compiled while it is timed")
    except AfterglowError:
        return


def _size(backend: MemoryBackend, folder: Path | None) -> int | None:
    """Bytes of all files, with everything written down."""
    if folder is None:
        return None
    backend.close()
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
