"""Secrets whose shape needs more than one pattern: key blocks, web tokens, addresses with a login."""

from __future__ import annotations

import binascii
import json
import re
from base64 import urlsafe_b64decode
from collections.abc import Iterator

from afterglow.text.redact.randomness import dull, looks_random, stands_in
from afterglow.text.redact.rule import ASSIGNED, SHAPED, Decide, Rule, Span

LONGEST_KEY = 20_000  # characters of a key block
MIN_KEY_CHARACTERS = 40  # fewer are the example of a key, or its end
_A = re.ASCII
_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
_KEY_BODY = re.compile(r"(?:[A-Za-z0-9+/=:,. \t\r\n-]|\\+[nr]|[\"'])*", _A)
_NOT_KEY = re.compile(r"[^A-Za-z0-9+/=]|\\[nr]", _A)


def key_block(text: str, point: int) -> Iterator[Span]:
    """From BEGIN to END; where END was cut off, as far as the body goes."""
    start = text.rfind("-----", 0, point - 5)
    body_end = text.find("-----END", point, point + LONGEST_KEY)
    if body_end < 0:
        body_end = stop = _end_of_cut_body(text, point)
        if stop == len(text):
            stop = len(text.rstrip())
    else:
        end_mark = body_end + len("-----END")
        dashes = text.find("-----", end_mark, body_end + 80)
        stop = dashes + 5 if dashes > 0 else end_mark
    body = _NOT_KEY.sub("", text[point:body_end])
    if len(body) >= MIN_KEY_CHARACTERS:
        yield start, stop


def _end_of_cut_body(text: str, point: int) -> int:
    body = _KEY_BODY.match(text, point, point + LONGEST_KEY)
    return body.end() if body else point


def key_tail(text: str, point: int) -> Iterator[Span]:
    """The lines before an END whose BEGIN was cut off."""
    earliest = max(0, point - 80)
    end = text.rfind("-----E", earliest, point)
    if end < 0:
        end = text.rfind("-----e", earliest, point)
    head = text[max(0, end - LONGEST_KEY) : end]
    if "-----BEGIN" in head:
        return
    body = head[len(head.rstrip(_BASE64 + "\r\n")) :]
    first_line, line_break, rest = body.partition("\n")
    if line_break and len(first_line) < MIN_KEY_CHARACTERS:
        body = rest  # the end of a line of prose
    if len(body) >= MIN_KEY_CHARACTERS:
        yield end - len(body), point


_JWT = re.compile(
    r"(?:(?<![A-Za-z0-9_.-])|(?<=\\[nrt]))eyJ[\w-]{10,2000}={0,2}\.[\w-]{10,6000}={0,2}(?:\.[\w-]{0,2000})?",
    _A,
)


def web_token(text: str, point: int) -> Iterator[Span]:
    match = _JWT.match(text, point - 13)
    if match and _is_json(match[0].split(".")[0]):
        yield match.span()


def _is_json(part: str) -> bool:
    padding = "=" * (-len(part) % 4)
    try:
        header = json.loads(urlsafe_b64decode(part + padding))
    except (ValueError, binascii.Error):
        return False
    return isinstance(header, dict)


_LOGIN = re.compile(r"([^\s/?#@\"'<>\\:]{0,100})(:?)([^\s/#@\"'<>\\]{0,160})@", _A)


def address_login(text: str, point: int) -> Iterator[Span]:
    """`https://user:password@host`: the password, or a token that stands where the user should."""
    start = text.rfind("://", max(0, point - 165), point) + 3
    match = _LOGIN.match(text, start, point)
    if not match:
        return
    user, colon, password = match.groups()
    if colon and password and not _variable(password):
        yield match.span(3)
    elif not password and looks_random(user, 16):
        yield match.span(1)


def _variable(value: str) -> bool:
    if value[0] in "$<{[%*" or "${" in value or "{{" in value:
        return True
    return dull(value) or set("x.*").issuperset(value.lower())


