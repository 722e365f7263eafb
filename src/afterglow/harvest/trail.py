"""A session laid out for miners: its calls in order, what was said around them, and how to point at any of it."""

from __future__ import annotations

import re
from hashlib import blake2b

from msgspec import Struct

from afterglow.calls import (
    Action,
    goal_of_command,
    lasting_name,
    learn,
    read,
)
from afterglow.harvest import trust
from afterglow.harvest.voices import voiced
from afterglow.records.context import MARK
from afterglow.records.knowledge import Evidence, Part, Trust
from afterglow.records.session import Call, Outcome, Session, Turn
from afterglow.records.tools import is_own
from afterglow.text.clip import clip

QUOTE = 300  # characters of a span that are kept to be read
MARGIN = 600  # characters around it that tell what is secret in it
_HOME = re.compile(r"^(?:/home|/Users|/var/home|[A-Za-z]:[/\\]Users)[/\\]([^/\\]+)")


class Step(Struct, frozen=True):
    """One call in its place, and what it did. `turn` is the index of its turn; `command` and `program` are empty for
    what is no shell.

    `failed` also holds for a call whose exit code a pipe hid; `ok` does not: a masked rerun is no success.
    """

    index: int
    turn: int
    call: Call
    action: Action

    @property
    def command(self) -> str:
        """The shell line."""
        return self.action.line

    @property
    def program(self) -> str:
        """Program and sub-command of what a person would name in the line, the same in every session."""
        main = self.action.main
        if main is None:
            return ""
        return lasting_name(main) if main.subcommand else goal_of_command(main)

    @property
    def core(self) -> str:
        """The line without setup, trimming filters and echoes; with wrappers and variables, which may matter."""
        return self.action.full

    @property
    def looks(self) -> bool:
        """Only shows what is there, or what somebody else reported: a file, a log, a run of CI."""
        return self.action.effects == {"looks"}

    @property
    def edits(self) -> bool:
        """Changes files, with an editor or through the shell."""
        return self.action.changes_files

    @property
    def tool(self) -> str:
        return self.call.tool

    @property
    def ok(self) -> bool:
        return self.call.outcome is Outcome.OK and not self.call.masked

    @property
    def failed(self) -> bool:
        return self.call.outcome is Outcome.FAILED or self.call.masked

    @property
    def blocked(self) -> bool:
        return self.call.outcome is Outcome.BLOCKED

    @property
    def refused(self) -> bool:
        """Blocked by a person, as the agent itself recorded it."""
        return self.call.refused


class Trail:
    """One session, ready to be mined. Quotes are raw here: `harvest.mine` redacts whatever leaves it."""

    def __init__(self, session: Session, repo: str = "") -> None:
        self.session, self.repo = session, repo
        self.turns = voiced(session)
        self.author = author_of(session.cwd)
        self._around: dict[tuple[int, Part, int, int], str] = {}
        calls = [
            (at, call)
            for at, turn in enumerate(self.turns)
            for call in turn.calls
            if not (MARK.match(call.id) or is_own(call.tool))
        ]  # without the examples of a warm start, and our own tools
        actions = [read(call.tool, call.arguments) for _, call in calls]
        learned = learn(action.line for action in actions if action.line)
        self.steps = [
            Step(index, at, call, action.relearned(learned))
            for index, ((at, call), action) in enumerate(
                zip(calls, actions, strict=True)
            )
        ]

    def said(self, turn: Turn, start: int = 0, end: int | None = None) -> Evidence:
        """Points at a stretch of what was said in a turn."""
        return self._point(
            turn.line, "text", turn.text, start, end, trust.of_turn(turn), turn.time
        )

    def asked(self, step: Step, start: int = 0, end: int | None = None) -> Evidence:
        """Points at a call's arguments; `start` and `end` count in the JSON text the model sent."""
        call = step.call
        return self._point(
            call.line,
            "arguments",
            call.arguments,
            start,
            end,
            "assistant",
            call.started,
        )

    def got(self, step: Step, start: int = 0, end: int | None = None) -> Evidence:
        """Points at a stretch of a call's result."""
        call = step.call
        line = call.result_line if call.result_line is not None else call.line
        time = call.ended if call.ended is not None else call.started
        return self._point(
            line, "result", call.result or "", start, end, trust.of_result(call), time
        )

    def got_words(self, step: Step, words: str) -> Evidence:
        """Points at `words` in a call's result, or at its head where they are not there to the letter."""
        at = (step.call.result or "").find(words)
        if at < 0:
            return self.got(step, 0, QUOTE)
        return self.got(step, at, at + len(words))

    def around(self, evidence: Evidence) -> str:
        """A span as it stands in its text, with some of what surrounds it."""
        return self._around.get(
            (evidence.line, evidence.part, evidence.start, evidence.length), ""
        )

    def before(self, step: Step) -> str:
        """What the assistant said in the turn of a call, or in the one before it."""
        text = self.turns[step.turn].text
        if text or step.turn == 0:
            return text
        earlier = self.turns[step.turn - 1]
        return earlier.text if earlier.role == "assistant" else ""

    def _point(
        self,
        line: int,
        part: Part,
        text: str,
        start: int,
        end: int | None,
        trust: Trust,
        time: float | None,
    ) -> Evidence:
        span = text[start:end]
        around = text[max(start - MARGIN, 0) : start + min(len(span), QUOTE) + MARGIN]
        self._around[line, part, start, len(span)] = around
        return Evidence(
            session=self.session.id,
            agent=self.session.agent,
            line=line,
            part=part,
            start=start,
            length=len(span),
            hash=span_hash(span),
            quote=clip(span, QUOTE),
            trust=trust,
            repo=self.repo,
            author=self.author,
            time=time if time is not None else self.session.start,
        )


def span_hash(span: str) -> str:
    """The same for the same words, wherever they stand."""
    return blake2b(span.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def author_of(cwd: str) -> str:
    """Tells people apart by whose home a session ran in, without keeping the name."""
    person = home_owner(cwd)
    if not person:
        return ""
    return blake2b(person.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def home_owner(cwd: str) -> str:
    """Whose home a folder is in, by name: for hiding it. Empty where it is in nobody's."""
    match = _HOME.match(cwd)
    return match[1] if match else ""
