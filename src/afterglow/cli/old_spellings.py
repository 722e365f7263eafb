"""Commands as they were once said, said as they are now."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import click

# Options that made another command of `harvest`, and that command.
MOVED = {
    "--windows": "windows",
    "--queue": "queue",
    "--compare": "write",
    "--model": "write",
}


def moved(command: str, words: Sequence[str]) -> str:
    """The option that makes another command of this one now; empty where none is among its words."""
    if command != "harvest":
        return ""
    before_paths = words[: words.index("--")] if "--" in words else words
    options = {word.partition("=")[0] for word in before_paths}
    return next((option for option in MOVED if option in options), "")


def respelled(option: str, words: Sequence[str], command: click.Command) -> list[str]:
    """The words of `harvest` as the command takes them that has the option's place."""
    if MOVED[option] == "write":
        return _for_write(words, _taking_values(command))
    return [word for word in words if word != option]


def _taking_values(command: click.Command) -> set[str]:
    return {
        name
        for option in command.params
        if isinstance(option, click.Option) and not option.is_flag
        for name in option.opts
    }


def _for_write(words: Sequence[str], taking_values: Collection[str]) -> list[str]:
    """Folders were the words without a dash; `--model` needed no name, if config.toml had one."""
    written: list[str] = []
    remaining = list(words)
    while remaining:
        word = remaining.pop(0)
        has_value = bool(remaining) and not remaining[0].startswith("-")
        if word == "--":
            written += _in_each(remaining)
            break
        if word == "--model":
            written += ["--with", remaining.pop(0)] if has_value else []
        elif not word.startswith("-"):
            written += _in_each([word])
        elif word in taking_values and remaining:
            written += [word, remaining.pop(0)]
        else:
            written.append(word)
    return written


def _in_each(paths: Sequence[str]) -> list[str]:
    return [word for path in paths for word in ("--in", path)]
