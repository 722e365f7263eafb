"""Whether a newer statement puts an older one out of force, and why.

Two statements are about one matter when all their words agree but for one slot, or but for their stance, or when the
newer names what the older says and drops it. A wrong answer hides a rule that still holds, which is worse than two
rules told: so conditions and everything else must agree, and where a slot may hold several things at once (`run X
before a commit`) another filler adds to the first.
"""

from __future__ import annotations

from functools import lru_cache

from afterglow.calls import program
from afterglow.harvest.statements import Statement, is_number

MAX_VALUE_WORDS = 3  # of what changes: more is another sentence, not another value
MIN_LONG_NUMBER = 3  # digits: a port or a limit names its matter; "2" stands anywhere
MIN_SHARED_SUBCOMMANDS = 5  # fewer, and two programs are alike by chance (`install`)
MIN_SHARED_SUBCOMMAND_SHARE = 0.4  # of all that the two know: drop-in replacements do

# An act has one source even where nobody says that it changed; elsewhere a second place may be meant as well.
_SOURCES = frozenset({"from", "onto", "off"})
# Where something goes or what it goes through, where it is said to change.
_DIRECTIONS = frozenset({"to", "into", "under", "as", "via", "through", "against"})
_USES = frozenset({"for", "to", "as"})
# What stands behind these says where or for what a rule holds, not what it says.
_SCOPES = frozenset({"for", "of", "between", "inside"})
_PURPOSES = frozenset({"", "to", "for"})
# The stances that put another out of force: newer, older.
_LIFTS = frozenset(
    [
        ("may", "dont"),
        ("neednt", "do"),
        ("do", "dont"),
        ("do", "neednt"),
        ("dont", "do"),
        ("dont", "may"),
    ]
)

REVERSED = "says the opposite"
DROPPED = "names it and drops it"
ANOTHER_VALUE = "the same with another value"
MOVED_ON = "what it names was replaced"


def replaces(new: Statement, old: Statement) -> str:
    """Why the newer of two puts the older out of force; empty where it does not."""
    if new.adds:
        return ""
    if _drops_altogether(new, old):
        return DROPPED
    if new.conditions != old.conditions:
        return ""
    if _is_reversed(new, old):
        return REVERSED
    if old.stance not in {"do", "may"} or new.stance != "do":
        return ""
    if _is_dropped(new, old) or _takes_back(new, old):
        return DROPPED
    if old.stance == "do" and _has_another_value(new, old):
        return ANOTHER_VALUE
    return MOVED_ON if _moves_on(new, old) else ""


def _is_reversed(new: Statement, old: Statement) -> bool:
    if (new.stance, old.stance) not in _LIFTS or not new.lasts:
        return False
    return new.words == old.words and _markers_agree(new, old)


def _markers_agree(new: Statement, old: Statement) -> bool:
    """`push to main` is not `push from main`; a head may stand anywhere (`mocks are fine`, `use mocks`)."""
    old_marker = {word: slot.marker for slot in old.slots for word in slot.words}
    for slot in new.slots:
        for word in slot.words:
            markers = {slot.marker, old_marker[word]} - {"", "is"}
            if len(markers) > 1:
                return False
    return True


def _drops_altogether(new: Statement, old: Statement) -> bool:
    """`we no longer use jest` also ends `use jest for the unit tests`."""
    says_so = new.stance == "dont" and new.changes and not new.conditions
    if not says_so or old.stance != "do" or new.light != old.light:
        return False
    return bool(new.head) and new.words <= old.words and new.head <= old.head


def _is_dropped(new: Statement, old: Statement) -> bool:
    """`port 8080, not 3000` after `port 3000`."""
    if not new.dropped or not new.dropped <= old.words:
        return False
    novel = new.words - old.words
    if not novel:
        return False
    rest_new = new.words - novel - new.dropped
    rest_old = old.words - new.dropped
    if rest_new == rest_old:
        return len(novel) <= MAX_VALUE_WORDS
    if new.moved and not rest_new:
        return old.light and new.dropped <= old.head and _only_purposes(old)
    return bool(rest_new) and rest_new <= rest_old and _is_long_number(new.dropped)


def _is_long_number(words: frozenset[str]) -> bool:
    return all(is_number(word) and len(word) >= MIN_LONG_NUMBER for word in words)


def _only_purposes(statement: Statement) -> bool:
    return all(slot.marker in _PURPOSES for slot in statement.slots)


