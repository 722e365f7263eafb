"""The user's own model, through Hermes: `ctx.llm` carries what we ask, with Hermes' provider, key and fallbacks.

Caps, cache, accounts and checks are those of every other model: this only carries. Hermes says no price, so a cap is in
tokens; where it says no usage either, tokens are counted by us.
"""

from __future__ import annotations

from typing import Any

from afterglow.hermes.guard import tried
from afterglow.llm.request import Reply, Request, Trouble
from afterglow.records.model import Message, TokenUsage

NAME = "hermes"  # what `--model` calls it
SAID = {
    "system": "",
    "user": "",
    "assistant": "Your answer was:\n",
}  # what stands before a message in one text
SHAPELESS = "did not match schema"  # Hermes' words for an answer it keeps to itself


class Hosted:
    """`llm` is what Hermes gives plugins. Each manner of asking is one of its calls."""

    def __init__(self, llm: Any) -> None:
        self._llm = llm

    def send(self, request: Request) -> Reply:
        with_schema = (
            request.schema is not None and request.manners.format == "json_schema"
        )
        if with_schema and not request.manners.strict:
            # Hermes is never strict about schemas: asking it so again would bring the same.
            raise Trouble(
                "Hermes has one way to keep to a schema",
                kind="rejected",
                complaint=SHAPELESS,
            )
        answer = tried(lambda: self._answer(request))
        if isinstance(answer, Exception):
            raise _trouble(answer)
        return Reply(
            text=str(answer.text or ""),
            usage=_usage(answer.usage),
            model=str(answer.model or ""),
        )

    def close(self) -> None:
        pass

    def _answer(self, request: Request) -> Any:
        more: dict[str, Any] = {
            "max_tokens": request.max_tokens,
            "purpose": f"afterglow {request.purpose}".strip(),
        }
        if request.manners.temperature:
            more["temperature"] = 0
        if request.schema is None or request.manners.format == "text":
            messages = [
                {"role": message.role, "content": message.content}
                for message in request.messages
            ]
            return self._llm.complete(messages, **more)
        whole = request.manners.format == "json_schema"
        first, *rest = request.messages
        return self._llm.complete_structured(
            instructions=first.content,
            input=[
                {"type": "text", "text": f"{SAID[message.role]}{message.content}"}
                for message in rest or [Message("user", "Go on.")]
            ],
            json_schema=request.schema if whole else None,
            json_mode=not whole,
            schema_name=request.name,
            **more,
        )


def _usage(usage: Any) -> TokenUsage | None:
    """None where Hermes' provider did not count, or counted what cannot be."""
    counts = [
        getattr(usage, name, 0)
        for name in ("input_tokens", "output_tokens", "cache_read_tokens")
    ]
    if not all(isinstance(count, int) and count >= 0 for count in counts):
        return None
    sent, received, cached = counts
    return TokenUsage(sent, received, min(cached, sent)) if sent and received else None


def _trouble(error: Exception) -> Trouble:
    """What a provider's package raised, by the status it carries and its kind: its words may hold what was asked."""
    name, status = type(error).__name__, getattr(error, "status_code", None)
    if isinstance(error, ValueError) and SHAPELESS in str(error):
        why = "Hermes kept back an answer that does not fit the schema"
        return Trouble(why, kind="wrong shape", maybe_paid=True, complaint=SHAPELESS)
    if status in {401, 403} or isinstance(error, PermissionError):
        return Trouble(
            f"Hermes is not let in by its provider ({name})", kind="not let in"
        )
    if status == 404:
        return Trouble(
            f"Hermes' provider does not know its model ({name})", kind="unknown model"
        )
    if status == 402:
        return Trouble(
            f"Hermes' provider has no credit left for it ({name})", kind="no credit"
        )
    if status == 429:
        return Trouble(
            f"Hermes' provider has too many requests ({name})",
            kind="rate limit",
            again=True,
        )
    if status in {400, 415, 422}:
        return Trouble(
            f"Hermes' provider does not take the request ({name})",
            kind="rejected",
            complaint=str(error),
        )
    if isinstance(status, int) and status >= 500:
        return Trouble(
            f"Hermes' provider failed ({name} {status})", kind="server", again=True
        )
    if isinstance(error, TimeoutError) or "Timeout" in name:
        return Trouble(
            f"no answer in time through Hermes ({name})",
            kind="timeout",
            again=True,
            maybe_paid=True,
        )
    if isinstance(error, RuntimeError):
        return Trouble(
            f"Hermes has no model to ask ({name}); does `hermes chat` work?",
            kind="not set up",
        )
    return Trouble(
        f"no answer through Hermes ({name})", kind="unreachable", maybe_paid=True
    )
