"""What people say to an agent, told apart: a rule to keep, a ban, a correction, a wish, or just conversation.

Agents file much under "user" that nobody typed, and people paste logs, reviews and plans. What is left is read sentence
by sentence, by how it is put: nothing here knows what a sentence is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from afterglow.harvest.quoted_stretches import (
    outside_quotations,
    own_words,
    quoted_at,
)
from afterglow.records.session import Call, Turn
from afterglow.text.clip import clip

LONGEST = 1500  # a longer message is mostly pasted
LINES = 25
STORY = 260  # a longer sentence tells what happened
QUOTED = 220  # characters of a person's words that are kept

Manner = Literal["rule", "ban", "fix", "wish"]

_PASTED_START = re.compile(
    r"\s*(?:[<{\[#=+|>⏺⎿✗✓❯$]|@@|\[?\d{4}-\d\d-\d\d[T ]|Traceback|[Ee]rror:|fatal:|panic:|unknown |You are an? "
    r"|Implement the following|Base directory|Operation stopped)"
)
_PASTED = re.compile(
    r"\b(?:Low|Medium|High|Critical) Severity\b|^diff --git |^\+{3} |^Traceback |\bat line \d+|\(lines? \d+",
    re.MULTILINE,
)
_PERSON = re.compile(
    r"\b(?:i|i'[dm]|i've|we|we'(?:re|d|ve|ll)|you|your|us|our|my|me|let's|please|can't)\b"
    r"|^(?:no|use|don't|do not|ok|yes|yeah)\b",
    re.IGNORECASE | re.MULTILINE,
)
_REASON = re.compile(
    r"(?:the user said:|user rejected this call:|(?:denied|rejected) by (?:the )?user:)\s*(?=\S)",
    re.IGNORECASE,
)
_BOILERPLATE = re.compile(
    r"The user wants to clarify|Note: The user's next message|STOP what you are doing"
)
_SENTENCE = re.compile(r"[^\s](?:[^\n.!?]|[.!?](?![\s)]|$))*[.!?)]*")
_MARK = re.compile(r"^(?:[-*•]|\d{1,2}[.)])\s+")
_FILLER = re.compile(
    r"^(?:(?:yes|yeah|yep|yup|ok|okay|hmm+|ah+|oh|uh|um|well|so|and|but|also|actually|please|great|thanks|right|sure"
    r"|cool|lol|hey|sorry|alright|wait|huh)\b[\s,.!:;-]*)+",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z0-9][\w./:@-]*\w|[a-z0-9]")
_COMMON = frozenset(
    """a about above actually after again all already also always am an and another any anything are as ask at away
    back be because been before being below best better but by call came can cannot case change check come could did
    didn't do does doesn't doing don don't done down each else end even ever every everything fine first fix for
    from further get give go going good got great guess had has have having he her here hey his hmm how however i if
    in instead into is isn't it it's its just keep kind know last let let's lets like little long look lot made make
    many may maybe me mean might more most much must my need never next no not nothing now of off ok okay on once
    one only or other our out over own part perhaps please point prefer put quite rather really right said same say
    see seem seems set she should since so some something sort still stop such sure take tell than that that's the
    their them then there these they thing things think this those though thought through time to too try two under
    until up us use used using very want wants was way we we're well were what when where whether which while who
    why will with without work works would yeah yes yet you your""".split()
)

# How each manner is put. A rule says that it lasts; a ban says no; a fix says what is so instead; a wish asks for it.
_VERB = (
    r"(?!(?:worry|know|think|understand|care|get|see|like|have|recall|remember|mind|believe|want|need|be|even|seem)\b)"
    r"[a-z]+\b"
)
_AGAIN = r"\b(?:2nd|3rd|4th|second|third) (?:time|error|bug)\b"
_RULE = re.compile(
    r"\bfrom now on\b|\bgoing forward\b|\bin (?:the )?future,|\bas a (?:general )?rule\b|\brule of thumb\b|\bdirective is\b"
    r"|(?<!i )\bremember(?:: ?| to | that | also )"
    r"|(?:^|please |you |you should |we |we should |must |[,;:(] )(?:always|never) "
    + _VERB
    + r"|\bwe (?:changed|reverted|inverted|switched) (?:it|that|this)\b|\bwe turned (?:it|that|this) around\b"
    r"|\b(?:is|are) now (?:(?:on|off|enabled|disabled) by default|called|named)\b"
    r"|\b(?:should|please|let's|use)\b.*\b(?:everywhere|wherever|whenever)\b"
    r"|^keep (?:our|all|the|any) .* (?:in|under|at|out of) "
    r"|^for (?:every|all|the ones)\b.*\b(?:please|should|i'd like)\b"
)
_BAN = re.compile(
    r"(?:^|^no,? |\()(?:please )?(?:don't|do not|dont|never|let's not|lets not|let's avoid|avoid) (?:ever )?"
    + _VERB
    + r"|(?:, ?| and )(?:don't|let's avoid) "
    + _VERB
    + r"|\bi (?:did not|didn't) (?:say|ask|tell)\b|\bdoes(?:n't| not) make sense to\b|\bwe don't want\b"
)
_FIX = re.compile(
    r"\b(?:is|are|that's|it's) not (?:(?:fully|quite|really|entirely) )?(?:correct|right|true)\b"
    r"|\bthat(?:'s| is) wrong\b|\bon purpose\b|\bintentionally\b|\bby design\b|\bdeliberately\b|\bsource of truth\b"
    r"|\bthat's why we\b|^no,? (?:we|use|it should|not) "
    r"|(?:^|[,;(] ?|but |since |and )we (?:don't|do not|no longer|never) (?:use|support|allow|ship|commit|store)\b"
    r"|\bwe don't have .* any ?more\b"
    r"|\bwe use [\w-]+ (?:explicitly|for|here|because)\b|\bwe (?:have|already have|got) \S+ for (?:that|this)\b"
    r"|\bwe should be using\b|(?:^|\()note (?:that )?(?:the|we|it)\b"
    r"|^prefer \w+|"
    + _AGAIN
    + r"|\b(?:use|should|like to see|let's|please|want it|to be called)\b.*\b(?:instead of|rather than|and not)\b"
)
_WISH = re.compile(
    r"\b(?:can|could|can't|couldn't|shouldn't|should) (?:we|you) .*\b(?:instead of|rather than)\b"
    r"|\b(?:can|could|can't|should) (?:we|you) (?:please )?(?:use|reuse|follow|stick to) "
    r"(?:our|the existing|the same|the standard)\b|\bshould(?:n't)? we (?:not )?be using\b"
)
# Only about the work at hand: what holds for now, what is only to be looked at, what is still being thought over.
_LOCAL = re.compile(
    r"\b(?:for now|right now|this time|at the moment|in this (?:branch|pr|commit|case|session|plan)|yet|option \d"
    r"|for this (?:pr|one|case)|just (?:let|tell|validate|check|report|explain)|let me know|tell me|how about|do you"
    r"|what (?:is|are|do|does|if|happens)|why (?:is|are|do|does|did|not)|i (?:wonder|guess|assume|still feel|feel)"
    r"|i'm (?:wondering|not sure)|something like|you just|the one you|step \d|pr \d+|line \d+)\b|#\d+|https?://"
)
_LASTING = re.compile(_AGAIN + r"|\bfrom now on\b|\balways\b|\bnever\b|\bremember\b")
_NO = r"(?:don't|do not|never|let's not|avoid|no,?)"
_POINTING = re.compile(  # at something, instead of naming it
    rf"^{_NO} \w+ (?:it|this|that|them|these|those)\b"
    rf"|{_NO} (?:\w+ ){{1,2}}(?:it|this|that|them|these|those)(?: (?:again|yet|now|here|in|up))*[\s.,!:)]*(?:$|,|but)"
)


class Remark(Struct, frozen=True):
    """One thing a person said: how it was put, its words, and where they stand in the message."""

    manner: Manner
    words: str
    start: int
    end: int


def is_speech(turn: Turn) -> bool:
    """Whether a person typed this turn: by its voice, and as far as its words tell."""
    is_typed = turn.role == "user" and turn.voice == "typed"
    return is_typed and turn.kind in {"said", "steer"} and not is_pasted(turn.text)


@lru_cache(maxsize=2048)  # asked of the same messages by every miner
def is_pasted(text: str) -> bool:
    """Logs, reviews, plans, diffs: long, in many lines, or in nobody's voice."""
    if len(text) > LONGEST or not text.strip() or text.count("\n") > LINES:
        return True
    if _PASTED_START.match(text) or _PASTED.search(text):
        return True
    return len(text) > 160 and not _PERSON.search(text)


