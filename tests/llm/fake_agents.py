"""Programs that stand in for agents: each notes how it was started, then does what its behaviour says.

`claude`, `codex`, `gemini` and `hermes` answer as the real ones print; the others misbehave.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

SAYS = '{"count": 3}'

HEAD = """#!{python}
import json, os, subprocess, sys
words, asked = sys.argv[1:], sys.stdin.read()
notes = {{"words": words, "asked": asked, "folder": os.getcwd(), "files": {{}}, "variables": dict(os.environ)}}
for folder, _, names in os.walk("."):
    for name in names:
        path = os.path.join(folder, name)
        notes["files"][os.path.relpath(path)] = open(path).read()
with open({notes!r}, "a") as file:
    file.write(json.dumps(notes) + chr(10))
"""

ANSWERS = {
    "claude": """
usage = {"input_tokens": 50, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 10, "output_tokens": 7}
print(json.dumps({"type": "result", "is_error": False, "result": SAYS, "usage": usage, "modelUsage": {"big": {}}}))
""",
    "codex": """
open(words[words.index("--output-last-message") + 1], "w").write(SAYS)
usage = {"input_tokens": 100, "cached_input_tokens": 40, "output_tokens": 7}
print(json.dumps({"type": "turn.completed", "usage": usage}))
""",
    "gemini": """
tokens = {"prompt": 100, "cached": 40, "candidates": 5, "thoughts": 2}
print("a warning")
print(json.dumps({"response": SAYS, "stats": {"models": {"big": {"tokens": tokens}}}}))
""",
    "hermes": """
report = {"input_tokens": 50, "cache_read_tokens": 40, "cache_write_tokens": 10, "output_tokens": 7, "model": "big"}
open(words[words.index("--usage-file") + 1], "w").write(json.dumps(report))
print(SAYS)
""",
}  # fmt: skip
HANGS = """
alive = open(ALIVE, "w")  # a fifo: it ends when nobody holds it any more
subprocess.Popen(["sleep", "600"], stdout=alive).wait()
"""


def put_program(folder: Path, name: str, body: str = "") -> Path:
    """A program of that name in `folder`, which answers as the agent would unless `body` says otherwise. Hermes is
    started through its Python, so that one is ours too."""
    folder.mkdir(parents=True, exist_ok=True)
    head = HEAD.format(python=sys.executable, notes=str(notes_of(folder, name)))
    head += f"SAYS, ALIVE = {SAYS!r}, {str(folder / 'alive')!r}\n"
    program = folder / name
    if name == "hermes":
        program.write_text(f"#!{folder}/python\n")
        program.chmod(0o755)
        program = folder / "python"
    program.write_text(head + (body or ANSWERS[name]))
    program.chmod(0o755)
    return folder / name


def notes_of(folder: Path, name: str) -> Path:
    return folder / f"{name}.notes"


def starts_of(folder: Path, name: str) -> list[dict[str, Any]]:
    """How the program was started, each time."""
    notes = notes_of(folder, name)
    if not notes.exists():
        return []
    return [json.loads(line) for line in notes.read_text().splitlines()]
