"""What a model is told when it is to learn from windows, and the shape of its answer.

harvest.md      the prompt, its name and version in its head; `{{Heading}}` stands for that part of what host agents are
                told (harvest/lessons/prompt.md), so that both hear the same of what a good lesson is
LessonsAnswer   the answer; the JSON schema that servers are sent is made of it
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from msgspec import Struct

from afterglow.errors import UsageError
from afterglow.llm.schema import json_schema
from afterglow.records.knowledge import Category
from afterglow.records.lessons import Citation, Lesson, Window
from afterglow.records.model import Ask, Message
from afterglow.text.clip import printable
from afterglow.text.numbers import day

PURPOSE = "harvest"
MAX_PROMPT = 50_000  # characters: more leaves no room for windows
TOKENS_A_WINDOW, MIN_ANSWER_TOKENS = (
    450,
    1000,
)  # for two or three lessons; for one at least

_HEAD = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_FIELD = re.compile(
    r"^(name|version):[ \t]*[\"']?([\w.-]{1,40})[\"']?[ \t]*$", re.MULTILINE
)
_PART = re.compile(r"\{\{([^{}\n]{1,60})\}\}")


class CitedLine(Struct, frozen=True, forbid_unknown_fields=True):
    line: int
    quote: str


class AnsweredLesson(Struct, frozen=True, forbid_unknown_fields=True):
    """A lesson without its session, which whoever asks knows. Every field is required: strict servers want it so."""

    fact: str
    category: Category
    situation: str
    remedy: str
    confidence: float
    citations: tuple[CitedLine, ...]


class LessonsAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    """What a model answers; servers are told so by its JSON schema."""

    lessons: tuple[AnsweredLesson, ...]


class Prompt(Struct, frozen=True):
    """A text with its name and version. `label` names it in the history of what it brought, with a hash of its words:
    two texts that claim the same version are still told apart."""

    name: str
    version: str
    text: str

    @property
    def label(self) -> str:
        return f"{self.name}@{self.version}+{blake2b(self.text.encode(), digest_size=4).hexdigest()}"


class Asked(Struct, frozen=True):
    """One question to a model: windows of one session."""

    session: str
    windows: tuple[Window, ...]
    ask: Ask


def prompt(path: Path | None = None) -> Prompt:
    """Ours, or a person's own."""
    return read_prompt(path or files(__package__).joinpath("harvest.md"))


def read_prompt(source: Path | Traversable) -> Prompt:
    """A prompt with its name and version in its head, whoever wrote it."""
    where = str(source) if isinstance(source, Path) else source.name
    try:
        text = source.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{where} cannot be read: {error.strerror or error}; give a text file"
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{where} is not UTF-8 text") from error
    if len(text) > MAX_PROMPT:
        raise UsageError(
            f"{where} has {len(text):,} characters; a prompt of at most {MAX_PROMPT:,} would work"
        )
    text = text.replace("\r\n", "\n").removeprefix("\ufeff")
    head = _HEAD.match(text)
    fields = dict(_FIELD.findall(head[1])) if head else {}
    if head is None or "version" not in fields:
        raise UsageError(
            f"{where} does not say its version; a head of --- name: mine, version: 1, --- would work"
        )
    body = _PART.sub(lambda match: _part(match[1], where), text[head.end() :]).strip()
    if not body:
        raise UsageError(f"{where} says nothing behind its head")
    name = fields.get("name", source.name.partition(".")[0][:40])
    return Prompt(name, fields["version"], body + "\n")


def _part(heading: str, where: str) -> str:
    parts = (
        files("afterglow.harvest.lessons")
        .joinpath("prompt.md")
        .read_text(encoding="utf-8")
        .split("\n## ")[1:]
    )
    by_heading = {part.partition("\n")[0].strip(): part.rstrip() for part in parts}
    if heading.strip() not in by_heading:
        raise UsageError(
            f"{where}: there is no part {heading!r}; there are {', '.join(by_heading)}"
        )
    return f"## {by_heading[heading.strip()]}"


def schema() -> dict[str, Any]:
    """What servers are told of the answer."""
    return json_schema(LessonsAnswer)


def asked(prompt: Prompt, windows: Sequence[Window]) -> Asked:
    """The question about some windows of one session."""
    messages = (Message("system", prompt.text), Message("user", shown(windows)))
    size = max(MIN_ANSWER_TOKENS, TOKENS_A_WINDOW * len(windows))
    ask = Ask(
        messages=messages,
        purpose=PURPOSE,
        answer_type=LessonsAnswer,
        name="lessons",
        max_tokens=size,
    )
    return Asked(windows[0].session, tuple(windows), ask)


def shown(windows: Sequence[Window]) -> str:
    """Windows as a model reads them. Further lines of a text are indented: no text can pretend to be another line."""
    first = windows[0]
    lines = [
        f"A session of {first.agent}{f' in {first.repo}' if first.repo else ''}{_on(first.time)}."
    ]
    for at, window in enumerate(windows, 1):
        lines += ["", f"Window {at}: {window.why}"]
        lines += [f"  known: {_indented(item.fact)}" for item in window.known_items]
        for line in window.lines:
            about = " ".join(filter(None, (line.who, line.tool, line.outcome)))
            lines.append(f"{line.line} {about} ({line.trust}): {_indented(line.text)}")
    return "\n".join(lines) + "\n"


def _indented(text: str) -> str:
    return "\n      ".join(map(printable, text.splitlines()))


def _on(time: float | None) -> str:
    return "" if time is None else f", {day(time)}"


def lessons(answer: LessonsAnswer, asked: Asked) -> list[Lesson]:
    """What an answer tells of the windows it was asked about."""
    texts = {
        line.line: _folded(line.text)
        for window in asked.windows
        for line in window.lines
    }
    return [_lesson(lesson, asked.session, texts) for lesson in answer.lessons]


def _lesson(answered: AnsweredLesson, session: str, texts: Mapping[int, str]) -> Lesson:
    citations = tuple(
        Citation(session, _meant(cited, texts), cited.quote)
        for cited in answered.citations
    )
    return Lesson(
        fact=answered.fact,
        category=answered.category,
        situation=answered.situation,
        remedy=answered.remedy,
        confidence=answered.confidence,
        citations=citations,
    )


def _meant(cited: CitedLine, texts: Mapping[int, str]) -> int:
    """Small models miscount: where the words stand in one other line they were shown, that line is meant."""
    words = _folded(cited.quote)
    if not words or words in texts.get(cited.line, ""):
        return cited.line
    places = [line for line, text in texts.items() if words in text]
    return places[0] if len(places) == 1 else cited.line


def _folded(text: str) -> str:
    return " ".join(text.split())
