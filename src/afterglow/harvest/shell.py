"""A shell line taken apart: the simple commands it runs, without the wrapping agents put around them.

`cd /x && FOO=1 mise run lint 2>&1 | tail -20` runs one thing a person would name: `mise run lint`. This is no shell: it
splits at operators outside quotes, substitutions and here-documents, and looks at the first `LONGEST` characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

LONGEST = 4000

# Commands that only prepare the ground for the next one.
SETUP = frozenset(
    "cd pushd popd export source . set unset setopt shopt umask alias trap true : wait".split()
)
# Filters that only shorten what another command prints, and words printed around it.
TRIMMING = frozenset(
    "tail head grep egrep fgrep rg less more cat tee wc sort uniq cut tr column nl".split()
)
TALKING = frozenset("echo printf true : exit return".split())
_PREFIXES = frozenset("time env nohup exec command sudo nice caffeinate stdbuf".split())
_OPENING = frozenset("do then else elif if while until ! { (".split())
_DROPPED = frozenset("for done fi esac case select function } )".split())
_SHELLS = frozenset("bash sh zsh dash".split())

_HEREDOC = re.compile(r"(?<!<)<<[-~]?\s*(['\"]?)([A-Za-z_]\w*)\1")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_TOKEN = re.compile(
    r"(?P<space>(?:[ \t\r]|\\\n)+)"
    r"|(?P<comment>(?<![^\s;|&(])\#[^\n]*)"
    r"|(?P<joined>\d?[<>]&[\d-])"
    r"|(?P<redirect>(?:\d{1,2}|&)?(?:>>|>\||>&|<<<|<<-?|<>|>|<)[ \t]*)"
    r"|(?P<operator>\|\||&&|;;|\|&|[;|&\n])"
    r"|(?P<single>\$?'[^']*'?)"
    r"|(?P<escaped>\\.)"
    r"|(?P<plain>[^\s\\'\"$`();|&<>]+)"
    r"|(?P<bracket>[()])"
    r"|(?P<one>.)",
    re.DOTALL,
)
_INSIDE = re.compile(r"\\.|'[^']*'|[()]", re.DOTALL)
_QUOTED_PART = re.compile(r"\\.|\"|\$\(", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


class Simple(Struct, frozen=True):
    """One command of a line. `words` are without quotes, `text` is as written, redirections left out.

    `after` is the operator before it ("", "&&", ";", "|", "||"), `then` the one behind it, which may hide how it ended.
    `cd` is the directory a cd earlier in the line went to, `prefix` the assignments and wrappers taken off.
    """

    words: tuple[str, ...]
    text: str
    after: str = ""
    then: str = ""
    cd: str = ""
    prefix: str = ""


def simple_commands(command: str) -> tuple[Simple, ...]:
    """The commands of a line that do something, in order. Setup, trimming filters and echoes around them are left out;
    a line that holds nothing else keeps them."""
    return _simple_commands(command[:LONGEST])


@lru_cache(maxsize=2048)
def _simple_commands(command: str) -> tuple[Simple, ...]:
    return tuple(_without_wrapping(list(_split(command))))


def core_command(command: str) -> str:
    """The line as a person would name it: `cd /x && FOO=1 make lint 2>&1 | tail -20` -> `make lint`."""
    parts = simple_commands(command)
    return "".join(
        f"{' ' * (one.after != ';')}{one.after} " * bool(place) + one.text
        for place, one in enumerate(parts)
    )


def _without_wrapping(found: list[Simple]) -> Iterator[Simple]:
    working = [one for one in found if not _is_wrapping(one)]
    for place, one in enumerate(working):
        yield (
            one
            if place
            else Simple(one.words, one.text, "", one.then, one.cd, one.prefix)
        )
    if not working:
        yield from (one for one in found if one.words[0] not in SETUP)


def _is_wrapping(one: Simple) -> bool:
    head = one.words[0]
    return head in SETUP or head in TALKING or (one.after == "|" and head in TRIMMING)


def _split(command: str, deep: int = 0) -> Iterator[Simple]:
    text = _without_documents(command)
    after, cd = "", ""
    words: list[str] = []
    for word, is_operator in [*_words(text), ("", True)]:
        if not is_operator:
            words.append(word)
            continue
        joint = {"\n": ";", "&": ";", ";;": ";", "|&": "|"}.get(word, word)
        one = _simple(words, after, joint, cd)
        words = []
        if one is None:
            after = (
                after if after in {"&&", "||", "|"} and joint == ";" else joint
            )  # a line may end in an operator
            continue
        if one.words[0] in {"cd", "pushd"} and len(one.words) > 1:
            cd = (
                one.words[1]
                if one.words[1][:1] in "/~$" or not cd
                else f"{cd.rstrip('/')}/{one.words[1]}"
            )
        inner = (
            one.words[2]
            if len(one.words) == 3
            and one.words[0] in _SHELLS
            and one.words[1] in {"-c", "-lc"}
            else ""
        )
        if inner and deep < 1:
            yield from _split(inner, deep + 1)
        else:
            yield one
        after = joint


def _simple(raw: list[str], after: str, then: str, cd: str) -> Simple | None:
    """What is left of the words of one command when keywords, assignments and wrappers are taken off."""
    at = 0
    while at < len(raw) and (
        raw[at] in _OPENING or _ASSIGNMENT.match(raw[at]) or raw[at] in _PREFIXES
    ):
        at += 1
        if raw[at - 1] in _PREFIXES:
            while at < len(raw) and raw[at].startswith("-"):
                at += 1
    if at < len(raw) and raw[at] in {"timeout", "gtimeout"}:
        at += 1
        while at < len(raw) and (raw[at].startswith("-") or raw[at][:1].isdigit()):
            at += 1
    kept = raw[at:]
    if not kept or kept[0] in _DROPPED:
        return None
    while len(kept) > 1 and kept[-1] in {")", "}"}:
        kept = kept[:-1]
    prefix = " ".join(word for word in raw[:at] if word not in _OPENING)
    return Simple(tuple(map(_unquoted, kept)), " ".join(kept), after, then, cd, prefix)


def _words(text: str) -> Iterator[tuple[str, bool]]:
    """Words as written, and operators (True) between them. Redirections and their targets are left out."""
    at, word, is_target = 0, "", False
    while at < len(text):
        found = _TOKEN.match(text, at)
        assert found is not None  # the last alternative takes any character
        kind, start, at = found.lastgroup, at, found.end()
        if kind == "one":
            at = _end_of_group(text, start)
        if kind in {"single", "escaped", "plain", "one"}:
            word += text[start:at]
            continue
        if word and not is_target:
            yield word, False
        is_target = kind == "redirect" or (is_target and not word and kind == "space")
        word = ""
        if kind in {"operator", "bracket"}:
            yield found[0], kind == "operator"
    if word and not is_target:
        yield word, False


def _end_of_group(text: str, at: int) -> int:
    """Where what begins with the character at `at` ends: a string, a substitution, or just that character."""
    if text[at] == '"':
        return _end_of_string(text, at + 1)
    if text[at] == "`":
        return (text.find("`", at + 1) + 1) or len(text)
    return _end_of_substitution(text, at + 2) if text.startswith("$(", at) else at + 1


def _end_of_string(text: str, at: int) -> int:
    """Where a double-quoted string that began before `at` ends; substitutions in it may hold quotes of their own."""
    while found := _QUOTED_PART.search(text, at):
        if found[0] == '"':
            return found.end()
        at = (
            _end_of_substitution(text, found.end()) if found[0] == "$(" else found.end()
        )
    return len(text)


def _end_of_substitution(text: str, at: int) -> int:
    depth = 1
    for found in _INSIDE.finditer(text, at):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if not depth:
            return found.end()
    return len(text)


def _without_documents(text: str) -> str:
    """`text` without the bodies of here-documents."""
    if "<<" not in text:
        return text
    kept, until = [], ""
    for line in text.split("\n"):
        if until:
            until = "" if line.strip() == until else until
            continue
        kept.append(line)
        if found := _HEREDOC.search(line):
            until = found[2]
    return "\n".join(kept)


def _unquoted(word: str) -> str:
    if word[:1] in "'\"" and len(word) > 1 and word[-1] == word[0]:
        word = word[1:-1]
        return word if "\\" not in word else _ESCAPE.sub(r"\1", word)
    if "'" in word or '"' in word:
        word = word.replace("'", "").replace('"', "")
    return _ESCAPE.sub(r"\1", word) if "\\" in word else word
