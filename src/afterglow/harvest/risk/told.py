"""What a lesson tells to do: its code and its clauses, each with whether it is told or told against.

"Never `git reset --hard`", "leave out `--force`" and "`--no-verify` is refused" tell nothing of the kind; "it does not
work without `--no-verify`" does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

MAX_CHARACTERS = 4_000  # of a text that are read: lessons have 500
# Words between a "not" and what it is about, where no verb says so.
NEAR_WORDS = 3

_CODE = re.compile(r"```[\w+-]*\n?(.+?)```|``([^\n]+?)``|`([^`]+)`", re.DOTALL)
_MARK = re.compile(r"\x01(\d+)\x01")
_CLAUSE_END = re.compile(
    r"(?<=[.;:!?])(?<!e\.g\.)(?<!i\.e\.)\s+|(?<=[。；：！？])|[,，、()]\s*|\n+|\s[–—-]\s"
    r"|\s(?=(?:but|then|so|aber|dann|mais|puis|pero|luego)\s)"
)
_JOINT = re.compile(r"\b(?:and|then|so|but|und|et|y|e|dann|puis)\b", re.IGNORECASE)
NEGATION = (
    r"not|never|no|nor|neither|cannot|without|avoid(?:s|ing)?|refrain(?: from)?|stop|instead of|rather than"
    r"|in place of|\w+n['’]t|nicht|kein\w*|nie|niemals|ohne|statt|pas|jamais|sans|nunca|jamás|sin"
    r"|não|nem|sem|non|mai|senza|не|никогда|без"
)
_NEGATED_VERB = re.compile(
    rf"\b(?:{NEGATION})\b(?:\W+(?:ever|need to|have to|to|just|simply|do|be|by))?\W+\w+\W*(?:\w+\W*){{0,{NEAR_WORDS - 1}}}$",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    rf"\b(?:{NEGATION})\b\W*(?:\w+\W+){{0,{NEAR_WORDS}}}$", re.IGNORECASE
)
_RUN_VERB = re.compile(
    r"\b(?:run|use|execute|call|try|set|add|pass|do|start|type|apply|invoke|launch|issue|enter|put)\b",
    re.IGNORECASE,
)
_NOT_BEFORE_VERB = re.compile(
    rf"\b(?:{NEGATION})\b(?:\W+(?:ever|need to|have to|to|just|simply))?\W*$",
    re.IGNORECASE,
)
# Two of them tell to do it: "does not work without", "never forget to", "fails unless".
_TURNED_ROUND = re.compile(
    r"\b(?:not|never|cannot|no|\w+n['’]t|fail\w*|refus\w*|break\w*|stuck|hang\w*|impossible)\b[^.]*"
    r"\b(?:without|unless|until|except|other than)\b"
    r"|\b(?:not|never|\w+n['’]t)\W+(?:hesitate|forget|fail|only|just|worry|mind)\b",
    re.IGNORECASE,
)
_LEFT_OUT = re.compile(
    r"\b(?:leave(?: out)?|drop|omit|remove|delete|strip|take (?:out|away|off)|replace|unlike|lass\w*)\W+"
    r"(?:the\W+)?(?:\w+\W+)?$",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"\bask (?:the user|them|first|whether|about|before|if|a person)\b", re.IGNORECASE
)
_DESCRIBED = re.compile(
    r"\W*(?:takes?|needs?|wants?|has|is|are|was|prints?|reads?|does|expects?|requires?|means|comes?|stands?|lies|holds?)\b",
    re.IGNORECASE,
)
_LEAVE = re.compile(r"\bleave\b\W*$", re.IGNORECASE)
_AGAINST_BEHIND = re.compile(
    r"\W*(?:\w+\W+)?(?:(?:is|are|was|were|gets?|must|should|may|can|has been|will be)\W+(?:\w+\W+)?"
    r"(?:forbidden|refused|denied|rejected|blocked|banned|prohibited|disallowed|unavailable|unnecessary|missing"
    r"|(?:not|never|n['’]t)(?:\W+be)?\W+(?:allowed|permitted|supported|needed|necessary|used|run|possible|available"
    r"|recogni[sz]ed|there|installed|required|accepted|taken|known))"
    r"|(?:fails?|failed|hangs?|breaks?|crashes|errors)\b"
    r"|(?:isn|aren|doesn|won|can|mustn|shouldn)['’]t\b|does not\b|do not\b|must not\b|cannot\b|will not\b)",
    re.IGNORECASE,
)


class Code(Struct, frozen=True):
    """A text in backticks: what stands in it, the words before it in its clause, whether it is told to be used, and
    whether the clause says something about it: "`x --y` takes a name"."""

    text: str
    before: str
    is_told: bool
    is_described: bool = False


class Clause(Struct, frozen=True):
    """A stretch of words that tells one thing, with its code in place; `plain` has the code left out."""

    text: str
    plain: str


class Lesson(Struct, frozen=True):
    """What is told: code, clauses, and the words without any code."""

    codes: tuple[Code, ...]
    clauses: tuple[Clause, ...]
    words: str


def read_lesson(text: str) -> Lesson:
    """The code and the clauses of a text that tells what to do."""
    spans: list[str] = []

    def marked(match: re.Match[str]) -> str:
        spans.append(next(filter(None, match.groups())).strip())
        return f"\x01{len(spans) - 1}\x01"

    words = _CODE.sub(marked, text[:MAX_CHARACTERS].replace("\x01", " "))
    clauses = [
        clause for clause in _CLAUSE_END.split(words) if clause and clause.strip()
    ]
    codes = tuple(_codes(clauses, spans))
    used = [code.text if code.is_told else "" for code in codes]
    return Lesson(
        codes,
        tuple(_clause(clause, spans, used) for clause in clauses),
        _MARK.sub(" ", words),
    )


def _clause(clause: str, spans: list[str], used: list[str]) -> Clause:
    """`used` are the spans without those that are told to be left out: these are no part of what is told."""
    return Clause(
        _MARK.sub(lambda match: spans[int(match[1])], clause),
        _MARK.sub(lambda match: _short(used[int(match[1])]), clause),
    )


def _short(code: str) -> str:
    """A single word of code is part of its sentence; a command is not."""
    return code if re.fullmatch(r"[\w.@/-]{1,60}", code) else "CODE"


def _codes(clauses: list[str], spans: list[str]) -> Iterator[Code]:
    is_told = True
    for clause in clauses:
        matches = list(_MARK.finditer(clause))
        start = 0
        for match in matches:
            before = clause[start : match.start()]
            code, behind = spans[int(match[1])], clause[match.end() :]
            if not _says_nothing(before):  # else a list goes on: `a`, `b` or `c`
                is_told = not is_against(before, behind, code)
            is_against_behind = _AGAINST_BEHIND.match(clause, match.end()) is not None
            yield Code(
                code,
                clause[: match.start()],
                is_told and not is_against_behind,
                is_described(behind),
            )
            start = match.end()
        if not matches and not _says_nothing(clause):
            is_told = True


def _says_nothing(words: str) -> bool:
    """Nothing but what joins a list."""
    return not re.sub(r"(?i)\b(?:and|or|nor|und|oder|et|ou|y|o)\b|[\W\d_]", "", words)


def is_described(behind: str) -> bool:
    """What follows some code says something about it."""
    return _DESCRIBED.match(behind) is not None


def asks_a_person(words: str) -> bool:
    return _ASKING.search(words) is not None


def is_against(before: str, behind: str, code: str) -> bool:
    """The words directly before some code tell not to use it, or to leave it out."""
    segment = _JOINT.split(before)[-1]
    if asks_a_person(before):
        return True
    if _TURNED_ROUND.search(before):
        return False
    is_word = " " not in code or code.startswith("-")
    if is_word and _LEFT_OUT.search(segment):
        return True
    is_left_out = _LEAVE.search(segment) and behind.strip().startswith("out")
    if is_word and is_left_out:
        return True
    verbs = list(_RUN_VERB.finditer(segment))
    if verbs:
        return _NOT_BEFORE_VERB.search(segment, 0, verbs[-1].start()) is not None
    return bool(_NEGATED.search(segment) or _NEGATED_VERB.search(segment))
