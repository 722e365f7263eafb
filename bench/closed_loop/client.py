"""A thin client: it tells the board what was called and does what the answer says."""

from __future__ import annotations

import http.client
import json
import os
import sys
from pathlib import Path
from typing import Any

BOARD = ".board"
MAX_FILE = 4000  # bytes: what is looked at is small
MAX_FILES = 80
SECONDS = 20
NO_ANSWER = 70
TOOL_START = "#!/usr/bin/env python3"


def small_files(home: Path) -> dict[str, str]:
    """The project's small files, without its tools."""
    files: dict[str, str] = {}
    for folder, below, names in os.walk(home):
        below[:] = sorted(set(below) - {".git"})
        for path in (Path(folder, name) for name in sorted(names)):
            is_small = not path.is_symlink() and path.stat().st_size <= MAX_FILE
            if path.name == BOARD or not is_small or len(files) >= MAX_FILES:
                continue
            text = path.read_bytes().decode(errors="replace")
            if not text.startswith(TOOL_START):
                files[str(path.relative_to(home))] = text
    return files


def ask(board: dict[str, Any], what: str, **call: object) -> dict[str, Any]:
    body = {"family": board["family"], "number": board["number"], **call}
    host = board["url"].split("//", 1)[1].rstrip("/")
    connection = http.client.HTTPConnection(host, timeout=SECONDS)
    try:
        connection.request("POST", what, json.dumps(body))
        return dict(json.loads(connection.getresponse().read()))
    except (OSError, ValueError) as error:
        sys.stderr.write(f"no answer: {error}\n")
        sys.exit(NO_ANSWER)


def call_tool(tool: Path) -> int:
    home = next(place for place in tool.parents if (place / BOARD).is_file())
    board = json.loads((home / BOARD).read_text(encoding="utf-8"))
    prefix = board["family"].split("-")[0].upper() + "_"
    variables = {
        name: value for name, value in os.environ.items() if name.startswith(prefix)
    }
    answer = ask(
        board,
        "/call",
        tool=str(tool.relative_to(home)),
        words=sys.argv[1:],
        files=small_files(home),
        variables=variables,
    )
    for name, text in answer["write"].items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text, encoding="utf-8")
    for name in answer["delete"]:
        if (home / name).exists():
            (home / name).unlink()
    stream = sys.stderr if answer["code"] else sys.stdout
    stream.write(answer["text"] + "\n")
    return int(answer["code"])


def check_project(board: dict[str, Any]) -> int:
    return int(ask(board, "/check", files=small_files(Path.cwd()))["code"])
