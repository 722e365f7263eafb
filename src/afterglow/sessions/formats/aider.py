"""aider: `.aider.chat.history.md` in a repository: what the person asked and what the model answered, a file for all its
sessions. Commands and their outcomes are not told apart from other words there, so none are read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from afterglow.records.session import Mark, Session
from afterglow.sessions.assembly import Assembly
from afterglow.text.times import seconds

NAME = "aider"
AGENT = "aider"
MAX_FILE_BYTES = 64 << 20  # of a history: more is not read whole

_STARTED = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$")
_REQUEST = "#### "
_REMARK = "> "  # what aider itself says


def sniff(path: Path, head: bytes) -> bool:
    return head.startswith(b"# aider chat started at ")


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    with path.open(encoding="utf-8", errors="replace") as file:
        lines = file.read(MAX_FILE_BYTES).splitlines()
    starts = [at for at, line in enumerate(lines) if _STARTED.match(line)]
    for start, end in pairwise([*starts, len(lines)]):
        session = _session(path, lines, start, end)
        yield session.part(Mark())


def _session(path: Path, lines: list[str], start: int, end: int) -> Assembly:
    begun = _STARTED.match(lines[start])
    time = begun[1] if begun else ""
    id = f"aider-{path.parent.name}-{re.sub(r'[^0-9]', '', time)}"
    session = Assembly(id=id, agent=AGENT, format=NAME, source=str(path))
    session.learn(cwd=str(path.parent))
    session.tick(seconds(time))
    speaker, words, first = "", list[str](), start + 1
    for at in range(start + 1, end):
        line = lines[at]
        now = _speaker(line)
        if now != speaker and line.strip():
            _say(session, speaker, words, first)
            speaker, words, first = now, [], at + 1
        words.append(line.removeprefix(_REQUEST).removeprefix(_REMARK))
    _say(session, speaker, words, first)
    return session


def _speaker(line: str) -> str:
    if line.startswith(_REQUEST):
        return "user"
    return "system" if line.startswith(_REMARK.rstrip()) else "assistant"


def _say(session: Assembly, speaker: str, words: list[str], line: int) -> None:
    text = "\n".join(words).strip()
    if not text:
        return
    if speaker == "user":
        session.said("user", text, line)
    elif speaker == "assistant":
        session.reply("", line, None, text)
    elif speaker == "system":
        session.said("system", text, line, kind="injected")
