"""Who wrote a bullet, as far as git can show it: a listed person's signature, a commit that was not made on this
machine, or nothing that tells.

A folder in a repository is changed by whoever's commits are pulled, and a name in a commit is whatever its author typed.
Two things cannot be sent along: a signature by a key that the person listed, and the log git keeps of what was committed
here. The repository may be a stranger's: nothing its own settings name is run.
"""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, Protocol

from msgspec import Struct

TIMEOUT = 20.0  # seconds for one question to git
SHORT_HASH = 10  # characters of a commit's name that a person is shown
GPG = "gpg:"  # before a fingerprint in the list of signers; the others are lines of an allowed_signers file

# What a repository's own settings could make git run, or leave out.
_SETTINGS = {
    "blame.ignoreRevsFile": "",
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.sshCommand": "false",
    "gpg.minTrustLevel": "undefined",
    "gpg.openpgp.program": "gpg",
    "gpg.program": "gpg",
    "gpg.ssh.defaultKeyCommand": "",
    "gpg.ssh.program": "ssh-keygen",
    "gpg.ssh.revocationFile": "",
    "gpg.x509.program": "false",
    "log.showSignature": "false",
}
# Of the process we run in: they would point git at another repository.
_FOREIGN_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR")
_BLAMED = re.compile(r"([0-9a-f]{40,64}) \d+ (\d+)(?: \d+)?")
_SSH_SIGNER = re.compile(r'^Good "git" signature for (\S+) with ', re.MULTILINE)
_GPG_SIGNER = re.compile(r"^\[GNUPG:\] VALIDSIG (.+)$", re.MULTILINE)

Sign = Literal["signed", "elsewhere", "untold"]


class Author(Struct, frozen=True):
    """`signed` by a listed person, committed `elsewhere`, or `untold`: nothing shows who wrote it. `who` in words."""

    sign: Sign
    who: str


UNTOLD = Author("untold", "nothing shows who wrote it")


class Authors(Protocol):
    def of_lines(self, path: str, lines: Sequence[str]) -> Author:
        """Who wrote these lines of a file of the folder; of all its lines, if none are named."""
        ...

    def of_deletion(self, path: str, text: str) -> Author:
        """Who took this text out of the file."""
        ...


class NoAuthors:
    """Where nobody looks."""

    def of_lines(self, path: str, lines: Sequence[str]) -> Author:
        return UNTOLD

    def of_deletion(self, path: str, text: str) -> Author:
        return UNTOLD