def _takes_back(new: Statement, old: Statement) -> bool:
    """`use npm` after `use pnpm, not npm`."""
    if not old.dropped or new.words & old.dropped != old.dropped or not new.changes:
        return False
    rest_new = new.words - old.dropped
    return rest_new < old.words and len(old.words - rest_new) <= MAX_VALUE_WORDS


def _has_another_value(new: Statement, old: Statement) -> bool:
    """All slots agree but one, and that can hold one thing only."""
    mine, theirs = _without_verb(new, old), _without_verb(old, new)
    if mine.keys() != theirs.keys() or new.light != old.light:
        return False
    differing = [marker for marker in mine if mine[marker] != theirs[marker]]
    if len(differing) != 1:
        return False
    marker = differing[0]
    value = mine[marker] - theirs[marker]
    value_before = theirs[marker] - mine[marker]
    sizes = (len(value), len(value_before))
    shares_words = bool(new.words & old.words)
    if min(sizes) == 0 or max(sizes) > MAX_VALUE_WORDS or not shares_words:
        return False
    if marker == "":
        return _head_holds_one(new, old, value, value_before)
    return _slot_holds_one(new, old, marker, value | value_before)


def _without_verb(statement: Statement, rival: Statement) -> dict[str, frozenset[str]]:
    """`write messages in German` beside `messages should be in English`: the second has no word for the act."""
    slots = statement.by_marker
    if rival.says_what_is and statement.verb not in rival.words:
        slots[""] = statement.head - {statement.verb}
    return {marker: words for marker, words in slots.items() if words}


def _slot_holds_one(
    new: Statement, old: Statement, marker: str, values: frozenset[str]
) -> bool:
    """Whether this slot of these sentences has one value at a time."""
    are_numbers = all(map(is_number, values))
    if marker == "is" and are_numbers:
        return True
    if marker in _SCOPES or (new.light and not are_numbers):
        return False  # `use X in A`, `use X in B`: the place is where it holds
    if marker in _SOURCES:
        return True
    if not new.changes:
        return False
    if _only_say_where(new) and _only_say_where(old):
        return True
    return marker in _DIRECTIONS or _are_of_a_kind(new, old, values)


def _only_say_where(statement: Statement) -> bool:
    """`timestamps are in UTC`: a thing is in one place."""
    return statement.says_what_is and "is" not in statement.by_marker


def _are_of_a_kind(new: Statement, old: Statement, values: frozenset[str]) -> bool:
    """`in English`, `in German`; not `in parallel`, `in docker`, of which both may be. Flags add up."""
    if any(value.startswith("-") for value in values):
        return False
    literals, names = new.literals | old.literals, new.proper | old.proper
    return values <= literals or values <= names


def _head_holds_one(
    new: Statement,
    old: Statement,
    value: frozenset[str],
    value_before: frozenset[str],
) -> bool:
    """What is used for something is one thing, where it is said to change; what is due at a moment may be many."""
    if all(map(is_number, value | value_before)):
        return new.changes or new.light
    if not (new.changes and new.light) or new.conditions:
        return False
    has_purpose = not _USES.isdisjoint(new.by_marker)
    return (
        has_purpose or bool(new.head & old.head) or _are_all_alike(new.head, old.head)
    )


def _are_all_alike(head: frozenset[str], head_before: frozenset[str]) -> bool:
    return all(
        are_alike(name, name_before) for name in head for name_before in head_before
    )


def _moves_on(new: Statement, old: Statement) -> bool:
    """`we moved to pnpm`, where the older says to use a program like it, or one like it that just ran."""
    if not (new.changes and new.light and old.light):
        return False
    if set(new.by_marker) - {""} or not _only_purposes(old):
        return False
    if len(new.head) != 1 or len(old.head) != 1 or new.head == old.head:
        return False
    (name,), (name_before,) = new.head, old.head
    ran_before = new.moved and name_before in new.before
    return are_alike(name, name_before) or (
        ran_before and _same_kind(name, name_before)
    )


def _same_kind(name: str, name_before: str) -> bool:
    """Runners are for running, test programs for tests: as far as the table of programs tells."""
    first, second = program(name), program(name_before)
    return first.family == second.family and first.kind == second.kind


@lru_cache(maxsize=4096)
def are_alike(name: str, second: str) -> bool:
    """Whether two programs take the same sub-commands, so that one stands in for the other."""
    subcommands, second_subcommands = set(program(name).sub), set(program(second).sub)
    shared = len(subcommands & second_subcommands)
    share = shared / max(len(subcommands | second_subcommands), 1)
    return shared >= MIN_SHARED_SUBCOMMANDS and share >= MIN_SHARED_SUBCOMMAND_SHARE
