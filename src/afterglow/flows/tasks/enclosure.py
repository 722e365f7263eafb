"""Where the agent of a run works: bubblewrap with the run's own folder, a read-only system, and nothing else.

No home of anybody, no other processes, no variables but those of the run. The network stays, for there the model is; so
a task that must not reach it needs a machine without one. Without bubblewrap nothing is run, unless a person says so.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from afterglow.errors import Unsupported

SYSTEM = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "opt")
# Of /etc: how names of hosts and certificates are found, and which program a name stands for.
NAMES = "resolv.conf hosts nsswitch.conf ssl ca-certificates alternatives".split()
PROBE_SECONDS = 20.0
MAX_OUTPUT_BYTES = 1_000_000  # of an agent: what it did stands in its transcript


class Ended(Struct, frozen=True):
    """How a command ended: its exit code, None where its time was up, and what it printed."""

    code: int | None
    output: str


class OpenRoom:
    """Nothing around the commands: what a person asks for who trusts them, or has a sandbox of their own."""

    def run(
        self,
        words: Sequence[str],
        folder: Path,
        cwd: Path,
        variables: Mapping[str, str],
        seconds: float,
    ) -> Ended:
        return ended(self.enclosed(words, folder, cwd), cwd, variables, seconds)

    def enclosed(self, words: Sequence[str], folder: Path, cwd: Path) -> list[str]:
        return list(words)


class Enclosure(OpenRoom):
    """Commands see the system, read-only, the folder of their run, and the `programs` they need besides. Making one
    tries it out."""

    def __init__(self, folder: Path, programs: Sequence[Path] = ()) -> None:
        self._programs = programs
        program = shutil.which("bwrap")
        if program is None:
            raise Unsupported(
                "agents run tasks inside bubblewrap, which is not installed: apt install bubblewrap, "
                "or --no-sandbox if you trust what they will do on this machine"
            )
        self._program = program
        if (tried := self._tried(folder)) is not None:
            raise Unsupported(
                f"bubblewrap does not enclose commands here: {tried.strip()[:200]}; "
                "--no-sandbox runs without it"
            )

    def _tried(self, folder: Path) -> str | None:
        """What a command printed that could see what lies outside; None where all is well."""
        with TemporaryDirectory(prefix="probe.", dir=folder) as probe:
            inside, outside = Path(probe, "inside"), Path(probe, "outside")
            inside.mkdir()
            outside.touch()
            look = ["/bin/sh", "-c", f"test ! -e '{outside}' && echo enclosed"]
            tried = self.run(look, inside, inside, {}, PROBE_SECONDS)
        is_enclosed = tried.code == 0 and tried.output.strip() == "enclosed"
        return None if is_enclosed else tried.output or "it can see outside"

    def enclosed(self, words: Sequence[str], folder: Path, cwd: Path) -> list[str]:
        command = [self._program, "--unshare-all", "--share-net", "--die-with-parent"]
        command += ["--new-session", "--cap-drop", "ALL", "--hostname", "task"]
        for name in SYSTEM:
            place = Path("/") / name
            if place.is_symlink():
                command += ["--symlink", str(place.readlink()), str(place)]
            elif place.is_dir():
                command += ["--ro-bind", str(place), str(place)]
        for name in NAMES:
            command += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
        command += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
        for program in self._programs:
            command += ["--ro-bind", str(program), str(program)]
        command += ["--bind", str(folder), str(folder), "--chdir", str(cwd)]
        return [*command, *words]


def ended(
    words: Sequence[str], cwd: Path, variables: Mapping[str, str], seconds: float
) -> Ended:
    """Runs to its end or until its time is up; then it and all it started are gone."""
    process = subprocess.Popen(
        words,
        cwd=cwd,
        env=dict(variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    code: int | None = None
    try:
        output, _ = process.communicate(timeout=seconds)
        code = process.returncode
    except subprocess.TimeoutExpired:
        _end(process)
        output, _ = process.communicate()
    finally:  # a person who stops the study stops the agent, too
        _end(process)
    return Ended(code, output[-MAX_OUTPUT_BYTES:].decode(errors="replace"))


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
