"""What a person decided is on the disk when the command returns; what can be made again need not be waited for."""

from afterglow.memory.local.schema import open_memory
from afterglow.store.databases import decision
from afterglow.store.experiments import Experiments
from afterglow.store.knowledge import Knowledge
from afterglow.store.ledger import Ledger

NORMAL, FULL = 1, 2  # as SQLite counts them


def synchronous(db) -> int:
    return db.execute("PRAGMA synchronous").fetchone()[0]


def test_what_people_decide_waits_for_the_disk(tmp_path):
    with Knowledge(tmp_path / "knowledge.db") as knowledge:
        assert synchronous(knowledge._db) == FULL
    with Experiments(tmp_path / "experiments.db") as experiments:
        assert synchronous(experiments._db) == FULL
    memory = open_memory(tmp_path / "memory.db")
    assert synchronous(memory) == FULL
    memory.close()


def test_a_decision_among_what_can_be_made_again_waits_and_the_rest_does_not(tmp_path):
    with Ledger(tmp_path / "ledger.db") as ledger:
        assert synchronous(ledger._db) == NORMAL
        with decision(ledger._db):
            assert synchronous(ledger._db) == FULL
        assert synchronous(ledger._db) == NORMAL
