"""A session with thousands of calls takes as long as many short ones: no miner looks at everything again and again."""

from __future__ import annotations

import pytest

from afterglow.harvest import MINERS
from trails import trail_of
from writing import Transcript


def name(number: int) -> str:
    """A word without digits, so that no two are taken for one."""
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number:05d}")


def linted(session: Transcript, number: int) -> None:
    lines = "\n".join(
        f"pier{n}.go:{number}:1: plank {number} is loose (rule{number % 90})"
        for n in range(8)
    )
    session.run("golangci-lint run", f"Exit code 1\n{lines}", error=True)
    path = f"/home/ana/src/harbor/pier{number % 8}.go"
    session.ask("Edit", file_path=path, old_string="a", new_string="b").answer("")


def looked_up(session: Transcript, number: int) -> None:
    session.ask("Read", file_path=f"/home/ana/src/harbor/a/f{number}.go").answer(
        "File does not exist.", error=True
    )
    session.ask("Glob", pattern=f"**/f{number}.go").answer(
        f"/home/ana/src/harbor/b/f{number}.go"
    )
    session.ask("Read", file_path=f"/home/ana/src/harbor/b/f{number}.go").answer(
        "package b"
    )


def checked(session: Transcript, number: int) -> None:
    session.run(f"make test-{name(number)}")


def corrected(session: Transcript, number: int) -> None:
    session.user(f"no, use crane {number} instead of the {name(number)} one").run(
        "cat a"
    ).run("cat b").run("cat c")


def findings(miner: str, event, times: int) -> int:
    session = Transcript().user("go")
    for number in range(times):
        session.clock = 0  # the calendar of a test is short
        event(session, number)
    return len(list(MINERS.load(miner).mine(trail_of(session))))


@pytest.mark.parametrize(
    ("miner", "event"),
    [
        ("linters", linted), ("places", looked_up), ("commands", checked), ("corrections", corrected),
    ],
)  # fmt: skip
def test_thousands_of_calls_come_to_an_end_and_say_no_less(miner, event):
    """With work that grows with the square of the calls this takes minutes; `bench.miners` has the ratio."""
    assert findings(miner, event, 2000) >= findings(miner, event, 200)
