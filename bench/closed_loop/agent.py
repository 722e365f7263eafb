"""A small shell agent, and the person it works for. One tool: run a command.

The person closes the session once the work is done, says once that it is not when the agent only talks, and in a
learning session tells what is wrong after a few failures, or when the work is finished in
another way than it should be, once, in plain words. In a measured session nobody helps.
"""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct

from bench.closed_loop.model import Model
from bench.closed_loop.sandbox import Runner
from bench.closed_loop.tasks import PROJECTS, Task
from bench.closed_loop.transcript import Transcript

SYSTEM = """\
You work in a project folder on Linux. Do the user's task by running shell commands, one at a time.
Reply with one command in a block and nothing else:
```sh
COMMAND
```
You are then told its exit code and output. If a command fails, try something else."""
AGAIN = "That is not done yet. Please run a command."
STUCK = 3  # times the same command in a row, after which the agent is given up on
_BLOCK = re.compile(r"```\w*[ \t]*\n(.*?)(?:\n?```|\Z)", re.DOTALL)


class Worked(Struct, frozen=True):
    """What came of a session. `helped` is whether the person had to say what was wrong."""

    solved: bool
    calls: int
    failed: int
    helped: bool
    sent: int
    received: int


def work(
    task: Task,
    folder: Path,
    model: Model,
    runner: Runner,
    transcript: Transcript,
    *,
    seed: int,
    calls: int,
    context: str = "",
    patience: int | None = None,
) -> Worked:
    """Runs one session of at most `calls` calls. With `patience`, the person helps after so many failed ones."""
    at = f"{PROJECTS}/{task.family.project}"
    messages = [
        {"role": "system", "content": f"{SYSTEM}\n\n{context}".strip()},
        {"role": "user", "content": task.request},
    ]
    if context:
        transcript.context(context)
    transcript.user(task.request)
    done = failed = talked = sent = received = 0
    helped = solved = False
    tried: list[str] = []
    while done < calls and not solved:
        reply = model.reply(messages, seed=seed * 1000 + len(messages))
        sent, received = sent + reply.sent, received + reply.received
        command = command_in(reply.text)
        if not command:
            transcript.reply(reply.text.strip() or "...")
            talked += 1
            if talked > 1:
                break
            _say(messages, reply.text, AGAIN)
            transcript.user(AGAIN)
            continue
        result = runner.run(command, folder, at)
        done += 1
        failed += result.code != 0
        tried.append(command)
        transcript.call(command, result.code, result.output)
        solved = task.solved(folder)
        told = f"exit code {result.code}\n{result.output}".strip()
        is_watched = patience is not None and not helped and not solved
        if is_watched and (failed >= (patience or 0) or task.finished(folder)):
            helped = True
            correction = task.correction()
            transcript.user(correction)
            told = f"{told}\n\nThe user says: {correction}"
            tried.clear()
        _say(messages, f"```sh\n{command}\n```", told)
        if tried[-STUCK:] == [command] * STUCK:
            break
    if solved:
        transcript.reply("Done.")
        transcript.user("Thanks, that is what I needed.")
    return Worked(solved, done, failed, helped, sent, received)


def command_in(text: str) -> str:
    """The command of a reply: what stands in its block; nothing where there is none."""
    block = _BLOCK.search(text)
    return block[1].strip()[:500] if block else ""


def _say(messages: list[dict[str, str]], mine: str, theirs: str) -> None:
    messages += [
        {"role": "assistant", "content": mine},
        {"role": "user", "content": theirs},
    ]
