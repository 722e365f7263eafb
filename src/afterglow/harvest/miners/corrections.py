"""What people refused or put right: calls they said no to, and "no, use ...", "don't ...", "that is not correct".

A refusal of a command counts even without a reason: the same command refused in several sessions is a preference. Who
runs it and is not stopped speaks against that.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import takewhile

from msgspec import Struct

from afterglow.calls import Command, goal_of_command, only_shows
from afterglow.harvest import user_speech
from afterglow.harvest.miners.correction_sentences import tell
from afterglow.harvest.trail import Step, Trail
from afterglow.records.knowledge import Evidence, Finding

__all__ = ["NAME", "VERSION", "mine", "tell"]

NAME = "corrections"
VERSION = 2

MAX_REASON = 160  # characters: a longer message is no mere reason for a refusal
MAX_TURNS_TO_REASON = 7  # behind a refusal
MAX_COMMANDS_REFUSED_FOR_ONE = (
    3  # of a longer line a refusal is not about any one command
)
MAX_CALLS_BEFORE = 6  # that a person may complain of
MAX_QUOTED_REMARKS = 2  # of one message
MAX_QUOTED_CALL, MAX_QUOTED_RESULT = 300, 200  # characters that are pointed at
MAX_WORDS_READ = 12  # of a command, in which its flags stand
MAX_LABEL, MAX_LABEL_WORDS, MAX_LABEL_WORD = 60, 8, 40  # of a command as it is shown
MIN_NAMING_WORD = 4  # characters: shorter words stand in any sentence

_WAIT = re.compile(
    r"^(?:wait|pause|hold on|hang on|stop)\b|\b(?:let's|can we) (?:talk|discuss)\b|\bi'll let you know\b"
)
_TOO_SLOW = re.compile(
    r"\btoo (?:slow|long|expensive)\b|\btakes (?:too long|ages|forever)\b"
)
# Said to a refused call, these are orders: what to do instead, or before.
_ORDER = re.compile(
    r"^(?:let's |please )?(?:use|reply|prefer|keep|cut|break|ask|split|rebase)\b|^let's .*\bfirst\b"
)
_FIRST = re.compile(
    r"\b(?:can|could|should|shouldn't) (?:we|you) .*\bfirst\b|^\w+ first\b"
)
_REFUSING = re.compile(r"\b(?:don't|do not|never|did not|didn't|stop)\b")
# Commands that change what others see, or throw work away: refused twice, they are to be asked for.
_WEIGHTY = frozenset(
    "commit push reset rebase merge stash checkout restore clean cherry-pick revert tag publish deploy apply destroy "
    "release delete rm drop create comment close ready migrate install".split()
)
_RISKY = re.compile(
    r"--(?:force(?:-with-lease)?|hard|no-verify|dangerously[\w-]*|auto-approve|theirs|ours|amend|delete|prune)|-f|-rf|-fr"
)


class _Deed(Struct, frozen=True):
    """What a command was about to do: a name that is the same in other sessions, and how to show it."""

    name: str
    label: str
    weighty: bool = False
    risky: bool = False
    alone: bool = True


class _Refusal(Struct, frozen=True):
    """How a person said no, what about, and the words that count."""

    manner: str
    topic: str
    saying: str


def mine(trail: Trail) -> Iterator[Finding]:
    answered: set[int] = set()  # turns that gave the reason of a refusal
    findings = [*_refusals(trail, answered), *_objections(trail, answered)]
    yield from findings
    yield from _undisputed(trail, {finding.topic for finding in findings})


def _refusals(trail: Trail, answered: set[int]) -> Iterator[Finding]:
    events: set[str] = set()
    for step in trail.steps:
        finding = _refusal(trail, step, answered) if step.refused else None
        if finding is None:
            continue
        event = f"{finding.first.hash} {finding.topic}"
        if event not in events:  # calls made at once are refused at once
            events.add(event)
            yield finding


def _objections(trail: Trail, answered: set[int]) -> Iterator[Finding]:
    texts: set[str] = set()
    for at in _spoken_later(trail):
        text = trail.turns[at].text
        if at not in answered and text not in texts:
            texts.add(text)
            yield from _corrections(trail, at)


def _undisputed(trail: Trail, disputed: set[str]) -> Iterator[Finding]:
    """Weighty commands that this session ran, and nobody minded: what one person refuses, another may want."""
    ran: set[str] = set()
    for step in trail.steps:
        deed = _deed(step) if step.ok else None
        if deed is None or not deed.weighty:
            continue
        topic = f"refused|{deed.name}"
        if topic not in disputed and topic not in ran:
            ran.add(topic)
            yield Finding(NAME, topic, {}, (trail.asked(step),), against=True)


def _spoken_later(trail: Trail) -> list[int]:
    """The turns a person typed; what a session starts with is a request."""
    spoken = [at for at, turn in enumerate(trail.turns) if user_speech.is_speech(turn)]
    opens = bool(spoken) and trail.turns[spoken[0]].kind == "said"
    return spoken[1:] if opens else spoken


def _refusal(trail: Trail, step: Step, answered: set[int]) -> Finding | None:
    words, evidence = _reason(trail, step, answered)
    deed = _deed(step)
    if _WAIT.search(words.lower().strip()):
        deed, refusal = None, _Refusal("order", "wait", words)
    elif deed is None:
        manner, saying = _manner(words)
        refusal = _Refusal(manner, user_speech.about(saying), saying)
    else:
        refusal = _refusal_of(deed, words, is_in_result=evidence.part == "result")
    if not _lasts(refusal, deed):
        return None
    slots = {
        "manner": refusal.manner,
        "words": user_speech.tidy(refusal.saying),
        "on": deed.label if deed else _place(step),
        "how": _weight(deed) if deed else "said",
    }
    call = trail.asked(step, 0, MAX_QUOTED_CALL)
    return Finding(NAME, f"refused|{refusal.topic}", slots, (evidence, call))


def _refusal_of(deed: _Deed, words: str, *, is_in_result: bool) -> _Refusal:
    if _TOO_SLOW.search(user_speech.plain(words)):
        return _Refusal("ban", f"{deed.name}|slow", words)
    manner, saying = _manner(words)
    is_plain_no = manner == "none" and len(words) <= MAX_REASON and is_in_result
    if deed.risky and deed.alone and is_plain_no:
        saying = words
    return _Refusal(manner, deed.name, saying)


def _lasts(refusal: _Refusal, deed: _Deed | None) -> bool:
    """Whether a refusal may say something beyond the work at hand."""
    if refusal.topic == "wait":
        return True
    if deed is None:
        return refusal.manner != "none" and bool(refusal.topic)
    return deed.alone or refusal.manner == "ban"


def _weight(deed: _Deed) -> str:
    if deed.risky:
        return "risky"
    return "weighty" if deed.weighty else "command"


def _reason(trail: Trail, step: Step, answered: set[int]) -> tuple[str, Evidence]:
    """A person's words to a refused call: in its result, or in what they said next."""
    if words := user_speech.reason_in(step.call):
        return words, trail.got_words(step, words)
    at = _next_short_message(trail, step)
    if at is not None and _manner(trail.turns[at].text)[0] != "none":
        answered.add(at)
        return trail.turns[at].text, trail.said(trail.turns[at])
    return "", trail.got(step, 0, MAX_QUOTED_RESULT)


