"""Every command's function takes what its options are called: nothing else would tell before somebody runs it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click
import pytest

from afterglow.cli.main import HIDDEN, cli


def commands(
    group: click.Group, path: str = "afterglow"
) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    hidden = HIDDEN if group is cli else ()
    for name in [*group.list_commands(context), *hidden]:
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


@pytest.mark.parametrize(
    "command", [pytest.param(command, id=path) for path, command in commands(cli)]
)
def test_a_command_takes_what_its_options_are_called(command):
    remaining = {option.name for option in command.params if option.expose_value}
    function, records = command.callback, 0
    while hasattr(function, "__wrapped__"):  # some options become one record
        consumed, _ = names(function)
        remaining -= consumed
        function, records = function.__wrapped__, records + 1
    taken, takes_any = names(function)
    assert takes_any or remaining <= taken
    assert len(taken - remaining) == records


def names(function) -> tuple[set[str], bool]:
    """What a function takes by name, and whether it takes whatever else there is."""
    parameters = inspect.signature(function, follow_wrapped=False).parameters.values()
    named = {each.name for each in parameters if each.kind is not each.VAR_KEYWORD}
    return named, len(named) < len(parameters)
