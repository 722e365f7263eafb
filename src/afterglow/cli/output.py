"""What a command gives back: on the screen or into a file, as text or as JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

import click
import msgspec
from msgspec import Struct
from msgspec.structs import replace

from afterglow.errors import UsageError
from afterglow.text.clip import harmless_json


def as_json(value: object) -> str:
    try:
        encoded = msgspec.json.format(
            msgspec.json.encode(value, enc_hook=str), indent=2
        )
    except UnicodeEncodeError:  # half a character: JSON can name it
        encoded = json.dumps(
            msgspec.to_builtins(value, enc_hook=str), indent=2
        ).encode()
    return harmless_json(encoded).decode()


def print_json(value: object) -> None:
    click.echo(as_json(value))


def print_json_in_pieces(record: Struct, name: str, values: Iterable[object]) -> None:
    """A record whose field `name` is long: its parts are written one by one, behind all other fields."""
    head = as_json(replace(record, **{name: ()}))
    is_first = True
    for value in values:
        before = ","
        if is_first:
            before = f'{head.removesuffix("}").rstrip()},\n  "{name}": ['
        text = as_json(value).replace("\n", "\n    ")
        click.echo(f"{before}\n    {text}", nl=False)
        is_first = False
    click.echo(head if is_first else "\n  ]\n}")


def require_folder(*files: Path | None) -> None:
    """Files that will be written lie in folders that are there: said now, not when the work is done."""
    for file in files:
        if file is not None and not file.parent.is_dir():
            raise UsageError(
                f"{file.parent} is not a folder; give a file in one that is there"
            )


def deliver(text: str, output: Path | None, what: str) -> None:
    """On the screen, or into a file and a word about it."""
    if output is None:
        click.echo(text)
    else:
        put(output, click.unstyle(text) + "\n")
        click.echo(f"{what} written to {output}", err=True)


def put(path: Path, text: str) -> None:
    """Whole or not at all: a full disk does not cost the old one. What is no file (/dev/stdout) is written to."""
    from afterglow.folders import place_file

    try:
        if path.exists() and not path.is_file():
            path.write_bytes(text.encode())
        else:
            # a file somebody asked for: as open as those they make themselves
            place_file(Path(os.path.realpath(path)), text.encode(), mode=0o666)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
