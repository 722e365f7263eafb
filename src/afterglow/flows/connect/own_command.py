"""An agent's own program changes a copy of its settings, in a throw-away home; what it made is handed back."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from afterglow.config import Config, environment
from afterglow.connect.plan import OwnCommand
from afterglow.errors import Unsupported

SECONDS = 60.0  # Hermes takes one or two; ten times that from a cold disk
MAX_OUTPUT_CHARACTERS = 300  # of what a failed command said: its last lines tell why


def own_command(config: Config, program: str) -> OwnCommand | None:
    """None where there is no such program."""
    path = shutil.which(program)
    if path is None:
        return None

    def run(words: Sequence[str], files: Mapping[str, bytes]) -> Mapping[str, bytes]:
        return _run_in_copy(config, path, words, files)

    return run


def _run_in_copy(
    config: Config, program: str, words: Sequence[str], files: Mapping[str, bytes]
) -> dict[str, bytes]:
    """Settings may hold keys: only their owner can read the copy, and it goes at once."""
    with tempfile.TemporaryDirectory(
        prefix="afterglow-connect-", ignore_cleanup_errors=True
    ) as place:
        home = Path(place)
        for name, content in files.items():
            path = home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        _run(config, [program, *words], home)
        return {
            path.name: path.read_bytes() for path in home.iterdir() if path.is_file()
        }


def _run(config: Config, command: Sequence[str], home: Path) -> None:
    variables = {
        **environment(config),
        "HERMES_HOME": str(home),
        "HERMES_DISABLE_LAZY_INSTALLS": "1",
    }
    line = " ".join([Path(command[0]).name, *command[1:]])
    try:
        result = subprocess.run(
            command,
            env=variables,
            cwd=home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unsupported(f"`{line}`: {error}; nothing was changed") from error
    if result.returncode:
        output = (result.stdout + result.stderr).decode("utf-8", "replace").strip()
        raise Unsupported(
            f"`{line}` failed: {output[-MAX_OUTPUT_CHARACTERS:]}; nothing was changed"
        )
