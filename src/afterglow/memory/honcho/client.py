"""Talking to a Honcho server through its SDK: imported on first use, short time-outs, and every failure by its name."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module, metadata
from typing import TYPE_CHECKING, Any, NoReturn

from afterglow.errors import AfterglowError, ConfigError, Unreachable, UsageError

if TYPE_CHECKING:
    import httpx

# A server may ask us to wait before a retry; the SDK would wait for as long as it is told.
MAX_WAIT_SECONDS = 2.0
MAX_REASON_CHARACTERS = 200  # of what a server says about a failure
WORKSPACE = re.compile(r"[A-Za-z0-9_-]{1,512}\Z")
KEY = re.compile(r"[!-~]+\Z")


def require(distribution: str = "honcho-ai") -> None:
    """Raises if the SDK is not installed. Does not import it."""
    try:
        metadata.distribution(distribution)
    except metadata.PackageNotFoundError as error:
        raise ConfigError(
            "the Honcho SDK is not installed: pip install 'afterglow-agents[honcho]'"
        ) from error


class Server:
    """A Honcho server. What is empty is left to the SDK. The connection is opened by the first question."""

    def __init__(self, key: str, url: str, workspace: str) -> None:
        _check_settings(key, url, workspace)
        self._settings = {
            "api_key": key or None,
            "base_url": url or None,
            "workspace_id": workspace or None,
        }
        self._key = key
        without_password = re.sub(r"//[^/@]*@", "//", url)
        self._where = without_password or "its default address"
        self._lock = threading.Lock()
        self._http: httpx.Client | None = None
        self._clients: dict[tuple[float, int], Any] = {}
        self._process = os.getpid()

    @contextmanager
    def asked(self, seconds: float, retries: int) -> Iterator[Any]:
        """The SDK's client with these limits. What fails inside is raised as one of our errors."""
        honcho = self._client(seconds, retries)
        errors = import_module("honcho").HonchoError
        try:
            yield honcho
        except AfterglowError:
            raise
        except errors as error:
            self._translate(error, seconds)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            # An answer the SDK cannot make sense of.
            raise Unreachable(
                f"{self} answers, but not as Honcho does; is HONCHO_URL right?"
            ) from error

    def close(self) -> None:
        with self._lock:
            self._clients.clear()
            if self._http is not None:
                self._http.close()
            self._http = None

    def __str__(self) -> str:
        return f"the Honcho server at {self._where}"

    def _client(self, seconds: float, retries: int) -> Any:
        with self._lock:
            if self._process != os.getpid():  # forked: the connections are the parent's
                self._clients, self._http, self._process = {}, None, os.getpid()
            limits = (seconds, retries)
            if limits not in self._clients:
                self._clients[limits] = self._new_client(seconds, retries)
            return self._clients[limits]

    def _new_client(self, seconds: float, retries: int) -> Any:
        try:
            honcho = import_module("honcho").Honcho
            httpx = import_module("httpx")
        except (ImportError, AttributeError) as error:
            # Another package of that name has no `Honcho`.
            raise ConfigError(
                "the Honcho SDK is not installed: pip install 'afterglow-agents[honcho]'"
            ) from error
        if self._http is None:
            self._http = httpx.Client(event_hooks={"response": [_shorten_wait]})
        return honcho(
            **self._settings,
            timeout=seconds,
            max_retries=retries,
            http_client=self._http,
        )

    def _translate(self, error: Any, seconds: float) -> NoReturn:
        status, reason = error.status, self._reason(error.message)
        if status in {401, 403}:
            raise Unreachable(
                f"{self} does not accept the key; check HONCHO_API_KEY ({status})"
            ) from error
        if status in {413, 422}:
            raise UsageError(
                f"{self} refuses this as too long or malformed ({status}){reason}; shorten it"
            ) from error
        if status == 429:
            raise Unreachable(
                f"{self} has too many requests; try again in a while (429)"
            ) from error
        if status == 404:
            raise Unreachable(
                f"{self} does not know what was asked for; is HONCHO_URL a Honcho v3? (404)"
            ) from error
        if status:
            raise Unreachable(
                f"{self} failed ({status}){reason}; try again later"
            ) from error
        if error.code == "timeout":
            raise Unreachable(
                f"{self} did not answer within {seconds:g} s; try again, or see to its load"
            ) from error
        if isinstance(error.__cause__, ValueError):
            raise Unreachable(
                f"{self} answers, but not in JSON; is HONCHO_URL right?"
            ) from error
        raise Unreachable(
            f"{self} cannot be reached{reason}; check the network and HONCHO_URL"
        ) from error

    def _reason(self, message: Any) -> str:
        """What the server says about it, without our key and without the values it sends back."""
        if isinstance(message, list):  # one table for each field it refuses
            tables = [item for item in message if isinstance(item, dict)]
            message = "; ".join(str(table.get("msg", "")) for table in tables)
        if not isinstance(message, str) or not message:
            return ""
        if self._key:
            message = message.replace(self._key, "***")
        return f": {message[:MAX_REASON_CHARACTERS].rstrip('.')}"


def _check_settings(key: str, url: str, workspace: str) -> None:
    if key and not KEY.match(key):
        raise ConfigError(
            "HONCHO_API_KEY holds characters that no key has; copy it again"
        )
    if workspace and not WORKSPACE.match(workspace):
        raise ConfigError(
            f"a Honcho workspace is named by letters, digits, _ and -, not {workspace!r}"
        )
    if url and not url.startswith(("http://", "https://")):
        raise ConfigError(
            f"HONCHO_URL must begin with http:// or https://, not {url!r}"
        )


def _shorten_wait(response: httpx.Response) -> None:
    if "Retry-After" in response.headers:
        try:
            wait = float(response.headers["Retry-After"])
        except ValueError:  # a date
            wait = MAX_WAIT_SECONDS
        response.headers["Retry-After"] = str(min(max(wait, 0.0), MAX_WAIT_SECONDS))
