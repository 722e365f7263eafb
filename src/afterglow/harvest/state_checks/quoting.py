"""What the shell, or the tool before it, made of a text: `!` that became `\\!`, backticks that were run, a lost line end."""

from __future__ import annotations

import re

from afterglow.harvest.state_checks.explanation import Explanation
from afterglow.harvest.state_checks.moment import Moment

NAME = "quoting"

# Backticks within double quotes: a command to the shell, a name to whoever wrote the text.
_DOUBLE_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_BACKTICKS = re.compile(r"(?<!\\)`([^`\n]+)`")
_EMPTY_NAME = re.compile(r"permission denied: *$|command not found: *$", re.MULTILINE)
_UNMATCHED = re.compile(
    r"^(?:\(eval\)|(?:/\w+/)*(?:ba|z|da)?sh)[:\w ]*: ?(?:unmatched ['\"`]|unexpected EOF while looking for matching"
    r"|syntax error: unterminated quoted string)",
    re.IGNORECASE | re.MULTILINE,
)
MAX_LINE_READ = 20_000  # characters of a line that are looked through for quotes


def explain(moment: Moment) -> Explanation | None:
    if not moment.commands:
        return None
    return (
        _escaped_mark(moment)
        or _run_backticks(moment)
        or _lost_line_end(moment)
        or _unmatched(moment)
    )


def _escaped_mark(moment: Moment) -> Explanation | None:
    line = moment.step.command
    if "\\!" not in moment.output or "!" not in line or "\\!" in line:
        return None
    topic = "the tool hands `!` to the shell as `\\!`"
    return Explanation(
        NAME,
        topic,
        f"{topic}: write it without, e.g. `== … | not` for `!=` in jq, or put the program into a file",
        "A `!` in single quotes may arrive as `\\!`, so jq cannot parse `!=`",
        "`== … | not`, or the program in a file",
        agent_wide=True,
    )


def _run_backticks(moment: Moment) -> Explanation | None:
    """A program that is missing stands in backticks in a double-quoted text."""
    if not moment.missing:
        return None
    texts = _DOUBLE_QUOTED.findall(moment.step.command[:MAX_LINE_READ])
    spans = [span for text in texts for span in _BACKTICKS.findall(text)]
    name = next((span for span in spans if span.split()[0] in moment.missing), "")
    if not name:
        return None
    topic = "backticks within double quotes are run by the shell"
    return Explanation(
        NAME,
        topic,
        f"the shell ran `{name.split()[0]}`: {topic}; use single quotes, `<<'EOF'` or a file for the text",
        "The shell runs backticks in double quotes (commit message, PR body)",
        "single quotes, `<<'EOF'`, or a file",
    )


def _lost_line_end(moment: Moment) -> Explanation | None:
    """A backslash at the end of a line came through as a word: the shell speaks of a program without a name."""
    if "\\\n" not in moment.step.command or not _EMPTY_NAME.search(moment.output):
        return None
    topic = "a backslash at the end of a line is taken for a program without a name"
    return Explanation(
        NAME,
        topic,
        f"{topic}: write the command on one line, or end lines with `&&` alone",
    )  # most such commands work, so there is nothing to tell before one fails


def _unmatched(moment: Moment) -> Explanation | None:
    if not _UNMATCHED.search(moment.output):
        return None
    topic = "a quote in the text ended the quoted word"
    return Explanation(
        NAME,
        topic,
        f"{topic}: give the text as a here-document (`<<'EOF'`) or a file",
    )
