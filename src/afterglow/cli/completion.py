"""`afterglow completion`"""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import get_completion_class

from afterglow import config
from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.folders import place_file

SHELLS = ("bash", "zsh", "fish")
# Where a shell looks by itself, below the user's home; zsh has to be told of the folder.
FILES = {
    "bash": ".local/share/bash-completion/completions/afterglow",
    "zsh": ".local/share/zsh/site-functions/_afterglow",
    "fish": ".config/fish/completions/afterglow.fish",
}
TELL_ZSH = (
    "In ~/.zshrc, before compinit: fpath=(~/.local/share/zsh/site-functions $fpath)"
)


@click.command()
@click.argument("shell", type=click.Choice(SHELLS), required=False)
@click.option(
    "--print", "printing", is_flag=True, help="Print the script; write nothing."
)
def completion(shell: str | None, printing: bool) -> None:
    """Have your shell complete commands, options and names: bash, zsh or fish.

    Writes one file where the shell looks for it; your own start-up files are not touched. Deleting the file takes it
    back.
    """
    settings = config.load()
    name = shell or _shell_in_use(settings)
    script = script_of(name)
    if printing:
        click.echo(script)
        return
    path = settings.user_home / FILES[name]
    path.parent.mkdir(parents=True, exist_ok=True)
    place_file(path, script.encode())
    click.echo(f"{path} written; a new {name} completes `afterglow`.")
    if name == "zsh":
        click.echo(TELL_ZSH)


def _shell_in_use(settings: Config) -> str:
    name = Path(settings.shell).name
    if name not in SHELLS:
        raise UsageError(f"name your shell: {', '.join(SHELLS)}")
    return name


def script_of(shell: str) -> str:
    """What the shell runs when somebody presses Tab."""
    from afterglow.cli.main import cli

    completer = get_completion_class(shell)
    assert completer is not None
    return completer(cli, {}, "afterglow", "_AFTERGLOW_COMPLETE").source()
