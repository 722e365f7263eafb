"""compression: how small a template may be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.harvest import Progress
from afterglow.flows.research.ablation import NO_TEMPLATE
from afterglow.flows.research.own_studies import arms_run, gives_less
from afterglow.flows.research.placebo import foreign_templates, placebo_repos
from afterglow.flows.research.walk import (
    Kind,
    Moment,
    Walk,
    head_of,
    walked,
)
from afterglow.measure.research import compression
from afterglow.measure.research.came_up import KINDS, in_view
from afterglow.measure.research.compression import (
    AS_TOLD,
    BUDGETS,
    PLACEBO,
    Squeezed,
    Way,
)
from afterglow.measure.research.own_studies import (
    study_sentences,
    study_tables,
    study_to_run,
)
from afterglow.measure.research.pieces import Piece, one_line, pieces_of
from afterglow.measure.research.words import HINDSIGHT, few_repositories, placebo_words
from afterglow.records.research import ResearchAnswer
from afterglow.records.selection import Selection
from afterglow.records.template import WarmTemplate
from afterglow.text.tokens import estimate
from afterglow.warm.as_text import as_text
from afterglow.warm.compress import STRATEGIES, compress, tokens
from afterglow.warm.compress.size import UNBOUNDED

ASKS_A_MODEL = "model"  # the strategy that does
REMADE_AFTER = (
    3  # sessions: squeezing a template in every way takes a fifth of a second
)
DELIVERY = "ag-0000000000"  # as long as the id of one
SUGGESTED_ARMS = "cold,template:100,template:150,template:300,template"


class _Told(Struct, frozen=True):
    """A template with what each strategy leaves of it, in pieces, and what that takes."""

    whole: list[Piece]
    whole_tokens: int
    pieces: dict[Way, list[Piece]]
    tokens: dict[Way, int]


def answer(
    config: Config, selection: Selection, *, jobs: int, progress: Progress
) -> ResearchAnswer:
    walk = walked(config, selection, jobs=jobs, progress=progress)
    moments = [moment for moment in walk.moments if moment.template is not None]
    sessions = list(_squeezed(walk, moments, progress))
    sentence, enough = compression.answer(sessions)
    arms = arms_run(config, gives_less)
    tables = compression.tables(sessions) if sessions else []
    findings = compression.findings(sessions) if enough else []
    early = len(walk.moments) - len(moments)
    head = head_of(walk, moments, {NO_TEMPLATE: early})
    return ResearchAnswer(
        question="compression",
        title="",
        answer=sentence,
        enough=enough,
        findings=(*findings, *study_sentences(arms)),
        tables=(*tables, *study_tables(arms)),
        figures=(compression.figure(sessions),) if sessions else (),
        limits=(*compression.LIMITS, few_repositories(head["repos"])),
        next_step=study_to_run(arms, SUGGESTED_ARMS),
        method=(*compression.METHOD, placebo_words(placebo_repos(walk)), HINDSIGHT),
        troubles=walk.troubles,
        **head,
    )


def _squeezed(
    walk: Walk, moments: list[Moment], progress: Progress
) -> Iterator[Squeezed]:
    """Each session with the template of its repository, which is squeezed anew now and then."""
    latest: dict[Kind, tuple[int, _Told]] = {}
    shams: dict[str, _Told | None] = {}
    seen_of: dict[Kind, int] = defaultdict(int)
    for done_count, moment in enumerate(moments):
        kind = (moment.entry.repo, moment.entry.agent)
        if kind[0] not in shams:
            shams[kind[0]] = _sham(walk, kind[0])
        at = seen_of[kind]
        seen_of[kind] += 1
        if kind not in latest or at - latest[kind][0] >= REMADE_AFTER:
            assert moment.template is not None
            latest[kind] = (at, _all_ways(moment.template))
        yield _judged(moment, latest[kind][1], shams[kind[0]])
        progress(done_count, len(moments))


def _judged(moment: Moment, told_template: _Told, sham: _Told | None) -> Squeezed:
    session, knowledge = moment.session, moment.knowledge
    pieces, sizes = dict(told_template.pieces), dict(told_template.tokens)
    if sham is not None:
        for budget in BUDGETS:
            pieces[PLACEBO, budget] = sham.pieces[AS_TOLD, budget]
            sizes[PLACEBO, budget] = sham.tokens[AS_TOLD, budget]
    return Squeezed(
        counts={kind: session.count(kind) for kind in KINDS},
        whole=in_view(session, told_template.whole, knowledge),
        smaller={
            way: in_view(session, kept_pieces, knowledge)
            for way, kept_pieces in pieces.items()
        },
        tokens=sizes,
        whole_tokens=told_template.whole_tokens,
    )


def _sham(walk: Walk, repo: str) -> _Told | None:
    template = next(iter(foreign_templates(walk, repo)), None)
    return None if template is None else _as_told(template)


def _all_ways(template: WarmTemplate) -> _Told:
    by_text = _as_told(template)
    pieces, sizes = dict(by_text.pieces), dict(by_text.tokens)
    for strategy in STRATEGIES.names():
        if strategy == ASKS_A_MODEL:
            continue
        for budget in BUDGETS:
            small = compress(template, strategy, budget)
            pieces[strategy, budget] = pieces_of(small.seed)
            sizes[strategy, budget] = tokens(small)
    return replace(by_text, pieces=pieces, tokens=sizes)


def _as_told(template: WarmTemplate) -> _Told:
    """Within each budget, as text."""
    whole = pieces_of(template.seed)
    approved = replace(template, approved=True)
    pieces: dict[Way, list[Piece]] = {}
    sizes: dict[Way, int] = {}
    for budget in BUDGETS:
        told_text = as_text(approved, DELIVERY, budget=budget, count=estimate)
        words = one_line(told_text.text)
        pieces[AS_TOLD, budget] = [piece for piece in whole if piece.is_in(words)]
        sizes[AS_TOLD, budget] = told_text.tokens
    everything = as_text(approved, DELIVERY, budget=UNBOUNDED, count=estimate)
    whole_words = one_line(everything.text)
    every_told = [piece for piece in whole if piece.is_in(whole_words)]
    return _Told(every_told, everything.tokens, pieces, sizes)
