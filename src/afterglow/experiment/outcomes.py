"""What is measured of a session, and which sessions are left out: two tables, each entry with its words.

A session comes as its catalogue entries: one, or several where an agent goes on in a new one after it compacted the
old. What cannot be told is None, never 0. Every outcome is read from the transcript in the same way in every arm; only
a rating needs the id of a context to be given, so a cold session never has one. Those of known failures are there once
the session was harvested.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from afterglow.errors import UsageError
from afterglow.experiment.known_failures import MAX_CALLS_COUNTED, KnownFailures
from afterglow.records.catalog import Entry, state
from afterglow.records.experiment import OutcomeSpec
from afterglow.records.profile import EARLY_TURNS, Profile
from afterglow.text.numbers import count

PRIMARY = "early-error-rate"  # unless a plan says otherwise
MIN_TURNS = 5  # a request, an answer and one round more: below it nothing was tried
# A session may have been open so long before its first request, with which some agents assign it.
MAX_IDLE_START_SECONDS = 3600.0

# Where a compaction is told; in other formats that there was none cannot be known.
TELL_COMPACTIONS = frozenset(
    {
        "claude-code",
        "codex",
        "copilot-cli",
        "gemini-cli",
        "hermes-db",
        "hermes-export",
        "hermes-json",
        "pi",
    }
)


class Case(Struct, frozen=True):
    """A session that was assigned to an arm: its entries, in order, and the rating somebody gave it. `failures` is None
    where nobody has looked what went wrong in it, or it was not harvested yet."""

    entries: tuple[Entry, ...]
    assigned: float = 0.0
    rating: int | None = None
    failures: KnownFailures | None = None

    @property
    def first(self) -> Entry:
        return self.entries[0]

    @property
    def last(self) -> Entry:
        return self.entries[-1]

    @property
    def profiles(self) -> list[Profile]:
        return [entry.profile for entry in self.entries if entry.profile is not None]

    @property
    def calls(self) -> str:
        """One letter for each call, in order."""
        return "".join(profile.outcomes for profile in self.profiles)

    @property
    def seconds(self) -> float | None:
        start, end = self.first.start, self.last.end
        return max(end - start, 0.0) if start is not None and end is not None else None


def _early_error_rate(case: Case) -> float | None:
    letters = case.profiles[0].early
    decided = letters.count("o") + letters.count("f")
    return letters.count("f") / decided if decided else None


def _first_success_seconds(case: Case) -> float | None:
    """The whole length where there was none: it took at least so long. Leaving such sessions out would favour the arm
    that has more of them."""
    if "o" not in case.calls:
        return case.seconds if "f" in case.calls else None
    entry, profile = next(
        (entry, profile)
        for entry, profile in zip(case.entries, case.profiles, strict=True)
        if profile.first_success_call is not None
    )
    begun, seconds = case.first.start, profile.first_success_seconds
    if begun is None or entry.start is None or seconds is None:
        return None
    return entry.start - begun + seconds


def _first_success_calls(case: Case) -> float | None:
    """One more than all calls where there was none, for the same reason."""
    if "o" not in case.calls:
        return len(case.calls) + 1.0 if "f" in case.calls else None
    return case.calls.index("o") + 1.0


def _errors(case: Case) -> float | None:
    """None where no call says how it ended."""
    calls = case.calls
    if calls and "o" not in calls and "f" not in calls:
        return None
    return float(calls.count("f"))


def _success(case: Case) -> float | None:
    return {"success": 1.0, "failure": 0.0}.get(case.last.outcome)


def _corrections(case: Case) -> float | None:
    requests = sum(profile.manner.requests for profile in case.profiles)
    if not requests:
        return None
    return sum(profile.manner.corrections for profile in case.profiles) / requests


def _tokens(case: Case) -> float | None:
    used = [profile.usage for profile in case.profiles]
    tokens = sum(
        usage.input + usage.output + usage.cache_read + usage.cache_write
        for usage in used
    )
    return float(tokens) or None


def _cost(case: Case) -> float | None:
    return sum(profile.usage.cost for profile in case.profiles) or None


def _compactions(case: Case) -> float | None:
    if case.first.format not in TELL_COMPACTIONS:
        return None
    return float(sum(profile.compactions for profile in case.profiles))


def _until_solved(case: Case) -> float | None:
    if case.failures is None or case.failures.until_solved is None:
        return None
    return float(case.failures.until_solved)


def _failed_after_first(case: Case) -> float | None:
    if case.failures is None or case.failures.further is None:
        return None
    return float(case.failures.further)


def _calls_lost(case: Case) -> float | None:
    return None if case.failures is None else float(case.failures.lost)


Measure = Callable[[Case], float | None]

_TABLE: tuple[tuple[OutcomeSpec, Measure], ...] = (
    (
        OutcomeSpec(
            PRIMARY, "lower", "rate",
            f"failed calls as a share of those that worked or failed, in the first {EARLY_TURNS} turns",
            "errors per call",
        ),
        _early_error_rate,
    ),
    (
        OutcomeSpec(
            "first-success-seconds", "lower", "seconds",
            "time from the start to the end of the first call that worked; the whole length where none did", "s",
        ),
        _first_success_seconds,
    ),
    (
        OutcomeSpec(
            "first-success-calls", "lower", "count",
            "calls until the first one that worked, itself included; one more than all calls where none did", "calls",
        ),
        _first_success_calls,
    ),
    (
        OutcomeSpec("errors", "lower", "count", "failed calls in the whole session", "errors"),
        _errors,
    ),
    (
        OutcomeSpec(
            "calls", "lower", "count",
            "calls until the session was over, done or not: read it beside success", "calls",
        ),
        lambda case: float(len(case.calls)),
    ),
    (
        OutcomeSpec("tools", "none", "count", "different tools that were called", "tools"),
        lambda case: float(len({tool for profile in case.profiles for tool in profile.tools})),
    ),
    (
        OutcomeSpec(
            "success", "higher", "yes-no",
            "it got there: as a benchmark or the agent says, else as guessed from how it ended "
            "(its last call worked and it was answered)",
        ),
        _success,
    ),
    (
        OutcomeSpec(
            "seconds", "lower", "seconds",
            "time from the first turn to the last, with pauses, done or not: read it beside success", "s",
        ),
        lambda case: case.seconds,
    ),
    (
        OutcomeSpec(
            "rating", "higher", "amount",
            "1 to 5, as its person or agent reported; that takes the id of a context, so cold sessions have none",
            "of 5",
        ),
        lambda case: None if case.rating is None else float(case.rating),
    ),
    (
        OutcomeSpec(
            "corrections", "lower", "rate",
            "requests that begin by correcting the agent, as a share of all: stands for how content the person was",
            "corrections per request", proxy=True,
        ),
        _corrections,
    ),
    (
        OutcomeSpec("tokens", "lower", "amount", "tokens read, cached and written, as the agent recorded", "tokens"),
        _tokens,
    ),
    (OutcomeSpec("cost", "lower", "amount", "what the session cost, as the agent recorded", "USD"), _cost),
    (
        OutcomeSpec(
            "compactions", "lower", "count", "times the context got full and was compressed", "compressions",
        ),
        _compactions,
    ),
    (
        OutcomeSpec(
            "calls-until-solved", "lower", "count",
            "calls from the first failure of a known problem until one got what it was after; "
            f"{MAX_CALLS_COUNTED} where none of the next {MAX_CALLS_COUNTED - 1} did",
            "calls", conditional=True,
        ),
        _until_solved,
    ),
    (
        OutcomeSpec(
            "failed-after-first", "lower", "count",
            "calls that failed with the same known problem after its first failure", "errors", conditional=True,
        ),
        _failed_after_first,
    ),
    (
        OutcomeSpec(
            "calls-lost", "lower", "count",
            "calls until solved of all known problems that came up, each once; 0 where none did", "calls",
        ),
        _calls_lost,
    ),
)  # fmt: skip
# What is read from the failures of a session, which harvest finds.
OF_FAILURES = frozenset({"calls-until-solved", "failed-after-first", "calls-lost"})

OUTCOMES: dict[str, OutcomeSpec] = {spec.name: spec for spec, _ in _TABLE}
_MEASURES: dict[str, Measure] = {spec.name: measure for spec, measure in _TABLE}

Rule = Callable[[Case, float], bool]

_RULES: dict[str, tuple[str, Rule]] = {
    "active": (
        "something happened in the last half hour: it may go on (always applied)",
        lambda case, now: state(case.last, now) == "active",
    ),
    "machinery": (
        "run by a schedule or by another agent, not by a person",
        lambda case, now: case.first.origin != "main",
    ),
    "resumed": (
        "it goes on from another session, or had begun before it was assigned",
        lambda case, now: case.first.parent_by == "branch" or _begun_before(case),
    ),
    "unused": (
        "opened, and nobody asked for anything",
        lambda case, now: case.first.empty,
    ),
    "no-calls": (
        "no tool was called (known only afterwards)",
        lambda case, now: not case.calls,
    ),
    "short": (
        f"fewer than {MIN_TURNS} turns (known only afterwards)",
        lambda case, now: _turns(case) < MIN_TURNS,
    ),
}
EXCLUSIONS: dict[str, str] = {name: words for name, (words, _) in _RULES.items()}
# All that cannot be a consequence of the arm.
USUAL = ("active", "machinery", "resumed", "unused")


def _turns(case: Case) -> int:
    return sum(profile.messages for profile in case.profiles)


def _begun_before(case: Case) -> bool:
    start = case.first.start
    return start is not None and start < case.assigned - MAX_IDLE_START_SECONDS


def measure(case: Case, names: Iterable[str]) -> dict[str, float | None]:
    """The outcomes asked for. All None where the session was never profiled."""
    if not case.profiles or len(case.profiles) < len(case.entries):
        return dict.fromkeys(names)
    return {name: _MEASURES[name](case) for name in names}


def excluded(case: Case, rules: Sequence[str], now: float) -> str:
    """The first rule of the table that leaves a session out, whichever arm it is in."""
    for name, (_, leaves_out) in _RULES.items():
        is_planned = name in rules or name == "active"
        if is_planned and leaves_out(case, now):
            return name
    return ""


def check_measurable(
    names: Sequence[str], measured: Sequence[Mapping[str, float | None]]
) -> None:
    """Raises `UsageError` if one of the outcomes is None in every session. `measured` should hold all outcomes, so that
    the message can name what would work. Without any session there is nothing to tell by."""
    computed = _computed(measured)
    missing = [name for name in names if name not in computed]
    if not measured or not missing:
        return
    sessions = count(len(measured), "session")
    can = ", ".join(filter(computed.__contains__, OUTCOMES)) or "none"
    raise UsageError(
        f"{', '.join(missing)} cannot be computed from these {sessions}; those that can: {can}"
    )


def _computed(measured: Iterable[Mapping[str, float | None]]) -> set[str]:
    """The outcomes that at least one session has."""
    names: set[str] = set()
    for outcomes in measured:
        names.update(name for name, value in outcomes.items() if value is not None)
    return names
