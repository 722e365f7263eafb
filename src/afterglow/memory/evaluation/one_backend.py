"""One backend, measured from one end to the other."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec

from afterglow.errors import AfterglowError
from afterglow.memory.backend import MemoryBackend
from afterglow.memory.evaluation.checks import CHECKS, check, erases
from afterglow.memory.evaluation.effort import CLOUD, LOCAL, Effort
from afterglow.memory.evaluation.probe import Probed
from afterglow.memory.evaluation.probe_user import Guest
from afterglow.memory.evaluation.processes import (
    Reopen,
    loses_nothing_to_other_writers,
    survives_a_kill,
)
from afterglow.memory.quality import Found, bundled, compared, measured
from afterglow.records.evaluation import POINTS, Check, Cost, Evaluation, Labels

Progress = Callable[[str], None]
LOCAL_PRIVACY, CLOUD_PRIVACY = POINTS["privacy"], 5


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

    `labels` is the set that comes with afterglow unless told. `reopen` opens the same backend once more, also in
    another process (it must be picklable); without it durability and concurrency are not tried. `folder` is where it
    alone keeps its files. A backend off this machine is asked little, and the labelled set only when `full`.
    """
    name, cloud = backend.backend_name, backend.is_cloud
    progress(f"{name}: is it there?")
    if not backend.is_available():
        return unavailable(name, cloud, "it does not answer")
    guest = Guest(backend)
    with guest:
        found = _measured(
            guest, CLOUD if cloud else LOCAL, labels, reopen, folder, full, progress
        )
    calls = (
        msgspec.structs.replace(found.cost, calls=guest.calls) if found.cost else None
    )
    return msgspec.structs.replace(found, cost=calls, left_behind=guest.left_behind)


def unavailable(name: str, cloud: bool, reason: str) -> Evaluation:
    return Evaluation(
        backend=name,
        available=False,
        is_cloud=cloud,
        points=dict.fromkeys(POINTS, 0),
        total=0,
        reason=reason,
    )


def _measured(
    guest: Guest,
    effort: Effort,
    labels: Labels | None,
    reopen: Reopen | None,
    folder: Path | None,
    full: bool,
    progress: Progress,
) -> Evaluation:
    backend = guest.backend
    progress(f"{backend.backend_name}: storing and finding {effort.probes} entries")
    cloud = backend.is_cloud
    _warmed(guest)
    before = _size(backend, folder)
    probed = Probed(guest, effort.probes)
    after = _size(backend, folder)
    points = {
        "availability": POINTS["availability"],
        **probed.points(),
        "privacy": CLOUD_PRIVACY if cloud else LOCAL_PRIVACY,
    }
    found = Evaluation(
        backend=backend.backend_name,
        available=True,
        is_cloud=cloud,
        points=points,
        total=sum(points.values()),
        keeps=probed.keeps,
        times=probed.times(),
        checks=tuple(probed.checks()),
        cost=Cost(
            bytes_per_entry=None
            if before is None or after is None
            else max(after - before, 0) / probed.n,
            text_per_entry=probed.text,
            calls=guest.calls,
            leaves_machine=cloud,
        ),
    )
    if not probed.keeps:
        why = probed.nothing_because
        untried = (*CHECKS, "erasure", "durability", "concurrency")
        return msgspec.structs.replace(
            found,
            reason=why,
            unmeasured=why,
            checks=found.checks
            + tuple(Check(name, "untried", why) for name in untried),
        )
    progress(f"{backend.backend_name}: what it does, survives and loses")
    checks = [check(name, partial(run, guest, effort)) for name, run in CHECKS.items()]
    checks.append(check("erasure", partial(erases, guest, folder)))
    checks.append(check("durability", partial(survives_a_kill, guest, effort, reopen)))
    checks.append(
        check(
            "concurrency",
            partial(loses_nothing_to_other_writers, guest, effort, reopen),
        )
    )
    progress(f"{backend.backend_name}: what it finds")
    return _with_quality(
        msgspec.structs.replace(found, checks=found.checks + tuple(checks)),
        guest,
        labels,
        full,
    )


def _with_quality(
    found: Evaluation, guest: Guest, labels: Labels | None, full: bool
) -> Evaluation:
    labels = labels or bundled()
    if found.is_cloud and not full:
        why = f"would send {len(labels.entries)} entries and {len(labels.questions)} questions off this machine"
        return msgspec.structs.replace(found, unmeasured=why)
    try:
        for entry in labels.entries:
            guest.store(entry.key, entry.value, name=_name(entry.user))
        mine = Found(
            labels,
            lambda user, text, limit: [
                (one.key, one.value)
                for one in guest.query(text, limit, name=_name(user))
            ],
        )
    except AfterglowError as error:
        return msgspec.structs.replace(found, unmeasured=str(error))
    others = compared(labels)
    return msgspec.structs.replace(
        found,
        quality=measured(found.backend, mine, others),
        baselines=tuple(measured(name, theirs) for name, theirs in others.items()),
    )


def _name(user: str) -> str:
    return f"labels-{user}"


def _warmed(guest: Guest) -> None:
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
