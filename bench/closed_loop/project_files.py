"""What a project holds besides its own files: tools, which are all the same client, and the check of a task."""

from __future__ import annotations

import json
from pathlib import Path

from bench.closed_loop import client

_CLIENT = Path(client.__file__).read_text(encoding="utf-8")
TOOL = f"""\
{client.TOOL_START}
{_CLIENT}

sys.exit(call_tool(Path(__file__).resolve()))
"""


def board_json(url: str, family: str, number: int) -> str:
    return json.dumps({"url": url, "family": family, "number": number})


def check_script(url: str, family: str, number: int) -> str:
    """It carries its own board: an agent may have changed the project's."""
    board = board_json(url, family, number)
    ask = f"sys.exit(check_project({board}))"
    return f"#!/bin/sh\nexec python3 - <<'END'\n{_CLIENT}\n\n{ask}\nEND\n"
