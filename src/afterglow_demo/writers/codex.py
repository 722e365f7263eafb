"""`~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<session>.jsonl`: response items, repeated for the screen as events."""

from __future__ import annotations

from afterglow_demo.filler import Quoted, quote, unquote
from afterglow_demo.plan import Plan
from afterglow_demo.story import Act, Ask, Compaction, Reply, Story
from afterglow_demo.timestamps import encoded, iso, stamp, twice

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
        return "apply_patch", {
            "input": f"*** Begin Patch\n{head}{act.target}\n@@\n{body}*** End Patch\n"
        }
    command = {
        "read": f"sed -n '1,240p' {act.target}",
        "search": f"rg -n '{act.target}'",
    }.get(act.verb, act.target)
    return "exec_command", {
        "cmd": command,
        "workdir": plan.cwd,
        "yield_time_ms": 10000,
        "max_output_tokens": 20000,
    }


def encode(story: Story) -> bytes:
    plan = story.plan
    lines = _Lines(story)
    lines.meta()
    if not plan.empty:
        lines.message(
            plan.start,
            "user",
            quote(f"# AGENTS.md instructions for {plan.cwd}\n\nBe brief. (simulated)"),
        )
        lines.add(
            plan.start,
            "turn_context",
            encoded(
                {"cwd": plan.cwd, "approval_policy": "on-request", "model": plan.model}
            ),
        )
    for event in story.events:
        if type(event) is Ask:
            lines.ask(event)
        elif type(event) is Reply:
            lines.reply(event)
        elif type(event) is Compaction:
            lines.add(event.at, "compacted", f'{{"message":"{event.text}"}}')
            lines.screen(event.at, '"type":"context_compacted"')
    return "".join(lines.out).encode()


class _Lines:
    """The lines of one rollout; tokens are totals since the start."""

    def __init__(self, story: Story) -> None:
        self.plan, self.out = story.plan, list[str]()
        self.calls = self.input = self.output = 0
        self.context = 12_000

    def add(self, at: float, kind: str, payload: str) -> None:
        self.out.append(
            f'{{"timestamp":"{iso(at)}","type":"{kind}","payload":{payload}}}\n'
        )

    def item(self, at: float, body: str) -> None:
        """What the model saw or said."""
        self.add(at, "response_item", f"{{{body}}}")

    def screen(self, at: float, body: str) -> None:
        """What the screen was told."""
        self.add(at, "event_msg", f"{{{body}}}")

    def meta(self) -> None:
        plan = self.plan
        payload: dict[str, object] = {
            "id": plan.id,
            "timestamp": iso(plan.start),
            "cwd": plan.cwd,
            "originator": "codex-tui",
            "cli_version": "0.140.0",
            "source": "cli",
            "model_provider": "openai",
            "base_instructions": {"text": "You are a coding agent. (simulated)"},
        }
        if plan.repo:
            payload["git"] = {
                "commit_hash": f"{plan.index:040x}",
                "branch": plan.branch,
                "repository_url": plan.repo.remote,
            }
        self.add(plan.start, "session_meta", encoded(payload))

    def message(self, at: float, role: str, text: Quoted) -> None:
        kind = "output_text" if role == "assistant" else "input_text"
        self.item(
            at,
            f'"type":"message","role":"{role}","content":[{{"type":"{kind}","text":"{text}"}}]',
        )

    def ask(self, event: Ask) -> None:
        self.screen(event.at, f'"type":"task_started","model_context_window":{WINDOW}')
        self.message(event.at, "user", event.text)
        self.screen(
            event.at, f'"type":"user_message","message":"{event.text}","images":[]'
        )

    def reply(self, event: Reply) -> None:
        self.item(
            event.at, '"type":"reasoning","summary":[],"encrypted_content":"simulated"'
        )
        if event.text:
            self.screen(
                event.at,
                f'"type":"agent_message","message":"{event.text}","phase":"commentary"',
            )
            self.message(event.at, "assistant", event.text)
        at, ids = event.at, []
        for act in event.acts:
            self.calls += 1
            ids.append(f"call_{self.plan.id[:8]}{self.calls:06d}")
            self._call(at, ids[-1], act)
        for id, act in zip(ids, event.acts, strict=True):
            at += act.took
            if act.end != "open":
                kind = (
                    "custom_tool_call_output"
                    if act.verb in {"edit", "write"}
                    else "function_call_output"
                )
                self.item(
                    at,
                    f'"type":"{kind}","call_id":"{id}","output":"{_output(act, id)}"',
                )
        self._tokens(at)

    def _call(self, at: float, id: str, act: Act) -> None:
        tool, arguments = call(act, self.plan)
        head = f'"call_id":"{id}","name":"{tool}"'
        if tool == "apply_patch":
            self.item(
                at,
                f'"type":"custom_tool_call","status":"completed",{head},"input":{encoded(arguments["input"])}',
            )
        else:
            self.item(
                at, f'"type":"function_call",{head},"arguments":"{twice(arguments)}"'
            )

    def _tokens(self, at: float) -> None:
        self.context = 12_000 + (self.context + 900) % 200_000
        self.input += self.context
        self.output += 180
        usage = {
            "total_token_usage": _usage(self.input, self.output),
            "last_token_usage": _usage(self.context, 180),
            "model_context_window": WINDOW,
        }
        self.screen(at, f'"type":"token_count","info":{encoded(usage)}')


def _usage(sent: int, got: int) -> dict[str, int]:
    return {
        "input_tokens": sent,
        "cached_input_tokens": sent // 2,
        "output_tokens": got,
        "reasoning_output_tokens": got // 4,
    }


def _output(act: Act, id: str) -> str:
    if act.end == "blocked":
        return "exec command rejected by user"
    if act.end == "cancelled":
        return f"aborted by user after {act.took:.1f}s"
    if act.verb in {"edit", "write"}:
        if act.end == "failed":
            return f"apply_patch verification failed: Failed to find expected lines in {act.target}: {act.result}"
        return f"Exit code: 0\\nWall time: 0 seconds\\nOutput:\\nSuccess. Updated the following files:\\nM {act.target}\\n"
    code = act.code or (2 if act.end == "failed" else 0)
    size = len(act.result) // 4
    return (
        f"Chunk ID: {id[-6:]}\\nWall time: {act.took:.4f} seconds\\nProcess exited with code {code}\\n"
        f"Original token count: {size}\\nOutput:\\n{act.result}"
    )
