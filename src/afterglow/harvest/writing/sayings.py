"""Where a person said what a lesson says: who said it twice, on two days, means it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from afterglow.harvest.writing.episode_words import calls_of, words_about
from afterglow.harvest.writing.lesson_names import LessonNames, lesson_names
from afterglow.harvest.writing.lesson_words import ASKING, MAX_LESSON_WORDS
from afterglow.harvest.writing.names import names_of_call
from afterglow.records.problems import Event
from afterglow.records.writing import WrittenAnswer

# As where sentences of a person are grouped: two words, and a third of all, make them about the same.
MIN_SHARED_WORDS = 2
SHARED_WORDS = 0.34
OFTEN = 0.25  # of the sentences of a problem
MAX_COMPARED_WORDS = 20  # of a sentence
# Who cites so many sessions, of which one plainly says it, has found what people say in other words each time.
MIN_CITED_SESSIONS = 3


def spoken_in(
    answer: WrittenAnswer, events: Sequence[Event], cited: frozenset[int]
) -> list[Event]:
    """Events in which a person said it: a cited sentence with a word of it, one that is about the same, or a refusal of
    the same call. Of several sessions that are cited one has to say it in words of the lesson: "let's discuss" and "wait,
    can we talk about this" share none."""
    sentences = _cited_sentences(events, cited)
    names = lesson_names(answer.situation, answer.remedy, calls_of(events))
    lesson_words = words_about(answer.remedy, MAX_LESSON_WORDS)
    telling_words = lesson_words - _often_said(events)
    heard = [
        event
        for event in events
        if _is_said(event, cited, sentences) or _is_refused(event, names)
    ]
    plain = _plainly_said(heard, cited, answer.remedy, telling_words)
    if not any(event.call in cited for event in plain):
        return plain
    cited_sessions = {event.session for event in heard if event.call in cited}
    is_read_together = len(cited_sessions) >= MIN_CITED_SESSIONS
    return [
        event
        for event in heard
        if event in plain
        or _shares_word(event, lesson_words)
        or (is_read_together and event.call in cited)
    ]


def _plainly_said(
    heard: Iterable[Event],
    cited: frozenset[int],
    remedy: str,
    telling_words: frozenset[str],
) -> list[Event]:
    """Those in which it was said in words of the lesson; of what is cited one word is enough that tells sentences apart."""
    lesson_words = words_about(remedy, MAX_LESSON_WORDS)
    is_asking = ASKING.search(remedy) is not None
    return [
        event
        for event in heard
        if _says_it(event, lesson_words, is_asking)
        or (event.call in cited and _shares_word(event, telling_words))
    ]


def _cited_sentences(
    events: Iterable[Event], cited: frozenset[int]
) -> list[frozenset[str]]:
    sentences = (
        words_about(event.person, MAX_COMPARED_WORDS)
        for event in events
        if event.call in cited
    )
    return [words for words in sentences if words]


def _often_said(events: Sequence[Event]) -> frozenset[str]:
    """Words that tell one sentence of a problem from another hardly better than chance."""
    occurrences = Counter(
        word
        for event in events
        for word in words_about(event.person, MAX_COMPARED_WORDS)
    )
    most = OFTEN * len(events)
    return frozenset(word for word, count in occurrences.items() if count > most)


def _is_said(
    event: Event, cited: frozenset[int], sentences: Sequence[frozenset[str]]
) -> bool:
    """A sentence that is cited, or one that is about the same."""
    words = words_about(event.person, MAX_COMPARED_WORDS)
    return event.call in cited or any(
        _is_alike(words, sentence) for sentence in sentences
    )


def _says_it(event: Event, lesson_words: frozenset[str], is_asking: bool) -> bool:
    """What the lesson says to do is what was said there, or about the call that was refused: one word that both have
    (`commit`) may be chance, unless little else was said."""
    if event.kind == "refused" and is_asking:
        return True
    sentence = words_about(event.person or event.command, MAX_COMPARED_WORDS)
    shared = len(sentence & lesson_words)
    return shared >= MIN_SHARED_WORDS or 0 < len(sentence) <= 2 * shared


def _shares_word(event: Event, lesson_words: frozenset[str]) -> bool:
    """Enough beside a cited sentence that plainly says it: its writer has read rightly."""
    return not lesson_words.isdisjoint(
        words_about(event.person or event.command, MAX_COMPARED_WORDS)
    )


def _is_alike(words: frozenset[str], cited: frozenset[str]) -> bool:
    shared = len(words & cited)
    return shared >= MIN_SHARED_WORDS and shared >= SHARED_WORDS * len(words | cited)


def _is_refused(event: Event, names: LessonNames) -> bool:
    """A person said no to a call that the situation names."""
    if event.kind != "refused":
        return False
    refused = names_of_call(event.tool, event.command)
    return any(command <= refused for command in names.situation_commands)
