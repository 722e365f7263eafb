"""Twenty sessions start and twenty end at once, beside a harvest: every answer is valid, and nothing is lost."""

from __future__ import annotations

import json
import subprocess
import sys

from afterglow.config import Config, environment
from afterglow.flows.harvest import log_of, waiting
from afterglow.store.catalog import Catalog
from afterglow.store.ledger import Ledger
from hooks.calling import PROGRAM, event
from keeping import home_with_rules, item, keep
from writing import ordinary

MANY = 20
PATIENT = (
    "--deadline-ms",
    "60000",
)  # how long they take is measured in bench/hooks.py; here they must only not get stuck
HARVEST = """
import sys
from pathlib import Path
from afterglow.config import load
from afterglow.flows.harvest import harvest
print("begun", flush=True)
while True:
    harvest(load(), [Path(sys.argv[1])], again=True)
"""


def test_twenty_hooks_at_once_beside_a_running_harvest(tmp_path, compiled_rules):
    home = home_with_rules(tmp_path / "kept", compiled_rules)
    config = Config(home=home, user_home=tmp_path / "home")
    keep(config, *(item(number) for number in range(30)))
    for number in range(100, 140):
        ordinary(number).save(tmp_path / "old")
    ended = [ordinary(number) for number in range(MANY)]
    env = environment(config)
    with subprocess.Popen(
        [sys.executable, "-c", HARVEST, str(tmp_path / "old")],
        env=env,
        stdout=subprocess.PIPE,
    ) as harvest:
        assert harvest.stdout.readline() == b"begun\n"
        told = [
            event("SessionStart", session_id=f"start {number}")
            for number in range(MANY)
        ]
        told += [
            event(
                "SessionEnd",
                session_id=one.id,
                transcript_path=str(one.save(tmp_path / "new")),
            )
            for one in ended
        ]
        hooks = [
            subprocess.Popen(
                [*PROGRAM, *PATIENT],
                env=env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            for _ in told
        ]
        for process, one in zip(hooks, told, strict=True):
            process.stdin.write(json.dumps(one).encode())
            process.stdin.close()
        answers = [json.loads(process.stdout.read()) for process in hooks]
        assert [process.stderr.read() for process in hooks] == [b""] * len(hooks)
        assert [process.wait() for process in hooks] == [0] * len(hooks)
        for process in hooks:
            process.stdout.close()
            process.stderr.close()
        harvest.kill()
    contexts = [
        answer["hookSpecificOutput"]["additionalContext"] for answer in answers[:MANY]
    ]
    assert answers[MANY:] == [{}] * MANY
    with Ledger(config.ledger) as ledger:
        given = {one.session: one.id for one in ledger.deliveries()}
    assert sorted(given) == sorted(f"start {number}" for number in range(MANY))
    assert all(
        given[f"start {number}"] in context for number, context in enumerate(contexts)
    )
    while waiting(config):
        subprocess.run([*PROGRAM, "afterwards"], env=env, check=True)
    with Catalog(config.catalog) as catalog:
        mined = catalog.rows("SELECT id FROM sessions JOIN mined USING (key)")
    assert {one.id for one in ended} <= {id for (id,) in mined}
    assert log_of(config).recent() == []
