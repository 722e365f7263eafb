"""Turns what a reader sees, one thing at a time, into sessions.

A reader says what happened (`said`, `called`, `answered`); the assembly joins calls to their results, keeps the places,
and cuts the session into parts where nothing is left open.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

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
)
from afterglow.sessions.outcomes import Verdict

NAMED_DAMAGE = 200
TURN = 300  # what a turn weighs in memory besides its text
PATIENCE = 200  # turns after which an unanswered call is taken as abandoned
INTERRUPTED = "[Request interrupted by user]"  # as Claude Code writes it; other agents record only that it happened

_Open = tuple[str, str, str, int, float | None]  # id, tool, arguments, line, time


class Draft:
    """An assistant turn that is still being written: more text, more calls or results may come."""

    __slots__ = ("calls", "key", "line", "open", "text", "time", "usage")

    def __init__(self, key: str, line: int, time: float | None) -> None:
        self.key, self.line, self.time = key, line, time
        self.text = ""
        self.calls: list[_Open | Call] = []
        self.open = 0
        self.usage: Usage | None = None

    def finish(self) -> Turn:
        if self.open:
            self.calls = [
                call if isinstance(call, Call) else _unanswered(call)
                for call in self.calls
            ]
        calls = tuple(call for call in self.calls if isinstance(call, Call))
        return Turn("assistant", self.text, self.line, "said", self.time, calls)


def _unanswered(call: _Open) -> Call:
    id, tool, arguments, line, started = call
    return Call(id, tool, arguments, line, started=started)


class Assembly:
    """One session in the making. `facts` are header fields of `Session`, set as they are learned."""

    def __init__(self, **facts: Any) -> None:
        self.facts: dict[str, Any] = facts
        self.items: list[Turn | Draft] = []
        self.open: dict[str, tuple[Draft, int]] = {}
        self.spent: list[Usage] = []
        self.damage: list[Damage] = []
        self.damaged = 0
        self.compacted: list[int] = []
        self.orphans = 0
        self.before = ""
        self.ends_with_tokens = False
        self.weight = 0
        self.first: float | None = None
        self.last: float | None = None
        self.opened: float | None = None

    def learn(self, **facts: Any) -> None:
        """Header fields; the first non-empty value of each stays."""
        for name, value in facts.items():
            if value and not self.facts.get(name):
                self.facts[name] = value

    def tick(self, time: float | None) -> None:
        if time is not None:
            if self.first is None or time < self.first:
                self.first = time
            if self.last is None or time > self.last:
                self.last = time

    def hurt(self, damage: Iterable[Damage]) -> None:
        """Something could not be read. All of it is counted, the first of it named."""
        for one in damage:
            self.damaged += 1
            if len(self.damage) < NAMED_DAMAGE:
                self.damage.append(one)

    def said(
        self,
        role: Role,
        text: str,
        line: int,
        time: float | None = None,
        kind: Kind = "said",
    ) -> None:
        """A message without calls. What a hook says at the opening does not start the clock: only a session that is
        given something has it, and how long its person then takes to ask for anything is not the agent's time."""
        if kind == "injected" and self.first is None and not self.items:
            self.opened = time
        else:
            self.tick(time)
        self.weight += len(text) + TURN
        self.items.append(Turn(role, text, line, kind, time))

    def reply(
        self, key: str, line: int, time: float | None = None, text: str = ""
    ) -> Draft:
        """The assistant turn `key` (a message id): the one being written if it is the same, else a new one.

        One message may go on after the results of its first calls. An empty key is always a new turn.
        """
        draft = self._recent(key) if key else None
        self.tick(time)
        if draft is None:
            if (
                key and key == self.before
            ):  # it began before the mark: what was read then was not all of it
                self.orphans += 1
            draft = Draft(key, line, time)
            self.items.append(draft)
            self.weight += TURN
        if text:
            draft.text = f"{draft.text}\n{text}" if draft.text else text
            self.weight += len(text)
        return draft

    def _recent(self, key: str) -> Draft | None:
        for item in reversed(self.items):
            if type(item) is Draft:
                return item if item.key == key else None
            if item.role != "tool" and item.kind == "said":  # type: ignore[union-attr]
                return None
        return None

    def called(
        self,
        draft: Draft,
        id: str,
        tool: str,
        arguments: str,
        line: int,
        time: float | None = None,
    ) -> str:
        """A call of `draft`; its id is made unique where the agent's is missing or used twice."""
        if not id or id in self.open:
            id = f"{id or 'call'}@{line}.{len(draft.calls)}"
        self.open[id] = (draft, len(draft.calls))
        draft.calls.append((id, tool, arguments, line, time))
        draft.open += 1
        self.weight += len(arguments) + TURN
        return id

    def awaiting(self, id: str) -> tuple[str, str]:
        """Tool and arguments of the open call `id`; empty when there is no such call."""
        found = self.open.get(id)
        if found is None:
            return "", ""
        _, tool, arguments, *_ = found[0].calls[found[1]]  # type: ignore[misc]
        return tool, arguments

    def answered(
        self, id: str, text: str, line: int, time: float | None, verdict: Verdict
    ) -> None:
        """The result of call `id`. A result nobody asked for is kept as a tool turn and counted."""
        self.said("tool", text, line, time)
        found = self.open.pop(id, None)
        if found is None:
            self.orphans += 1
            return
        draft, place = found
        _, tool, arguments, call_line, started = draft.calls[place]  # type: ignore[misc]
        outcome, error, masked = verdict
        draft.calls[place] = Call(
            id,
            tool,
            arguments,
            call_line,
            outcome,
            text,
            error,
            line,
            started,
            time,
            masked,
        )
        draft.open -= 1

    def interrupted(self, line: int, time: float | None = None) -> None:
        """A person stopped the work. Calls without a result by now were cancelled."""
        for id, (draft, place) in self.open.items():
            _, tool, arguments, call_line, started = draft.calls[place]  # type: ignore[misc]
            draft.calls[place] = Call(
                id,
                tool,
                arguments,
                call_line,
                Outcome.CANCELLED,
                started=started,
                ended=time,
            )
            draft.open -= 1
        self.open.clear()
        self.said("user", INTERRUPTED, line, time, "command")

    def spend(self, usage: Usage) -> None:
        """Tokens reported beside the message they belong to: counted with the turn written last, so that a part and the
        reading that goes on behind it never both count them."""
        draft = next(
            (item for item in reversed(self.items) if type(item) is Draft), None
        )
        if draft is None:
            self.spent.append(usage)
        else:
            draft.usage = usage if draft.usage is None else total([draft.usage, usage])

    def settled(self, *, still: bool) -> int:
        """How many items are closed for good: all before the first turn that may still grow.

        A call nothing answered for a long while is abandoned; the last turn may go on unless the source is `still`
        (and, where turns end with a count of their tokens, that count has come).
        """
        end = len(self.items)
        growing, last = not still, True
        for index in range(end - 1, max(end - PATIENCE, 0) - 1, -1):
            item = self.items[index]
            if type(item) is Draft:
                if (
                    item.open
                    or growing
                    or (last and self.ends_with_tokens and item.usage is None)
                ):
                    end = index
                growing = last = False
            elif item.role != "tool" and item.kind == "said":  # type: ignore[union-attr]
                growing = last = False
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
        taken, self.items = (
            self.items[:count],
            [] if count is None else self.items[count:],
        )
        turns: list[Turn] = []
        for item in taken:
            if type(item) is Draft:
                turns.append(item.finish())
                if item.usage:
                    self.spent.append(item.usage)
                if item.open:
                    self.open = {
                        id: at for id, at in self.open.items() if at[0] is not item
                    }
            else:
                turns.append(item)  # type: ignore[arg-type]
        last = next((item.key for item in reversed(taken) if type(item) is Draft), "")
        damage = tuple(d for d in self.damage if d.line < before)
        later = [d for d in self.damage if d.line >= before]
        compactions = sum(line < before for line in self.compacted)
        facts = dict(self.facts)
        facts.setdefault("ending", ending(turns))
        facts.setdefault("start", self.opened if self.first is None else self.first)
        facts.setdefault("end", self.opened if self.last is None else self.last)
        facts.setdefault("usage", total(self.spent))
        session = Session(
            **facts,
            turns=tuple(turns),
            compactions=compactions,
            orphans=self.orphans,
            damaged=self.damaged - len(later),
            damage=damage,
            settled=settled,
            mark=replace(mark, message=last) if mark.offset else mark,
        )
        self.spent, self.orphans, self.weight = [], 0, 0
        self.damage, self.damaged = later, len(later)
        self.compacted = [line for line in self.compacted if line >= before]
        return session


