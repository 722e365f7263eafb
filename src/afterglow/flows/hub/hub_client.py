"""Asking a hub, with nothing but the standard library: JSON both ways, compressed, tried again where that may help.

Whatever is sent may be sent again, so a lost answer costs a second request and nothing else. A redirect is not
followed: the token is for the hub that was named.
"""

from __future__ import annotations

import gzip
import http.client
import ssl
import time
import zlib
from collections.abc import Callable, Mapping
from typing import TypeVar
from urllib.parse import urlencode, urlsplit

import msgspec
from msgspec import Struct

from afterglow import __version__
from afterglow.errors import AfterglowError, Refused, Unreachable, UsageError
from afterglow.records.team import API_VERSION
from afterglow.text.clip import clip, printable

TIMEOUT_SECONDS = 30.0  # a hub that takes longer is away
TRIES = 3  # a restart of the hub is over by the third
PAUSE_SECONDS = 1.0  # before the second, and twice that before the third
MAX_PAUSE_SECONDS = 60.0  # a hub that wants more patience is asked another time
MAX_ANSWER_BYTES = 64_000_000  # unpacked: what is more was not made by a hub
MAX_ERROR_CHARACTERS = 300

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
AWAY = "your agents go on with what is on this machine; the next sync sends what is missing"
TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})

AnswerT = TypeVar("AnswerT")
Pause = Callable[[float], None]


class _Answer(Struct, frozen=True):
    status: int
    body: bytes
    retry_after: float = 0.0


class _Error(Struct, frozen=True):
    error: str = ""


