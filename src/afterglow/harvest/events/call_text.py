"""A call as it is read: every word that matters, without the texts and bodies it carries.

Here-documents and messages are closed (`git commit -m "fix lamps …"`). Of a line that is long even so, the command is
shown that decided its end, with its directory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from afterglow.calls import Action, Command, Edit, as_run, effects_of
from afterglow.harvest.lint_lines import SUPPRESSING
from afterglow.harvest.trail import Step

# Of a call: up to the first it is read at a glance, beyond the second it shows more of itself than of what went wrong,
# beyond the third it carries a file.
MAX_SHORT_CALL_CHARACTERS = 160
MAX_CALL_CHARACTERS, MAX_LONG_CALL_CHARACTERS = 360, 700
MIN_NAMES = 3  # by which a text is about one command of a line: two are a person's home
MAX_BODY_CHARACTERS = 100  # of a here-document that is shown: a longer one is a file
MAX_TEXT_CHARACTERS = 60  # of a quoted text that is shown whole even where it is prose
MAX_FLAG_CHARACTERS = 24  # before a quoted text, in which a flag may name it
MIN_PROSE_WORDS = 8  # plain words in a row that make a quoted text somebody's message
SHOWN_PROSE_WORDS = 3  # by which a message is recognised
MAX_VALUE_CHARACTERS = 90  # of one argument of a tool
MAX_VALUES = 6  # arguments of a tool; what matters is named first
# Lines of an edit that went and that came: what came is what helped.
MAX_REMOVED_LINES, MAX_ADDED_LINES = 1, 2
MAX_CHANGED_CHARACTERS = 100  # of a line that an edit changed: a wide line of code

_HERE_DOCUMENT = re.compile(
    r"(?P<head><<-?[ \t]*['\"\\]?(?P<end>\w+)['\"]?[^\n]*)\n(?P<body>.*?)(?:^[ \t]*(?P=end)[ \t]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
# At the start of a word, or behind its `=` or `$`: the apostrophe in a comment quotes nothing.
_QUOTED = re.compile(r"(?<![^\s=$(])(?:\"(?:\\.|[^\"\\])*\"|'[^']*')", re.DOTALL)
# Flags and fields that carry what somebody wrote for others, whatever is quoted in it.
_CARRIES_TEXT = re.compile(
    r"(?:--(?:body|message|title|notes|description|comment)|(?<!\S)-m|\b(?:body|message|title))[ =]\$?$"
)
_COMMENT = re.compile(r"\s*(?:#(?![!\[])|//|/\*|\*\s|--\s|<!--)")
_NAME = re.compile(r"[\w.@-]{2,}")
_PROSE_WORD = re.compile(r"[A-Za-z][a-z']*[.,:;!?)]*")
_BODIES = frozenset(  # without underscores, in small letters: agents write `old_string` and `oldString`
    "content contents filetext newstring oldstring newstr oldstr newtext oldtext text body patch input edits prompt".split()
)


def call_text(step: Step, about: str = "", root: str = "") -> str:
    """The call in reading form; its beginning where no part of it is short enough. Files are named from `root`."""
    text = whole_call(step, about, root)
    if text:
        return text
    return f"{plain_call(step)[:MAX_CALL_CHARACTERS].rstrip()} … (cut off)"


def whole_call(step: Step, about: str = "", root: str = "") -> str:
    """The call, or the command in it that `about` speaks of, with every word of it; empty where that is too long to be
    read."""
    if step.action.kind != "shell":
        text = _tool_call(step)
        return text.replace(f" {root}/", " ") if root else text
    line = _closed(step.command.strip())
    has_one_command = len(step.action.working) < 2
    limit = MAX_CALL_CHARACTERS if has_one_command else MAX_SHORT_CALL_CHARACTERS
    if 0 < len(line) <= limit:
        return line
    return _shortest_that_tells(line, step, about)


def _shortest_that_tells(line: str, step: Step, about: str) -> str:
    """Of a long line what does the work, or one command of it, if that is short enough to be read."""
    command = _named_command(step.action, about)
    texts = [line, _closed(step.core)]
    if command is not None:
        texts.insert(0, _with_directory(command))
    elif main := deciding_command(step.action):
        texts.append(_with_directory(main))
    for limit in (MAX_CALL_CHARACTERS, MAX_LONG_CALL_CHARACTERS):
        for text in texts:
            if 0 < len(text) <= limit:
                return text
    return ""


def plain_call(step: Step) -> str:
    """The call as it was made, for comparing its words."""
    return step.command.strip() if step.action.kind == "shell" else _tool_call(step)


def _closed(line: str) -> str:
    """A shell line whose here-documents and messages are closed."""
    if len(line) <= MAX_TEXT_CHARACTERS:
        return line
    if "<<" in line:
        line = _HERE_DOCUMENT.sub(_closed_document, line)
    return _QUOTED.sub(_closed_message, line)


def _closed_document(match: re.Match[str]) -> str:
    if len(match["body"]) <= MAX_BODY_CHARACTERS:
        return match[0]
    return f"{match['head']} … {match['end']}"


def _closed_message(match: re.Match[str]) -> str:
    text = match[0]
    if len(text) <= MAX_TEXT_CHARACTERS:
        return text
    before = match.string[max(match.start() - MAX_FLAG_CHARACTERS, 0) : match.start()]
    if not _CARRIES_TEXT.search(before) and not _is_prose(text):
        return text
    beginning = " ".join(text.split()[:SHOWN_PROSE_WORDS])
    return f"{beginning} …{text[0]}"


def _is_prose(text: str) -> bool:
    """Most of its words are plain ones: code and patterns are full of signs. A text in paragraphs may quote some."""
    words = text[1:-1].split()
    plain = sum(_PROSE_WORD.fullmatch(word) is not None for word in words)
    needed = 2 * len(words) if "\n\n" not in text else len(words)
    return plain >= MIN_PROSE_WORDS and 3 * plain >= needed


def _named_command(action: Action, about: str) -> Command | None:
    """The command of a line whose names stand in `about` more than those of any other; its program counts most."""
    names = frozenset(_NAME.findall(about))
    shared = [_count_named(item, names) for item in action.working]
    most = max(shared, default=0)
    if most < MIN_NAMES or shared.count(most) > 1:
        return None
    return action.working[shared.index(most)]


def _count_named(command: Command, names: frozenset[str]) -> int:
    runs_it = command.program in names
    return (MIN_NAMES if runs_it else 0) + len(names.intersection(_names_in(command)))


def _names_in(command: Command) -> list[str]:
    return _NAME.findall(command.text[:MAX_LONG_CALL_CHARACTERS])


def _with_directory(command: Command) -> str:
    where = f"cd {command.directory} && " if command.directory else ""
    return f"… {where}{_closed(as_run(command))}"


def deciding_command(action: Action) -> Command | None:
    """Of several commands, the last that checks: what came before prepared it."""
    if len(action.working) > 1 and "checks" in action.effects:
        return [item for item in action.working if "checks" in effects_of(item)][-1]
    return action.main


def _tool_call(step: Step) -> str:
    """Tool, target, and the arguments that are no bodies of files."""
    target = step.action.target.value
    values = step.action.arguments.values
    named = (
        f"{name}={_value(value)}"
        for name, value in list(values.items())[: 2 * MAX_VALUES]
        if not _is_body(name) and value not in (None, "", target, False)
    )
    words = [step.tool, target, *list(named)[:MAX_VALUES]]
    return " ".join(filter(None, words))


def _is_body(name: str) -> bool:
    return name.replace("_", "").lower() in _BODIES


def _value(value: object) -> str:
    text = " ".join(str(value).split())
    if len(text) <= MAX_VALUE_CHARACTERS:
        return text
    return f"{text[:MAX_VALUE_CHARACTERS].rstrip()}…"


def change_text(edits: tuple[Edit, ...], output: str = "") -> str:
    """What an edit changed, - old and + new: of several places and lines, those that the failing `output` speaks of."""
    if not edits:
        return ""
    edit = next((edit for edit in edits if is_named(edit, output)), edits[0])
    return "\n".join(_changed_lines(edit, output))


@lru_cache(maxsize=8)  # the edits behind one failure are held against the same output
def _names_of(output: str) -> frozenset[str]:
    return frozenset(_NAME.findall(output))


@lru_cache(maxsize=4096)  # an edit stands behind several failures
def _names_in_line(line: str) -> frozenset[str]:
    return frozenset(_NAME.findall(line))


def is_named(edit: Edit, output: str) -> bool:
    """Whether an output speaks of the file of an edit."""
    name = edit.path.replace("\\", "/").rpartition("/")[2]
    return bool(name) and name in output


def _changed_lines(edit: Edit, output: str) -> Iterator[str]:
    old, new = edit.old.splitlines(), edit.new.splitlines()
    removed, added = _without(old, new), _without(new, old)
    is_indent = [line.split() for line in removed] == [line.split() for line in added]
    show = _visible if is_indent else _bare
    yield from (
        f"- {show(line)}" for line in _telling(removed, output, MAX_REMOVED_LINES)
    )
    yield from (f"+ {show(line)}" for line in _telling(added, output, MAX_ADDED_LINES))


def _without(lines: list[str], counterparts: list[str]) -> list[str]:
    """The lines that are on one side of an edit only."""
    both = {"", *counterparts}
    return [line for line in lines if line.strip() and line not in both]


def _bare(line: str) -> str:
    return _short(line.strip())


def _telling(lines: list[str], output: str, limit: int) -> list[str]:
    """The lines that share most words with the failing `output`, in their order; the first ones where none does. A
    comment that tells a linter to be quiet says all about an edit, any other least."""
    if len(lines) <= limit:
        return lines
    places, words = range(len(lines)), _names_of(output)
    shared = [len(words & _names_in_line(line)) for line in lines]
    kinds = [_kind_of_line(line) for line in lines]
    best = sorted(places, key=lambda place: (kinds[place], -shared[place], place))
    return [lines[place] for place in sorted(best[:limit])]


def _kind_of_line(line: str) -> int:
    if SUPPRESSING.search(line):
        return 0
    return 2 if _COMMENT.match(line) else 1


def _visible(line: str) -> str:
    """A line of which only the white space matters."""
    return _short(line.replace("\t", "→"))


def _short(line: str) -> str:
    if len(line) <= MAX_CHANGED_CHARACTERS:
        return line
    return f"{line[:MAX_CHANGED_CHARACTERS].rstrip()}…"