def _next_short_message(trail: Trail, step: Step) -> int | None:
    """The turn in which a person said something short before the agent went on."""
    start = step.turn + 1
    for at, turn in enumerate(trail.turns[start : start + MAX_TURNS_TO_REASON], start):
        if turn.role == "assistant" and turn.calls:
            return None
        if user_speech.is_speech(turn) and len(turn.text) <= MAX_REASON:
            return at
    return None


def _manner(words: str) -> tuple[str, str]:
    """How a reason is put, and the part of it that counts."""
    if not words or user_speech.is_pasted(words):
        return "none", ""
    if remarks := user_speech.remarks(words):
        strongest = remarks[0]
        is_short = len(words) <= user_speech.QUOTED
        manner: str = "ban" if strongest.manner == "rule" else strongest.manner
        return manner, words if is_short else strongest.words
    manner = _manner_of_short(words)
    return manner, "" if manner == "none" else words


def _manner_of_short(words: str) -> str:
    """Said to a refused call, less will do than in a message of its own."""
    small = user_speech.plain(words)
    if len(words) > MAX_REASON or user_speech.is_local(small):
        return "none"
    content = [] if "?" in small else user_speech.content(small)
    if content and _REFUSING.search(small):
        return "ban"
    if len(content) > 1 and _ORDER.search(small):
        return "order"
    return "wish" if _FIRST.search(small) else "none"


