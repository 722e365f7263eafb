"""`config.toml` is changed as a whole: a draft with the difference it makes, checked as it will be read, then put in place.

A draft remembers the file it was made from. If that has changed by the time it is written, nothing is.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from difflib import unified_diff
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from afterglow.config import Config, checked
from afterglow.errors import ConfigError, Conflict, StoreError
from afterglow.flows.harvest import queue_lock
from afterglow.flows.settings.toml_lines import with_values
from afterglow.folders import place_file, private

LOCK_SECONDS = (
    5.0  # that a writer waits for another: putting a file in place takes a moment
)
DIFF_CONTEXT_LINES = 2  # enough to see which table a line is of
LARGEST = 1 << 20  # bytes; a file of settings has a few hundred


class ConfigText(Struct, frozen=True):
    """The file as it is; empty where there is none. `mark` tells it from every other state, `problem` says what is
    wrong with it."""

    path: Path
    text: str
    mark: str
    problem: str = ""


class ConfigDraft(Struct, frozen=True):
    """The file as it would be, and the mark of the file it was made from."""

    path: Path
    before: str
    after: str
    mark: str

    @property
    def diff(self) -> str:
        lines = unified_diff(
            self.before.splitlines(),
            self.after.splitlines(),
            str(self.path),
            str(self.path),
            n=DIFF_CONTEXT_LINES,
            lineterm="",
        )
        return "\n".join(lines)


def config_text(config: Config) -> ConfigText:
    path = config.home / "config.toml"
    content = _content(path)
    text = content.decode("utf-8", "replace")
    problem = ""
    try:
        content.decode("utf-8")
        checked(config, text)
    except ConfigError as error:
        problem = str(error)
    except UnicodeDecodeError as error:
        problem = f"{path}: {error}"
    return ConfigText(path, text, _mark(content), problem)


def draft_values(
    config: Config, values: Mapping[str, object], *, expected: str | None = None
) -> ConfigDraft:
    """What would be written to set these keys (`table.key`), or to take out those that are None. Raises `ConfigError`
    where a value would not be understood, `Conflict` where the file is not the one that was seen."""
    before = config_text(config)
    try:
        after = with_values(
            before.text, {_split(name): value for name, value in values.items()}
        )
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{before.path}: {error}; mend it as text first") from error
    return _checked_draft(config, before, after, expected)


def draft_text(
    config: Config, text: str, *, expected: str | None = None
) -> ConfigDraft:
    """The same for a whole text; its lines end as those of the file do."""
    before = config_text(config)
    lines = text.replace("\r\n", "\n")
    after = lines.replace("\n", "\r\n") if "\r\n" in before.text else lines
    return _checked_draft(config, before, after, expected)


def write_draft(config: Config, draft: ConfigDraft) -> Path:
    """Puts it in place, whole and for its owner alone. A file that is linked from elsewhere keeps its mode: it is the
    person's own to share. One that nothing is left in goes."""
    checked(config, draft.after)
    with _alone(config):
        if _mark(_content(draft.path)) != draft.mark:
            raise Conflict(_changed(draft.path))
        _put(draft.path, draft.after)
    return draft.path


def set_values(config: Config, values: Mapping[str, object]) -> ConfigDraft:
    """Sets keys (`table.key`; None takes one out) in the file as it is now, and says what that changed."""
    with _alone(config):
        draft = draft_values(config, values)
        if draft.after != draft.before:
            _put(draft.path, draft.after)
    return draft


@contextmanager
def _alone(config: Config) -> Iterator[None]:
    """One writer of ours at a time."""
    private(config.home)
    with queue_lock(config, LOCK_SECONDS, name="config.lock") as is_mine:
        if not is_mine:
            path = config.home / "config.toml"
            raise StoreError(f"{path} is being written by another process; try again")
        yield


def _checked_draft(
    config: Config, before: ConfigText, after: str, expected: str | None
) -> ConfigDraft:
    if expected is not None and expected != before.mark:
        raise Conflict(_changed(before.path))
    checked(config, after)
    return ConfigDraft(before.path, before.text, after, before.mark)


def _split(name: str) -> tuple[str, str]:
    table, _, key = name.partition(".")
    return table, key


def _changed(path: Path) -> str:
    return f"{path} was changed since you looked; nothing was written: look again"


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}") from error
    if len(content) > LARGEST:
        raise ConfigError(f"{path} is larger than {LARGEST >> 20} MB: no settings")
    return content


def _mark(content: bytes) -> str:
    return sha256(content).hexdigest()


def _put(path: Path, text: str) -> None:
    real = Path(os.path.realpath(path))
    mode = 0o600
    if path.is_symlink() and real.exists():
        mode = real.stat().st_mode & 0o777
    try:
        if text.strip() or path.is_symlink():
            place_file(real, text.encode(), mode=mode, lasting=True)
        else:
            real.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"{real}: {error.strerror}; it was not changed") from error
