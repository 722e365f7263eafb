"""What a person's sentence lays down, so that two of them can be laid side by side.

A sentence that decides something has a stance (do it, don't, you may, no need to), a main clause whose words stand in
slots (what comes behind `from`, `to`, `is`, or the head before them), conditions (`when`, `before`, `unless`), words
that it drops (`not 3000`, `instead of npm`), and cues that something changes or is added. Nothing here knows what a
sentence is about. Questions, plans, hearsay and what only holds for the moment lay down nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from afterglow.harvest import user_speech
from afterglow.text.words import names

Stance = Literal["do", "dont", "may", "neednt"]

MAX_SENTENCE_CHARACTERS = 260  # a longer one tells a story

_CODE = re.compile(r"`([^`]+)`")
_WORD = re.compile(r"-{0,2}[\w@#~./\\][\w@#~./\\:+=%*-]*|,")
_NUMBER = re.compile(r"v?\d+(?:[.,]\d+)*[a-z%]{0,3}")
_NAME = re.compile(r"(?<=[\w,;:] )[A-Z][A-Za-z]+")
_PAIRED = re.compile(r"['\"“”]([^'\"“”]+)['\"“”](?=\W|$)")

# Nothing is laid down: a question, something still thought over, hearsay, the past, the moment.
_QUESTION = re.compile(
    r"\?\s*$|^(?:does|did|is|are|was|were|has|can|could|would|should|shall|why|what|how|where|which|who|whose)\b"
    r"|^(?:do|have|when|will) (?:we|you|i|they|it|the)\b"
)
_OPEN = re.compile(
    r"\b(?:maybe|perhaps|might|possibly|probably|hopefully|suppose|imagine|wonder\w*|consider\w*|think\w*|thought"
    r"|someday|eventually|planning|plan to|hoping|hope to|what if|if we (?:ever|were|had|did)|would|could|let's see"
    r"|we'll|we will|going to|i'd|we'd|not sure|unsure|experiment\w*|tempted|propos\w+|suggest\w*|discuss\w*)\b"
)
_HEARSAY = re.compile(
    r"\b(?:said|says?|told|asked|claims?|according to|heard|read that|used to|(?:was|were) (?:using|used))\b"
)
_MOMENT = re.compile(
    r"\b(?:today|tonight|temporar\w+|(?:just |only )?this (?:once|time|week|morning|afternoon|evening|branch|pr|release"
    r"|sprint|commit|ticket|task|file|one)|just once|for (?:now|the moment|the time being|this|today)|in the meantime"
    r"|while i'm|until further)\b"
)
_FOR_GOOD = re.compile(r"\b(?:from now on|going forward|henceforth)\b")
_LASTS = re.compile(
    r"\b(?:from now on|going forward|henceforth|again|any ?more|no longer|always|never|remember|rule)\b"
)

_CHANGES = re.compile(
    r"\b(?:from now on|going forward|henceforth|as of|starting (?:now|today|with)|these days|now|no longer|any ?more"
    r"|again|instead|back (?:to|on)|moved|switched|migrated|changed|replaced|renamed|reverted|new rule|stop(?:ped)?)\b"
)
_ADDS = re.compile(
    r"\b(?:also|too|as well|additionally|in addition|besides|plus|on top|another|both|alongside|either)\b"
)

_CUE = re.compile(
    r"(?:,? )?\b(?:from now on|going forward|henceforth|these days|as of (?:now|today)|starting (?:now|today))\b"
)
# A whole sentence behind a comma, where what stands before it is one too.
_ASIDE = re.compile(
    r",\s*(?:and |but )?(?:\S+ ){1,3}(?:is|are|was|were|has|have|will|does|doesn't|can't|isn't|aren't)\b.*$"
)
_OPENS_WITH_PLACE = re.compile(
    r"(?:in|on|at|for|with|when\w*|if|unless|while|before|after|during|once)\b"
)
_LEAD = re.compile(
    r"^(?:(?:from now on|going forward|henceforth|starting (?:now|today)|as of (?:now|today)|these days|remember"
    r"(?: that| to| also)?|please|actually|note(?: that)?|new rule|rule|reminder|decision|we (?:have )?(?:decided|agreed)"
    r"(?: to| that)?|i(?:'ve| have)? decided(?: to| that)?|we (?:changed|reverted) (?:it|that|this)|no,|ok|instead"
    r"|make sure (?:to|that)|be sure to)(?!\w)[\s,:;-]*)+"
)
_REASON = re.compile(
    r"\s*(?:\b(?:because|since|as otherwise|otherwise|so that|so you)\b|[;(]|\s[-–—]\s|,\s*(?:so|as|it|they|that|this"
    r"|which|we turned|and (?:it|that|this|they))\b).*$|^now that [^,]*,",
    re.DOTALL,
)

# How each stance is put, the most telling first; the words of it are no part of what it is about.
_NEEDNT = re.compile(
    r"\b(?:(?:there(?:'s| is) )?no (?:longer (?:any )?)?need (?:to|for)|(?:you|we) (?:no longer|don't|do not) "
    r"(?:have|need) to|(?:you|we) needn't|(?:is|are) (?:not|no longer) (?:required|necessary|needed|mandatory)"
    r"|(?:isn't|aren't) (?:required|necessary|needed|mandatory)|(?:is|are) optional)\b"
)
_MAY = re.compile(
    r"\b(?:(?:you|we|agents?|everyone) (?:may|can|are (?:allowed|free|welcome) to)(?! not\b)|feel free to"
    r"|(?:is|are|it's) (?:now )?(?:fine|ok|okay|allowed|permitted|all ?right)(?: now| again)?(?: to)?"
    r"|(?:is|are) no longer (?:forbidden|banned|off[- ]limits|prohibited)|(?:isn't|aren't) (?:forbidden|banned))\b"
)
_DONT = re.compile(
    r"\b(?:never|don't|do not|dont|must not|mustn't|may not|can't|cannot|(?:is|are) (?:not allowed|forbidden|banned"
    r"|off[- ]limits|prohibited)|(?:isn't|aren't) allowed|avoid|stop(?:ped)?|no longer|no more|let's not|shouldn't"
    r"|should not|not to|got rid of|dropped|(?:is|are) gone)\b|^no (?=\w)"
)
_STANCES: tuple[tuple[Stance, re.Pattern[str]], ...] = (
    ("neednt", _NEEDNT),
    ("may", _MAY),
    ("dont", _DONT),
)
# A move that has happened, by whom or just so; one that is ordered is the work at hand.
_MOVE = (
    r"(?:^|\b(?:we|i|they|team|project|everything|we've|i've|they've|have|has|was|were|been|just|finally|already"
    r"|recently|all|also) )(?:\w+ly )?(?:moved|switched|migrated|changed|went|gone|converted)"
    r"(?: (?:over|back|away|everything|it|fully|completely|entirely))*"
)
_FROM_TO = re.compile(rf"{_MOVE} from (.+?) (?:over |back )?to (.+)$")
_TO_FROM = re.compile(rf"{_MOVE} to (.+?) from (.+)$")
_MOVED_TO = re.compile(rf"{_MOVE} (?:on)?to (.+)$")
_REPLACED = re.compile(r"\b(?:replaced|swapped) (.+?) (?:with|by|for) (.+)$")
_RENAMED = re.compile(
    r"\brenamed (.+?) to (.+)$|^(.+?) (?:is|was|has been|got) (?:now )?(?:called|renamed to|replaced (?:by|with)) (.+)$"
)
_NOT = re.compile(
    r",? (?:and |but )?(?:not|instead of|rather than|in place of)(?: (?:from|to|in|on|at|with|the|a|an|via|under|into"
    r"|onto|by|as|port|use|using))* "
)
_NEGATED = frozenset(  # what `not` belongs to, where it is no contrast
    "is are was were be do does did can may must should will would could has have or if".split()
)

_CONDITION = frozenset(
    "when whenever if unless while before after until till once except during without outside apart per".split()
)
_COPULAS = frozenset(
    "is are be lives live stays stay equals called named means".split()
)
_PREPOSITIONS = frozenset(
    "from to in on at into onto under with via through as by against for of off over inside between towards".split()
)
_LIGHT = frozenset(
    "use uses using used prefer pick choose take adopt have run-with go".split()
)
# Words that stand in any sentence: they name nothing. The endings of time and emphasis are cues, not matters.
_SMALL = frozenset(
    """a an the this that these those it its it's i we you they he she our your my their us me them one ones there here
    and or but so then than also too do does did doing done has have had having will shall should must may can let's
    let lets make sure please just really simply always ever every all any some still already currently now again
    anymore anyhow more longer today instead back rather not no yes ok want wants need needs like keep keeps stick
    sticking directly straight right away way well only we've we're you're i'd i'm been being was were
    everything thing things everyone agents agent people person first-class yet even though however from-now-on
    go goes going get gets got only-ever use uses using used prefer pick choose take adopt""".split()
)


class Slot(Struct, frozen=True):
    """What stands behind one preposition or `is`; the head of the sentence has no marker."""

    marker: str
    words: frozenset[str]


class Statement(Struct, frozen=True, kw_only=True):
    """One decision. `verb` is what an order begins with; a `light` one only says that the head is used. `moved`: it
    says that a move has happened, so that the head is what is used since. `dropped` is what the sentence itself says no
    to, `before` the programs that ran just before it was said. `literals` are words that name something to the letter
    (code, paths, numbers), `proper` ones written with a capital. `lasts`: it says that it holds beyond the moment.
    """

    stance: Stance
    slots: tuple[Slot, ...]
    conditions: frozenset[str] = frozenset()
    dropped: frozenset[str] = frozenset()
    changes: bool = False
    adds: bool = False
    verb: str = ""
    light: bool = False
    moved: bool = False
    lasts: bool = False
    before: frozenset[str] = frozenset()
    literals: frozenset[str] = frozenset()
    proper: frozenset[str] = frozenset()

    @property
    def words(self) -> frozenset[str]:
        """All it is about, whatever the slot."""
        return frozenset().union(*(slot.words for slot in self.slots))

    @property
    def by_marker(self) -> dict[str, frozenset[str]]:
        return {slot.marker: slot.words for slot in self.slots if slot.words}

    @property
    def says_what_is(self) -> bool:
        return any(slot.marker == "is" for slot in self.slots)

    @property
    def head(self) -> frozenset[str]:
        return self.by_marker.get("", frozenset())


def statements(text: str) -> list[Statement]:
    """Of each sentence of a message that decides something."""
    parsed = (statement(text[start:end]) for start, end in user_speech.sentences(text))
    return [item for item in parsed if item is not None]


@lru_cache(maxsize=4096)
def statement(sentence: str) -> Statement | None:
    """What one sentence lays down, if it does."""
    small = user_speech.plain(sentence)
    if len(small) > MAX_SENTENCE_CHARACTERS or _lays_down_nothing(small):
        return None
    clause = _main_clause(small)
    parsed = _moved(clause) or _contrasted(clause) or _plain_statement(clause)
    if not parsed.words:
        return None
    return replace(
        parsed,
        changes=parsed.moved or bool(_CHANGES.search(small)),
        adds=bool(_ADDS.search(small)),
        lasts=parsed.moved or bool(_LASTS.search(small)),
        literals=_literals(clause),
        proper=_proper(sentence),
    )


def _main_clause(small: str) -> str:
    """Without leads, cues, reasons and asides."""
    clause = _LEAD.sub("", _PAIRED.sub(r"`\1`", small))
    clause = _LEAD.sub("", _CUE.sub("", clause).strip())
    clause = _REASON.sub("", clause)
    if not _OPENS_WITH_PLACE.match(clause):
        clause = _ASIDE.sub("", clause)
    return clause.strip(" .,!:")


def _literals(clause: str) -> frozenset[str]:
    code = {" ".join(words.split()) for words in _CODE.findall(clause)}
    words = {word for word, _ in _tokens(clause) if not word.isalpha()}
    return frozenset(map(_stem, code | words))


def _proper(sentence: str) -> frozenset[str]:
    """Names as people write them: with a capital, and not only because a sentence begins."""
    return frozenset(_stem(name.lower()) for name in _NAME.findall(sentence))


def is_number(word: str) -> bool:
    return _NUMBER.fullmatch(word) is not None


def is_change(sentence: str) -> bool:
    """Whether a sentence says by itself that something is no longer as it was: worth remembering until it is known
    whether it replaces anything."""
    parsed = statement(sentence)
    if parsed is None or parsed.adds:
        return False
    if parsed.moved or (parsed.dropped and parsed.light):
        return True
    if not parsed.changes:
        return False
    if parsed.dropped:
        return True
    if parsed.stance != "do":
        return parsed.lasts
    return _is_now_set(parsed)


def _is_now_set(parsed: Statement) -> bool:
    """A subject and the name of its value: that the default branch is `trunk` now."""
    if not parsed.says_what_is or not parsed.head:
        return False
    slots = parsed.by_marker
    values = [slots[marker] for marker in slots if marker]
    names = parsed.literals | parsed.proper
    return any(value <= names for value in values)


def _lays_down_nothing(small: str) -> bool:
    if _QUESTION.search(small) or _HEARSAY.search(small):
        return True
    is_for_good = _FOR_GOOD.search(small) is not None
    return not is_for_good and bool(_OPEN.search(small) or _MOMENT.search(small))


def _moved(clause: str) -> Statement | None:
    """`we moved from npm to pnpm`, `replaced jest with vitest`: the head is what is used since."""
    for pattern, old, new in (
        (_FROM_TO, 1, 2),
        (_TO_FROM, 2, 1),
        (_REPLACED, 1, 2),
    ):
        match = pattern.search(clause)
        if match:
            return _move(match[new], match[old])
    match = _RENAMED.search(clause)
    if match:
        return _move(match[2] or match[4], match[1] or match[3])
    match = _MOVED_TO.search(clause)
    return _move(match[1], "") if match else None


def _move(new: str, old: str) -> Statement:
    parsed = _plain_statement(new)
    return replace(
        parsed,
        stance="do",
        light=True,
        moved=True,
        dropped=_words_of(_first_phrase(old)),
    )


def _contrasted(clause: str) -> Statement | None:
    """`port 8080, not 3000`: what stands behind `not` is dropped, and what follows that holds for both."""
    match = _NOT.search(clause)
    if match is None or not clause[: match.start()].strip():
        return None
    word_before = clause[: match.start()].rsplit(maxsplit=1)[-1]
    if word_before in _NEGATED or word_before.endswith("'s"):
        return None
    dropped = _first_phrase(clause[match.end() :])
    rest = clause[match.end() + len(dropped) :]
    parsed = _plain_statement(f"{clause[: match.start()]} {rest}")
    words = _words_of(dropped)
    if not words or parsed.stance != "do" or words <= parsed.words:
        return None
    return replace(parsed, dropped=words)


def _first_phrase(text: str) -> str:
    """Up to the next preposition, condition or comma."""
    for token, start in _tokens(text):
        is_end = token in _PREPOSITIONS or token in _CONDITION or token == ","
        if start and is_end:
            return text[:start]
    return text


def _plain_statement(clause: str) -> Statement:
    stance, clause = _stance(clause)
    tokens = [token for token, _ in _tokens(clause)]
    main, conditions = _without_conditions(tokens)
    return Statement(
        stance=stance,
        slots=_slots(main),
        conditions=conditions,
        verb=_verb(main),
        light=_is_light(main),
    )


def _stance(clause: str) -> tuple[Stance, str]:
    for stance, pattern in _STANCES:
        match = pattern.search(clause)
        if match:
            return stance, f"{clause[: match.start()]} {clause[match.end() :]}"
    return "do", clause


def _without_conditions(tokens: Sequence[str]) -> tuple[list[str], frozenset[str]]:
    """The main clause, and the words of its conditions with what binds them."""
    main: list[str] = []
    conditions: set[str] = set()
    is_condition = False
    for token in tokens:
        if token == ",":
            is_condition = False
        elif token in _CONDITION:
            is_condition = True
            conditions.add(token)
        elif not is_condition:
            main.append(token)
        elif token not in _SMALL and token not in _PREPOSITIONS:
            conditions.add(_stem(token))
    return main, frozenset(conditions)


def _slots(main: Sequence[str]) -> tuple[Slot, ...]:
    by_marker: dict[str, set[str]] = {}
    marker = ""
    for token in main:
        if token in _COPULAS:
            marker = "is"
            by_marker.setdefault(marker, set())
        elif token in _PREPOSITIONS:
            marker = token
        elif token not in _SMALL:
            by_marker.setdefault(marker, set()).add(_stem(token))
    return tuple(Slot(name, frozenset(by_marker[name])) for name in sorted(by_marker))


def _verb(main: Sequence[str]) -> str:
    """The first word of an order that names something; a sentence that says what is has no such verb."""
    if not _COPULAS.isdisjoint(main):
        return ""
    return next((_stem(token) for token in main if token not in _SMALL), "")


def _is_light(main: Sequence[str]) -> bool:
    """Whether the first word that is not only politeness says `use`."""
    for token in main:
        if token in _LIGHT:
            return True
        if token not in _SMALL:
            return False
    return False


def _words_of(text: str) -> frozenset[str]:
    tokens = (token for token, _ in _tokens(text))
    return frozenset(
        _stem(token)
        for token in tokens
        if token != "," and token not in _SMALL and token not in _PREPOSITIONS
    )


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    """Words and commas with where they start; a piece of code is one word."""
    at = 0
    for match in _CODE.finditer(text):
        yield from _bare_tokens(text, at, match.start())
        yield " ".join(match[1].split()), match.start()
        at = match.end()
    yield from _bare_tokens(text, at, len(text))


def _bare_tokens(text: str, start: int, end: int) -> Iterator[tuple[str, int]]:
    for match in _WORD.finditer(text, start, end):
        word = match[0].rstrip(".:") or match[0]
        if any(map(str.isalnum, word)) or word == ",":
            yield word, match.start()


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    """Endings do not matter in plain words; names, paths and numbers stay as they are."""
    if not word.isalpha():
        return word
    parts = names(word)
    return parts[0].pieces[0].stem if parts else word
