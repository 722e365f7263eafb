"""Names in paths: a home folder becomes `~`; the folder names some agents make of paths lose the person's part."""

from __future__ import annotations

import re
from collections.abc import Iterator

from afterglow.text.redact.rule import PERSONAL, Rule, Span

_A = re.ASCII
_BEFORE = re.compile(r"(?:file://|/mnt/[a-z]|/[a-z]|[A-Za-z]:|-[A-Za-z])$", _A)
_PERSON = re.compile(r"[A-Za-z0-9][\w.-]{0,63}", _A)
_NOBODY = frozenset("user username users name you me youruser yourname your-user shared public default runner vscode node app".split())
_PAGE = re.compile(r".+\.(?:html?|jsx?|tsx?|vue|php|css|py|go|rb|md|json|svelte)$", _A)


def home(text: str, point: int) -> Iterator[Span]:
    """The point is just after `/home/`, `/Users/` or `\\Users\\`."""
    mark = re.search(r"[/\\]{1,2}(?:home|Users)[/\\]{1,2}$", text[max(0, point - 10) : point], _A)
    person = _PERSON.match(text, point)
    if not mark or not person:
        return
    name = person[0].rstrip(".-")
    start = point - len(mark[0])
    before = text[max(0, start - 7) : start]
    drive = _BEFORE.search(before)
    if before and not drive and (before[-1].isalnum() or before[-1] in "_.~/-%}]"):
        return
    if drive and not drive[0].startswith("-") and drive[0] != "file://":
        start -= len(drive[0])
    after = text[point + len(name) : point + len(name) + 1]
    if name.lower() in _NOBODY or (_PAGE.match(name) and after not in {"/", "\\"}) or after in {"(", "{", "$", "*", "<"}:
        return
    yield start, point + len(name)


_FOLDED = re.compile(r"(?:(?<![\w-])-Users-|(?<=[/\\])-home-)([A-Za-z0-9]{1,40})(?=-)", _A)


def folded(text: str, point: int) -> Iterator[Span]:
    """`-Users-ana-src`: the name ends at the next dash, since nobody can tell how many it has."""
    found = _FOLDED.match(text, point - 7) or _FOLDED.match(text, point - 6)
    if found and found[1].lower() not in _NOBODY:
        yield found.span(1)


def rules() -> Iterator[Rule]:
    for anchor in (r"/home/", r"/users/", r"\\users\\", r"\\\\users\\\\"):
        starts = anchor.replace("\\\\", "\\")
        yield Rule("home", "home", PERSONAL, anchor, (starts,), home, shown="~")
    yield Rule("home", "home", PERSONAL, r"-users-[a-z0-9]", ("-users-",), lambda t, p: folded(t, p - 1), shown="<name>")
    yield Rule("home", "home", PERSONAL, r"/-home-[a-z0-9]", ("/-home-",), lambda t, p: folded(t, p - 1), shown="<name>")
