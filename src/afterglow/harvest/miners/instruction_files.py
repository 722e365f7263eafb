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

MAX_NOTE_LINES = 15  # added lines; more are documentation
MAX_REQUESTED_LINES = 3 * MAX_NOTE_LINES  # where a person asked for it
MAX_NOTES = 10  # of one edit
MAX_NOTE = 260  # characters: what is longer is read sentence by sentence
MAX_LINE_READ = 2000  # characters of a line
MAX_WHOLE_FILE = 4000  # characters: a longer file is documentation
MAX_SHORT_LEAD = (
    25  # characters of a lead ("Impact:") that needs its heading to be understood
)
MIN_NOTE_WORDS = 5  # fewer are a title
MIN_CONTENT, MIN_CONTENT_OF_ORDER = 3, 2  # words that say what it is about
MIN_LONE_ORDER = 61  # characters: a shorter one needs its heading
MAX_MESSAGES_BEFORE = 2  # of a person, in which an edit was asked for
MAX_SEARCHED_TEXT = 40  # characters by which a note is found in the call
MAX_QUOTED_CALL = 300  # characters that are pointed at where it is not found

# How directly a note says what is to be remembered, and what makes it more so: it is an order, it was asked for, it was
# added alone.
DIRECT_NOTE = 0.6
DIRECT_BONUS = {"order": 0.15, "asked": 0.1, "few": 0.05}

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
_TABLES = "|<│├└"  # what lines of tables, trees and HTML begin with
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
        is_clear = len(self.text) >= MIN_LONE_ORDER and not _LEANING.match(self.text)
        if not self.under or (self.is_order and is_clear):
            return clip(self.text, MAX_NOTE)
        return clip(f"{self.under}: {self.text}", MAX_NOTE)


def mine(trail: Trail) -> Iterator[Finding]:
    by_topic: dict[str, Finding] = {}
    spoken = _spoken(trail)
    for step in trail.steps:
        if step.failed or step.blocked or not _names_instructions(step):
            continue
        request = _request(trail, step, spoken)
        for edit in _edits(step):
            for removed in _taken_out(edit):
                if by_topic.pop(_topic(removed), None) is None:
                    yield _finding(trail, step, edit, removed, None, against=True)
            is_short = _lines_added(edit) <= MAX_NOTE_LINES
            for note in _lasting_notes(edit, is_requested=request is not None):
                finding = _finding(trail, step, edit, note, request, few=is_short)
                by_topic[_topic(note)] = finding
    yield from by_topic.values()


def _names_instructions(step: Step) -> bool:
    return any(name in step.call.arguments for name in _FILES)


def _lasting_notes(edit: Edit, *, is_requested: bool) -> list[Note]:
    """What an edit adds, as long as it is a note; of documentation only the orders."""
    limit = MAX_REQUESTED_LINES if is_requested else MAX_NOTE_LINES
    is_note = _lines_added(edit) <= limit
    notes = added_notes(edit.old, edit.new)
    return [note for note in notes if note.is_order or is_note][:MAX_NOTES]


def _lines_added(edit: Edit) -> int:
    lines = filter(str.strip, edit.new.split("\n"))
    return sum(1 for line in lines if line not in edit.old)


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
    at = step.call.arguments.find(note.text[:MAX_SEARCHED_TEXT])
    place = trail.asked(step, 0, MAX_QUOTED_CALL)
    if at >= 0:
        place = trail.asked(step, at, at + len(note.text))
    evidence = (place, request) if request else (place,)
    return Finding(NAME, _topic(note), slots, evidence, against=against)


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


def _request(
    trail: Trail, step: Step, spoken: Sequence[tuple[int, Turn]]
) -> Evidence | None:
    """The person's request behind an edit: one of the last things they said."""
    now = bisect_left(spoken, step.turn, key=lambda message: message[0])
    for _, turn in reversed(spoken[max(now - MAX_MESSAGES_BEFORE, 0) : now]):
        if match := _ASKED.search(turn.text):
            return trail.said(turn, match.start(), match.end())
    return None


