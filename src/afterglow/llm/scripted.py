"""A model that answers from a script, by the same code as a real one: caps, retries, repairs and counts are the same.

ScriptedModel(["yes", {"lessons": []}])     one answer a request, in order
ScriptedModel(lambda ask: {"lessons": []})  an answer out of the question: also for many threads
FAILURES["rate limit"]                      what can stand in place of an answer
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec
from msgspec.structs import replace

from afterglow.errors import ModelError
from afterglow.llm.budget import Account, Caps, count_input
from afterglow.llm.cache import Cache
from afterglow.llm.client import Client
from afterglow.llm.request import Reply, Request, Trouble
from afterglow.records.model import Price, TokenUsage
from afterglow.text.tokens import estimate

Scripted = (
    str | Mapping[str, Any] | Sequence[Any] | Reply | Trouble
)  # words, data, a whole reply, or a failure
FREE = Price(0.0, 0.0)
PLENTY = Caps(max_tokens=10_000_000)

FAILURES: dict[str, Reply | Trouble] = {
    "bad json": Reply(text='{"lessons": [{"fact": "a ga'),
    "wrong shape": Reply(text='{"unheard of": 1}'),
    "cut off": Reply(text='{"lessons": [{"fact": "a ga', finish="length"),
    "refusal": Reply(text="I cannot help with that.", finish="refusal"),
    "filtered": Reply(finish="filter"),
    "empty": Reply(),
    "rate limit": Trouble("too many requests", kind="rate limit", again=True, wait=0.0),
    "server": Trouble("the server failed", kind="server", again=True),
    "unreachable": Trouble("nobody answers there", kind="unreachable", again=True),
    "timeout": Trouble(
        "no answer in time", kind="timeout", again=True, maybe_paid=True
    ),
    "not let in": Trouble("the key is not accepted", kind="not let in"),
    "unknown model": Trouble("there is no such model", kind="unknown model"),
}


class ScriptedModel(Client):
    """`asks` are all requests that were sent, second tries included. Pauses are not slept but noted."""

    def __init__(
        self,
        answers: Iterable[Scripted] | Callable[[Request], Scripted],
        *,
        name: str = "scripted",
        caps: Caps = PLENTY,
        price: Price = FREE,
        cache: Path | None = None,
        account: Account | None = None,
        retries: int = 2,
        concurrency: int = 1,
    ) -> None:
        self.pauses: list[float] = []
        self._script = _Script(answers)
        super().__init__(
            self._script,
            name=name,
            origin="script:",
            caps=caps,
            price=price,
            cache=Cache(cache) if cache else None,
            account=account,
            retries=retries,
            concurrency=concurrency,
            pause=self.pauses.append,
        )

    @property
    def asks(self) -> list[Request]:
        return list(self._script.asks)


class _Script:
    def __init__(
        self, answers: Iterable[Scripted] | Callable[[Request], Scripted]
    ) -> None:
        self.asks: list[Request] = []
        self._next = answers if callable(answers) else _in_order(answers)

    def send(self, request: Request) -> Reply:
        self.asks.append(request)
        answer = self._next(request)
        if isinstance(answer, Trouble):
            # A new one: an error that is raised remembers where.
            raise Trouble(str(answer), **vars(answer))
        reply = answer if isinstance(answer, Reply) else Reply(text=_text(answer))
        counted = count_input(request.messages, request.schema)
        usage = reply.usage or TokenUsage(counted, estimate(reply.text))
        return replace(reply, usage=usage)

    def close(self) -> None:
        pass


def _in_order(answers: Iterable[Scripted]) -> Callable[[Request], Scripted]:
    remaining, lock = iter(answers), Lock()

    def following(_: Request) -> Scripted:
        with lock:
            answer = next(remaining, None)
        if answer is None:
            return Trouble("the script has no further answer", kind="script")
        return answer

    return following


def _text(answer: Any) -> str:
    if isinstance(answer, str):
        return answer
    try:
        return msgspec.json.encode(answer).decode()
    except TypeError as error:
        raise ModelError(
            f"a script cannot answer with {type(answer).__name__}", kind="script"
        ) from error
