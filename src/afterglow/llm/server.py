"""A server that speaks OpenAI's chat completions, through the openai package; everything it may do wrong has a name.

`REACHABLE` is the door. Tests set it to "loopback", so that no test can reach a network or spend money.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from importlib import import_module
from threading import Lock
from time import monotonic, time
from typing import Any, Literal

import msgspec
from msgspec import Struct

from afterglow.errors import ConfigError
from afterglow.llm.endpoint import Endpoint
from afterglow.llm.request import Reply, Request, Trouble
from afterglow.llm.schema import is_strict
from afterglow.records.model import Finish, TokenUsage
from afterglow.text.clip import printable

REACHABLE: Literal["anywhere", "loopback"] = "anywhere"

TO_CONNECT = 10.0  # seconds
MOST = 20_000_000  # bytes of an answer
COUNTABLE = 10**12  # tokens: what says more of one request does not count
UNSENT = {
    "ConnectError",
    "ConnectTimeout",
    "PoolTimeout",
    "UnsupportedProtocol",
    "ProxyError",
}
SLOW = "raise [model] timeout, or see to its load"
HEADERS = {
    "accept", "accept-encoding", "authorization", "connection", "content-length", "content-type", "host", "user-agent",
    "x-stainless-raw-response",  # by this one the SDK knows that we read the answer ourselves
}  # fmt: skip
_TOO_LONG = re.compile(
    r"context.{0,12}(length|window|size)|too (long|many tokens)|exceed\w* .{0,40}context",
    re.I,
)
_FINISH: dict[str, Finish] = {
    "length": "length",
    "content_filter": "filter",
    "refusal": "refusal",
}


class _Counts(Struct, frozen=True):
    prompt_tokens: int
    completion_tokens: int
    prompt_tokens_details: Any = None


class Server:
    """Opens its connection with the first request."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._lock = Lock()
        self._sdk: Any = None
        self._client: Any = None

    def __str__(self) -> str:
        return f"{self._endpoint.model} at {self._endpoint.origin}"

    def send(self, request: Request) -> Reply:
        client = self._opened()
        body = _body(request)
        try:
            raw = client.chat.completions.with_raw_response.create(**body)
            content: bytes = raw.http_response.content
        except self._sdk.APIStatusError as error:
            raise self._refused(
                error
            ) from None  # the SDK's error holds the request, and so the key
        except self._sdk.APITimeoutError as error:
            raise self._silent(
                error, "timeout", f"did not answer within {self._endpoint.timeout:g} s"
            ) from None
        except self._sdk.APIConnectionError as error:
            if isinstance(error.__cause__, Trouble):  # ours, for what came
                raise error.__cause__ from None
            raise self._silent(error, "unreachable", "cannot be reached") from None
        except self._sdk.APIError as error:
            raise self._garbage(error.message) from None
        return self._read(content)

    def close(self) -> None:
        with self._lock:
            if self._client is not None:
                self._client.close()
            self._client = None

    def _opened(self) -> Any:
        here = self._endpoint
        if (REACHABLE == "loopback" or here.local_only) and not here.local:
            raise Trouble(
                f"{self} is not on this machine, and nothing else may be asked here",
                kind="locked",
            )
        with self._lock:
            if self._client is None:
                try:
                    self._sdk = import_module("openai")
                    plain = self._sdk.DefaultHttpxClient
                except (ImportError, AttributeError) as error:
                    raise ConfigError(
                        "the openai package is not installed: pip install 'afterglow-agents[llm]'"
                    ) from error
                timeout = self._sdk.Timeout(
                    here.timeout, connect=min(TO_CONNECT, here.timeout)
                )
                http = plain(
                    timeout=timeout,
                    follow_redirects=False,  # what is sent goes to nobody but the server that was named
                    trust_env=not here.local,  # a proxy, if the system has one
                    event_hooks={"request": [self._bare], "response": [self._bound]},
                )
                self._client = self._sdk.OpenAI(
                    base_url=here.base_url,
                    api_key=here.key or "none",  # it insists on one
                    timeout=timeout,
                    max_retries=0,  # tries are counted and paid for by us
                    http_client=http,
                )
            return self._client

    def _bare(self, http_request: Any) -> None:
        """Takes off what the SDK adds by itself: a description of this machine, and what it finds in the environment
        that is meant for another server."""
        for name in set(http_request.headers) - (
            HEADERS if self._endpoint.key else HEADERS - {"authorization"}
        ):
            del http_request.headers[name]

    def _bound(self, response: Any) -> None:
        """An answer, once unpacked, comes within its time and a size: one that drips on would meet no other timeout."""
        parts = response.iter_bytes
        response.iter_bytes = lambda chunk_size=None: self._within(parts(chunk_size))

    def _within(self, parts: Iterator[bytes]) -> Iterator[bytes]:
        size, end = 0, monotonic() + self._endpoint.timeout
        for part in parts:
            size += len(part)
            if monotonic() > end:
                what = f"{self} did not come to an end within {self._endpoint.timeout:g} s; {SLOW}"
                raise Trouble(what, kind="timeout", again=True, maybe_paid=True)
            if size > MOST:
                what = (
                    f"{self} answers with more than {MOST:,} bytes; is base_url right?"
                )
                raise Trouble(what, kind="garbage", maybe_paid=True)
            yield part

    def _refused(self, error: Any) -> Trouble:
        status, said = error.status_code, self._words(error.message)
        wait = _wait(error.response.headers)
        if status in {401, 403}:
            where = (
                "check [model] api_key_env or api_key_file"
                if self._endpoint.key
                else "it wants a key: set one"
            )
            return Trouble(
                f"{self} does not let us in; {where} ({status})", kind="not let in"
            )
        if status == 404:
            hint = "is the model's name right, and does base_url end as it should (mostly /v1)?"
            return Trouble(
                f"{self} is not there; {hint} (404){said}", kind="unknown model"
            )
        if status == 402 or (
            status == 429 and "insufficient_quota" in f"{error.code} {error.message}"
        ):
            return Trouble(
                f"{self}: the account has no credit left ({status}){said}",
                kind="no credit",
            )
        if status == 429:
            return Trouble(
                f"{self} has too many requests (429){said}",
                kind="rate limit",
                again=True,
                wait=wait,
            )
        complaint = f"{error.param or ''} {error.message}"
        if status == 413 or _TOO_LONG.search(complaint):
            return Trouble(
                f"{self} cannot take that much at once ({status}){said}",
                kind="too long",
            )
        if (
            status in {400, 405, 415, 422, 501} or "response_format" in complaint
        ):  # llama-cpp-python says 500
            return Trouble(
                f"{self} does not take the request ({status}){said}",
                kind="rejected",
                complaint=complaint,
            )
        if status >= 500 or status in {408, 409, 425}:
            return Trouble(
                f"{self} failed ({status}){said}", kind="server", again=True, wait=wait
            )
        return Trouble(
            f"{self} answers {status}{said}; is base_url right?", kind="garbage"
        )

    def _silent(self, error: Any, kind: str, what: str) -> Trouble:
        cause = type(error.__cause__).__name__
        sent = cause not in UNSENT
        if sent and kind == "unreachable":
            what = "broke off"
        hint = "is it running, and is base_url right?" if not sent else SLOW
        return Trouble(f"{self} {what}; {hint}", kind=kind, again=True, maybe_paid=sent)

    def _garbage(self, text: object) -> Trouble:
        words = self._words(text)
        return Trouble(
            f"{self} answers, but not as OpenAI's do{words}",
            kind="garbage",
            again=True,
            maybe_paid=True,
        )

    def _words(self, said: object) -> str:
        """What the server said, shortened, without the key and what a terminal would obey."""
        text = " ".join(printable(str(said)).split())
        if self._endpoint.key:
            text = text.replace(self._endpoint.key, "***")
        return f": {text[:200]}" if text else ""

    def _read(self, content: bytes) -> Reply:
        try:
            body = msgspec.json.decode(content)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise self._garbage(content[:10_000].decode("utf-8", "replace")) from None
        if not isinstance(body, dict):
            raise self._garbage("")
        if body.get("error"):  # some relay a failure as a success
            raise Trouble(
                f"{self} failed{self._words(_message(body['error']))}",
                kind="server",
                again=True,
            )
        usage = _usage(body.get("usage"))
        model = body.get("model") if isinstance(body.get("model"), str) else ""
        choices = body.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            return Reply(usage=usage, model=str(model))
        finish = _FINISH.get(str(choice.get("finish_reason")), "stop")
        text = _text(message.get("content"))
        if message.get("refusal"):
            return Reply(
                text=_text(message["refusal"]),
                finish="refusal",
                usage=usage,
                model=str(model),
            )
        return Reply(text=text, finish=finish, usage=usage, model=str(model))


