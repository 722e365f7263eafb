"""One problem on a page: what whoever writes down what to do needs to see, and nothing else.

Lines are numbered, so that a writer can cite them, and none is ever cut to make room: another one is left out instead.
Which, is said by the order in which lines are drafted: what failed and what worked come before what was tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from afterglow.harvest.events.claims import is_summary
from afterglow.harvest.screen import danger
from afterglow.records.knowledge import Trust
from afterglow.records.problems import (
    Dossier,
    DossierLine,
    Event,
    FollowingCall,
    Problem,
    TellingLine,
)
from afterglow.text.clip import clip
from afterglow.text.numbers import count, day, short_id

MAX_TOKENS = 400  # of a dossier: fifty of them are read for the price of one session
MAX_EPISODES = (
    3  # the first that was solved, the newest, and one between with another cause
)
MAX_TELLING_LINES = 3  # of one failure
MAX_SENTENCES = 10  # of a person, where a problem is what a person says
MAX_CALL_CHARACTERS = (
    360  # of a failing call: beyond it, a call shows more of itself than of the failure
)
MAX_LINE_CHARACTERS = 240  # of what a program or somebody said
MAX_HEAD_CHARACTERS = 120
MAX_FACTS = 6
MAX_LESSONS = 2

UNTRUSTED: frozenset[Trust] = frozenset({"file", "external"})
HELD_BACK = "(left out: text from elsewhere that tells agents what to do)"

# What a dossier needs, the most needed first: of the first two episodes what failed and what worked, then what is known
# and was said, then a third episode, then what was tried. What does not fit is left out from the end.
NEEDS = (
    "failure 1", "remedy 1", "failure 2", "remedy 2", "known", "words 1", "environment", "words 2", "tried 1",
    "failure 3", "remedy 3", "words 3", "tried 2", "tried 3", "more 1", "more 2", "more 3",
)  # fmt: skip
_NEED = {name: need for need, name in enumerate(NEEDS)}


class Draft(Struct, frozen=True):
    """A line that may stand in a dossier; `place` is where, `need` how much it is needed there."""

    place: tuple[int, int]
    need: int
    text: str
    session: str = ""
    line: int = 0
    trust: Trust = "tool"


def dossier(problem: Problem, tokens: Callable[[str], int]) -> Dossier:
    """The dossier of a problem, by what `tokens` counts at most MAX_TOKENS long."""
    head = _head(problem)
    drafts = sorted(_drafts(problem), key=lambda draft: (draft.need, draft.place))
    chosen: list[Draft] = []
    text = _written(head, chosen)
    for draft in drafts:
        longer = _written(head, [*chosen, draft])
        if _has_head(draft, chosen) and tokens(longer) <= MAX_TOKENS:
            chosen.append(draft)
            text = longer
    return Dossier(
        problem=problem.id,
        text=text,
        tokens=tokens(text),
        lines=tuple(_numbered(chosen)),
    )


def _has_head(draft: Draft, chosen: Sequence[Draft]) -> bool:
    """What followed a failure says nothing without the failure."""
    number, place = draft.place
    return not number or not place or any(item.place == (number, 0) for item in chosen)


def _head(problem: Problem) -> str:
    """What it is and what it costs; the sessions and dates behind it."""
    costs = (
        f"{count(problem.calls, 'call')}, {count(problem.turns, 'turn')} of a person"
    )
    times = (
        f"{count(problem.times, 'time')} in {count(len(problem.sessions), 'session')}"
    )
    repo = f" in {clip(problem.repo, MAX_HEAD_CHARACTERS)}" if problem.repo else ""
    return (
        f"Problem {problem.id}{repo}: {clip(problem.what, MAX_HEAD_CHARACTERS)}\n"
        f"{times}, {day(problem.first)} to {day(problem.last)}; cost {costs}"
    )


def _written(head: str, drafts: Sequence[Draft]) -> str:
    return "\n".join([head, *(line.text for line in _numbered(drafts))])


def _numbered(drafts: Sequence[Draft]) -> Iterator[DossierLine]:
    ordered = sorted(drafts, key=lambda draft: draft.place)
    for number, draft in enumerate(ordered, 1):
        text = f"[{number}] {draft.text}"
        yield DossierLine(number, text, draft.session, draft.line, draft.trust)


def _drafts(problem: Problem) -> Iterator[Draft]:
    if problem.environment:
        facts = clip(", ".join(problem.environment[:MAX_FACTS]), MAX_LINE_CHARACTERS)
        yield Draft((0, 0), _NEED["environment"], f"environment: {facts}")
    for number, lesson in enumerate(problem.lessons[:MAX_LESSONS]):
        text = f"known already ({lesson.status}, {lesson.item}): {lesson.fact}"
        text = clip(text, MAX_LINE_CHARACTERS)
        yield Draft((0, 1 + number), _NEED["known"], text)
    if problem.kind == "person":
        yield from _sentences(problem.events)
        return
    for number, event in enumerate(episodes(problem.events), 1):
        yield from _Episode(number, event).drafts()


def episodes(events: Sequence[Event]) -> list[Event]:
    """Up to three events that show most, oldest first: one a session, solved ones before others, spread over time and
    over causes."""
    solved = [event for event in events if _is_solved(event)]
    by_session = {event.session: event for event in reversed([*solved, *events])}
    first_of_sessions = sorted(by_session.values(), key=lambda event: event.time or 0.0)
    usable = [event for event in first_of_sessions if _is_solved(event)]
    usable = usable or first_of_sessions
    chosen = {id(usable[0]): usable[0], id(usable[-1]): usable[-1]} if usable else {}
    causes = {_cause(event) for event in chosen.values()}
    middle = len(usable) // 2
    rest = [*usable[middle:], *usable[:middle], *first_of_sessions]
    rest.sort(key=lambda event: _cause(event) in causes)
    for event in rest:
        if len(chosen) < MAX_EPISODES:
            chosen.setdefault(id(event), event)
    return sorted(chosen.values(), key=lambda event: event.time or 0.0)


def _is_solved(event: Event) -> bool:
    return event.remedy is not None and bool(event.remedy.command)


def _cause(event: Event) -> str:
    return next((key for key in event.keys if key.startswith("exact ")), "")


class _Episode:
    """A failure, its telling lines, what was said, the tries, and the call that reached the goal."""

    def __init__(self, number: int, event: Event) -> None:
        self.number, self.event = number, event

    def _draft(
        self, place: int, need: str, text: str, line: int, trust: Trust = "tool"
    ) -> Draft:
        rank = _NEED[f"{need} {self.number}"]
        place_in_all = (self.number, place)
        return Draft(place_in_all, rank, text, self.event.session, line, trust)

    def drafts(self) -> Iterator[Draft]:
        event = self.event
        yield self._draft(0, "failure", self._failing(), event.line, "assistant")
        yield from self._telling_lines()
        if event.because:
            text = f"assistant: {event.because}"
            yield self._draft(5, "words", text, event.line, "assistant")
        if event.person:
            yield self._draft(6, "words", f"person: {event.person}", event.line, "user")
        yield from self._tries()
        yield self._ending()

    def _failing(self) -> str:
        event = self.event
        where = f" in {event.directory}" if event.directory else ""
        hidden = " [exit 0]" if event.kind in {"hidden", "empty"} else ""
        state = f" ({event.state})" if event.state else ""
        called = _named(event.tool, clip(event.command, MAX_CALL_CHARACTERS))
        start = f"{day(event.time)} {short_id(event.session)}{where}"
        return f"{start} {called}{hidden}{state}"

    def _telling_lines(self) -> Iterator[Draft]:
        event = self.event
        first, *further = event.lines or (TellingLine("(it printed nothing)"),)
        more = [line for line in further if not is_summary(line.text)]
        for place, line in enumerate([first, *more[: MAX_TELLING_LINES - 1]]):
            need = "more" if place else "failure"
            text = _guarded(f"=> {line.text.strip()}", event.trust)
            yield self._draft(1 + place, need, text, event.result_line, event.trust)

    def _tries(self) -> Iterator[Draft]:
        """What was tried in vain, and what was changed. Where the same call worked in the end, the changes before it
        are what helped."""
        remedy, tried = self.event.remedy, self.event.tried
        changes = [call for call in tried if call.worked]
        is_again = remedy is not None and remedy.again
        for place, call in enumerate(tried):
            if not call.command:
                continue
            has_helped = is_again and call in changes[-1:]
            need = "remedy" if has_helped else "tried"
            text = _called("then" if call.worked else "tried, failed", call)
            yield self._draft(10 + place, need, text, call.line, call.trust)

    def _ending(self) -> Draft:
        remedy = self.event.remedy
        if remedy is None:
            text = "(not solved in the calls that followed)"
            return self._draft(20, "more", text, self.event.line)
        if remedy.again:
            printed = _guarded(remedy.printed, remedy.trust)
            text = f"worked: the same call again => {printed}"
        elif remedy.command:
            text = _called("worked", remedy)
        else:
            text = f"worked: a call too long to show (line {remedy.line})"
        return self._draft(20, "remedy", text, remedy.line, remedy.trust)


def _called(how: str, call: FollowingCall) -> str:
    printed = f" => {_guarded(call.printed, call.trust)}" if call.printed else ""
    return f"{how}: {_named(call.tool, call.command)}{printed}"


def _named(tool: str, command: str) -> str:
    """A call by its words; they begin with the tool where that is no shell."""
    return command if command.startswith(tool) else f"{tool}: {command}"


def _guarded(text: str, trust: Trust) -> str:
    """Text from elsewhere says so; what tells agents what to do is not handed on."""
    if trust not in UNTRUSTED:
        return text
    return HELD_BACK if danger(text, trust) else f"(untrusted) {text}"


def _sentences(events: Sequence[Event]) -> Iterator[Draft]:
    """What a person said, the newest first, each with the action before it and the answer."""
    newest = sorted(events, key=lambda event: -(event.time or 0.0))
    by_words: dict[str, Event] = {}
    for event in newest:
        by_words.setdefault(event.person or event.command, event)
    for number, event in enumerate(list(by_words.values())[:MAX_SENTENCES], 1):
        action = _named(event.tool, clip(event.command, MAX_HEAD_CHARACTERS))
        how = "refused" if event.kind == "refused" else "after"
        saying = f'person: "{event.person}"' if event.person else "(without a word)"
        start = f"{day(event.time)} {short_id(event.session)} {how}"
        text = f"{start} {action}; {saying}"
        yield Draft((number, 0), number, text, event.session, event.line, "user")
        if event.because:
            answer = f"assistant then: {event.because}"
            place, need = (number, 1), MAX_SENTENCES + number
            yield Draft(place, need, answer, event.session, event.line, "assistant")