_SECRET_ENTRY = re.compile(
    r"""^[ \t]*["']?[\w.-]{1,80}["']?:[ \t]*(?:[|>][+-]?[ \t]*\n[ \t]*)?"""
    r"""["']?([A-Za-z0-9+/]{10,4000}={0,3})["']?[ \t]*$""",
    _A | re.MULTILINE,
)
_DATA = re.compile(r"^[ \t]*(?:data|stringData):[ \t]*$", _A | re.MULTILINE)
DOCUMENT = 4000


def cluster_secret(text: str, point: int) -> Iterator[Span]:
    """The values under `data:` of a Kubernetes `kind: Secret`."""
    if text[point : point + 1].isalnum():
        return
    start, stop = _document_around(text, point)
    header = _DATA.search(text, start, stop)
    if not header:
        return
    margin = _indent(header[0])
    end = header.end() + 1
    for line in text[end:stop].splitlines(keepends=True):
        if line.strip() and _indent(line) <= margin:
            break
        end += len(line)
    for entry in _SECRET_ENTRY.finditer(text, header.end(), end):
        yield entry.span(1)


def _document_around(text: str, point: int) -> Span:
    """Between the `---` before and behind the point, or as far as a document may reach."""
    earliest = max(0, point - DOCUMENT)
    latest = min(len(text), point + DOCUMENT)
    start = text.rfind("\n---", earliest, point)
    stop = text.find("\n---", point, point + DOCUMENT)
    return (
        earliest if start < 0 else start,
        latest if stop < 0 else stop,
    )


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


_ADDED = re.compile(
    r"""\s+key=\\?["'](?:[\w:.-]{0,40})(?:password|secret|token|apikey)\\?["']\s+value=\\?["']([^"'\\\n]{4,200})\\?["']""",
    _A | re.IGNORECASE,
)


def config_entry(text: str, point: int) -> Iterator[Span]:
    """`<add key="ClearTextPassword" value="..." />`."""
    entry = _ADDED.match(text, point)
    if not entry:
        return
    value = entry[1]
    if value.startswith(("$", "{", "<", "[")) or dull(value):
        return
    filled_in_later = value.startswith("%") and value.endswith("%")
    if not filled_in_later:
        yield entry.span(1)


def _round(pattern: str, back: int, *, check: bool = True, flags: int = 0) -> Decide:
    """Matches `pattern` from `back` characters before the point: for shapes whose mark is in the middle."""
    compiled: list[re.Pattern[str]] = []

    def decide(text: str, point: int) -> Iterator[Span]:
        if not compiled:
            compiled.append(re.compile(pattern, _A | flags))
        for match in compiled[0].finditer(text, max(0, point - back), point + 400):
            if match.start() >= point:
                return
            if match.end() < point:
                continue
            if not check or not dull(match[1]):
                yield match.span(1)

    return decide


def _vault(text: str, point: int) -> Iterator[Span]:
    match = re.compile(r"(?<![\w.])s\.([A-Za-z0-9]{24})(?![\w(.])", _A).match(
        text, point - 2
    )
    if match and looks_random(match[1]) and sum(map(str.isdigit, match[1])) > 1:
        yield match.span()


def _artifactory(text: str, point: int) -> Iterator[Span]:
    match = re.compile(
        r"(?<![\w/.-])AP[0-9A-F]([a-zA-Z0-9]{10,80})(?![\w.-])", _A
    ).match(text, point - 3)
    if match and (set(match[1]) == {"x"} or looks_random(match[1])):
        yield match.span()


def _nested_token(text: str, point: int) -> Iterator[Span]:
    match = re.compile(
        r"(?<![A-Za-z0-9+/])ZXlK[A-Za-z0-9+/\\_-]{40,6000}={0,3}", _A
    ).match(text, point - 4)
    if match and b".eyJ" in binascii.a2b_base64(match[0].replace("\\", "") + "=="):
        yield match.span()


