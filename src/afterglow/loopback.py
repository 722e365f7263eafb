"""The address of servers of ours: this machine, and nobody else."""

from __future__ import annotations

import socket

from afterglow.errors import UsageError

HOST = "127.0.0.1"


def listen_on(port: int, host: str = "") -> socket.socket:
    """A socket of this machine alone, unless a `host` is named to listen on; port 0 takes a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host or HOST, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        where = f"{host} port {port}" if host else f"port {port}"
        raise UsageError(
            f"{where} cannot be used ({error.strerror}); --port 0 takes a free one"
        ) from error
    return listening


def names(listening: socket.socket) -> list[str]:
    """What a request may call us: a page of a stranger can reach loopback under names of its own."""
    port = listening.getsockname()[1]
    return [f"{HOST}:{port}", f"localhost:{port}"]
