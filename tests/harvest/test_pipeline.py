"""All miners over one session: nothing secret comes out, however its words were cut."""

from __future__ import annotations

import pytest

from afterglow.harvest.pipeline import MOST, mine_session
from afterglow.harvest.secret_values import without
from afterglow.harvest.trail import Trail
from afterglow.records import Call, Session, Turn
from afterglow.text.redact import Redactor
from trails import trail_of
from writing import Transcript

TOKEN = "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3h6J"
PASSWORD = "Vq7" + "mTz2KpLw9Xc4R"
REDACTOR = Redactor(engine="python")


def kept(session: Transcript) -> str:
    """Every word that leaves the module."""
    return repr(
        mine_session(trail_of(session).session, "otterquay/harbor", REDACTOR).findings
    )


@pytest.mark.parametrize("length", [100, 140, 160, 200, 300])
@pytest.mark.parametrize("seen", [10, 20, 30])
def test_a_token_that_was_cut_off_with_its_message_is_not_kept(length, seen):
    words = ("fatal: the lock of the quay is held, permission denied " * 8)[
        : length - seen - 1
    ]
    session = (
        Transcript()
        .user("sync")
        .run("harborctl sync --fast", f"Exit code 1\n{words} {TOKEN}", error=True)
        .run("harborctl sync --slow", "synced")
    )
    assert "harborctl" in kept(session) and TOKEN[:9] not in kept(session)


def test_a_password_that_was_parted_from_its_flag_is_not_kept():
    session = (
        Transcript()
        .user("look")
        .run(
            f"mysql -u root -p{PASSWORD} tides",
            "Exit code 1\nERROR: unknown option",
            error=True,
        )
        .run(f"mysql -u root -p{PASSWORD[::-1]} tides --protocol=tcp")
        .run(
            f"curl -u ana:{PASSWORD} https://quay.example/a",
            "Exit code 1\nunknown flag: -u",
            error=True,
        )
        .run(f"curl --user ana:{PASSWORD} https://quay.example/a")
    )
    found = kept(session)
    assert (
        "protocol=tcp" in found
        and PASSWORD not in found
        and PASSWORD[::-1] not in found
    )


def test_an_address_is_not_kept_in_the_key_of_a_rule():
    session = (
        Transcript()
        .user("go")
        .reply("ok")
        .user("always send reports to mara.lind" + "@quayside.example please")
    )
    assert "mara.lind" not in kept(session).lower()


def test_values_are_taken_out_whole_small_or_cut_but_not_out_of_other_words():
    values = [(PASSWORD, "<secret:x>"), ("4711", "<secret:pin>")]
    assert without(f"a {PASSWORD} b", values) == "a <secret:x> b"
    assert without(f"key {PASSWORD.lower()}", values) == "key <secret:x>"
    assert without(f"ends in {PASSWORD[:9]}…", values) == "ends in <secret:x>…"
    assert without("port 47110, pin 4711", values) == "port 47110, pin <secret:pin>"
    assert without("İ" + PASSWORD, values) == "İ<secret:x>"


def test_colours_are_no_part_of_a_message():
    session = (
        Transcript()
        .user("go")
        .run(
            "tide --x",
            "Exit code 1\n\x1b[31merror\x1b[0m: \x1b[1munknown flag\x1b[0m: --x",
            error=True,
        )
        .run("tide --y")
    )
    (found,) = [
        one
        for one in mine_session(trail_of(session).session, "r", REDACTOR).findings
        if one.miner == "recoveries"
    ]
    assert (
        found.slots["error"] == "error: unknown flag: --x"
        and "[0m" not in found.topic + found.fingerprint
    )


def test_an_agent_that_went_in_circles_does_not_fill_the_store():
    session = Transcript().user("go")
    for number in range(MOST + 20):
        session.run(f"tide --x{number}", "Exit code 1\nunknown flag", error=True).run(
            f"tide --y{number}"
        )
    found = mine_session(
        trail_of(session).session, "otterquay/harbor", REDACTOR
    ).findings
    assert sum(one.miner == "recoveries" for one in found) == MOST


def test_our_own_tools_are_no_experience():
    tools = (
        "mcp__afterglow__recall",
        "afterglow_recall",
        "afterglow_write",
        "memory_backend",
        "Read",
    )
    calls = tuple(Call(str(line), tool, "{}", line) for line, tool in enumerate(tools))
    turns = (Turn("assistant", "", 1, calls=calls),)
    trail = Trail(
        Session(
            id="s",
            agent="claude-code",
            format="claude-code",
            source="s.jsonl",
            turns=turns,
        )
    )
    assert [step.tool for step in trail.steps] == ["Read"]
