"""Values given to a name that says secret: `DB_PASSWORD=...`, `"token": "..."`, `auth=("ana", "...")`.

Name and place decide how much the value must prove (`announced`). Where only a value can stand (`API_TOKEN=...`,
`X-Api-Key: ...`), and within quotes after a password, almost anything is hidden; within quotes after a token or a secret,
and in code, what no person would say; after a bare `key`, `pin` or `pass` only what cannot be a name. Names that say
what else it is (`token_url`, `public_key`, `secret_length`) and values that are code, names of other things or
stand-ins (`get_token()`, `config.password`, `${TOKEN}`) stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from afterglow.text.redact.announced import (
    Place,
    has_signs_inside,
    is_attribute,
    is_drawn,
    may_be_secret,
    plainly_none,
    reads_on,
)
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
from afterglow.text.redact.rule import ASSIGNED, Rule, Span

_A = re.ASCII
MENTION = (
    r"(?:passw|passphrase|pwd|pw|pass|secret|token|credential|cred|auth|bearer|key|pin|contrase|kennwort|senha"
    r"|wachtwoord|mot_de_passe)"
)
_TAIL = r"[\w.-]{0,40}[\"'`\]\\)*]{0,4}[ \t]{0,12}"
STARTS = tuple(MENTION[3:-1].split("|"))

_NAME = re.compile(
    r"[ \t]{0,12}[\"'`\]\\)*]{0,4}([\w.-]{0,79}[A-Za-z_])", _A
)  # read backwards
_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", _A)
_QUALIFIERS = frozenset(
    "prod production dev development test testing staging stage live old new value base64 b64 env string str".split()
)
_PASSWORDS = re.compile(
    r"(?:passw(?:or)?d|passphrase|passwort|kennwort|contrasena|senha|wachtwoord|passe|pwd|(?:store|key|user|db|root|my|ftp|smtp)pass)$"
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
    rf"\\{{0,3}}([\"'`]){_SCHEME}((?:(?!\1|\\{{1,3}}[\"'`])\S){{4,600}})\\{{0,3}}\1",
    _A | re.IGNORECASE,
)
_BARE = re.compile(
    rf"[=>:|?~]{{0,2}}\*{{0,2}}([ \t]{{0,8}})\*{{0,2}}{_SCHEME}([^\s\"'`,;&|(){{}}\[\]<>\\]{{4,600}})(.?)",
    _A | re.IGNORECASE,
)
# A value that goes on to the next space, whatever signs are in it, where only a value can stand.
_UNBROKEN = re.compile(
    r"((?:[^\s\"'`<>\\]|(?<=\w)[\"'`<>](?=[A-Za-z0-9])|\\(?![nrt\"'\\])){4,600})", _A
)
_NEXT_SETTING = re.compile(r"[,;&|]+(?:$|[\w.-]{1,60}[=:])|[,;)\]}]+$", _A)
CODE = re.compile(
    r"[A-Za-z_][A-Za-z_.:]*\d{0,2}$|[A-Z][A-Z0-9_]*$|\d+$|0x[0-9a-fA-F]+$|[\d.,:%-]+[a-z]{0,2}$",
    _A,
)


MIN_BARE = 8  # characters that nobody would say, after a bare `pass`
MIN_REPEATED = 20  # characters; a longer value holds more than its name and a number
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


_OF_CREDENTIALS = frozenset(
    "api access client auth secret private refresh bearer deploy bot webhook jwt signing personal encryption".split()
)


def names_credential(name: str) -> bool:
    """`client_secret`, `apiKey`: what nothing but a secret is called; a `token` may be a word, a `secret` a name."""
    *before, last = _telling_pieces(name) or [""]
    return last in {"apikey", "accesskey", "secretkey", "authtoken"} or (
        last in {"token", "secret", "key"} and not _OF_CREDENTIALS.isdisjoint(before)
    )


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
    name = name_before(text, point)
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
    value = quoted[2]
    in_shell = sign == "=" and following in {'"', "'"} and name.isupper()
    place = _place_of_quoted(name, in_shell=in_shell)
    header = name[:4].lower() == "auth"
    if not _repeats(name, value) and hides(kind, value, place, header=header):
        yield quoted.span(2)


def _place_of_quoted(name: str, *, in_shell: bool) -> Place:
    if in_shell or _is_header(name):
        return Place.VALUE
    return Place.NAMED if names_credential(name) else Place.LITERAL


def _repeats(name: str, value: str) -> bool:
    """`refreshToken: "refresh-456"`: the name again with a number, the value of a test."""
    pieces = set(_telling_pieces(name)) - {"password"}
    words = [word.lower() for word in _PIECES.findall(value)]
    letters = [word for word in words if not word.isdigit()]
    return bool(letters) and len(value) < MIN_REPEATED and pieces.issuperset(letters)


LONGEST_KIND = 12  # characters of such a word and a space
_KINDS_OF_KEY = re.compile(
    r"(?i)\b(api|access|secret|private|auth|deploy|signing|encryption|license|service)[ -]$",
    _A,
)


def name_before(text: str, point: int) -> str:
    """The name that the sign just before the point gives a value to; `API key` is one name."""
    before = text[max(0, point - 100) : point - 1]
    backwards = _NAME.match(before[::-1])
    if not backwards:
        return ""
    name = backwards[1][::-1]
    if name.lower() == "key":
        earlier = before[: len(before) - backwards.end()]
        which = _KINDS_OF_KEY.search(earlier[-LONGEST_KIND:])
        return f"{which[1]}_{name}" if which else name
    return name


def _is_header(name: str) -> bool:
    """`X-Api-Key`: a header of a request, whose value is never a variable."""
    return name[:2].lower() == "x-"


def _bare_value(text: str, point: int, name: str, kind: str) -> Iterator[Span]:
    sign = text[point - 1]
    if (sign == "=" and name.isupper()) or (sign == ":" and _is_header(name)):
        yield from _unbroken_value(text, point, kind, spaced=sign == ":")
        return
    bare = _BARE.match(text, point)
    if not bare or bare[3] in _STOPS:
        signed = _signed_value(text, point, kind)
        if signed:
            yield signed
            return
    if not bare or "..." in bare[2]:
        return
    place = _place_of_bare(text, point, bare, name, kind)
    value = bare[2].rstrip(".:*")
    header = name.lower().endswith("authorization")
    if place and hides(kind, value, place, header=header):
        start = bare.start(2)
        yield start, start + len(value)


def _place_of_bare(
    text: str, point: int, bare: re.Match[str], name: str, kind: str
) -> Place | None:
    """None where it is no value: a call, or an element whose end does not follow."""
    if bare[3] in {"(", "[", "{"}:
        return None
    if text[point - 1] == ">":
        ends = bare[3] == "<" and text[bare.end() : bare.end() + 1] == "/"
        return Place.LITERAL if ends else None
    if _is_setting(text, point, bare):
        return _place_of_setting(name, kind, bare[2].rstrip(".:*"))
    return Place.CODE


def _unbroken_value(
    text: str, point: int, kind: str, *, spaced: bool
) -> Iterator[Span]:
    """`DB_PASSWORD=a(b;c`, `X-Api-Key: ...`; a space before it makes the first a piece of code."""
    start = point
    while text[start : start + 1] in {" ", "\t"}:
        start += 1
    match = _UNBROKEN.match(text, start)
    if not match or "..." in match[1]:
        return
    setting_after = _NEXT_SETTING.search(match[1])
    value = match[1][: setting_after.start()] if setting_after else match[1]
    value = value.rstrip(".:*")
    in_code = start > point and not spaced
    place = Place.CODE if in_code else Place.VALUE
    if hides(kind, value, place):
        yield start, start + len(value)


def _signed_value(text: str, point: int, kind: str) -> Span | None:
    """`password=D%]q(s6`: up to the next space, where the signs in it make it no name and no code."""
    if kind not in {"password", "secret"}:
        return None
    start = point
    while text[start : start + 1] in {" ", "\t"}:
        start += 1
    match = _UNBROKEN.match(text, start)
    if not match:
        return None
    setting_after = _NEXT_SETTING.search(match[1])
    value = match[1][: setting_after.start()] if setting_after else match[1]
    if _STOPS.isdisjoint(value) or not has_signs_inside(value):
        return None
    if plainly_none(value, password=kind == "password") or "..." in value:
        return None
    return start, start + len(value)


_STOPS = frozenset(",;&|(){}[]")  # signs at which a bare value of code ends
_LINE_START = re.compile(
    r"[ \t]*(?:[-+*>|][ \t]+)?(?:\d+[:→\t])?[ \t]*[\"'*`]{0,3}[\w.-]+(?: [\w.-]+)?[\"'*`]{0,3}[ \t]*$"
)
_SETTING_ENDS = re.compile(
    r"[ \t\r]*(?:\n|\\n|$)|;[\w ]{1,30}=|;?[\"'](?:[\s),;]|$)|&[\w-]{1,30}=", _A
)


def _place_of_setting(name: str, kind: str, value: str) -> Place:
    if kind == "password" and not reads_on(value):
        return Place.VALUE
    is_type = value[0].isupper() and value.isalnum()  # `privateKey: Uint8Array`
    if names_credential(name) and not is_attribute(value) and not is_type:
        return Place.NAMED
    return Place.CODE


def _is_setting(text: str, point: int, bare: re.Match[str]) -> bool:
    """A line of a settings file (`password: ...` and nothing else), or a part of a connection's (`;Password=...;`)."""
    sign, spaced = text[point - 1], bool(bare[1])
    if not _SETTING_ENDS.match(text, bare.end(2)):
        return False
    if sign == "=":
        return not spaced
    if not spaced:
        return False
    line_start = text.rfind("\n", max(0, point - 100), point) + 1
    return bool(_LINE_START.match(text, line_start, point - 1))


@lru_cache(maxsize=4096)  # code gives the same words to the same names
def hides(kind: str, value: str, place: Place, *, header: bool = False) -> bool:
    """Whether a value is what a name of this strength promises."""
    if header and _is_credential(value):
        return not is_place(value) and not names_another(value)
    if kind == "password":
        if place is Place.CODE and _is_no_code(value) and _may_be_password(value):
            return True
        return may_be_secret(value, password=True, place=place)
    if scrambled(value) or _is_drawn(kind, value):
        return True
    if kind == "bare word":
        return len(value) >= MIN_BARE and is_drawn(value)
    return kind == "secret" and may_be_secret(value, password=False, place=place)


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


def rules() -> Iterator[Rule]:
    anchor = rf"{MENTION}{_TAIL}[:=>]"
    yield Rule("assigned", "secret", ASSIGNED, anchor, STARTS, assignment)
