"""Secrets named in one place of a list, table or call and given in the next: `name: DB_PASSWORD` and `value: ...`,
`define('DB_PASSWORD', '...')`, `| password | ... |`, `auth=("ana", "...")`, cookies."""

from __future__ import annotations

import re
from collections.abc import Iterator

from afterglow.text.redact.announced import Place, is_drawn, plainly_none
from afterglow.text.redact.named_values import (
    CODE,
    MENTION,
    STARTS,
    hides,
    name_before,
    strength,
)
from afterglow.text.redact.randomness import looks_random, scrambled, tangled
from afterglow.text.redact.rule import ASSIGNED, Decide, Rule, Span

_A = re.ASCII
_LISTED = re.compile(
    r"[ \t]{0,8}[\"']?((?:[^\"'\s,}\\]|,(?!\s|$)|}(?=[^\s,}])){4,400})", _A
)


def listed(text: str, point: int) -> Iterator[Span]:
    """`name: DB_PASSWORD`, then `value: ...` on the next line."""
    name = re.search(
        r"([A-Za-z_][\w.-]{0,79})[\"']?,?\s{1,40}[\"']?value[\"']?[ \t]{0,4}.$",
        text[max(0, point - 160) : point],
        _A,
    )
    kind = strength(name[1]) if name else ""
    match = _LISTED.match(text, point)
    if kind and match and hides(kind, match[1], Place.VALUE):
        yield match.span(1)


_CRUMB = re.compile(r"[\w.-]{1,60}=([^;\s\"'\\]{16,600})", _A)


def cookie(text: str, point: int) -> Iterator[Span]:
    stop = text.find("\n", point, point + 800)
    for crumb in _CRUMB.finditer(text, point, stop if stop >= 0 else point + 800):
        if looks_random(crumb[1], 16):
            yield crumb.span(1)


def paired(text: str, point: int) -> Iterator[Span]:
    """`define('DB_PASSWORD', '...')`, `["tool", "--password", "..."]`; the point is at the value."""
    name = re.search(
        r"(--?)?([A-Za-z_][\w.-]{0,60})[\"'] ?, ?.$",
        text[max(0, point - 80) : point],
        _A,
    )
    kind = strength(name[2]) if name else ""
    match = re.compile(r"[^\s\"'\\]{4,400}(?=[\"'])", _A).match(text, point)
    if not kind or not name or not match or match[0][0] == "-":
        return
    if hides(kind, match[0], Place.VALUE if name[1] else Place.CODE):
        yield match.span()


_ARGUMENTS = re.compile(
    r"""(?:["'][^"'\n]{1,80}["']|[\w.]{1,60}),\s{0,4}["']([^"'\s]{4,200})["']""", _A
)


def second_argument(text: str, point: int) -> Iterator[Span]:
    """`auth=("ana", "...")`, `login(user, "...")`; the point is just after the bracket."""
    arguments = _ARGUMENTS.match(text, point)
    if not arguments:
        return
    value = arguments[1]
    is_call_with_two = (
        text[point - 1] == "(" and text[arguments.end() : arguments.end() + 1] == ")"
    )
    is_text = is_call_with_two and not value.isalpha() and ":" not in value
    may_be_name = CODE.match(value) or not tangled(value)
    if may_be_name and not is_text and not is_drawn(value):
        return
    if hides("password", value, Place.LITERAL):
        yield arguments.span(1)


_CELL = re.compile(r"[ ]{0,20}`?([^\s|`]{6,200})`?[ ]{0,40}\|", _A)


def cell(text: str, point: int) -> Iterator[Span]:
    """`| password | ... |`; the point is at the value."""
    match = _CELL.match(text, point)
    if not match:
        return
    value = match[1]
    kind = strength(name_before(text, point))
    if plainly_none(value, password=kind == "password"):
        return
    drawn = scrambled(value, 8) or is_drawn(value)
    if not drawn:
        drawn = kind == "password" and tangled(value) and not CODE.match(value)
    if kind and drawn and hides(kind, value, Place.LITERAL):
        yield match.span(1)


def rules() -> Iterator[Rule]:
    def rule(
        anchor: str,
        decide: Decide,
        starts: tuple[str, ...] = STARTS,
        name: str = "assigned",
    ) -> Rule:
        return Rule(name, "secret", ASSIGNED, anchor, starts, decide)

    yield rule(
        rf"{MENTION}[\w.-]{{0,40}}[\"']?,?\s{{1,40}}[\"']?value[\"']?[ \t]{{0,4}}[:=]",
        listed,
    )
    yield rule(rf"{MENTION}[\w.-]{{0,40}}[\"'] ?, ?[\"']", paired)
    yield rule(rf"{MENTION}[\w.-]{{0,40}}`?\*{{0,2}} {{1,20}}\|", cell)
    calls = ("auth", "login", "authenticate")
    yield rule(rf"(?:{'|'.join(calls)})[\"']?[ =:]{{0,3}}[(\[]", second_argument, calls)
    yield rule(r"cookie[\"']?[:=]", cookie, ("cookie",), "cookie")
