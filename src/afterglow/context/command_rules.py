"""A person's rules about commands: which commands a rule names, and which rules are about a call. Pure.

"Ask me before you git push" is about `git push` and about nothing else: a rule that names no command with its
sub-command is about none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from afterglow.calls import commands_in, goal_of_command, program, read
from afterglow.records.knowledge import KnowledgeItem, may_be_told

_CODE = re.compile(r"`([^`\n]{2,300})`")
_WORD = re.compile(r"[\w.-]*\w")


def is_rule(item: KnowledgeItem) -> bool:
    """Words of a person that hold now."""
    return may_be_told(item) and item.trust == "user"


def commands_named(item: KnowledgeItem) -> frozenset[str]:
    """Like `git push`: in code, or in plain words where the program and its sub-command are known."""
    code = _CODE.findall(item.fact)
    named = {goal_of_command(command) for span in code for command in commands_in(span)}
    words = _WORD.findall(_CODE.sub(" ", item.fact))
    for name, subcommand in pairwise(words):
        if subcommand in program(name).sub:
            named.add(f"{name} {subcommand}")
    return frozenset(command for command in named if " " in command)


def rules_about(
    items: Iterable[KnowledgeItem], tool: str, arguments: str
) -> list[KnowledgeItem]:
    """Those that name a command of this call."""
    called = frozenset(map(goal_of_command, read(tool, arguments).working))
    if not called:
        return []
    return [
        item
        for item in items
        if is_rule(item) and not called.isdisjoint(commands_named(item))
    ]
