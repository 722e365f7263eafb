"""ablation: what of a warm session matters."""

from __future__ import annotations

from afterglow.config import Config
from afterglow.experiment.moments import PART_ARMS
from afterglow.flows.harvest import Progress
from afterglow.flows.research.own_studies import arms_run, gives_a_part
from afterglow.flows.research.placebo import foreign_templates, placebo_repos
from afterglow.flows.research.walk import (
    Moment,
    Walk,
    head_of,
    walked,
)
from afterglow.measure.research import ablation, ablation_answer
from afterglow.measure.research.ablation import Judged
from afterglow.measure.research.came_up import KINDS, in_view
from afterglow.measure.research.own_studies import (
    study_sentences,
    study_tables,
    study_to_run,
)
from afterglow.measure.research.pieces import (
    LESSONS,
    Piece,
    cut_to,
    of_part,
    pieces_of,
    tokens_of,
)
from afterglow.measure.research.words import (
    HINDSIGHT,
    WRONG_REMEDIES,
    few_repositories,
    placebo_words,
)
from afterglow.records.experiment import COLD, PLACEBO, TEMPLATE
from afterglow.records.research import ResearchAnswer
from afterglow.records.selection import Selection
from afterglow.records.template import PARTS

SUGGESTED_ARMS = ",".join((COLD, *PART_ARMS, TEMPLATE, PLACEBO))
NO_TEMPLATE = "too early for a template"


def answer(
    config: Config, selection: Selection, *, jobs: int, progress: Progress
) -> ResearchAnswer:
    walk = walked(config, selection, jobs=jobs, progress=progress)
    foreign = {repo: foreign_pieces(walk, repo) for repo in _repos(walk)}
    sessions = [
        _judged(moment, foreign[moment.entry.repo])
        for moment in walk.moments
        if moment.template is not None
    ]
    sentence, enough = ablation_answer.answer(sessions)
    findings = ablation_answer.findings(sessions) if sessions else ()
    tables = ablation.tables(sessions) if sessions else ()
    arms = arms_run(config, gives_a_part)
    early = len(walk.moments) - len(sessions)
    head = head_of(walk, [m for m in walk.moments if m.template], {NO_TEMPLATE: early})
    return ResearchAnswer(
        question="ablation",
        title="",
        answer=sentence,
        enough=enough,
        findings=(*findings, *study_sentences(arms)),
        tables=(*tables, *study_tables(arms)),
        figures=(ablation.figure(sessions),) if sessions else (),
        limits=(
            *ablation_answer.LIMITS,
            WRONG_REMEDIES,
            few_repositories(head["repos"]),
        ),
        next_step=study_to_run(arms, SUGGESTED_ARMS),
        method=(
            *ablation_answer.METHOD,
            placebo_words(placebo_repos(walk), "Placebos begin with"),
            HINDSIGHT,
        ),
        troubles=walk.troubles,
        **head,
    )


def _repos(walk: Walk) -> set[str]:
    return {moment.entry.repo for moment in walk.moments}


def foreign_pieces(walk: Walk, repo: str) -> list[Piece]:
    """As many as there are: each session's placebo is cut to the size of its own template."""
    pieces: list[Piece] = []
    for template in foreign_templates(walk, repo):
        pieces += pieces_of(template.seed)
    return pieces


def _judged(moment: Moment, foreign: list[Piece]) -> Judged:
    assert moment.template is not None
    session, knowledge = moment.session, moment.knowledge
    pieces = pieces_of(moment.template.seed)
    by_part: dict[str, list[Piece]] = {part: of_part(pieces, part) for part in PARTS}
    sham = {
        part: cut_to(of_part(foreign, part), tokens_of(by_part[part])) for part in PARTS
    }
    by_part[LESSONS] = list(moment.lessons)
    return Judged(
        session=moment.entry.id,
        repo=moment.entry.repo,
        counts={kind: session.count(kind) for kind in KINDS},
        parts={
            part: in_view(session, pieces, knowledge)
            for part, pieces in by_part.items()
        },
        placebo={
            part: in_view(session, pieces, knowledge) for part, pieces in sham.items()
        },
        has_placebo=bool(foreign),
        met=moment.met,
        tokens={
            **{part: tokens_of(part_pieces) for part, part_pieces in by_part.items()},
            ablation.PLACEBO: sum(map(tokens_of, sham.values())),
        },
    )
