"""What was written into instruction files (CLAUDE.md, AGENTS.md, ...) during a session: lessons marked by hand.

An edit that adds a few lines says what they want remembered, above all when the person asked for it. Of a long text
only the sentences that are orders are kept; a file written anew as a whole is documentation, not a lesson.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from msgspec import Struct

from afterglow.calls import Edit
from afterglow.harvest import user_speech
from afterglow.harvest.trail import Step, Trail
from afterglow.records.knowledge import Evidence, Finding, Telling
from afterglow.records.session import Turn
from afterglow.text.clip import clip

NAME = "notes"
VERSION = 1

FEW = 15  # added lines that are a note; more are documentation
MOST = 10  # notes of one edit
LONGEST = 260  # characters of a note
LINE = 2000  # characters of a line that are read
SHORT_LEAD = 25  # a lead ("Impact:") that needs its heading to be understood

# Looked for in the arguments of a call before they are decoded.
_FILES = tuple(
    "CLAUDE AGENTS AGENT.md GEMINI CONTRIBUTING cursorrules cursor/rules windsurfrules clinerules copilot-instructions "
    "MEMORY CONVENTIONS LIMITATIONS skill.md SKILL.md SOUL.md".split()
)
_FILE = re.compile(
    r"(?:^|[/\\])(?:(?:claude(?:\.local)?|agents?|gemini|contributing|copilot-instructions|memory|conventions"
    r"|known_limitations|skill|soul)\.md|\.(?:cursor|windsurf|cline)rules|\.cursor[/\\]rules[/\\].+)$",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"\b(?:add|put|write|update|note|document|save|store|restore|capture|contain|mention)[a-z]{0,3}\b[^\n]{0,200}"
    r"\b(?:claude|agents|gemini|contributing|memory|conventions|instructions?|\w*limitations?|skill|\w*rules|docs?)\b"
    r"|\bremember\b|\bfrom now on\b|\bnext time\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\b(?:always|never|must|do not|don't|only when|only if|instead of|make sure|ensure|almost never|rather than)\b"
    r"|^(?:critical|important|use|run|check|search|keep|avoid|prefer|before)\b",
    re.IGNORECASE,
)
_NAMES = re.compile(
    r"`[^`]+`|\b\w+\(\)|\b[a-z]+_[a-z_]+\b|\b[a-z]+[A-Z]\w+|\b[\w-]+\.(?:go|py|ts|js|json|ya?ml|toml|md|sh|rs)\b"
)
_HEADING = re.compile(r"^#{1,6}\s+(.*)$")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d{1,2}[.)])\s+(.*)$")
_MARKUP = re.compile(r"\*\*|__|\[([^\]]*)\]\([^)]*\)")
_LEANING = re.compile(
    r"^(?:this|these|it|they|both|the (?:following|script|hook|above)|for|when|if)\b",
    re.IGNORECASE,
)


class Note(Struct, frozen=True):
    """One added statement, free of Markdown, with the heading or lead it stands under."""

    text: str
    under: str = ""
    is_order: bool = False

    @property
    def sentence(self) -> str:
        """The statement as a stranger can read it."""
        alone = not self.under or (
            self.is_order and not _LEANING.match(self.text) and len(self.text) > 60
        )
        return clip(self.text if alone else f"{self.under}: {self.text}", LONGEST)


def mine(trail: Trail) -> Iterator[Finding]:
    by_topic: dict[str, Finding] = {}
    words = _spoken(trail)
    for step in trail.steps:
        if (
            not any(name in step.call.arguments for name in _FILES)
            or step.failed
            or step.blocked
        ):
            continue
        request = _asked(trail, step, words)
        for edit in _edits(step):
            if not _FILE.search(edit.path):
                continue
            added = added_notes(edit.old, edit.new)
            for removed in _taken_out(edit.old, edit.new, added):
                if by_topic.pop(_topic(removed), None) is None:
                    yield _finding(trail, step, edit, removed, None, against=True)
            lines = sum(
                1
                for line in edit.new.split("\n")
                if line.strip() and line not in edit.old
            )
            few = lines <= FEW
            for note in [
                note
                for note in added
                if note.is_order or few or (request and lines <= 3 * FEW)
            ][:MOST]:
                by_topic[_topic(note)] = _finding(
                    trail, step, edit, note, request, few=few
                )
    yield from by_topic.values()


def _finding(
    trail: Trail,
    step: Step,
    edit: Edit,
    note: Note,
    request: Evidence | None,
    *,
    few: bool = True,
    against: bool = False,
) -> Finding:
    slots = {
        "sentence": note.sentence,
        "file": re.split(r"[/\\]", edit.path)[-1],
        "order": "yes" if note.is_order else "",
        "asked": "yes" if request else "",
        "few": "yes" if few else "",
    }
    at = step.call.arguments.find(note.text[:40])
    place = (
        trail.asked(step, at, at + len(note.text))
        if at >= 0
        else trail.asked(step, 0, 300)
    )
    return Finding(
        NAME,
        _topic(note),
        slots,
        (place, request) if request else (place,),
        against=against,
    )


def _topic(note: Note) -> str:
    return f"note|{user_speech.about(note.text)}"


def _spoken(trail: Trail) -> list[tuple[int, Turn]]:
    """What the person said, and in which turn."""
    return [
        (at, turn)
        for at, turn in enumerate(trail.turns)
        if turn.role == "user"
        and turn.kind in {"said", "steer"}
        and len(turn.text) <= user_speech.LONGEST
    ]


def _asked(
    trail: Trail, step: Step, words: Sequence[tuple[int, Turn]]
) -> Evidence | None:
    """The person's request behind an edit: one of the last two things they said."""
    now = bisect_left(words, step.turn, key=lambda word: word[0])
    for _, turn in reversed(words[max(now - 2, 0) : now]):
        if match := _ASKED.search(turn.text):
            return trail.said(turn, match.start(), match.end())
    return None


