"""Where a value leads: a number, a word and a path inside the repository lead nowhere else."""

from __future__ import annotations

import re
from collections.abc import Collection

from afterglow.harvest.risk.kinds import Kind
from afterglow.harvest.risk.paths import is_outside, is_scratch

HOLE = re.compile(
    r"<[^<>]*>|…|\.{3}|\{\w*\}|\$\{?\w+\}?|[A-Z][A-Z_]+|\[REDACTED.*|NAME.*"
)
LOCAL = re.compile(
    r"(?:\w+://)?(?:[^@/]*@)?(?:localhost|127(?:\.\d+){3}|\[?::1\]?)(?::[\d$<{]\S*)?(?:/.*)?"
)

_SCHEME = re.compile(r"(?:^|[=,:])([a-z][a-z0-9+.]+)://+([^\s/'\"`<>)\]}?#]+)", re.I)
_OF_NO_HOST = frozenset({"file", "sqlite", "unix", "npipe", "fd", "memory", "chrome"})
# These name a store by one word; of the others, one word is a machine of the repository's own containers.
_STORES = frozenset(
    "s3 gs gcs az abfs abfss wasb oci docker hf r2 b2 swift oss cos minio".split()
)
_HERE = re.compile(
    r"(?:[^@]*@)?(?:localhost|127(?:\.\d+){3}|\[?::1\]?|host\.docker\.internal|[a-z][\w-]*)(?::\d+)?|\$.*|\{.*|<.*|…|[A-Z_]+"
)
_MACHINE = re.compile(
    r"(?:[\w.-]+@)?(?:(?:[\w-]+\.)+(?:com|net|org|io|dev|app|sh|co|me|cloud|xyz|info|ai|ru|cn|de|uk|eu|biz|top|site|tk|us|fr"
    r"|internal|corp|lan|local|home|intra|intranet|test|example|invalid|onion|arpa)|\d{1,3}(?:\.\d{1,3}){3})(?:[:/].*)?"
)
_AT_MACHINE = re.compile(r"[\w.-]+@[\w.-]+:\S*|[\w.-]+@(?:[\w-]+\.)+[a-z]{2,}")
_EVERY_ADDRESS = re.compile(
    r"(?:tcp:|http:)?(?://)?(?:0\.0\.0\.0|\*(?=:)|\[::\])(?::\d+)?(?:[:/].*)?"
)


def kind_of_place(value: str, hosts: Collection[str] = ()) -> Kind | None:
    """Where a value leads, if not into the repository, to this machine or to one of `hosts`."""
    value = value.strip("\"',")
    if not value or HOLE.fullmatch(value) or LOCAL.fullmatch(value):
        return None
    if _EVERY_ADDRESS.fullmatch(value):
        return "opens"
    addresses = _SCHEME.findall(value)
    if any(_leads_away(scheme.casefold(), host, hosts) for scheme, host in addresses):
        return "elsewhere"
    if addresses:
        return None
    if _MACHINE.fullmatch(value) or _AT_MACHINE.fullmatch(value):
        return None if value.split("/")[0] in hosts else "elsewhere"
    path = value.partition("=")[2] or value
    is_path = not path.startswith(("//", "/-"))  # a comment; `-p/--print`
    return "elsewhere" if is_path and is_outside(path) else None


def _leads_away(scheme: str, host: str, hosts: Collection[str]) -> bool:
    if scheme in _OF_NO_HOST or host in hosts:
        return False
    return scheme in _STORES or not _HERE.fullmatch(host)


def is_file_of_repository(value: str) -> bool:
    is_path = "/" in value and "://" not in value
    return is_path and not is_outside(value) and not is_scratch(value)
