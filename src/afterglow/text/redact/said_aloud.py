"""Secrets in what people say: `the password is ...`, `the login is ana / ...`, `... as the deploy token`, `my PIN is`.

Said words prove little, so the value must look drawn by a machine, or stand where only a password stands. A commit
stays where it is called a commit, or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_letters, digits

from afterglow.text.redact.named_values import CODE, OTHER
from afterglow.text.redact.randomness import (
    is_hex,
    is_place,
    is_uuid,
    looks_random,
    scrambled,
    stands_in,
    tangled,
    words_share,
)
from afterglow.text.redact.rule import ASSIGNED, Decide, Rule, Span

_A = re.ASCII
FEW_WORDS = 0.2  # of a value that nothing else calls a secret
_KEYS = (
    "api key",
    "apikey",
    "api_key",
    "access_key",
    "secret_key",
    "auth_key",
    "authtoken",
)
_ABOUT_CODE = re.compile(
    r"(?i)\b(?:commits?|sha\d*|hash(?:es)?|revisions?|rev|branch|checkout|digests?|checksums?|sessions?|uuid|ids?|ref|tag"
    r"|images?|version|output|diff|merge|rebase|file|path|url|link|build|run|trace|container|checkpoint|cache)\b|\bgit\b",
    _A,
)
_SPOKEN = (
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "token",
    "secret",
    *_KEYS,
)


def _drawn(value: str, least: int = 16) -> bool:
    if looks_random(value, least) and not is_uuid(value):
        return True
    return scrambled(value)


def _password(value: str) -> bool:
    if not tangled(value) or CODE.match(value):
        return False
    return not is_place(value) and not stands_in(value)


_WORD = re.compile(r"[\w+/.~!@#$%^&-]{8,400}={0,2}(?![\w=])", _A)


def random_word(text: str, point: int) -> Iterator[Span]:
    """`token 4f0c...` without a sign between; the point is 8 characters into the value."""
    match = _WORD.match(text, point - 8)
    value = match[0].rstrip(".!") if match else ""
    if match and _drawn(value):
        yield match.start(), match.start() + len(value)


_SAID = re.compile(r"[\"'`*]{0,3}([^\s\"'`<>|,;(){}*]{6,400})", _A)


def said(text: str, point: int) -> Iterator[Span]:
    """`the password is hunter2!`, `Bearer 4f...`."""
    match = _SAID.match(text, point)
    if not match:
        return
    value = match[1].rstrip(".:!?")
    before = text[max(0, point - 40) : point].lower()
    secret = looks_random(value, 12) or scrambled(value)
    if not secret and re.search(r"pass\w*(?:\s+(?:is|was):?|'s)\s$", before):
        secret = _password(value)
    if secret:
        start = match.start(1)
        yield start, start + len(value)


_PURPOSE = re.compile(
    r"(?:[\w.@'`/-]{1,40} ){0,5}[\w.@'`/-]{1,40}(?: is:?| was| =|:) ", _A
)


def said_of(text: str, point: int) -> Iterator[Span]:
    """`the password for the staging database is ...`."""
    purpose = _PURPOSE.match(text, point)
    if not purpose:
        return
    match = _SAID.match(text, purpose.end())
    if not match:
        return
    value = match[1].rstrip(".:!?")
    if is_hex(value) and _ABOUT_CODE.search(text, point, match.start()):
        return
    before = text[max(0, point - 16) : point].lower()
    secret = _drawn(value)
    if not secret and re.search(r"pass\w{0,8} \w{2,3} $", before, _A):
        secret = _password(value)
    if secret:
        start = match.start(1)
        yield start, start + len(value)


_NUMBERED = re.compile(
    r"( code| number)?('s| is| was| to be)?(?: of| to)?[\"']?[ \t]?[:=#]?[ \t]?[\"'`*]{0,2}(\d{3,8})(?![\w]|[.,:/-]\d)",
    _A,
)


def number(text: str, point: int) -> Iterator[Span]:
    """`my PIN is 4921`, `CVV 737`. `pin: 4921` stays: it may be a wire of a chip."""
    match = _NUMBERED.match(text, point)
    if not match:
        return
    kind, verb, digits = match.groups()
    word = text[max(0, point - 3) : point]
    small = word.lower()
    if "123456" in digits:
        return
    if len(digits) < 4 and small not in {"cvv", "cvc"}:
        return
    may_be_wire = small == "pin" and word != "PIN"
    if kind or verb or not may_be_wire:
        yield match.span(3)


_LOGIN = re.compile(
    r"(?: ?(?:details|data|is|are|was|as|with|using|to|the|for|user)\b){0,4}[ :=\"'`(*{\[]{0,6}"
    r"([\w.@+-]{2,64})[\"'`]?"
    r"( ?[/:|] ?|,? (?:and |with )?(?:the )?(?:password|pass|pw)[: ] ?|,? (?:and|with) |, )"
    r"[\"'`*]{0,3}([^\s\"'`<>|,;(){}]{6,100})",
    _A,
)


def login(text: str, point: int) -> Iterator[Span]:
    """`the login is ana / ...`, `log in as ana with ...`."""
    match = _LOGIN.match(text, point)
    if not match:
        return
    value = match[3].rstrip(".:!?*")
    secret = scrambled(value, 8)
    if not secret and match[2] == " / ":
        secret = _password(value)
    if secret:
        start = match.start(3)
        yield start, start + len(value)


_ROLES = (
    "the",
    "a",
    "an",
    "my",
    "our",
    "your",
    "its",
    "this",
    "deploy",
    "api",
    "access",
    "auth",
    "password",
    "token",
    "secret",
)
_KEY = r"(?:api|access|deploy|auth|signing|encryption|license) key"
_ROLE = re.compile(
    rf"(?:[a-z-]{{1,15}} ){{0,3}}?(?:token|password|passphrase|secret|credential|{_KEY})s?\b",
    _A | re.I,
)
_VALUE = ascii_letters + digits + "+/=.~!@#$%^&*?_-"


def in_role(text: str, point: int) -> Iterator[Span]:
    """`use ... as the deploy token`, `... is my API key`. The point is after the first word of the role."""
    start = text.rfind(" ", 0, point)
    role = _ROLE.match(text, start + 1)
    if not role or OTHER & set(role[0].lower().split()):
        return
    end = text.rfind(" ", 0, start)
    head = text[max(0, end - 400) : end].rstrip("\"'`*)")
    end = max(0, end - 400) + len(head)
    value = head[len(head.rstrip(_VALUE)) :]
    if _drawn(value):
        yield end - len(value), end


_HANDED = re.compile(
    r"(?i)\b(?:use|here(?:'s| is| are)|this is|take|try|got)\b[^\n]{0,80}$", _A
)
_ABOUT_ACCESS = re.compile(
    r"(?i)\b(?:server|staging|prod|production|account|login|log in|sign in|api|admin|service|database|db|access|vpn"
    r"|lose|leak|share)\b",
    _A,
)
_BARE_VALUE = re.compile(r"[\"'`]?([A-Za-z0-9_+/=.~-]{20,400})[\"'`]?(?![\w(/])", _A)


def handed_over(text: str, start: int) -> Iterator[Span]:
    """`use this for the staging server: 4f0c...`: a random value that a person hands over, not a commit."""
    match = _BARE_VALUE.match(text, start)
    if not match:
        return
    clause = text[max(0, start - 120) : start].rsplit("\n", 1)[-1]
    about = clause + text[match.end() : match.end() + 60].split("\n", 1)[0]
    if not _ABOUT_ACCESS.search(about) or _ABOUT_CODE.search(about):
        return
    if looks_random(match[1], 20):
        yield match.span(1)


def after_colon(text: str, point: int) -> Iterator[Span]:
    colon = text.rfind(": ", max(0, point - 24), point)
    if colon < 0:
        return
    before = text[max(0, colon - 120) : colon + 1]
    if _HANDED.search(before):
        yield from handed_over(text, colon + 2)


def used(text: str, point: int) -> Iterator[Span]:
    """`use 4f0c... to log in`."""
    word = text.rfind(" ", 0, point) + 1
    for start, end in handed_over(text, word):
        if words_share(text[start:end]) < FEW_WORDS:
            yield start, end


_VERBS = ("use", "using", "try", "paste", "enter")
_HANDS = ("use", "here", "this", "take", "got")
_NUMBERS = (
    "pin",
    "cvv",
    "cvc",
    "otp",
    "passcode",
    "security code",
    "verification code",
    "access code",
    "door code",
)
_LOGINS = (
    "log in",
    "login",
    "sign in",
    "logon",
    "credential",
    "creds",
    "account",
    "user",
)


def rules() -> Iterator[Rule]:
    def rule(
        anchor: str, starts: tuple[str, ...], decide: Decide, name: str = "said"
    ) -> Rule:
        return Rule(name, "secret", ASSIGNED, anchor, starts, decide)

    spoken = f"(?:{'|'.join(_SPOKEN)})"
    yield rule(rf"{spoken} (?:is|was|->|\?):? ", _SPOKEN, said)
    yield rule(rf"{spoken}'s ", _SPOKEN, said)
    yield rule(rf"{spoken} (?:for|to|of|on|in) ", _SPOKEN, said_of)
    yield rule(
        rf"{spoken}[ ,\"'`*]{{1,3}}\(?[\"'`]?[\w+/.~!@#$%^&-]{{8}}",
        _SPOKEN,
        random_word,
    )
    yield rule(r"bearer ", ("bearer ",), said, "bearer")
    yield rule(rf"\b(?:{'|'.join(_NUMBERS)})\b", _NUMBERS, number)
    yield rule(rf"\b(?:{'|'.join(_LOGINS)})s?[\"'`]?[: ]", _LOGINS, login)
    yield rule(
        rf" (?:as|is|was) (?:{'|'.join(_ROLES)})\b", (" as ", " is ", " was "), in_role
    )
    handed = rf"(?:{'|'.join(_HANDS)})[ '][a-z ',-]{{1,70}}: [\"'`]?[\w+/=.~-]{{20}}"
    yield rule(handed, _HANDS, after_colon, "handed-over")
    value = r"[\"'`]?[\w+/=.~-]{20}"
    yield rule(rf"\b(?:{'|'.join(_VERBS)}) {value}", _VERBS, used, "handed-over")
