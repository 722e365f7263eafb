"""What `git config` and `git -c` set. A setting of git decides what runs and whom it trusts, so it is harmless only
where it is known to be."""

from __future__ import annotations

import re
from collections.abc import Iterator

from afterglow.calls import Command
from afterglow.harvest.risk.kinds import Risk

_HARMLESS = re.compile(
    r"(?:core\.(?:autocrlf|longpaths|quotepath|eol|filemode|ignorecase|preloadindex|safecrlf|precomposeunicode|abbrev)"
    r"|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote|followtags)|fetch\.(?:prune|parallel)"
    r"|merge\.(?:ff|conflictstyle|renamelimit|renames)|diff\.(?!external)[a-z]+|rebase\.(?:autostash|autosquash|updaterefs)"
    r"|color\.\w+|column\.ui|init\.defaultbranch|branch\..*\.(?:merge|rebase|remote)|user\.(?:name|email)|rerere\.\w+"
    r"|log\.\w+|status\.\w+|advice\.\w+|gc\.auto|http\.(?:postbuffer|version|lowspeed\w+)|pager\.\w+|checkout\.\w+"
    r"|feature\.\w+|index\.\w+|pack\.\w+|submodule\.recurse|blame\.\w+|tag\.sort|commit\.verbose|sequence\.editor=true)",
    re.IGNORECASE,
)
_READING = frozenset(
    "--get --get-all --get-regexp --list -l --show-origin --get-urlmatch --show-scope".split()
)
_ELSEWHERE = ("--global", "--system", "--file", "-f")
_FALSE_PAGER = re.compile(r"(?:core\.)?(?:pager|editor)=(?:cat|true|:|less)?$", re.I)


def risk_of_git_settings(command: Command) -> Risk | None:
    if command.program != "git":
        return None
    for pair in _given(command):
        key, _, _ = pair.partition("=")
        if not _HARMLESS.fullmatch(key) and not _FALSE_PAGER.search(pair):
            return Risk("settings", command.text)
    if command.subcommand[:1] != ("config",) or not _sets(command):
        return None
    if command.has(*_ELSEWHERE):
        return Risk("outside", command.text)
    key = next(iter(_keys(command)), "")
    if not _HARMLESS.fullmatch(key):
        return Risk("settings", command.text)
    return None


def _given(command: Command) -> Iterator[str]:
    """`git -c key=value`."""
    for word, following in zip(command.words, command.words[1:], strict=False):
        if (word,) == command.subcommand[:1]:
            return
        if word == "-c" and "=" in following and "." in following:
            yield following


def _sets(command: Command) -> bool:
    operands = _operands(command)
    if command.has(*_READING) or operands[:1] in (["get"], ["list"]):
        return False
    if command.has("--unset", "--unset-all", "--add", "--replace-all", "--edit", "-e"):
        return True
    return len(operands) > 1


def _keys(command: Command) -> list[str]:
    in_flags = [
        flag.value for flag in command.flags if flag.name in {"--add", "--unset"}
    ]
    operands = [word for word in _operands(command) if word not in {"set", "unset"}]
    return [*filter(None, in_flags), *operands]


def _operands(command: Command) -> list[str]:
    return [*command.subcommand[1:], *command.operands]
