"""Rules people state in so many words: "from now on ...", "remember: ...", "always ...", "we changed it: ... now".

A rule that sets something ("numbered from 0", "off by default") has a key and a value, so that the newer one replaces
the older. Said once, a sentence is told only where it says itself that it lasts, and can be understood alone. What else
sounds like a rule, and what only says that something changed ("we moved to pnpm", "you may push to main again"), waits
as a candidate: it is told once it turns out to replace a rule (`harvest/supersession.py`), or is said again.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from afterglow.harvest import user_speech
from afterglow.harvest.quoted_stretches import outside_quotations
from afterglow.harvest.statements import is_change, statement
from afterglow.harvest.trail import Trail
from afterglow.records.knowledge import Category, Evidence, Finding, Telling
from afterglow.records.session import Turn

NAME = "rules"
VERSION = 5

DIRECT_RULE = 0.9  # said to last
DIRECT_SAID = (
    0.7  # sounds like a rule; a second session, or what it replaces, makes it one
)
MAX_CHANGE_WORDS = 16  # of a sentence: a longer one tells of the work at hand
MIN_WORDS = 2  # that name something, in a sentence that can be understood alone

_LEAD = re.compile(
    r"^(?:(?:from now on|going forward|remember(?: that| to| also)?|please|we changed (?:it|that|this)|note(?: that)?"
    r"|(?:can|could) you (?:please )?(?:update|add|note|put)\b.{0,60}? that)[\s,:]+)+",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"\b(?:is|are|be|now|to|from|at|with|stays?|defaults? to) (?:now |set to |always )?"
    r"(on|off|true|false|enabled|disabled|yes|no|required|optional|allowed|forbidden|mandatory|\d+)\b"
)
_FOR_GOOD = re.compile(r"\b(?:always|never|from now on|going forward)\b")
# How people say that a sentence lasts; "keep our notes in ..." may be about the work at hand, and "remember you have ..."
# reminds of something that the agent just forgot.
_LASTING = re.compile(
    rf"{_FOR_GOOD.pattern}|\bremember(?::|,| that\b)|\bin (?:the )?future\b|\bas a (?:general )?rule\b"
)
# Answers a sentence that is not quoted with it.
_ANSWERING = re.compile(
    r"^(?:and |but )?(?:if (?:not|so)|otherwise|then|in that case|else)\b"
)
_LIST_ITEM = re.compile(r"(?:[-*•]|\d{1,2}[.)])\s+$")
# Where a rule is asked to be put down: agents read it there themselves.
_WRITTEN_DOWN = re.compile(r"\b(?:claude|agents|gemini)\.md\b", re.IGNORECASE)
_TOKEN = re.compile(r"[\w.-]+")
_ASIDE = re.compile(r"(?:\s*[,;(]|\s+-\s).*$", re.DOTALL)
_SMALL = frozenset(
    "is are be was were now default from to at in the a an by of and for please we keep".split()
)


def mine(trail: Trail) -> Iterator[Finding]:
    texts: set[str] = set()
    for place, turn in enumerate(trail.turns):
        if turn.text not in texts and user_speech.is_speech(turn):
            texts.add(turn.text)
            yield from _rules(trail, turn)
            yield from _changes(trail, place)


def _rules(trail: Trail, turn: Turn) -> Iterator[Finding]:
    for remark in user_speech.remarks(turn.text):
        if remark.manner != "rule":
            continue
        start = _start(turn.text, remark)
        words = user_speech.tidy(turn.text[start : remark.end])
        key, value = setting(words)
        slots = {"words": words, "key": key, "value": value}
        if not key and not _lasts(turn.text, remark):
            slots["change"] = "yes"
        topic = f"{key}|{value}" if key else _topic(words)
        evidence = trail.said(turn, start, remark.end)
        yield Finding(NAME, f"rule|{topic}", slots, (evidence,))


def _start(text: str, remark: user_speech.Remark) -> int:
    """Where a rule begins: with the sentence before, where it answers that one ("if not, always ...")."""
    if not _ANSWERING.match(user_speech.plain(remark.words)):
        return remark.start
    starts = [start for start, _ in user_speech.sentences(text) if start < remark.start]
    before = starts[-1] if starts else remark.start
    return before if remark.end - before <= user_speech.QUOTED else remark.start


def _lasts(text: str, remark: user_speech.Remark) -> bool:
    """Said to last, and understood alone; an item of a list is a part of what is asked for there."""
    words = user_speech.plain(remark.words)
    if not _LASTING.search(words):
        return False
    if _ANSWERING.match(words) and _start(text, remark) == remark.start:
        return False
    return not _LIST_ITEM.search(text[: remark.start].rpartition("\n")[2])


def _changes(trail: Trail, place: int) -> Iterator[Finding]:
    """Sentences that say that something is no longer as it was, beside those that are rules anyway."""
    turn = trail.turns[place]
    rules = {
        remark.start
        for remark in user_speech.remarks(turn.text)
        if remark.manner == "rule"
    }
    outside = outside_quotations(turn.text)
    for start, end in user_speech.sentences(turn.text):
        words = user_speech.tidy(turn.text[start:end])
        own_words = user_speech.tidy(outside[start:end])
        is_rule = _is_short_rule(own_words)
        if start in rules or not (is_rule or _is_lasting_change(own_words)):
            continue
        slots = {"words": words, "key": "", "value": ""}
        if not is_rule:
            slots["change"] = "yes"
        evidence = (trail.said(turn, start, end), *_call_before(trail, place, words))
        yield Finding(NAME, f"rule|{_topic(words)}", slots, evidence)


def _is_short_rule(words: str) -> bool:
    """`always use npm`: one word that names something is enough where the rest says what to do with it."""
    if not _FOR_GOOD.search(words.lower()):
        return False
    parsed = statement(words)
    if parsed is None:
        return False
    is_whole = parsed.light or len(parsed.words | parsed.conditions) >= MIN_WORDS
    return is_whole and user_speech.manner_of(words, MIN_WORDS) == "rule"


def _is_lasting_change(words: str) -> bool:
    if len(user_speech.content(words)) < MIN_WORDS:
        return False
    if len(words.split()) > MAX_CHANGE_WORDS:
        return False
    return not user_speech.is_local(user_speech.plain(words)) and is_change(words)


def _call_before(trail: Trail, place: int, words: str) -> Iterator[Evidence]:
    """The command that a move without a word of what was left is the answer to."""
    parsed = statement(words)
    if parsed is None or parsed.dropped or not parsed.light:
        return
    at = bisect_left(trail.steps, place, key=lambda step: step.turn)
    if not at or not trail.steps[at - 1].command:
        return
    between = trail.turns[trail.steps[at - 1].turn + 1 : place]
    if not any(user_speech.is_speech(turn) for turn in between):
        yield trail.asked(trail.steps[at - 1])


def _topic(words: str) -> str:
    """What a rule is about, and what turns it round: the same words may ban, allow, or say it of another number."""
    parsed = statement(words)
    marks = [user_speech.about(words)]
    if parsed is not None:
        if parsed.stance != "do":
            marks.append(parsed.stance)
        marks += sorted(word for word in parsed.words if len(word) == 1)
        if parsed.dropped:
            marks.append(f"not {' '.join(sorted(parsed.dropped))}")
    return "|".join(marks)


def tell(findings: Sequence[Finding]) -> Telling | str:
    if "key" not in findings[0].slots:
        return "a label"  # found by an earlier version, in a session that is gone
    slots = max(findings, key=lambda finding: finding.first.time or 0.0).slots
    if _WRITTEN_DOWN.search(slots["words"]):
        return "asked to be put into an instruction file"
    rule = _LEAD.sub("", slots["words"])
    is_clear = len(user_speech.content(rule)) >= MIN_WORDS
    if not is_clear and not _is_short_rule(slots["words"]):
        return "nobody else would know what it is about"
    category: Category = "fact" if slots["key"] else "pattern"
    is_only_said = all("change" in finding.slots for finding in findings)
    return Telling(
        f'The user\'s rule: "{rule}".',
        category,
        "",
        rule,
        DIRECT_SAID if is_only_said else DIRECT_RULE,
        tags=("preference", "rule"),
        key=slots["key"],
        value=slots["value"],
    )


def setting(words: str) -> tuple[str, str]:
    """What a rule sets and to what: "berth folders are numbered from 0 now" -> ("berth folders numbered", "0").

    Only where exactly one word of the clause is a value: a number, or one of two opposites. Asides do not count.
    """
    clause = _ASIDE.sub("", _LEAD.sub("", words)).lower()
    values = _VALUE.findall(clause)
    rest = [
        word
        for word in map(_bare, _TOKEN.findall(clause))
        if word not in _SMALL and word not in values
    ]
    return (" ".join(rest[:8]), values[0]) if len(values) == 1 and rest else ("", "")


def _bare(word: str) -> str:
    return word.strip(".-")
