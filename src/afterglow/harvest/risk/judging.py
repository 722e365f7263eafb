"""An item with its risk, and with the status that this leaves it: the one place where both are decided.

Only what an item tells to do counts. Its situation describes what fails; it is judged where it orders something, or
where the remedy says no more than to do as the message says.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache

from msgspec.structs import replace

from afterglow.calls import program, program_name
from afterglow.calls.programs import table
from afterglow.harvest.risk.codes import (
    FLAG,
    PROGRAM_WORD,
    risks_of_codes,
    words_in_calls,
    words_of_call,
)
from afterglow.harvest.risk.commands import risk_of_text
from afterglow.harvest.risk.familiar import Familiar
from afterglow.harvest.risk.kinds import QUOTED, SOFT, UNKNOWN, Risk
from afterglow.harvest.risk.parts import is_script
from afterglow.harvest.risk.paths import deciding_file
from afterglow.harvest.risk.sending import external_hosts
from afterglow.harvest.risk.sentences import (
    is_readable,
    risk_of_clause,
    risk_of_form,
)
from afterglow.harvest.risk.tables import acts_of_programs, group
from afterglow.harvest.risk.tasks import does_more_than_look, words_of
from afterglow.harvest.risk.told import (
    Code,
    Lesson,
    asks_a_person,
    is_against,
    is_described,
    read_lesson,
)
from afterglow.harvest.writing.names import commands_in, fillable
from afterglow.records.knowledge import KnowledgeItem, is_approved

CACHED = 4096  # lessons: a harvest judges each several times
RISKY = "risky: "
NO_LONGER = (
    "its remedy is not taken for risky any more: a person's word makes it active"
)
REASON = RISKY + "{}; needs a person's approval of these words"

_ORDER = re.compile(
    r"\b(?:must|should|shall|have to|has to|need(?:s)? to|always|please|make sure|be sure|remember to|required to|first)\b",
    re.IGNORECASE,
)
_REFERS_BACK = re.compile(
    r"\b(?:(?:as|what|that|like|which)\W+(?:\w+\W+){0,2}?(?:it|message|error|output|hint|advice|above|says?|said|suggests?|suggested|described|shown|printed|told|recommends?)"
    r"|(?:the|that|this|its)\W+(?:\w+\W+){0,2}?(?:suggestion|advice|hint|instruction|recommendation|remedy|command)s?"
    r"|(?:comply|obey|follow|do so|do it|do that)\b)",
    re.IGNORECASE,
)
_NAMED_IN_CALL = re.compile(r"`([^`]+)` with `[^`]+` fails")
_OTHER_NAME = re.compile(r"use `([^`]+)`\.?")
_ARROW = re.compile(r"(.{5,400}?)\s*(?:→|->|=>)\s+(.+)", re.DOTALL)
_FAILURE_AND_COLON = re.compile(
    r"([^:]{0,300}?\b(?:fails?|failed|failing|errors?|refus\w+|denied|rejected|not found|missing|hangs?|breaks?|cannot)\b"
    r"[^:]{0,200}):\s+(.+)",
    re.DOTALL | re.IGNORECASE,
)
# What is told is to ask a person: what they said when they refused is no order.
_ASKS = re.compile(r"\W*ask (?:first|the user|them|before)\b", re.IGNORECASE)
_QUOTES = "\"'“”$"
_SIGNS = ".!?;:,\"'“”"  # around a word of a sentence
# Programs that are words of a sentence as well: they are commands where a flag or a path follows.


def with_risk(item: KnowledgeItem, packages: Collection[str] = ()) -> KnowledgeItem:
    """The item with what its remedy does. What is risky and has not been approved word for word waits for a person."""
    risk = _risk_of(item, frozenset(packages))
    why = "" if risk is None else risk.why
    judged = item if item.risk == why else replace(item, risk=why)
    if not why and judged.reason.startswith(RISKY):
        return replace(judged, reason=NO_LONGER)
    if not why or is_approved(judged):
        return judged
    if judged.status not in {"active", "candidate"}:
        return judged
    reason = REASON.format(why)
    if judged.status == "candidate" and judged.reason == reason:
        return judged
    return replace(judged, status="candidate", reason=reason, decided=False)


def _risk_of(item: KnowledgeItem, packages: frozenset[str]) -> Risk | None:
    own_words = frozenset(words_of(item.repo))
    risk = risk_of_words(item.situation, item.remedy, item.fact, packages, own_words)
    if risk is None or risk.kind not in SOFT:
        return risk
    is_theirs = item.trust == "user" or _ASKS.match(item.remedy) is not None
    return None if is_theirs else risk


@lru_cache(maxsize=CACHED)
def risk_of_words(
    situation: str,
    remedy: str,
    fact: str = "",
    packages: frozenset[str] = frozenset(),
    own_words: frozenset[str] = frozenset(),
) -> Risk | None:
    """What a lesson tells to do that is risky, or that cannot be told; none where it is harmless. `packages` are those
    that the repository names, `own_words` the words of its name."""
    if not situation and not remedy:
        situation, remedy, fact = _halves(fact)
    familiar = _familiar(situation, packages, own_words)
    lines = (_whole_call(situation, remedy), remedy, _rest(fact, situation, remedy))
    texts = [text for text in lines if text.strip()]
    unknown: Risk | None = None
    for text in texts:
        risk = _risk_of_told(text, familiar)
        if risk is not None and risk.kind not in UNKNOWN:
            return risk
        unknown = unknown or risk
    return _risk_of_situation(situation, remedy, familiar) or unknown


def _whole_call(situation: str, remedy: str) -> str:
    """The call that is meant where a remedy says only what to put in place of a name in it."""
    call, name = _NAMED_IN_CALL.match(situation), _OTHER_NAME.fullmatch(remedy)
    return f"`{call[1]} {name[1]}`" if call and name else ""


def _halves(fact: str) -> tuple[str, str, str]:
    """Of a lesson in one line: what stands before an arrow, or before the colon behind a failure, describes."""
    if arrow := _ARROW.fullmatch(fact):
        return arrow[1], arrow[2], ""
    colon = _FAILURE_AND_COLON.fullmatch(fact)
    return (colon[1], colon[2], "") if colon else ("", "", fact)


def _rest(fact: str, situation: str, remedy: str) -> str:
    """What a fact says beside its situation and its remedy, where it is not made of the same code."""
    rest = fact
    for part in (situation, remedy):
        rest = rest.replace(part, " ") if part else rest
    described = {code.text for code in read_lesson(situation).codes}
    for code in described:
        rest = rest.replace(f"`{code}`", " ")
    return rest


def _familiar(
    situation: str, packages: frozenset[str], own_words: frozenset[str]
) -> Familiar:
    programs: set[str] = set()
    words: set[str] = set()
    acting: set[str] = set()
    for code in read_lesson(situation).codes:
        for command in commands_in(fillable(code.text)):
            programs.add(command.program)
            programs.update(wrapper.program for wrapper in command.wrappers)
            words.update(words_of_call(command))
            is_program = PROGRAM_WORD.fullmatch(command.program) is not None
            if is_program and does_more_than_look(command):
                acting.add(command.words[0] if is_script(command) else command.program)
    return Familiar(
        packages,
        frozenset(programs),
        frozenset(external_hosts(situation)),
        frozenset(words | programs),
        frozenset(acting),
        own_words.union(*map(words_of, programs)),
        frozenset(words_of(situation)),
    )


def _risk_of_told(text: str, familiar: Familiar) -> Risk | None:
    if risk := risk_of_form(text):
        return risk
    lesson = read_lesson(text)
    codes = [code for code in lesson.codes if code.is_told]
    familiar = replace(familiar, in_calls=words_in_calls(codes, familiar))
    risks = (*risks_of_codes(codes, familiar), *_risks_of_clauses(lesson, familiar))
    known_risks = [risk for risk in risks if risk.kind not in UNKNOWN]
    if known_risks:
        return known_risks[0]
    if risks:
        return risks[0]
    if not _is_command_line(lesson.words) and not is_readable(lesson.words):
        return Risk("language", text[:40])
    return None


def _is_command_line(words: str) -> bool:
    """A remedy that is nothing but a command, without backticks."""
    first = words.split()[:1]
    return bool(first) and program_name(first[0]) in table()


def _risks_of_clauses(lesson: Lesson, familiar: Familiar) -> Iterator[Risk]:
    for clause in lesson.clauses:
        if risk := risk_of_clause(clause.plain):
            yield risk
        for code in _unquoted_codes(clause.plain):
            yield from risks_of_codes([code], familiar, is_quoted=False)
        if any(host not in familiar.hosts for host in external_hosts(clause.text)):
            yield Risk("address", external_hosts(clause.text)[0])


def _unquoted_codes(clause: str) -> Iterator[Code]:
    """What is code without backticks: `run sudo make install`, flags, settings."""
    words = clause.split()
    for place, word in enumerate(words):
        before = " ".join(words[:place]) + " "
        if _is_unquoted_line(words, place):
            name = program_name(word.strip(_QUOTES))
            line = " ".join([name, *words[place + 1 :]]).rstrip(_SIGNS)
            if not is_against(before, "", line) and not asks_a_person(line):
                yield Code(line, before, True)
            return
        code = word.strip(_SIGNS)
        is_code = code[:2] == "--" or "=" in code or deciding_file(code) is not None
        if is_code and not is_against(before, "", code):
            yield Code(code, before, True, is_described(" ".join(words[place + 1 :])))
    if risk_of_text(clause) and not is_against("", "", clause):
        yield Code(clause, "", True)


def _is_unquoted_line(words: list[str], place: int) -> bool:
    name = program_name(words[place].strip(_QUOTES))
    if not name or (name not in table() and name not in acts_of_programs()):
        return False
    behind = words[place + 1 :]
    if any(map(FLAG.match, behind)) or "|" in words:
        return True
    if not behind or name in group("words of sentences"):
        return False
    following = behind[0].strip(_SIGNS)
    is_task = following in program(name).sub or program_name(following) in table()
    return is_task or re.search(r"[\d/.:=@~$]", following) is not None


def _risk_of_situation(situation: str, remedy: str, familiar: Familiar) -> Risk | None:
    """A situation describes; it counts where it orders, or where the remedy hands on to what it quotes."""
    if not situation:
        return None
    if risk := risk_of_form(situation):
        return risk
    if _ORDER.search(situation) or _REFERS_BACK.search(remedy):
        risk = _risk_of_told(situation, familiar)
        return None if risk is None or risk.kind in UNKNOWN else risk
    return _risk_of_message(situation, familiar)


def _risk_of_message(situation: str, familiar: Familiar) -> Risk | None:
    """What a message that is quoted tells to run or to set: whoever reads the item reads that, too."""
    lesson = read_lesson(situation)
    failing = " ".join(code.text for code in lesson.codes)
    for clause in lesson.clauses:
        without_code = clause.plain.replace("CODE", " ")
        spoken = risk_of_clause(without_code)
        if spoken is not None and spoken.kind in QUOTED:
            return spoken
        for code in _unquoted_codes(without_code):
            if code.text in failing:
                continue
            for risk in risks_of_codes([code], familiar, is_quoted=False):
                if risk.kind in QUOTED:
                    return risk
    return None
