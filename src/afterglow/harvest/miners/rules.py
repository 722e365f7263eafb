"""Rules people state in so many words: "from now on ...", "remember: ...", "always ...", "we changed it: ... now".

A rule that sets something ("numbered from 0", "off by default") has a key and a value, so that the newer one replaces
the older. Labels people keep giving ("Project: Harbor") are rules too, once several sessions name them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from afterglow.harvest import user_speech
from afterglow.harvest.trail import Trail
from afterglow.records.knowledge import Category, Finding, Telling
from afterglow.records.session import Turn

NAME = "rules"
VERSION = 1

_LABEL = re.compile(r"\b([A-Za-z]{4,12}): ?([A-Z][A-Za-z0-9_-]{1,20})\b")
_LABELS = frozenset(
    "project team milestone label labels component epic board sprint area assignee priority queue workspace".split()
)
_LEAD = re.compile(
    r"^(?:(?:from now on|going forward|remember(?: that| to| also)?|please|we changed (?:it|that|this)|note(?: that)?"
    r"|(?:can|could) you (?:please )?(?:update|add|note|put)\b.{0,60}? that)[\s,:]+)+",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"\b(?:is|are|be|now|to|from|at|with|stays?|defaults? to) (?:now |set to |always )?"
    r"(on|off|true|false|enabled|disabled|yes|no|required|optional|allowed|forbidden|mandatory|\d+)\b"
)
_TOKEN = re.compile(r"[\w.-]+")
_ASIDE = re.compile(r"(?:\s*[,;(]|\s+-\s).*$", re.DOTALL)
_SMALL = frozenset(
    "is are be was were now default from to at in the a an by of and for please we keep".split()
)


def mine(trail: Trail) -> Iterator[Finding]:
    texts: set[str] = set()
    for turn in trail.turns:
        if turn.text not in texts and user_speech.is_speech(turn):
            texts.add(turn.text)
            yield from _rules(trail, turn)
            for topic, slots, start, end in _labels(turn.text):
                yield Finding(NAME, topic, slots, (trail.said(turn, start, end),))
    for step in trail.steps:
        words = user_speech.reason_in(step.call) if step.blocked else ""
        if words and not user_speech.is_pasted(words):
            for topic, slots, start, end in _labels(words):
                evidence = trail.got_words(step, words[start:end])
                yield Finding(NAME, topic, slots, (evidence,))


def _rules(trail: Trail, turn: Turn) -> Iterator[Finding]:
    for remark in user_speech.remarks(turn.text):
        if remark.manner != "rule":
            continue
        key, value = setting(remark.words)
        slots = {"words": remark.words, "key": key, "value": value}
        topic = f"{key}|{value}" if key else user_speech.about(remark.words)
        evidence = trail.said(turn, remark.start, remark.end)
        yield Finding(NAME, f"rule|{topic}", slots, (evidence,))


def _labels(text: str) -> Iterator[tuple[str, dict[str, str], int, int]]:
    """Topic, slots and place of each label in a message."""
    for start, end in user_speech.sentences(text) if ":" in text else ():
        for name, label in _LABEL.findall(text[start:end]):
            if name.lower() in _LABELS:
                slots = {
                    "words": user_speech.tidy(text[start:end]),
                    "name": name.capitalize(),
                    "label": label,
                }
                yield f"label|{name.lower()}|{label.lower()}", slots, start, end


def tell(findings: Sequence[Finding]) -> Telling | str:
    if findings[0].topic.startswith("label|"):
        return _tell_label(findings)
    slots = max(findings, key=lambda finding: finding.first.time or 0.0).slots
    rule = _LEAD.sub("", slots["words"])
    category: Category = "fact" if slots["key"] else "pattern"
    return Telling(
        f'The user\'s rule: "{rule}".',
        category,
        "",
        rule,
        0.9,
        tags=("preference", "rule"),
        key=slots["key"],
        value=slots["value"],
    )


def _tell_label(findings: Sequence[Finding]) -> Telling | str:
    if len({finding.first.session for finding in findings}) < 2:
        return "a label given once"
    # Who names several labels at once says most; among those, the shortest.
    slots = max(
        findings,
        key=lambda finding: (
            len(_LABEL.findall(finding.slots["words"])),
            -len(finding.slots["words"]),
        ),
    ).slots
    name, label = slots["name"], slots["label"]
    fact = f'Issues from here go to {name} "{label}", as in "{slots["words"]}".'
    return Telling(
        fact,
        "fact",
        "filing an issue",
        f"{name}: {label}",
        0.7,
        tags=("preference",),
        times=len(findings),
    )


def setting(words: str) -> tuple[str, str]:
    """What a rule sets and to what: "berth folders are numbered from 0 now" -> ("berth folders numbered", "0").

    Only where exactly one word of the clause is a value: a number, or one of two opposites. Asides do not count.
    """
    clause = _ASIDE.sub("", _LEAD.sub("", words)).lower()
    values = _VALUE.findall(clause)
    rest = [
        word
        for word in map(_bare, _TOKEN.findall(clause))
        if word not in _SMALL and word not in values
    ]
    return (" ".join(rest[:8]), values[0]) if len(values) == 1 and rest else ("", "")


def _bare(word: str) -> str:
    return word.strip(".-")
