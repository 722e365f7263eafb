"""What many profiles say together: rates with their intervals, and the sentences that follow from them.

A report is plain values: encoded as JSON it reads as it stands. Shares and rates are fractions of one (0.045 is 4.5 %),
differences are fractions too (0.012 is 1.2 points), days are `2026-02-09`, weeks `2026-W07`. Every interval is 95 %.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from afterglow.records.session import Usage

Effect = Literal["between sessions", "within sessions"]
Verdict = Literal["reproduced", "not reproduced", "cannot tell"]


class Rate(Struct, frozen=True, kw_only=True):
    """`count` of `n`: an error rate is failed calls of those that either worked or failed.

    `value` is None when there is nothing to divide by. `few` warns that fewer than five sessions stand behind it, so
    the interval cannot speak for other sessions.
    """

    value: float | None
    low: float
    high: float
    count: int
    n: int
    sessions: int
    few: bool = False


class Difference(Struct, frozen=True, kw_only=True):
    """`second` minus `first`. Between sessions these are different sessions; within, two parts of the same ones."""

    effect: Effect
    first_name: str
    second_name: str
    first: Rate
    second: Rate
    value: float | None
    low: float
    high: float
    sessions: int

    @property
    def sign(self) -> int | None:
        """1 clearly higher, -1 clearly lower, 0 no clear difference, None too few sessions to say."""
        if self.value is None or self.first.few or self.second.few:
            return None
        return (self.low > 0) - (self.high < 0)


class Row(Struct, frozen=True, kw_only=True):
    """One group: its error rate and, beside it, the calls that are not part of the rate."""

    name: str
    rate: Rate
    sessions: int
    calls: int
    blocked: int
    cancelled: int
    unknown: int


class Table(Struct, frozen=True, kw_only=True):
    """Error rates by one thing. `effect` says what comparing two rows compares (None: calls, whatever session)."""

    title: str
    effect: Effect | None
    about: str
    rows: tuple[Row, ...]


class Headline(Struct, frozen=True, kw_only=True):
    """A number that matters. `unit` is `share` (a fraction of `n`) or `points` (a difference of two shares)."""

    label: str
    unit: Literal["share", "points"]
    value: float | None
    low: float
    high: float
    n: int
    of: str
    sessions: int
    effect: Effect | None = None


class Claim(Struct, frozen=True, kw_only=True):
    """Something others published, and whether these sessions show it too."""

    claim: str
    effect: Effect
    verdict: Verdict
    sentence: str


class Effects(Struct, frozen=True, kw_only=True):
    """Length (between sessions) and position (within a session), kept apart. `minimum` decided calls make a session
    long enough to be cut into parts; `too_short` sessions were not."""

    between: dict[str, Difference]
    within: dict[str, Difference]
    by_start: dict[str, Difference]
    minimum: int
    too_short: int
    survivorship: str


class Spread(Struct, frozen=True, kw_only=True):
    """How a count is spread over `n` cases."""

    n: int
    total: float
    median: float | None
    p90: float | None
    largest: float | None


class ToolRecovery(Struct, frozen=True, kw_only=True):
    tool: str
    recovered: Rate
    attempts: Spread
    calls: Spread


class Unrecovered(Struct, frozen=True, kw_only=True):
    error: str
    tool: str
    count: int
    sessions: int


class Recoveries(Struct, frozen=True, kw_only=True):
    """What became of failures. `attempts` failed tries and `calls` later calls until the same goal succeeded."""

    recovered: Rate
    attempts: Spread
    calls: Spread
    attempts_until_success: dict[str, int]
    calls_until_success: dict[str, int]
    by_tool: tuple[ToolRecovery, ...]
    unrecovered: tuple[Unrecovered, ...]


class RecurringError(Struct, frozen=True, kw_only=True):
    fingerprint: str
    count: int
    sessions: int
    repos: int
    last_seen: str


class Recurrence(Struct, frozen=True, kw_only=True):
    """`repeated`: failures whose fingerprint an earlier session of the same repo had already met. `not_placed` failures
    lack a repo, a time or a message and are not in it. `recurring` holds the most frequent of `kinds` fingerprints."""

    repeated: Rate
    not_placed: int
    kinds: int
    failures: int
    recurring: tuple[RecurringError, ...]


class Markers(Struct, frozen=True, kw_only=True):
    """Per session: errors, different tools, and how long until the first call worked."""

    errors: Spread
    tools: Spread
    first_success_call: Spread
    first_success_seconds: Spread
    never_succeeded: int
    early_error_rate: Rate


class Interaction(Struct, frozen=True, kw_only=True):
    """How people spoke. Styles are counted in sessions, the rates are shares of requests."""

    requests: int
    words_per_request: float | None
    request_styles: dict[str, int]
    feedback_styles: dict[str, int]
    corrections: Rate
    questions: Rate
    polite: Rate
    interrupts: int
    reasons: int


class ContextUse(Struct, frozen=True, kw_only=True):
    """How full the window got. `share` only where the size of the window is known."""

    tokens: Spread
    share: Spread
    nearly_full: int
    compacted: Rate
    compactions: int
    usage: Usage
    sessions_with_usage: int
    sessions_with_cost: int


class Masked(Struct, frozen=True, kw_only=True):
    """Calls counted as ok though what they printed reports failure: a pipe hid the exit code."""

    share: Rate
    error_rate_with_them: float | None
    sentence: str


class Report(Struct, frozen=True, kw_only=True):
    """Everything `afterglow profile` says about a set of sessions."""

    sessions: int
    messages: int
    calls: int
    first_day: str
    last_day: str
    agents: dict[str, int]
    selection: dict[str, str]
    left_out: dict[str, int]
    simulated: bool
    headlines: tuple[Headline, ...]
    overall: Row
    masked: Masked
    tables: dict[str, Table]
    effects: Effects
    claims: tuple[Claim, ...]
    recoveries: Recoveries
    recurrence: Recurrence
    markers: Markers
    interaction: Interaction
    context: ContextUse
    notes: tuple[str, ...]
