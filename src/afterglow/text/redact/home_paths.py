"""Names in paths: a home folder becomes `~`; the folder names some agents make of paths lose the person's part."""

from __future__ import annotations

import re
from collections.abc import Iterator

from afterglow.text.redact.rule import PERSONAL, Rule, Span

_A = re.ASCII
_BEFORE = re.compile(r"(?:file://|/mnt/[a-z]|/[a-z]|[A-Za-z]:|:|-[A-Za-z])$", _A)
_GOES_ON = re.compile(r"[^\W_]|[_.~/:%}\]-]")  # what a path could have before it
_UPWARDS = re.compile(r"(?<![\w./\\])(?:\.\.[/\\]){0,40}\.\.$", _A)
_PERSON = re.compile(r"[A-Za-z0-9][\w.-]{0,63}", _A)
_NOBODY = frozenset(
    "user username users name you me youruser yourname your-user shared public default runner vscode node app".split()
)
_PAGE = re.compile(r".+\.(?:html?|jsx?|tsx?|vue|php|css|py|go|rb|md|json|svelte)$", _A)


def home(text: str, point: int) -> Iterator[Span]:
    """The point is just after `/home/`, `/Users/` or `\\Users\\`."""
    person = _PERSON.match(text, point)
    if not person:
        return
    start = _start_of_home(text, point)
    if start is None:
        return
    name = person[0].rstrip(".-")
    if name.lower() in _NOBODY:
        return
    end = point + len(name)
    following = text[end : end + 1]
    if following in {"(", "{", "$", "*", "<"}:
        return
    if not _PAGE.match(name) or following in {"/", "\\"}:
        yield start, end


def _start_of_home(text: str, point: int) -> int | None:
    """Where the path begins, with the drive or the way up before it; None if it is the inner part of another path."""
    separator = text[point - 1]
    start = text.rfind(separator, 0, point - 3)
    while start and text[start - 1] == separator == "\\":
        start -= 1
    before = text[start - 1 : start]
    if before == ".":
        upwards = _UPWARDS.search(text[max(0, start - 122) : start])
        enough = 2 if text[point - 2] == "s" else 4  # `../home/page` is in a project
        if upwards and upwards[0].count("..") >= enough:
            return start - len(upwards[0])
    if not _GOES_ON.match(before):
        return start
    prefix = _BEFORE.search(text[max(0, start - 7) : start])
    if not prefix:
        return None
    outside = prefix[0]
    if outside.startswith("-") or outside == "file://":
        return start
    return start - len(outside)


_FOLDED = re.compile(
    r"(?:(?:(?<![\w-])|(?<=(?<![\w-])-))-Users-|(?:(?<=[/\\])|(?<=[/\\]-))-home-)([A-Za-z0-9]{1,40})(?=-)",
    _A,
)


def folded(text: str, point: int) -> Iterator[Span]:
    """`-Users-ana-src`: the name ends at the next dash, since nobody can tell how many it has."""
    match = _FOLDED.match(text, point - 7) or _FOLDED.match(text, point - 6)
    if match and match[1].lower() not in _NOBODY:
        yield match.span(1)


def rules() -> Iterator[Rule]:
    for anchor in (r"/home/", r"/Users/", r"\\Users\\", r"\\\\Users\\\\"):
        starts = (anchor.replace("\\\\", "\\").lower(),)
        yield Rule(
            "home", "home", PERSONAL, anchor, starts, home, caseless=False, shown="~"
        )
    yield Rule(
        "home",
        "home",
        PERSONAL,
        r"-users-[a-z0-9]",
        ("-users-",),
        lambda t, p: folded(t, p - 1),
        shown="<name>",
    )
    for anchor in ("/-home-", "/--home-"):
        yield Rule(
            "home",
            "home",
            PERSONAL,
            anchor + "[a-z0-9]",
            (anchor,),
            lambda t, p: folded(t, p - 1),
            shown="<name>",
        )
