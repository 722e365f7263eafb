"""One client for every language model: any endpoint that speaks like OpenAI's, and a scripted one for tests.

    open_model(endpoint, caps=Caps(max_tokens=50_000))   answers over the network
    ScriptedModel(["yes", {"lessons": []}])              answers from a list or a function, by the same code

Nothing is asked before a cap is set. What is asked must be redacted by the caller: it leaves the machine.
"""

from __future__ import annotations

from afterglow.llm.budget import Account, Caps, worst_case
from afterglow.llm.client import Client, open_model
from afterglow.llm.endpoint import Endpoint
from afterglow.llm.request import Reply, Request, Transport, Trouble
from afterglow.llm.scripted import FAILURES, ScriptedModel

__all__ = [
    "FAILURES", "Account", "Caps", "Client", "Endpoint", "Reply", "Request", "ScriptedModel", "Transport", "Trouble",
    "open_model", "worst_case",
]  # fmt: skip
