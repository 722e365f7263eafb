"""What people refused or put right: calls they said no to, and "no, use ...", "don't ...", "that is not correct".

A refusal of a command counts even without a reason: the same command refused in several sessions is a preference.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from msgspec import Struct

from afterglow.calls import goal_of_command, only_shows
from afterglow.harvest import user_speech
from afterglow.harvest.trail import Step, Trail
from afterglow.records.knowledge import Category, Evidence, Finding, Telling

NAME = "corrections"
VERSION = 1

SHORT = 160  # characters of a message that can be the reason of the refusal before it
SCRIPT = 3  # commands in one line, above which a refusal is not about any one of them
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
_MANNERS = ("ban", "fix", "order", "wish", "none")
_DIRECT = {"ban": 0.85, "fix": 0.8, "order": 0.8, "wish": 0.6, "none": 0.55}


class _Deed(Struct, frozen=True):
    """What a command was about to do: a name that is the same in other sessions, and how to show it."""

    name: str
    shown: str
    weighty: bool = False
    risky: bool = False
    alone: bool = True


def mine(trail: Trail) -> Iterator[Finding]:
    told_turns: set[int] = set()
    heard: set[str] = set()
    for step in trail.steps:
        if step.blocked and (finding := _refusal(trail, step, told_turns)) is not None:
            same = f"{finding.first.hash} {finding.topic}"  # calls made at once are refused at once
            if same not in heard:
                heard.add(same)
                yield finding
    spoken = [at for at, turn in enumerate(trail.turns) if user_speech.is_speech(turn)]
    for at in spoken:
        turn = trail.turns[at]
        opening = (
            at == spoken[0] and turn.kind == "said"
        )  # what a session starts with is a request
        if not opening and at not in told_turns and turn.text not in heard:
            heard.add(turn.text)
            yield from _corrections(trail, at)


def _refusal(trail: Trail, step: Step, told_turns: set[int]) -> Finding | None:
    deed = _deed(step)
    words, evidence = _reason(trail, step, told_turns)
    manner, saying = _manner(words)
    topic = deed.name if deed else user_speech.about(saying)
    if _WAIT.search(words.lower().strip()):
        manner, topic, saying, deed = "order", "wait", words, None
    elif deed and _TOO_SLOW.search(user_speech.plain(words)):
        manner, topic, saying = "ban", f"{deed.name}|slow", words
    elif deed is None:
        if manner == "none" or not topic:
            return None
    elif not deed.alone and manner != "ban":
        return None
    elif (
        deed.risky
        and manner == "none"
        and len(words) <= SHORT
        and evidence.part == "result"
    ):
        saying = words
    slots = {
        "manner": manner,
        "words": user_speech.tidy(saying),
        "on": deed.shown if deed else _place(step),
        "how": "said"
        if deed is None
        else "risky"
        if deed.risky
        else "weighty"
        if deed.weighty
        else "command",
    }
    return Finding(
        NAME, f"refused|{topic}", slots, (evidence, trail.asked(step, 0, 300))
    )


def _reason(trail: Trail, step: Step, told_turns: set[int]) -> tuple[str, Evidence]:
    """A person's words to a refused call: in its result, or in what they said next."""
    if words := user_speech.reason_in(step.call):
        return words, trail.got_words(step, words)
    for at in range(step.turn + 1, min(step.turn + 8, len(trail.turns))):
        turn = trail.turns[at]
        if turn.role == "assistant" and turn.calls:
            break
        if (
            turn.role == "user"
            and turn.kind in {"said", "steer"}
            and len(turn.text) <= SHORT
        ):
            if _manner(turn.text)[0] != "none":
                told_turns.add(at)
                return turn.text, trail.said(turn)
            break
    return "", trail.got(step, 0, 200)


def _manner(words: str) -> tuple[str, str]:
    """How a reason is put, and the part of it that counts."""
    if not words or user_speech.is_pasted(words):
        return "none", ""
    if strong := user_speech.remarks(words):
        manner = "ban" if strong[0].manner == "rule" else strong[0].manner
        return manner, words if len(words) <= user_speech.QUOTED else strong[0].words
    small = user_speech.plain(words)
    if len(words) <= SHORT and not user_speech.is_local(small):
        if "?" not in small and _REFUSING.search(small) and user_speech.content(small):
            return "ban", words
        if (
            "?" not in small
            and _ORDER.search(small)
            and len(user_speech.content(small)) > 1
        ):
            return "order", words
        if _FIRST.search(small):
            return "wish", words
    return "none", ""


def _corrections(trail: Trail, at: int) -> Iterator[Finding]:
    turn = trail.turns[at]
    remarks_found = [
        remark for remark in user_speech.remarks(turn.text) if remark.manner != "rule"
    ]
    before = _before(trail, at)
    if len(turn.text) <= user_speech.QUOTED and "\n" not in turn.text.strip():
        words, start, end = user_speech.tidy(turn.text), 0, len(turn.text)
    elif remarks_found:
        words, start, end = (
            " ".join(one.words for one in remarks_found[:2]),
            remarks_found[0].start,
            remarks_found[:2][-1].end,
        )
    else:
        return
    deed = _complained_of(words, before)
    if not remarks_found and deed is None:
        return
    slots = {
        "manner": remarks_found[0].manner if remarks_found else "ban",
        "words": words,
        "on": deed.shown if deed else next(filter(None, map(_place, before)), ""),
        "how": "weighty" if deed else "said",
        "ran": "yes" if deed else "",
    }
    topic = f"refused|{deed.name}" if deed else f"said|{user_speech.about(words)}"
    yield Finding(NAME, topic, slots, (trail.said(turn, start, end),))


