"""connect: what each agent's own files must say so that its sessions start warm and end harvested.

One file an agent. It is given what is known of the machine and a way to read files, and answers with the files as they
should be; nothing here writes. A contract test runs over the table.

    NAME, PROGRAM, VERSIONED          the agent, the program that is it, whether the plan depends on its version
    folder(user_home, moved) -> Path  where it keeps its settings
    plan(machine, read) -> Plan       the files as they should be
    places(machine) -> paths          the files that may hold something of ours
    holds(path, content) -> bool      whether a file does
    without(machine, path, content)   a file without our parts, the rest as it is
"""

from __future__ import annotations

from afterglow.registry import Table

AGENTS = Table(
    "afterglow.connect",
    {
        "claude-code": "afterglow.connect.claude_code",
        "codex": "afterglow.connect.codex",
        "hermes": "afterglow.connect.hermes",
        "opencode": "afterglow.connect.opencode",
    },
)
