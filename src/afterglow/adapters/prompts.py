"""Where a context goes: at the end of a system prompt, whatever form that has."""

from __future__ import annotations

from typing import Any


def with_context(prompt: Any, text: str) -> Any:
    """A prompt, as text or as parts, with the context behind it; as it is where there is no context."""
    if not text:
        return prompt
    if isinstance(prompt, list):
        return [*prompt, {"type": "text", "text": text}]
    return f"{prompt}\n\n{text}" if prompt else text


def field(value: Any, name: str) -> Any:
    """Of a dictionary, or of an object of a package."""
    if isinstance(value, dict):
        return value.get(name)
    return getattr(value, name, None)
