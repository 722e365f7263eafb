"""What leaves the machine: requests that carry something, copies to other hosts, and addresses that are looked at."""

from __future__ import annotations

import re
from collections.abc import Collection

from afterglow.calls import Command, effects_of
from afterglow.harvest.risk.kinds import Risk
from afterglow.harvest.risk.read_wrapper import task_words
from afterglow.harvest.risk.tables import group

_URL = re.compile(r"\b(?:https?|ftp|wss?)://([^\s/'\"`<>)\]}:?#]+)", re.IGNORECASE)
_LOCAL = re.compile(
    r"(?:[\w.-]*@)?(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[?::1|host\.docker\.internal|[\w-]+\.(?:local|localhost|test|internal)"
    r"|\$\{?\w+\}?.*|\{.*|…|example\.(?:com|org|net)|[A-Z_]+|[a-z][\w-]*)",
)
_COPYING = frozenset({"scp", "rsync"})
_REMOTE_PATH = re.compile(r"(?:[\w.-]+@)?[\w.-]{2,}:(?![\\/]{2}).*")
_CARRIED = re.compile(r"\$\(|`|\$\{?[A-Z]\w*")
_DNS = frozenset({"dig", "nslookup", "host", "ping"})

# Of a forge's interface, what sessions do as ordinary work: talk in pull requests and issues, run checks again.
_ORDINARY = re.compile(
    r"/(?:comments|replies|reviews?|issues|pulls|labels|reactions|assignees|requested_reviewers|discussions|notes"
    r"|milestones|reruns?|rerun-failed-jobs|statuses|check-runs)\b(?!.*/merge\b)"
)
_ORDINARY_MUTATION = re.compile(
    r"(?i)mutation.*\b(?:resolve|unresolve|add|update|minimize|create|close|reopen|mark)\w*(?:review|comment|thread|issue|label|reaction|discussion|project|pullrequest)",
    re.DOTALL,
)
_READING = frozenset({"GET", "HEAD", "OPTIONS"})


def external_hosts(text: str) -> list[str]:
    """The hosts of addresses in a text that are not on this machine, and no placeholder."""
    return [host for host in _URL.findall(text) if not _LOCAL.fullmatch(host)]


def risk_of_sending(command: Command, hosts: Collection[str]) -> Risk | None:
    if command.program in {"gh", "glab"} and command.subcommand[:1] == ("api",):
        return _risk_of_forge(command)
    if command.program in _COPYING:
        is_remote = any(map(_REMOTE_PATH.fullmatch, command.operands[-1:]))
        return Risk("sends", command.text) if is_remote else None
    if command.program in _DNS and _CARRIED.search(" ".join(command.words[1:])):
        return Risk("sends", command.text)
    return (
        _risk_of_request(command, hosts)
        if command.program in group("requesting")
        else None
    )


def _risk_of_request(command: Command, hosts: Collection[str]) -> Risk | None:
    words = command.words[1:]
    external = external_hosts(" ".join(words)) or _bare_hosts(command)
    if not external:
        return None
    carries = any(_CARRIED.search(word) for word in words if "://" in word)
    if carries or "sends" in effects_of(command):
        return Risk("sends", command.text)
    is_new = any(host not in hosts for host in external)
    return Risk("address", command.text) if is_new else None


def _bare_hosts(command: Command) -> list[str]:
    """`curl get.tool.sh`: an address without its scheme."""
    hosts = [word.split("/")[0].split(":")[0] for word in command.operands]
    return [host for host in hosts if re.fullmatch(r"(?:[\w-]+\.)+[a-z]{2,}", host)]


def _risk_of_forge(command: Command) -> Risk | None:
    if "sends" not in effects_of(command):
        return None
    text = " ".join(command.words)
    path = "/" + " ".join(task_words(command)[1:2])
    if path == "/":
        return None  # nobody says what is changed
    method = (command.value("-X", "--method") or "POST").upper()
    if re.search(r"(?i)event=approve|/merge\b|mergepullrequest|dismiss", text):
        return Risk("check", command.text)
    is_query = task_words(command)[1:2] == ("graphql",)
    if is_query and _ORDINARY_MUTATION.search(text):
        return None
    if not is_query and method not in {"DELETE"} and _ORDINARY.search(path):
        return None
    return None if method in _READING else Risk("service", command.text)
