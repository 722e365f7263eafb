"""What a remedy does, where that cannot be undone or goes round a safeguard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from afterglow.calls import Command, parse, program
from afterglow.harvest.writing.failure_names import code_in

_UNVERIFIED = frozenset(
    "--no-verify --no-gpg-sign --no-check --no-audit --insecure --skip-checks".split()
)
_FETCHING = frozenset({"curl", "wget"})
_FORCE = ("--force", "-f", "--force-with-lease")
_RIGHTS = frozenset({"sudo", "doas", "su"})

Test = Callable[[Command], bool]


def risk_in(remedy: str) -> str:
    """Why a remedy is risky, by the code that stands in it; empty where it is not."""
    risks = (risk_of(parse(code).commands) for code in code_in(remedy))
    return next(filter(None, risks), "")


def risk_of(commands: Sequence[Command]) -> str:
    """Why the commands of a line are risky; empty where they are not."""
    for before, command in pairwise((None, *commands)):
        if before is not None and command is not None and _runs_it(before, command):
            return "runs fetched code"
        risks = (why for why, is_so in RISKS if command is not None and is_so(command))
        if why := next(risks, ""):
            return why
    return ""


def _runs_it(before: Command, command: Command) -> bool:
    """What is fetched goes into a shell."""
    is_shell = program(command.program).family in {"shell", "interpreter"}
    return is_shell and command.after == "|" and before.program in _FETCHING


def _removes(command: Command) -> bool:
    """Whole folders, or whatever a pattern matches; one file that is named is ordinary work."""
    if command.program != "rm":
        return False
    has_pattern = any("*" in operand for operand in command.operands)
    return has_pattern or command.has("-r", "-R", "--recursive")


def _loses_work(command: Command) -> bool:
    """Of git: what throws away changes, commits or branches."""
    if command.program != "git":
        return False
    task = command.subcommand[:1]
    if task == ("reset",):
        return command.has("--hard")
    if task == ("clean",):
        return command.has("-f", "--force", "-d", "-x")
    if task == ("branch",):
        return command.has("-D")
    if task in {("checkout",), ("restore",)}:
        return "." in command.operands
    return task == ("stash",) and bool({"drop", "clear"} & {*command.words})


def _forces_push(command: Command) -> bool:
    return command.subcommand[:1] == ("push",) and command.has(*_FORCE)


def _ends_processes(command: Command) -> bool:
    return command.program in {"pkill", "killall"} or (
        command.program == "kill" and command.has("-9", "-KILL")
    )


def _skips_checks(command: Command) -> bool:
    is_commit = command.program == "git" and command.subcommand[:1] == ("commit",)
    is_skipping = command.has(*_UNVERIFIED) or (is_commit and command.has("-n"))
    return is_skipping or any(item.name == "SKIP" for item in command.environment)


def _takes_rights(command: Command) -> bool:
    names = {command.program, *(wrapper.program for wrapper in command.wrappers)}
    return bool(names & _RIGHTS)


def _opens_rights(command: Command) -> bool:
    return command.program == "chmod" and "777" in command.operands


def _turns_off_tls(command: Command) -> bool:
    return command.program in _FETCHING and command.has("-k", "--no-check-certificate")


RISKS: tuple[tuple[str, Test], ...] = (
    ("deletes", _removes),
    ("throws work away", _loses_work),
    ("overwrites what others see", _forces_push),
    ("ends processes", _ends_processes),
    ("skips a check", _skips_checks),
    ("runs with the rights of another", _takes_rights),
    ("opens a file to everybody", _opens_rights),
    ("trusts any server", _turns_off_tls),
)
