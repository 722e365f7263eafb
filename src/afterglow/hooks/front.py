"""`afterglow hook EVENT` as agents call it: asks the resident process where one is there, else does the work itself.

The resident gets our standard input and our folder as they are and answers through the socket; we hold the clock. One
that is not there, was left behind by a crash, or is of another version of the code costs a fraction of a millisecond.
"""

from __future__ import annotations

import os
import sys
import time
from itertools import pairwise

from afterglow.home_folder import home_folder, is_private, time_zone, user_home
from afterglow.hooks.listening import Heard, listen, write

# Events of which a session has hundreds: for others it is not worth it that a process stays.
CALL_EVENTS = frozenset({"posttooluse", "posttoolusefailure", "posttoolbatch"})
# Until a resident that is alive says that it has begun. One that is not, but holds its socket, costs this once.
BEGIN_SECONDS = 0.25
DEFAULT_SECONDS = 0.8  # of the deadline: a person hardly notices less than a second
MAX_SOCKET_PATH = 100  # bytes: systems take 104 to 108


def main() -> None:
    words = sys.argv[2:]
    # A resident has the environment of the hook that it was, so it cannot tell that this session is private.
    asks = is_call_event(words) and not is_private()
    heard = ask_resident(words) if asks else None
    if heard is None:
        from afterglow.hooks.main import main as work_here

        work_here()
    elif heard.trouble or not write(heard.answer or b""):
        from afterglow.hooks.main import end_of

        end_of(heard)
    os._exit(0)  # nothing is left to tidy up, and the agent waits


def is_call_event(words: list[str]) -> bool:
    name = words[0] if words else ""
    return name.replace("-", "").replace("_", "").lower() in CALL_EVENTS


def socket_path() -> str:
    """Of the resident that would answer as we do: the same code, homes and time zone. Empty where there can be none."""
    from zlib import crc32

    if not hasattr(os, "fork"):
        return ""
    traits = (__file__, sys.version, user_home(), time_zone())
    mark = crc32("\0".join(traits).encode("utf-8", "surrogateescape"))
    path = f"{home_folder()}/hook-{mark:08x}.sock"
    return path if len(os.fsencode(path)) <= MAX_SOCKET_PATH else ""


def ask_resident(words: list[str]) -> Heard | None:
    """What a resident answers; None where there is none that has begun to."""
    begun = time.monotonic()
    path = socket_path()
    try:
        if not path or os.stat(path).st_uid != os.getuid():
            return None
        # What `socket` adds to it is of no use here, and takes as long to load as all else.
        from _socket import AF_UNIX, SCM_RIGHTS, SOCK_STREAM, SOL_SOCKET, socket

        connection = socket(AF_UNIX, SOCK_STREAM)
        connection.settimeout(BEGIN_SECONDS)
        connection.connect(path)
        request = "\0".join(words).encode("utf-8", "surrogateescape")
        folder = os.open(".", os.O_RDONLY)
        ours = b"".join(each.to_bytes(4, sys.byteorder) for each in (0, folder))
        connection.sendmsg([request], [(SOL_SOCKET, SCM_RIGHTS, ours)])
        first = connection.recv(1)
        connection.settimeout(None)
    except OSError:  # none, or one that a crash left behind
        return None
    if first != b"p":
        return None
    return _rest(connection.fileno(), begun, words)


def _rest(reading: int, begun: float, words: list[str]) -> Heard:
    """The worker has said the first letter of its number; the rest of it, and all that follows, is listened to."""
    number = b""
    while not number.endswith(b"\n"):
        digit = os.read(reading, 1)
        if not digit:
            break
        number += digit
    return listen(reading, begun, first_deadline(words), worker=int(number or b"0"))


def first_deadline(words: list[str]) -> float:
    """Until the config file is read, which may take long as well."""
    for option, value in pairwise(words):
        if option == "--deadline-ms" and value.isdecimal():
            return int(value) / 1000
    return DEFAULT_SECONDS