def _corrections(trail: Trail, at: int) -> Iterator[Finding]:
    turn, before = trail.turns[at], _before(trail, at)
    remarks = [item for item in user_speech.remarks(turn.text) if item.manner != "rule"]
    if user_speech.is_short(turn.text):
        words, start, end = user_speech.tidy(turn.text), 0, len(turn.text)
    elif remarks:
        quoted = remarks[:MAX_QUOTED_REMARKS]
        words = " ".join(remark.words for remark in quoted)
        start, end = quoted[0].start, quoted[-1].end
    else:
        return
    evidence = trail.said(turn, start, end)
    deed = _complained_of(words, before)
    if deed is not None:
        manner = remarks[0].manner if remarks else "ban"
        slots = {"manner": manner, "words": words, "on": deed.label}
        slots |= {"how": "weighty", "ran": "yes"}
        yield Finding(NAME, f"refused|{deed.name}", slots, (evidence,))
    elif remarks:
        place = next(filter(None, map(_place, before)), "")
        slots = {"manner": remarks[0].manner, "words": words, "on": place}
        slots |= {"how": "said", "ran": ""}
        yield Finding(NAME, f"said|{user_speech.about(words)}", slots, (evidence,))


def _complained_of(words: str, before: Sequence[Step]) -> _Deed | None:
    """The weighty command that ran and that a person says should not have."""
    small = user_speech.plain(words)
    if "?" in small or user_speech.is_local(small) or not _REFUSING.search(small):
        return None
    for deed in map(_deed, before):
        if deed and deed.weighty and _names(small, deed):
            return deed if _names_flag(small, deed) else _without_flags(deed)
    return None


def _names_flag(small: str, deed: _Deed) -> bool:
    flags = [word for word in deed.name.split(" ") if word.startswith("-")]
    return any(flag.strip("-").split("-")[0] in small for flag in flags)


def _without_flags(deed: _Deed) -> _Deed:
    """Nobody spoke of its flags."""
    name = deed.name.split(" -")[0]
    return _Deed(name, name, weighty=True)


def _before(trail: Trail, at: int) -> list[Step]:
    """The calls since the person last spoke, the latest first, a few."""
    now = bisect_left(trail.steps, at, key=lambda step: step.turn)
    latest = reversed(trail.steps[max(now - MAX_CALLS_BEFORE, 0) : now])
    return list(
        takewhile(lambda step: not _spoke_between(trail, step.turn, at), latest)
    )


def _spoke_between(trail: Trail, start: int, end: int) -> bool:
    turns = trail.turns[start + 1 : end]
    return any(turn.role == "user" and turn.kind == "said" for turn in turns)


def _deed(step: Step) -> _Deed | None:
    """Of a line with several commands, the weightiest; nothing for looking around."""
    if not step.command:
        return None
    working = step.action.working
    is_alone = len(working) <= MAX_COMMANDS_REFUSED_FOR_ONE
    deeds = [
        _deed_of(command, is_alone)
        for command in working
        if goal_of_command(command) and not only_shows(command)
    ]
    weighty = (deed for deed in deeds if deed.weighty)
    return next(weighty, deeds[0] if deeds else None)


def _deed_of(command: Command, is_alone: bool) -> _Deed:
    goal = goal_of_command(command)
    words = command.words[1:MAX_WORDS_READ]
    risky = [word for word in words if _RISKY.fullmatch(word)]
    name = " ".join([goal, *risky])
    is_weighty = bool(risky) or not _WEIGHTY.isdisjoint(goal.split(" ")[1:])
    label = name if is_weighty else _shortened(command.words)
    return _Deed(name, label, is_weighty, bool(risky), is_alone)


def _shortened(words: Sequence[str]) -> str:
    """A command to show: its first words, long paths by their last two names, nothing long."""
    short = map(_last_names, words[:MAX_LABEL_WORDS])
    words_shown = [
        word for word in short if len(word) < MAX_LABEL_WORD and "\n" not in word
    ]
    return " ".join(words_shown)[:MAX_LABEL].rstrip()


def _last_names(word: str) -> str:
    return "/".join(word.split("/")[-2:]) if word.startswith("/") else word


def _names(words: str, deed: _Deed) -> bool:
    """Whether someone speaks of a command: by its last word, or by a flag of it."""
    telling = [
        word for word in deed.name.split(" ")[1:] if len(word) >= MIN_NAMING_WORD
    ]
    return any(word.strip("-") in words for word in telling)


def _place(step: Step) -> str:
    """The file a call was about to change, by its last two names."""
    if step.action.kind not in {"edit", "write"}:
        return ""
    return "/".join(step.action.arguments.file.replace("\\", "/").split("/")[-2:])
