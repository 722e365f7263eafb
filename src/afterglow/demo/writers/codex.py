"""`~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<session>.jsonl`: response items, repeated for the screen as events."""

from __future__ import annotations

from afterglow.demo.plan import Plan
from afterglow.demo.pool import Quoted, quote, unquote
from afterglow.demo.stamps import encoded, iso, stamp, twice
from afterglow.demo.story import Act, Ask, Compaction, Reply, Story

FORMAT = "codex"
REPLIES_COUNT = False

WINDOW = 258_400


def path(plan: Plan) -> str:
    return f".codex/sessions/{stamp(plan.start, '%Y/%m/%d/rollout-%Y-%m-%dT%H-%M-%S')}-{plan.id}.jsonl"


def call(act: Act, plan: Plan) -> tuple[str, dict[str, object]]:
    """Codex does nearly everything in a shell; only edits go through a tool of their own."""
    if act.verb in {"edit", "write"}:
        head = "*** Update File: " if act.verb == "edit" else "*** Add File: "
        body = "".join(f"+{line}\n" for line in unquote(act.detail).splitlines())
        return "apply_patch", {"input": f"*** Begin Patch\n{head}{act.target}\n@@\n{body}*** End Patch\n"}
    command = {"read": f"sed -n '1,240p' {act.target}", "search": f"rg -n '{act.target}'"}.get(act.verb, act.target)
    return "exec_command", {"cmd": command, "workdir": plan.cwd, "yield_time_ms": 10000, "max_output_tokens": 20000}


def encode(story: Story) -> bytes:
    out = [_meta(story.plan)]
    if story.plan.empty:
        return "".join(out).encode()
    lines = _Lines(story)
    out.append(
        lines.message(
            story.plan.start, "user", "input_text", quote(f"# AGENTS.md instructions for {story.plan.cwd}\n\nBe brief.")
        )
    )
    out.append(
        _line(
            story.plan.start,
            "turn_context",
            f'{{"cwd":"{story.plan.cwd}","approval_policy":"on-request","model":"{story.plan.model}"}}',
        )
    )
    for event in story.events:
        if type(event) is Ask:
            lines.ask(out, event)
        elif type(event) is Reply:
            lines.reply(out, event)
        elif type(event) is Compaction:
            out.append(_line(event.at, "compacted", f'{{"message":"{event.text}"}}'))
            out.append(_line(event.at, "event_msg", '{"type":"context_compacted"}'))
    return "".join(out).encode()


def _line(at: float, kind: str, payload: str) -> str:
    return f'{{"timestamp":"{iso(at)}","type":"{kind}","payload":{payload}}}\n'


def _meta(plan: Plan) -> str:
    git = (
        f',"git":{{"commit_hash":"{plan.index:040x}","branch":"{plan.branch}","repository_url":"{plan.repo.remote}"}}'
        if plan.repo
        else ""
    )
    return _line(
        plan.start,
        "session_meta",
        f'{{"id":"{plan.id}","timestamp":"{iso(plan.start)}","cwd":"{plan.cwd}","originator":"codex-tui","cli_version":"0.140.0",'
        f'"source":"cli","model_provider":"openai","base_instructions":{{"text":"You are a coding agent. (simulated)"}}{git}}}',
    )


class _Lines:
    """The lines of one rollout; tokens are totals since the start."""

    def __init__(self, story: Story) -> None:
        self.story, self.count = story, 0
        self.input = self.output = 0
        self.context = 12_000

    def message(self, at: float, role: str, kind: str, text: Quoted) -> str:
        return _line(
            at, "response_item", f'{{"type":"message","role":"{role}","content":[{{"type":"{kind}","text":"{text}"}}]}}'
        )

    def ask(self, out: list[str], event: Ask) -> None:
        out.append(_line(event.at, "event_msg", f'{{"type":"task_started","model_context_window":{WINDOW}}}'))
        out.append(self.message(event.at, "user", "input_text", event.text))
        out.append(_line(event.at, "event_msg", f'{{"type":"user_message","message":"{event.text}","images":[]}}'))

    def reply(self, out: list[str], event: Reply) -> None:
        out.append(
            _line(event.at, "response_item", '{"type":"reasoning","summary":[],"encrypted_content":"simulated"}')
        )
        if event.text:
            out.append(
                _line(
                    event.at, "event_msg", f'{{"type":"agent_message","message":"{event.text}","phase":"commentary"}}'
                )
            )
            out.append(self.message(event.at, "assistant", "output_text", event.text))
        ids = []
        for act in event.acts:
            self.count += 1
            ids.append(f"call_{self.story.plan.id[:8]}{self.count:06d}")
            out.append(_line(event.at + 0.2, "response_item", self._call(ids[-1], act)))
        at = event.at + 0.3
        for id, act in zip(ids, event.acts, strict=True):
            at += act.took
            if act.end != "open":
                kind = "custom_tool_call_output" if act.verb in {"edit", "write"} else "function_call_output"
                out.append(
                    _line(at, "response_item", f'{{"type":"{kind}","call_id":"{id}","output":"{_output(act, id)}"}}')
                )
        out.append(_line(at, "event_msg", self._tokens()))

    def _call(self, id: str, act: Act) -> str:
        tool, arguments = call(act, self.story.plan)
        if tool == "apply_patch":
            return f'{{"type":"custom_tool_call","status":"completed","call_id":"{id}","name":"{tool}","input":{encoded(arguments["input"])}}}'
        return f'{{"type":"function_call","name":"{tool}","arguments":"{twice(arguments)}","call_id":"{id}"}}'

    def _tokens(self) -> str:
        self.context = 12_000 + (self.context + 900) % 200_000
        self.input += self.context
        self.output += 180
        now = f'"input_tokens":{self.context},"cached_input_tokens":{self.context // 2},"output_tokens":180,"reasoning_output_tokens":40'
        total = f'"input_tokens":{self.input},"cached_input_tokens":{self.input // 2},"output_tokens":{self.output},"reasoning_output_tokens":40'
        return (
            f'{{"type":"token_count","info":{{"total_token_usage":{{{total}}},"last_token_usage":{{{now}}},'
            f'"model_context_window":{WINDOW}}}}}'
        )


def _output(act: Act, id: str) -> str:
    if act.end == "blocked":
        return "exec command rejected by user"
    if act.end == "cancelled":
        return f"aborted by user after {act.took:.1f}s"
    if act.verb in {"edit", "write"}:
        if act.end == "failed":
            return f"apply_patch verification failed: Failed to find expected lines in {act.target}: {act.result}"
        return (
            f"Exit code: 0\\nWall time: 0 seconds\\nOutput:\\nSuccess. Updated the following files:\\nM {act.target}\\n"
        )
    code = act.code or (2 if act.end == "failed" else 0)
    size = len(act.result) // 4
    return (
        f"Chunk ID: {id[-6:]}\\nWall time: {act.took:.4f} seconds\\nProcess exited with code {code}\\n"
        f"Original token count: {size}\\nOutput:\\n{act.result}"
    )
