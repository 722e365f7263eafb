"""`~/.claude/projects/<folder>/<session>.jsonl`: one model message over several lines, many lines only progress."""

from __future__ import annotations

import re

from afterglow_demo.filler import Quoted, unquote
from afterglow_demo.plan import Plan
from afterglow_demo.story import Act, Ask, Compaction, Reply, Story
from afterglow_demo.timestamps import encoded, iso

FORMAT = "claude-code"
REPLIES_COUNT = True

PROGRESS = 4.7  # at most so many progress lines a call; two fifths of all lines are progress then
LETTERS = 4  # of a context, a token
COMMAND = 0.06  # of sessions begin with a slash command

_REJECTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). To tell you how to proceed, the user said:\\n"
)
_CONTINUED = "This session is being continued from a previous conversation that ran out of context.\\n"
_CLEAR = (
    "<command-name>/clear</command-name>\\n<command-message>clear</command-message>"
)
_TOOLS = {
    "shell": "Bash",
    "read": "Read",
    "edit": "Edit",
    "write": "Write",
    "search": "Grep",
    "fetch": "WebFetch",
    "web": "WebSearch",
    "delegate": "Task",
}


def path(plan: Plan) -> str:
    below = f"{plan.parent}/subagents/" if plan.parent else ""
    return f".claude/projects/{project(plan.cwd)}/{below}{plan.id}.jsonl"


def project(cwd: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "-", cwd)


def call(act: Act, plan: Plan) -> tuple[str, dict[str, object]]:
    target = act.target
    arguments: dict[str, dict[str, object]] = {
        "shell": {"command": target, "description": "Run a command"},
        "read": {"file_path": target},
        "edit": {
            "file_path": target,
            "old_string": "pass",
            "new_string": unquote(act.detail),
        },
        "write": {"file_path": target, "content": unquote(act.detail)},
        "search": {"pattern": target, "path": plan.cwd, "output_mode": "content"},
        "fetch": {"url": target, "prompt": "What does it say about limits?"},
        "web": {"query": target},
        "delegate": {
            "description": "Look around",
            "prompt": target,
            "subagent_type": "Explore",
        },
    }
    return _TOOLS[act.verb], arguments[act.verb]


def encode(story: Story) -> bytes:
    if story.plan.empty:
        return _Lines(story).snapshot().encode()
    lines = _Lines(story)
    out = [lines.snapshot()]
    if story.context:
        out.append(lines.hook(story.plan.start, story.context))
    if story.fill.random() < COMMAND:
        out.append(lines.user(story.plan.start, f'"{_CLEAR}"'))
    for event in story.events:
        if type(event) is Ask:
            out.append(lines.user(event.at, f'"{event.text}"'))
        elif type(event) is Reply:
            lines.reply(out, event)
        elif type(event) is Compaction:
            lines.compacted(out, event)
    out.append(
        lines.line(
            story.clock,
            '"type":"system","subtype":"turn_duration","durationMs":33634,"isMeta":false',
        )
    )
    return "".join(out).encode()


