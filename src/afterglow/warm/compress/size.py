"""What a template takes in tokens, as a session is given it; and about what each piece of it takes."""

from __future__ import annotations

import json
from functools import lru_cache

from msgspec.structs import replace

from afterglow.records.template import RecoveryPattern, ToolCallExample, WarmTemplate
from afterglow.text.tokens import count
from afterglow.warm.inject import WarmSessionBootstrapper
from afterglow.warm.inject.examples import ready
from afterglow.warm.inject.openai import turns
from afterglow.warm.inject.validate import TOOL_NAME

UNBOUNDED = 10**9  # tokens: more than any template has
LINE_TOKENS = 3  # what a line takes besides its words: the dash and the line end
EXAMPLE_ID = "ag-0123456789-1"  # as long as that of a call in a warm session


def tokens(template: WarmTemplate) -> int:
    """Counted as it is given in OpenAI's format once it is approved, with nothing left out for want of room."""
    bootstrapper = WarmSessionBootstrapper(budget=UNBOUNDED, count=count)
    return bootstrapper.bootstrap(replace(template, approved=True), "x").tokens


@lru_cache(maxsize=4096)
def of_example(example: ToolCallExample) -> int:
    fit, _ = ready([example], TOOL_NAME["openai"], None)
    return sum(
        count(json.dumps(turns(call._replace(id=EXAMPLE_ID)), ensure_ascii=False))
        for call in fit
    )


@lru_cache(maxsize=4096)
def of_line(text: str) -> int:
    return LINE_TOKENS + count(text) if text else 0


def of_recovery(pattern: RecoveryPattern) -> int:
    return of_line(f"{pattern.error} → {pattern.worked}")
