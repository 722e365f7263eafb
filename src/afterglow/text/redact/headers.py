"""Credentials of a request: `Authorization: NTLM ...`, `"value": "Basic ..."`, `Bearer ...`.

A header's value is a scheme and what proves who asks; the schemes are a table. `Basic` and NTLM are known by what their
values hold, wherever they stand.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Iterator

from afterglow.text.redact.announced import (
    Place,
    has_digits_inside,
    has_signs_inside,
    is_drawn,
    may_be_secret,
    reads_on,
)
from afterglow.text.redact.randomness import stands_in
from afterglow.text.redact.rule import ASSIGNED, Decide, Rule, Span

_A = re.ASCII
# The registered schemes, and those of services.
SCHEMES = (
    "basic bearer digest dpop gnap hoba mutual negotiate oauth privatetoken vapid ntlm kerberos hawk token apikey"
    " api-key api-token key bot jwt splunk geniekey sharedkey sharedkeylite ssws accesskey hmac signature pveapitoken"
    " googlelogin discogs sharedaccesssignature zoho-oauthtoken aws4-hmac-sha256 aws snowflake"
).split()
_HEADER = re.compile(
    r"[\"'\]\s]{0,4}[:=,][\s]{0,4}(?:[\"']?value[\"']?[ \t]{0,4}[:=][ \t]{0,4})?[fbrFBR]?\\{0,3}([\"'`]?)"
    rf"(?:({'|'.join(map(re.escape, SCHEMES))})[ \t]{{1,4}})?([^\s\"'`<>\\]{{4,2000}})",
    _A | re.IGNORECASE,
)
_PROOF = re.compile(
    r"(?:response|signature|mac|nonce|credential|token|code|key|auth)=[\"']?([^\s\"',;]{6,2000})",
    _A | re.IGNORECASE,
)


_PARAMETER = re.compile(r"[A-Za-z_]{3,40}=", _A)


def authorization(text: str, point: int) -> Iterator[Span]:
    """The point is after the name of the header; `name: Authorization` and its `value:` count too."""
    header = _HEADER.match(text, point)
    if not header:
        return
    _, scheme, written = header.groups()
    if scheme and _PARAMETER.match(written):
        yield from (proof.span(1) for proof in _proofs(text, header.start(3)))
        return
    value = written.rstrip(".,;:)}]")
    start = header.start(3)
    if _is_credential(value, scheme):
        yield start, start + len(value)


def _proofs(text: str, start: int) -> Iterator[re.Match[str]]:
    """`Digest username="ana", response="..."`: what proves, of all that is said, up to the end of the line."""
    end = text.find("\n", start, start + 2000)
    for proof in _PROOF.finditer(text, start, end if end >= 0 else start + 2000):
        if not stands_in(proof[1]):
            yield proof


def _is_credential(value: str, scheme: str | None) -> bool:
    if scheme:
        return may_be_secret(value, password=False, place=Place.VALUE) and not reads_on(
            value
        )
    return is_drawn(value) and may_be_secret(value, password=False, place=Place.LITERAL)


_BASIC = re.compile(r"[A-Za-z0-9+/_-]{8,2000}={0,2}(?![\w+/=])", _A)


def basic(text: str, point: int) -> Iterator[Span]:
    """What is a name, a colon and a password once decoded; the point is 8 characters into it."""
    match = _BASIC.match(text, point - 8)
    if match and _holds_login(match[0]):
        yield match.span()


def _holds_login(encoded: str) -> bool:
    try:
        login = b64decode(encoded + "=" * (-len(encoded) % 4)).decode()
    except (binascii.Error, ValueError):
        return False
    name, colon, _ = login.partition(":")
    return bool(colon) and login.isprintable() and " " not in name


_BEARER = re.compile(r"\\{0,3}([\"'`*]{0,3})([^\s\"'`<>\\]{4,2000})", _A)
_BEFORE_BEARER = re.compile(r"[:=(]\s{0,3}[fbrFBR]?\\{0,3}[\"'`]?$|[\"'`]$", _A)
_ENDS_THERE = re.compile(r"\\{0,3}[\"'`]|\s*(?:$|\n)", _A)


def bearer(text: str, point: int) -> Iterator[Span]:
    """`Bearer 4f...`; letters that can be read only where they are all of a header: `"Bearer kestrel"`."""
    match = _BEARER.match(text, point)
    if not match:
        return
    value = match[2].rstrip(".,;:!?)]}")
    if not may_be_secret(value, password=False, place=Place.VALUE):
        return
    start = match.start(2)
    before = text[max(0, point - len("bearer ") - 8) : point - len("bearer ")]
    is_header = _BEFORE_BEARER.search(before) and _ENDS_THERE.match(
        text, start + len(value)
    )
    drawn = is_drawn(value) or has_signs_inside(value) or has_digits_inside(value)
    if drawn or (is_header and not reads_on(value)):
        yield start, start + len(value)


_NTLM = re.compile(r"TlRMTVNTUA[A-Za-z0-9+/]{2,4000}={0,2}", _A)


def ntlm(text: str, point: int) -> Iterator[Span]:
    match = _NTLM.match(text, point - len("TlRMTVNTUA"))
    if match:
        yield match.span()


def rules() -> Iterator[Rule]:
    def rule(
        name: str, anchor: str, start: str, decide: Decide, *, caseless: bool = True
    ) -> Rule:
        return Rule(name, "secret", ASSIGNED, anchor, (start,), decide, caseless)

    yield rule("authorization", r"authorization\b", "authorization", authorization)
    yield rule("basic", r"basic [\w+/-]{8}", "basic ", basic)
    yield rule("bearer", "bearer ", "bearer ", bearer)
    yield rule("ntlm", "TlRMTVNTUA", "tlrmtvntua", ntlm, caseless=False)
