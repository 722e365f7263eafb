"""One problem on demand: its dossier, and whether it waits for somebody who writes."""

from __future__ import annotations

from afterglow.config import Config
from afterglow.flows.harvest.index_problems import the_only
from afterglow.flows.harvest.keep_problems import make_problems
from afterglow.flows.harvest.last_answers import is_open, with_answers
from afterglow.flows.harvest.lessons_about import add_lessons
from afterglow.harvest.dossiers import dossier
from afterglow.records.problems import MAX_DOSSIER_TOKENS, ProblemReport
from afterglow.store.answers import Answers
from afterglow.store.catalog import Catalog
from afterglow.store.ready_problems import ReadyProblems
from afterglow.text.tokens import within


def problem(config: Config, id: str) -> ProblemReport:
    """One problem by its id, or by one that it had before it grew together with another; either may be shortened."""
    make_problems(config)
    with Catalog(config.catalog) as catalog:
        ready = ReadyProblems(catalog)
        (chosen,) = ready.with_events([the_only(ready.named(id), id)])
        labels = ready.known_by([chosen.id])
    (chosen,) = with_answers(config, add_lessons(config, [chosen], labels))
    waits = chosen.comes_back and is_open(chosen, Answers(config.answers))
    return ProblemReport(chosen, dossier(chosen, within(MAX_DOSSIER_TOKENS)), waits)
