"""What Cline and its forks put into messages: results they phrase themselves, tags around a person's words, and in older
versions calls written as tags in the text."""

from __future__ import annotations

import re

import msgspec

from afterglow.calls import shell_line
from afterglow.records.session import Kind, Outcome
from afterglow.sessions.anthropic_chat import Content, Dialect, blocks_of, hear
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.outcomes import ERROR_TEXT, Verdict, exited, flagged

# Who speaks, by the tag a text of the user's message begins with.
_WORDS = re.compile(
    r"\s*<(task|feedback|user_message|answer)>\s*(.*?)\s*</\1>", re.DOTALL
)
_ADDED = re.compile(r"\s*(?:<[a-z_]+[ >]|\[ERROR\]|#+ |\[TASK RESUMPTION\])")
_RESULT = re.compile(r"\[(\w+)(?: for [^\n]*)?\] Result:\n?")
_FAILED = re.compile(r"\s*(?:The tool execution failed|Error:|<error>|\[ERROR\])")
_DENIED = re.compile(r"\s*(?:The user denied this operation|User denied)")
_EXIT = re.compile(
    r"(?:Exit code:|[Ee]xited with code|failed with exit code)\s*(-?\d+)"
)
# Tools that older versions call by a tag of their name.
_TOOLS = (
    "execute_command", "read_file", "write_to_file", "replace_in_file", "apply_diff", "insert_content",
    "search_and_replace", "search_files", "list_files", "list_code_definition_names", "browser_action",
    "use_mcp_tool", "access_mcp_resource", "ask_followup_question", "attempt_completion", "new_task",
    "switch_mode", "fetch_instructions", "web_fetch", "update_todo_list", "codebase_search", "plan_mode_respond",
)  # fmt: skip
_TAGGED_CALL = re.compile(rf"<({'|'.join(_TOOLS)})>(.*?)</\1>", re.DOTALL)
_PARAMETER = re.compile(r"<(\w+)>\n?(.*?)\n?</\1>", re.DOTALL)


def take(
    session: Assembly,
    role: str,
    content: Content,
    line: int,
    time: float | None,
) -> None:
    if role == "assistant":
        _take_reply(session, content, line, time)
    else:
        _take_user(session, content, line, time)


def _take_reply(
    session: Assembly, content: Content, line: int, time: float | None
) -> None:
    blocks = blocks_of(content)
    texts = [block.text or "" for block in blocks if block.type == "text"]
    tagged = _TAGGED_CALL.findall("\n".join(texts))
    if not tagged:
        hear(session, "assistant", content, line, time)
        return
    words = _TAGGED_CALL.sub("", "\n".join(texts)).strip()
    draft = session.reply("", line, time, words)
    for tool, body in tagged:
        arguments = msgspec.json.encode(dict(_PARAMETER.findall(body))).decode()
        session.called(draft, "", tool, arguments, line, time)


def _take_user(
    session: Assembly, content: Content, line: int, time: float | None
) -> None:
    texts = []
    for block in blocks_of(content):
        if block.type == "tool_result":
            hear(session, "user", [block], line, time, dialect=DIALECT)
        elif block.type == "text" and block.text:
            texts.append(block.text)
    for place, text in enumerate(texts):
        result = _RESULT.match(text)
        if result is not None:
            following = texts[place + 1 : place + 2]
            _take_tagged_result(session, result, text, following, line, time)
        elif place == 0 or not _is_answer(texts[place - 1]):
            _take_words(session, text, line, time)


def _is_answer(text: str) -> bool:
    """The heading of a result, whose words stand in the next text."""
    heading = _RESULT.match(text)
    return heading is not None and not text[heading.end() :].strip()


def _take_tagged_result(
    session: Assembly,
    heading: re.Match[str],
    text: str,
    following: list[str],
    line: int,
    time: float | None,
) -> None:
    """Calls in tags have no ids: a result answers the oldest open call of its tool."""
    words = text[heading.end() :]
    if not words.strip() and following:
        words = following[0]
    ids = [id for id in session.open if session.awaiting(id)[0] == heading[1]]
    id = ids[0] if ids else ""
    tool, arguments = session.awaiting(id)
    verdict = _verdict(tool, arguments, words, None)
    session.answered(id, words, line, time, verdict)


def _take_words(session: Assembly, text: str, line: int, time: float | None) -> None:
    words = _WORDS.match(text)
    if words is None:
        session.said("user", text, line, time, _kind(text, 0))
        return
    session.said("user", words[2], line, time)
    rest = text[words.end() :].strip()
    if rest:
        session.said("user", rest, line, time, "injected")


def _kind(text: str, place: int) -> Kind:
    return "injected" if _ADDED.match(text) else "said"


def _verdict(tool: str, arguments: str, text: str, is_error: bool | None) -> Verdict:
    if _DENIED.match(text):
        return Verdict(Outcome.BLOCKED, text[:ERROR_TEXT])
    ended = _EXIT.search(text) if tool == "execute_command" else None
    if ended is not None:
        return exited(shell_line(arguments), int(ended[1]), text)
    is_failed = bool(is_error) or _FAILED.match(text) is not None
    return flagged(tool, arguments, text, is_error=is_failed)


DIALECT = Dialect(_kind, _verdict)
