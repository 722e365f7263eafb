"""Texts of a template on their way in or out: secrets and personal data taken out of every one, and on the way in,
whatever reads like an order to an agent left behind.

Arguments stay JSON: they are redacted as a whole, where a key tells what its value is, and then value by value. An
example whose arguments cannot be both is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import fields, replace

from afterglow.records.knowledge import Trust
from afterglow.records.template import (
    ContextMarkers,
    SessionSeed,
    ToolCallExample,
    UserPatterns,
    WarmTemplate,
)
from afterglow.store.knowledge_rows import storable_text
from afterglow.store.templates.entries import is_object

CleanMany = Callable[
    [Sequence[str]], Sequence[tuple[str, dict[str, int]]]
]  # texts -> without secrets, what was found
Danger = Callable[
    [str, Trust], str
]  # text and where it comes from -> why it must not reach a session

T = TypeVar("T")


class Cleaned(Struct, frozen=True):
    """A template without secrets, what was taken out by rule, and what was left behind and why."""

    template: WarmTemplate
    redacted: dict[str, int]
    held: tuple[str, ...] = ()


def clean(template: WarmTemplate, clean_many: CleanMany) -> Cleaned:
    """Every text of a template redacted, but its id."""
    plain = replace(template, id="")
    texts = [storable_text(text) for text in _texts(plain)]
    cleaned = clean_many(texts)
    counts: Counter[str] = Counter()
    for _, rules in cleaned:
        counts.update(rules)
    new = replace(_rebuilt(plain, iter([text for text, _ in cleaned])), id=template.id)
    examples, lost = [], 0
    for example in new.seed.tool_examples:
        safe = _valued(example.arguments, clean_many)
        if safe is None:
            lost += 1
        else:
            examples.append(replace(example, arguments=safe))
    held = (
        (f"{lost} examples: their arguments are no JSON without what had to be hidden",)
        if lost
        else ()
    )
    return Cleaned(
        replace(new, seed=replace(new.seed, tool_examples=tuple(examples))),
        dict(counts),
        held,
    )


def screen(
    template: WarmTemplate, danger: Danger
) -> tuple[WarmTemplate, tuple[str, ...]]:
    """The template without what reads like an order to an agent, and what that was."""
    held: list[str] = []

    def safe(what: str, *texts: str) -> bool:
        why = next((why for text in texts if (why := danger(text, "external"))), "")
        if why:
            held.append(f"{what}: {why}")
        return not why

    def kept(what: str, some: Iterable[str]) -> tuple[str, ...]:
        return tuple(one for one in some if safe(what, one))

    seed, said, about = (
        template.seed,
        template.seed.user_patterns,
        template.seed.context_markers,
    )
    new = SessionSeed(
        system_context=seed.system_context
        if safe("system context", seed.system_context)
        else "",
        tool_examples=tuple(
            one
            for one in seed.tool_examples
            if safe("tool", one.tool_name)
            and safe(f"example {one.tool_name}", _spoken(one), one.result)
        ),
        recovery_patterns=tuple(
            one
            for one in seed.recovery_patterns
            if safe("recovery", one.error, one.worked, one.tool)
        ),
        user_patterns=UserPatterns(
            request_style=said.request_style
            if safe("style", said.request_style)
            else "",
            feedback_style=said.feedback_style
            if safe("style", said.feedback_style)
            else "",
            language=said.language if safe("language", said.language) else "",
            conventions=kept("convention", said.conventions),
            corrections=kept("correction", said.corrections),
        ),
        context_markers=ContextMarkers(
            *(kept(field.name, getattr(about, field.name)) for field in fields(about))
        ),
    )
    name = template.name if safe("name", template.name) else template.id
    description = (
        template.description if safe("description", template.description) else ""
    )
    notes = {
        key: note
        for key, note in template.notes.items()
        if safe("note", f"{key}: {note}")
    }
    return replace(
        template,
        name=name,
        description=description,
        tags=kept("tag", template.tags),
        notes=notes,
        seed=new,
        repo="".join(kept("repo", [template.repo])),
        agent="".join(kept("agent", [template.agent])),
        source_sessions=kept("session", template.source_sessions),
    ), tuple(held)


def _texts(value: object) -> list[str]:
    """The texts of a record, in order."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Struct):
        return [
            text
            for field in fields(value)
            for text in _texts(getattr(value, field.name))
        ]
    if isinstance(value, tuple):
        return [text for part in value for text in _texts(part)]
    if isinstance(value, dict):
        return [text for pair in value.items() for text in _texts(pair)]
    return []


def _rebuilt(value: T, texts: Any) -> T:
    """The same record with other texts, taken in order."""
    new: Any = value
    if isinstance(value, str):
        new = next(texts)
    elif isinstance(value, Struct):
        new = replace(
            value,
            **{
                field.name: _rebuilt(getattr(value, field.name), texts)
                for field in fields(value)
            },
        )
    elif isinstance(value, tuple):
        new = tuple(_rebuilt(part, texts) for part in value)
    elif isinstance(value, dict):
        new = dict(_rebuilt(pair, texts) for pair in value.items())
    result: T = new
    return result


def _valued(arguments: str, clean_many: CleanMany) -> str | None:
    """Arguments with each value redacted as well: a line break in a value is written as two letters in JSON, and what
    stands behind it may look like one word with them."""
    if not is_object(arguments):
        return None
    plain = msgspec.json.decode(arguments)
    leaves = _leaves(plain)
    cleaned = [text for text, _ in clean_many(leaves)] if leaves else []
    return (
        arguments
        if cleaned == leaves
        else msgspec.json.encode(_replaced(plain, iter(cleaned))).decode()
    )


def _leaves(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    inside: Iterable[object] = (
        value.values()
        if isinstance(value, dict)
        else value
        if isinstance(value, list)
        else ()
    )
    return [leaf for part in inside for leaf in _leaves(part)]


def _replaced(value: object, leaves: Any) -> object:
    if isinstance(value, str):
        return next(leaves)
    if isinstance(value, dict):
        return {key: _replaced(part, leaves) for key, part in value.items()}
    return (
        [_replaced(part, leaves) for part in value]
        if isinstance(value, list)
        else value
    )


def _spoken(example: ToolCallExample) -> str:
    """What the arguments say, names of arguments too, without the escapes of JSON."""
    return "\n".join(_words(msgspec.json.decode(example.arguments)))


def _words(value: object) -> list[str]:
    if isinstance(value, dict):
        return [
            word for key, part in value.items() for word in (str(key), *_words(part))
        ]
    return (
        [word for part in value for word in _words(part)]
        if isinstance(value, list)
        else _leaves(value)
    )
