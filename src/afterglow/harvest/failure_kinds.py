"""What kind of failure a message tells of, and whether it names its own remedy."""

from __future__ import annotations

import re
from functools import lru_cache

from afterglow.calls import steady
from afterglow.harvest.trail import Step, Trail
from afterglow.records.knowledge import Evidence
from afterglow.records.tools import tool_kind
from afterglow.text.clip import clip
from afterglow.text.fingerprint import fingerprint, telling_line

MAX_EMPTY_CHARACTERS = 600  # of a result that may hold no word: what is longer does
REACH = 7  # calls behind a failure in which its fix is looked for

# Failures of ordinary development: code was wrong and got edited. Only a step in between says anything about them.
DEVELOPMENT = re.compile(
    r"--- FAIL|^FAIL\b|\[build failed\]|ERROR task failed|undefined: |cannot use |declared and not used"
    r"|imported and not used|AssertionError|\bassert\b|\d+ failed\b|error TS\d|error\[E\d|SyntaxError|FAILED "
    r"|expected .{1,60} got|test.{1,80}failed|panic: |syntax error near|\(typecheck\)",
    re.MULTILINE,
)
# ... unless the run never got as far as the code.
SETUP = re.compile(
    r"build constraints|setup failed|[Nn]o module named|Cannot find module|command not found|not installed|go mod tidy"
    r"|unknown (?:flag|option|shorthand|command|argument)|unrecognized|no such option|invalid (?:flag|option|choice)"
    r"|usage:"
)
# The command line itself was not understood: a later failure of another kind is also a way past it.
USAGE = re.compile(
    r"(?i)unknown (?:flag|option|shorthand|argument|command|json field)|unrecognized (?:argument|option|flag)"
    r"|no such option|invalid option|unexpected argument|unknown linters?"
)
ABSENT = re.compile(
    r"(?i)no such file|does not exist|not found: [./~]|cannot access|no matches found"
)
# The shell stood in another directory than the agent thought: not what the command was about.
ASTRAY = re.compile(
    r"\bcd:|directory not found|not in the working tree|did not match any file|permission denied:\s*$"
)
_MUTE = re.compile(
    r"exit -?\d+|no message|[\W_]*|Traceback \(most.*|[\W\d]*\w+[\W\d]*|[\w./@-]+:\d+|Resolving \w+"
)
_MISSING_PROGRAM = re.compile(
    r"command not found: (?P<zsh>[\w.+-]{1,40})|(?:^|: )(?P<sh>[a-zA-Z][\w.+-]{0,40}): (?:command )?not found$"
)
# What was asked to run is not there: a script, a task, a program. Nothing was run, so nothing failed.
_RUNNABLE = r"(?:script|task|target|recipe|(?:sub-?)?command)"
_NOT_THERE = re.compile(
    rf"(?i)\b(?:no|none|not|missing|unknown|unrecogni[sz]ed|undefined)\b[^\n]{{0,60}}\b{_RUNNABLE}\b"
    rf"|\b{_RUNNABLE}\b[^\n]{{0,60}}\b(?:not found|not defined|does ?n[o']t exist|is missing|unknown)\b"
)
_NO_MODULE = re.compile(r"[Nn]o module named '?(\w+)")
CACHED_ERRORS = 256  # each is asked about beside every call that follows it
_MARKUP = re.compile(r"<[^<>]{1,200}>")
_ADVICE = re.compile(
    r"(?i)(?:did you mean|maybe you meant|please (?:run|use)|you can run|try(?: running)?|to (?:update|fix|install) it"
    r"|use|run):?\s+[\"'`]?([^\s\"'`?,;]{2,60}(?: [^\s\"'`?,;]{2,40})?)"
)


def message(step: Step) -> tuple[str, str]:
    """The line of an error that names the problem, and its fingerprint."""
    line = telling_line(step.call.error)
    return clip(" ".join(line.split()), 140), fingerprint(step.call.error)


def asks_for_what_is_not_there(error: str) -> bool:
    """A script, a task or a program was to be run that there is none of."""
    return _NOT_THERE.search(error) is not None


@lru_cache(maxsize=CACHED_ERRORS)
def names_not_there(error: str) -> frozenset[str]:
    """The programs and modules that it says are not there."""
    programs = frozenset(map(missing_program, error.splitlines()))
    return (programs | missing_modules(error)) - {""}


def missing_modules(error: str) -> frozenset[str]:
    return frozenset(_NO_MODULE.findall(error))


def answers_nothing(step: Step) -> bool:
    """Somebody was given a task and came back without a word."""
    result = (step.call.result or "")[:MAX_EMPTY_CHARACTERS]
    return tool_kind(step.tool) == "delegate" and not _MARKUP.sub("", result).strip()


def is_mute(line: str) -> bool:
    """A message that says nothing: an exit code, a frame, a single word."""
    return bool(_MUTE.fullmatch(line))


def advises(error: str, working: str) -> bool:
    """The message names its own remedy, and the remedy is what worked."""
    text = steady(working)
    return any(
        len(match[1]) > 3 and not match[1].isalpha() and match[1].rstrip(".:)") in text
        for match in _ADVICE.finditer(error[:3000])
    )


def mentions(error: str, words: set[str]) -> bool:
    """The message names one of these words: a flag, a path, a quoted name; `line` in `line 1, column 2` is none."""
    bare = {word.strip("'\"-,;:(){}[]|") for word in words if len(word) > 2}
    return any(
        word in error and (not word.isalpha() or _names(error, word))
        for word in bare
        if len(word) > 2
    )


def _names(error: str, word: str) -> bool:
    return bool(re.search(rf"(?:--?|['\"`‘“=:]){re.escape(word)}\b", error[:3000]))


def repeats(steps: list[Step], step: Step) -> bool:
    """Calls of one batch that failed the same way are one event: the first stands for all."""
    before = steps[step.index - 1] if step.index else None
    return bool(
        before
        and before.failed
        and before.turn == step.turn
        and before.call.error == step.call.error
    )


def recovery(trail: Trail, step: Step, after: Step) -> tuple[Evidence, ...]:
    """The failing call, what it said, and the call that worked."""
    message_span = trail.got_words(step, telling_line(step.call.error))
    return trail.asked(step), message_span, trail.asked(after)


def missing_program(line: str) -> str:
    """The program a shell says is not there."""
    if "not found" not in line:  # as nearly every line, and the pattern is slow to tell
        return ""
    match = _MISSING_PROGRAM.search(line)
    return (match["zsh"] or match["sh"]) if match else ""
