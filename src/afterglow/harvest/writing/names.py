"""What calls and lessons name: programs, flags, wrappers, paths, words of code. Two texts that say the same in other
words are compared by these, never as strings.

A lesson names things in backticks. What its situation names and its remedy does not is to go; what only the remedy
names is to come.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from afterglow.calls import Command, parse, program, quote
from afterglow.calls.programs import table
from afterglow.harvest.events.claims import LINE_END
from afterglow.harvest.events.runs import form_of, task_of
from afterglow.records.problems import Runs, SessionEvents
from afterglow.records.tools import is_shell

# Of a path, the parts that are compared: agents write it whole, from a folder, or by its end.
MAX_PATH_PARTS = 8
# A word of code has at least so many letters; shorter ones stand everywhere.
MIN_WORD_CHARACTERS = 3
# Of a sub-command that names what a call of another tool does; shorter ones (`add`, `run`) are in many.
MIN_TASK_CHARACTERS = 5
CUT_BEFORE = "… "  # stands before a call whose beginning was left out
CACHED_PATTERNS = 256  # each event of a problem is held against the same few
CACHED_CALLS = 4096  # every check asks for the calls of every event again

TYPED = ("flag ", "wrapper ", "variable ", "several ")
RUN = ("program ", "run ", "task ", "tool ")
SHELL_SIGNS = frozenset("*?[]!(){}")  # what a shell takes for itself

# Text between one backtick or two, or the fence of a block with its language (```text), which nothing closes.
SPAN = re.compile(
    r"(?<!`)(?P<ticks>``?)(?!`)([^\n]+?)(?<!`)(?P=ticks)(?!`)|(?<!`)(`{3}[\w+-]+)"
)
PLACEHOLDER = re.compile(r"<[^<>]*>|…|\.{3}|\[REDACTED[^\]]*\]|\{\w*\}|\$\{?\w+\}?")
_CODE_WORD = re.compile(r"[A-Za-z_$@][\w$@.:-]*")
_PATH = re.compile(
    r"[\w.@~-]*(?:[/\\][\w.@*<>…-]+)+/?|[\w.-]+/(?!\S)|(?<![\w.])[\w-]+\.[A-Za-z]\w{0,5}(?![\w(])"
)
# What a lesson leaves open in a command, and where a word of a call ends.
_HOLE = re.compile(r"<[^<>\s]{1,40}>|\{\w{1,40}\}|…|\.\.\.")
_END = r"(?=[\s;|&'\")]|$)"
_SUFFIX = re.compile(r"\w\.[A-Za-z]\w{0,5}$")
_UNQUOTED_PLACEHOLDER = re.compile(r"(?<!')<[\w\s./|-]*>(?!')")
_FLAG = re.compile(r"--?[A-Za-z]")


def spans(text: str) -> list[str]:
    """What stands in backticks, read from the left."""
    return [(code or fence).strip() for _, code, fence in SPAN.findall(text)]


@lru_cache(maxsize=CACHED_CALLS)
def names_of_call(tool: str, command: str) -> frozenset[str]:
    """Everything that a call names. Of a shell's line its commands, typed; of other calls paths and words."""
    if not command:
        return frozenset()
    if is_shell(tool):
        return names_of_line(command)
    return frozenset({f"tool {tool}", *_loose_names(command)})


def commands_in(line: str) -> tuple[Command, ...]:
    """The commands of a line as it stands in a redacted call or in a lesson."""
    text = line.removeprefix(CUT_BEFORE).replace(f" {LINE_END} ", "\n")
    return parse(text.replace(LINE_END, "\n")).commands


def forms_in(line: str) -> tuple[str, ...]:
    """The forms of its commands, as sessions count them; a placeholder is an operand like any other."""
    return tuple(filter(None, map(form_of, commands_in(fillable(line)))))


def runs_in(line: str, history: Iterable[SessionEvents]) -> Runs:
    """How the command of a line that was run least often ended, in all sessions; further flags are no matter."""
    sessions = [session.runs for session in history]
    results = [
        _runs_of_form(form.split(), sessions, is_open=_is_open(command))
        for command in commands_in(fillable(line))
        if (form := form_of(command))
    ]
    return min(results, key=lambda runs: (runs.well, runs.badly), default=Runs())


