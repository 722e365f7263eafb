"""An item with its risk, and with the status that this leaves it: the one place where both are decided.

Only what an item tells to do counts. Its situation describes what fails; it is judged where it orders something, or
where the remedy says no more than to do as the message says.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache

from msgspec.structs import replace

from afterglow.calls import Command, program, program_name
from afterglow.calls.programs import table
from afterglow.harvest.risk.commands import (
    risk_of_assignments,
    risk_of_commands,
    risk_of_text,
    unclear_in,
    unfamiliar_part,
)
from afterglow.harvest.risk.familiar import Familiar
from afterglow.harvest.risk.kinds import QUOTED, SOFT, UNKNOWN, Risk
from afterglow.harvest.risk.packages import is_named
from afterglow.harvest.risk.parts import (
    kind_of_flag,
    kind_of_variable,
)
from afterglow.harvest.risk.paths import deciding_file
from afterglow.harvest.risk.sending import external_hosts
from afterglow.harvest.risk.sentences import (
    is_readable,
    risk_of_clause,
    risk_of_form,
)
from afterglow.harvest.risk.tables import acts_of_programs, group
from afterglow.harvest.risk.tasks import does_more_than_look
from afterglow.harvest.risk.told import (
    Code,
    Lesson,
    asks_a_person,
    is_against,
    read_lesson,
)
from afterglow.harvest.writing.names import commands_in, fillable
from afterglow.records.knowledge import KnowledgeItem, is_approved

CACHED = 4096  # lessons: a harvest judges each several times
ANY_PROGRAM = "program"  # stands for the one that a flag is given to
RISKY = "risky: "
NO_LONGER = (
    "its remedy is not taken for risky any more: a person's word makes it active"
)
REASON = RISKY + "{}; needs a person's approval of these words"

_ASSIGNMENT = re.compile(r"\b([A-Za-z_]\w*)=(\S*)")
_VARIABLE = re.compile(r"(?<![\w-])([A-Z][A-Z0-9_]{2,})=(\S*)")
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
# Words before some code that tell to run it, even where it looks like no command.
_RUN = re.compile(
    r"\b(?:run|execute|start|invoke|launch)\W*(?:the\W+|your\W+)?(?:command\W+|tool\W+|script\W+)?$",
    re.IGNORECASE,
)
_INSTALL = re.compile(
    r"\b(?:install|download|upgrade to|switch to)\W*(?:the\W+)?(?:(?:new|missing|npm|pip|python|dev)\W+)?"
    r"(?:(?:package|library|module|dependency)\W+)?$",
    re.IGNORECASE,
)
_SAYS_PACKAGE = re.compile(
    r"\b(?:package|library|module|dependency|npm|pip|gem|crate)\b", re.IGNORECASE
)
_PACKAGE_WORD = re.compile(r"@?[\w-]+(?:/[\w-]+)?(?:[@=]+[\w.^~-]+)?")
_CHANGE = re.compile(
    r"\b(?:edit|change|add|append|write|put|set|create|delete|remove|replace|rename|move|update|insert|empty|configure|in|to|into)\b",
    re.IGNORECASE,
)
# What is told is to ask a person: what they said when they refused is no order.
_ASKS = re.compile(r"\W*ask (?:first|the user|them|before)\b", re.IGNORECASE)
_JOINED = re.compile(r"[\W_]+")  # `never_verify_tls` says something, too
_QUOTES = "\"'“”$"
_SIGNS = ".!?;:,\"'“”"  # around a word of a sentence
_FLAGS = re.compile(r"--?[A-Za-z]")
_LONG_FLAG = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
_PROGRAM_WORD = re.compile(r"[a-z][\w.+-]+")
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
    risk = risk_of_words(item.situation, item.remedy, item.fact, packages)
    if risk is None or risk.kind not in SOFT:
        return risk
    is_theirs = item.trust == "user" or _ASKS.match(item.remedy) is not None
    return None if is_theirs else risk


@lru_cache(maxsize=CACHED)
def risk_of_words(
    situation: str, remedy: str, fact: str = "", packages: frozenset[str] = frozenset()
) -> Risk | None:
    """What a lesson tells to do that is risky, or that cannot be told; none where it is harmless."""
    if not situation and not remedy:
        situation, remedy, fact = _halves(fact)
    familiar = _familiar(situation, packages)
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


def _familiar(situation: str, packages: frozenset[str]) -> Familiar:
    programs: set[str] = set()
    words: set[str] = set()
    acting: set[str] = set()
    for code in read_lesson(situation).codes:
        for command in commands_in(fillable(code.text)):
            programs.add(command.program)
            programs.update(wrapper.program for wrapper in command.wrappers)
            words.update(_words_of(command))
            is_program = _PROGRAM_WORD.fullmatch(command.program) is not None
            if is_program and does_more_than_look(command):
                acting.add(command.program)
    return Familiar(
        packages,
        frozenset(programs),
        frozenset(external_hosts(situation)),
        frozenset(words | programs),
        frozenset(acting),
    )


def _words_of(command: Command) -> Iterator[str]:
    """Every word of a call, and of `--flag=value` both."""
    yield from command.words
    for flag in command.flags:
        yield from filter(None, (flag.name, flag.value))
    for item in command.environment:
        yield from (item.name, item.value)
    for wrapper in command.wrappers:
        yield from wrapper.words


def _risk_of_told(text: str, familiar: Familiar) -> Risk | None:
    if risk := risk_of_form(text):
        return risk
    lesson = read_lesson(text)
    codes = [code for code in lesson.codes if code.is_told]
    risks = (*_risks_of_codes(codes, familiar), *_risks_of_clauses(lesson, familiar))
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


def _risks_of_codes(
    codes: list[Code], familiar: Familiar, *, is_quoted: bool = True
) -> Iterator[Risk]:
    """Of code without backticks nobody can say that it is a program, so what is not known of it is no matter."""
    lines = [code.text for code in codes if is_line(code, familiar)]
    commands = [command for line in lines for command in commands_in(fillable(line))]
    if risk := risk_of_commands(commands, familiar):
        yield risk
    described = {code.text for code in codes if code.is_described or not is_quoted}
    for line in lines:
        yield from _unclear_parts(line, familiar, is_run=line not in described)
    for code in codes:
        if code.text not in lines:
            yield from _risks_of_literal(code, familiar)
        if risk := risk_of_clause(_JOINED.sub(" ", code.text)):
            yield Risk(risk.kind, code.text)


def _unclear_parts(line: str, familiar: Familiar, *, is_run: bool) -> Iterator[Risk]:
    """Of a line in a sentence the last words may be the sentence's: its flags and variables count."""
    commands = commands_in(fillable(line))
    if is_run:
        if risk := unclear_in(commands, familiar):
            yield risk
        return
    for command in commands:
        if risk := unfamiliar_part(command, familiar, is_whole=False):
            yield risk


