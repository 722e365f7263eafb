"""Asks a model: from the cache if it was asked before, else within the cap, patiently, until the answer is of use.

    the server did not answer       tried again after a pause (its own, if it named one), a bounded number of times
    it does not take the request    asked in a plainer way, which is remembered for this server
    the answer is of no use         asked once more, and told what was wrong

Every try is paid from the same budget. How a request travels is the transport's business.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import random
from threading import Lock

from msgspec.structs import replace

from afterglow.errors import CapReached, ModelError, UsageError
from afterglow.llm.budget import SAFETY, Account, Budget, Caps, count_input
from afterglow.llm.cache import Cache, mark
from afterglow.llm.endpoint import Endpoint
from afterglow.llm.parse_reply import Read, read
from afterglow.llm.phrase_request import again, plainer, worded
from afterglow.llm.request import Manners, Reply, Request, Transport, Trouble
from afterglow.llm.schema import Misfit, decoded, json_schema
from afterglow.llm.stop_rules import Halt, Halted
from afterglow.records.model import Answer, Ask, Price, Spent, TokenUsage
from afterglow.text.tokens import estimate

FIRST_PAUSE, LONGEST_PAUSE = (
    0.5,
    8.0,
)  # seconds before a further try where the server named none
LONGEST_WAIT = 60.0  # and the most it may name
Screen = Callable[[Sequence[str]], list[str]]
_MANNERS: dict[
    str, Manners
] = {}  # what servers turned out to take, while this process lives


def open_model(
    endpoint: Endpoint,
    *,
    caps: Caps,
    cache: Path | None = None,
    account: Account | None = None,
    screen: Screen | None = None,
    pause: Callable[[float], None] | None = None,
    transport: Transport | None = None,
) -> Client:
    """A model behind an endpoint. Nothing is sent yet. `cache` is a folder, `account` what is spent in a day; `screen`
    takes out of texts what must not be sent; `pause` waits some seconds, if not by the clock; `transport` carries
    requests, if not HTTP does."""
    if transport is None:
        from afterglow.llm.server import Server

        transport = Server(endpoint)
    return Client(
        transport,
        name=endpoint.model,
        origin=endpoint.origin,
        caps=caps,
        price=endpoint.price,
        cache=Cache(cache) if cache else None,
        account=account,
        retries=endpoint.retries,
        concurrency=endpoint.concurrency,
        pause=pause,
        screen=screen,
        manners=_MANNERS,
    )


class Client:
    """A `Model` over any transport. Use as a context manager where it is used for long."""

    def __init__(
        self,
        transport: Transport,
        *,
        name: str,
        origin: str,
        caps: Caps,
        price: Price,
        cache: Cache | None = None,
        account: Account | None = None,
        retries: int = 4,
        concurrency: int = 4,
        pause: Callable[[float], None] | None = None,
        screen: Screen | None = None,
        manners: dict[str, Manners] | None = None,
        overhead: int = 0,
    ) -> None:
        self.price = price
        self._overhead = overhead  # tokens that the transport adds to every request
        self._name, self._origin, self._where = name, origin, f"{origin} {name}"
        self._transport, self._cache, self._pause = transport, cache, pause
        self._screen, self._screening = screen, Lock()
        self._retries, self._concurrency = max(0, retries), max(1, concurrency)
        self._manners = {} if manners is None else manners
        self._budget = Budget(caps, price, account, model=name)
        self._safety = SAFETY

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._transport.close()

    @property
    def name(self) -> str:
        return self._name

    @property
    def spent(self) -> Spent:
        return self._budget.spent

    def ask(self, ask: Ask) -> Answer:
        (ask,) = self._ready([ask])
        return self._found(ask) or self._asked(ask, Halt())

    def ask_all(self, asks: Sequence[Ask]) -> list[Answer | Exception]:
        """In the order of the asks. Equal ones are asked once. Once the cap is reached, or asking turns out to be
        hopeless, only what is in the cache is still answered."""
        halt = Halt()

        def one(ask: Ask) -> Answer | Exception:
            try:
                answer = self._found(ask) or self._asked(ask, halt)
            except ModelError as error:
                halt.failed(error)
                return error
            halt.answered()
            return answer

        asks = self._ready(asks)
        marks = [mark(self._name, self._origin, ask) for ask in asks]
        first = dict(zip(reversed(marks), reversed(asks), strict=True))
        pool = ThreadPoolExecutor(self._concurrency, thread_name_prefix="model")
        try:
            futures = {
                mark: pool.submit(one, first[mark]) for mark in dict.fromkeys(marks)
            }
            answers = {mark: future.result() for mark, future in futures.items()}
        finally:
            halt.stop()  # broken off by hand: what is under way is paid for and kept, nothing else is begun
            pool.shutdown(cancel_futures=True)
        paid_marks: set[str] = set()
        return [_once(answers[mark], mark, paid_marks) for mark in marks]

    def _ready(self, asks: Sequence[Ask]) -> list[Ask]:
        """With whole characters only, and nothing in them that must not leave the machine."""
        if not all(ask.messages and ask.max_tokens > 0 for ask in asks):
            raise UsageError("an ask needs a message, and room for its answer")
        texts = [
            message.content.encode("utf-8", "replace").decode()
            for ask in asks
            for message in ask.messages
        ]
        with (
            self._screening
        ):  # one at a time: what redacts need not be safe for threads
            screened = iter(self._screen(texts) if self._screen else texts)
        return [
            replace(
                ask,
                messages=tuple(
                    replace(message, content=next(screened)) for message in ask.messages
                ),
            )
            for ask in asks
        ]

    def _found(self, ask: Ask) -> Answer | None:
        """From the cache, if it still fits what is asked."""
        if self._cache is None:
            return None
        answer = self._cache.get(mark(self._name, self._origin, ask))
        if answer is None:
            return None
        if ask.answer_type is not None:
            try:
                data = decoded(answer.data, ask.answer_type)
            except Misfit:
                return None
            answer = replace(answer, data=data)
        self._budget.found()
        return _free(answer)

    def _asked(self, ask: Ask, halt: Halt) -> Answer:
        request = Request(
            model=self._name,
            messages=ask.messages,
            max_tokens=ask.max_tokens,
            schema=json_schema(ask.answer_type) if ask.answer_type else None,
            name=ask.name,
            purpose=ask.purpose,
        )
        usage = TokenUsage()
        problem: ModelError | None = None
        for tries in (1, 2):
            try:
                reply, paid, manners = self._exchange(request, halt)
            except (CapReached, Halted):
                if (
                    problem
                ):  # it may not be asked again; that is not why there is no answer
                    raise problem from None
                raise
            usage += paid
            parsed = read(reply, ask.answer_type)
            if not parsed.kind:
                return self._kept(ask, parsed, reply, usage, tries)
            problem = ModelError(f"{self._name}: {parsed.problem}", kind=parsed.kind)
            if parsed.kind == "filtered":
                break
            if parsed.kind == "bad json" and manners.format == "json_schema":
                # The server took the schema and did not keep to it.
                self._manners[self._where] = replace(manners, format="text")
            request = again(request, parsed)
        assert problem
        raise problem

    def _kept(
        self, ask: Ask, parsed: Read, reply: Reply, usage: TokenUsage, tries: int
    ) -> Answer:
        answer = Answer(
            text=parsed.text,
            data=parsed.data,
            finish=reply.finish,
            model=reply.model or self._name,
            usage=usage,
            cost=self.price.cost(usage),
            tries=tries,
        )
        if self._cache:
            self._cache.put(mark(self._name, self._origin, ask), answer)
        return answer

    def _exchange(
        self, request: Request, halt: Halt
    ) -> tuple[Reply, TokenUsage, Manners]:
        """One reply, what it cost, and the manners in which it was asked for."""
        remembered = manners = self._manners.get(self._where, Manners())
        failed = 0
        while True:
            halt.check()
            try:
                reply, usage = self._send(worded(replace(request, manners=manners)))
            except Trouble as trouble:
                if trouble.complaint:
                    less = plainer(manners, trouble.complaint, request.schema)
                    if less is None:
                        raise
                    manners = less
                    continue
                if not trouble.again or failed >= self._retries:
                    raise
                (self._pause or halt.wait)(_how_long(trouble, failed))
                failed += 1
            else:
                if manners != remembered:
                    self._manners[self._where] = manners
                return reply, usage, manners

    def _send(self, request: Request) -> tuple[Reply, TokenUsage]:
        """One request, paid for."""
        shape = request.schema if request.manners.format == "json_schema" else None
        counted = count_input(request.messages, shape) + self._overhead
        most = TokenUsage(int(counted * self._safety) + 1, request.max_tokens)
        held = self._budget.hold(most, request.purpose)
        settled = False
        try:
            reply = self._transport.send(request)
            settled = True
        except Trouble as trouble:
            if not trouble.maybe_paid:
                self._budget.drop(held)
                settled = True
            raise
        finally:
            if not settled:
                self._budget.lose(held)
        usage = reply.usage or TokenUsage(counted, estimate(reply.text), estimated=True)
        self._safety = max(self._safety, usage.input / counted)
        self._budget.pay(held, usage)
        return reply, usage


def _how_long(trouble: Trouble, failed: int) -> float:
    """Seconds until the next try: what the server said, or twice as long each time, never all at the same moment."""
    if trouble.wait is not None:
        if trouble.wait > LONGEST_WAIT:
            raise trouble
        return trouble.wait
    return float(min(FIRST_PAUSE * 2**failed, LONGEST_PAUSE) * (0.75 + random() / 2))


def _free(answer: Answer) -> Answer:
    return replace(answer, usage=TokenUsage(), cost=0.0, cached=True)


def _once(
    answer: Answer | Exception, mark: str, paid_marks: set[str]
) -> Answer | Exception:
    """What was asked once was paid once."""
    again = mark in paid_marks
    paid_marks.add(mark)
    return _free(answer) if again and isinstance(answer, Answer) else answer
