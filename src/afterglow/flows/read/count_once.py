"""Sessions that start with a copy of another are read again behind it, so that a call counts once.

Only a whole catalogue can tell them: what was copied, and from where, shows when both have been read.
"""

from __future__ import annotations

from collections.abc import Iterable

from afterglow.flows.read.kept_out import KeptOut
from afterglow.flows.read.scan_worker import Job, Survey
from afterglow.sessions.formats import FORMATS
from afterglow.store.catalog import Catalog
from afterglow.store.catalog_schema import key_of
from afterglow.store.copied_calls import Recount, drop_mined, recounts


def recount_jobs(catalog: Catalog) -> list[Job]:
    """What has to be read again, because it counts what counts elsewhere, or because that is gone."""
    return [
        job
        for recount in recounts(catalog, _is_database)
        for job in _jobs(catalog, recount)
    ]


def _is_database(format: str) -> bool:
    return hasattr(FORMATS.load(format), "stamps")


def _jobs(catalog: Catalog, recount: Recount) -> Iterable[Job]:
    session = recount.session
    folder, _, name = session.source.rpartition("/")
    source = catalog.sources(folder).get(name)
    if source is None:
        return
    yield Job(
        source.path,
        source.size,
        source.mtime_ns,
        source.inode,
        session.format,
        only={session.id: session.stamp} if _is_database(session.format) else None,
        again=True,
        copied=recount.copied,
        parent=recount.parent,
    )


def keep_recounted(
    catalog: Catalog, kept_out: KeptOut, jobs: Iterable[Job], surveys: Iterable[Survey]
) -> None:
    """In place of what the same sessions were before. What cannot be read just now stays as it is."""
    for job, surveyed in zip(jobs, surveys, strict=True):
        if surveyed.source.state != "ok":
            continue
        rows = kept_out.remaining(surveyed)
        sources = [] if job.only else [(surveyed.source, surveyed.damage)]
        catalog.save(sources, rows)
        drop_mined(catalog, [key_of(row.source, row.id) for row in rows])
        if job.only is None:
            catalog.drop_others(job.path, [row.id for row in rows])
