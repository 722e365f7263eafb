"""One problem on a page: what whoever writes down what to do needs to see, and nothing else.

Lines are numbered, so that a writer can cite them, and none is ever cut to make room: another one is left out instead.
Which, is said by the order in which lines are drafted: what failed and what worked come before what was tried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice

from afterglow.harvest.drafted_episodes import (
    FIRST_EXTRA,
    NEED_OF,
    Draft,
    DraftedEpisode,
    guarded,
    named,
    when,
)
from afterglow.harvest.endings import AGAIN, BEFORE, NEXT
from afterglow.harvest.episodes import (
    episodes,
    further_sessions,
    sessions_by_way,
)
from afterglow.harvest.families import REMARKS, kind_of
from afterglow.harvest.tallies import tally_text
from afterglow.harvest.user_speech import remarks
from afterglow.records.problems import (
    MAX_DOSSIER_TOKENS,
    Dossier,
    DossierLine,
    Event,
    Problem,
)
from afterglow.records.tools import is_shell
from afterglow.text.clip import clip
from afterglow.text.numbers import count, day

# Of a dossier what is merely good to have goes no further: whoever writes pays for every word that says nothing.
MAX_TOKENS_WITH_EXTRAS = 320
# Sentences of a person, where a problem is what a person says; the first of them are needed to see what it is.
MAX_SENTENCES, NEEDED_SENTENCES = 10, 5
# Of what a person merely asks for, the same each time, a few short sentences show what it is.
MAX_REQUESTS, MAX_REQUEST_CHARACTERS = 4, 120
MAX_ACTION_CHARACTERS = 45  # of the action before a sentence: enough to see what it was
# On a page of what people said, of many matters: a line each.
MAX_WORDS_ON_PAGE, MAX_DEED_ON_PAGE = 110, 30
MAX_HEAD_CHARACTERS = 90  # of what it is: the telling lines say the rest
MAX_FACTS = 4  # about the machine
MAX_LESSONS = 2
MIN_COUNTED_SESSIONS = 3  # of which it is told how each ended
MAX_WAYS = 4  # in which several sessions ended it
MAX_BESIDE = (
    5  # sessions that no episode shows and that went on otherwise or said something
)
# Miners whose items are told when a tool reports, hardly at a start: a writer can say it so that nobody gets there.
TOLD_LATE = frozenset({"linters"})


def dossier(problem: Problem, tokens: Callable[[str], int]) -> Dossier:
    """The dossier of a problem, by what `tokens` counts at most MAX_DOSSIER_TOKENS long."""
    head = _head(problem)
    drafts = sorted(_drafts(problem), key=lambda draft: (draft.need, draft.place))
    chosen: list[Draft] = []
    text = _written(head, chosen)
    for draft in drafts:
        longer = _written(head, [*chosen, draft])
        is_extra = draft.need >= FIRST_EXTRA
        limit = MAX_TOKENS_WITH_EXTRAS if is_extra else MAX_DOSSIER_TOKENS
        if _has_head(draft, chosen) and tokens(longer) <= limit:
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
    """What it is, how often it came and until when, and what it costs."""
    repo = f" in {clip(problem.repo, MAX_HEAD_CHARACTERS)}" if problem.repo else ""
    sessions = count(len(problem.sessions), "session")
    turns = f" and {count(problem.turns, 'turn')} of a person" if problem.turns else ""
    return (
        f"Problem {problem.id}{repo}: {clip(problem.what, MAX_HEAD_CHARACTERS)}\n"
        f"{count(problem.times, 'time')} in {sessions}, last {day(problem.last)}; "
        f"cost {count(problem.calls, 'call')}{turns}{_ends(problem)}"
    )


def _ends(problem: Problem) -> str:
    """In how many sessions it ended in which way, so that nobody takes two episodes for all."""
    if problem.kind == "person" or len(problem.sessions) < MIN_COUNTED_SESSIONS:
        return ""
    sessions = sessions_by_way(problem.key, problem.events)
    open_ways = [way for way in sessions if not way or way.startswith(NEXT)]
    unseen = sum(map(sessions.pop, open_ways))
    common = [pair for pair in sessions.most_common(MAX_WAYS) if pair[1] > 1]
    further = sessions.total() - sum(times for _, times in common)
    counts = [f"{_as_told(way)} {times}" for way, times in common]
    counts += [f"in other ways {further}"] if further else []
    counts += [f"no end in sight {unseen}"] if unseen else []
    return f"; ended by (sessions): {', '.join(counts)}"


def _as_told(way: str) -> str:
    if way == AGAIN:
        return "the same call again"
    if way.startswith(BEFORE):
        return f"{way.removeprefix(BEFORE)} before it passed"
    return f"`{way}`"


def _written(head: str, drafts: Sequence[Draft]) -> str:
    return "\n".join([head, *(line.text for line in _numbered(drafts))])


def _numbered(drafts: Sequence[Draft]) -> Iterator[DossierLine]:
    ordered = sorted(drafts, key=lambda draft: draft.place)
    for number, draft in enumerate(ordered, 1):
        text = f"[{number}] {draft.text}"
        yield DossierLine(
            number, text, draft.session, draft.line, draft.trust, draft.part
        )


def _drafts(problem: Problem) -> Iterator[Draft]:
    lessons = [
        item
        for item in problem.lessons
        if item.miner not in TOLD_LATE and not item.is_withheld
    ]
    for number, lesson in enumerate(lessons[:MAX_LESSONS]):
        text = f"known already ({lesson.status}, {lesson.item}): {lesson.fact}"
        yield Draft((0, 1 + number), NEED_OF["known"], text)
    if problem.kind == "person":
        yield from _sentences(problem)
        return
    if facts := _facts(problem):
        yield Draft((0, 0), NEED_OF["environment"], f"environment: {', '.join(facts)}")
    tally = list(_counted(problem))
    yield from tally
    earlier_lines: set[str] = set()
    told_episodes = episodes(problem.key, problem.events)
    for number, episode in enumerate(told_episodes, 1):
        is_counted = 1 < episode.times < problem.times
        drafted = DraftedEpisode(number, episode, earlier_lines, is_counted=is_counted)
        if not episode.is_brief:
            yield from drafted.drafts()
        elif not tally:
            yield drafted.in_brief()
    further = further_sessions(problem.key, problem.events, told_episodes)
    beside = (
        list(DraftedEpisode(number, episode, earlier_lines, is_counted=False).beside())
        for number, episode in enumerate(further, len(told_episodes) + 1)
    )
    yield from chain.from_iterable(islice(filter(None, beside), MAX_BESIDE))


def _facts(problem: Problem) -> list[str]:
    """System and shell, where a shell ran; a program that is not there only where the problem speaks of it."""
    if not any(is_shell(event.tool) for event in problem.events):
        return []
    texts = [line.text for event in problem.events for line in event.lines[:1]]
    return [
        fact
        for fact in problem.environment
        if not fact.startswith("no program ")
        or any(fact.removeprefix("no program ") in text for text in texts)
    ][:MAX_FACTS]


def _counted(problem: Problem) -> Iterator[Draft]:
    """Names that are asked for in vain and come back."""
    if tally := tally_text(problem):
        event = problem.events[-1]
        text = guarded(tally, event.trust)
        yield Draft(
            (0, 8), NEED_OF["tally"], text, event.session, event.line, event.trust
        )


def _sentences(problem: Problem) -> Iterator[Draft]:
    """What a person said, the newest first, each with the action before it; where there are few, with the answer."""
    if kind_of(problem.key) == REMARKS:
        yield from _page(problem)
        return
    is_request = not any(_lays_down(event) for event in problem.events)
    most = MAX_REQUESTS if is_request else MAX_SENTENCES
    events = _spread(problem.events)[:most]
    newest_first = sorted(events, key=lambda event: -(event.time or 0.0))
    for rank, event in enumerate(events, 1):
        place = 1 + newest_first.index(event)
        need = rank if rank <= NEEDED_SENTENCES else FIRST_EXTRA + rank
        text = _request(event) if is_request else _sentence(event)
        yield Draft((place, 0), need, text, event.session, event.line, "user", "person")
        is_answered = event.because and not is_request
        if is_answered and len(events) <= NEEDED_SENTENCES:
            answer = f"assistant then: {event.because}"
            need = FIRST_EXTRA + MAX_SENTENCES + rank
            yield Draft(
                (place, 1),
                need,
                answer,
                event.session,
                event.line,
                "assistant",
                "words",
            )


def _page(problem: Problem) -> Iterator[Draft]:
    """Every sentence of a page in a short line, oldest first."""
    for place, event in enumerate(problem.events, 1):
        called = named(event.tool, event.command)
        is_refused = event.kind == "refused" and event.command
        deed = f" (no to {_short_call(called)})" if is_refused else ""
        words = clip(event.person, MAX_WORDS_ON_PAGE)
        text = f'{when(event)} "{words}"{deed}'
        need = NEEDED_SENTENCES
        line = event.person_line or event.line
        yield Draft((place, 0), need, text, event.session, line, "user", "person")


def _short_call(called: str) -> str:
    """A call by its first words; of a path its end."""
    words = [word.rpartition("/")[2] or word for word in called.split(" ")[:4]]
    return clip(" ".join(words), MAX_DEED_ON_PAGE)


def _lays_down(event: Event) -> bool:
    """A refusal, words after which it was done over, or a rule, a ban, a correction."""
    is_done_over = event.kind == "refused" or event.remedy is not None
    return is_done_over or bool(remarks(event.person))


def _request(event: Event) -> str:
    return f'{when(event)} person: "{clip(event.person, MAX_REQUEST_CHARACTERS)}"'


def _sentence(event: Event) -> str:
    how = "refused" if event.kind == "refused" else "after"
    action = named(event.tool, clip(event.command, MAX_ACTION_CHARACTERS))
    again = clip(event.remedy.command, MAX_ACTION_CHARACTERS) if event.remedy else ""
    over = f"; then done over: {named(event.tool, again)}" if again else ""
    after = f" ({how} {action}{over})" if event.command else ""
    saying = f'"{event.person}"' if event.person else "(without a word)"
    return f"{when(event)} person: {saying}{after}"


def _spread(events: Sequence[Event]) -> list[Event]:
    """Events by how much they are needed: the newest of each session first, those with words before others."""
    by_words = {event.person or event.command: event for event in events}
    newest_first = sorted(by_words.values(), key=lambda event: -(event.time or 0.0))
    earlier: Counter[str] = Counter()
    ranked: list[tuple[bool, int, Event]] = []
    for event in newest_first:
        ranked.append((not event.person, earlier[event.session], event))
        earlier[event.session] += 1
    ranked.sort(key=lambda item: item[:2])
    return [event for *_, event in ranked[:MAX_SENTENCES]]
