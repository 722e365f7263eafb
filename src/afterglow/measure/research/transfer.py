"""Do lessons carry over: failures whose remedy would have been in view from lessons of elsewhere, beside one's own."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from afterglow.records.profile_report import Rate
from afterglow.records.research import (
    Cell,
    FigurePanel,
    ResearchFigure,
    ResearchTable,
)
from afterglow.stats.rates import Pair, rate
from afterglow.text.numbers import count, number, percent, rate_words

# Where lessons come from, as seen from the session: its own repository and everywhere, in time order; of the same
# repository but of somebody else; of another repository, by what the two have in common.
OWN, EVERYWHERE = "its own repository", "lessons for every repository"
OTHER_PERSON, OTHER_AGENT = (
    "another person, same repository",
    "another agent, same repository",
)
SAME_OWNER, SAME_LANGUAGE, UNRELATED = (
    "another repository of the same owner",
    "another repository in the same language",
    "an unrelated repository",
)
SOURCES = (
    OWN,
    EVERYWHERE,
    OTHER_PERSON,
    OTHER_AGENT,
    SAME_OWNER,
    SAME_LANGUAGE,
    UNRELATED,
)
FROM_ELSEWHERE = (SAME_OWNER, SAME_LANGUAGE, UNRELATED)
ENOUGH_FAILURES = 30  # fewer say little about shares of a few in a hundred
ENOUGH_SESSIONS = 10
MAX_REPOSITORIES = 6  # a table of them from side to side
# By the ending of a file's name; other files say nothing about a language.
LANGUAGES = {
    "JavaScript": "js jsx mjs cjs ts tsx mts cts vue svelte",
    "Python": "py pyi ipynb",
    "Rust": "rs",
    "Go": "go",
    "Java": "java kt kts scala groovy",
    "C": "c h cc cpp cxx hpp hh",
    "C#": "cs fs",
    "Ruby": "rb",
    "PHP": "php",
    "Swift": "swift m mm",
    "Elixir": "ex exs",
    "shell": "sh bash zsh",
}
_LANGUAGE_OF = {
    ending: name for name, endings in LANGUAGES.items() for ending in endings.split()
}


class Borrowed(Struct, frozen=True, kw_only=True):
    """The lessons of one source against the failures of one session: how many lessons and failures there were, how many
    failures had a remedy in view, and how many one that was known there at all, told or not. `met` of them had come up
    there, where that can be said."""

    session: str
    repo: str
    source: str
    place: str
    lessons: int
    failures: int
    in_view: int
    known_at_all: int
    met: int | None = None


def language_of(files: Iterable[str]) -> str:
    """The language of most of the files that have one."""
    endings = (file.rpartition(".")[2].lower() for file in files if "." in file)
    languages = Counter(_LANGUAGE_OF[each] for each in endings if each in _LANGUAGE_OF)
    return max(languages, key=lambda name: (languages[name], name), default="")


def relation(first: str, second: str, languages: dict[str, str]) -> str:
    """What two repositories have in common: the owner before the language."""
    owners = [repo.partition("/")[0] if "/" in repo else "" for repo in (first, second)]
    if owners[0] and owners[0] == owners[1]:
        return SAME_OWNER
    language = languages.get(first, "")
    if language and language == languages.get(second, ""):
        return SAME_LANGUAGE
    return UNRELATED


def _in_view(each: Borrowed) -> int:
    return each.in_view


def _at_all(each: Borrowed) -> int:
    return each.known_at_all


def share(
    borrowed: Iterable[Borrowed], of: Callable[[Borrowed], int] = _in_view
) -> Rate:
    """Pooled; a session that was held against several places counts once, with all of them."""
    by_session: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for each in borrowed:
        pair = by_session[each.session]
        pair[0] += of(each)
        pair[1] += each.failures
    pairs: list[Pair] = [(times, n) for times, n in by_session.values()]
    return rate(pairs)


def _met(borrowed: Sequence[Borrowed]) -> Rate | None:
    """The most that lessons of there could have told; None where it cannot be said what came up there."""
    if any(each.met is None for each in borrowed):
        return None
    return share(borrowed, lambda each: each.met or 0)


def of_source(borrowed: Iterable[Borrowed], source: str) -> list[Borrowed]:
    """Of one source; none where it had not a single lesson for any session."""
    here = [each for each in borrowed if each.source == source]
    return here if any(each.lessons for each in here) else []


def tables(
    borrowed: Sequence[Borrowed], lessons: dict[str, int], languages: dict[str, str]
) -> list[ResearchTable]:
    return [_by_source(borrowed), _between(borrowed, lessons, languages)]


def _by_source(borrowed: Sequence[Borrowed]) -> ResearchTable:
    rows: list[tuple[Cell, ...]] = []
    for source in SOURCES:
        here = of_source(borrowed, source)
        if here:
            in_view, at_all = share(here), share(here, _at_all)
            counts = (in_view.sessions, in_view.n)
            rows.append((source, *counts, in_view, at_all, _met(here)))
    return ResearchTable(
        title="Failures with their remedy in view, by where the lessons are from",
        heads=(
            "lessons of",
            "sessions",
            "failures",
            "in view",
            "known there at all",
            "met there",
        ),
        rows=tuple(rows),
        about=(
            "In view: told within 600 tokens at the start. Met there: the same error had come up there, the most that "
            "lessons could tell of. A failure that is held against several repositories counts once for each."
        ),
    )


def _between(
    borrowed: Sequence[Borrowed], lessons: dict[str, int], languages: dict[str, str]
) -> ResearchTable:
    """From each repository's lessons to each one's failures."""
    failures: Counter[str] = Counter()
    for each in of_source(borrowed, OWN):
        failures[each.repo] += each.failures
    repos = [repo for repo, _ in failures.most_common(MAX_REPOSITORIES)]
    rows: list[tuple[Cell, ...]] = []
    for place in repos:
        cells: list[Cell] = []
        for repo in repos:
            sources = (OWN,) if place == repo else FROM_ELSEWHERE
            pairs = [
                each
                for each in borrowed
                if (each.place, each.repo) == (place, repo) and each.source in sources
            ]
            cells.append(share(pairs))
        language = languages.get(place) or "no language"
        name = f"{_short(place)} ({language}, {count(lessons.get(place, 0), 'lesson')})"
        rows.append((name, *cells))
    return ResearchTable(
        title="From repository (rows) to repository (columns)",
        heads=("lessons of", *map(_short, repos)),
        rows=tuple(rows),
        about="In view. A repository's own lessons in time order, those of others as they are in the end.",
    )


def _short(repo: str) -> str:
    return repo.rpartition("/")[2] or "(no repository)"


def figure(borrowed: Sequence[Borrowed]) -> ResearchFigure:
    rows = []
    for source in SOURCES:
        here = of_source(borrowed, source)
        if here:
            rows.append((source, share(here)))
    return ResearchFigure(
        name="transfer",
        title="Failures with their remedy in view, by where the lessons are from",
        caption="Dots are shares of the failures, bars 95 % intervals that respect sessions.",
        panels=(FigurePanel("Lessons of", tuple(rows)),),
    )


def answer(borrowed: Sequence[Borrowed]) -> tuple[str, bool]:
    """One sentence, and whether there is enough to say it."""
    at_home = share(of_source(borrowed, OWN))
    if at_home.n < ENOUGH_FAILURES or at_home.sessions < ENOUGH_SESSIONS:
        return (
            f"Too few failures to say: {number(at_home.n)} in {count(at_home.sessions, 'session')}; "
            f"{ENOUGH_FAILURES} in {ENOUGH_SESSIONS} are needed.",
            False,
        )
    elsewhere: list[Borrowed] = []
    for source in FROM_ELSEWHERE:
        elsewhere += of_source(borrowed, source)
    if not elsewhere:
        return (
            f"Cannot be said: all sessions are of one repository, whose own lessons had {rate_words(at_home)} of the "
            "failures' remedies in view.",
            False,
        )
    abroad = share(elsewhere)
    met_abroad = _met(elsewhere)
    met_words = percent(met_abroad.value) if met_abroad else "an unknown share"
    verdict = "hardly carry over" if abroad.high < at_home.low / 2 else "carry over"
    return (
        f"Lessons of one repository {verdict} to another: they had the remedy of {rate_words(abroad)} of its failures in "
        f"view, its own earlier lessons {percent(at_home.value)}; {met_words} of its failures had come up there at all.",
        True,
    )


def findings(borrowed: Sequence[Borrowed]) -> list[str]:
    """What of the sources is not there to be asked, and what being told within a budget costs."""
    sentences = []
    missing = [source for source in SOURCES if not of_source(borrowed, source)]
    if missing:
        sentences.append(f"This history has no lessons of: {'; '.join(missing)}.")
    at_home = of_source(borrowed, OWN)
    in_view, at_all = share(at_home), share(at_home, _at_all)
    if at_all.count:
        sentences.append(
            f"Of {count(at_all.count, 'failure')} that a lesson of its own repository told of, {number(in_view.count)} had "
            "it in view at the start."
        )
    return sentences


LIMITS = (
    "In view is not used, and a remedy that worked elsewhere may be wrong here: only an experiment tells.",
    "An error is the same by its fingerprint. What is worded otherwise in another language or tool is missed, though the "
    "lesson may be the same.",
    "Lessons of other repositories are taken as they are in the end, one's own only from before: that favours the others, "
    "so where they hold little the difference is larger than it looks.",
    "People are told apart by whose home folder a session ran in; who uses two machines under one name is one person. "
    "What a team's hub brought is not part of it.",
)
METHOD = (
    "Sessions are walked in time order, with the lessons known by then. Of each source of lessons the context of 600 "
    "tokens is made that `bootstrap` would make of them alone; a failure has its remedy in view where a lesson in it tells "
    "of the error and of what to do. Tests and builds that fail while code is being written are left out; the same error "
    "counts once a session.",
    "Another repository is of the same owner by its name (`owner/name`), else of the same language by the files its "
    "sessions worked on, else unrelated. Lessons for every repository are those about the agent's own tools.",
    "Lessons of another person, or agent, are those that rest on no session of this one's.",
    "Shares are pooled, with intervals that count sessions and not failures.",
)