def reason_in(call: Call) -> str:
    """A person's words in the result of a call that they refused, as the agent recorded it; empty where they gave none.
    The same words in another result are whoever's wrote it."""
    if not call.refused:
        return ""
    text = (call.result or "")[: 2 * LONGEST]
    match = _REASON.search(text)
    if match is None or _BOILERPLATE.search(text, match.end()):
        return ""
    words = text[match.end() :]
    return (words.split('"', 1)[0] if text.startswith("{") else words).strip()


@lru_cache(maxsize=2048)  # asked of the same messages by every miner
def sentences(text: str) -> tuple[tuple[int, int], ...]:
    """Where each sentence of a message starts and ends; what somebody else wrote, as far as its shape tells, is left
    out."""
    return tuple(_sentences_of(own_words(text)))


def _sentences_of(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for line in text.split("\n"):
        bare = line.lstrip()
        if bare and bare[0] not in ">+|⏺⎿│├└" and not line.startswith(("    ", "\t")):
            skip = len(line) - len(bare)
            skip += len(mark[0]) if (mark := _MARK.match(bare)) else 0
            yield from (
                (at + match.start(), at + match.end())
                for match in _SENTENCE.finditer(line, skip)
            )
        at += len(line) + 1


@lru_cache(maxsize=4096)
def remarks(text: str) -> list[Remark]:
    """The sentences of a message that ask for more than the work at hand."""
    whole = (
        len(content(text)) if len(text) <= QUOTED else 0
    )  # a short message is understood as a whole
    outside = outside_quotations(text)
    spoken = (
        (
            manner_of(outside[start:end], whole or len(content(text[start:end]))),
            start,
            end,
        )
        for start, end in sentences(text)
    )
    return [
        Remark(manner, tidy(text[start:end]), start, end)
        for manner, start, end in spoken
        if manner
    ]


def manner_of(sentence: str, whole: int = 0) -> Manner | None:
    """How a sentence is put; None for requests, questions, talk, and whatever only matters now.

    `whole` is how many words of content the message has, where the sentences around it help to understand it.
    """
    small = plain(sentence)
    words = max(len(content(small)), whole)
    if words < 2 or len(small) > STORY or _POINTING.search(small) or is_local(small):
        return None
    if small.rstrip(" )").endswith("?") or small.startswith(("can we ", "could we ")):
        return "wish" if _WISH.search(small) else None
    if _RULE.search(small):
        return "rule"
    if _BAN.search(small):
        return "ban"
    return "fix" if words > 2 and _FIX.search(small) else None


def is_local(sentence: str) -> bool:
    """Whether a sentence only holds for the work at hand."""
    return bool(_LOCAL.search(sentence)) and not _LASTING.search(sentence)


def plain(sentence: str) -> str:
    """In small letters, with one kind of apostrophe, without the words people start with."""
    return _FILLER.sub("", sentence.lower().replace("’", "'").strip())


def content(sentence: str) -> list[str]:
    """The words that say what it is about."""
    return [
        word
        for word in _WORD.findall(sentence.lower())
        if word not in _COMMON and len(word) > 1
    ]


def is_common(word: str) -> bool:
    """Whether a small word is one that everybody uses."""
    return word in _COMMON


def about(sentence: str, most: int = 8) -> str:
    """A short key of what a sentence is about: equal for the same words in another order."""
    return " ".join(sorted({_stem(word)[:24] for word in content(sentence)})[:most])


def is_short(text: str) -> bool:
    """Whether a message is one short line with nothing of anybody else in it: it is understood as a whole."""
    is_line = len(text) <= QUOTED and "\n" not in text.strip()
    return is_line and not quoted_at(text)


def tidy(words: str) -> str:
    """A person's words on one line, clipped, ready to stand between quotes."""
    return clip(
        " ".join(_FILLER.sub("", words.strip()).replace('"', "'").split()).rstrip(" ."),
        QUOTED,
    )


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s"):
        if (
            len(word) > len(ending) + 2
            and word.endswith(ending)
            and word[-2:] != "ss"
            and word.isalpha()
        ):
            return word[: -len(ending)]
    return word
