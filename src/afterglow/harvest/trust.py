"""How far a text can be trusted: by who wrote it and where it came from."""

from __future__ import annotations

from functools import lru_cache

from afterglow.records.knowledge import Trust
from afterglow.records.session import Call, Outcome, Turn
from afterglow.records.tools import family, is_shell
from afterglow.sessions.outcomes import command_of, program_of

SAID = "the user said:"  # what stands before a person's reason in a refused call
# Programs whose output is somebody else's text: fetched, not made here.
FETCHING = frozenset("curl wget http https xh gh glab lynx w3m links nc ssh scp rsync dig psql mysql".split())
PRINTING = frozenset("cat head tail less more bat sed awk nl grep egrep rg ag jq strings git".split())
_FILES = frozenset("edit multiedit write create write_file replace patch apply_patch".split())


def of_turn(turn: Turn) -> Trust:
    """A person's own words; the model's; or something an agent filed under a role that is not its author's."""
    if turn.kind not in {"said", "steer"}:
        return "external"
    return "user" if turn.role == "user" else "assistant" if turn.role == "assistant" else "tool"


def of_result(call: Call) -> Trust:
    """What a call brought back. A refusal holds a person's words; an error is a program's own message."""
    if call.outcome is Outcome.BLOCKED:
        return "user" if SAID in call.error else "tool"
    if is_shell(call.tool):
        return _of_output(program_of(command_of(call.arguments)).partition(" ")[0], call.outcome is Outcome.FAILED)
    return _of_tool(call.tool, call.outcome is Outcome.FAILED)


@lru_cache(maxsize=1024)
def _of_output(program: str, failed: bool) -> Trust:
    if program in FETCHING:
        return "external"
    return "file" if program in PRINTING and not failed else "tool"


@lru_cache(maxsize=1024)
def _of_tool(tool: str, failed: bool) -> Trust:
    kind = family(tool)
    if kind == "code":
        return "tool"
    if kind == "file":
        return "tool" if failed or tool.lower() in _FILES else "file"
    return "external"
