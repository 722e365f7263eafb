"""A wrapper read as the command it is: `npx -p x`, `docker run image`."""

from __future__ import annotations

from afterglow.calls import Command, Wrapper
from afterglow.calls.command import anatomy


def as_command(wrapper: Wrapper) -> Command:
    parts = anatomy(wrapper.program, wrapper.words[1:])
    return Command(
        program=wrapper.program,
        words=wrapper.words,
        written=wrapper.written,
        subcommand=parts.subcommand,
        flags=parts.flags,
        operands=parts.operands,
        assignments=wrapper.assignments,
    )


def task_words(command: Command) -> tuple[str, ...]:
    """Sub-command and operands: what the program is told to do, however much of it the table knows."""
    words = command.subcommand
    if words[:1] == ("-m",):
        words = words[2:]
    return (*words, *command.operands)
