"""One bullet an item, made to be edited by people and merged by git.

    - `make test` fails until `make generate` has run [k3f9a1c2b4d5]
      0.86 · 3 sessions · last 2026-10-31 · tags: go, tests

The words, the tags and the heading or file a bullet stands under are a person's to change; the rest of the second line
is for reading. Words come from transcripts, so whatever Markdown would take for structure is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from afterglow.records.knowledge import CATEGORIES, STATUSES, Category, support
from afterglow.store.folder.entries import ID, Entry
from afterglow.store.folder.names import TITLES, Place
from afterglow.text.clip import printable

MARKER = "<!-- afterglow:"
HEADER = f"{MARKER} change words, add or delete bullets, then run `afterglow knowledge sync` -->"

_PUNCTUATION = r"[!-/:-@\[-`{-~]"
_RUN = re.compile(r"`+")
_ESCAPE = re.compile(
    rf"[<\[*]|(?<![^\W_])_|_(?![^\W_])|~(?=~)|&(?=#?\w+;)|\\(?={_PUNCTUATION}|\Z)"
)
_LEADING = frozenset("-+>#=|~")  # would open a list, a quote, a heading
_NUMBER = re.compile(r"\d{1,9}(?=[.)])")
_INLINE = re.compile(rf"\\({_PUNCTUATION})|`+|\[({ID})\]")
_DETAILS = re.compile(rf"(?:(?:{'|'.join(STATUSES)}) · )?\d(?:\.\d+)?(?: · |$)|tags:")
_CONFLICT = re.compile(r"(?:<{7}|={7}|>{7})(?: |$)")
_BULLETS = ("- ", "* ", "+ ")
_HEADINGS = {title.lower(): category for category, title in TITLES.items()}


class Bullet(Struct, frozen=True):
    """One bullet as it stands: its words unescaped, its tags where a second line tells them, the lines themselves."""

    id: str
    words: str
    tags: tuple[str, ...] | None
    details: str
    category: Category
    line: int
    lines: tuple[str, ...]


class Page(Struct, frozen=True):
    """A file of bullets. With a `problem` (line, what) it could not be read, and has none."""

    bullets: tuple[Bullet, ...] = ()
    problem: tuple[int, str] | None = None
    ours: bool = True


class Block(Struct, frozen=True):
    """The lines of one bullet, written anew or kept as they are."""

    id: str
    category: Category
    lines: tuple[str, ...]


def shown(text: str) -> str:
    """What of a text a bullet can show: one line, single spaces, nothing invisible."""
    return " ".join(printable(text).split())


def shown_tags(tags: Iterable[str]) -> tuple[str, ...]:
    return tuple(
        tag
        for part in tags
        for tag in (shown(piece) for piece in part.split(","))
        if tag
    )


def block(entry: Entry) -> Block:
    tags = escape(", ".join(shown_tags(entry.tags)))
    words = f"- {escape(shown(entry.fact))} [{entry.id}]"
    return Block(
        entry.id,
        entry.category,
        (words, f"  {details(entry)}" + (f" · tags: {tags}" if tags else "")),
    )


def details(entry: Entry) -> str:
    """The part of the second line that is for reading."""
    parts = [
        entry.status if entry.status != "active" else "",
        f"{entry.confidence:.2f}",
        support(entry) if entry.source_count or not entry.edited else "by hand",
        f"only {escape(shown(entry.agent))}" if entry.repo and entry.agent else "",
        f"last {entry.last_confirmed:%Y-%m-%d}" if entry.last_confirmed else "",
    ]
    return " · ".join(part for part in parts if part)


def write_page(place: Place, category: Category, blocks: Sequence[Block]) -> str:
    """A whole file: by category, then by id, so that a new item is a few new lines somewhere in it."""
    title = (
        TITLES[category] if place.kind == "global" else escape(shown(place.name)) or "?"
    )
    parts = [f"# {title}", HEADER]
    heading = None if place.kind != "global" else category
    for block in sorted(
        blocks,
        key=lambda block: (CATEGORIES.index(block.category), not block.id, block.id),
    ):
        if block.category != heading:
            heading = block.category
            parts.append(f"## {TITLES[heading]}")
        parts.append("\n".join(block.lines))
    return "\n\n".join(parts) + "\n"


class _Problem(Exception):
    """A line that does not fit: its number, and what would."""

    def __init__(self, number: int, why: str) -> None:
        super().__init__(why)
        self.place = (number, why)


def read_page(text: str, category: Category | None) -> Page:
    """The bullets of a file; `category` is that of a global one. What does not fit is named with its line."""
    ours = MARKER in text
    try:
        bullets = [_bullet(lines) for lines in _bullets_of(text, category)]
    except _Problem as problem:
        return Page((), problem.place, ours)
    readable = tuple(bullet for bullet in bullets if isinstance(bullet, Bullet))
    unreadable = [bullet for bullet in bullets if not isinstance(bullet, Bullet)]
    if unreadable:
        return Page((), unreadable[0], ours)
    return Page(readable, None, ours)


def _bullets_of(
    text: str, category: Category | None
) -> list[list[tuple[int, str, Category]]]:
    """The lines of each bullet, with their numbers and the category they stand under. Raises `_Problem`."""
    bullets: list[list[tuple[int, str, Category]]] = []
    heading = category
    in_bullet = titled = False
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith(MARKER):
            in_bullet = False
        elif line.startswith("## ") and category is None:
            heading, in_bullet = _heading(number, line), False
        elif line.startswith("# ") and not titled and not bullets:
            titled = True
        elif line.startswith(_BULLETS):
            if heading is None:
                example = f"like ## {TITLES['fact']}"
                raise _Problem(
                    number, f"the bullet needs a heading above it, {example}"
                )
            bullets.append([(number, line, heading)])
            in_bullet = True
        elif in_bullet and _goes_on(line):
            bullets[-1].append((number, line, bullets[-1][0][2]))
        else:
            raise _Problem(number, _misfit(line))
    return bullets


def _heading(number: int, line: str) -> Category:
    category = _HEADINGS.get(line[3:].strip().lower())
    if category is None:
        choices = ", ".join(TITLES.values())
        raise _Problem(number, f"a heading must be one of {choices}")
    return category


def _goes_on(line: str) -> bool:
    """An indented line belongs to the bullet above it, unless it is a bullet itself."""
    return line.startswith((" ", "\t")) and not line.lstrip().startswith(_BULLETS)


def escape(text: str) -> str:
    """Plain words -> Markdown that shows them and nothing else. Code in backticks stays as it is."""
    parts = [run if code else _escape(run) for run, code in _runs(text)]
    number = _NUMBER.match(parts[0])
    if number or parts[0][:1] in _LEADING:
        at = number.end() if number else 0
        parts[0] = f"{parts[0][:at]}\\{parts[0][at:]}"
    return "".join(parts)


def unescape(text: str) -> tuple[str, str, str]:
    """Markdown -> plain words, the id behind them, and what stands behind the id."""
    words, at = [], 0
    lengths = {
        len(run): start
        for start, run in ((match.start(), match[0]) for match in _RUN.finditer(text))
    }
    while match := _INLINE.search(text, at):
        words.append(text[at : match.start()])
        at = match.end()
        if match[1]:
            words.append(match[1])
        elif match[2]:
            return shown("".join(words)), match[2], text[at:].strip()
        else:
            end = (
                _closing(text, match[0], at)
                if lengths.get(len(match[0]), -1) >= at
                else at
            )
            words.append(text[match.start() : end])
            at = end
    return shown("".join(words) + text[at:]), "", ""


def _runs(text: str) -> Iterable[tuple[str, bool]]:
    """The text in pieces: words, and code with its backticks. A backtick without a partner is a word."""
    at = plain = 0
    lengths = {
        len(run): start
        for start, run in ((match.start(), match[0]) for match in _RUN.finditer(text))
    }
    while match := _RUN.search(text, at):
        at = match.end()
        if lengths[len(match[0])] >= at:
            yield text[plain : match.start()], False
            at = plain = _closing(text, match[0], at)
            yield text[match.start() : at], True
    yield text[plain:], False


def _closing(text: str, run: str, at: int) -> int:
    match = re.compile(rf"(?<!`){run}(?!`)").search(text, at)
    return match.end() if match else at


def _escape(words: str) -> str:
    return _ESCAPE.sub(lambda match: "\\" + match[0], words).replace("`", "\\`")


def _bullet(lines: Sequence[tuple[int, str, Category]]) -> Bullet | tuple[int, str]:
    number, first, category = lines[0]
    rest = [(line.strip(), at) for at, line, _ in lines[1:]]
    at = next(
        (index for index, (line, _) in enumerate(rest) if _DETAILS.match(line)),
        len(rest),
    )
    if at + 1 < len(rest):
        return rest[at + 1][
            1
        ], "nothing may follow the line with the tags; words stand above it"
    words, id, behind = unescape(
        " ".join([first[2:], *(line for line, _ in rest[:at])])
    )
    if behind:
        return number, f"words stand behind [{id}]; put them before it"
    if not words:
        return number, "a bullet without words; delete it whole to give the item up"
    second = rest[at][0] if at < len(rest) else None
    return Bullet(
        id,
        words,
        *_second(second),
        category,
        number,
        tuple(line for _, line, _ in lines),
    )


def _second(line: str | None) -> tuple[tuple[str, ...] | None, str]:
    if line is None:
        return None, ""
    read, _, tags = line.partition("tags:")
    return shown_tags([unescape(tags)[0]]), read.strip().removesuffix("·").strip()


def _misfit(line: str) -> str:
    if _CONFLICT.match(line):
        return (
            "git left a conflict here; keep the bullets you want and take its marks out"
        )
    if line.lstrip().startswith(("- ", "* ", "+ ")):
        return "an indented bullet; a bullet starts at the left, further lines of it are indented"
    return "text outside a bullet; start it with '- ', or keep it in a file of your own"
