"""mini-swe-agent: one JSON document per benchmark instance, `<instance>.traj.json`.

Version 1 writes each command as a ```bash block in the assistant's text and the result as the next user message, headed
`<returncode>N</returncode>`; a turn holds what was said beside the block, and what a command printed without the tags
around it. Version 2 also knows tool calls; every version of it lists the commands under
`extra.actions` and the exit code under `extra.returncode`. A `results_summary.csv` beside the file, if there is one,
says which instances were resolved. Where our adapter ran the agent, `info.afterglow` names the session, and
`extra.afterglow` the line that stands behind what a command printed.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec import Struct, field

from afterglow.records.session import Kind, Mark, Outcome, Session, Usage
from afterglow.sessions import json_document
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.outcomes import ERROR_TEXT, FINE, UNKNOWN, Verdict, exited
from afterglow.text.times import seconds

NAME = "mini-swe-agent"
AGENT = "mini-swe-agent"

_BLOCK = re.compile(r"```(?:bash|mswea_bash_command)\s*\n(.*?)\n```", re.DOTALL)
_RESULT = re.compile(
    r"\s*(?:<exception>(?P<raised>.*?)</exception>\s*)?<returncode>(?P<code>-?\d+)</returncode>\n?(?P<printed>.*)",
    re.DOTALL,
)
_PRINTED = re.compile(r"\s*<output>\n?(.*?)(?:</output>\s*)?\Z", re.DOTALL)
# Of a long output the agent is shown both ends.
_BOTH_ENDS = re.compile(
    r".*?<output_head>\n?(?P<head>.*)</output_head>\s*<elided_chars>\s*(?P<elided>.*?)\s*</elided_chars>\s*"
    r"<output_tail>\n?(?P<tail>.*?)(?:</output_tail>\s*)?\Z",
    re.DOTALL,
)
_INSTANCE = re.compile(r"([\w.-]+?)__([\w.-]+)-\d+$")
_FORMAT_ERROR = ("Please always provide EXACTLY ONE action", "Tool call error:")
_TIMED_OUT = "The last command <command>"
_UNTIL_TIME_WAS_UP = re.compile(
    r"The last command <command>.*?</command> (?P<end>timed out[^\n]*)\n[^\n]*\n\s*<output>\n?(?P<printed>.*)</output>",
    re.DOTALL,
)
_REJECTED = "Command not executed"
_INTERRUPTED = "Interrupted by user"
_NOT_EXECUTED = "action was not executed"
_HANDS_IN = ("COMPLETE_TASK_AND_SUBMIT", "MINI_SWE_AGENT_FINAL")


class _Details(Struct, gc=False):
    cached_tokens: int | None = 0
    reasoning_tokens: int | None = 0


class _Tokens(Struct, gc=False):
    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0
    prompt_tokens_details: _Details | None = None
    completion_tokens_details: _Details | None = None


class _Response(Struct, gc=False):
    created: float | None = None
    usage: _Tokens | None = None


class _Action(Struct, gc=False):
    command: str = ""
    tool_call_id: str | None = None


class _Extra(Struct, gc=False):
    response: _Response | None = None
    actions: list[_Action] | None = None
    returncode: int | None = None
    raw_output: str | None = None
    exception_info: str | None = None
    afterglow: str | None = None
    interrupt_type: str | None = None
    timestamp: float | None = None


class _Part(Struct, gc=False):
    type: str = ""
    text: str | None = None
    content: str | list[_Part] | None = None


class _Message(Struct, gc=False):
    role: str = ""
    type: str | None = None
    object: str | None = None
    content: str | list[_Part] | None = None
    output: str | list[_Part] | None = None
    tool_call_id: str | None = None
    call_id: str | None = None
    extra: _Extra = field(default_factory=_Extra)


class _Stats(Struct):
    instance_cost: float | None = 0.0


class _Model(Struct):
    model_name: str | None = ""


class _Environment(Struct):
    cwd: str | None = ""


class _Config(Struct):
    model: _Model = field(default_factory=_Model)
    environment: _Environment = field(default_factory=_Environment)


class _Warm(Struct):
    session: str = ""


class _Info(Struct):
    exit_status: str | None = ""
    model_stats: _Stats = field(default_factory=_Stats)
    config: _Config = field(default_factory=_Config)
    afterglow: _Warm = field(default_factory=_Warm)


class _Run(Struct):
    messages: list[_Message]
    info: _Info = field(default_factory=_Info)
    instance_id: str | None = ""


def sniff(path: Path, head: bytes) -> bool:
    if not head.startswith(b"{"):
        return False
    if path.name.endswith((".traj.json", ".traj")) and b'"info"' in head[:64]:
        return True
    return b'"mini_version"' in head or b'"trajectory_format": "mini-swe-agent' in head


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    run = json_document.load(path, _Run)
    instance = run.instance_id or path.name.removesuffix(".json").removesuffix(".traj")
    place = _INSTANCE.match(instance)
    config = run.info.config
    session = Assembly(
        agent=AGENT,
        format=NAME,
        source=str(path),
        task=instance,
        status=run.info.exit_status or "",
        model=config.model.model_name or "",
        cwd=config.environment.cwd or "",
        remote=f"{place[1]}/{place[2]}" if place else "",
        score=_resolved(path).get(instance),
    )
    if run.info.exit_status:
        session.facts["ending"] = "closed"
    session.voice = "outside"  # the task is somebody's issue
    session.spent.append(Usage(cost=run.info.model_stats.instance_cost or 0.0))
    waiting: list[str] = []
    for line, message in enumerate(run.messages, 1):
        waiting = _translate(session, line, message, waiting)
    # The same instance is run again and again; when a run began tells one from another.
    began = session.clock.first
    named = instance if began is None else f"{instance}-{int(began)}"
    session.facts["id"] = run.info.afterglow.session or named
    yield session.part(Mark())


def _translate(
    session: Assembly, line: int, message: _Message, waiting: list[str]
) -> list[str]:
    """One message; `waiting` are the calls that nothing answered yet."""
    time = _time(message.extra)
    text = _join(message.content) or _join(message.output)
    hint = message.extra.afterglow
    if hint:
        text = message.extra.raw_output or ""
    if message.role == "assistant" or message.object == "response":
        return _assistant(session, line, message, text, time)
    if message.role == "system":
        session.said("system", text, line, time)
        return waiting
    answered = _answered(message, waiting)
    for id in answered:
        _, arguments = session.awaiting(id)
        verdict = _verdict(arguments, message, text)
        session.answered(id, _printed(text), line, time, verdict)
    if hint:
        session.said("user", hint, line, time, "injected")
    if not answered:
        kind: Kind = "injected" if _is_machinery(message, text) else "said"
        session.said("user", text, line, time, kind)
    return [id for id in waiting if id not in answered]


def _time(extra: _Extra) -> float | None:
    if extra.timestamp:
        return seconds(extra.timestamp)
    if extra.response is None:
        return None
    return seconds(extra.response.created)


def _is_machinery(message: _Message, text: str) -> bool:
    if message.role == "exit" or message.extra.interrupt_type:
        return True
    return not text or text.startswith(_FORMAT_ERROR)


def _assistant(
    session: Assembly, line: int, message: _Message, text: str, time: float | None
) -> list[str]:
    blocks = [block.strip() for block in _BLOCK.findall(text)]
    actions = message.extra.actions
    if actions is None:
        actions = [_Action(block) for block in blocks] if len(blocks) == 1 else []
    if blocks == [action.command.strip() for action in actions]:
        text = _BLOCK.sub("", text).strip()
    draft = session.reply("", line, time, text)
    response = message.extra.response
    if response is not None and response.usage is not None:
        draft.usage = _usage(response.usage)
    ids = []
    for action in actions:
        id = action.tool_call_id
        arguments = msgspec.json.encode({"command": action.command}).decode()
        ids.append(session.called(draft, id, "bash", arguments, line, time))
    return ids


def _answered(message: _Message, waiting: list[str]) -> list[str]:
    """Which waiting calls a message answers: the one it names, or all of them where it names none."""
    id = message.tool_call_id or message.call_id
    return [id] if id else waiting


def _verdict(arguments: str, message: _Message, text: str) -> Verdict:
    outcome = _outcome_without_exit(message.extra, text)
    extra = message.extra
    if outcome is not None:
        by_person = extra.interrupt_type == "UserRejection"
        return Verdict(outcome, _printed(text)[:ERROR_TEXT], refused=by_person)
    command = msgspec.json.decode(arguments, type=_Action).command
    if extra.returncode is not None:
        output = extra.raw_output or extra.exception_info or text
        return exited(command, extra.returncode, output)
    if result := _RESULT.match(text):
        return exited(command, int(result["code"]), _printed(text))
    # The command that hands in the work is answered by the work itself.
    return FINE if any(word in command for word in _HANDS_IN) else UNKNOWN


def _printed(text: str) -> str:
    """What the command printed, without what the agent writes around it; a text of another shape as it is."""
    if stopped := _UNTIL_TIME_WAS_UP.match(text):
        return f"{stopped['printed']}The command {stopped['end']}"
    result = _RESULT.match(text)
    if result is None:
        return text
    printed, raised = result["printed"], result["raised"]
    if whole := _PRINTED.match(printed):
        printed = whole[1]
    elif ends := _BOTH_ENDS.match(printed):
        printed = f"{ends['head']}[… {ends['elided']} …]\n{ends['tail']}"
    return f"{printed}{raised}\n" if raised else printed


def _outcome_without_exit(extra: _Extra, text: str) -> Outcome | None:
    """Of a command that did not come to an end by itself."""
    if extra.interrupt_type == "UserRejection" or text.startswith(_REJECTED):
        return Outcome.BLOCKED
    if extra.exception_info == _NOT_EXECUTED or text.startswith(_INTERRUPTED):
        return Outcome.CANCELLED
    if text.startswith(_TIMED_OUT):
        return Outcome.FAILED
    return None


def _join(content: str | list[_Part] | None) -> str:
    if not isinstance(content, list):
        return content or ""
    texts = [part.text or _join(part.content) for part in content]
    return "\n".join(filter(None, texts))


def _usage(tokens: _Tokens) -> Usage:
    of_prompt = tokens.prompt_tokens_details or _Details()
    of_completion = tokens.completion_tokens_details or _Details()
    sent = tokens.prompt_tokens or 0
    cached = of_prompt.cached_tokens or 0
    return Usage(
        input=sent - cached,
        output=tokens.completion_tokens or 0,
        cache_read=cached,
        reasoning=of_completion.reasoning_tokens or 0,
        context=sent,
    )


def beside(path: Path) -> list[Path]:
    return [path.with_name("results_summary.csv")]


def _resolved(path: Path) -> dict[str, float]:
    """What the benchmark said of each instance in this folder."""
    [results_file] = beside(path)
    try:
        if not results_file.is_file():
            return {}
        return _summary(results_file, results_file.stat().st_mtime_ns)
    except OSError:
        return {}


@lru_cache(maxsize=16)
def _summary(path: Path, written: int) -> dict[str, float]:
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        rows = list(csv.DictReader(file))
    scores: dict[str, float] = {}
    for row in rows:
        instance = row.get("instance_id")
        if instance:
            scores[instance] = float(row.get("resolved") == "True")
    return scores
