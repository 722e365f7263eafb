"""What a person said in nearly the same words in two sessions, and meant to last.

Whose wish it is, and that it holds beyond the work at hand, `user_speech` tells by how it is put. Said again in the same
words, it needs nobody to understand it.
"""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.harvest.user_speech import content, remarks
from afterglow.harvest.writing.rules.lesson import RuleLesson
from afterglow.records.problems import Event, Problem

MIN_CONTENT_WORDS = 2  # with fewer, two sentences are alike by chance
# Of the words of two sentences: with more than half of them in common they say the same of the same.
SAME_WORDS = 0.6


def lessons(problem: Problem) -> Iterator[RuleLesson]:
    if problem.kind != "person":
        return
    lasting = [event for event in problem.events if remarks(event.person)]
    taught: set[int] = set()
    for newest in reversed(lasting):
        alike = tuple(event for event in lasting if _is_alike(event, newest))
        sessions = {event.session for event in alike}
        if len(sessions) > 1 and newest.call not in taught:
            taught |= {event.call for event in alike}
            yield RuleLesson(
                situation="said by the user in several sessions",
                remedy=f'"{remarks(newest.person)[0].words}"',
                events=alike,
                scope="user",
            )


def _is_alike(event: Event, newest: Event) -> bool:
    words, newest_words = set(content(event.person)), set(content(newest.person))
    shared = len(words & newest_words)
    return shared >= MIN_CONTENT_WORDS and shared >= SAME_WORDS * len(
        words | newest_words
    )
