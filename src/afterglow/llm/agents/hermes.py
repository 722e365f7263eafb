"""Hermes: `hermes -z`, with its own provider and key, and without plugins, hooks and all tools but one that is harmless.

It takes its question only as a word of its command line, which other users of the machine can see and which may be too
long for one. So its Python is started instead, with two lines that read the question from stdin and put it there.
Its session is written down as that of a tool, which a scan leaves out. It reads a person's SOUL.md and its own memory all
the same.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from afterglow.llm.agents.headless import (
    Ended,
    Question,
    Schemas,
    Start,
    counted_apart,
    failure,
    garbage,
    printed_object,
)
from afterglow.llm.request import Reply, Trouble
from afterglow.records.model import TokenUsage

NAME = PROGRAM = "hermes"
LOGIN = "run `hermes setup`"
SCHEMAS: Schemas = "none"
OVERHEAD = 2_000  # measured: 1,700 with a SOUL.md of one line

USAGE = "usage.json"
TOOLSET = "clarify"  # it insists on one; this asks the user, who is not there
MAX_SCRIPT_BYTES = 4096  # of a script that starts it; they have ten lines
FROM_STDIN = (
    "import sys; sys.argv[1:] = ['-z', sys.stdin.read(), *sys.argv[1:]]; "
    "from hermes_cli.main import main; sys.exit(main())"
)
_PYTHON = re.compile(r"\A#!\s*(/\S*python[\d.]*)\s*$", re.MULTILINE)
_HANDS_ON = re.compile(r"\bexec\s+[\"']?(/[^\s\"']+/hermes)\b")


def start(question: Question) -> Start:
    words = [
        *(_python(question.program), "-P", "-c", FROM_STDIN),
        *("--usage-file", USAGE),
        *("--toolsets", TOOLSET),
    ]
    if question.model:
        words += ["--model", question.model]
    return Start(
        words=tuple(words),
        prompt=f"{question.instructions}\n\n{question.prompt}",
        variables={
            "HERMES_SAFE_MODE": "1",
            "HERMES_SESSION_SOURCE": "tool",
            "HERMES_DISABLE_LAZY_INSTALLS": "1",
        },
    )


def _python(program: str) -> str:
    """The Python of its script, or of the script that this one hands on to."""
    path = Path(program)
    for _ in range(2):
        try:
            script = (
                path.resolve()
                .read_bytes()[:MAX_SCRIPT_BYTES]
                .decode("utf-8", "replace")
            )
        except OSError as error:
            raise Trouble(f"{path}: {error.strerror}", kind="unreachable") from error
        if python := _PYTHON.search(script):
            return python[1]
        handed_on = _HANDS_ON.search(script)
        if handed_on is None:
            break
        path = Path(handed_on[1])
    what = f"{program} does not say which Python it runs with; name its own script on the PATH"
    raise Trouble(what, kind="unreachable")


def reply(ended: Ended) -> Reply:
    usage = printed_object(ended.file(USAGE))
    text = ended.out.strip()
    if ended.code or usage.get("failed"):
        words = str(usage.get("failure") or "") or ended.err or text
        raise failure(NAME, LOGIN, words, ended.code)
    if not text:
        raise garbage(NAME, ended.err)
    return Reply(text=text, usage=_usage(usage), model=str(usage.get("model") or ""))


def _usage(usage: dict[str, Any]) -> TokenUsage | None:
    return counted_apart(
        usage.get("input_tokens"),
        usage.get("cache_read_tokens", 0),
        usage.get("cache_write_tokens", 0),
        usage.get("output_tokens"),
    )
