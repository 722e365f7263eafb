"""The server over HTTP, for clients that cannot start a program: on this machine only, for who has the token only.

A page in a browser can reach loopback too, so a request must name us as its host and come from no other origin.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import uvicorn
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl

from afterglow.config import Config
from afterglow.errors import StoreError, UsageError
from afterglow.folders import place_once
from afterglow.loopback import listen_on, names
from afterglow.mcp.fault_log import note_faults
from afterglow.mcp.server import build

PATH = "/mcp"
MIN_TOKEN_CHARACTERS = 20  # shorter ones can be guessed
GRACE_SECONDS = 2  # an open stream has when the server ends


class OneToken:
    """Whoever has the token may do everything."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    async def verify_token(self, token: str) -> AccessToken | None:
        if not secrets.compare_digest(
            token.encode("utf-8", "surrogatepass"), self._token
        ):
            return None
        return AccessToken(token="", client_id="owner", scopes=[])


def serve(
    config: Config, *, port: int, token_file: Path, ready: Callable[[str], None]
) -> None:
    """Until a signal ends it; `ready` hears the address once it answers."""
    note_faults(config)
    token = token_in(token_file)
    with closing(listen_on(port)) as listening:
        hosts = names(listening)
        issuer = AnyHttpUrl(f"http://{hosts[0]}")
        server = build(
            config,
            auth=AuthSettings(issuer_url=issuer, resource_server_url=None),
            token_verifier=OneToken(token),
        )
        app = server.streamable_http_app(
            streamable_http_path=PATH,
            transport_security=TransportSecuritySettings(
                allowed_hosts=hosts,
                allowed_origins=[f"http://{name}" for name in hosts],
            ),
        )
        settings = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
            ws="none",
        )
        ready(f"http://{hosts[0]}{PATH}")
        uvicorn.Server(settings).run(sockets=[listening])


def token_in(path: Path) -> str:
    """The token kept in a file nobody else can read; made where there is none. Two first starts get the same one."""
    try:
        if not path.exists():
            place_once(path, secrets.token_urlsafe(32))
        if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise UsageError(
                f"others can read {path}; `chmod 600` it, or delete it to get a new token"
            )
        token = path.read_text(encoding="ascii").strip()
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path} holds no token; delete it to get a new one"
        ) from error
    except OSError as error:
        raise StoreError(
            f"{path}: {error.strerror or error}; --token-file names another place"
        ) from error
    if len(token) < MIN_TOKEN_CHARACTERS or len(token.split()) != 1:
        raise UsageError(
            f"{path} holds no token of at least {MIN_TOKEN_CHARACTERS} characters; delete it to get a new one"
        )
    return token
