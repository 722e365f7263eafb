"""How the person works: how they ask and answer, in which language, and what they laid down or put right."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from afterglow.harvest import user_speech
from afterglow.harvest.miners import corrections, rules
from afterglow.harvest.screen import danger, screen_all, vague
from afterglow.harvest.trail import Trail
from afterglow.profile.tally import tally
from afterglow.records.knowledge import Finding, KnowledgeItem, may_be_told
from afterglow.records.template import UserPatterns
from afterglow.warm.extract.risky import is_risky

MAX_SENTENCES = 5  # conventions, and corrections
MAX_SENTENCE_CHARACTERS = 200  # longer is an explanation, not a rule
MAX_SPOKEN_CHARACTERS = 20_000  # they tell the language well enough
MIN_SCRIPT_SHARE = 0.2  # of the letters: the rest are names and code
MIN_SMALL_WORDS = 2  # one may be a name
STATING_MINER = "rules"  # of what people lay down

_SCRIPTS = {
    "ja": r"[\u3040-\u30ff]",
    "zh": r"[\u4e00-\u9fff]",
    "ko": r"[\uac00-\ud7af]",
    "ru": r"[\u0400-\u04ff]",
    "ar": r"[\u0600-\u06ff]",
    "he": r"[\u0590-\u05ff]",
    "el": r"[\u0370-\u03ff]",
    "hi": r"[\u0900-\u097f]",
    "th": r"[\u0e00-\u0e7f]",
}
_SMALL_WORDS = {
    "en": "the and is to of it that this for with you please can not we what are",
    "de": "der die das und ist nicht ich ein eine mit bitte wir auf für den dass auch",
    "fr": "le la les et est pas je une des pour dans que sur vous avec ce nous",
    "es": "el la los y es no que en una por para con las del como esto está",
    "pt": "o os e não que em uma por para com do da como isso está você um",
    "it": "il lo la e non che una per con di sono del questo come gli nel puoi",
    "nl": "de het een en is niet dat van ik je met voor we op ook maar dit",
    "pl": "i w nie na to jest się że z do jak ale po tak czy dla przez",
    "tr": "ve bir bu için ile de da ne var mı değil olarak çok daha gibi ama",
}
_WORDS = {name: frozenset(words.split()) for name, words in _SMALL_WORDS.items()}
_SCRIPT = {name: re.compile(pattern) for name, pattern in _SCRIPTS.items()}
_WORD = re.compile(r"[^\W\d_]+")


def patterns(trail: Trail, items: Sequence[KnowledgeItem] = ()) -> UserPatterns:
    """As the session shows them, in the person's words, not yet redacted."""
    manner = tally(trail.session).manner
    return UserPatterns(
        request_style=manner.request_style if manner.requests else "",
        feedback_style=manner.feedback_style if manner.requests else "",
        language=language(_spoken(trail)[:MAX_SPOKEN_CHARACTERS]),
        conventions=with_stated(items, list(_words(trail, rules.mine(trail)))),
        corrections=_distinct(_words(trail, corrections.mine(trail))),
    )


def with_stated(
    items: Sequence[KnowledgeItem], conventions: Iterable[str]
) -> tuple[str, ...]:
    """Conventions of a session, behind what harvested items say the person laid down."""
    return _distinct([*_stated(items), *conventions])


def _stated(items: Sequence[KnowledgeItem]) -> Iterator[str]:
    """What the person laid down, as harvested items have it."""
    for item in items:
        if item.miner != STATING_MINER:
            continue
        if item.trust == "user" and may_be_told(item):
            yield item.remedy or item.fact


def _spoken(trail: Trail) -> str:
    texts: list[str] = []
    for turn in trail.turns:
        if turn.role == "user" and turn.kind in {"said", "steer"}:
            texts.append(turn.text)
    return " ".join(texts)


def language(text: str) -> str:
    """The language a text is written in, as a code of two letters; empty where its words do not tell."""
    letters = sum(map(str.isalpha, text))
    for name, script in _SCRIPT.items():
        if letters and len(script.findall(text)) > MIN_SCRIPT_SHARE * letters:
            return name
    counts = Counter(_WORD.findall(text.lower()))
    scores: Counter[str] = Counter()
    for name, words in _WORDS.items():
        scores[name] = sum(counts[word] for word in words)
    (first, score), (_, next_score) = scores.most_common(2)
    if score < MIN_SMALL_WORDS or score == next_score:
        return ""
    return first


def _words(trail: Trail, findings: Iterable[Finding]) -> Iterator[str]:
    """What was said, where it can stand alone and gives no orders somebody else wrote."""
    for finding in screen_all(list(findings), trail):
        words = finding.slots.get("words", "")
        if not 0 < len(words) <= MAX_SENTENCE_CHARACTERS or vague(words):
            continue
        if finding.trust != "user" or is_risky(words):
            continue
        if not finding.danger and not danger(words, "user"):
            yield words


def _distinct(words: Iterable[str]) -> tuple[str, ...]:
    """Of those about the same the first, in the place of the last."""
    by_topic: dict[str, str] = {}
    for sentence in reversed(list(words)):
        by_topic[user_speech.about(sentence)] = sentence
    return tuple(reversed(by_topic.values()))[:MAX_SENTENCES]
