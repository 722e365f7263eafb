"""An edit whose text is not in the file, though the session has seen the file: what is different.

Compared with what was read or written before, newest first, and line by line, without the white space around lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from afterglow.calls import Edit, prints_files
from afterglow.harvest.state_checks.explanation import Explanation, is_short
from afterglow.harvest.state_checks.moment import Moment
from afterglow.harvest.trail import Step

NAME = "edit"

MAX_COMPARED_LINES = 400  # of an edit: a longer one replaces the file
MIN_TELLING_CHARACTERS = 12  # of an edit's lines together: `}` stands everywhere
# Lines of an edit that make sure which place of the file it means, though one of them is wrong.
MIN_LINES_TO_KNOW_IT = 4
MAX_PART_CHARACTERS = 48  # of a line that is too long to be repeated
MAX_SHELL_CALLS_BACK = 60  # in which the file may have been shown by a shell line

_ABSENT = re.compile(
    r"(?i)not found|did not match|no match|(?:failed|unable|could not) to (?:find|locate|match)|could not find"
    r"|does not (?:exist|appear|match)|failed to find|didn't appear"
)
# What tools put before the lines of a file: `   12→`, `12\t`, `12| `, `12: `.
_NUMBER = re.compile(r"^[ ]{0,7}\d{1,6}(?:→|\t|\| ?|: |:)")

LEADING = "an edit whose text differs only in leading white space"
TRAILING = "an edit whose text differs only in white space at the ends of lines"
NUMBERS = "an edit whose text holds the line numbers that a tool put before the lines"
SITUATION = "An edit is not found though just read"
REMEDY = "mostly a leading tab is missing: add it (`sed -n 8,9p FILE | cat -t` shows tabs as `^I`)"


def explain(moment: Moment) -> Explanation | None:
    if moment.step.action.kind != "edit" or not _ABSENT.search(moment.output):
        return None
    for edit in refused_edits(moment):
        explanation = _explain_edit(moment, edit)
        if explanation is not None:
            return explanation
    return None


def refused_edits(moment: Moment) -> list[Edit]:
    """The edits of the call that were not possible: of several, those whose text the tool repeats."""
    edits = moment.step.action.edits
    if len(edits) < 2:
        return list(edits)
    return [edit for edit in edits if _is_repeated(edit, moment.output)]


def _is_repeated(edit: Edit, output: str) -> bool:
    lines = [line.strip() for line in edit.old.splitlines() if line.strip()]
    return bool(lines) and all(line in output for line in lines)


def _explain_edit(moment: Moment, edit: Edit) -> Explanation | None:
    old_lines = edit.old.strip("\n").split("\n")
    says_little = len(edit.old.strip()) < MIN_TELLING_CHARACTERS
    if says_little or len(old_lines) > MAX_COMPARED_LINES:
        return None
    name = edit.path.rsplit("/", 1)[-1]
    unnumbered = [_NUMBER.sub("", line, count=1) for line in old_lines]
    versions: list[list[str]] = []
    for lines in _versions(moment, edit.path):
        if "\n".join(old_lines) in "\n".join(lines):
            break  # it did stand there: something else has changed the file since
        if (place := _find(old_lines, lines)) is not None:
            return _of_white_space(name, old_lines, lines[place:])
        if unnumbered != old_lines and _find(unnumbered, lines) is not None:
            return _explanation(NUMBERS, f"{NUMBERS} (`{name}`): leave them out")
        versions.append(lines)
    for lines in versions:
        if (place := _find_but_one(old_lines, lines)) is not None:
            replaced = _replaced_lines(moment, edit.path)
            return _other_line(name, old_lines, lines[place:], replaced)
    return None


def _replaced_lines(moment: Moment, path: str) -> set[str]:
    """Lines of the file that edits of this session took out: an older look at it shows them still."""
    edits = (edit for step in moment.touched(path) for edit in step.action.edits)
    return {line.strip() for edit in edits for line in edit.old.splitlines()}


def _versions(moment: Moment, path: str) -> Iterator[list[str]]:
    """The lines of the file as they were seen or written, the newest first."""
    for step in moment.touched(path):
        yield from map(_lines, _texts(step))
    name = path.rsplit("/", 1)[-1]
    for count, step in enumerate(moment.back()):
        if count == MAX_SHELL_CALLS_BACK:
            break
        if step.call.result and name in step.command and _shows_plainly(step):
            yield _lines(step.call.result)


def _shows_plainly(step: Step) -> bool:
    """Only prints files as they are: what searches and comparisons print begins with something else."""
    commands = step.action.commands
    return bool(commands) and all(map(prints_files, commands))


def _texts(step: Step) -> Iterator[str]:
    action = step.action
    if action.kind == "read":
        yield step.call.result or ""
    elif action.written is not None:
        yield action.written.new
    else:
        yield from (edit.new for edit in action.edits)


def _lines(text: str) -> list[str]:
    """Without the numbers that a tool put before them."""
    lines = text.split("\n")
    numbered = sum(_NUMBER.match(line) is not None for line in lines)
    if 2 * numbered <= len(lines):
        return lines
    return [_NUMBER.sub("", line, count=1) for line in lines]


def _find(old_lines: Sequence[str], lines: Sequence[str]) -> int | None:
    """Where the text stands, whatever white space is around its lines; it may begin and end within a line."""
    bare = [line.strip() for line in old_lines]
    stripped = [line.strip() for line in lines]
    for place in range(len(lines) - len(bare) + 1):
        if _is_at(bare, stripped[place : place + len(bare)]):
            return place
    return None


def _find_but_one(old_lines: Sequence[str], lines: Sequence[str]) -> int | None:
    """Where the text stands but for one of its lines."""
    bare = [line.strip() for line in old_lines]
    if len(bare) < MIN_LINES_TO_KNOW_IT:
        return None
    stripped = [line.strip() for line in lines]
    for place in range(len(lines) - len(bare) + 1):
        window = stripped[place : place + len(bare)]
        equal = sum(line == real for line, real in zip(bare, window, strict=True))
        if equal == len(bare) - 1:
            return place
    return None


def _other_line(
    name: str, old_lines: Sequence[str], lines: Sequence[str], replaced: set[str]
) -> Explanation | None:
    stripped = zip(map(str.strip, old_lines), map(str.strip, lines), strict=False)
    numbered = enumerate(stripped, start=1)
    number, (line, real) = next(
        (number, pair) for number, pair in numbered if pair[0] != pair[1]
    )
    if not real or "`" in real or real in replaced:
        return None
    topic = "an edit whose text differs from the file in one line"
    words = f"`{name}` has the text of the edit but for line {number} of it, which reads `{_part(line, real)}` there"
    return Explanation(NAME, topic, f"{words}: take that")


def _part(line: str, real: str) -> str:
    """Of a long line, what stands where it begins to differ."""
    if is_short(real):
        return real
    letters = enumerate(zip(line, real, strict=False))
    differs = next((place for place, pair in letters if pair[0] != pair[1]), len(line))
    latest = len(real) - MAX_PART_CHARACTERS
    start = max(min(differs - MAX_PART_CHARACTERS // 4, latest), 0)
    part = real[start : start + MAX_PART_CHARACTERS]
    return f"{'…' * (start > 0)}{part}{'…' * (start < latest)}"


def _is_at(bare: Sequence[str], stripped: Sequence[str]) -> bool:
    if len(bare) == 1:
        return bare[0] in stripped[0]
    is_within = stripped[0].endswith(bare[0]) and stripped[-1].startswith(bare[-1])
    return is_within and stripped[1:-1] == bare[1:-1]


def _of_white_space(
    name: str, old_lines: Sequence[str], lines: Sequence[str]
) -> Explanation | None:
    pairs = [
        (line, real)
        for line, real in zip(old_lines, lines, strict=False)
        if line.strip() and _indent(line) != _indent(real)
    ]
    if pairs and not _indent(pairs[0][0]) and pairs[0][0] == old_lines[0]:
        pairs = pairs[1:] if len(old_lines) > 1 else []  # it begins within its line
    if not pairs:
        return _explanation(TRAILING, f"{TRAILING} (`{name}`)")
    return _leading(name, [(_indent(line), _indent(real)) for line, real in pairs])


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _leading(name: str, indents: Sequence[tuple[str, str]]) -> Explanation:
    wrong, right = indents[0]
    deltas = {_delta(*pair) for pair in indents}
    if "\t" in right and " " in wrong and "\t" not in wrong:
        line = f"`{name}` is indented with tabs, the text of the edit with spaces: write tabs"
    elif " " in right and "\t" in wrong and "\t" not in right:
        line = f"`{name}` is indented with spaces, the text of the edit with tabs: write spaces"
    elif len(deltas) == 1:
        line = _constant(name, *deltas.pop())
    else:
        line = (
            f"the text of the edit differs from `{name}` only in the white space before its lines: "
            f"the first wrong one begins with {_counted(right)}, not {_counted(wrong)}"
        )
    return _explanation(LEADING, line)


def _delta(wrong: str, right: str) -> tuple[int, int]:
    """Tabs and spaces that the line of the edit lacks."""
    return right.count("\t") - wrong.count("\t"), right.count(" ") - wrong.count(" ")


def _constant(name: str, tabs: int, spaces: int) -> str:
    """Every wrong line lacks the same, or has the same too many."""
    count, unit = (tabs, "tab") if tabs else (spaces, "space")
    amount = _amount(abs(count), unit)
    if count > 0:
        return f"lines of `{name}` begin with {amount} more than those of the edit: add {amount} before each wrong line"
    return f"lines of `{name}` begin with {amount} less than those of the edit: take {amount} from each wrong line"


def _counted(indent: str) -> str:
    tabs, spaces = indent.count("\t"), indent.count(" ")
    if tabs and spaces:
        return f"{_amount(tabs, 'tab')} and {_amount(spaces, 'space')}"
    return _amount(tabs, "tab") if tabs else _amount(spaces, "space")


def _amount(count: int, unit: str) -> str:
    return f"{count} {unit}{'s' * (count != 1)}"


def _explanation(topic: str, line: str) -> Explanation:
    return Explanation(NAME, topic, line, SITUATION, REMEDY, agent_wide=True)