def _body(request: Request) -> dict[str, Any]:
    """What the SDK is called with. What not all of its versions know goes around it."""
    manners = request.manners
    more: dict[str, Any] = {manners.limit: request.max_tokens}
    if manners.temperature:
        more["temperature"] = 0
    if request.schema is not None and manners.format == "json_schema":
        strict = manners.strict and is_strict(request.schema)
        shape = {"name": request.name, "schema": request.schema, "strict": strict}
        more["response_format"] = {"type": "json_schema", "json_schema": shape}
    elif request.schema is not None and manners.format == "json_object":
        # llama-cpp-python keeps to a schema that is given so; who does not know it is asked in plain text.
        more["response_format"] = {"type": "json_object", "schema": request.schema}
    messages = [
        {"role": message.role, "content": message.content}
        for message in request.messages
    ]
    return {"model": request.model, "messages": messages, "extra_body": more}


def _usage(said: Any) -> TokenUsage | None:
    """What the server counted, if it counted both ways."""
    try:
        counts = msgspec.convert(said, _Counts)
    except msgspec.ValidationError:
        return None
    details = counts.prompt_tokens_details
    cached = details.get("cached_tokens") if isinstance(details, dict) else 0
    if not all(
        0 <= tokens <= COUNTABLE
        for tokens in (counts.prompt_tokens, counts.completion_tokens)
    ):
        return None
    cached = (
        cached if isinstance(cached, int) and 0 <= cached <= counts.prompt_tokens else 0
    )
    return TokenUsage(counts.prompt_tokens, counts.completion_tokens, cached)


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(
            _text(part.get("text")) for part in content if isinstance(part, dict)
        )
    return content if isinstance(content, str) else ""


def _message(error: Any) -> str:
    return str(error.get("message", "")) if isinstance(error, dict) else str(error)


def _wait(headers: Any) -> float | None:
    """Seconds the server asks us to wait."""
    header = headers.get("retry-after-ms", "")
    if re.fullmatch(r"\d{1,9}(\.\d+)?", header):
        return float(header) / 1000
    header = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d+)?", header):
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time())
    except (ValueError, TypeError):
        return None