class GitAuthors:
    """Asks git, once for each file and each commit. `signers` are lines of an allowed_signers file, or `gpg:FINGERPRINT`."""

    def __init__(
        self, folder: Path, signers: Sequence[str], variables: Mapping[str, str]
    ) -> None:
        self._folder = folder
        self._signers = signers
        self._variables = {
            name: value
            for name, value in variables.items()
            if name not in _FOREIGN_VARIABLES
        } | {"GIT_ALLOW_PROTOCOL": "", "GIT_TERMINAL_PROMPT": "0"}
        self._pages: dict[str, Mapping[str, set[str]]] = {}
        self._commits: dict[str, Author] = {}

    def of_lines(self, path: str, lines: Sequence[str]) -> Author:
        commits_of = self._commits_of(path)
        committed = [commits_of.get(line, set()) for line in lines or commits_of]
        authors = [self._of_commit(commit) for commit in set().union(*committed)]
        return _least_trusted(authors, is_whole=bool(committed) and all(committed))

    def of_deletion(self, path: str, text: str) -> Author:
        if any(text in line for line in self._commits_of(path)):
            return UNTOLD  # the last commit has it still: deleted and not committed
        removed_by = self._git("log", "-1", "--format=%H", f"-S{text}", "--", path)
        return self._of_commit(removed_by) if removed_by else UNTOLD

    def _commits_of(self, path: str) -> Mapping[str, set[str]]:
        """The lines of a file as it was last committed, and the commits they come from."""
        if path not in self._pages:
            blame = ("blame", "--no-textconv", "--porcelain", "HEAD", "--", path)
            self._pages[path] = _blamed(self._git(*blame).splitlines())
        return self._pages[path]

    def _of_commit(self, commit: str) -> Author:
        if commit not in self._commits:
            self._commits[commit] = self._judged(commit)
        return self._commits[commit]

    def _judged(self, commit: str) -> Author:
        author = self._git("log", "-1", "--format=%an <%ae>%n%ae", commit)
        name, _, address = author.partition("\n")
        who = f"{name}, commit {commit[:SHORT_HASH]}"
        if signer := self._signer(commit):
            return Author("signed", f"{who}, signed by {signer}")
        if commit in self._made_here and address == self._own_address:
            return Author("untold", f"{who}, made on this machine")
        return Author("elsewhere", f"{who}, not made on this machine and not signed")

    @cached_property
    def _made_here(self) -> Collection[str]:
        """What git noted as committed here. What came by pull, rebase, cherry-pick or in a clone is noted as that."""
        log = self._git("log", "--walk-reflogs", "--all", "--format=%H %gs")
        rows = (line.partition(" ") for line in log.splitlines())
        return {commit for commit, _, action in rows if action.startswith("commit")}

    @cached_property
    def _own_address(self) -> str:
        return self._git("config", "user.email")

    def _signer(self, commit: str) -> str:
        """The listed person whose key signed a commit."""
        if not self._signers:
            return ""
        allowed = [line for line in self._signers if not line.startswith(GPG)]
        with TemporaryDirectory(prefix="afterglow-") as folder:
            file = Path(folder) / "allowed_signers"
            file.write_text("".join(f"{line}\n" for line in allowed), encoding="utf-8")
            setting = f"gpg.ssh.allowedSignersFile={file}"
            verified = self._run("-c", setting, "verify-commit", "--raw", commit)
        if verified is None or verified.returncode != 0:
            return ""
        if by_ssh := _SSH_SIGNER.search(verified.stderr):
            return by_ssh[1]
        fingerprints = {
            line.removeprefix(GPG).replace(" ", "").upper()
            for line in self._signers
            if line.startswith(GPG)
        }
        by_gpg = _GPG_SIGNER.search(verified.stderr)
        # Key and primary key stand among times and numbers of algorithms.
        keys = set(by_gpg[1].split()) if by_gpg else set()
        return next(iter(sorted(keys & fingerprints)), "")

    def _git(self, *words: str) -> str:
        """What git answers; nothing where it cannot, as outside a repository."""
        answer = self._run(*words)
        if answer is None or answer.returncode != 0:
            return ""
        return answer.stdout.strip("\n")

    def _run(self, *words: str) -> subprocess.CompletedProcess[str] | None:
        pairs = (("-c", f"{name}={value}") for name, value in _SETTINGS.items())
        settings = chain.from_iterable(pairs)
        git = ["git", "--no-pager", "--no-replace-objects", "--literal-pathspecs"]
        try:
            return subprocess.run(
                [*git, *settings, *words],
                check=False,
                cwd=self._folder,
                env=self._variables,
                capture_output=True,
                stdin=subprocess.DEVNULL,
                text=True,
                errors="replace",
                timeout=TIMEOUT,
            )
        except (OSError, subprocess.TimeoutExpired):  # no git: nothing shows it
            return None


def _blamed(porcelain: Iterable[str]) -> dict[str, set[str]]:
    commits: dict[str, set[str]] = defaultdict(set)
    commit = ""
    for line in porcelain:
        if header := _BLAMED.fullmatch(line):
            commit = header[1]
        elif line.startswith("\t"):
            commits[line[1:]].add(commit)
    return commits


def _least_trusted(authors: Sequence[Author], *, is_whole: bool) -> Author:
    """Of several hands the one that is trusted least counts; a line that is not committed is nobody's yet."""
    for sign in ("elsewhere", "untold"):
        for author in authors:
            if author.sign == sign:
                return author
    return authors[0] if authors and is_whole else UNTOLD
