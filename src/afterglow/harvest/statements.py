"""What a person's sentence lays down, so that two of them can be laid side by side.

A sentence that decides something has a stance (do it, don't, you may, no need to), a main clause whose words stand in
slots (what comes behind `from`, `to`, `is`, or the head before them), conditions (`when`, `before`, `unless`), words
that it drops (`not 3000`, `instead of npm`), and cues that something changes or is added. Nothing here knows what a
sentence is about. Questions, plans, hearsay and what only holds for the moment lay down nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from afterglow.harvest import sentence_cues as cues
from afterglow.harvest import user_speech
from afterglow.harvest.sentence_cues import Stance
from afterglow.text.words import names

MAX_SENTENCE_CHARACTERS = 260  # a longer one tells a story


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
    parsed = (
        _moved(clause)
        or _contrasted(clause)
        or _turned(clause)
        or _lifted(clause)
        or _plain_statement(clause)
    )
    if not parsed.words:
        return None
    return replace(
        parsed,
        changes=parsed.changes or parsed.moved or bool(cues.CHANGES.search(small)),
        adds=bool(cues.ADDS.search(cues.CUE.sub("", small))),
        lasts=parsed.lasts or parsed.moved or bool(cues.LASTS.search(small)),
        literals=_literals(clause),
        proper=_proper(sentence),
    )


def _main_clause(small: str) -> str:
    """Without leads, cues, reasons and asides."""
    clause = cues.LEAD.sub("", cues.PAIRED.sub(r"`\1`", small))
    clause = cues.LEAD.sub("", cues.CUE.sub("", clause).strip())
    clause = cues.ORDER_BEHIND.sub("", cues.REASON.sub("", clause))
    if not cues.OPENS_WITH_PLACE.match(clause):
        clause = cues.ASIDE.sub("", clause)
    return clause.strip(" .,!:")


def _literals(clause: str) -> frozenset[str]:
    code = {" ".join(words.split()) for words in cues.CODE.findall(clause)}
    words = {word for word, _ in _tokens(clause) if word != "," and not word.isalpha()}
    return frozenset(map(_stem, code | words))


def _proper(sentence: str) -> frozenset[str]:
    """Names as people write them: with a capital, and not only because a sentence begins."""
    return frozenset(_stem(name.lower()) for name in cues.NAME.findall(sentence))


def is_number(word: str) -> bool:
    return cues.NUMBER.fullmatch(word) is not None


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
    if cues.ANNOUNCED.match(user_speech.plain(sentence)):
        return True
    small = user_speech.plain(sentence)
    is_told_of_us = parsed.light and cues.OF_US.match(small)
    return bool(is_told_of_us) or _is_now_set(parsed, small)


def _is_now_set(parsed: Statement, small: str) -> bool:
    """A thing and where or what it is now: the default branch is `trunk`, the build starts at four."""
    slots = parsed.by_marker
    values = [slots[marker] for marker in slots if marker]
    if not parsed.head or not values or not cues.NOW.search(small):
        return False
    names = parsed.literals | parsed.proper
    is_named = any(value <= names for value in values)
    if parsed.says_what_is and (is_named or "is" not in slots):
        return True
    return cues.OF_A_THING.match(small) is not None


def _lays_down_nothing(small: str) -> bool:
    if cues.QUESTION.search(small) or cues.HEARSAY.search(small):
        return True
    is_for_good = cues.FOR_GOOD.search(small) is not None
    return not is_for_good and bool(
        cues.OPEN.search(small) or cues.MOMENT.search(small)
    )


def _moved(clause: str) -> Statement | None:
    """`we moved from npm to pnpm`, `replaced jest with vitest`: the head is what is used since."""
    match = cues.FROM_TO.search(clause)
    if match:
        return _move(match[3], match[2], match[1] or "")
    for pattern, old, new in ((cues.TO_FROM, 2, 1), (cues.REPLACED, 1, 2)):
        match = pattern.search(clause)
        if match:
            return _move(match[new], match[old])
    for pattern in (cues.RENAMED, cues.GONE):
        match = pattern.search(clause)
        if match:
            before, after = filter(None, match.groups())
            parsed = _move(after, before)
            return parsed if parsed.dropped else None
    match = cues.MOVED_TO.search(clause)
    return _move(match[1], "") if match else None


def _move(new: str, old: str, purpose: str = "") -> Statement:
    """What is used since, instead of what, and for what where that is said (`switched the database from A to B`)."""
    parsed = _plain_statement(f"{new} for {purpose}" if purpose else new)
    return replace(
        parsed,
        stance="do",
        light=True,
        moved=True,
        dropped=_words_of(_first_phrase(old)),
    )


def _contrasted(clause: str) -> Statement | None:
    """`port 8080, not 3000`: what stands behind `not` is dropped, and what follows that holds for both."""
    match = cues.NOT.search(clause)
    if match and "over" in match[0] and not clause.startswith("prefer"):
        return None
    if match is None or not clause[: match.start()].strip():
        return None
    word_before = clause[: match.start()].rsplit(maxsplit=1)[-1]
    if word_before in cues.NEGATED or word_before.endswith("'s"):
        return None
    dropped = _first_phrase(clause[match.end() :])
    rest = clause[match.end() + len(dropped) :]
    parsed = _plain_statement(f"{clause[: match.start()]} {rest}")
    words = _words_of(dropped)
    if not words or parsed.stance != "do" or words <= parsed.words:
        return None
    return replace(parsed, dropped=words)


def _turned(clause: str) -> Statement | None:
    """`don't deploy from main, deploy from release`: what only the first half has is dropped."""
    match = cues.DONT_BUT.search(clause)
    if match is None:
        return None
    parsed, dropped = _plain_statement(match[2]), _words_of(match[1])
    is_about_the_same = not dropped.isdisjoint(parsed.words)
    if parsed.stance != "do" or not is_about_the_same or dropped <= parsed.words:
        return None
    return replace(parsed, dropped=dropped - parsed.words)


def _lifted(clause: str) -> Statement | None:
    match = cues.LIFTED.search(clause)
    if match is None:
        return None
    return replace(_plain_statement(match[1]), stance="may", lasts=True, changes=True)


def _first_phrase(text: str) -> str:
    """Up to the next preposition, condition or comma."""
    for token, start in _tokens(text):
        is_end = token in cues.PREPOSITIONS or token in cues.CONDITION or token == ","
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
    for stance, pattern in cues.STANCES:
        match = pattern.search(clause)
        if match:
            rest = clause[match.end() :]
            if not cues.LISTS.search(rest):
                rest = rest.partition(",")[0]  # what to do instead is another matter
            return stance, f"{clause[: match.start()]} {rest}"
    return "do", clause


def _without_conditions(tokens: Sequence[str]) -> tuple[list[str], frozenset[str]]:
    """The main clause, and the words of its conditions with what binds them."""
    main: list[str] = []
    conditions: set[str] = set()
    is_condition = False
    for token in tokens:
        if token == ",":
            is_condition = False
        elif token in cues.CONDITION:
            is_condition = True
            conditions.add(token)
        elif not is_condition:
            main.append(token)
        elif token not in cues.SMALL and token not in cues.PREPOSITIONS:
            conditions.add(_stem(token))
    return main, frozenset(conditions)


def _slots(main: Sequence[str]) -> tuple[Slot, ...]:
    by_marker: dict[str, set[str]] = {}
    marker = ""
    for token in main:
        if token in cues.COPULAS:
            marker = "is"
            by_marker.setdefault(marker, set())
        elif token in cues.PREPOSITIONS:
            marker = token
        elif token not in cues.SMALL:
            by_marker.setdefault(marker, set()).add(_stem(token))
    return tuple(Slot(name, frozenset(by_marker[name])) for name in sorted(by_marker))


def _verb(main: Sequence[str]) -> str:
    """The first word of an order that names something; a sentence that says what is has no such verb."""
    if not cues.COPULAS.isdisjoint(main):
        return ""
    named = (token for token in main if token not in cues.SMALL | cues.PREPOSITIONS)
    return _stem(next(named, ""))


def _is_light(main: Sequence[str]) -> bool:
    """Whether the first word that is not only politeness says `use`."""
    for token in main:
        if token in cues.LIGHT:
            return True
        if token not in cues.SMALL:
            return False
    return False


def _words_of(text: str) -> frozenset[str]:
    tokens = (token for token, _ in _tokens(text))
    return frozenset(
        _stem(token)
        for token in tokens
        if token != "," and token not in cues.SMALL and token not in cues.PREPOSITIONS
    )


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    """Words and commas with where they start; a piece of code is one word."""
    at = 0
    for match in cues.CODE.finditer(text):
        yield from _bare_tokens(text, at, match.start())
        yield " ".join(match[1].split()), match.start()
        at = match.end()
    yield from _bare_tokens(text, at, len(text))


def _bare_tokens(text: str, start: int, end: int) -> Iterator[tuple[str, int]]:
    for match in cues.WORD.finditer(text, start, end):
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
