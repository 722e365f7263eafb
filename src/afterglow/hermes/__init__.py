"""The plugin for Hermes Agent (entry point group `hermes_agent.plugins`).

    hermes warm ...     the commands of `afterglow warm`, and `start`: a session that begins with a template
    hermes afterglow    every command; `--model hermes` is the user's own model
    /warm               in a session: list, select, status
    afterglow_recall    for the model: what earlier sessions learned
    afterglow_write     for the model: dossiers of what keeps going wrong out, lessons back
    memory_backend      for the model: the user's own preferences
    first turn          the context for the session
    failed call         one line about it behind its output, if something is known
    end                 the session is queued for harvest; what ended unseen is found by the next start

Hermes loads it on every start, so only what registering needs is imported here. Every callback is guarded.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from afterglow.hermes import call_events, session_events, tools
from afterglow.hermes.guard import guarded

SKILLS = Path(__file__).parent / "skills"
TOOL_SECONDS = 30.0  # a model waits for these, not a person
SLASH_SECONDS = 10.0  # a person asked and waits, and a list may take a while


def register(ctx: Any) -> None:
    """Hermes calls this with its plugin context; also with one that only takes memory providers."""
    if hasattr(ctx, "register_memory_provider"):
        from afterglow.hermes.provider import provider

        ctx.register_memory_provider(provider())
    if not hasattr(ctx, "register_command"):
        return
    ctx.register_hook(
        "on_session_start", guarded("session start", session_events.started)
    )
    ctx.register_hook("pre_llm_call", guarded("context", session_events.context))
    ctx.register_hook("transform_tool_result", guarded("call", call_events.ended))
    ctx.register_hook(
        "on_session_finalize", guarded("session end", session_events.finished)
    )
    _commands(ctx)
    _tools(ctx)
    for skill in sorted(SKILLS.glob("*/SKILL.md")):
        ctx.register_skill(skill.parent.name, skill)


def _commands(ctx: Any) -> None:
    from afterglow.hermes.commands import everything, prepare, slash, warm

    say = guarded(
        "/warm",
        slash,
        seconds=SLASH_SECONDS,
        otherwise="afterglow could not answer; see afterglow doctor",
    )
    for name, about, run in (
        ("warm", "Templates of what made sessions good", warm),
        ("afterglow", "What finished sessions taught", everything),
    ):
        handler = partial(run, ctx)
        ctx.register_cli_command(name, about, partial(prepare, run=handler), handler)
    ctx.register_command(
        "warm",
        say,
        "Warm templates: list, select TASK, status",
        "[list | select TASK | status]",
    )


def _tools(ctx: Any) -> None:
    from afterglow.memory.tool import SCHEMA

    sorry = '{"success": false, "error": "afterglow could not answer; `afterglow doctor` says why"}'
    for schema, handler, check in (
        (tools.RECALL, tools.recall, tools.knows),
        (tools.WRITE, tools.write, tools.knows),
        (SCHEMA, tools.memory, tools.keeps),
    ):
        name = schema["name"]
        answer = guarded(name, handler, seconds=TOOL_SECONDS, otherwise=sorry)
        offered = guarded(f"{name} check", check, otherwise=False)
        ctx.register_tool(
            name,
            tools.TOOLSET,
            schema,
            answer,
            check_fn=offered,
            description=schema["description"],
        )
