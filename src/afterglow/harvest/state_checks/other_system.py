"""A flag or program of another operating system: GNU on macOS, BSD on Linux."""

from __future__ import annotations

import re
from collections.abc import Iterator

from afterglow.calls import Command
from afterglow.harvest.state_checks.explanation import Explanation
from afterglow.harvest.state_checks.moment import Moment

NAME = "system"

_OPTION = re.compile(
    r"^(?:/\S*/)?(?P<program>[\w.-]+): (?:illegal|invalid|unrecogni[sz]ed|unknown) option(?: --)? ['`\"]?(?P<flag>-*[\w-]+)"
    r"|^(?:/\S*/)?(?P<counting>head|tail): illegal \w+ count",
    re.MULTILINE,
)
_SED_IN_PLACE = re.compile(r"^sed: 1: ", re.MULTILINE)
_SED_ON_LINUX = re.compile(r"^sed: can't read (?::|s[/|,#])", re.MULTILINE)

# What macOS has in place of a GNU flag.
_FLAGS_ON_MACOS = {
    ("cat", "A"): "cat -vet",
    ("cat", "T"): "cat -t",
    ("cat", "E"): "cat -e",
    ("grep", "P"): "grep -E (or rg, perl -ne)",
    ("date", "d"): "date -v+1d, date -j -f FORMAT TEXT",
    ("date", "I"): "date +%Y-%m-%d",
    ("readlink", "f"): "realpath",
    ("stat", "c"): "stat -f %z (size), stat -f %m (time)",
    ("base64", "w"): "base64 (it does not wrap)",
    ("du", "max-depth"): "du -d",
    ("du", "b"): "du -k",
    ("cp", "parents"): "rsync -R",
    ("ls", "color"): "ls -G",
    ("find", "printf"): "find … -exec stat -f '%N %z' {} +",
    ("head", "n"): "sed '$d' (one line less), or python3",
    ("sort", "V"): "sort -t. -k1,1n -k2,2n",
    ("xargs", "r"): "xargs (it runs nothing without input)",
    ("tail", "pid"): "a loop over kill -0",
    ("tar", "wildcards"): "tar --include",
    ("mktemp", "suffix"): "mktemp",
    ("ps", "forest"): "ps -axo pid,ppid,command",
}  # fmt: skip
# What macOS has in place of a program.
_PROGRAMS_ON_MACOS = {
    "tac": "tail -r",
    "nproc": "sysctl -n hw.ncpu",
    "free": "vm_stat",
    "sha256sum": "shasum -a 256",
    "sha1sum": "shasum",
    "md5sum": "md5 -r",
    "xdg-open": "open",
    "ldd": "otool -L",
    "readelf": "otool -l",
    "strace": "dtruss",
    "ss": "lsof -nP -iTCP -sTCP:LISTEN",
    "ip": "ifconfig",
    "xclip": "pbcopy",
    "apt-get": "brew",
    "apt": "brew",
    "setsid": "nohup",
}  # fmt: skip
# And what Linux has in place of what is written on macOS.
_FLAGS_ON_LINUX = {
    ("date", "v"): "date -d '+1 day'",
    ("stat", "f"): "stat -c %s (size), stat -c %Y (time)",
}
_PROGRAMS_ON_LINUX = {
    "pbcopy": "xclip -selection clipboard",
    "open": "xdg-open",
    "sw_vers": "cat /etc/os-release",
    "otool": "ldd",
}  # fmt: skip


def explain(moment: Moment) -> Explanation | None:
    is_worth_a_look = moment.missing or moment.says("option", "illegal", "sed:")
    if not moment.commands or not is_worth_a_look:
        return None
    for what, instead in (*_flags(moment), *_programs(moment), *_sed(moment)):
        return _explanation(moment, what, instead)
    return None


def _flags(moment: Moment) -> Iterator[tuple[str, str]]:
    is_bsd = moment.system == "macOS" or moment.says("illegal")  # only BSD says that
    table = _FLAGS_ON_MACOS if is_bsd else _FLAGS_ON_LINUX
    programs = {command.program for command in moment.commands}
    for match in _OPTION.finditer(moment.output):
        name = match["program"] or match["counting"]
        flag = (match["flag"] or "n").lstrip("-")
        if name in programs and (name, flag) in table:
            dashes = "--" if len(flag) > 1 else "-"
            yield f"`{name}` has no `{dashes}{flag}`", table[name, flag]


def _programs(moment: Moment) -> Iterator[tuple[str, str]]:
    tables = {"macOS": _PROGRAMS_ON_MACOS, "Linux": _PROGRAMS_ON_LINUX}
    table = tables.get(moment.system, {})
    for name in moment.missing:
        if name in table:
            yield f"there is no `{name}`", table[name]


def _sed(moment: Moment) -> Iterator[tuple[str, str]]:
    """`-i` takes the word behind it on macOS, and only what is glued to it on Linux."""
    edits = [command for command in moment.commands if _edits_in_place(command)]
    if not edits:
        return
    has_empty = any("" in command.words for command in edits)
    if _SED_IN_PLACE.search(moment.output) and not has_empty:
        yield "`sed -i` takes a suffix as its next word", "sed -i '' 's/a/b/' FILE"
    if _SED_ON_LINUX.search(moment.output) and has_empty:
        yield "`sed -i` takes no word", "sed -i 's/a/b/' FILE"


def _edits_in_place(command: Command) -> bool:
    return command.program == "sed" and command.has("-i")


def _explanation(moment: Moment, what: str, instead: str) -> Explanation:
    system = moment.system or "macOS"
    situation = f"This is {system}: {what}"
    return Explanation(
        NAME, what, f"{what} on {system}: `{instead}`", situation, f"use `{instead}`"
    )
