"""What a tool of a project is made of: it asks the board, and does what the answer says. Every tool is the same file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

BOARD = ".board"
MAX_FILE = 4000  # characters: what rules look at is small
MAX_FILES = 80

# Python's own library only, and little of it: an agent calls tools often.
ASK = f"""\
import http.client, json, os, sys


def small_files(home):
    files = {{}}
    for folder, below, names in os.walk(home):
        below[:] = sorted(set(below) - {{".git"}})
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.islink(path) or len(files) >= {MAX_FILES}:
                continue
            if os.path.getsize(path) <= {MAX_FILE} and name != "{BOARD}":
                with open(path, encoding="utf-8", errors="replace") as file:
                    text = file.read()
                if not text.startswith("#!/usr/bin/env python3"):
                    files[os.path.relpath(path, home)] = text
    return files


def ask(board, what, **call):
    call.update(family=board["family"], number=board["number"])
    host = board["url"].split("//", 1)[1].rstrip("/")
    try:
        connection = http.client.HTTPConnection(host, timeout=20)
        connection.request("POST", what, json.dumps(call))
        return json.loads(connection.getresponse().read())
    except (OSError, ValueError) as error:
        sys.stderr.write("no answer: %s\\n" % error)
        sys.exit(70)
"""

TOOL = f"""\
#!/usr/bin/env python3
{ASK}

home = here = os.path.dirname(os.path.realpath(__file__))
while not os.path.exists(os.path.join(home, "{BOARD}")) and home != "/":
    home = os.path.dirname(home)
with open(os.path.join(home, "{BOARD}"), encoding="utf-8") as file:
    board = json.load(file)
ours = board["family"].split("-")[0].upper() + "_"
answer = ask(
    board,
    "/call",
    tool=os.path.relpath(os.path.realpath(__file__), home),
    words=sys.argv[1:],
    files=small_files(home),
    variables={{name: value for name, value in os.environ.items() if name.startswith(ours)}},
)
for name, text in answer["write"].items():
    path = os.path.join(home, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
for name in answer["delete"]:
    if os.path.exists(os.path.join(home, name)):
        os.remove(os.path.join(home, name))
(sys.stderr if answer["code"] else sys.stdout).write(answer["text"] + "\\n")
sys.exit(answer["code"])
"""

# A check carries its own board: an agent may have changed the project's.
CHECK = f"""\
#!/bin/sh
exec python3 - <<'END'
{ASK}

board = json.loads('''BOARD_JSON''')
sys.exit(ask(board, "/check", files=small_files(os.getcwd()))["code"])
END
"""


def board_json(url: str, family: str, number: int) -> str:
    return json.dumps({"url": url, "family": family, "number": number})


def check_script(url: str, family: str, number: int) -> str:
    return CHECK.replace("BOARD_JSON", board_json(url, family, number))


def small_files(folder: Path) -> dict[str, str]:
    """The files of a project as its tools would send them."""
    return dict(_texts(folder))


def _texts(folder: Path) -> Iterator[tuple[str, str]]:
    count = 0
    for place, below, names in os.walk(folder):
        below[:] = sorted(set(below) - {".git"})
        for path in (Path(place) / name for name in sorted(names)):
            is_small = not path.is_symlink() and path.stat().st_size <= MAX_FILE
            if count >= MAX_FILES or not is_small or path.name == BOARD:
                continue
            text = path.read_bytes().decode(errors="replace")
            if not text.startswith("#!/usr/bin/env python3"):
                count += 1
                yield str(path.relative_to(folder)), text
