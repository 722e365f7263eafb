"""The places of the catalogue: where sessions say they worked, when they did, and which repository that is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import msgspec

from afterglow.records.session import Repo
from afterglow.sessions.repos import Place, Use
from afterglow.store.catalog import Catalog
from afterglow.store.catalog_schema import key_of

DAY = 86400.0


class Places:
    """The table of an open catalogue."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def all(self) -> list[Place]:
        query = "SELECT remote, git_root, cwd, branch FROM places"
        return [Place(*row) for row in self._catalog.rows(query)]

    def uses(self) -> dict[Place, Use]:
        """When sessions worked at each."""
        starts: dict[Place, list[float]] = defaultdict(list)
        query = (
            "SELECT remote, git_root, cwd, branch, start "
            "FROM places JOIN sessions USING (place)"
        )
        for *place, start in self._catalog.rows(query):
            starts[Place(*place)] += [] if start is None else [start]
        return {
            place: Use(
                min(times, default=float("inf")),
                frozenset(int(time // DAY) for time in times),
            )
            for place, times in starts.items()
        }

    def unnamed(self) -> bool:
        """Whether some place has not been given its repo yet, or not for good."""
        query = "SELECT 1 FROM places WHERE repo_by IN ('', 'unconfirmed') LIMIT 1"
        return bool(self._catalog.rows(query))

    def name_repos(self, repos: Mapping[Place, Repo]) -> None:
        named = [
            (repo.name, repo.by, key_of(*msgspec.structs.astuple(place)))
            for place, repo in repos.items()
        ]
        with self._catalog.writing() as db:
            db.executemany(
                "UPDATE places SET repo = ?, repo_by = ? WHERE place = ?", named
            )