def is_line(code: Code, familiar: Familiar) -> bool:
    """Whether some code is for a shell: by its program, or because it is told to be run."""
    commands = commands_in(fillable(code.text))
    if not commands:
        return False
    first, is_run = commands[0], _RUN.search(code.before) is not None
    outer = first.wrappers[0] if first.wrappers else first
    is_alone = len(code.text.split()) == 1
    if _is_program(outer.program, familiar):
        return not is_alone or is_run
    word = outer.words[0]
    if is_alone or (not _PROGRAM_WORD.fullmatch(word) and "/" not in word):
        return False
    has_flag = any(map(_FLAGS.match, first.words[1:]))
    is_wrapping = any(program_name(part) in table() for part in first.words[1:3])
    return has_flag or is_run or is_wrapping or commands[0].then == "|"


def _is_program(name: str, familiar: Familiar) -> bool:
    is_in_table = name in table() or name in acts_of_programs()
    return is_in_table or name in familiar.programs


def _risks_of_literal(code: Code, familiar: Familiar) -> Iterator[Risk]:
    """Code that is no command: a flag, a setting, a path, the name of a package."""
    text = code.text
    for flag in _LONG_FLAG.findall(text):
        yield from _risks_of_flag(flag, familiar)
    if risk := risk_of_assignments(_ASSIGNMENT.findall(text)):
        yield risk
    for name, value in _VARIABLE.findall(text):
        kind = kind_of_variable(name, value, familiar)
        if kind is not None and name not in familiar.words:
            yield Risk(kind, f"{name}={value}")
    if risk := risk_of_text(text):
        yield risk
    kind = deciding_file(text)
    if kind is not None and _CHANGE.search(code.before):
        yield Risk(kind, text)
    if _is_package(code) and not is_named(text, familiar.packages):
        yield Risk("package", text)


def _is_package(code: Code) -> bool:
    """A word that is told to be installed."""
    is_word = _PACKAGE_WORD.fullmatch(code.text) is not None
    is_named_so = _SAYS_PACKAGE.search(code.before) is not None
    is_shaped_so = re.search(r"[-/@\d]", code.text) is not None
    is_installed = _INSTALL.search(code.before) is not None
    return is_word and is_installed and (is_named_so or is_shaped_so)


def _risks_of_flag(flag: str, familiar: Familiar) -> Iterator[Risk]:
    """A flag that says by itself what it does, whichever program takes it."""
    if risk := risk_of_commands(commands_in(f"{ANY_PROGRAM} {flag}"), familiar):
        yield Risk(risk.kind, flag)
    takers = familiar.acting if familiar.programs else {ANY_PROGRAM}
    for name in sorted(takers) if flag not in familiar.words else ():
        if kind := kind_of_flag(flag, "", name, familiar):
            yield Risk(kind, flag)


def _risks_of_clauses(lesson: Lesson, familiar: Familiar) -> Iterator[Risk]:
    for clause in lesson.clauses:
        if risk := risk_of_clause(clause.plain):
            yield risk
        for code in _unquoted_codes(clause.plain):
            yield from _risks_of_codes([code], familiar, is_quoted=False)
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
            yield Code(code, before, True)
    if risk_of_text(clause) and not is_against("", "", clause):
        yield Code(clause, "", True)


def _is_unquoted_line(words: list[str], place: int) -> bool:
    name = program_name(words[place].strip(_QUOTES))
    if not name or (name not in table() and name not in acts_of_programs()):
        return False
    behind = words[place + 1 :]
    if any(map(_FLAGS.match, behind)) or "|" in words:
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
            for risk in _risks_of_codes([code], familiar, is_quoted=False):
                if risk.kind in QUOTED:
                    return risk
    return None
