"""Which version of an agent works on the tasks of a study, as it says itself."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

from afterglow.flows.tasks.agent_programs import AgentProgram
from afterglow.flows.tasks.enclosure import OpenRoom

VERSION_SECONDS = 30.0  # node takes its time to start
PACKAGES = {"mini-swe": "mini-swe-agent"}  # agents that are a package beside ours
_VERSION = re.compile(r"\d+\.\d+[\w.+-]*")


def agent_version(
    program: AgentProgram, room: OpenRoom, folder: Path, variables: Mapping[str, str]
) -> str:
    """Asked inside the enclosure, like everything an agent does; empty where it does not say."""
    if program.name in PACKAGES:
        return _installed(PACKAGES[program.name])
    if not program.program:
        return ""
    home = folder / "version"
    home.mkdir(exist_ok=True)
    try:
        words = [program.program, "--version"]
        answer = room.run(
            words, home, home, {**variables, "HOME": str(home)}, VERSION_SECONDS
        )
    finally:
        shutil.rmtree(home, ignore_errors=True)
    version = _VERSION.search(answer.output)
    return version[0] if version and answer.code == 0 else ""


def _installed(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
