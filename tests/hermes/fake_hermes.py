"""Stands in for Hermes' plugin context: takes what version 0.19 takes, word for word, and remembers it."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass
class FakeUsage:
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0


@dataclass
class FakeResult:
    text: str
    usage: FakeUsage
    provider: str = "nous"
    model: str = "hermes-4"


class FakeLLM:
    """What Hermes lets plugins ask, with the arguments of 0.19. `script` holds texts and errors, `asked` every call."""

    def __init__(self) -> None:
        self.script: list[str | Exception] = []
        self.usage = FakeUsage(100, 20)
        self.asked: list[dict[str, Any]] = []

    def complete(
        self, messages, *, provider=None, model=None, temperature=None, max_tokens=None, timeout=None, agent_id=None,
        profile=None, purpose=None,
    ) -> FakeResult:  # fmt: skip
        return self._next(messages=messages, max_tokens=max_tokens, purpose=purpose)

    def complete_structured(
        self, *, instructions, input, json_schema=None, json_mode=False, schema_name=None, system_prompt=None,
        provider=None, model=None, temperature=None, max_tokens=None, timeout=None, agent_id=None, profile=None,
        purpose=None,
    ) -> FakeResult:  # fmt: skip
        assert instructions.strip() and input
        return self._next(
            instructions=instructions, input=[block["text"] for block in input], json_schema=json_schema,
            json_mode=json_mode, max_tokens=max_tokens, purpose=purpose,
        )  # fmt: skip

    def _next(self, **asked: Any) -> FakeResult:
        self.asked.append(asked)
        said = self.script.pop(0)
        if isinstance(said, Exception):
            raise said
        return FakeResult(said, self.usage)


class FakeContext:
    """`hooks`, `tools`, `commands`, `slashes` and `skills` by name; `llm` is the user's model."""

    def __init__(self) -> None:
        self.llm = FakeLLM()
        self.hooks: dict[str, Callable[..., Any]] = {}
        self.tools: dict[str, dict[str, Any]] = {}
        self.commands: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {}
        self.slashes: dict[str, Callable[..., Any]] = {}
        self.skills: dict[str, Path] = {}

    def register_hook(self, hook_name: str, callback: Callable[..., Any]) -> None:
        self.hooks[hook_name] = callback

    def register_tool(
        self, name, toolset, schema, handler, check_fn=None, requires_env=None, is_async=False, description="",
        emoji="", override=False,
    ) -> None:  # fmt: skip
        self.tools[name] = {
            "schema": schema,
            "handler": handler,
            "check": check_fn,
            "toolset": toolset,
        }

    def register_cli_command(
        self, name, help, setup_fn, handler_fn=None, description=""
    ) -> None:
        self.commands[name] = (setup_fn, handler_fn)

    def register_command(self, name, handler, description="", args_hint="") -> None:
        self.slashes[name] = handler

    def register_skill(self, name, path, description="") -> None:
        self.skills[name] = path

    def fire(self, hook: str, **said: Any) -> Any:
        """As Hermes does: with more than we asked for."""
        return self.hooks[hook](
            telemetry_schema_version="hermes.observer.v1", model="m", **said
        )

    def command(self, *words: str) -> None:
        """`hermes WORDS`, parsed as Hermes parses them."""
        parser = ArgumentParser(prog="hermes")
        below = parser.add_subparsers()
        for name, (prepare, run) in self.commands.items():
            own = below.add_parser(name)
            prepare(own)
            own.set_defaults(func=run)
        args = parser.parse_args(words)
        args.func(args)


class FakeProviderContext:
    """What Hermes loads a memory provider with: everything but a provider is dropped."""

    def __init__(self) -> None:
        self.provider: Any = None

    def register_memory_provider(self, provider: Any) -> None:
        self.provider = provider

    def register_tool(self, *args: Any, **options: Any) -> None:
        return

    register_hook = register_cli_command = register_tool
