"""Codex CLI: one JSON line per event in `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<session>.jsonl`.

A line is `{timestamp, type, payload}`. What the model saw and said are `response_item` lines; `event_msg` lines repeat
the messages for the screen and add what only the program knows: tokens, interruptions, how a patch or an MCP call went.
A forked session starts with a copy of its parent, header included, so only the first header counts. Rollouts before
September 2025 have no envelope: a header, then bare response items.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from afterglow.calls import shell_line
from afterglow.records.session import (
    Call,
    Kind,
    Mark,
    Outcome,
    Session,
    Usage,
    Voice,
)
from afterglow.sessions.appended_file import Desk, read_journal
from afterglow.sessions.assembly import Assembly, Draft
from afterglow.sessions.formats.codex.answers import SCRIPT_TOOL, Scripts, Terminals
from afterglow.sessions.formats.codex.lines import (
    Git,
    Item,
    Line,
    TokenCount,
    Tokens,
    arguments_of,
    decoded,
    decoder,
    json_text,
    string,
    tool_of,
)
from afterglow.sessions.formats.codex.outputs import (
    Output,
    Record,
    judge,
    mcp,
    patched,
    pieces,
    take_apart,
    texts,
)
from afterglow.sessions.jsonl_blocks import MAX_LINE_BYTES
from afterglow.sessions.outcomes import FINE, UNKNOWN, Verdict, exited, filed
from afterglow.text.times import seconds

NAME = "codex"
AGENT = "codex"
FIRST_STEP_BYTES = 1 << 16  # back from a mark: a count of tokens is rarely farther away


_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_ENVELOPE = re.compile(
    rb'\{"timestamp":"[^"]*",(?:"ordinal":\d+,)?"type":"session_meta","payload":\{'
)
_BARE = re.compile(rb'\{"id":"[^"]*","timestamp":"[^"]*",(?:"instructions"|"git")')
_PARENT = re.compile(r'"parent_thread_id"\s*:\s*"([^"]+)"')
_CWD = re.compile(r"<cwd>(.*?)</cwd>|Current working directory: (.+)")
_CALLS_TOOLS = re.compile(r"\btools\b\s*[.\[]")
# To the last heading of that name: what is selected in the editor may hold one, too.
_IDE = re.compile(
    r"\s*# (?:Context from my IDE setup|Files mentioned by the user):.*^## My request for Codex:\s*",
    re.DOTALL | re.MULTILINE,
)
_WITH_PEOPLE = frozenset({"cli", "vscode"})  # the terminal, the editors and the desktop
_MACHINERY = re.compile(
    r"# AGENTS\.md instructions|<(?:user_instructions|environment_context|turn_aborted|skill|INSTRUCTIONS|hook_prompt|"
    r"subagent_notification|permissions instructions|collaboration_mode|apps_instructions|plugins_instructions|"
    r"personality_spec|model_switch|goal_context|user_action|recommended_plugins|heartbeat)\b"
)
_CALLS = frozenset(
    {"function_call", "custom_tool_call", "local_shell_call", "tool_search_call"}
)
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})
_DONE_ELSEWHERE = frozenset({"web_search_call", "image_generation_call"})
_STATUS = {"completed": Outcome.OK, "failed": Outcome.FAILED}


def sniff(path: Path, head: bytes) -> bool:
    return bool(_ENVELOPE.match(head) or _BARE.match(head))


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    id = _UUID.search(path.stem)
    facts = {
        "id": id[0] if id else path.stem,
        "agent": AGENT,
        "format": NAME,
        "source": str(path),
    }
    header = _header(path)
    rollout = _Rollout(path, since, _voice(header))
    return read_journal(
        path, decoder, rollout.translate, facts | _opening(header), since
    )


def _header(path: Path) -> Item:
    """The first line, read on its own, since reading may start behind it."""
    with path.open("rb") as file:
        line = decoded(file.readline(MAX_LINE_BYTES))
    return line.payload or line


def _voice(header: Item) -> Voice:
    """By where a session was started: `exec`, servers and sub-agents have nobody who types."""
    source = string(header.source)
    if not source:
        return "outside" if json_text(header.source) else "unstated"
    return "typed" if source in _WITH_PEOPLE else "outside"


def _opening(meta: Item) -> dict[str, Any]:
    """What the first line says about the session."""
    git = meta.git or Git()
    source = json_text(meta.source)
    parent = _parent(meta, source)
    is_person = meta.thread_source in (None, "", "user")
    subagent = not is_person or '"subagent"' in source
    how = "subagent" if subagent else "branch"
    facts = {
        "id": meta.id,
        "start": seconds(meta.timestamp),
        "cwd": meta.cwd,
        "remote": git.repository_url,
        "branch": git.branch,
        "origin": "subagent" if subagent else "main",
        "parent": parent,
        "parent_by": how if parent else "",
    }
    return {name: value for name, value in facts.items() if value}


def _parent(meta: Item, source: str) -> str | None:
    """The session that spawned this one, or the one it was forked from."""
    spawned_by = _PARENT.search(source)
    if meta.parent_thread_id or spawned_by is None:
        return meta.parent_thread_id or meta.forked_from_id
    return spawned_by[1]


def _spent_before(path: Path, since: Mark) -> Tokens:
    """Token counts are totals since the start: reading on begins with the last one before the mark."""
    step, offset, tail = FIRST_STEP_BYTES, since.offset, b""
    with path.open("rb") as file:
        while offset:
            stop, offset = offset, max(0, offset - step)
            file.seek(offset)
            tail, step = file.read(stop - offset) + tail, step * 4
            for line in reversed(tail.split(b"\n")):
                total = _total_in(line) if b'"total_token_usage"' in line else None
                if total is not None:
                    return total
    return Tokens()


def _total_in(line: bytes) -> Tokens | None:
    item = decoded(line).payload
    if item is None or item.info is None:
        return None
    return item.info.total_token_usage or Tokens()


class _Rollout:
    """What has to be remembered between the lines of one rollout."""

    def __init__(self, path: Path, since: Mark, voice: Voice) -> None:
        self.voice = voice
        # Whoever looks at an end only has no reading before it to go on from.
        self.spent = _spent_before(path, since) if since.check else Tokens()
        self.terminals = Terminals(behind_mark=since.offset > 0)
        self.scripts = Scripts(self.terminals)
        # Call -> what the program said about it before its output.
        self.trouble: dict[str, Verdict] = {}

    def translate(self, desk: Desk, number: int, line: Line) -> None:
        session, kind, item = desk.main, line.type, line.payload
        session.ends_with_tokens, session.voice = True, self.voice
        if item is None:
            self._response(session, number, None, line)
        elif kind == "response_item":
            self._response(session, number, seconds(line.timestamp), item)
        elif kind == "event_msg":
            self._event(session, number, line.timestamp, item)
        elif kind == "turn_context":
            session.learn(model=item.model, cwd=item.cwd)
        elif kind == "compacted":
            session.compacted.append(number)
            if summary := string(item.message):
                session.said(
                    "user", summary, number, seconds(line.timestamp), "summary"
                )

    def _response(
        self, session: Assembly, number: int, time: float | None, item: Item
    ) -> None:
        kind = item.type
        if kind == "message":
            _message(session, number, time, item)
        elif kind in _CALLS:
            self._call(session, number, time, item)
        elif kind in _OUTPUTS:
            self._output(session, number, time, item)
        elif kind == "tool_search_output":
            tools = json_text(item.tools)
            session.answered(item.call_id or "", tools, number, time, FINE)
        elif kind in _DONE_ELSEWHERE:
            _finished_call(session, number, time, item)

    def _call(
        self, session: Assembly, number: int, time: float | None, item: Item
    ) -> None:
        draft = _draft(session, number, time)
        id, tool, arguments = item.call_id or "", tool_of(item), arguments_of(item)
        if tool == SCRIPT_TOOL and self.scripts.called(
            session, draft, id, arguments, number, time
        ):
            return
        session.called(draft, id, tool, arguments, number, time)

    def _output(
        self, session: Assembly, number: int, time: float | None, item: Item
    ) -> None:
        id, parts = item.call_id or "", pieces(item.output)
        text = "\n".join(parts)
        session.said("tool", text, number, time)
        if id in self.scripts:
            self.scripts.answered(session, id, parts, number, time)
            return
        if id not in session.open:
            session.orphans += 1
            return
        tool, arguments = session.awaiting(id)
        if tool == "wait" and self.scripts.waited(
            session, arguments, parts, number, time
        ):
            session.close(id, text, number, time, FINE)
            return
        flag = item.output.success if isinstance(item.output, Record) else None
        output, otherwise = self._judged(id, text, flag)
        if tool != SCRIPT_TOOL:
            otherwise = filed(otherwise, tool, text)
        elif _CALLS_TOOLS.search(arguments):
            otherwise = _of_unread_script(otherwise)
        self.terminals.answer(session, id, output, number, time, otherwise)

    def _judged(self, id: str, text: str, flag: bool | None) -> tuple[Output, Verdict]:
        """What the output says; where it sounds fine, what was said before it."""
        output = take_apart(text)
        verdict = FINE if output.terminal else judge(text, flag)
        trouble = self.trouble.pop(id, None)
        if trouble is None or output.code or verdict.outcome is not Outcome.OK:
            return output, verdict
        return Output(text, output.body), trouble

    def _event(
        self, session: Assembly, number: int, time: str | None, item: Item
    ) -> None:
        kind = item.type
        if kind == "token_count":
            if item.info is not None:
                session.learn(window=item.info.model_context_window)
                self._count(session, item.info)
        elif kind == "task_started":
            session.learn(window=item.model_context_window)
        elif kind == "turn_aborted":
            session.interrupted(number, seconds(time))
        elif kind == "thread_name_updated":
            session.learn(title=item.thread_name)
        else:
            trouble = _trouble(session, item)
            if trouble is not None:
                self.trouble[item.call_id or ""] = trouble

    def _count(self, session: Assembly, count: TokenCount) -> None:
        """Differences count: the same total may be told twice, and a request cut off shows only in the next total."""
        before = self.spent
        now = count.total_token_usage or before
        if now.input_tokens < before.input_tokens:
            before = Tokens()
        last_request = count.last_token_usage or Tokens()
        cached = now.cached_input_tokens - before.cached_input_tokens
        spent = Usage(
            input=now.input_tokens - before.input_tokens - cached,
            output=now.output_tokens - before.output_tokens,
            cache_read=cached,
            reasoning=now.reasoning_output_tokens - before.reasoning_output_tokens,
            context=last_request.input_tokens,
        )
        self.spent = now
        if spent.input or spent.output or cached:
            session.spend(spent)


def _trouble(session: Assembly, item: Item) -> Verdict | None:
    """What an event says of a call that went wrong, before its output comes."""
    if item.type == "patch_apply_end":
        return patched(item.success, string(item.status), item.stderr)
    if item.type == "mcp_tool_call_end":
        return mcp(item.result)
    if item.type != "exec_command_end" or not item.exit_code:
        return None
    _, arguments = session.awaiting(item.call_id or "")
    output = item.aggregated_output or ""
    return exited(shell_line(arguments), item.exit_code, output)


def _of_unread_script(verdict: Verdict) -> Verdict:
    """A script that calls something, nobody knows what: that it ran to its end says nothing of how that ended."""
    return UNKNOWN if verdict.outcome is Outcome.OK else verdict


def _finished_call(
    session: Assembly, number: int, time: float | None, item: Item
) -> None:
    """A call that is made elsewhere and written down when it is over."""
    draft, tool = _draft(session, number, time), tool_of(item)
    outcome = _STATUS.get(string(item.status), Outcome.UNKNOWN)
    draft.calls.append(
        Call(
            f"{tool}@{number}.{len(draft.calls)}",
            tool,
            arguments_of(item),
            number,
            outcome,
            started=time,
            ended=time,
        )
    )


def _draft(session: Assembly, number: int, time: float | None) -> Draft:
    """Calls belong to the message just before them. A new turn begins behind results, a person's words, and the count
    of a request's tokens."""
    last = session.items[-1] if session.items else None
    if isinstance(last, Draft) and last.usage is None:
        return last
    return session.reply("", number, time)


def _message(session: Assembly, number: int, time: float | None, item: Item) -> None:
    text = texts(item.content)
    if item.role == "assistant":
        session.reply("", number, time, text)
    elif item.role == "user":
        _learn_folder(session, text)
        context = _IDE.match(text)
        words = text[context.end() :].strip() if context else text
        if context:
            session.said("user", context[0], number, time, "injected", "file")
        session.said("user", words, number, time, _kind(text))
    elif text:
        session.said("system", text, number, time, "injected")


def _learn_folder(session: Assembly, text: str) -> None:
    if "cwd" in session.facts or not text.startswith("<environment_context>"):
        return
    folder = _CWD.search(text)
    if folder:
        session.learn(cwd=(folder[1] or folder[2]).strip())


def _kind(text: str) -> Kind:
    if _MACHINERY.match(text):
        return "injected"
    if text.startswith("<user_shell_command>"):
        return "command"
    if text.startswith("Another language model started to solve this problem"):
        return "summary"
    return "said"
