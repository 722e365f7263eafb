"""What a person's message holds that somebody else wrote, by its shape.

People quote in fences and with `>`; they also paste logs, traces, issues and mails as they are. What is pasted looks
unlike what is typed: lines that programs print, headings and tables of a document, lines broken at a margin, an element
with a tag, a text that a line with a colon announces. Nothing here knows what a text is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

MAX_MESSAGE = 20_000  # characters that are looked at
IMPERSONAL = 160  # characters of a paragraph without a word to or of anybody
MARGIN = 45  # characters from which a line that ends within a sentence was broken at a margin
MIN_BROKEN = 2  # breaks at a margin that make a paragraph somebody's text
MIN_PRINTED_SHARE = 3  # one of so many lines is a program's, where the first is not

NEW_LINE = "\n"

Stretch = tuple[int, int]

_LETTER = re.compile(r"[^\n]")

_MARKED = re.compile(
    r"(```|~~~|'''|\"{3}).*?(?:\1|\Z)"
    r"|<!--.*?(?:-->|\Z)"
    r"|(?:^[ \t]*>[^\n]*(?:\n|\Z))+",
    re.DOTALL | re.MULTILINE,
)
_TAG = re.compile(r"<([a-zA-Z][\w.:-]*)(?:\s[^<>\n]*)?>")
# A tag that stands alone on its line opens an element, closed or not.
_OPEN_TAG = re.compile(r"^[ \t]*<[a-zA-Z][\w.:-]*(?:\s[^<>\n]*)?>[ \t]*$", re.MULTILINE)
# A heading, a table, a rule, the head of a mail: documents have them, and go on to the end of the message.
_DOCUMENT = re.compile(
    r"^(?:#{1,6} +\S|\|.*\|[ \t]*$|[ \t]*[-=_*]{4,}[ \t]*$|[-=*]{3,} ?\w[^\n]{0,60}[-=*]{3,}[ \t]*$|- \[[ xX]\] |!\[.*\]\("
    r"|\*\*[^*\n]{2,60}\*\*:?[ \t]*$|\*\*[^*\n]{2,40}(?::\*\*|\*\*:) |On .{6,80} wrote:[ \t]*$|Begin forwarded message:"
    r"|(?:From|Subject|Date|Author|Reporter|Reported by|Posted by|Assignee|Labels|Status|Priority|Title|File|Path|Source|URL"
    r"|Link|Environment|Cc|To): \S)",
    re.MULTILINE,
)
_PRINTED = re.compile(
    r"[ \t]*(?:\[?\d{4}-\d\d-\d\d[T ]|\[?\d{1,2}:\d\d:\d\d|\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|FATAL|TRACE|PASS|FAIL)\b[\]: ]"
    r"|[\w./\\-]+:\d+(?::\d+)?[: ]|at [\w.$<>]+ ?\(|File \"|Traceback |[Cc]aused by:|goroutine \d|npm (?:ERR!|error|warn)"
    r"|(?:\w+ ){0,3}(?:[Ee]rror|fatal|[Ww]arning|panic|[Ee]xception)(?:\[\w+\])?: |\w*(?:Error|Exception)\b: "
    r"|remote: |hint: |E {3}|[$❯%] \S|[+⏺⎿│├└┌┐✗✓✘✔●]|@@ |diff --git |(?:---|\+{3}) \S|index [0-9a-f]{7}|commit [0-9a-f]{7}"
    r"|[{}\[\]]+[,;]?$|\"[\w-]+\" ?: |\w+=\S+$)"
)
# What a page shows around somebody's words: who, when, and what can be clicked, with dots between.
_AROUND_POSTS = re.compile(
    r" · |\b(?:\d+|an?) (?:second|minute|hour|day|week|month|year)s? ago\b|\b\d{1,2}:\d\d ?[AaPp][Mm]\b"
)
# Lines of a chat: who, and what they said.
_SPEAKER = re.compile(r"[ \t]*(?:[@<\[]?[A-Za-z][\w.-]{1,20}[>\]]?): [A-Za-z`]")
MIN_SPEAKERS = 2  # lines of one paragraph
# Several words between quotation marks.
_QUOTATION = re.compile(r"(?<!\w)[\"“](?=\S)[^\"“”\n]{10,600}(?<=\S)[\"”](?!\w)")
MIN_QUOTED_WORDS = 4
BEFORE = 40  # characters in which somebody is said to say them
# Behind these a quotation stands by itself: words that are shown, and no part of what the person says.
_PRESENTING = re.compile(r"(?:^|[:.!?])\s*$|\n\s*(?:[-*•]\s+)?$")
_PUT_DOWN = re.compile(r"\b(?:remember|from now on)\b[^.!?\n]*$", re.IGNORECASE)
# How a letter begins and ends; nobody greets an agent on a line of its own and signs with a name.
_GREETING = re.compile(r"(?:hi|hello|hey|dear)\b[^.!?:\n]{0,40},[ \t]*$", re.IGNORECASE)
_SIGNATURE = re.compile(
    r"(?:\w+ )?(?:regards|cheers|best|thanks|thank you|sincerely|greetings|yours),[ \t]*(?:\w[\w .-]{0,30})?$",
    re.IGNORECASE,
)
# "Content of x.md: ...", "the reviewer says: ...": words in front that name a text, and the text on the same line.
_LABEL = re.compile(r"[ \t]*((?:[^\s:]+ ){1,6}[^\s:]+): +(?=\S)")
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*•]|\d{1,2}[.)])\s")
# What a person names when they hand over somebody else's words: kinds of texts, who writes them, and saying.
_KINDS_OF_TEXT = """answer changelog chat comment comments conversation description diff doc docs documentation email
    body content contents error errors excerpt failure failures feedback file issue log logs mail message messages note
    notes output page post prompt readme reply report response review snippet spec stacktrace text thread ticket trace
    transcript warning"""
_WRITERS = "bot ci coderabbit colleague copilot customer discord github jira linear reviewer slack"
_SAYING = """below get gets getting gives got pasted print printed prints quote read reads reported return returns said
    say says show shows told write writes wrote"""
_ANNOUNCING = frozenset(f"{_KINDS_OF_TEXT} {_WRITERS} {_SAYING}".split())
_WORD = re.compile(r"[a-z]+")
_PERSON = re.compile(
    r"\b(?:i|i['’][dm]|i['’]ve|we|we['’](?:re|d|ve|ll)|you|your|us|our|my|me|let['’]s|please|can['’]t)\b"
    r"|^(?:no|use|don['’]t|do not|ok|yes|yeah)\b",
    re.IGNORECASE | re.MULTILINE,
)


class _Paragraph(NamedTuple):
    start: int
    end: int
    lines: list[str]


@lru_cache(maxsize=2048)  # asked of the same messages by every miner
def quoted_at(text: str) -> tuple[Stretch, ...]:
    """Where the stretches stand that somebody else wrote, in order and apart."""
    text = text[:MAX_MESSAGE]
    stretches = [match.span() for match in _MARKED.finditer(text)]
    stretches += _elements(text)
    stretches += _quotations(text)
    if "\n" in text.strip() or ":" in text:
        stretches += _pasted(_blanked(text, stretches))
    return tuple(_united(sorted(stretches)))


def _elements(text: str) -> Iterator[Stretch]:
    """From a tag to the one that closes it."""
    unclosed: set[str] = set()
    end = 0
    for tag in _TAG.finditer(text):
        name = tag[1]
        if tag.start() < end or name in unclosed:
            continue
        closing = text.find(f"</{name}", tag.end())
        if closing < 0:
            unclosed.add(name)
            continue
        end = text.find(">", closing) + 1 or len(text)
        yield tag.start(), end


def _quotations(text: str) -> Iterator[Stretch]:
    """Words in quotation marks that somebody is said to say, or that stand by themselves."""
    for start, end in _long_quotations(text):
        before = text[max(start - BEFORE, 0) : start]
        is_presented = _PRESENTING.search(before) and not _PUT_DOWN.search(before)
        if is_presented or _names_source(before):
            yield start, end


def _long_quotations(text: str) -> Iterator[Stretch]:
    for match in _QUOTATION.finditer(text):
        if len(match[0].split()) >= MIN_QUOTED_WORDS:
            yield match.span()


@lru_cache(maxsize=2048)  # asked of the same messages by every miner
def outside_quotations(text: str) -> str:
    """A message with blanks in place of what stands in quotation marks: whoever orders something says so outside them.
    Every word stands where it stood."""
    return _blanked(text, list(_long_quotations(text[:MAX_MESSAGE])))


@lru_cache(maxsize=2048)  # asked of the same messages by every miner
def own_words(text: str) -> str:
    """A message with ends of lines in place of all that is quoted in it: every word stands where it stood."""
    for start, end in quoted_at(text):
        text = f"{text[:start]}{NEW_LINE * (end - start)}{text[end:]}"
    return text


def _blanked(text: str, stretches: list[Stretch]) -> str:
    for start, end in stretches:
        text = f"{text[:start]}{_LETTER.sub(' ', text[start:end])}{text[end:]}"
    return text


def _united(stretches: list[Stretch]) -> Iterator[Stretch]:
    last: Stretch | None = None
    for start, end in stretches:
        if last is not None and start <= last[1]:
            last = last[0], max(last[1], end)
            continue
        if last is not None:
            yield last
        last = start, end
    if last is not None:
        yield last


def _pasted(text: str) -> Iterator[Stretch]:
    """Paragraphs that were not typed, and what goes on from one to the end."""
    end_of_own = _first_document(text)
    if end_of_own < len(text):
        yield end_of_own, len(text)
    pasted_before = False
    for paragraph in _paragraphs(text[:end_of_own]):
        is_pasted = _is_pasted(paragraph)
        if not is_pasted and pasted_before:
            is_pasted = not _speaks(paragraph)
        if is_pasted:
            yield paragraph.start, paragraph.end
        elif (start := _announced(paragraph, text)) is not None:
            yield start, end_of_own
            return
        pasted_before = pasted_before or is_pasted


def _first_document(text: str) -> int:
    """Where a document begins that goes on to the end; the length of the text where none does."""
    places = [
        match.start()
        for pattern in (_DOCUMENT, _OPEN_TAG)
        if (match := pattern.search(text))
    ]
    return min(places, default=len(text))


def _paragraphs(text: str) -> Iterator[_Paragraph]:
    for match in re.finditer(r"[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*", text):
        yield _Paragraph(match.start(), match.end(), match[0].split("\n"))


def _is_pasted(paragraph: _Paragraph) -> bool:
    lines = paragraph.lines
    if any(_GREETING.match(line) or _SIGNATURE.match(line) for line in lines):
        return len(lines) > 1
    if sum(map(bool, map(_SPEAKER.match, lines))) >= MIN_SPEAKERS:
        return True
    printed = [_is_printed(line) for line in lines]
    if printed[0] or MIN_PRINTED_SHARE * sum(printed) >= len(lines):
        return True
    if _breaks_at_margin(lines) >= MIN_BROKEN:
        return True
    return paragraph.end - paragraph.start > IMPERSONAL and not _speaks(paragraph)


def _is_printed(line: str) -> bool:
    return bool(_PRINTED.match(line) or _AROUND_POSTS.search(line))


def _breaks_at_margin(lines: list[str]) -> int:
    """How often a line ends within a sentence and the next goes on with it: nobody presses enter there."""
    breaks = 0
    for line, following in pairwise(lines):
        is_full = len(line) >= MARGIN and line.rstrip()[-1].isalnum()
        goes_on = following.lstrip()[:1].islower() and not _LIST_ITEM.match(following)
        breaks += is_full and goes_on
    return breaks


def _speaks(paragraph: _Paragraph) -> bool:
    return _PERSON.search("\n".join(paragraph.lines)) is not None


def _announced(paragraph: _Paragraph, text: str) -> int | None:
    """Where the text begins that a line with a colon at its end announces; None where what follows is the person's:
    their own list, or one more line."""
    place = paragraph.start
    for line in paragraph.lines:
        if (label := _LABEL.match(line)) and _names_text(label[1]):
            return place + label.end()
        place += len(line) + 1
        if not line.rstrip().endswith(":"):
            continue
        following = text[place:].strip("\n")
        if not following.strip():
            return None
        names_source = _names_source(line)
        is_list = _LIST_ITEM.match(following) is not None
        if names_source or (not is_list and "\n" in following.strip()):
            return place
    return None


def _names_source(words: str) -> bool:
    return not _ANNOUNCING.isdisjoint(_WORD.findall(words.lower()))


def _names_text(label: str) -> bool:
    """Whether what stands before a colon names somebody else's text, and does not speak of it."""
    return _names_source(label) and _PERSON.search(label) is None
