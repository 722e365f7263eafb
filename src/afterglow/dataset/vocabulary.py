"""Closed lists: what a word is turned into before it may leave. What is in no list becomes `other`."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from math import isfinite

from afterglow.dataset.table import ANY, OTHER
from afterglow.harvest import MINERS
from afterglow.records.lessons import MINER
from afterglow.records.tools import FAMILIES, TaskType
from afterglow.sessions.agent_homes import AGENTS as HOMES
from afterglow.sessions.formats import FORMATS

AGENTS = frozenset(HOMES) | frozenset(FORMATS.rows)
MINERS_KNOWN = frozenset(MINERS.rows) | {MINER}
TOOLS = frozenset(FAMILIES) | {OTHER}
TASK_TYPES = frozenset(kind.value for kind in TaskType) | {ANY}

# Part of a model's name -> its family; the first that fits.
_MODELS = tuple(
    (re.compile(rf"(?<![a-z]){part}"), family)
    for part, family in (
        (r"claude.*opus", "claude-opus"), (r"claude.*sonnet", "claude-sonnet"), (r"claude.*haiku", "claude-haiku"),
        (r"claude", "claude"), (r"codex|gpt-[5-9].*codex", "gpt-codex"), (r"gpt-?oss", "gpt-oss"),
        (r"gpt-?[5-9]", "gpt-5"), (r"gpt-?4o", "gpt-4o"), (r"gpt-?4", "gpt-4"), (r"gpt-?3", "gpt-3"),
        (r"o[1-9](?![a-z\d])", "openai-o"), (r"gemini.*flash", "gemini-flash"), (r"gemini.*pro", "gemini-pro"),
        (r"gemini", "gemini"), (r"gemma", "gemma"), (r"hermes(?!-agent)", "hermes"), (r"deepseek", "deepseek"),
        (r"qwen|qwq", "qwen"), (r"(?:mi[sx]tral|codestral|devstral|magistral)", "mistral"), (r"kimi", "kimi"),
        (r"glm", "glm"), (r"grok", "grok"), (r"minimax", "minimax"), (r"phi-?\d", "phi"), (r"command-?[ar]", "command"),
        (r"nova-", "nova"), (r"(?:code)?llama", "llama"),
    )
)  # fmt: skip
MODELS = frozenset(family for _, family in _MODELS)


def known(word: str, vocabulary: frozenset[str]) -> str:
    """The word, if it is in the list; nothing stays nothing."""
    return word if not word or word in vocabulary else OTHER


def model_family(model: str) -> str:
    """A family of the list: a name of one's own, a date, a customer's fine-tune are left behind."""
    name = model.lower()
    if not name:
        return ""
    return next((family for pattern, family in _MODELS if pattern.search(name)), OTHER)


def periods(time: float | None) -> tuple[str, str, str]:
    """The week, month and year of a moment (UTC); empty where there is none."""
    try:
        day = None if time is None else datetime.fromtimestamp(time, UTC)
    except (OverflowError, ValueError, OSError):
        day = None
    if day is None:
        return "", "", ""
    year, week, _ = day.isocalendar()
    return f"{year:04d}-W{week:02d}", f"{day:%Y-%m}", f"{day:%Y}"


def rough(number: float | None) -> int | None:
    """A whole number with two digits that say something: 87 stays, 1,234 is 1,200."""
    near = rough_number(number)
    return None if near is None else int(near)


def rough_number(number: float | None) -> float | None:
    """Two digits that say something; what is no number is none."""
    return None if number is None or not isfinite(number) else float(f"{number:.2g}")


def rough_share(part: float, whole: float) -> float | None:
    """Two decimals; None where there is nothing to take a share of."""
    return round(part / whole, 2) if whole else None
