"""Secrets among the words of a command line: `http -a ana:...`, `sshpass -p ...`, `echo ... | sudo -S`.

`-p` is a port for one program and a password for the next, so short options count only after a program that the table
names, and only as far as its command goes. What stands there is hidden whatever it looks like; in prose about an option
(`the --token flag`) a word of the sentence stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from afterglow.text.redact.announced import (
    Place,
    has_unreadable,
    is_drawn,
    may_be_secret,
    reads_on,
)
from afterglow.text.redact.named_values import hides, strength
from afterglow.text.redact.randomness import (
    dull,
    looks_random,
    names_another,
    scrambled,
    tangled,
)
from afterglow.text.redact.rule import ASSIGNED, Decide, Rule, Span
from afterglow.text.redact.sentence_words import LITTLE_WORDS

_A = re.ASCII
NEAR = 500  # characters of a command line

# Programs, then the options whose value is a password; `name:` where a name stands before it, `joined:` where what
# stands apart from the option is something else (the name of a database).
TABLE = """
sshpass login mongo mongosh mongodump mongorestore = -p
mysql mysqldump mysqladmin mysqlimport mysqlsh mariadb = joined: -p
cqlsh twine rabbitmqadmin unlock-keychain 7z 7za 7zz rar unrar = -p
redis-cli valkey-cli = -a --pass
ldapsearch ldapmodify ldapadd ldapdelete ldapwhoami = -w
sqlcmd bcp zip unzip = -P
secret_set = -b --body
xfreerdp wlfreerdp = /p:
http https xh xhs = name: -a --auth
ab = name: -A -P
smbclient smbget rpcclient = name: -U --user
lftp ncftp = name: -u
openssl = name: -pass -passin -passout
"""
DIRECTLY = (
    "login",
    "authtoken",
    "snyk auth",
    "bw unlock",
    "rclone obscure",
)  # the next word is the secret
SOMEWHERE = (
    "htpasswd",
    "add_user",
    "change_password",
    "wpa_passphrase",
    "net use",
    "net user",
    "dev wifi",
)
SINKS = (
    "sudo -s",
    "chpasswd",
    "--password-stdin",
    "passwd --stdin",
    "--with-token",
)  # they read it from a pipe

_END = re.compile(r"(?<!\\)\n|\\n|[ ]\|\|?[ ]|[ ]?&&[ ]|;[ ]|\0", _A)
_PARTED = r"""\\?["']?,?[ \t=\\\n]{1,6}"""  # an option from its value; in a list by quotes and a comma


def _command(text: str, point: int) -> str:
    end = _END.search(text, point, point + NEAR)
    return text[point : end.start() if end else point + NEAR]


def _after_program(options: list[str], *, named: bool, joined: bool) -> Decide:
    forms = "|".join(map(_before_value, options))
    pattern = rf"""(?:^|[\s"'])((?:{forms}))\\?(["']?)([^\s"'`|;&<>]{{4,200}})"""
    compiled: list[re.Pattern[str]] = []

    def decide(text: str, point: int) -> Iterator[Span]:
        if not compiled:
            compiled.append(re.compile(pattern, _A))
        start = point - 1
        matches = compiled[0].finditer(_command(text, start))
        for match in islice(matches, 3):
            option, quote, written = match.groups()
            value = written.rstrip("\\")
            secret = _behind_name(value) if named else value
            stands_apart = joined and option != option.rstrip(" =,\t")
            if stands_apart and not tangled(secret):
                continue
            if _is_password(secret, quoted=bool(quote)):
                end = start + match.start(3) + len(value)
                yield end - len(secret), end

    return decide


def _before_value(option: str) -> str:
    """The pattern of an option up to its value, which may follow a short one directly."""
    if option[0] == "/":
        return option
    if len(option) > 2:
        return option + _PARTED
    return f"{option}(?:{_PARTED})?"


def _behind_name(value: str) -> str:
    """Of `name:password` the password; without a name only what looks drawn, else nothing."""
    name = re.match(r"[^:,%]{0,64}[:,%](?=.)", value)
    if name:
        return value[name.end() :]
    return value if looks_random(value, 16) else ""


def _is_password(value: str, *, quoted: bool) -> bool:
    if value.isdigit() or names_another(value):
        return False
    if not quoted and reads_on(value):
        return False
    return may_be_secret(value, password=True, place=Place.VALUE)


_QUOTED_ARGUMENT = re.compile(r"\\?([\"'])((?:(?!\\?\1)[^\n]){4,400})\\?\1", _A)
_BARE_ARGUMENT = re.compile(r"([^\s\"'`<>\\]{4,400})", _A)
_NEXT_COMMAND = re.compile(r"[;&|]+$|(?:&&|\|\||;)", _A)


def flag(text: str, point: int) -> Iterator[Span]:
    """`--password hunter2`. Two spaces after it are the column of a help text."""
    name = re.search(
        r"-{1,2}([A-Za-z][\w-]{0,50})[ ]$", text[max(0, point - 60) : point], _A
    )
    kind = strength(name[1]) if name else ""
    if not kind:
        return
    quoted = _QUOTED_ARGUMENT.match(text, point)
    if quoted:
        if _hides_argument(kind, quoted[2]):
            yield quoted.span(2)
        return
    bare = _BARE_ARGUMENT.match(text, point)
    if not bare or bare[1][0] in "-=|&;":
        return
    command_after = _NEXT_COMMAND.search(bare[1])
    value = bare[1][: command_after.start()] if command_after else bare[1]
    value = value.rstrip(".,:)")
    if _is_prose(text, point, value) and not tangled(value):
        return
    if _hides_argument(kind, value):
        yield point, point + len(value)


def _hides_argument(kind: str, value: str) -> bool:
    if kind in {"password", "secret"}:
        return may_be_secret(value, password=kind == "password", place=Place.VALUE)
    return hides(kind, value, Place.CODE)


_READS_AS_WORD = re.compile(r"[A-Za-z]+(?:[-_./'][A-Za-z]+)*$", _A)
_WORDS = re.compile(r"[A-Za-z']+")
WORDS_BEFORE = 120  # characters in which a sentence shows itself


def _is_prose(text: str, point: int, value: str) -> bool:
    """Whether a sentence speaks of the option: little words stand around it, or the value is one, or a stand-in's name."""
    if not _READS_AS_WORD.match(value) or is_drawn(value):
        return False
    names_the_option = value.isupper()
    is_verb = value.isalpha() and value.endswith("s")  # `--token requires --user`
    if reads_on(value) or names_the_option or is_verb:
        return True
    line = text[max(0, point - WORDS_BEFORE) : point].rsplit("\n", 1)[-1]
    after = text[point + len(value) : point + len(value) + 40].split("\n", 1)[0]
    if after[:1] in {".", ",", ":", ")"} and after[1:2] in {"", " "}:
        return True
    words = _WORDS.findall(line) + _WORDS.findall(after)[:1]
    return any(word.lower() in LITTLE_WORDS for word in words)


_NAMED = re.compile(r"\\?[\"']?([\w.@+-]{1,64}:)([^\s\"'`|;&<>\\]{6,200})", _A)


def name_and_password(text: str, point: int) -> Iterator[Span]:
    """`--auth ana:...`, `-u ana:...` of any program. `--user` may be a user and a group."""
    match = _NAMED.match(text, point)
    if not match:
        return
    password = match[2]
    secret = scrambled(password, 8) or has_unreadable(password)
    if not secret and _takes_credentials(text, point):
        secret = _is_password(password, quoted=False)
    if secret:
        yield match.span(2)


def _takes_credentials(text: str, point: int) -> bool:
    """Whether the option before the point says so itself."""
    return "auth" in text[point - 8 : point] or "cred" in text[point - 13 : point]


_PLAIN = re.compile(r"[\"']?([\w+~-]{10,400}={0,2})(?![\w.:/@(=-])", _A)


def next_word(text: str, point: int) -> Iterator[Span]:
    """`vault login 4f0c...`."""
    match = _PLAIN.match(text, point)
    if match and is_drawn(match[1]):
        yield match.span(1)


def some_word(text: str, point: int) -> Iterator[Span]:
    """`htpasswd -nb ana ...`."""
    words = re.finditer(r"[^\s\"'`|;&<>\\]{6,200}", _command(text, point))
    for word in islice(words, 8):
        value = word[0]
        drawn = scrambled(value, 8) or has_unreadable(value)
        if not drawn and not _PLAIN.match(value):
            drawn = looks_random(value, 8)
        if drawn:
            yield point + word.start(), point + word.end()


_PIPED = re.compile(
    r"""\b(?:echo|printf)(?:[ ]-\w{1,4})?(?:[ ]["']%s(?:\\n)?["'])?[ ]\\?["']?(?:[a-z][\w.-]{1,64}:)?"""
    r"""([^\s"'`<>\\]{4,200})(?:\\n)?\\?["']?[ ]{0,2}\|[^|\n]{0,120}$""",
    _A,
)
_HERE_STRING = re.compile(
    r"[^|;&\n]{0,120}<<<[ ]?\\?[\"']?(?:[\w.-]{1,64}:)?([^\s\"'`|;&<>\\:]{4,200})", _A
)


def piped(text: str, point: int) -> Iterator[Span]:
    """`echo ... | sudo -S`, `sudo -S ls <<< ...`."""
    start = max(0, point - 400)
    before, after = _PIPED.search(text[start:point]), _HERE_STRING.match(text, point)
    for match, offset in ((before, start), (after, 0)):
        if match and _is_password(match[1], quoted=False):
            yield offset + match.start(1), offset + match.end(1)


_WORD = re.compile(
    r"(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|\\[\"']|[^\s\"'\\]){1,200}", _A
)
_USER_FLAG = re.compile(
    rf"[\s\"'](?:-u|-U|--user|--proxy-user)(?:{_PARTED}|(?=[\"'\w]))", _A
)
_SAID_SO = frozenset(
    "user username password pass passwd test token yyy xxx secret key apikey api_key pwd".split()
)


def _is_variable(literal: str, secret: str) -> bool:
    """Filled in by a shell or a template when it runs."""
    if literal[:1] in "$<[" or literal.startswith("{{"):
        return True
    return "${" in secret or "$(" in secret


def curl_user(text: str, point: int) -> Iterator[Span]:
    """`curl -u name:password`."""
    next_curl = text.find("curl", point, point + NEAR)
    end = next_curl if next_curl > 0 else point + NEAR
    for option in _USER_FLAG.finditer(text, point - 1, end):
        word = _WORD.match(text, option.end())
        if not word or ":" not in word[0]:
            continue
        if word[0].lstrip("\"'").startswith("<"):
            continue
        begin = word.start()
        for start, stop in _credential(word[0]):
            yield begin + start, begin + stop


def _credential(word: str) -> Iterator[Span]:
    """Of `name:password` the password; without one a name that looks drawn is a token."""
    before, _, after = word.partition(":")
    password = _unwrapped(after)
    if password:
        secret, written = password, after
        start = word.index(secret, len(before))
    else:
        secret, written = _unwrapped(before), word
        start = word.index(secret)
        if not looks_random(secret):
            return
    literal = written.lstrip("\"'\\")
    if len(secret) < 3 or _is_variable(literal, secret):
        return
    if secret.lower() in _SAID_SO or dull(secret):
        return
    yield start, start + len(secret)


def _unwrapped(part: str) -> str:
    return part.rstrip(",]").strip("\"'{}\\")


def rules() -> Iterator[Rule]:
    def rule(
        anchor: str, starts: tuple[str, ...], decide: Decide, name: str = "flag"
    ) -> Rule:
        return Rule(name, "secret", ASSIGNED, anchor, starts, decide)

    listed = r"""\\?["']?,? """  # after a program's name; in a list a quote and a comma
    for line in TABLE.strip().splitlines():
        before, after = line.split(" = ")
        programs = tuple(word.replace("_", " ") for word in before.split())
        options = after.split()
        how = options.pop(0) if options[0] in {"name:", "joined:"} else ""
        anchor = rf"\b(?:{'|'.join(programs)}){listed}"
        after_program = _after_program(
            options, named=how == "name:", joined=how == "joined:"
        )
        yield rule(anchor, programs, after_program)
    endings = r"[a-z][a-z-]{0,30}(?:word|wd|phrase|ecret|oken|key|ass) "
    yield rule("--" + endings, ("--",), flag)
    yield rule(" -" + endings, (" -",), flag)
    yield rule(
        r"--(?:[a-z]{2,8}-)?(?:auth|user|creds|credentials|userpass)[ =]",
        ("--",),
        name_and_password,
    )
    yield rule(
        r" -[au] [\w.@+]", (" -a ", " -u "), lambda t, p: name_and_password(t, p - 1)
    )
    yield rule(rf"\b(?:{'|'.join(DIRECTLY)}){listed}", DIRECTLY, next_word)
    yield rule(rf"\b(?:{'|'.join(SOMEWHERE)}) ", SOMEWHERE, some_word)
    yield rule(rf"(?:{'|'.join(SINKS)})", SINKS, piped)
    yield rule(rf"curl{listed}", ("curl",), curl_user, "curl-user")