class HubClient:
    """One member's way to one hub. `pause` waits between tries."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout: float = TIMEOUT_SECONDS,
        pause: Pause = time.sleep,
    ) -> None:
        self.url = checked_url(url)
        self._token, self._timeout, self._pause = token, timeout, pause

    def get(
        self, path: str, kind: type[AnswerT], query: Mapping[str, object] | None = None
    ) -> AnswerT:
        words = f"?{urlencode(query)}" if query else ""
        return self._asked("GET", path + words, b"", kind)

    def post(self, path: str, body: object, kind: type[AnswerT]) -> AnswerT:
        return self._asked("POST", path, msgspec.json.encode(body), kind)

    def _asked(
        self, method: str, path: str, body: bytes, kind: type[AnswerT]
    ) -> AnswerT:
        answer = self._answered(method, f"/api/v{API_VERSION}{path}", body)
        if answer.status != 200:
            raise self._error(answer)
        try:
            return msgspec.json.decode(answer.body, type=kind)
        except msgspec.DecodeError as error:
            raise Unreachable(
                f"{self.url} answered what no hub of this version says ({error}); see that the address is that of a hub, "
                "and that the hub and this afterglow are of versions that go together"
            ) from error

    def _answered(self, method: str, path: str, body: bytes) -> _Answer:
        """Of the last try, where the one before may have failed by chance."""
        for tried in range(1, TRIES + 1):
            is_last = tried == TRIES
            wait = PAUSE_SECONDS * tried
            try:
                answer = self._once(method, path, body)
            except (OSError, http.client.HTTPException) as error:
                if is_last:
                    raise self._away(error) from error
            else:
                wait = answer.retry_after or wait
                is_over = answer.status not in TRANSIENT
                if is_over or is_last or wait > MAX_PAUSE_SECONDS:
                    return answer
            self._pause(wait)
        raise AssertionError("the last try answers or raises")

    def _once(self, method: str, path: str, body: bytes) -> _Answer:
        parts = urlsplit(self.url)
        connection = _connection(parts.scheme, parts.netloc, self._timeout)
        headers = {
            "Authorization": f"Bearer {self._token}",
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            "User-Agent": f"afterglow/{__version__}",
        }
        if body:
            headers |= {
                "Content-Type": "application/json",
                "Content-Encoding": "gzip",
            }
            body = gzip.compress(body, compresslevel=6, mtime=0)
        try:
            connection.request(method, parts.path + path, body or None, headers)
            response = connection.getresponse()
            content = response.read(MAX_ANSWER_BYTES + 1)
            announced = response.headers.get("Content-Length", "")
            if announced.isdigit() and len(content) < int(announced):
                raise http.client.HTTPException("the answer was cut short")
            if response.headers.get("Content-Encoding") == "gzip":
                content = _unpacked(content)
            if len(content) > MAX_ANSWER_BYTES:
                raise http.client.HTTPException("the answer is too long")
            wait = _seconds(response.headers.get("Retry-After", ""))
            return _Answer(response.status, content, wait)
        finally:
            connection.close()

    def _away(self, error: Exception) -> Unreachable:
        why = getattr(error, "strerror", None) or type(error).__name__
        if isinstance(error, ssl.SSLCertVerificationError):
            return Unreachable(
                f"the certificate of {self.url} is not one this machine trusts ({error.verify_message}); nothing was sent"
            )
        return Unreachable(f"the hub at {self.url} does not answer ({why}); {AWAY}")

    def _error(self, answer: _Answer) -> AfterglowError:
        words = _words(answer.body)
        if answer.status == 401:
            return Refused(
                f"{self.url} does not know this token, or it has expired or was revoked; an admin of the hub gives you "
                f"another (`afterglow hub token add`), and `afterglow join {self.url} --token TOKEN` takes it; "
                "your agents go on with what is on this machine"
            )
        if answer.status == 403:
            return Refused(f"{self.url} does not allow this: {words}")
        if answer.status in {404, 405, 410, 426} or 300 <= answer.status < 400:
            return Unreachable(
                f"{self.url} answered {answer.status}: it is no hub, or of a version that does not speak with afterglow "
                f"{__version__}; see the address, or upgrade the older of the two; {AWAY}"
            )
        if answer.status == 429:
            return Unreachable(
                f"{self.url} takes no more requests of this token just now; {AWAY}"
            )
        if answer.status >= 500:
            return Unreachable(
                f"the hub at {self.url} has trouble ({answer.status}: {words}); {AWAY}"
            )
        return UsageError(f"{self.url} did not take this: {words}")


def checked_url(url: str) -> str:
    """Without what follows the path. A token is not sent readable over a network."""
    parts = urlsplit(url if "://" in url else f"https://{url}")
    is_here = parts.hostname in LOOPBACK
    if parts.username or parts.password:
        raise UsageError("no name or password belongs in a hub's address; say --token")
    if not parts.hostname or parts.scheme not in {"http", "https"}:
        raise UsageError(
            f"{printable(url)} is no address of a hub; https://hub.example would be"
        )
    if parts.scheme == "http" and not is_here:
        raise UsageError(
            f"{printable(url)} would send your token readable for everybody on the way; use https://"
        )
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def _connection(scheme: str, netloc: str, timeout: float) -> http.client.HTTPConnection:
    if scheme == "https":
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(netloc, timeout=timeout, context=context)
    return http.client.HTTPConnection(netloc, timeout=timeout)


def _unpacked(content: bytes) -> bytes:
    """No more than an answer may have, whatever is packed inside."""
    unpacking = zlib.decompressobj(wbits=31)
    try:
        text = unpacking.decompress(content, MAX_ANSWER_BYTES + 1)
    except zlib.error as error:
        raise http.client.HTTPException("the answer cannot be unpacked") from error
    if not unpacking.eof and len(text) <= MAX_ANSWER_BYTES:
        raise http.client.HTTPException("the answer was cut short")
    return text


def _seconds(text: str) -> float:
    return float(text) if text.strip().isdigit() else 0.0


def _words(body: bytes) -> str:
    try:
        words = msgspec.json.decode(body, type=_Error).error
    except msgspec.DecodeError:
        words = ""
    return clip(printable(words), MAX_ERROR_CHARACTERS) or "it does not say why"
