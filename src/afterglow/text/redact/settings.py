"""Secrets that a command or a file sets by name, with nothing but a space between: `setenv DB_PASS ...`, `.netrc`, SQL."""

from __future__ import annotations

import re
from collections.abc import Iterator

from afterglow.text.redact.announced import Place, is_drawn, may_be_secret, reads_on
from afterglow.text.redact.named_values import hides, strength
from afterglow.text.redact.randomness import tangled
from afterglow.text.redact.rule import ASSIGNED, Decide, Rule, Span

_A = re.ASCII
# Commands that set a name: the name, a space, the value.
SETTERS = ("setenv", "setx", "config", "configure", "fish_variable", "set -gx")
_SET = re.compile(
    r"(?: (?:set|add|--\w{2,12}|-\w))* ?[ \"']([\w.:/@-]{2,80})[\"']?[ =]{1,2}([\"']?)([^\s\"'`<>|;&]{4,400})",
    _A,
)


_LAST_PART = re.compile(r".*[.:/]", _A)


def set_by_command(text: str, point: int) -> Iterator[Span]:
    """`git config x.token ...`, `setenv DB_PASS ...`; the point is after the command and a space."""
    match = _SET.match(text, point - 1)
    if not match:
        return
    name, quote, value = match.groups()
    is_key = name.isupper() or not name.isalnum()  # `x.token`, not a word of prose
    kind = strength(_LAST_PART.sub("", name)) if is_key else ""
    if not kind or value[0] == "-":
        return
    if not quote and (reads_on(value) or value.isupper()) and not is_drawn(value):
        return
    if hides(kind, value, Place.VALUE):
        yield match.span(3)


_SQL = re.compile(
    r"\s{0,4}=?\s{0,4}\\{0,2}'([^'\n\\]{4,200})\\{0,2}'",
    _A | re.I,
)


_OF_USER = re.compile(r"(?i)\b(?:user|role|login|grant)\b", _A)


def _is_prose(text: str, point: int, value: str) -> bool:
    """`a library identified by 'name'`."""
    if not value.isalpha() or is_drawn(value):
        return False
    return not _OF_USER.search(text[max(0, point - 90) : point])


def sql(text: str, point: int) -> Iterator[Span]:
    """`IDENTIFIED BY '...'`, `WITH PASSWORD '...'`."""
    match = _SQL.match(text, point)
    if match and _is_prose(text, point, match[1]):
        return
    if match and may_be_secret(match[1], password=True, place=Place.VALUE):
        yield match.span(1)


_WORD = re.compile(r"([\"'`]?)([^\s\"'`<>\\]{4,200})", _A)


def with_login(text: str, point: int) -> Iterator[Span]:
    """`login ana password ...`, as in `.netrc`; `as ana with password ...`."""
    match = _WORD.match(text, point)
    if not match:
        return
    value = match[2].rstrip(".,;:!?")
    if reads_on(value) and not is_drawn(value):
        return
    machine = text.rfind("machine ", max(0, point - 200), point) >= 0
    if not machine and not tangled(value) and not is_drawn(value):
        return
    if may_be_secret(value, password=True, place=Place.VALUE):
        yield match.start(2), match.start(2) + len(value)


def rules() -> Iterator[Rule]:
    def rule(anchor: str, starts: tuple[str, ...], decide: Decide) -> Rule:
        return Rule("set", "secret", ASSIGNED, anchor, starts, decide)

    yield rule(rf"\b(?:{'|'.join(SETTERS)}) ", SETTERS, set_by_command)
    yield rule(r"\bidentified (?:with [\w\"']{1,40} )?by", ("identified ",), sql)
    yield rule(r"with (?:encrypted )?password", ("with ",), sql)
    logins = ("login", "as", "user", "account")
    names = rf"(?:{'|'.join(logins)}) [\w.@+-]{{1,64}},? (?:with |and )?(?:the )?"
    yield rule(rf"\b{names}(?:password|pass|pw) ", logins, with_login)
