"""Turns what a reader sees, one thing at a time, into sessions.

A reader says what happened (`said`, `called`, `answered`); the assembly joins calls to their results, keeps the places,
and cuts the session into parts where nothing is left open.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from msgspec.structs import replace

from afterglow.records.session import (
    Call,
    Damage,
    Kind,
    Mark,
    Outcome,
    Role,
    Session,
    Turn,
    Usage,
    Voice,
)
from afterglow.sessions.damage_log import DamageLog
from afterglow.sessions.joined_parts import ending, total
from afterglow.sessions.outcomes import Verdict
from afterglow.sessions.session_clock import Clock

# What a turn weighs in memory besides its text: a session of many short turns is cut into parts too.
TURN_OVERHEAD_CHARACTERS = 300
# A call that nothing answered for so many turns is abandoned. Long enough for commands in the background, short enough
# that one lost result does not keep a long session from settling.
MAX_TURNS_UNANSWERED = 200
INTERRUPTED = "[Request interrupted by user]"  # as Claude Code writes it; other agents record only that it happened


class Draft:
    """An assistant turn that is still being written: more text, more calls or results may come."""

    __slots__ = ("calls", "key", "line", "open_calls", "text", "time", "usage")

    def __init__(self, key: str, line: int, time: float | None) -> None:
        self.key, self.line, self.time = key, line, time
        self.text = ""
        self.calls: list[Call] = []
        self.open_calls = 0
        self.usage: Usage | None = None

    def add_text(self, text: str) -> None:
        self.text = f"{self.text}\n{text}" if self.text else text

    def finish(self) -> Turn:
        return Turn(
            "assistant", self.text, self.line, "said", self.time, tuple(self.calls)
        )


class _OpenCall(NamedTuple):
    """Where a call stands that waits for its result."""

    draft: Draft
    place: int

    @property
    def call(self) -> Call:
        return self.draft.calls[self.place]

    def put(self, call: Call) -> None:
        self.draft.calls[self.place] = call


class Assembly:
    """One session in the making. `facts` are header fields of `Session`, set as they are learned.

    Ids and texts may be null, as agents write them where they have none.

    `weight` is about how many characters the items hold. `compacted` are the lines where the history was summed up.
    `message_before_mark` is the message that an earlier reading ended with. Where an agent writes a count of tokens
    behind each turn, `ends_with_tokens` says that a turn without one may still go on. `voice` is whose words the turns
    of the user are, where a format knows it of the whole session.
    """

    def __init__(self, **facts: Any) -> None:
        self.facts: dict[str, Any] = facts
        self.items: list[Turn | Draft] = []
        self.open: dict[str, _OpenCall] = {}
        self.clock = Clock()
        self.damage = DamageLog()
        self.spent: list[Usage] = []
        self.compacted: list[int] = []
        self.orphans = 0
        self.weight = 0
        self.message_before_mark = ""
        self.ends_with_tokens = False
        self.voice: Voice = "unstated"

    def learn(self, **facts: Any) -> None:
        """Header fields; the first non-empty value of each stays."""
        for name, value in facts.items():
            if value and not self.facts.get(name):
                self.facts[name] = value

    def tick(self, time: float | None) -> None:
        self.clock.tick(time)

    def hurt(self, damages: Iterable[Damage]) -> None:
        """Something could not be read."""
        for damage in damages:
            self.damage.add(damage)

    def said(
        self,
        role: Role,
        text: str | None,
        line: int,
        time: float | None = None,
        kind: Kind = "said",
        voice: Voice | None = None,
    ) -> None:
        """A message without calls; `voice` is that of the session where the line itself does not say."""
        if kind == "injected" and not self.items and self.clock.first is None:
            self.clock.opened = time
        else:
            self.clock.tick(time)
        words = text or ""
        self.weight += len(words) + TURN_OVERHEAD_CHARACTERS
        said_by = self._voice_of(role, kind) if voice is None else voice
        self.items.append(Turn(role, words, line, kind, time, voice=said_by))

    def _voice_of(self, role: Role, kind: Kind) -> Voice:
        """Machinery has a voice only where its line says which."""
        is_of_user = role == "user" and kind not in {"injected", "summary"}
        return self.voice if is_of_user else "unstated"

    def reply(
        self,
        key: str | None,
        line: int,
        time: float | None = None,
        text: str | None = "",
    ) -> Draft:
        """The assistant turn `key` (a message id): the one being written if it is the same, else a new one.

        One message may go on after the results of its first calls. An empty key is always a new turn.
        """
        self.clock.tick(time)
        draft = self._being_written(key) if key else None
        if draft is None:
            draft = self._new_draft(key or "", line, time)
        if text:
            draft.add_text(text)
            self.weight += len(text)
        return draft

    def _being_written(self, key: str) -> Draft | None:
        for item in reversed(self.items):
            if isinstance(item, Draft):
                return item if item.key == key else None
            if _ends_message(item):
                return None
        return None

    def _new_draft(self, key: str, line: int, time: float | None) -> Draft:
        if key and key == self.message_before_mark:
            self.orphans += 1  # what was read before the mark was not all of it
        draft = Draft(key, line, time)
        self.items.append(draft)
        self.weight += TURN_OVERHEAD_CHARACTERS
        return draft

    def called(
        self,
        draft: Draft,
        id: str | None,
        tool: str,
        arguments: str,
        line: int,
        time: float | None = None,
    ) -> str:
        """A call of `draft`; its id is made unique where the agent's is missing or used twice."""
        place = len(draft.calls)
        if not id or id in self.open:
            id = f"{id or 'call'}@{line}.{place}"
        draft.calls.append(Call(id, tool, arguments, line, started=time))
        draft.open_calls += 1
        self.open[id] = _OpenCall(draft, place)
        self.weight += len(arguments) + TURN_OVERHEAD_CHARACTERS
        return id

    def awaiting(self, id: str) -> tuple[str, str]:
        """Tool and arguments of the open call `id`; empty when there is no such call."""
        waiting = self.open.get(id)
        if waiting is None:
            return "", ""
        call = waiting.call
        return call.tool, call.arguments

    def answered(
        self, id: str, text: str, line: int, time: float | None, verdict: Verdict
    ) -> None:
        """The result of call `id`. A result nobody asked for is kept as a tool turn and counted."""
        self.said("tool", text, line, time)
        if id in self.open:
            self.close(id, text, line, time, verdict)
        else:
            self.orphans += 1

    def close(
        self,
        id: str,
        text: str | None,
        line: int,
        time: float | None,
        verdict: Verdict,
    ) -> None:
        """The open call `id` has ended; `text` is its result, or null where nobody can tell it from others."""
        waiting = self.open.pop(id)
        call = waiting.call
        outcome, error, masked, refused = verdict
        waiting.put(
            Call(
                id,
                call.tool,
                call.arguments,
                call.line,
                outcome,
                text,
                error,
                line,
                call.started,
                time,
                masked,
                refused,
            )
        )
        waiting.draft.open_calls -= 1

    def heard(self, id: str, text: str, line: int) -> str:
        """More output of the open call `id`, which goes on. All of it so far."""
        waiting = self.open[id]
        result = (waiting.call.result or "") + text
        waiting.put(replace(waiting.call, result=result, result_line=line))
        self.weight += len(text)
        return result

    def interrupted(self, line: int, time: float | None = None) -> None:
        """A person stopped the work. Calls without a result by now were cancelled."""
        for id, waiting in list(self.open.items()):
            if waiting.call.result is None:
                cancelled = replace(waiting.call, outcome=Outcome.CANCELLED, ended=time)
                waiting.put(cancelled)
                waiting.draft.open_calls -= 1
                del self.open[id]
        self.facts["attended"] = True
        self.said("user", INTERRUPTED, line, time, "command")

    def forget_copied(self) -> None:
        """All so far was a copy of another session."""
        self.items, self.open, self.spent, self.compacted = [], {}, [], []
        self.clock, self.orphans, self.weight = Clock(), 0, 0

    def spend(self, usage: Usage) -> None:
        """Tokens reported beside the message they belong to: counted with the turn written last, so that a part and the
        reading that goes on behind it never both count them."""
        for item in reversed(self.items):
            if isinstance(item, Draft):
                item.usage = total([item.usage, usage]) if item.usage else usage
                return
        self.spent.append(usage)

    def settled(self, *, still: bool) -> int:
        """How many items are closed for good: all before the first turn that may still grow.

        A call nothing answered for a long while is abandoned; the last turn may go on unless the source is `still`
        (and, where turns end with a count of their tokens, that count has come).
        """
        end = len(self.items)
        oldest = max(end - MAX_TURNS_UNANSWERED, 0)
        growing, uncounted = not still, self.ends_with_tokens
        for index in range(end - 1, oldest - 1, -1):
            item = self.items[index]
            if isinstance(item, Draft):
                if item.open_calls or growing or (uncounted and item.usage is None):
                    end = index
                growing = uncounted = False
            elif _ends_message(item):
                growing = uncounted = False
        return end

    def part(
        self,
        mark: Mark,
        count: int | None = None,
        *,
        before: float = math.inf,
        settled: bool = True,
    ) -> Session:
        """Takes the first `count` items (all, if not said), and what stood `before` a line, as one part."""
        turns, last_message = self._take(len(self.items) if count is None else count)
        damage, self.damage = self.damage.split(before)
        defaults = {
            "ending": ending(turns),
            "start": self.clock.start,
            "end": self.clock.end,
            "usage": total(self.spent),
        }
        session = Session(
            **(defaults | self.facts),
            turns=tuple(turns),
            compactions=sum(line < before for line in self.compacted),
            orphans=self.orphans,
            damaged=damage.count,
            damage=tuple(damage.named),
            settled=settled,
            mark=replace(mark, message=last_message) if mark.offset else mark,
        )
        self.spent, self.orphans, self.weight = [], 0, 0
        self.compacted = [line for line in self.compacted if line >= before]
        return session

    def _take(self, count: int) -> tuple[list[Turn], str]:
        """The first `count` items as turns, and the key of the last message among them. Calls still open in them stay
        without a result."""
        items, self.items = self.items[:count], self.items[count:]
        turns: list[Turn] = []
        last_message = ""
        abandoned = False
        for item in items:
            if isinstance(item, Turn):
                turns.append(item)
                continue
            turns.append(item.finish())
            last_message = item.key
            abandoned = abandoned or item.open_calls > 0
            if item.usage:
                self.spent.append(item.usage)
        if abandoned:
            remaining = {id(item) for item in self.items}
            self.open = {
                call_id: waiting
                for call_id, waiting in self.open.items()
                if id(waiting.draft) in remaining
            }
        return turns, last_message


def _ends_message(turn: Turn) -> bool:
    """Results and machinery may stand inside one message of the assistant; what somebody says ends it."""
    return turn.role != "tool" and turn.kind == "said"
