"""What a template takes in tokens, as a session is given it; and about what each piece of it takes."""

from __future__ import annotations

import json
from functools import lru_cache

from afterglow.records.template import RecoveryPattern, ToolCallExample, WarmTemplate
from afterglow.text.tokens import count
from afterglow.warm.inject import WarmSessionBootstrapper
from afterglow.warm.inject.examples import ready
from afterglow.warm.inject.openai import turns
from afterglow.warm.inject.validate import NAME

UNBOUNDED = 10**9
ID = "ag-0123456789-1"  # as long as that of a call in a warm session


def tokens(template: WarmTemplate) -> int:
    """Counted as it is given in OpenAI's format, with nothing left out for want of room."""
    return (
        WarmSessionBootstrapper(budget=UNBOUNDED, count=count)
        .bootstrap(template, "x")
        .tokens
    )


@lru_cache(maxsize=4096)
def of_example(example: ToolCallExample) -> int:
    fit, _ = ready([example], NAME["openai"], None)
    return sum(
        count(json.dumps(turns(one._replace(id=ID)), ensure_ascii=False)) for one in fit
    )


@lru_cache(maxsize=4096)
def of_line(text: str) -> int:
    return 3 + count(text) if text else 0


def of_recovery(pattern: RecoveryPattern) -> int:
    return of_line(f"{pattern.error} → {pattern.worked}")
