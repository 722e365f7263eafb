"""Values given to a name that says secret: `DB_PASSWORD=...`, `"token": "..."`, `auth=("ana", "...")`.

The name decides how much the value must prove. After a password almost anything literal is hidden; after a token, a
secret or a key only what looks random; after a bare `key`, `pin` or `pass` only what cannot be a name. Names that say
what else it is (`token_url`, `public_key`, `secret_length`) and values that are code, names of other things or
stand-ins (`get_token()`, `config.password`, `${TOKEN}`) stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from afterglow.text.redact.randomness import (
    is_hex,
    is_place,
    is_uuid,
    looks_random,
    names_another,
    scrambled,
    stands_in,
    tangled,
)
from afterglow.text.redact.rule import ASSIGNED, Decide, Rule, Span

_A = re.ASCII
_MENTION = r"(?:passw|passphrase|pwd|pw|pass|secret|token|credential|cred|auth|bearer|key|pin|contrase|kennwort|senha)"
_TAIL = r"[\w.-]{0,40}[\"'`\]\\)*]{0,4}[ \t]{0,12}"
STARTS = tuple(_MENTION[3:-1].split("|"))

_NAME = re.compile(
    r"[ \t]{0,12}[\"'`\]\\)*]{0,4}([\w.-]{0,79}[A-Za-z_])", _A
)  # read backwards
_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", _A)
_QUALIFIERS = frozenset(
    "prod production dev development test testing staging stage live old new value base64 b64 env string str".split()
)
_PASSWORDS = re.compile(
    r"(?:passw(?:or)?d|passphrase|passwort|kennwort|contrasena|senha|pwd|(?:store|key|user|db|root|my|ftp|smtp)pass)$"
)
_SECRETS = re.compile(
    r"(?:secret|token|credentials?|creds?|apikey|secretkey|accesskey|authkey|bearer|authorization)$"
)
OTHER = frozenset(
    "public pub csrf xsrf primary foreign sort partition cache page next max num total count cancellation index map"
    " object row bucket lookup group hash host registry schema idempotency stop bos eos pad unk mask special arrow"
    " shortcut authenticity keyboard node edge sequence translation i18n locale widget query".split()
)

_SCHEME = r"(?:(?:bearer|basic|token|digest|apikey|api-token|negotiate|splunk|key|bot)[ \t]{1,4})?"
_QUOTED = re.compile(
    rf"[=>:|?~]{{0,2}}\*{{0,2}}[ \t]{{0,8}}\*{{0,2}}(?:[brfuL@$]{{1,2}})?"
    rf"\\{{0,3}}([\"'`]){_SCHEME}([^\"'`\s]{{4,600}}?)\\{{0,3}}[\"'`]",
    _A | re.IGNORECASE,
)
_BARE = re.compile(
    rf"[=>:|?~]{{0,2}}\*{{0,2}}([ \t]{{0,8}})\*{{0,2}}{_SCHEME}([^\s\"'`,;&|(){{}}\[\]<>\\]{{4,600}})(.?)",
    _A | re.IGNORECASE,
)
CODE = re.compile(
    r"[A-Za-z_][A-Za-z_.:]*\d{0,2}$|[A-Z][A-Z0-9_]*$|\d+$|0x[0-9a-fA-F]+$|[\d.,:%-]+[a-z]{0,2}$",
    _A,
)


_SECRET_KEYS = frozenset({"api", "secret", "access", "private"})


@lru_cache(maxsize=4096)
def strength(name: str) -> str:
    """What a name promises: "password", "secret", "key", or nothing."""
    pieces = _telling_pieces(name)
    if not pieces or not OTHER.isdisjoint(pieces):
        return ""
    *before, last = pieces
    if _PASSWORDS.search(last):
        return "password"
    if last == "auth" or _SECRETS.search(last):
        return "secret"
    if last == "key":
        return _strength_of_key(before)
    if last in {"pass", "pw"}:
        return "password" if before else "bare word"
    if last == "pin":
        return "bare word"
    return ""


def _telling_pieces(name: str) -> list[str]:
    """The words of a name, without numbers and what only says which of several it is."""
    pieces = [piece.lower() for piece in _PIECES.findall(name)]
    while len(pieces) > 1:
        last = pieces[-1]
        if not last.isdigit() and last not in _QUALIFIERS:
            break
        pieces.pop()
    return pieces


def _strength_of_key(before: list[str]) -> str:
    """Of a name that ends with `key`, by the words before that."""
    if not _SECRET_KEYS.isdisjoint(before):
        return "secret"
    return "key" if before else "bare key"


def assignment(text: str, point: int) -> Iterator[Span]:
    """The point is just after `=`, `:` or `>`."""
    name = _name_before(text, point)
    kind = strength(name)
    if not kind:
        return
    sign, following = text[point - 1], text[point : point + 1]
    if following == ":":
        return
    if name == "PASS" and sign == ":":  # the verdict of a test
        return
    quoted = _QUOTED.match(text, point)
    if not quoted:
        if following != "=":
            yield from _bare_value(text, point, name, kind)
        return
    if sign == ">":
        return
    header = name[:4].lower() == "auth"
    if hides(kind, quoted[2], literal=True, header=header):
        yield quoted.span(2)


def _name_before(text: str, point: int) -> str:
    """The name that the sign just before the point gives a value to."""
    before = text[max(0, point - 100) : point - 1]
    backwards = _NAME.match(before[::-1])
    if not backwards:
        return ""
    return backwards[1][::-1]


def _bare_value(text: str, point: int, name: str, kind: str) -> Iterator[Span]:
    bare = _BARE.match(text, point)
    if not bare:
        return
    space, written, following = bare.groups()
    if following in {"(", "[", "{"} or "..." in written:
        return
    sign = text[point - 1]
    if sign == ">":  # an element, whose end has to follow
        if following != "<" or text[bare.end() : bare.end() + 1] != "/":
            return
        literal = True
    else:
        in_shell = sign == "=" and not space
        literal = in_shell and name.isupper()
    value = written.rstrip(".:*")
    header = name.lower().endswith("authorization")
    if hides(kind, value, literal=literal, header=header):
        start = bare.start(2)
        yield start, start + len(value)


def hides(kind: str, value: str, *, literal: bool, header: bool = False) -> bool:
    """Whether a value is what a name of this strength promises. `literal`: it stands for itself, not for a variable."""
    if header and _is_credential(value):
        return not is_place(value) and not names_another(value)
    if kind != "password":
        return scrambled(value) or _is_drawn(kind, value)
    if not literal and not _is_no_code(value):
        return False
    return _may_be_password(value)


def _is_credential(value: str) -> bool:
    if len(value) < 8 or stands_in(value):
        return False
    return "=" in value or any(map(str.isdigit, value))


def _is_drawn(kind: str, value: str) -> bool:
    """Whether a machine drew it, as far as the kind of its name makes one believe that."""
    if kind == "secret":
        return looks_random(value, 10)
    if kind == "key":
        return looks_random(value, 16) and not is_uuid(value)
    if kind != "bare key" or is_uuid(value):
        return False
    return looks_random(value, 24) and not any(map(is_hex, value.split("-")))


def _is_no_code(value: str) -> bool:
    if len(value) < 6:
        return False
    if not tangled(value) or is_place(value):
        return False
    if not CODE.match(value):
        return True
    return scrambled(value)  # `PASSWORD_FIELD2` is code


def _may_be_password(value: str) -> bool:
    if value.isdigit() and len(value) < 6:
        return False
    if value[:1] in "/~" or "://" in value:
        return False
    return not names_another(value) and not stands_in(value)


def listed(text: str, point: int) -> Iterator[Span]:
    """`name: DB_PASSWORD`, then `value: ...` on the next line."""
    name = re.search(
        r"([A-Za-z_][\w.-]{0,79})[\"']?,?\s{1,40}[\"']?value[\"']?[ \t]{0,4}.$",
        text[max(0, point - 160) : point],
        _A,
    )
    kind = strength(name[1]) if name else ""
    match = re.compile(r"[ \t]{0,8}[\"']?([^\"'\s,}]{4,400})", _A).match(text, point)
    if kind and match and hides(kind, match[1], literal=True):
        yield match.span(1)


_CRUMB = re.compile(r"[\w.-]{1,60}=([^;\s\"'\\]{16,600})", _A)


def cookie(text: str, point: int) -> Iterator[Span]:
    stop = text.find("\n", point, point + 800)
    for crumb in _CRUMB.finditer(text, point, stop if stop >= 0 else point + 800):
        if looks_random(crumb[1], 16):
            yield crumb.span(1)


def paired(text: str, point: int) -> Iterator[Span]:
    """`define('DB_PASSWORD', '...')`; the point is at the value."""
    name = re.search(
        r"([A-Za-z_][\w.-]{0,60})[\"'] ?, ?.$", text[max(0, point - 80) : point], _A
    )
    kind = strength(name[1]) if name else ""
    match = re.compile(r"[^\s\"'\\]{6,400}(?=[\"'])", _A).match(text, point)
    if kind and match and hides(kind, match[0], literal=False):
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
    if CODE.match(value) or not tangled(value):
        return
    if hides("password", value, literal=True):
        yield arguments.span(1)


_CELL = re.compile(r"[ ]{0,20}`?([^\s|`]{6,200})`?[ ]{0,40}\|", _A)


def cell(text: str, point: int) -> Iterator[Span]:
    """`| password | ... |`."""
    match = _CELL.match(text, point)
    if match and scrambled(match[1], 8):
        yield match.span(1)


def rules() -> Iterator[Rule]:
    def rule(
        anchor: str,
        decide: Decide,
        starts: tuple[str, ...] = STARTS,
        name: str = "assigned",
    ) -> Rule:
        return Rule(name, "secret", ASSIGNED, anchor, starts, decide)

    yield rule(rf"{_MENTION}{_TAIL}[:=>]", assignment)
    yield rule(
        rf"{_MENTION}[\w.-]{{0,40}}[\"']?,?\s{{1,40}}[\"']?value[\"']?[ \t]{{0,4}}[:=]",
        listed,
    )
    yield rule(rf"{_MENTION}[\w.-]{{0,40}}[\"'] ?, ?[\"']", paired)
    yield rule(rf"{_MENTION}[\w.-]{{0,40}}`?\*{{0,2}} {{1,20}}\|", cell)
    calls = ("auth", "login", "authenticate")
    yield rule(rf"(?:{'|'.join(calls)})[\"']?[ =:]{{0,3}}[(\[]", second_argument, calls)
    yield rule(r"cookie[\"']?[:=]", cookie, ("cookie",), "cookie")
