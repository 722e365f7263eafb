"""afterglow as a folder in Hermes' `plugins/`, for a Hermes whose own Python may not have the package.

Where it has, this is the plugin of the package (and, if chosen as `memory.provider`, its register_memory_provider).
Where not, the file `python` beside this one names the Python that has it, and each event starts that for a moment: two
environments are never mixed, so their versions do not matter. `afterglow connect hermes` writes both files. The model's
tools are then had from `afterglow mcp`.
"""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
from argparse import REMAINDER, ArgumentParser, Namespace
from importlib import import_module
from pathlib import Path
from typing import Any

CALL = "transform_tool_result"
EVENTS = ("on_session_start", "pre_llm_call", CALL, "on_session_finalize")
FIELDS = (
    *("session_id", "user_message", "is_first_turn", "platform", "reason"),
    *("tool_name", "args", "result", "tool_call_id"),
)
SHELL = "terminal"  # the tool whose output may say that it failed though it ended well
HIDING = re.compile(r"[|;\n]")  # what in a shell line can hide a failure
FAILED = re.compile(
    r'"exit_code":\s*-?[1-9]|"success":\s*false|"error":\s*"|"status":\s*"error"'
)
# the other Python keeps the deadline of the settings; this is for one that does not start
SECONDS = 5.0
SLASH_SECONDS = 10.0  # a person asked and waits, and a list may take a while

_log = logging.getLogger("afterglow")
_served: set[str] = set()  # sessions that have their context


def register(ctx: Any) -> None:
    """What Hermes calls."""
    try:
        inside = import_module("afterglow.hermes")
    except ImportError:
        if hasattr(ctx, "register_command"):
            outside(ctx, _python())
    else:
        inside.register(ctx)


def outside(ctx: Any, python: str) -> None:
    """Everything by another Python."""
    for event in EVENTS:
        ctx.register_hook(event, _asking(python, event))

    def prepare(parser: ArgumentParser) -> None:
        parser.add_argument("words", nargs=REMAINDER)
        parser.print_help = lambda file=None: run(Namespace(words=["--help"]))  # type: ignore[method-assign]

    def run(args: Namespace) -> None:
        if args.words[:1] == ["start"]:
            sys.stderr.write(
                f"afterglow: `warm start` needs it here: {sys.executable} -m pip install afterglow-agents\n"
            )
            sys.exit(6)
        sys.exit(
            subprocess.call(
                [*_command(python), "afterglow", "warm", *(args.words or ["--help"])]
            )
        )

    def slash(raw: str = "") -> str:
        verb, _, rest = raw.strip().partition(" ")
        words = {
            "": ["warm", "list"],
            "list": ["warm", "list"],
            "status": ["status"],
        }.get(verb)
        if verb == "select" and rest.strip():
            words = ["warm", "select", rest.strip(), "--agent", "hermes"]
        if words is None:
            return "There are: /warm list, /warm select TASK, /warm status"
        return (
            _run([*_command(python), "afterglow", *words], "", SLASH_SECONDS)
            or "afterglow could not answer"
        )

    ctx.register_cli_command(
        "warm", "Templates of what made sessions good", prepare, run
    )
    ctx.register_command(
        "warm",
        slash,
        "Warm templates: list, select TASK, status",
        "[list | select TASK | status]",
    )


def _asking(python: str, event: str) -> Any:
    def ask(**fields: Any) -> Any:
        session = fields.get("session_id") or ""
        has_its_context = not fields.get("is_first_turn") or session in _served
        if event == "pre_llm_call" and has_its_context:
            return None
        if event == CALL and not _may_have_failed(fields):
            return None
        home = str(_from_hermes("hermes_constants", "get_hermes_home") or "")
        passed_on = {name: fields[name] for name in FIELDS if name in fields}
        question = json.dumps({**passed_on, "hermes_home": home}, default=str)
        words = [*_command(python), "afterglow.hermes.foreign_python", event]
        answer = _run(words, question, SECONDS)
        try:
            context = json.loads(answer) if answer else None
        except ValueError:
            return None
        if context and event == "pre_llm_call":
            _served.add(session)
        return context

    return ask


def _may_have_failed(fields: dict[str, Any]) -> bool:
    """Another Python takes a tenth of a second: for a call that plainly ended well none is started."""
    result, args = fields.get("result"), fields.get("args")
    if not isinstance(result, str):
        return False
    line = str(args.get("command", "")) if isinstance(args, dict) else ""
    hides = fields.get("tool_name") == SHELL and HIDING.search(line)
    return bool(hides or FAILED.search(result))


def _run(words: list[str], question: str, seconds: float) -> str:
    """What it prints. Whatever goes wrong is told to Hermes' log and to nobody else."""
    try:
        result = subprocess.run(
            words,
            input=question,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=seconds,
            check=False,
            cwd=_from_hermes("agent.runtime_cwd", "resolve_agent_cwd"),
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        _log.warning("%s: %s", words[0], type(error).__name__)
        return ""
    if result.returncode:
        _log.warning("%s ended with %d", words[0], result.returncode)
    return result.stdout or result.stderr


def _command(python: str) -> list[str]:
    return [python, "-E", "-P", "-m"]


def _python() -> str:
    """Raises where there is none: Hermes then says that the plugin could not be loaded, and why."""
    try:
        return Path(__file__).with_name("python").read_text(encoding="utf-8").strip()
    except OSError as error:
        raise RuntimeError(
            "Hermes' Python has no afterglow; `afterglow connect hermes` says where it is"
        ) from error


def _from_hermes(module: str, function: str) -> Any:
    """What a function of Hermes says; None where this version has no such function."""
    try:
        return getattr(import_module(module), function)()
    except (ImportError, AttributeError):
        return None