def _is_open(command: Command) -> bool:
    """Its first operand is for the reader to fill: `docker compose -f ci.yml <command>` tells every sub-command."""
    return (
        bool(command.operands) and PLACEHOLDER.search(command.operands[0]) is not None
    )


def _runs_of_form(
    words: Sequence[str], sessions: Iterable[Mapping[str, Runs]], *, is_open: bool
) -> Runs:
    flags = {word for word in words if word[0] == "-"}
    task = _task_there([word for word in words if word[0] != "-"])
    total = Runs()
    for runs in sessions:
        for form, run in runs.items():
            form_words = form.split()
            form_task = _task_there([word for word in form_words if word[0] != "-"])
            compared = form_task[: len(task)] if is_open else form_task
            if compared == task and flags.issubset(form_words):
                total += run
    return total


def _task_there(task: list[str]) -> list[str]:
    """Without what takes it to another machine: a lesson tells what to run there."""
    wrapping = program(task[0]).wrapping if task[1:] else None
    return task[1:] if wrapping is not None and wrapping.remote else task


@lru_cache(maxsize=CACHED_CALLS)
def names_of_line(line: str) -> frozenset[str]:
    return union(map(names_of_single, commands_in(line)))


def names_of_single(command: Command) -> frozenset[str]:
    """What one command names."""
    return frozenset(_command_names(command))


def is_path(span: str) -> bool:
    return _PATH.fullmatch(span) is not None


def is_flag(span: str) -> bool:
    return _FLAG.match(span) is not None


def _command_names(command: Command) -> Iterator[str]:
    yield f"program {command.program}"
    yield f"run {command.words[0].rpartition('/')[2]}"  # `python3` is no `python`
    if task := task_of(command):
        yield f"task {command.program} {' '.join(task)}"
    if len(command.operands) > 1 and command.program in table():
        yield f"several {command.name}"
    for wrapper in command.wrappers:
        yield f"wrapper {wrapper.program}"
    for item in command.environment:
        yield f"variable {item.name}"
        yield from _words(item.value)
    for flag in command.flags:
        yield f"flag {flag.name}"
        if flag.value:
            yield from _words(flag.value)
    for operand in command.operands:
        yield from _words(operand)
    if command.directory:
        yield from (f"directory {part}" for part in _tails(command.directory))
    for redirection in command.redirections:
        if not redirection.target.startswith("/dev/"):
            yield from _words(redirection.body or redirection.target)


def _words(text: str) -> Iterator[str]:
    """An operand as it stands, the paths in it, and the words of code."""
    if PLACEHOLDER.search(text):
        yield from (name for name in _loose_names(text) if "/" in name)
        return
    yield text.rstrip("/")
    yield from _loose_names(text)


def words_in(text: str) -> frozenset[str]:
    """Paths and words of a text that is no call."""
    return frozenset(_loose_names(text))


def _loose_names(text: str) -> Iterator[str]:
    for match in _PATH.finditer(text):
        yield from _path_names(match[0])
    for match in _CODE_WORD.finditer(_PATH.sub(" ", text)):
        word = match[0].rstrip(".:-")
        if len(word) >= MIN_WORD_CHARACTERS:
            yield word


def _path_names(path: str) -> Iterator[str]:
    """A path by every end and every stretch of at least two parts."""
    parts = _parts(path)
    for start in range(len(parts)):
        yield "/".join(parts[start:])
        for end in range(start + 2, len(parts)):
            yield "/".join(parts[start:end])


def _tails(path: str) -> Iterator[str]:
    parts = _parts(path)
    for start in range(len(parts)):
        yield "/".join(parts[start:])


def _parts(path: str) -> list[str]:
    cleaned = path.replace("\\", "/").strip("/")
    parts = [part for part in cleaned.split("/") if part not in {"", ".", "~"}]
    return parts[-MAX_PATH_PARTS:]


@lru_cache(maxsize=CACHED_CALLS)
def names_of_command(span: str) -> frozenset[str]:
    """What a command in backticks names, placeholders left out."""
    return without_placeholders(names_of_line(fillable(span)))


