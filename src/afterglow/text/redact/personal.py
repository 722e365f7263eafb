"""Personal data with a shape: e-mail, phone, card, IBAN, US social security number, public IP address, home folders.

Numbers must prove themselves: cards by issuer and Luhn, IBANs by country, length and mod 97, phones by their grouping
or a word that says so. Private, loopback and documentation addresses stay: they name nobody, and lessons need them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from afterglow.text.redact.rule import PERSONAL, Decide, Rule, Span

_A = re.ASCII
_NOBODY = re.compile(
    r"(?i)(?:git|hg|svn|noreply|no-reply|user|username|you|your.?name|name|me|foo|email|someone)@|.*@(?:users\.noreply\.|(?:[\w-]+\.)?example\.)",
    _A,
)
_EMAIL = re.compile(
    r"(?<![\w.+%-])([A-Za-z0-9_][\w.+%-]{0,63})@((?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}([A-Za-z]{2,24}))(?![\w@-]|\.\w)",
    _A,
)
_LOCAL = re.compile(r"[\w.+%-]{1,64}$", _A)
_FILE_ENDINGS = frozenset(
    "js ts py go rs json md png svg jpg css html tsx jsx yml yaml lock toml sh service git target socket".split()
)


def email(text: str, point: int) -> Iterator[Span]:
    """The point is just after `@`."""
    local = _LOCAL.search(text[max(0, point - 66) : point - 1])
    if not local:
        return
    start = point - 1 - len(local[0])
    if text[start - 1 : start] == "\\" and len(local[0]) > 2:
        start += 1  # the n of an escaped line end
    match = _EMAIL.match(text, start)
    if (
        match
        and text[start - 1 : start] != "/"
        and match[3].lower() not in _FILE_ENDINGS
        and not _NOBODY.match(match[0])
    ):
        yield match.span()


_CARD_RUN = re.compile(r"(?<![\w.+/#-])\d(?:[ -]?\d){11,18}(?![\w]|[.-]\d)", _A)
_ISSUER = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})$|5[1-5]\d{14}$|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}$|3[47]\d{13}$"
    r"|3(?:0[0-5]|[689]\d)\d{11}$|6(?:011|5\d\d|4[4-9]\d)\d{12,15}$|35\d{14}$|(?:1800|2131)\d{11}$"
    r"|(?:5018|5020|5038|5[678]\d\d|6304|6759|676[1-3])\d{8,15}$",
    _A,
)


_OTHER_ID = re.compile(r"(?i)(?<!card)(?<!card_no)(?<!number)(?<!pan)=$", _A)


def card(text: str, start: int) -> Iterator[Span]:
    run = _CARD_RUN.match(text, start)
    digits = re.sub(r"\D", "", run[0]) if run else ""
    if (
        run
        and _ISSUER.match(digits)
        and _luhn(digits)
        and not _OTHER_ID.search(text[max(0, start - 24) : start])
    ):
        yield run.span()


def _luhn(digits: str) -> bool:
    plain = sum(map(int, digits[-1::-2]))
    doubled = 0
    for digit in digits[-2::-2]:
        tens, units = divmod(2 * int(digit), 10)
        doubled += tens + units
    return (plain + doubled) % 10 == 0


IBAN_LENGTHS = dict(
    re.findall(
        r"([A-Z]{2})(\d\d)",
        "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BR29BY28CH21CR22CY28CZ24DE22DK18DO28EE20EG29ES24FI18FO18FR27GB22GE22GI23GL18GR27"
        "GT28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21MC27MD24ME22MK19MR27MT31MU30NL18NO15PK24PL28PS29"
        "PT25QA29RO24RS22SA24SC31SE24SI19SK24SM27ST25SV28TL23TN24TR26UA29VA22VG24XK20",
    )
)
_IBAN_RUN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d\d(?: ?[A-Za-z0-9]){11,30}", _A)


def iban(text: str, point: int) -> Iterator[Span]:
    run = _IBAN_RUN.match(text, point - 8)
    country = text[point - 8 : point - 6].upper()
    length = int(IBAN_LENGTHS.get(country, 0))
    if not run or not length:
        return
    places = [at for at, character in enumerate(run[0], 1) if character != " "]
    if len(places) < length:
        return
    start = run.start()
    end = start + places[length - 1]
    if text[end : end + 1].isalnum():
        return
    if _mod97(text[start:end]):
        yield start, end


def _mod97(number: str) -> bool:
    plain = number.replace(" ", "")
    turned = plain[4:] + plain[:4]
    digits = "".join(str(int(character, 36)) for character in turned)
    return int(digits) % 97 == 1


_SSN = re.compile(
    r"(?<![\w.+/-])(?!000|666|9\d\d)\d{3}-(?!00)\d\d-(?!0000)\d{4}(?![\w-]|\.\d)", _A
)


def social_security(text: str, point: int) -> Iterator[Span]:
    match = _SSN.match(text, point - 11)
    if match and match[0] not in {"123-45-6789", "078-05-1120"}:
        yield match.span()


_IP = re.compile(
    r"(?<![\w.-])(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?![\w-]|\.\d)", _A
)
_VERSIONED = re.compile(
    r"(?i)(?:\bv(?:er(?:sion)?)?[ .:=]{0,3}|[\w)]/|[=<>~^@]=? ?|\brelease |\bupdate |\bbuild )$",
    _A,
)


SMALL = 32  # an address without any greater number is rare, a version is not
_AFTER_A_NAME = re.compile(r"\w[:=]?\s{1,20}$|[\w-]$", _A)
# By their first one, two or three numbers: within a house, for one machine, for tests and for documentation.
_PRIVATE_BLOCKS: frozenset[int | tuple[int, ...]] = frozenset(
    {
        *(0, 10, 127),
        *((192, 168), (169, 254), (198, 18), (198, 19)),
        *((192, 0, 2), (198, 51, 100), (203, 0, 113), (192, 0, 0)),
    }
)
_RESOLVERS = {"1.1.1.1", "1.0.0.1", "8.8.8.8", "8.8.4.4", "9.9.9.9"}  # they name nobody


def address(text: str, point: int) -> Iterator[Span]:
    for match in _IP.finditer(text, max(0, point - 16), point + 6):
        start, end = match.span()
        if not start < point <= end:
            continue
        if _names_somebody(match) and not _is_version(text, start, end):
            yield start, end


def _names_somebody(address: re.Match[str]) -> bool:
    """A well-formed address of a machine that others can reach."""
    parts = [int(part) for part in address.groups()]
    if max(parts) > 255 or address[0] in _RESOLVERS:
        return False
    written = ".".join(map(str, parts))
    return written == address[0] and _public(*parts[:3])


def _is_version(text: str, start: int, end: int) -> bool:
    """`2.0.0.3` after a name is one; so is anything after `v`, `==` or `Chrome/`. A port or `://` says it is not."""
    before = text[max(0, start - 24) : start]
    if before.endswith("://") or re.match(r":\d", text[end : end + 2]):
        return False
    if _VERSIONED.search(before):
        return True
    parts = map(int, text[start:end].split("."))
    if max(parts) >= SMALL:
        return False
    return bool(_AFTER_A_NAME.search(before))


def _public(a: int, b: int, c: int) -> bool:
    if a in _PRIVATE_BLOCKS or a >= 224:
        return False
    if (a, b) in _PRIVATE_BLOCKS or (a, b, c) in _PRIVATE_BLOCKS:
        return False
    if a == 172:
        return not 16 <= b < 32
    if a == 100:
        return not 64 <= b < 128
    return True


_IP6 = re.compile(
    r"(?<![\w:.])[23][0-9a-f]{3}(?::[0-9a-f]{0,4}){2,7}(?![\w:])", _A | re.IGNORECASE
)


def address6(text: str, point: int) -> Iterator[Span]:
    match = _IP6.match(text, point - 6)
    if not match:
        return
    documented = match[0].lower().startswith(("2001:db8", "2001:0db8"))
    if not documented and _is_address6(match[0]):
        yield match.span()


def _is_address6(written: str) -> bool:
    """Eight groups, or fewer around one `::`."""
    groups = written.split(":")
    empty = groups.count("")
    if not empty:
        return len(groups) == 8
    if len(groups) > 8 or written.count("::") != 1 or ":::" in written:
        return False
    return empty == (2 if written.endswith("::") else 1)


_PHONE = re.compile(
    r"(?<![\w.+/#=:-])(?:"
    r"\+\d{1,3}[ .-]?(?:\(0?\d{1,4}\)[ .-]?)?\d(?:[ .-]?\d){5,12}"  # +46 (0)8 928 571 38
    r"|(?:1[ .-])?\([2-9]\d{2}\)[ .-]?\d{3}[ .-]\d{4}"  # (555) 555-0100
    r"|(?:(?:1|001)-)?[2-9]\d{2}-\d{3}-\d{4}"  # 541-714-1388
    r"|[2-9]\d{2}\.\d{3}\.\d{4}"
    r"|[2-9]\d{2} \d{3} \d{4}"
    r"|(?<![0-9a-f]{4} )0[1-9]\d{1,3} \d{2,4}(?: \d{2,4}){1,3}(?! [0-9a-f]{4}\b)|0[1-9]\d{3} \d{6}"
    r"|\(0\d{1,4}\) ?\d{2,4}(?:[ -]\d{2,4}){1,3}|\(\d{2,3}\) \d{3,4}-\d{3,4}|0[1-9]([. ])\d\d(?:\1\d\d){3}"
    r")(?:x\d{1,5}| ext\.? ?\d{1,5})?(?![\w]|[.-]\d|,\d|:\d)",
    _A,
)
_LOOSE = re.compile(
    r"(?<![\w.+/#=:-])\(?\d(?:[ ().-]{0,2}\d){6,12}(?:x\d{1,5})?(?![\w]|[.-]\d|,\d|:\d)",
    _A,
)


def phone(text: str, start: int) -> Iterator[Span]:
    match = _PHONE.match(text, start)
    if match and 7 <= sum(map(str.isdigit, match[0])) <= 15:
        yield match.span()


_OTHER_NUMBER = re.compile(
    r"\d{4}[-./]\d\d[-./]\d\d|\d{1,3}(?:\.\d{1,3}){3}|\d{1,8}$|\d{12,}$", _A
)


def called_phone(text: str, point: int) -> Iterator[Span]:
    """The point is just after the first digit that follows a word like `phone`."""
    start = point - 2 if text[point - 2] in "(+" else point - 1
    match = _PHONE.match(text, start) or _LOOSE.match(text, start)
    if match and not _OTHER_NUMBER.match(match[0]):
        yield match.span()


def _from_start(decide: Decide, width: int) -> Decide:
    return lambda text, point: decide(text, point - width)


# Where a number may begin: a pattern and its width.
_CARDS = (
    (r"\b\d{13}", 13),
    (r"\b\d{4}[ -]\d{4}[ -]\d{4}[ -]\d", 16),
    (r"\b3\d{3}[ -]\d{6}[ -]\d{4}", 16),
    (r"\b[56]\d{11}\b", 12),
)
_PHONES = (
    (r"\+\d[\d .(-]{3}", 5),
    (r"\b[2-9]\d\d[ .-]\d{3}[ .-]\d{4}", 12),
    (r"\b1-[2-9]\d\d-\d{3}-\d{4}", 14),
    (r"\b001-[2-9]\d\d-\d{3}-\d{4}", 16),
    (r"\(\d{2}\)[ .\d-]", 5),
    (r"\(\d{3}\)[ .\d-]", 6),
    (r"\b0[1-9][. ]\d\d[. ]\d\d[. ]\d\d[. ]\d\d", 14),
    (r"\b0[1-9]\d \d{2}", 6),
    (r"\b0[1-9]\d{2} \d{2}", 7),
    (r"\b0[1-9]\d{3} \d{3}", 9),
)
_PHONE_WORDS = tuple(
    "phone telephone tel mobile fax cell whatsapp sms dial desk".split()
)


def rules() -> Iterator[Rule]:
    yield Rule(
        "email",
        "email",
        PERSONAL,
        r"[\w.+%-]@[a-z0-9]",
        (),
        lambda t, p: email(t, p - 1),
    )
    for anchor, width in _CARDS:
        yield Rule("card", "card", PERSONAL, anchor, (), _from_start(card, width))
    yield Rule("iban", "iban", PERSONAL, r"\b[a-z]{2}\d\d ?[a-z0-9]{3}", (), _iban)
    yield Rule("ssn", "ssn", PERSONAL, r"\b\d{3}-\d\d-\d{4}", (), social_security)
    yield Rule("ip", "ip", PERSONAL, r"\d\.\d{1,3}\.\d{1,3}\.\d", (), address)
    yield Rule("ip", "ip", PERSONAL, r"\b[23][0-9a-f]{3}:[0-9a-f:]", (), address6)
    for anchor, width in _PHONES:
        yield Rule("phone", "phone", PERSONAL, anchor, (), _from_start(phone, width))
    phone_words = rf"\b(?:{'|'.join(_PHONE_WORDS)})\b[^\d\0]{{0,24}}\d"
    yield Rule("phone", "phone", PERSONAL, phone_words, _PHONE_WORDS, called_phone)


def _iban(text: str, point: int) -> Iterator[Span]:
    spaced = text[point - 4 : point - 3] == " "
    return iban(text, point if spaced else point + 1)