class _Lines:
    """The lines of one file: each points to the one before it."""

    def __init__(self, story: Story) -> None:
        plan = story.plan
        self.story, self.count = story, 0
        digits = f"{story.fill.getrandbits(96):024x}"
        self.tail = f"{digits[:4]}-4{digits[5:8]}-8{digits[9:12]}-{digits[12:]}"
        side = (
            f'"isSidechain":true,"agentId":"{plan.id.removeprefix("agent-")}"'
            if plan.parent
            else '"isSidechain":false'
        )
        self.head = (
            f'{side},"userType":"external","cwd":"{plan.cwd}","sessionId":"{plan.parent or plan.id}",'
            f'"version":"2.1.62","gitBranch":"{plan.branch}",'
        )
        self.context = 18_000 + len(story.context) // LETTERS

    def uuid(self, number: int) -> str:
        return f"{number:08x}-{self.tail}"

    def line(self, at: float, body: str) -> str:
        """A line in the chain."""
        parent = f'"{self.uuid(self.count)}"' if self.count else "null"
        self.count += 1
        return f'{{"parentUuid":{parent},{self.head}{body},"uuid":"{self.uuid(self.count)}","timestamp":"{iso(at)}"}}\n'

    def snapshot(self) -> str:
        id, at = self.uuid(0), iso(self.story.plan.start)
        return (
            f'{{"type":"file-history-snapshot","messageId":"{id}","snapshot":{{"messageId":"{id}",'
            f'"trackedFileBackups":{{}},"timestamp":"{at}"}},"isSnapshotUpdate":false}}\n'
        )

    def hook(self, at: float, context: str, name: str = "SessionStart:startup") -> str:
        """What a hook told the model."""
        attachment = {
            "type": "hook_additional_context",
            "hookName": name,
            "hookEvent": name.partition(":")[0],
            "content": [context],
        }
        return self.line(at, f'"type":"attachment","attachment":{encoded(attachment)}')

    def user(self, at: float, content: str, more: str = "") -> str:
        return self.line(
            at, f'"type":"user","message":{{"role":"user","content":{content}}}{more}'
        )

    def reply(self, out: list[str], event: Reply) -> None:
        message = f"msg_01{self.count:06x}{self.tail[-12:]}"
        fill = self.story.fill
        blocks = []
        if fill.random() < 0.3:
            blocks.append(
                f'{{"type":"thinking","thinking":"{self.story.words()}","signature":""}}'
            )
        if event.text:
            blocks.append(f'{{"type":"text","text":"{event.text}"}}')
        ids = [
            f"toolu_01{self.count:06x}{place:02d}{self.tail[-12:]}"
            for place in range(len(event.acts))
        ]
        for id, act in zip(ids, event.acts, strict=True):
            tool, arguments = call(act, self.story.plan)
            blocks.append(
                f'{{"type":"tool_use","id":"{id}","name":"{tool}","input":{encoded(arguments)}}}'
            )
        self.context += 300 + int(900 * fill.random())
        for place, block in enumerate(blocks):
            out.append(
                self.line(
                    event.at + place * 0.4,
                    self._assistant(message, block, last=place == len(blocks) - 1),
                )
            )
        at = event.at + 1
        for id, act in zip(ids, event.acts, strict=True):
            for second in range(int(fill.random() * PROGRESS)):
                out.append(self._progress(at + second / 5, id, second))
            at += act.took
            if act.end != "open":
                out.append(self._result(at, id, act))
            if act.hook_line:
                out.append(
                    self.hook(at, unquote(act.hook_line), "PostToolUseFailure:Bash")
                )

    def _assistant(self, message: str, block: str, *, last: bool) -> str:
        stop = (
            '"tool_use"'
            if last and '"tool_use"' in block[:18]
            else '"end_turn"'
            if last
            else "null"
        )
        usage = {
            "input_tokens": 4,
            "cache_creation_input_tokens": self.context % 900,
            "cache_read_input_tokens": self.context,
            "output_tokens": len(block) // 4,
        }
        return (
            f'"message":{{"model":"{self.story.plan.model}","id":"{message}","type":"message","role":"assistant",'
            f'"content":[{block}],"stop_reason":{stop},"stop_sequence":null,"usage":{encoded(usage)}}},'
            f'"requestId":"req_011{message[-12:]}","type":"assistant"'
        )

    def _progress(self, at: float, id: str, second: int) -> str:
        if second % 3:
            progress = f'{{"type":"bash_progress","output":"","elapsedTimeSeconds":{second + 1},"totalLines":0}}'
        else:
            listing = self.story.filler("listing", 6000)
            progress = f'{{"type":"agent_progress","prompt":"","message":{{"type":"user","content":"{listing}"}}}}'
        return self.line(
            at,
            f'"type":"progress","data":{progress},"toolUseID":"{id}","parentToolUseID":"{id}"',
        )

    def _result(self, at: float, id: str, act: Act) -> str:
        text, error = content(act)
        if error:
            more = f'"Error: {text[:400].rpartition(" ")[0]}"'
        elif act.verb == "shell":
            more = f'{{"stdout":"{act.result}","stderr":"","interrupted":false,"isImage":false}}'
        elif act.verb in ("edit", "write"):
            more = f'{{"filePath":"{act.target}","newString":"{act.detail}","originalFile":"{self.story.whole_file()}"}}'
        else:
            more = f'{{"type":"text","content":"{act.result}"}}'
        flag = "true" if error else "false"
        block = f'{{"tool_use_id":"{id}","type":"tool_result","content":"{text}","is_error":{flag}}}'
        return self.user(at, f"[{block}]", f',"toolUseResult":{more}')

    def compacted(self, out: list[str], event: Compaction) -> None:
        boundary = '"type":"system","subtype":"compact_boundary","content":"Conversation compacted","level":"info"'
        size = f'"compactMetadata":{{"trigger":"auto","preTokens":{self.context}}}'
        out.append(self.line(event.at, f"{boundary},{size}"))
        out.append(
            self.user(
                event.at + 0.1,
                f'"{_CONTINUED}{event.text}"',
                ',"isCompactSummary":true',
            )
        )
        self.context = 22_000


def content(act: Act) -> tuple[Quoted | str, bool]:
    """What the model was shown, and whether it was marked as an error."""
    if act.end == "blocked":
        return _REJECTED + act.reason, True
    if act.end == "cancelled":
        return "<tool_use_error>Sibling tool call errored</tool_use_error>", True
    if act.verb == "shell" and act.code:
        return f"Exit code {act.code}" + (
            f"\\n{act.result}" if act.result else ""
        ), True
    if act.end == "failed":
        return f"<tool_use_error>{act.result}</tool_use_error>", True
    return act.result, False
