"""Dossiers as one question to a writer, and the shape of what it answers."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from afterglow.harvest.lessons.prompts import Prompt, read_prompt
from afterglow.llm.schema import json_schema
from afterglow.records.model import Ask, Message
from afterglow.records.problems import Dossier
from afterglow.records.writing import PURPOSE, Objection, WrittenAnswer

# Of dossiers in one question: four dozen, so that the prompt is read once for all of them.
MAX_QUESTION_TOKENS = 16_000
TOKENS_AN_ANSWER = 220  # a lesson of full length with its JSON around it
MIN_ANSWER_TOKENS = 1200  # room for a writer that thinks aloud first

AGAIN = (
    "You wrote about this problem before:\n{lesson}\nThe sessions speak against it: {counter}\n"
    "Answer once more with this in mind: a lesson that fits all of them, or `nothing`."
)


def _answer_schema() -> dict[str, Any]:
    """Every field is required: strict servers want it so, and a writer that names all of them forgets none."""
    schema = json_schema(WrittenAnswer)
    return {**schema, "required": list(schema["properties"])}


class Answers(Struct, frozen=True):
    """What a writer answers. Each is decoded by itself, so that one that is no answer costs no other."""

    answers: Annotated[list[Any], Meta(extra_json_schema={"items": _answer_schema()})]


class Question(Struct, frozen=True):
    """One question: some dossiers, and how it is put."""

    dossiers: tuple[Dossier, ...]
    ask: Ask


def prompt(path: Path | None = None) -> Prompt:
    """Ours, or a person's own."""
    return read_prompt(path or files(__package__).joinpath("write.md"))


def question(
    prompt: Prompt, dossiers: Sequence[Dossier], further: str = ""
) -> Question:
    """The question about some dossiers; `further` is what is to be said behind them."""
    texts = [dossier.text for dossier in dossiers]
    content = "\n\n".join([*texts, further] if further else texts)
    size = max(MIN_ANSWER_TOKENS, TOKENS_AN_ANSWER * len(dossiers))
    ask = Ask(
        messages=(Message("system", prompt.text), Message("user", content + "\n")),
        purpose=PURPOSE,
        answer_type=Answers,
        name="answers",
        max_tokens=size,
    )
    return Question(tuple(dossiers), ask)


def once_more(
    prompt: Prompt, dossier: Dossier, answer: WrittenAnswer, objection: Objection
) -> Question:
    """The question about one lesson that the sessions speak against, with what they say."""
    lesson = f"{answer.situation} -> {answer.remedy}"
    further = AGAIN.format(lesson=lesson, counter=objection.counter)
    return question(prompt, [dossier], further)


def batches(
    dossiers: Sequence[Dossier], tokens: int = MAX_QUESTION_TOKENS
) -> list[list[Dossier]]:
    """In their order, as many together as fit; one that is longer goes alone."""
    grouped: list[list[Dossier]] = []
    size = 0
    for dossier in dossiers:
        if not grouped or size + dossier.tokens > tokens:
            grouped.append([])
            size = 0
        grouped[-1].append(dossier)
        size += dossier.tokens
    return grouped
