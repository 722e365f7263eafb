"""The questions there are, and the one way to ask them.

Add one: a module here with

    answer(config, selection, *, jobs, progress) -> ResearchAnswer

which fills in everything but `question`, `title`, `simulated` and `seconds`; one line in each of the two tables; pure
parts in `measure/research/`; a section of docs/research.md.
"""

from __future__ import annotations

import time
from typing import Protocol, cast

from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows.harvest import Progress
from afterglow.flows.no_transcripts import check_transcripts
from afterglow.records.research import ResearchAnswer, ResearchQuestion
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.registry import Table

# In words here, so that a list of them loads none.
TITLES = {
    "ablation": "What of a warm session matters?",
    "compression": "How small may a template be?",
    "transfer": "Do lessons carry over to other repositories and people?",
    "length": "Does a session get better as it goes on, or do bad ones just end early?",
    "code-first": "Do sessions that start with running code go better?",
}
QUESTIONS = Table(
    "afterglow.research",
    {
        "ablation": "afterglow.flows.research.ablation",
        "compression": "afterglow.flows.research.compression",
        "transfer": "afterglow.flows.research.transfer",
        "length": "afterglow.flows.research.length",
        "code-first": "afterglow.flows.research.code_first",
    },
)


class QuestionModule(Protocol):
    def answer(
        self, config: Config, selection: Selection, *, jobs: int, progress: Progress
    ) -> ResearchAnswer: ...


def questions() -> tuple[ResearchQuestion, ...]:
    return tuple(
        ResearchQuestion(name, TITLES.get(name, "")) for name in QUESTIONS.names()
    )


def research(
    config: Config,
    question: str,
    selection: Selection = EVERYTHING,
    *,
    simulated: bool = False,
    jobs: int = 1,
    progress: Progress = lambda bytes_done, total: None,
) -> ResearchAnswer:
    """The answer the history here gives. No model is asked, and nothing but the catalogue is written."""
    if question not in QUESTIONS.names():
        names = ", ".join(QUESTIONS.names())
        raise UsageError(f"{question!r} is no question; there are: {names}")
    check_transcripts(config, "research")
    started = time.monotonic()
    module = cast(QuestionModule, QUESTIONS.load(question))
    answer = module.answer(config, selection, jobs=jobs, progress=progress)
    return replace(
        answer,
        question=question,
        title=TITLES.get(question, answer.title),
        selection=selection.filters(),
        simulated=simulated,
        seconds=round(time.monotonic() - started, 1),
    )
