"""Every border of rights at a hub holds, and the bench that says so would see one that does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from bench.borders.attempt import Attempt, judged, thought_of
from bench.borders.by_table import attempts_by_table
from bench.borders.over_http import judged_over_http
from bench.borders.scene import SIGHT, Scene, marked_hub
from msgspec.structs import replace

from postgres_server import new_database

pytestmark = pytest.mark.slow
ENOUGH = 200


@pytest.fixture(scope="module")
def scene(postgres: str) -> Iterator[Scene]:
    with new_database(postgres) as url, marked_hub(url) as scene:
        yield scene


def test_no_attempt_by_sql_crosses_a_border(scene: Scene):
    attempts = [*attempts_by_table(scene), *thought_of()]
    outcomes = judged(scene, attempts)
    assert [each for each in outcomes if each.crossed] == []
    assert len({(each.actor, each.statements) for each in attempts}) > ENOUGH
    assert len({each.name for each in attempts}) == len(attempts)


def test_no_attempt_over_http_crosses_a_border(scene: Scene, tmp_path: Path):
    outcomes = judged_over_http(scene, tmp_path)
    assert [each for each in outcomes if each.crossed] == []
    assert len({each.attempt for each in outcomes}) == len(outcomes)


@pytest.mark.parametrize("actor", ["dee", "cyd", "ben", "ada", "merge"])
def test_who_may_see_something_does(scene: Scene, actor: str):
    """Else nothing would be proved by not seeing the rest."""
    own_places = {mark for mark in SIGHT[actor] if mark.startswith("acme_")}
    place = scene.actors[actor]
    with psycopg.connect(place.url) as db:
        db.execute(
            "SELECT set_config('afterglow.token', %s, true), set_config('afterglow.org', %s, true)",
            [place.token, str(place.org)],
        )
        rows = db.execute("SELECT fact FROM afterglow.items").fetchall()
    places = {fact.partition("-")[0] for (fact,) in rows}
    assert places == {mark for mark in own_places if mark in _marks_of_items()}


def _marks_of_items() -> set[str]:
    return {"acme_harbor", "acme_quay", "acme_everywhere", "acme_nowhere"}


@pytest.mark.parametrize(
    ("attempt", "crossed"),
    [
        (
            Attempt("reads", "nobody", ("SELECT fact FROM afterglow.items",)),
            "saw",
        ),
        (
            Attempt(
                "counts", "nobody", ("SELECT count(*) FROM afterglow.items",), True
            ),
            "learned",
        ),
        (
            Attempt("writes", "nobody", ("UPDATE afterglow.items SET fact = 'x'",)),
            "changed items",
        ),
        (
            Attempt(
                "fails where something is",
                "nobody",
                ("SELECT 1 FROM afterglow.items WHERE fact::int = 1",),
                oracle="22P02",
            ),
            "an error told",
        ),
    ],
)
def test_a_border_that_does_not_hold_is_seen(
    postgres: str, attempt: Attempt, crossed: str
):
    """With a role that no border binds."""
    with new_database(postgres) as url, marked_hub(url) as scene:
        anybody = replace(scene.actors["nobody"], url=scene.superuser)
        unbound = replace(scene, actors={**scene.actors, "nobody": anybody})
        (outcome,) = judged(unbound, [attempt])
    assert outcome.crossed.startswith(crossed)
