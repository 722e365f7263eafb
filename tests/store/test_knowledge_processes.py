"""Many writers at once, and writers that are killed."""

import random
import subprocess
import sys
from pathlib import Path

from afterglow.store.knowledge import Knowledge
from store.keeping import item, span

TESTS = str(Path(__file__).parents[1])
START = f"""
import sys
sys.path.insert(0, {TESTS!r})
from pathlib import Path
from store.keeping import item, span
from afterglow.store.knowledge import Knowledge
path, name = Path(sys.argv[1]), sys.argv[2]
"""
SHARED_WRITER = """
for number in range(25):
    with Knowledge(path) as knowledge, knowledge.transaction():
        known = knowledge.find(["shared"])
        spans = known["shared"].evidence if known else ()
        knowledge.save([
            item("shared", fact="seen by all", evidence=(*spans, span(f"{name}-{number}"))),
            item(f"{name}-{number}", fact=f"fact {number} of {name}"),
        ], by="harvest", now=1.0)
"""
ENDLESS_WRITER = """
number = 0
with Knowledge(path, large=500) as knowledge:
    while True:
        some = [f"{name}-{number}-{place}" for place in range(1 + number % 40)]
        knowledge.save([item(id, fact=f"fact of {id} {'-' * 300}", tags=(id,)) for id in some], by="harvest", now=1.0)
        knowledge.save([item("shared", fact=f"seen {number}", evidence=(span(name),))], by="harvest", now=1.0)
        knowledge.bury([f"{name}-{number - 3}-0"], by="person", why="test", now=1.0)
        assert knowledge.search(some[0])
        print(" ".join(some), flush=True)
        number += 1
"""


def start(code: str, path: Path, name: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", START + code, path, name],
        stdout=subprocess.PIPE,
        text=True,
    )


def test_eight_processes_writing_at_once_lose_nothing(tmp_path):
    path = tmp_path / "knowledge.db"
    writers = [start(SHARED_WRITER, path, f"w{number}") for number in range(8)]
    assert [writer.wait() for writer in writers] == [0] * 8
    with Knowledge(path) as knowledge:
        assert knowledge.counts().items == 1 + 8 * 25
        seen = {one.session for one in knowledge.get("shared").evidence}
        assert seen == {
            f"w{writer}-{number}" for writer in range(8) for number in range(25)
        }
        assert knowledge.check() == []
    for writer in writers:
        writer.stdout.close()


def test_killed_writers_leave_a_sound_store_with_all_they_committed(tmp_path):
    path = tmp_path / "knowledge.db"
    chance = random.Random(5)
    said: set[str] = set()
    for round in range(12):
        writer = start(ENDLESS_WRITER, path, f"r{round}")
        told = [writer.stdout.readline() for _ in range(chance.randint(1, 30))]
        writer.kill()  # somewhere inside the save that follows
        told += writer.stdout.readlines()
        writer.wait()
        writer.stdout.close()
        said.update(
            word for line in told if line.endswith("\n") for word in line.split()
        )
        with Knowledge(path) as knowledge:
            assert knowledge.check() == []
            missing = said - knowledge.find(said).keys()
            assert missing == knowledge.buried(missing)
            assert knowledge.search("fact of", limit=5)
    assert len(said) > 500


def test_a_reader_is_not_held_up_by_an_open_turn(tmp_path):
    with (
        Knowledge(tmp_path / "knowledge.db") as writer,
        Knowledge(tmp_path / "knowledge.db") as reader,
    ):
        writer.save([item("a")], by="harvest", now=1.0)
        with writer.transaction():
            writer.save([item("b", evidence=(span("s9"),))], by="harvest", now=1.0)
            assert [one.id for one in reader.items()] == ["a"]
            assert reader.search("lint")[0].item.id == "a"
