"""A session in neutral words, before any agent's format: what was asked, what was tried, how it ended.

`Story` is the hand that writes it: it keeps the clock, draws filler, and notes what was planted. Two sources of chance
are kept apart, so that a fleet has the same calls whatever the `scale` of its texts.
"""

from __future__ import annotations

import math
from random import Random

from msgspec import Struct

from afterglow_demo.filler import Pool, Quoted, quote
from afterglow_demo.plan import Plan, random_for
from afterglow_demo.truth import Poison, Secret

# Characters at scale 1. Sizes follow what was measured on real sessions: per call, Claude Code writes about 18 KB (it
# keeps the whole file beside every edit, and progress), Codex 7 KB; what the model is shown of a result is 3 KB.
MEDIAN_RESULT, RESULT_SPREAD, MOST_RESULT = 950, 1.5, 60_000
MEDIAN_FILE, FILE_SPREAD = 18_000, 0.8
LONGER = {"claude-code": 1.0}
NOTHING = Quoted("")


class Act(Struct, frozen=True, kw_only=True):
    """One call. `verb` is what it does, `target` what it does it to; `end` as in `Outcome`, or open: nothing came back.

    `code` is the exit code of a shell command, `detail` the new text of an edit, `reason` why a person said no.
    `hook_line` is what a hook said right after it failed.
    """

    verb: str
    target: str
    result: Quoted = NOTHING
    end: str = "ok"
    code: int = 0
    detail: Quoted = NOTHING
    reason: Quoted = NOTHING
    masked: bool = False
    took: float = 1.0
    hook_line: Quoted = NOTHING


class Ask(Struct, frozen=True):
    """A person types something."""

    text: Quoted
    at: float


class Reply(Struct, frozen=True):
    """One turn of the assistant, with the calls it makes."""

    text: Quoted
    at: float
    acts: tuple[Act, ...] = ()


class Compaction(Struct, frozen=True):
    """The window was full: what came before is replaced by a summary."""

    text: Quoted
    at: float


Event = Ask | Reply | Compaction


class Story:
    """The events of one session so far, and what was planted in them. `context` is what it was given to start with;
    `falls` are the pitfalls it fell into, with the calls until each was solved."""

    def __init__(self, plan: Plan, pool: Pool, seed: int, scale: float) -> None:
        self.plan, self.pool, self.scale = plan, pool, scale
        self.rng = random_for(seed, plan.index, "story")
        self.fill = random_for(seed, plan.index, "fill")
        self.events: list[Event] = []
        self.clock = plan.start
        self.calls = 0
        self.context = ""
        self.planted: dict[str, None] = {}
        self.falls: list[tuple[str, int]] = []
        self.secrets: list[Secret] = []
        self.poison: list[Poison] = []

    def ask(self, text: str) -> None:
        self.events.append(Ask(quote(text), self.wait(4, 90)))

    def reply(self, *acts: Act, text: str | None = None) -> None:
        """A turn of the assistant. Its text is filler unless given; most turns with calls have none."""
        words = (
            quote(text)
            if text is not None
            else self.words()
            if not acts or self.rng.random() < 0.35
            else NOTHING
        )
        self.events.append(Reply(words, self.wait(1, 12), acts))
        self.calls += len(acts)
        self.clock += sum(act.took for act in acts)

    def compact(self) -> None:
        self.events.append(Compaction(self.filler("prose", 3000), self.wait(2, 9)))

    def wait(self, least: float, most: float) -> float:
        self.clock += least + (most - least) * self.rng.random() ** 2
        return self.clock

    def note(self, plant: str) -> None:
        self.planted[plant] = None

    def words(self) -> Quoted:
        return self.filler("prose", 90 + 300 * self.fill.random() ** 2)

    def filler(self, kind: str, size: float) -> Quoted:
        return self.pool.take(kind, max(int(size * self.scale), 1), self.fill)

    def result(self, kind: str) -> Quoted:
        """What a tool brought back: mostly short, sometimes very long."""
        size = MEDIAN_RESULT * LONGER.get(self.plan.agent, 2.0)
        return self.filler(
            kind, min(_long_tail(self.fill, RESULT_SPREAD) * size, MOST_RESULT)
        )

    def whole_file(self) -> Quoted:
        """A source file as some agents keep it beside every edit of it."""
        return self.filler(
            "code", min(_long_tail(self.fill, FILE_SPREAD) * MEDIAN_FILE, MOST_RESULT)
        )

    def shell(
        self,
        command: str,
        output: str = "",
        *,
        code: int = 0,
        end: str = "",
        masked: bool = False,
    ) -> Act:
        """A command, its output followed by filler; it failed if it ended with a code, unless told otherwise."""
        quoted = quote(output)
        more = self.result("log")
        text = Quoted(f"{quoted}\\n{more}" if quoted else more)
        took = 0.2 + 20 * self.rng.random() ** 3
        return Act(
            verb="shell",
            target=command,
            result=text,
            code=code,
            masked=masked,
            took=took,
            end=end or ("failed" if code else "ok"),
        )


def _long_tail(rng: Random, spread: float) -> float:
    return math.exp(rng.gauss(0, spread))