def _secret(
    name: str,
    anchor: str,
    starts: str,
    decide: Decide,
    *,
    caseless: bool = True,
    rank: int = SHAPED,
) -> Rule:
    return Rule(
        name=name,
        kind="secret",
        rank=rank,
        anchor=anchor,
        starts=tuple(starts.split("|")) if starts else (),
        decide=decide,
        caseless=caseless,
    )


def rules() -> Iterator[Rule]:
    for word, decide in (("begin", key_block), ("end", key_tail)):
        anchor = rf"-----{word} [a-z0-9 ]{{0,40}}private key(?: block)?-----"
        yield Rule("private-key", "key", SHAPED, anchor, (f"-----{word} ",), decide)
    yield _secret("json-web-token", r"eyJ[\w-]{10}", "eyj", web_token, caseless=False)
    yield _secret("json-web-token", "ZXlK", "zxlk", _nested_token, caseless=False)
    yield _secret(
        "address-password",
        r"""://[^\s/#@"'<>\\]{1,160}@""",
        "://",
        address_login,
        rank=ASSIGNED,
    )
    yield _secret(
        "kubernetes-secret",
        r"""kind["']?:[ \t]{0,4}["']?secret""",
        "kind",
        cluster_secret,
    )
    yield _secret("config-password", "<add", "<add", config_entry)
    yield _secret(
        "vault-token",
        r"\bs\.[A-Za-z0-9]{24}",
        "s.",
        lambda t, p: _vault(t, p - 24),
        caseless=False,
    )
    yield _secret(
        "artifactory-password", r"\bAP[0-9A-F]", "ap", _artifactory, caseless=False
    )
    before = r"(?<![A-Za-z0-9_~.-])"
    azure = _round(
        before + r"([A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34})(?![A-Za-z0-9_~.-])", 6
    )
    yield _secret("azure-client-secret", "Q~", "q~", azure, caseless=False)
    mailchimp = _round(r"(?<![A-Za-z0-9])([0-9a-f]{32}-us[0-9]{1,2})(?!\w)", 35)
    yield _secret("mailchimp-key", "-us", "-us", mailchimp, caseless=False)
    telegram = _round(r"(?<![0-9])([0-9]{8,10}:AA[\w-]{32,33})(?![\w-])", 13)
    yield _secret("telegram-token", ":AA", ":aa", telegram, caseless=False)
    yield _secret(
        "terraform-token",
        r"\.atlasv1\.",
        ".atlasv1.",
        _round(r"([A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70})", 23),
    )
    yield _secret(
        "maxmind-key",
        "_mmk",
        "_mmk",
        _round(r"([A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)(?!\w)", 40),
    )
    discord = _round(r"([MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38})(?![\w-])", 64)
    yield _secret("discord-token", r"\.[\w-]{6}\.[\w-]{27}", ".", discord)
    facebook = (
        r"""facebook[\s\w"':,=.-]{0,40}?(?<!\d)(\d{15,16}(?:\||%7C)[\w-]{27,40})"""
    )
    yield _secret(
        "facebook-token",
        "facebook",
        "facebook",
        _round(facebook, 8, flags=re.IGNORECASE),
    )
    # Zeros in base64 are runs of this letter: one point for a run, not one for each place in it.
    bearer = r"(?:^|[^A])A{22}[A-Za-z0-9%]{12}"
    yield _secret("twitter-bearer", bearer, "", _twitter, caseless=False)
    yield _secret("npm-auth-token", "_authtoken=", "_authtoken", _npm)


_TWITTER = re.compile(
    r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))A{22}[A-Za-z0-9%]{80,120}(?![A-Za-z0-9])", _A
)


def _twitter(text: str, point: int) -> Iterator[Span]:
    """The point is 12 characters behind the 22 letters it begins with."""
    match = _TWITTER.match(text, point - 34)
    if match and not dull(match[0][22:]):
        yield match.span()


def _npm(text: str, point: int) -> Iterator[Span]:
    match = re.compile(r"[ \"']{0,3}([\w.+/=-]{10,400})", _A).match(text, point)
    if match and not stands_in(match[1].replace("x", "")):
        yield match.span(1)
