"""Where commands written by a model run: bubblewrap, with the throw-away folder, a read-only system, nothing else.

No network unless it is asked for (the board of a run is on the loopback address), no home, no other processes, no
capabilities, not root (a bench started as root steps down first), and
limits on time, memory, processes and file sizes. Before anything is run it is tried out; without it, the bench refuses.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Protocol

from msgspec import Struct

NOBODY = 65534
SECONDS = 10
MEMORY = 512 << 20
FILE = 4 << 20
PROCESSES = 128
SHOWN = 1500  # characters of output an agent gets to see
SYSTEM = ("usr", "bin", "sbin", "lib", "lib32", "lib64")

PROBE = (
    "[ ! -e /root ] && [ ! -e /home ] && [ ! -e /etc/passwd ] "
    "&& [ $(id -u) -ne 0 ] && ! touch /usr/probe 2>/dev/null && touch probe && rm probe && echo enclosed"
)
NO_NETWORK = "[ $(grep -c : /proc/net/dev) -eq 1 ] && "


class NoSandbox(Exception):
    """Nothing encloses commands here, so none are run."""


class Result(Struct, frozen=True):
    code: int
    output: str


class Runner(Protocol):
    """Runs one command in a project's folder; `at` is where the folder seems to be."""

    def run(self, command: str, folder: Path, at: str) -> Result: ...


class Sandbox:
    """A runner that encloses. Making one tries it out, and raises `NoSandbox` with what to do."""

    def __init__(
        self, program: str = "bwrap", *, seconds: int = SECONDS, network: bool = False
    ) -> None:
        found, limiter = shutil.which(program), shutil.which("prlimit")
        if found is None or limiter is None:
            missing = program if found is None else "prlimit"
            raise NoSandbox(
                f"{missing} is not installed; a model's commands run only inside (apt install bubblewrap)"
            )
        self.program, self.limiter, self.seconds = found, limiter, seconds
        self.network = network
        with tempfile.TemporaryDirectory() as folder:
            Path(folder).chmod(0o755)
            probe = Path(folder) / "probe"
            probe.mkdir()
            tried = self.run(
                PROBE if network else NO_NETWORK + PROBE, probe, "/projects/probe"
            )
        if tried.output != "enclosed":
            raise NoSandbox(
                f"{program} does not enclose commands here (user namespaces off?): {tried.output[:300]}"
            )

    def run(self, command: str, folder: Path, at: str) -> Result:
        root = os.geteuid() == 0
        if root:
            _give_away(folder)
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                self._enclosed(command, folder, at),
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env={}, start_new_session=True,
                user=NOBODY if root else None, group=NOBODY if root else None, extra_groups=[] if root else None,
            )  # fmt: skip
            try:
                code = process.wait(self.seconds)
            except subprocess.TimeoutExpired:
                process.kill()  # and with it, everything inside
                process.wait()
                code = 124
            output.seek(0)
            text = output.read(SHOWN * 4).decode(errors="replace").strip()
        if code == 124:
            text = f"{text}\nstopped after {self.seconds} s".strip()
        return Result(code, text[:SHOWN])

    def _enclosed(self, command: str, folder: Path, at: str) -> list[str]:
        given = [self.limiter, "--core=0", f"--cpu={self.seconds}", f"--as={MEMORY}"]
        given += [f"--fsize={FILE}", f"--nproc={PROCESSES}"]
        given += [
            self.program,
            "--unshare-user",
            "--unshare-all",
            "--die-with-parent",
            "--new-session",
            "--clearenv",
            *(["--share-net"] if self.network else []),
        ]
        given += [
            "--uid",
            "1000",
            "--gid",
            "1000",
            "--cap-drop",
            "ALL",
            "--hostname",
            "projects",
        ]
        for name in SYSTEM:
            place = Path("/") / name
            if place.is_symlink():
                given += ["--symlink", str(place.readlink()), str(place)]
            elif place.is_dir():
                given += ["--ro-bind", str(place), str(place)]
        given += [
            "--proc",
            "/proc",
            "--dev",
            "/dev",
            "--size",
            str(16 << 20),
            "--tmpfs",
            "/tmp",
        ]
        given += [
            "--bind",
            str(folder),
            at,
            "--chdir",
            at,
            "--setenv",
            "PATH",
            "/usr/bin:/bin",
            "--setenv",
            "LANG",
            "C",
        ]
        return [*given, "/bin/sh", "-c", command]


def _give_away(folder: Path) -> None:
    """Root steps down to nobody, who then must own the folder."""
    for path in (folder, *folder.rglob("*")):
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
