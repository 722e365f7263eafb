"""Whether two items would tell a session the same: then one line is enough.

A rule's line and a writer's about one error, a rule's line and a state check that says why, a person's sentence and what a
writer made of it: nothing is merged here, the weaker line is just not told beside the stronger one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain

from msgspec import Struct

from afterglow.harvest.writing.failure_names import (
    code_in,
    telling_words,
    words_of_code,
)
from afterglow.harvest.writing.situation import MIN_SHARED_WORDS, shared_words
from afterglow.records.knowledge import WITHOUT, KnowledgeItem
from afterglow.records.writing import BY_RULES, MINER
from afterglow.text.words import SENTENCE_WORDS

STATE = "state"  # the miner of what the state of a session explains
WISHES = frozenset({"preference", "rule"})  # tags of what a person wants
# Of the words of the shorter of two wishes, the share that the other has too, and how many these are at least.
SHARED_WISH = 0.6
MIN_WISH_WORDS = 4

# Words by which a wish is told, whatever it is about.
_TOLD_BY = telling_words(
    f"may might want wants wanted people person user one mostly often {' '.join(SENTENCE_WORDS)}"
)
_QUOTED = re.compile(r'"([^"]+)"')


class Explained(Struct, frozen=True):
    """What state checks say the cause of: errors, and flags that programs here do not know; and the programs that are
    not there of which a writer says what does the same."""

    errors: frozenset[str]
    flags: tuple[frozenset[str], ...]
    replaced_programs: frozenset[str]


def explained_by_any(items: Sequence[KnowledgeItem]) -> Explained:
    checks = [item for item in items if item.miner == STATE]
    lessons = (item for item in items if item.miner == MINER)
    calls = map(_call_in_situation, checks)
    return Explained(
        frozenset(text for item in checks for text in item.fingerprints),
        tuple(call for call in calls if any(word[0] == "-" for word in call)),
        frozenset(chain.from_iterable(map(_failing_names, lessons))),
    )


def explanation_of(item: KnowledgeItem, explained: Explained) -> str:
    """What says more than this line; empty where nothing does. A rule's line about an error that a state check explains,
    or anybody else's about such a flag, has nothing to add; nor has a check that only knows that a program is missing."""
    if item.miner == STATE:
        is_bare = item.remedy == WITHOUT
        names = _call_in_situation(item) if is_bare else frozenset()
        return "a way without it" if names & explained.replaced_programs else ""
    is_by_rule = item.miner == BY_RULES
    if is_by_rule and not explained.errors.isdisjoint(item.fingerprints):
        return "a check of the state"
    call = _call_in_situation(item)
    is_flag = any(flag_call <= call for flag_call in explained.flags)
    return "a check of the state" if is_flag else ""


def _failing_names(item: KnowledgeItem) -> Iterable[str]:
    """Words of its situation that an error of it holds, too: `command not found: oilctl`."""
    words = set(item.situation.replace("`", " ").split())
    return (
        word for text in item.fingerprints for word in text.split() if word in words
    )


def _call_in_situation(item: KnowledgeItem) -> frozenset[str]:
    """The words of the code that its situation names."""
    return frozenset(chain.from_iterable(map(str.split, code_in(item.situation))))


def said_in_words(
    item: KnowledgeItem, later_items: Sequence[KnowledgeItem]
) -> int | None:
    """Which of those that come later is a lesson in words that has all a rule's line tells; None for none."""
    if item.miner == MINER:
        return None
    places = (place for place, later in enumerate(later_items) if later.miner == MINER)
    return next(
        (place for place in places if says_the_same(item, later_items[place])), None
    )


def says_the_same(item: KnowledgeItem, earlier: KnowledgeItem) -> bool:
    """About one error in one situation, and telling nothing to run or write that the earlier does not; or a person's
    wish in nearly the same words."""
    if _is_wish(item) and _is_wish(earlier):
        return _wishes_alike(item.fact, earlier.fact)
    if earlier.miner == MINER and _gives_way(item, earlier):
        return _has_code_of(item, earlier)
    if not set(item.fingerprints) & set(earlier.fingerprints):
        return False
    return _is_told_in(item, earlier)


def _gives_way(item: KnowledgeItem, written: KnowledgeItem) -> bool:
    """What a rule found: its message says only that something failed, or it is about the same program."""
    if item.miner == BY_RULES and not item.fingerprints:
        return True
    is_by_rule = item.miner not in {MINER, STATE} and item.trust != "user"
    return is_by_rule and bool(item.domain) and _speaks_of(item.domain, written)


def _speaks_of(program: str, item: KnowledgeItem) -> bool:
    text = f"{item.situation} {item.remedy}"
    return re.search(rf"(?<![\w-]){re.escape(program)}(?![\w-])", text) is not None


def _is_wish(item: KnowledgeItem) -> bool:
    return not WISHES.isdisjoint(item.tags)


def _wishes_alike(fact: str, earlier_fact: str) -> bool:
    words, earlier_words = _words_of_wish(fact), _words_of_wish(earlier_fact)
    shared = len(words & earlier_words)
    shorter = min(len(words), len(earlier_words))
    return shared >= max(MIN_WISH_WORDS, SHARED_WISH * shorter)


def _words_of_wish(fact: str) -> frozenset[str]:
    """Of a sentence that is quoted those of the person."""
    sentence = " ".join(_QUOTED.findall(fact)) or fact
    return telling_words(sentence) - _TOLD_BY


def _is_told_in(item: KnowledgeItem, beside: KnowledgeItem) -> bool:
    """In the same situation."""
    return _has_code_of(item, beside) and (
        shared_words(beside.situation, item.situation) >= MIN_SHARED_WORDS
    )


def _has_code_of(item: KnowledgeItem, beside: KnowledgeItem) -> bool:
    """The remedy of the item beside names all code of this one's, but for the repository's own name."""
    code = words_of_code(item.remedy) - telling_words(item.repo)
    return bool(code) and code <= telling_words(beside.remedy)
