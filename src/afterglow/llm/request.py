"""What goes to a server and what comes back, in a form that does not depend on how it travels."""

from __future__ import annotations

from typing import Any, Literal, Protocol

from msgspec import Struct

from afterglow.errors import ModelError
from afterglow.records.model import Finish, Message, TokenUsage

# How an answer is made to fit a schema, best first: the server sees to it; the server sees that it is JSON, the prompt
# says which; only the prompt says.
Format = Literal["json_schema", "json_object", "text"]
FORMATS: tuple[Format, ...] = ("json_schema", "json_object", "text")


class Manners(Struct, frozen=True):
    """What a server takes. `strict`: schemas are kept to by the letter."""

    format: Format = "json_schema"
    strict: bool = True
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True


class Request(Struct, frozen=True, kw_only=True):
    model: str
    messages: tuple[Message, ...]
    max_tokens: int
    schema: dict[str, Any] | None = None
    name: str = "answer"
    purpose: str = ""
    manners: Manners = Manners()


class Reply(Struct, frozen=True, kw_only=True):
    """`usage` is None where the server did not say."""

    text: str = ""
    finish: Finish = "stop"
    usage: TokenUsage | None = None
    model: str = ""


class Trouble(ModelError):
    """A request that got no answer. `again`: another try may help, after `wait` seconds if the server named them.
    `maybe_paid`: the server may have worked and nobody told us. `complaint` is what it said about the request, if it
    did not like that."""

    def __init__(
        self,
        message: str,
        *,
        kind: str,
        again: bool = False,
        wait: float | None = None,
        maybe_paid: bool = False,
        complaint: str = "",
    ) -> None:
        super().__init__(message, kind=kind)
        self.again = again
        self.wait = wait
        self.maybe_paid = maybe_paid
        self.complaint = complaint


class Transport(Protocol):
    """Carries a request to a model and its reply back; raises `Trouble`."""

    def send(self, request: Request) -> Reply: ...

    def close(self) -> None: ...