def _edits(step: Step) -> list[Edit]:
    """Replacements in instruction files, and such files written as a whole when they are short."""
    edits = step.action.edits
    whole = step.action.written
    if not edits and step.action.kind == "write" and whole is not None:
        is_short = whole.new.count("\n") <= MAX_NOTE_LINES
        if is_short and len(step.call.arguments) <= MAX_WHOLE_FILE:
            edits = (whole,)
    return [edit for edit in edits if _FILE.search(edit.path)]


def added_notes(old: str, new: str) -> list[Note]:
    """The statements of `new` that `old` does not hold."""
    before = {note.text for note in notes_in(old)}
    return [note for note in notes_in(new) if note.text not in before]


def _taken_out(edit: Edit) -> Iterator[Note]:
    """Statements that are gone without a new wording."""
    remaining = [set(user_speech.content(note.text)) for note in notes_in(edit.new)]
    for note in notes_in(edit.old):
        words = set(user_speech.content(note.text))
        if not any(len(words & later) * 2 >= len(words) for later in remaining):
            yield note


def notes_in(text: str) -> Iterator[Note]:
    """The statements of a Markdown text: bullets and paragraphs that say something on their own, code left out."""
    place = _Place()
    is_code = False
    for raw in text.split("\n"):
        line = raw[:MAX_LINE_READ].strip()
        if line.startswith("```"):
            is_code = not is_code
        elif line and not is_code and line[0] not in _TABLES:
            statement = place.read(raw[:MAX_LINE_READ], line)
            if statement:
                yield from _statements(statement, place.name)


class _Place:
    """Where in a Markdown text a line stands: under which heading, and under which lead ("Impact:")."""

    def __init__(self) -> None:
        self.heading = self.lead = ""

    @property
    def name(self) -> str:
        if self.heading and self.lead and len(self.lead) < MAX_SHORT_LEAD:
            return f"{self.heading}, {self.lead[0].lower()}{self.lead[1:]}"
        return self.lead or self.heading

    def read(self, raw: str, line: str) -> str:
        """What a line states, free of Markdown; empty for headings, leads and examples."""
        if heading := _HEADING.match(line):
            self.heading, self.lead = _bare(heading[1]), ""
            return ""
        bullet = _BULLET.match(raw)
        if not bullet:
            self.lead = ""
        statement = _bare(bullet[1] if bullet else line)
        if statement.endswith(":"):
            self.lead = self.lead or statement.rstrip(": ")
            return ""
        return "" if statement.startswith("Example") else statement


def _statements(text: str, under: str) -> Iterator[Note]:
    """A bullet or a short paragraph as a whole, a long one by sentences; only what names something or is an order."""
    spans = [(0, len(text))] if len(text) <= MAX_NOTE else user_speech.sentences(text)
    for start, end in spans:
        piece = text[start:end]
        is_order = bool(_ORDER.search(piece))
        if _says_something(piece, is_order):
            yield Note(piece, under, is_order)


def _says_something(piece: str, is_order: bool) -> bool:
    if len(piece.split()) < MIN_NOTE_WORDS:
        return False
    content = len(user_speech.content(piece))
    if is_order:
        return content >= MIN_CONTENT_OF_ORDER
    return content >= MIN_CONTENT and bool(_NAMES.search(piece))


def _bare(text: str) -> str:
    return " ".join(_MARKUP.sub(r"\1", text).split())


def tell(findings: Sequence[Finding]) -> Telling | str:
    holding = [finding for finding in findings if not finding.against]
    if not holding:
        return "only taken out again"
    slots = max(holding, key=_rank).slots
    bonuses = [bonus for slot, bonus in DIRECT_BONUS.items() if slots[slot]]
    return Telling(
        slots["sentence"],
        "pattern" if slots["order"] else "fact",
        "",
        slots["sentence"],
        round(DIRECT_NOTE + sum(bonuses), 2),
        tags=("note", slots["file"]),
    )


def _rank(finding: Finding) -> tuple[bool, float]:
    """What was asked for counts most, then the newest."""
    return bool(finding.slots["asked"]), finding.first.time or 0.0
