"""What several calls, or several messages, have in common, with placeholders for what varies between sessions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from afterglow.calls import Command
from afterglow.harvest.events.claims import LINE_END
from afterglow.harvest.quotable import is_quotable, report_in
from afterglow.text.clip import clip

MAX_MESSAGE_CHARACTERS = 90  # of an error in a situation: a line of a terminal
# Of placeholders in a row: two say "several", more say no more.
MAX_PLACEHOLDERS = 2
MAX_FOLDER_PARTS = 2  # of a folder that are shown: what stands before is of one machine

_PATH = re.compile(r"[^\s=]*/[^\s]*|[\w.-]+\.[a-z]{1,5}")


class _Argument(NamedTuple):
    """An operand; or a flag with its value, whether that stands behind `=` or behind a space. Both as they were written,
    too."""

    value: str
    written: str
    flag: str = ""
    written_flag: str = ""

    @property
    def whole(self) -> str:
        return self.written_flag + self.written


def general_form(
    commands: Sequence[Command],
    models: Sequence[Command],
    *,
    keep_folders: bool = False,
    new_words: Container[str] = (),
) -> str:
    """The shortest of the models with what it shares with all commands; what varies is a placeholder, and options that
    some do without are left out. With `keep_folders`, of paths that vary the end of the folder they share stays. A path
    of one machine stays only where it is among the `new_words` that a remedy brought."""
    shortest = min(models, key=lambda command: (len(command.words), len(command.text)))
    program = _shared([command.written[0] for command in commands])
    compared = [list(_arguments(command)) for command in commands]
    arguments = [
        _written(argument, compared, keep_folders, new_words)
        for argument in _arguments(shortest)
    ]
    words = [program or "<program>", *filter(None, arguments)]
    front = [*_environment(shortest, commands), *_wrappers(shortest, models)]
    return " ".join([*front, *_without_runs(words)])


def _shared(values: Sequence[str]) -> str:
    return values[0] if len(set(values)) == 1 else ""


def _environment(shortest: Command, commands: Sequence[Command]) -> Iterator[str]:
    for item in shortest.environment:
        if all(item in command.environment for command in commands):
            yield item.written


def _wrappers(shortest: Command, commands: Sequence[Command]) -> Iterator[str]:
    """Wrappers that all have, as most of them write it; of several ways that are as common, the newest."""
    for wrapper in shortest.wrappers:
        texts = [
            item.text
            for command in reversed(commands)
            for item in command.wrappers
            if item.program == wrapper.program
        ]
        if len(texts) >= len(commands):
            yield Counter(texts).most_common(1)[0][0]


def _written(
    argument: _Argument,
    compared: list[list[_Argument]],
    keep_folders: bool,
    new_words: Container[str],
) -> str:
    """As it is told; empty for an option that some do without."""
    if _is_text(argument.value):
        return f'{argument.written_flag}"…"'
    if all(_has(argument, arguments) for arguments in compared):
        is_of_machine = not argument.flag and argument.value[:1] in {"/", "~"}
        is_old = argument.value not in new_words
        return "<path>" if is_of_machine and is_old else argument.whole
    if not argument.flag:
        folder = _folder(argument, compared) if keep_folders else ""
        return _in_quotes(folder + _placeholder(argument.value), argument)
    if all(_has_flag(argument.flag, arguments) for arguments in compared):
        placeholder = _in_quotes(_named_value(argument), argument)
        return argument.written_flag + placeholder
    return ""


def _is_text(value: str) -> bool:
    """A message or a body: nobody writes it again."""
    return "\n" in value or "…" in value


def _folder(argument: _Argument, compared: list[list[_Argument]]) -> str:
    """The end of the folder that holds this operand and one of every other command; empty where there is none."""
    parts = argument.value.split("/")
    for count in range(len(parts), 1, -1):
        folder = "/".join(parts[:count])
        if all(_has_path(folder, arguments) for arguments in compared):
            return f"…/{'/'.join(parts[:count][-MAX_FOLDER_PARTS:])}/"
    return ""


def _has_path(folder: str, arguments: list[_Argument]) -> bool:
    values = [f"{item.value}/" for item in arguments if not item.flag]
    return any(value.startswith(f"{folder}/") for value in values)


def _has(argument: _Argument, arguments: list[_Argument]) -> bool:
    return any(
        (item.flag, item.value) == (argument.flag, argument.value) for item in arguments
    )


def _has_flag(name: str, arguments: list[_Argument]) -> bool:
    return any(item.flag == name for item in arguments)


def _arguments(command: Command) -> Iterator[_Argument]:
    """The words behind the program, flags together with their values."""
    words = list(zip(command.words[1:], command.written[1:], strict=True))
    at = 0
    while at < len(words):
        text, written = words[at]
        at += 1
        name, is_set, value = text.partition("=")
        if text == "--" or not command.has(name):
            yield _Argument(text.rstrip("/") or text, written)
        elif is_set:
            yield _Argument(value, written.partition("=")[2], name, f"{name}=")
        elif at < len(words) and command.value(name) == words[at][0]:
            yield _Argument(*words[at], name, f"{written} ")
            at += 1
        else:
            yield _Argument("", "", name, written)


def _named_value(argument: _Argument) -> str:
    """By the name of the flag, unless that is a single letter."""
    name = argument.flag.lstrip("-")
    return f"<{name}>" if len(name) > 1 else _placeholder(argument.value)


def _in_quotes(placeholder: str, argument: _Argument) -> str:
    sign = argument.written[:1]
    return f"{sign}{placeholder}{sign}" if sign in {"'", '"'} else placeholder


def _placeholder(text: str) -> str:
    if text.lstrip("#").isdigit():
        return "<n>"
    if " " in text or "\n" in text:
        return "<text>"
    return "<path>" if _PATH.fullmatch(text) else "<name>"


def _without_runs(words: Sequence[str]) -> list[str]:
    shorter: list[str] = []
    for word in words:
        is_run = shorter[-MAX_PLACEHOLDERS:] == [word] * MAX_PLACEHOLDERS
        if not (is_run and "<" in word[:2]):
            shorter.append(word)
    return shorter


def quoted_message(messages: Sequence[str]) -> str:
    """What a lesson quotes of these messages; empty where they are no reports. The newest is judged whole, too: its
    beginning may look like one."""
    is_report = is_quotable(" ".join(_head(messages[-1])))
    return report_in(general_message(messages)) if is_report else ""


def general_message(messages: Sequence[str]) -> str:
    """The newest of these messages with `…` for the words that most others do not have."""
    counts = Counter(word for message in messages for word in set(_head(message)))
    words: list[str] = []
    for word in _head(messages[-1]):
        text = word if 2 * counts[word] > len(messages) else "…"
        if text != "…" or words[-1:] != ["…"]:
            words.append(text)
    return clip(" ".join(words).replace("`", "'"), MAX_MESSAGE_CHARACTERS)


def _head(message: str) -> list[str]:
    """The words of a message without what stands below it."""
    return message.partition(LINE_END)[0].split()


def common_words(messages: Sequence[str]) -> set[str]:
    return set.intersection(*({*_head(message)} for message in messages))


def as_code(text: str) -> str:
    """In backticks; a text that holds some stands in two."""
    return f"``{text}``" if "`" in text else f"`{text}`"