def _edits(step: Step) -> Sequence[Edit]:
    """Replacements, and files written as a whole when they are short."""
    if step.action.edits:
        return step.action.edits
    whole = step.action.written
    if step.action.kind != "write" or whole is None:
        return ()
    is_short = whole.new.count("\n") <= FEW and len(step.call.arguments) <= 4000
    return (whole,) if is_short else ()


def added_notes(old: str, new: str) -> list[Note]:
    """The statements of `new` that `old` does not hold."""
    before = {note.text for note in notes_in(old)}
    return [note for note in notes_in(new) if note.text not in before]


def _taken_out(old: str, new: str, added: Sequence[Note]) -> Iterator[Note]:
    """Statements that are gone without a new wording."""
    after = [set(user_speech.content(note.text)) for note in notes_in(new)] + [
        set(user_speech.content(note.text)) for note in added
    ]
    for note in notes_in(old):
        words = set(user_speech.content(note.text))
        if not any(len(words & step) * 2 >= len(words) for step in after):
            yield note


def notes_in(text: str) -> Iterator[Note]:
    """The statements of a Markdown text: bullets and paragraphs that say something on their own, code left out."""
    heading = lead = ""
    fenced = False
    for raw in text.split("\n"):
        line = raw[:LINE].strip()
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or not line or line[0] in "|<│├└":
            continue
        elif match := _HEADING.match(line):
            heading, lead = _bare(match[1]), ""
        else:
            bullet = _BULLET.match(raw[:LINE])
            bare_line = _bare(bullet[1] if bullet else line)
            if not bullet:
                lead = ""
            if bare_line.endswith(":"):
                lead = lead if bullet and lead else bare_line.rstrip(": ")
            elif not bare_line.startswith("Example"):
                both = heading and lead and len(lead) < SHORT_LEAD
                yield from _statements(
                    bare_line,
                    f"{heading}, {lead[0].lower()}{lead[1:]}"
                    if both
                    else lead or heading,
                )


def _statements(sentence_text: str, under: str) -> Iterator[Note]:
    """A bullet or a short paragraph as a whole, a long one by sentences; only what names something or is an order."""
    for piece in (
        [sentence_text]
        if len(sentence_text) <= LONGEST
        else [
            sentence_text[start:end]
            for start, end in user_speech.sentences(sentence_text)
        ]
    ):
        is_order = bool(_ORDER.search(piece))
        if (
            len(piece.split()) > 4
            and len(user_speech.content(piece)) > 2 - is_order
            and (is_order or _NAMES.search(piece))
        ):
            yield Note(piece, under, is_order)


def _bare(text: str) -> str:
    return " ".join(_MARKUP.sub(r"\1", text).split())


def tell(findings: Sequence[Finding]) -> Telling | str:
    holding = [finding for finding in findings if not finding.against]
    if not holding:
        return "only taken out again"
    best = max(
        holding,
        key=lambda finding: (bool(finding.slots["asked"]), finding.first.time or 0.0),
    )
    slots = best.slots
    direct = round(
        0.6
        + 0.15 * bool(slots["order"])
        + 0.1 * bool(slots["asked"])
        + 0.05 * bool(slots["few"]),
        2,
    )
    return Telling(
        slots["sentence"],
        "pattern" if slots["order"] else "fact",
        "",
        slots["sentence"],
        direct,
        tags=("note", slots["file"]),
    )
