"""Whether the user's own agent may write lessons in the background: offered once, kept in `config.toml`.

The file is a person's: only `with` and `on` of `[write]` are touched, everything else stays byte for byte, and what
comes out is read again before it takes the place of the file.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from afterglow.config import Config, environment
from afterglow.errors import ConfigError, StoreError, UsageError
from afterglow.flows.connect.record import put_file, read_file
from afterglow.flows.harvest import WritingEstimate, estimate_writing
from afterglow.llm.agents import AUTO, WRITERS, chosen_agent, installed, is_agent

NOBODY = "nobody"
# What `connect` calls an agent -> what it is called as a writer.
WRITER_NAMES = {"claude-code": "claude", "codex": "codex", "hermes": "hermes"}

_HEADER = re.compile(r"^[ \t]*\[write\][ \t]*(?:#.*)?$")
_ANY_HEADER = re.compile(r"^[ \t]*\[")
_OURS = re.compile(r"^[ \t]*(?:with|on)[ \t]*=")


class WriterOffer(Struct, frozen=True):
    """Who could write, and what that would take."""

    writer: str
    estimate: WritingEstimate
    daily_tokens: int


def writer_offer(config: Config, agents: Sequence[str]) -> WriterOffer | None:
    """The offer, made to whoever was not asked yet: the first of these agents whose program is here, else any other.
    None where there is nobody, or no history that could say what it would cost."""
    if config.write.on or config.model.local_only or not config.catalog.exists():
        return None
    here = installed(environment(config))
    connected = [WRITER_NAMES.get(agent, agent) for agent in agents]
    writers = [name for name in connected if name in here] or here
    if not writers:
        return None
    estimate = estimate_writing(config, writers[0])
    if not estimate.waiting and not estimate.weekly:
        return None
    return WriterOffer(writers[0], estimate, config.write.daily_tokens)


def checked_writer(config: Config, name: str) -> str:
    """Who is meant, or nobody. Raises `UsageError` where that one could not write."""
    if name in ("", NOBODY):
        return name
    if not is_agent(name):
        names = ", ".join([*WRITERS.names(), AUTO, NOBODY])
        raise UsageError(f"{name!r} cannot write; there are {names}")
    agent, _ = chosen_agent(name, environment(config))
    return agent if name == AUTO else name


def set_writer(config: Config, writer: str) -> Path:
    """Keeps what the user said: who writes, or `nobody`. The file it stands in."""
    agreed = writer != NOBODY
    on: Literal["yes", "no"] = "yes" if agreed else "no"
    return _rewrite(config, {"with": writer if agreed else "", "on": on})


def unset_writer(config: Config) -> Path | None:
    """Nobody writes any more, and the user may be asked again. A no stays a no."""
    return _rewrite(config, {}) if config.write.on == "yes" else None


def _rewrite(config: Config, values: dict[str, str]) -> Path:
    path = config.home / "config.toml"
    content = read_file(path)
    before = (content or b"").decode("utf-8")
    after = _with_values(before, values)
    if _tables(after, path) != _expected(_tables(before, path), values):
        lines = " and ".join(f"{name} = {_quoted(values[name])}" for name in values)
        help = f"write {lines} under [write]" if values else "take out [write]"
        raise ConfigError(f"{path} is written in a way that is not understood; {help}")
    if after.strip():
        # one that is linked from elsewhere is the person's own to share
        put_file(path, after.encode(), secret=not path.is_symlink())
    else:  # nothing was in it but this
        path.unlink(missing_ok=True)
    return path


def _with_values(text: str, values: dict[str, str]) -> str:
    """The text with these values under `[write]`, and no other `with` and `on` there."""
    written = [f"{name} = {_quoted(value)}\n" for name, value in values.items()]
    lines = text.splitlines(keepends=True)
    header = next((at for at, line in enumerate(lines) if _HEADER.match(line)), None)
    if header is None:
        return _with_table(text, written) if written else text
    end = header + 1
    while end < len(lines) and not _ANY_HEADER.match(lines[end]):
        end += 1
    rest = [line for line in lines[header + 1 : end] if not _OURS.match(line)]
    table = [lines[header].rstrip("\n") + "\n", *written, *rest]
    is_empty = not written and not "".join(rest).strip()
    return "".join([*lines[:header], *([] if is_empty else table), *lines[end:]])


def _with_table(text: str, written: Sequence[str]) -> str:
    newline = "" if text.endswith("\n") or not text else "\n"
    gap = "\n" if text.strip() else ""
    return "".join([text, newline, gap, "[write]\n", *written])


def _quoted(value: str) -> str:
    return msgspec.json.encode(value).decode()


def _tables(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise StoreError(f"{path}: {error}; nothing was changed") from error


def _expected(tables: dict[str, Any], values: dict[str, str]) -> dict[str, Any]:
    table = {
        name: value
        for name, value in tables.get("write", {}).items()
        if name not in ("with", "on")
    } | values
    untouched = {name: value for name, value in tables.items() if name != "write"}
    return {**untouched, "write": table} if table else untouched