def ending(turns: Iterable[Turn]) -> str:
    """answered when the assistant had the last word, else open."""
    for turn in reversed(tuple(turns)):
        if turn.kind == "said" and turn.role != "system":
            return (
                "answered"
                if turn.role == "assistant" and not turn.calls and turn.text.strip()
                else "open"
            )
    return ""


def total(parts: Iterable[Usage]) -> Usage:
    """Sums; the fullest context is a maximum."""
    parts = list(parts)
    if not parts:
        return Usage()
    sent = got = read = wrote = thought = fullest = 0
    cost = 0.0
    for u in parts:
        sent += u.input
        got += u.output
        read += u.cache_read
        wrote += u.cache_write
        thought += u.reasoning
        fullest = max(fullest, u.context)
        cost += u.cost
    return Usage(sent, got, read, wrote, thought, fullest, cost)


def join(first: Session, then: Session) -> Session:
    """Two parts of one session as one: headers from whoever knew first, ends from whoever came last."""
    return replace(
        first,
        turns=first.turns + then.turns,
        start=min(
            (time for time in (first.start, then.start) if time is not None),
            default=None,
        ),
        end=max(
            (time for time in (first.end, then.end) if time is not None), default=None
        ),
        ending=then.ending or first.ending,
        status=then.status or first.status,
        score=then.score if then.score is not None else first.score,
        usage=total([first.usage, then.usage]),
        compactions=first.compactions + then.compactions,
        orphans=first.orphans + then.orphans,
        damaged=first.damaged + then.damaged,
        damage=(first.damage + then.damage)[:NAMED_DAMAGE],
        settled=then.settled,
        mark=then.mark,
        **{
            name: getattr(first, name) or getattr(then, name)
            for name in (
                "model",
                "cwd",
                "git_root",
                "remote",
                "branch",
                "title",
                "parent",
                "parent_by",
                "task",
                "window",
            )
        },
    )
