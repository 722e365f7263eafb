"""Episodes of a problem side by side: each session's way with it, in the same rows, so that one reads across."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from afterglow.harvest.drafted_episodes import guarded, named
from afterglow.harvest.endings import helping_changes, lines_of, manner_of
from afterglow.harvest.episodes import best_of_sessions
from afterglow.records.problems import (
    EpisodeColumn,
    EpisodeLine,
    Event,
    FollowingCall,
    Problem,
    ProblemEpisodes,
)
from afterglow.text.clip import clip

MAX_CALL_CHARACTERS = 300  # of a call: a page is to hold several side by side
MAX_PRINTED_CHARACTERS = 120  # of what a call on the way printed
MAX_TRIES = 4  # in vain, of one session: the first show what was thought of
MAX_PLACES = 12  # lines of one session that are named
TOO_LONG = "a call too long to show"


def episode_columns(
    problem: Problem, *, limit: int, offset: int = 0
) -> ProblemEpisodes:
    """One column a session, the newest first."""
    best = best_of_sessions(problem.key, problem.events)
    newest_first = sorted(best.values(), key=lambda event: -(event.time or 0.0))
    by_session: dict[str, list[Event]] = defaultdict(list)
    for event in problem.events:
        by_session[event.session].append(event)
    columns = (
        _column(problem.key, event, by_session[event.session])
        for event in newest_first[offset : offset + limit]
    )
    return ProblemEpisodes(tuple(columns), len(newest_first))


def _column(key: str, event: Event, events: Sequence[Event]) -> EpisodeColumn:
    helping = helping_changes(key, event)
    vain = [call for call in event.tried if not call.worked and call.command]
    return EpisodeColumn(
        session=event.session,
        agent=event.agent,
        time=event.time,
        failed=EpisodeLine(_failed_call(event), event.line),
        printed=tuple(
            EpisodeLine(guarded(line.text.strip(), event.trust), event.result_line)
            for line in lines_of(key, event)
        ),
        words=tuple(_words(event)),
        tried=tuple(_on_the_way(call) for call in vain[:MAX_TRIES]),
        changed=tuple(
            _on_the_way(call, manner_of(key, call)) for call in helping if call.worked
        ),
        worked=_ending(event),
        hidden=event.kind in {"hidden", "empty"},
        places=tuple(sorted({each.line for each in events})[:MAX_PLACES]),
        calls=sum(each.calls for each in events),
    )


def _failed_call(event: Event) -> str:
    if not event.command:
        return event.tool or "(no call)"
    return named(event.tool, clip(event.command, MAX_CALL_CHARACTERS))


def _words(event: Event) -> Iterator[EpisodeLine]:
    """What the assistant thought of it, what a person said, and what the session's own state explains."""
    if event.explanation or event.state:
        yield EpisodeLine(f"why: {event.explanation or event.state}", event.line)
    if event.because:
        yield EpisodeLine(f"assistant: {event.because}", event.line)
    if event.person:
        yield EpisodeLine(f"person: {event.person}", event.line)


def _on_the_way(call: FollowingCall, manner: str = "") -> EpisodeLine:
    called = named(call.tool, clip(call.command, MAX_CALL_CHARACTERS))
    how = f" ({manner})" if manner else ""
    return EpisodeLine(f"{called}{how}{_printed(call)}", call.line)


def _printed(call: FollowingCall) -> str:
    if not call.printed:
        return ""
    return f" => {guarded(clip(call.printed, MAX_PRINTED_CHARACTERS), call.trust)}"


def _ending(event: Event) -> EpisodeLine | None:
    remedy = event.remedy
    if remedy is None:
        return None
    if remedy.again:
        return EpisodeLine(f"the same call again{_printed(remedy)}", remedy.line)
    if not remedy.command:
        return EpisodeLine(TOO_LONG, remedy.line)
    return _on_the_way(remedy)
