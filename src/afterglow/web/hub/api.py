"""The door for machines: who asks, what they contribute, what the team knows. JSON, compressed both ways, one version a
path; what is not known in a request is passed over, so that machines of the version before go on.

What is answered with 200 is committed. Whatever was sent may be sent again.
"""

from __future__ import annotations

import gzip
import time
import zlib
from hashlib import sha256
from typing import TypeVar

import msgspec
from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from afterglow.errors import UsageError
from afterglow.flows.hub import greet_machine, take_back, take_in, team_page
from afterglow.records.contributions import Contribution
from afterglow.records.team import (
    API_VERSION,
    MAX_BATCH_BYTES,
    MAX_BATCH_ROWS,
    MAX_PAGE_ITEMS,
    Leaving,
    Withdrawn,
)
from afterglow.web.hub.hub import hub_of
from afterglow.web.hub.identity import bearer

MAX_MACHINE_CHARACTERS = 64
# Of a body as it comes over the wire, and unpacked: rows are bounded, their frame adds little.
MAX_SENT_BYTES = 2 * MAX_BATCH_BYTES
MAX_UNPACKED_BYTES = 4 * MAX_BATCH_BYTES
SMALL = 1000  # bytes: less is not worth packing

BodyT = TypeVar("BodyT")


class _Batch(Struct, frozen=True):
    machine: str
    batch: tuple[Contribution, ...]


async def me(request: Request) -> Response:
    place = hub_of(request).place(bearer(request.headers))
    return _answer(request, await run_in_threadpool(greet_machine, place))


async def contributions(request: Request) -> Response:
    """All of a batch is taken, but for rows that are refused with a reason each."""
    hub, token = hub_of(request), bearer(request.headers)
    sent = await _body(request, _Batch)
    _check_machine(sent.machine)
    if len(sent.batch) > MAX_BATCH_ROWS:
        raise UsageError(f"a batch has {MAX_BATCH_ROWS} rows at most; send several")

    def taken() -> object:
        return take_in(hub.config(token), sent.machine, sent.batch, now=time.time())

    answer = await run_in_threadpool(taken)
    hub.wake()
    return _answer(request, answer)


async def items(request: Request) -> Response:
    place = hub_of(request).place(bearer(request.headers))
    after = _number(request, "after", 0)
    limit = _number(request, "limit", MAX_PAGE_ITEMS)
    last = request.query_params.get("last", "")
    return _answer(
        request, await run_in_threadpool(team_page, place, after, last, limit)
    )


async def leave(request: Request) -> Response:
    """A machine goes; its contributions with it, if it says so."""
    hub, token = hub_of(request), bearer(request.headers)
    sent = await _body(request, Leaving)
    _check_machine(sent.machine)

    def withdrawn() -> int:
        if sent.take_back:
            return take_back(hub.place(token), sent.machine)
        greet_machine(hub.place(token))  # who has no valid token leaves nothing
        return 0

    count = await run_in_threadpool(withdrawn)
    hub.wake()
    return _answer(request, Withdrawn(count))


async def _body(request: Request, kind: type[BodyT]) -> BodyT:
    content = await _bounded(request)
    token = bearer(request.headers).encode("utf-8", "surrogatepass")
    hub_of(request).byte_pace.take(sha256(token).hexdigest(), len(content))
    if request.headers.get("content-encoding", "") == "gzip":
        content = _unpacked(content)
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        raise UsageError(f"this is not what this address takes: {error}") from error


async def _bounded(request: Request) -> bytes:
    """Read as far as may be, whatever its head says."""
    content = bytearray()
    async for piece in request.stream():
        content += piece
        if len(content) > MAX_SENT_BYTES:
            raise UsageError(
                f"a request has {MAX_SENT_BYTES} bytes at most; send less at once"
            )
    return bytes(content)


def _unpacked(content: bytes) -> bytes:
    unpacking = zlib.decompressobj(wbits=31)
    try:
        text = unpacking.decompress(content, MAX_UNPACKED_BYTES + 1)
    except zlib.error as error:
        raise UsageError("the body is said to be gzip and is not") from error
    if len(text) > MAX_UNPACKED_BYTES or not unpacking.eof:
        raise UsageError(
            f"a request has {MAX_UNPACKED_BYTES} bytes unpacked at most; send less at once"
        )
    return text


def _check_machine(machine: str) -> None:
    is_name = machine.isalnum() and machine.isascii()
    if not is_name or len(machine) > MAX_MACHINE_CHARACTERS:
        raise UsageError(
            f"a machine is named by letters and digits, {MAX_MACHINE_CHARACTERS} at most"
        )


def _number(request: Request, name: str, default: int) -> int:
    text = request.query_params.get(name, "")
    if text and not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise UsageError(f"{name} is a number")
    return int(text) if text else default


def _answer(request: Request, body: object) -> Response:
    content = msgspec.json.encode(body)
    headers = {"cache-control": "no-store", "vary": "accept-encoding"}
    if len(content) > SMALL and "gzip" in request.headers.get("accept-encoding", ""):
        content = gzip.compress(content, compresslevel=5, mtime=0)
        headers["content-encoding"] = "gzip"
    return Response(content, headers=headers, media_type="application/json")


_PATH = f"/api/v{API_VERSION}"
ROUTES = [
    Route(f"{_PATH}/me", me, methods=["GET"]),
    Route(f"{_PATH}/contributions", contributions, methods=["POST"]),
    Route(f"{_PATH}/items", items, methods=["GET"]),
    Route(f"{_PATH}/leave", leave, methods=["POST"]),
]