def names_of_literal(span: str) -> frozenset[str]:
    """What a text in backticks names that is no command: a flag, a path, words of code."""
    if _FLAG.match(span):
        return frozenset(f"flag {word}" for word in span.split() if _FLAG.match(word))
    if _PATH.fullmatch(span):
        return without_placeholders({"/".join(_parts(span))})
    return without_placeholders({span, f"run {span}", *_loose_names(span)})


def plain_paths(text: str) -> frozenset[str]:
    """Paths of two parts and more that stand in no backticks: `Path does not exist: …/cli/commands`."""
    paths = _PATH.findall(SPAN.sub(" ", text).replace("…/", " "))
    names = ("/".join(_parts(path)) for path in paths)
    return without_placeholders(name for name in names if "/" in name)


def without_placeholders(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name for name in names if not PLACEHOLDER.search(name))


def fillable(span: str) -> str:
    """A command with its placeholders as plain words, so that `<name>` redirects nothing."""
    return _UNQUOTED_PLACEHOLDER.sub(lambda match: quote(match[0]), span)


def has_sign(text: str) -> bool:
    """Whether a shell would take a part of it for itself."""
    return not SHELL_SIGNS.isdisjoint(text)


def union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*sets)


def is_typed(name: str) -> bool:
    """Of which it is known what it does in a call; a path or a plain word may be any."""
    return name.startswith(TYPED)


def is_program(name: str) -> bool:
    return name.startswith("program ")


def is_form(name: str) -> bool:
    return name.startswith((*TYPED, *RUN))


def is_path_name(name: str) -> bool:
    return "/" in name and " " not in name


def is_file(name: str) -> bool:
    """A path that ends in a name with a suffix."""
    return is_path_name(name) and "." in name.rpartition("/")[2]


def is_file_name(name: str) -> bool:
    """With its folders or without: a word that ends in a suffix."""
    return " " not in name and _SUFFIX.search(name) is not None


def is_related(call: frozenset[str], failing: frozenset[str]) -> bool:
    """Runs the same program, works on the same file or deep in the same folder, or does what the other is called by."""
    shared = call & failing
    if any(is_program(name) or _is_same_place(name) for name in shared):
        return True
    tasks = (name.split()[-1] for name in call if name.startswith("task "))
    return any(len(word) >= MIN_TASK_CHARACTERS and word in failing for word in tasks)


def _is_same_place(name: str) -> bool:
    """A file's name, or a path of three parts and more."""
    is_file_name = "." in name and "/" not in name and " " not in name
    return is_file_name or name.count("/") >= 2


def is_same_call(ending: frozenset[str], failing: frozenset[str]) -> bool:
    """One task of both is the same; the program, where it has no tasks."""
    tasks = {name for name in failing if name.startswith("task ")}
    if tasks:
        return not tasks.isdisjoint(ending)
    return any(name.startswith(RUN) for name in ending & failing)


def is_same_again(ending: frozenset[str], failing: frozenset[str]) -> bool:
    """All that the failing call was, or a part of it without anything new but how much is shown (`tail -5`): a check is
    run again by itself."""
    if failing <= ending:
        return True
    came = filter(is_typed, ending - failing)
    is_new = any(not name.rpartition("-")[2].isdecimal() for name in came)
    return is_same_call(ending, failing) and not is_new


@lru_cache(maxsize=CACHED_PATTERNS)
def as_pattern(command: str) -> re.Pattern[str]:
    """A command of a lesson as calls are searched for it: `<name>`, `{name}` and `…` stand for a word of any kind."""
    parts = [r"\s+".join(map(re.escape, part.split())) for part in _HOLE.split(command)]
    return re.compile(r"(?<![\w/.-])" + r"\s*[^\s'\"]+\s*".join(parts) + _END)


def newly_quoted(failing: str, working: str) -> bool:
    """A word with a sign of the shell stood bare, and is quoted in the other line."""
    bare = {word for word, written in _signed_words(failing) if word == written}
    quoted = {word for word, written in _signed_words(working) if word != written}
    return not bare.isdisjoint(quoted)


def _signed_words(line: str) -> list[tuple[str, str]]:
    return [
        (word, written)
        for command in commands_in(line)
        for word, written in zip(command.words, command.written, strict=True)
        if has_sign(word)
    ]
