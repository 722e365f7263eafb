"""Hermes' own `plugins enable` and `plugins disable`: as a function of files, and as a program.

Like the real one it writes the whole file anew, without comments, and starts from nothing where it cannot parse one.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from afterglow.errors import Unsupported

BROKEN = "a: ["


def own_command(
    words: Sequence[str], files: Mapping[str, bytes]
) -> Mapping[str, bytes]:
    group, verb, name, *_ = words
    if group != "plugins" or name != "afterglow":
        raise Unsupported(f"`hermes {' '.join(words)}` failed")
    text = files.get("config.yaml", b"").decode()
    after = dict(files)
    if BROKEN in text:
        after["config.yaml.corrupt.bak"] = text.encode()
        text = ""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    end = lines.index("plugins:") if "plugins:" in lines else len(lines)
    on, off = ("enabled", "disabled") if verb == "enable" else ("disabled", "enabled")
    section = ["plugins:", f"  {off}: []", f"  {on}:", "    - other", f"    - {name}"]
    after["config.yaml"] = "\n".join([*lines[:end], *section, ""]).encode()
    return after


def install(folder: Path) -> Path:
    """The same as a program on a PATH."""
    path = folder / "hermes"
    path.write_text(
        f"#!{sys.executable}\n"
        "import os, sys\nfrom pathlib import Path\n"
        f"sys.path[:0] = [{str(Path(__file__).parents[1])!r}]\n"
        "from connect.own_hermes import own_command\n"
        "home = Path(os.environ['HERMES_HOME'])\n"
        "files = {path.name: path.read_bytes() for path in home.glob('config.*')}\n"
        "for name, data in own_command(sys.argv[1:], files).items():\n"
        "    (home / name).write_bytes(data)\n"
    )
    path.chmod(0o755)
    return path
