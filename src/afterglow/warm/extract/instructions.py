"""The instructions that mattered in a session: rules the person gave, and those of a system prompt that were about what
was then done. The agent's whole prompt is not kept: a new session has its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from afterglow.harvest import user_speech
from afterglow.harvest.quoted_stretches import own_words
from afterglow.harvest.screen import danger, vague
from afterglow.harvest.trail import Trail
from afterglow.records.knowledge import Trust
from afterglow.records.session import Turn
from afterglow.warm.extract.risky import is_risky

MAX_TURNS = 10  # of the person: what holds for the whole session is said early
# Characters.
MAX_PROMPT = 30_000  # that are looked at
MAX_INSTRUCTIONS = 600  # of all of them together
MIN_SENTENCE, MAX_SENTENCE = 20, 200  # shorter is a heading, longer an explanation
MAX_DONE = 20_000  # of what was done that instructions are held against
MAX_CALL = 400  # of the arguments of one call
PROMPT_TRUST: Trust = (
    "assistant"  # of a system prompt: whoever set the agent up wrote it
)
PERSON_FIT = 2.0  # above any share of words: a person's rules come first

_ORDER = re.compile(
    r"^(?:\W*)(?:always|never|must|do not|don't|use|prefer|avoid|ensure|make sure|only|keep|before|after|run|write|ask"
    r"|follow|verify|confirm|check|if|when|you (?:must|should|can(?:not|'t)?|may(?: not)?))\b"
    r"|\b(?:must|should)(?: not)?\b",
    re.IGNORECASE,
)


class Instruction(Struct, frozen=True):
    """One sentence, where it stood, and how much of it is about what was done."""

    words: str
    place: int
    fits: float


def sources(trail: Trail) -> list[Turn]:
    """The turns instructions are read from: system prompts, and what the person said first."""
    system: list[Turn] = []
    person: list[Turn] = []
    for turn in trail.turns:
        if turn.role == "system" and turn.kind == "said":
            system.append(turn)
        if turn.role == "user" and turn.kind in {"said", "steer"}:
            person.append(turn)
    return system + person[:MAX_TURNS]


def instructions(trail: Trail, already: Sequence[str] = ()) -> list[str]:
    """At most `MAX_INSTRUCTIONS` characters of them, in the order they were given. What stands `already` among the
    person's conventions and corrections is not said again."""
    words_of_calls = _words_of_calls(trail)
    rules: dict[str, Instruction] = {}
    for turn in sources(trail):
        for words, fits in _rules(turn, words_of_calls):
            if not any(words in sentence for sentence in already):
                rule = Instruction(words, len(rules), fits)
                rules.setdefault(user_speech.about(words), rule)
    return [rule.words for rule in _fitting(rules.values(), MAX_INSTRUCTIONS)]


def _fitting(rules: Iterable[Instruction], room: int) -> list[Instruction]:
    """Those that fit best and have room, in the order they were given."""
    chosen: list[Instruction] = []
    for rule in sorted(rules, key=lambda rule: (-rule.fits, rule.place)):
        length = len(rule.words) + 1
        if length <= room:
            room -= length
            chosen.append(rule)
    return sorted(chosen, key=lambda rule: rule.place)


def _rules(turn: Turn, words_of_calls: set[str]) -> Iterator[tuple[str, float]]:
    """A person's rules fit whatever was done. Those of a prompt fit by the words they share. What was pasted, mentioned
    or piped in is somebody else's and lays nothing down; what is risky nobody is told."""
    text = turn.text[:MAX_PROMPT]
    if user_speech.is_speech(turn):
        text = own_words(text)
        if danger(text, "user"):
            return
        for remark in user_speech.remarks(text):
            if not vague(remark.words) and not is_risky(remark.words):
                yield remark.words, PERSON_FIT
        return
    if turn.role != "system" or danger(text, PROMPT_TRUST):
        return
    for start, end in user_speech.sentences(text):
        sentence = text[start:end]
        if not _is_rule(sentence):
            continue
        content = set(user_speech.content(sentence))
        fits = len(content & words_of_calls) / (len(content) + 2)
        if fits > 0 and not danger(sentence, PROMPT_TRUST) and not is_risky(sentence):
            yield user_speech.tidy(sentence), fits


def _is_rule(sentence: str) -> bool:
    if not MIN_SENTENCE <= len(sentence) <= MAX_SENTENCE:
        return False
    return _ORDER.search(sentence) is not None and not vague(sentence)


def _words_of_calls(trail: Trail) -> set[str]:
    """The words of the calls that worked."""
    texts = (
        f"{step.tool} {step.call.arguments[:MAX_CALL]}"
        for step in trail.steps
        if step.ok
    )
    joined = " ".join(texts)[:MAX_DONE].replace("_", " ").replace("\\n", " ")
    return set(user_speech.content(joined))
