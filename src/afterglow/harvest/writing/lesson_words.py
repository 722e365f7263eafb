"""A lesson by its words: whether what was done and said in an episode that its writer read is what it says.

Calls are compared by what they name. Where a lesson says in prose what an edit does in code, or what an assistant found
out, only its words are there to be compared; so they count for episodes that the writer cites, and for no others.
"""

from __future__ import annotations

import re

from msgspec import Struct

from afterglow.harvest.lint_lines import SUPPRESSING
from afterglow.harvest.writing.episode_words import (
    deeds_of,
    helping_calls,
    words_about,
)
from afterglow.harvest.writing.names import (
    is_file,
    is_same_again,
    names_of_call,
    spans,
    words_in,
)
from afterglow.records.problems import Event, FollowingCall

MAX_LESSON_WORDS = 60  # of a lesson: all of them
MAX_EPISODE_WORDS = 400  # of an episode: all of them, but no file's body
# Words that an episode and a lesson share which names nothing: one may be chance.
MIN_SHARED_WORDS = 2
SHARED_WORDS = 0.34  # of the words of its remedy: a third is more than two texts of one project have by chance
MIN_EXPLAINING_WORDS = 3  # of one sentence and a lesson: both say the same
MIN_CODE_LETTERS = 5  # of a word of code by which an edit is known

# What a lesson says that leaves it to a person: to say yes, or to do what no agent can.
ASKING = re.compile(
    r"\b(?:ask|asks|asking|confirm|permission|approval|tell the (?:person|user)"
    r"|the (?:person|user) (?:to|must|has to|unlocks?|sets?))\b",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[A-Za-z]+")
_RULE = re.compile(r"[A-Za-z][\w/-]{2,}")
_OF_COMMENTS = frozenset(
    "nolint noqa nosec type pyright pylint rubocop ignore disable allow expect reason why the for and not".split()
)


class LessonWords(Struct, frozen=True):
    """What a remedy is about, the words of its code that hardly stand in other code by chance, whether it leaves
    something to a person, and the words of comments in it that tell a linter to be quiet."""

    about: frozenset[str] = frozenset()
    of_code: frozenset[str] = frozenset()
    asks_person: bool = False
    silenced: frozenset[str] = frozenset()

    def are_done(self, event: Event, gained: frozenset[str]) -> bool:
        """What was done in the episode speaks of what the lesson says beyond the failing call: a message can say anything.
        `gained` is what the lesson's remedy brings."""
        if has_hidden_end(event):
            return False
        deeds = deeds_of(event)
        if any(is_file(name) for name in gained & words_in(deeds)):
            return True
        if self._are_in_the_edit(event):
            return True
        new_words = self.about - words_about(event.command, MAX_EPISODE_WORDS)
        shared = len(new_words & words_about(deeds, MAX_EPISODE_WORDS))
        return shared >= max(MIN_SHARED_WORDS, SHARED_WORDS * len(new_words))

    def _are_in_the_edit(self, event: Event) -> bool:
        """An edit surely answered the rule that was broken, and the lesson has a word of the report, or of code in it."""
        edits = [call.command.lower() for call in helping_calls(event) if call.mends]
        if any(word in edit for edit in edits for word in self.of_code):
            return True
        report = " ".join(line.text for line in event.lines)
        about_report = words_about(report, MAX_EPISODE_WORDS)
        return bool(edits) and not self.about.isdisjoint(about_report)

    def is_silenced_otherwise(self, event: Event, rule: str) -> bool:
        """What answered the rule was a comment that tells a linter to be quiet, of which the lesson says nothing; or that
        names another rule than the lesson's."""
        edits = (call.command for call in helping_calls(event) if _mends(call, rule))
        silenced = _silenced_in(" ".join(edits))
        return bool(silenced) and self.silenced.isdisjoint(silenced)

    def are_found_out(self, event: Event) -> bool:
        """The assistant said about this failure what the lesson says."""
        shared = self.about & words_about(event.because, MAX_LESSON_WORDS)
        return len(shared) >= MIN_EXPLAINING_WORDS


def lesson_words(remedy: str) -> LessonWords:
    code = _LETTERS.findall(" ".join(spans(remedy)))
    return LessonWords(
        words_about(remedy, MAX_LESSON_WORDS),
        frozenset(word.lower() for word in code if len(word) >= MIN_CODE_LETTERS),
        ASKING.search(remedy) is not None,
        _silenced_in(remedy),
    )


def _mends(call: FollowingCall, rule: str) -> bool:
    return any(f"{mended} ".startswith(f"{rule} ") for mended in call.mends)


def _silenced_in(text: str) -> frozenset[str]:
    """Words of comments that tell a linter to be quiet, but for those that each of them has: its rules. Where a lesson
    leaves open which, there are none but the comment's own."""
    comments = SUPPRESSING.findall(text)
    words = frozenset(word for comment in comments for word in _RULE.findall(comment))
    return (words - _OF_COMMENTS) or words


def has_hidden_end(event: Event) -> bool:
    """The same call again after it had failed again or a person had a turn, and nothing else changed: what helped is
    not to be seen."""
    if event.remedy is None or helping_calls(event):
        return False
    failing = names_of_call(event.tool, event.command)
    ending = names_of_call(event.remedy.tool, event.remedy.command)
    is_tried = bool(event.turns or event.tried)
    return is_tried and is_same_again(ending, failing)
