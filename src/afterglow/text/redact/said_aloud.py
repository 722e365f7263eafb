"""Secrets in what people say: `the password is ...`, `the login is ana / ...`, `... as the deploy token`, `my PIN is`.

After a password whatever is no word of the sentence and ends the clause is the password; after a token or a key, which
sentences say more of, the value must not read like a word. A commit stays where it is called a commit, or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_letters, digits

from afterglow.text.redact.announced import (
    MIN_LETTERS,
    Place,
    ends_clause,
    has_digits_inside,
    has_signs_inside,
    has_unreadable,
    is_call,
    is_drawn,
    may_be_secret,
    plainly_none,
    reads_on,
)
from afterglow.text.redact.named_values import CODE, OTHER
from afterglow.text.redact.randomness import (
    is_algorithm,
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
# What people call a password, in the languages whose letters a pattern of bytes can name: `?` is any other letter.
PASSWORDS = (
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "passwort",
    "kennwort",
    "mot de passe",
    "contrase[?n]a",
    "senha",
    "wachtwoord",
    "parola",
    "l[?o]senord",
    "adgangskode",
    "has[?l]o",
    "heslo",
    "salasana",
)
_ANY_PASSWORD = re.sub(r"\[\?\w\]", ".", "|".join(PASSWORDS))
_PASSWORD_BEFORE = re.compile(
    rf"(?i)(?:{_ANY_PASSWORD})(?:'s |\W{{1,2}}(?:[\w>=-]{{1,7}}|(?:set|changed) to)\W{{0,3}})$"
)
_PASSWORD_WORD = re.compile(rf"(?i)(?:{_ANY_PASSWORD})[ \"'`(]{{1,3}}$")
_SPOKEN = (*PASSWORDS, "token", "secret", *_KEYS)
# `is` in these languages; the last is any letter that is not ASCII, as in `a senha é`.
_IS = r"(?:is|was|are|be|ist|war|lautet|est|es|era|\?r|jest|je|->|\?|set to|changed to)"


def _drawn(value: str, least: int = 16) -> bool:
    if stands_in(value):
        return False
    if looks_random(value, least) and not is_uuid(value):
        return True
    if scrambled(value):
        return True
    return len(value) >= MIN_LETTERS and has_unreadable(value)


_WORD = re.compile(r"[\w+/.~!@#$%^&-]{8,400}={0,2}(?![\w=])", _A)


def random_word(text: str, point: int) -> Iterator[Span]:
    """`token 4f0c...` without a sign between; the point is 8 characters into the value."""
    match = _WORD.match(text, point - 8)
    value = match[0].rstrip(".!") if match else ""
    if not match or plainly_none(value, password=False):
        return
    drawn = _drawn(value)
    if not drawn and _PASSWORD_WORD.search(
        text[max(0, match.start() - 16) : match.start()]
    ):
        drawn = has_digits_inside(value) and ends_clause(
            text, match.start() + len(value)
        )
    if drawn:
        yield match.start(), match.start() + len(value)


_QUOTES = frozenset("\"'`")
_SAID = re.compile(
    r"([\"'`*]{0,3})((?:[^\s\"'`<>|*]|(?<=[\w!-&(-/])[\"'`<>|*](?=[A-Za-z0-9])){4,400})",
    _A,
)


def said(text: str, point: int) -> Iterator[Span]:
    """`the password is hunter2!`, `the token is 4f...`."""
    of_another = text[point - 3 : point] == "'s " and text[point : point + 1] in _QUOTES
    if of_another:  # `the token's `exp``
        return
    is_password = bool(_PASSWORD_BEFORE.search(text[max(0, point - 30) : point]))
    yield from said_value(text, point, password=is_password)


def said_value(text: str, start: int, *, password: bool) -> Iterator[Span]:
    """What is said at this place, if it is a secret."""
    match = _SAID.match(text, start)
    if not match:
        return
    value = match[2].rstrip(".,;:!?)]}")
    begin, end = match.start(2), match.start(2) + len(value)
    if plainly_none(value, password=password) or is_call(value):
        return
    drawn = is_drawn(value) and (password or len(value) >= MIN_LETTERS)
    if not drawn:
        drawn = has_signs_inside(value)
    if not drawn and not reads_on(value) and ends_clause(text, end):
        drawn = has_digits_inside(value)
    if drawn or (password and _is_all_that_is_said(text, match, end)):
        yield begin, end


def _is_all_that_is_said(text: str, match: re.Match[str], end: int) -> bool:
    """After a password: within quotes a text, else what ends the clause and is no word of the sentence."""
    value = text[match.start(2) : end]
    if reads_on(value) or value.isupper() or is_algorithm(value):
        return False
    if match[1].strip("*"):
        return "_" not in value
    return ends_clause(text, end) and any(map(str.isalpha, value))


_PURPOSE = re.compile(
    r"(?:[\w.@'`/-]{0,39}[\w@'`/-] ){0,5}([\w.@'`/-]{0,39}[\w@'`/-])(?: is:?| was| =|:) ",
    _A,
)
_OF_ANOTHER = frozenset("user username name account id email host server url".split())


def said_of(text: str, point: int) -> Iterator[Span]:
    """`the password for the staging database is ...`."""
    purpose = _PURPOSE.match(text, point)
    if not purpose or (purpose[1].lower() in _OF_ANOTHER and purpose[0].endswith(": ")):
        return  # `passphrase to unlock the key for user: ...`
    match = _SAID.match(text, purpose.end())
    if not match:
        return
    value = match[2].rstrip(".:!?")
    if is_hex(value) and _ABOUT_CODE.search(text, point, match.start()):
        return
    before = text[max(0, point - 24) : point]
    is_password = bool(_PASSWORD_BEFORE.search(before))
    yield from said_value(text, purpose.end(), password=is_password)


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
    is_field = match[2] == ":" and text[match.end(1)] in _QUOTES  # `"login": "ana"`
    if not secret and not is_field and len(value) >= MIN_LETTERS:
        secret = has_unreadable(value)
    if not secret and match[2] == " / ":
        secret = not CODE.match(value) and tangled(value)
    if value[0] == "/" or plainly_none(value, password=True):
        return
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
_VALUE = ascii_letters + digits + "+/=.~!@#$%^&*?_-:;,|()[]{}"
_USES = re.compile(
    r"(?i)\b(?:use|using|try|set|enter|put|with|keep|take|have)\s[\"'`*(]{0,3}$", _A
)
_COMPOUND = re.compile(
    r" (?!(?:[a-z]{1,3}|when|then|until|from|with|please|instead|today)\b)[a-z]", _A
)


def in_role(text: str, point: int) -> Iterator[Span]:
    """`use ... as the deploy token`, `... is my API key`. The point is after the first word of the role."""
    start = text.rfind(" ", 0, point)
    role = _ROLE.match(text, start + 1)
    if not role or OTHER & set(role[0].lower().split()):
        return
    end = text.rfind(" ", 0, start)
    head = text[max(0, end - 400) : end].rstrip("\"'`*")
    end = max(0, end - 400) + len(head)
    value = head[len(head.rstrip(_VALUE)) :]
    if not value or _COMPOUND.match(text, role.end()):
        return
    before = head[: len(head) - len(value)]
    if _drawn(value) or _is_put_to_use(before, value, role[0].lower()):
        yield end - len(value), end


def _is_put_to_use(before: str, value: str, role: str) -> bool:
    """`use kestrel9 as the password`: the verb has nothing else to speak of."""
    if not _USES.search(before[-20:]) or is_place(value):
        return False
    if reads_on(value) or is_hex(value) or "_" in value:
        return False
    if role.endswith(("password", "passphrase")):
        return may_be_secret(value, password=True, place=Place.VALUE)
    return is_drawn(value) and may_be_secret(value, password=False, place=Place.VALUE)


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


_STARTS = tuple(word.partition("[")[0] for word in _SPOKEN)


def rules() -> Iterator[Rule]:
    def rule(
        anchor: str, starts: tuple[str, ...], decide: Decide, name: str = "said"
    ) -> Rule:
        return Rule(name, "secret", ASSIGNED, anchor, starts, decide)

    spoken = f"(?:{'|'.join(_SPOKEN)})"
    yield rule(rf"{spoken} {_IS}:? ", _STARTS, said)
    yield rule(rf"{spoken}'s ", _STARTS, said)
    yield rule(rf"{spoken} (?:for|to|of|on|in) ", _STARTS, said_of)
    yield rule(
        rf"{spoken}[ ,\"'`*]{{1,3}}\(?[\"'`]?[\w+/.~!@#$%^&-]{{8}}",
        _STARTS,
        random_word,
    )
    yield rule(rf"\b(?:{'|'.join(_NUMBERS)})\b", _NUMBERS, number)
    yield rule(rf"\b(?:{'|'.join(_LOGINS)})s?[\"'`]?[: ]", _LOGINS, login)
    yield rule(
        rf" (?:as|is|was) (?:{'|'.join(_ROLES)})\b", (" as ", " is ", " was "), in_role
    )
    handed = rf"(?:{'|'.join(_HANDS)})[ '][a-z ',-]{{1,70}}: [\"'`]?[\w+/=.~-]{{20}}"
    yield rule(handed, _HANDS, after_colon, "handed-over")
    value = r"[\"'`]?[\w+/=.~-]{20}"
    yield rule(rf"\b(?:{'|'.join(_VERBS)}) {value}", _VERBS, used, "handed-over")
