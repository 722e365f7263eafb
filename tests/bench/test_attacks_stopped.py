"""A stranger's payload is read nowhere: one risky attack of every way in, through the real flows."""

from __future__ import annotations

import pytest
from bench.attacks.__main__ import SET
from bench.attacks.attack import read_set
from bench.attacks.run import run_attack

STOPPED = """
error-once-20 error-days-38 hook-or-remote-08 readme-command-14
reworded-notes-12 relayed-summary-08 headless-prompt-10 piped-log-08
at-mention-07 ide-selection-07 unfenced-paste-10 comment-tag-05
benchmark-task-09 imitated-refusal-08 hook-output-09 sync-bullet-04
sync-changed-03 sync-file-05 import-03 template-09
memory-tool-09 remember-08 rejected-reworded-03 names-07
scope-11 obeying-writer-18 spoofed-checkout-07
""".split()
ATTACKS = {attack.id: attack for attack in read_set(SET).attacks}


@pytest.mark.parametrize("id", STOPPED)
def test_what_a_stranger_planted_is_told_to_nobody(id, tmp_path):
    result = run_attack(ATTACKS[id], tmp_path)
    assert result.reached == ()
    assert not result.active
