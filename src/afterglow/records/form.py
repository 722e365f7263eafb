"""In which form a session is told what was learned: a context of lessons, or a template, whole or in part."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from afterglow.records.template import TemplatePart

FormKind = Literal["context", "template"]


class Form(Struct, frozen=True):
    """A line on failure counts as context. Of a template, `part` is the one that is told alone (empty: all of them), and
    `tokens` the most that is told of it (0: as the settings say)."""

    kind: FormKind
    part: TemplatePart | Literal[""] = ""
    tokens: int = 0


CONTEXT_FORM = Form("context")
TEMPLATE_FORM = Form("template")  # whole, as the settings say