def _complained_of(words: str, before: Sequence[Step]) -> _Deed | None:
    """The weighty command that ran and that a person says should not have."""
    small = user_speech.plain(words)
    if "?" in small or user_speech.is_local(small) or not _REFUSING.search(small):
        return None
    for deed in map(_deed, before):
        if deed and deed.weighty and _names(small, deed):
            flags = [word for word in deed.name.split(" ") if word.startswith("-")]
            if any(flag.strip("-").split("-")[0] in small for flag in flags):
                return deed
            plainly = deed.name.split(" -")[0]  # nobody spoke of its flags
            return _Deed(plainly, plainly, True)
    return None


def _before(trail: Trail, at: int) -> list[Step]:
    """The calls since the person last spoke, the latest first, at most six."""
    now = bisect_left(trail.steps, at, key=lambda step: step.turn)
    steps_before: list[Step] = []
    for step in reversed(trail.steps[max(now - 6, 0) : now]):
        if any(
            turn.role == "user" and turn.kind == "said"
            for turn in trail.turns[step.turn + 1 : at]
        ):
            break
        steps_before.append(step)
    return steps_before


def _deed(step: Step) -> _Deed | None:
    """Of a line with several commands, the weightiest; nothing for looking around."""
    if not step.command:
        return None
    deed = None
    commands = step.action.working
    for command in commands:
        program = goal_of_command(command)
        if not program or only_shows(command):
            continue
        risky = [word for word in command.words[1:12] if _RISKY.fullmatch(word)]
        name = " ".join([program, *risky])
        weighty = bool(risky) or any(
            word in _WEIGHTY for word in program.split(" ")[1:]
        )
        if deed is None or (weighty and not deed.weighty):
            label = name if weighty else _shortened(command.words)
            deed = _Deed(name, label, weighty, bool(risky), len(commands) <= SCRIPT)
    return deed


def _shortened(words: Sequence[str]) -> str:
    """A command to show: long paths by their last two names, at most 60 characters."""
    short = (
        "/".join(word.split("/")[-2:]) if word.startswith("/") else word
        for word in words[:8]
    )
    return " ".join(word for word in short if len(word) < 40 and "\n" not in word)[
        :60
    ].rstrip()


def _names(words: str, deed: _Deed) -> bool:
    """Whether someone speaks of a command: by its last word, or by a flag of it."""
    small = words.lower()
    return any(
        word.strip("-") in small for word in deed.name.split(" ")[1:] if len(word) > 3
    )


def _place(step: Step) -> str:
    """The file a call was about to change, by its last two names."""
    if step.action.kind not in {"edit", "write"}:
        return ""
    return "/".join(step.action.arguments.file.replace("\\", "/").split("/")[-2:])


def tell(findings: Sequence[Finding]) -> Telling | str:
    best = min(findings, key=_rank)
    words, on, manner, how = (
        best.slots[name] for name in ("words", "on", "manner", "how")
    )
    sessions = len({finding.first.session for finding in findings})
    tags = ("preference",)
    if best.topic == "refused|wait":
        if sessions < 2:
            return "asked to wait, once"
        fact = f'Discuss first while the user is still deciding: calls were refused, with "{words}" and the like.'
        return Telling(
            fact,
            "pattern",
            "the user is still deciding",
            "wait and discuss",
            0.7,
            tags=tags,
            times=len(findings),
        )
    if how == "said":
        where = f" on `{on}`" if on else ""
        direct = round(
            _DIRECT[manner] - (0.1 if best.topic.startswith("said|") else 0.05), 2
        )
        category: Category = "fact" if manner == "fix" else "pattern"
        situation = f"working{where}" if on else ""
        return Telling(
            f'User correction{where}: "{words}".',
            category,
            situation,
            words,
            direct,
            tags=tags,
            times=len(findings),
        )
    once = sessions < 2 and not (how == "risky" and words)
    if manner == "none" and (once or how == "command"):
        return "refused, without a lasting reason"
    saying = f', saying "{words}"' if words else ""
    ran = [
        bool(finding.slots.get("ran")) for finding in findings
    ]  # then nothing was refused: the person spoke up afterwards
    did = (
        "objected to it"
        if all(ran)
        else "refused or objected to it"
        if any(ran)
        else "refused it"
    )
    fact = f"Ask before `{on}`: the user {did}{saying}."
    if how == "command":
        fact = f'`{on}` was refused by the user: "{words}".'
    return Telling(
        fact,
        "pattern",
        f"about to run `{on}`",
        words or "ask first",
        _DIRECT[manner],
        tags=tags,
        times=len(findings),
    )


def _rank(finding: Finding) -> tuple[int, bool, bool, float]:
    """The clearest wording first: by manner, then what names the command, then the newest."""
    words, named = finding.slots["words"], finding.slots["on"].split(" ")[-1].strip("-")
    return (
        _MANNERS.index(finding.slots["manner"]),
        not words,
        named not in words.lower(),
        -(finding.first.time or 0.0),
    )
