"""The learning agent, and the person it works for. One tool: run a command.

The person looks on while something is learned: after a few failures, or when the work is done and not as they
wanted it, they say what is wrong, once, in plain words. When the work is done, they say so.
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
You are then told its exit code and output. If a command fails, try something else. When the task is done, reply DONE."""
AGAIN = "That is not done yet. Please run a command."
STUCK = 3  # times the same command in a row, after which the agent is given up on
MOST_TALK = 2  # replies without a command that a person puts up with
_BLOCK = re.compile(r"```\w*[ \t]*\n(.*?)(?:\n?```|\Z)", re.DOTALL)


class Worked(Struct, frozen=True):
    """What came of a session. `helped` is whether the person had to say what was wrong."""

    solved: bool
    calls: int
    failed: int
    helped: bool
    tokens: int


class LearningSession:
    """One session, from the request to the thanks."""

    def __init__(
        self,
        task: Task,
        number: int,
        folder: Path,
        model: Model,
        runner: Runner,
        transcript: Transcript,
    ) -> None:
        self._task, self._number, self._folder = task, number, folder
        self._model, self._runner, self._transcript = model, runner, transcript
        self._messages = [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": task.request},
        ]
        self._tried: list[str] = []
        self._failed = self._talked = self._tokens = 0
        self._helped = self._solved = False

    def work(self, *, seed: int, calls: int, patience: int) -> Worked:
        """At most `calls` calls; the person helps after `patience` failed ones."""
        self._transcript.user(self._task.request)
        while len(self._tried) < calls and not self._solved and not self._is_over():
            reply = self._model.reply(
                self._messages, seed=seed * 1000 + len(self._messages)
            )
            self._tokens += reply.sent + reply.received
            command = command_in(reply.text)
            if command:
                self._run(command, patience)
            else:
                self._listen(reply.text.strip() or "...")
        if self._solved:
            self._transcript.reply("Done.")
            self._transcript.user("Thanks, that is what I needed.")
        return Worked(
            self._solved, len(self._tried), self._failed, self._helped, self._tokens
        )

    def _is_over(self) -> bool:
        is_stuck = len(self._tried) >= STUCK and len(set(self._tried[-STUCK:])) == 1
        return is_stuck or self._talked >= MOST_TALK

    def _run(self, command: str, patience: int) -> None:
        at = f"{PROJECTS}/{self._task.family.project}"
        result = self._runner.run(command, self._folder, at)
        self._tried.append(command)
        self._failed += result.code != 0
        self._transcript.call(command, result.code, result.output)
        self._solved = self._task.solved(self._folder)
        answer = f"exit code {result.code}\n{result.output}".strip()
        is_wrong = self._failed >= patience or self._task.finished(self._folder)
        if not self._solved and not self._helped and is_wrong:
            answer = f"{answer}\n\nThe user says: {self._correction()}"
        self._say(f"```sh\n{command}\n```", answer)

    def _listen(self, words: str) -> None:
        """The agent talks, perhaps because it thinks that it is done: the person looks."""
        self._transcript.reply(words)
        if self._helped:
            self._talked += 1
            self._transcript.user(AGAIN)
            return self._say(words, AGAIN)
        return self._say(words, self._correction())

    def _correction(self) -> str:
        self._helped = True
        words = self._task.correction(self._number)
        self._transcript.user(words)
        return words

    def _say(self, mine: str, theirs: str) -> None:
        self._messages += [
            {"role": "assistant", "content": mine},
            {"role": "user", "content": theirs},
        ]


def command_in(text: str) -> str:
    """The command of a reply: what stands in its block; nothing where there is none."""
    block = _BLOCK.search(text)
    return block[1].strip()[:500] if block else ""
