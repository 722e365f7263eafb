"""Values that are called a secret: `DB_PASSWORD=...`, `"token": "..."`, `--api-key ...`, `the password is ...`.

The name decides how much the value must prove. After a password almost anything literal is hidden; after a token, a
secret or a key only what looks random. Names that say what else it is (`token_url`, `public_key`, `secret_length`) and
values that are code, names of other things or stand-ins (`get_token()`, `config.password`, `${TOKEN}`) stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from afterglow.text.redact.looks import is_hex, is_place, is_uuid, looks_random, names_another, stands_in
from afterglow.text.redact.rule import ASSIGNED, Rule, Span

_A = re.ASCII
_MENTION = r"(?:passw|passphrase|pwd|pass|secret|token|credential|cred|auth|bearer|key|contrase|kennwort|senha)"
_TAIL = r"[\w.-]{0,40}[\"'`\]\\)]{0,4}[ \t]{0,12}"
STARTS = tuple(_MENTION[3:-1].split("|"))

_NAME = re.compile(r"[ \t]{0,12}[\"'`\]\\)]{0,4}([\w.-]{0,79}[A-Za-z_])", _A)  # read backwards
_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", _A)
_QUALIFIERS = frozenset(
    "prod production dev development test testing staging stage live old new value base64 b64 env string str".split()
)
_PASSWORDS = re.compile(r"(?:passw(?:or)?d|passphrase|passwort|kennwort|contrasena|senha|pwd)$")
_SECRETS = re.compile(r"(?:secret|token|credentials?|creds?|apikey|secretkey|accesskey|authkey|bearer|authorization)$")
_OTHER = frozenset(
    "public pub csrf xsrf primary foreign sort partition cache page next max num total count cancellation index map"
    " object row bucket lookup group hash host registry schema idempotency stop bos eos pad unk mask special arrow"
    " shortcut authenticity keyboard node edge sequence translation i18n locale widget query".split()
)

_SCHEME = r"(?:(?:bearer|basic|token|digest|apikey|api-token|negotiate|splunk|key|bot)[ \t]{1,4})?"
_QUOTED = re.compile(
    rf"[=>:|?~]{{0,2}}[ \t]{{0,8}}(?:[brfuL@$]{{1,2}})?\\{{0,3}}([\"'`]){_SCHEME}([^\"'`\s]{{4,600}}?)\\{{0,3}}[\"'`]",
    _A | re.IGNORECASE,
)
_BARE = re.compile(
    rf"[=>:|?~]{{0,2}}([ \t]{{0,8}}){_SCHEME}([^\s\"'`,;&|(){{}}\[\]<>\\]{{4,600}})(.?)", _A | re.IGNORECASE
)
_CODE = re.compile(r"[A-Za-z_][A-Za-z_.:]*\d{0,2}$|[A-Z][A-Z0-9_]*$|\d+$|0x[0-9a-fA-F]+$|[\d.,:%-]+[a-z]{0,2}$", _A)


@lru_cache(maxsize=4096)
def strength(name: str) -> str:
    """What a name promises: "password", "secret", "key", or nothing."""
    pieces = [piece.lower() for piece in _PIECES.findall(name)]
    while len(pieces) > 1 and (pieces[-1].isdigit() or pieces[-1] in _QUALIFIERS):
        pieces.pop()
    if not pieces or _OTHER & set(pieces):
        return ""
    last = pieces[-1]
    if _PASSWORDS.search(last) or (last in {"pass", "pw"} and len(pieces) > 1):
        return "password"
    if (
        _SECRETS.search(last)
        or last in {"auth"}
        or (last == "key" and {"api", "secret", "access", "private"} & set(pieces))
    ):
        return "secret"
    if last == "key":
        return "key" if len(pieces) > 1 else "bare key"
    return ""


def assignment(text: str, point: int) -> Iterator[Span]:
    """The point is just after `=`, `:` or `>`."""
    backwards = _NAME.match(text[max(0, point - 100) : point - 1][::-1])
    name = backwards[1][::-1] if backwards else ""
    kind = strength(name)
    if not kind or text[point : point + 1] == ":":
        return
    quoted = _QUOTED.match(text, point)
    if quoted:
        if text[point - 1] != ">" and _hides(kind, quoted[2], literal=True, header=bool(re.match(r"(?i)auth", name))):
            yield quoted.span(2)
        return
    if text[point : point + 1] == "=":
        return
    bare = _BARE.match(text, point)
    if not bare or bare[3] in {"(", "[", "{"} or "..." in bare[2]:
        return
    value = bare[2].rstrip(".:")
    element = text[point - 1] == ">"
    if element and not (bare[3] == "<" and text[bare.end() : bare.end() + 1] == "/"):
        return
    shell = text[point - 1] == "=" and not bare[1] and name.isupper()
    if _hides(kind, value, literal=shell or element, header=name.lower().endswith("authorization")):
        yield bare.start(2), bare.start(2) + len(value)


def _hides(kind: str, value: str, *, literal: bool, header: bool = False) -> bool:
    if header and len(value) >= 8 and any(c.isdigit() or c == "=" for c in value) and not stands_in(value):
        return not is_place(value) and not names_another(value)
    if kind == "bare key":
        return looks_random(value, 24) and not is_uuid(value) and not any(map(is_hex, value.split("-")))
    if kind != "password":
        return looks_random(value, 16 if kind == "key" else 10) and not (kind == "key" and is_uuid(value))
    if not literal and (len(value) < 6 or not _tangled(value) or _CODE.match(value) or is_place(value)):
        return False
    short = value.isdigit() and len(value) < 6
    return not (short or names_another(value) or stands_in(value) or value[:1] in "/~" or "://" in value)


def _tangled(value: str) -> bool:
    letters, digits = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    return letters and (digits or any(c in "!@#$%^&*+?~" for c in value))


def listed(text: str, point: int) -> Iterator[Span]:
    """`name: DB_PASSWORD`, then `value: ...` on the next line."""
    name = re.search(
        r"([A-Za-z_][\w.-]{0,79})[\"']?,?\s{1,40}[\"']?value[\"']?[ \t]{0,4}.$", text[max(0, point - 160) : point], _A
    )
    kind = strength(name[1]) if name else ""
    found = re.compile(r"[ \t]{0,8}[\"']?([^\"'\s,}]{4,400})", _A).match(text, point)
    if kind and found and _hides(kind, found[1], literal=True):
        yield found.span(1)


_FLAG = re.compile(r"-{1,2}([A-Za-z][\w-]{0,50})[ ]$", _A)
_ARGUMENT = re.compile(r"[ ]{0,3}([\"']?)([^\s\"'`<>|;&]{4,400})", _A)


def flag(text: str, point: int) -> Iterator[Span]:
    """`--password hunter2`."""
    name = _FLAG.search(text[max(0, point - 60) : point])
    kind = strength(name[1]) if name else ""
    found = _ARGUMENT.match(text, point)
    if kind and found and not found[2].startswith("-") and found[2] not in {"is", "and"}:
        value = found[2].rstrip(".,:)")
        if _hides(kind, value, literal=bool(found[1])) or (
            kind == "password" and _tangled(value) and not stands_in(value)
        ):
            yield found.start(2), found.start(2) + len(value)


_LOGINS = ("mysql", "mysqldump", "mysqladmin", "mariadb", "sshpass", "docker login", "podman login", "redis-cli")
_SHORT = re.compile(r"(?:^|\s)-[pa](\s?)([\"']?)([^\s\"'|;&-][^\s\"'|;&]{3,100})", _A)


def login(text: str, point: int) -> Iterator[Span]:
    """`mysql -psecret`, `docker login -p secret`."""
    line = text[point : point + 200].split("\n", 1)[0]
    found = _SHORT.search(line)
    if found and _tangled(found[3]) and not stands_in(found[3]) and not is_place(found[3]):
        yield point + found.start(3), point + found.end(3)


_CRUMB = re.compile(r"[\w.-]{1,60}=([^;\s\"'\\]{16,600})", _A)


def cookie(text: str, point: int) -> Iterator[Span]:
    stop = text.find("\n", point, point + 800)
    for crumb in _CRUMB.finditer(text, point, stop if stop >= 0 else point + 800):
        if looks_random(crumb[1], 16):
            yield crumb.span(1)


def paired(text: str, point: int) -> Iterator[Span]:
    """`define('DB_PASSWORD', '...')`; the point is at the value."""
    name = re.search(r"([A-Za-z_][\w.-]{0,60})[\"'] ?, ?.$", text[max(0, point - 80) : point], _A)
    kind = strength(name[1]) if name else ""
    found = re.compile(r"[^\s\"'\\]{6,400}(?=[\"'])", _A).match(text, point)
    if kind and found and _hides(kind, found[0], literal=False):
        yield found.span()


def random_word(text: str, start: int) -> Iterator[Span]:
    """`token 4f0c...` without a sign between."""
    found = re.compile(r"[\w+/.~-]{16,400}={0,2}(?![\w=])", _A).match(text, start)
    if found and looks_random(found[0].rstrip("."), 16) and not is_uuid(found[0]):
        yield start, start + len(found[0].rstrip("."))


_SAID = re.compile(r"[\"'`]?([^\s\"'`<>|,;(){}]{6,400})", _A)


def said(text: str, point: int) -> Iterator[Span]:
    """`the password is hunter2!`, `Bearer 4f...`."""
    found = _SAID.match(text, point)
    if not found:
        return
    value = found[1].rstrip(".:!?")
    word = text[max(0, point - 40) : point].lower()
    password = re.search(r"pass\w*\s+(?:is|was)\s$", word)
    sure = _tangled(value) and not _CODE.match(value) and not is_place(value) and not stands_in(value)
    if (sure and password) or looks_random(value, 12):
        yield found.start(1), found.start(1) + len(value)


_HANDED = re.compile(r"(?i)\b(?:use|here(?:'s| is| are)|this is|take|try|got)\b[^\n]{0,80}$", _A)
_ABOUT_ACCESS = re.compile(
    r"(?i)\b(?:server|staging|prod|production|account|login|log in|sign in|api|admin|service|database|db|access|vpn"
    r"|lose|leak|share)\b",
    _A,
)
_ABOUT_CODE = re.compile(
    r"(?i)\b(?:commits?|sha\d*|hash(?:es)?|revisions?|rev|branch|checkout|digests?|checksums?|sessions?|uuid|id|ids|ref|tag|images?|version"
    r"|output|diff|merge|rebase|file|path|url|link|build|run|trace|container|checkpoint)\b|\bgit\b",
    _A,
)
_BARE_VALUE = re.compile(r"[\"'`]?([A-Za-z0-9_+/=.~-]{20,400})[\"'`]?(?![\w(/])", _A)


def handed_over(text: str, point: int) -> Iterator[Span]:
    """`use this for the staging server: 4f0c...`: a random value that a person hands over, not a commit."""
    found = _BARE_VALUE.match(text, point)
    before = text[max(0, point - 120) : point]
    if not found or not _HANDED.search(before[: before.rfind(":") + 1] if ":" in before else ""):
        return
    clause = before.rsplit("\n", 1)[-1]
    after = text[found.end() : found.end() + 60].split("\n", 1)[0]
    about = clause + after
    if _ABOUT_ACCESS.search(about) and not _ABOUT_CODE.search(about) and looks_random(found[1], 20):
        yield found.span(1)


_SPOKEN = ("password", "passwd", "passphrase", "passcode", "pwd", "token", "secret", "api key", "apikey", "api_key")
_HANDS = ("use", "here", "this", "take", "got")


def rules() -> Iterator[Rule]:
    yield Rule("assigned", "secret", ASSIGNED, rf"{_MENTION}{_TAIL}[:=>]", STARTS, assignment)
    value = rf"{_MENTION}[\w.-]{{0,40}}[\"']?,?\s{{1,40}}[\"']?value[\"']?[ \t]{{0,4}}[:=]"
    yield Rule("assigned", "secret", ASSIGNED, value, STARTS, listed)
    yield Rule("assigned", "secret", ASSIGNED, rf"{_MENTION}[\w.-]{{0,40}}[\"'] ?, ?[\"']", STARTS, paired)
    options = r"[a-z][a-z-]{0,30}(?:word|passwd|secret|token|key|pass|pwd) "
    yield Rule("flag", "secret", ASSIGNED, "--" + options, ("--",), flag)
    yield Rule("flag", "secret", ASSIGNED, " -" + options, (" -",), flag)
    yield Rule("flag", "secret", ASSIGNED, rf"(?:{'|'.join(_LOGINS)}) ", _LOGINS, login)
    yield Rule("said", "secret", ASSIGNED, rf"(?:{'|'.join(_SPOKEN)}) (?:is|was) ", _SPOKEN, said)
    value = r"[\w+/=.~-]{16}"
    yield Rule(
        "said", "secret", ASSIGNED, rf"(?:{'|'.join(_SPOKEN)}) {value}", _SPOKEN, lambda t, p: random_word(t, p - 16)
    )
    yield Rule("bearer", "secret", ASSIGNED, r"bearer ", ("bearer ",), said)
    yield Rule("cookie", "secret", ASSIGNED, r"cookie[\"']?[:=]", ("cookie",), cookie)
    handed = rf"(?:{'|'.join(_HANDS)})[ '][a-z ',-]{{1,70}}: [\"'`]?[\w+/=.~-]{{20}}"
    yield Rule("handed-over", "secret", ASSIGNED, handed, _HANDS, _handed)


def _handed(text: str, point: int) -> Iterator[Span]:
    start = text.rfind(": ", max(0, point - 24), point)
    return handed_over(text, start + 2) if start >= 0 else iter(())
