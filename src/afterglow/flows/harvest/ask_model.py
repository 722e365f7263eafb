"""telling: a model reads windows of finished sessions; each lesson is checked against its lines, and kept to wait.

Windows of one session go into one ask, as many as fit; a long session takes several. Their lessons are not merged by a
further ask: each has to stand on its own lines anyway, and lessons that say the same become one item as they are kept.

A few asks at a time. Their lessons are kept and their windows marked before the next are asked, so that a cap, Ctrl-C
or kill -9 costs no more than what was under way; what had been answered by then is in the client's cache.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import CapReached, ModelError, UsageError
from afterglow.flows.harvest.find_windows import (
    LARGEST_WINDOW,
    SMALLEST_WINDOW,
    windows,
)
from afterglow.flows.harvest.harvest_sessions import harvest
from afterglow.flows.harvest.keep_lessons import remember_all
from afterglow.flows.harvest.mining import Progress
from afterglow.flows.harvest.windows_read import (
    windows_failed,
    windows_read,
    windows_were_read,
)
from afterglow.flows.redactor import redactor_of
from afterglow.harvest.lessons.prompts import (
    Asked,
    Prompt,
    asked,
    lessons,
    prompt,
    schema,
)
from afterglow.llm.budget import worst_case
from afterglow.llm.parse_reply import UNUSABLE
from afterglow.records.lessons import Lesson, Window
from afterglow.records.model import Answer, Model, Price
from afterglow.records.model_harvest import (
    LessonOutcome,
    ModelReport,
    Outline,
    Sending,
    WriteReport,
)
from afterglow.records.selection import EVERYTHING, Selection

ASK_LIMIT = 20  # windows of a run
ASK_TOKENS = 3000  # of windows in one ask
ASKS_AT_ONCE = 8  # before their lessons are kept: what a kill may cost

NOT_ASKED = "not asked"  # because of what went wrong with another


def learn(
    config: Config,
    model: Model,
    selection: Selection = EVERYTHING,
    *,
    session: str | None = None,
    again: bool = False,
    limit: int = ASK_LIMIT,
    tokens: int = ASK_TOKENS,
    text: Prompt | None = None,
    jobs: int = 1,
    progress: Progress = lambda position, total: None,
    on_ask: Progress = lambda position, total: None,
) -> WriteReport:
    """Harvests by rules, which costs nothing and says what need not be asked; then asks the model about the windows
    that are best now. `progress` is told of bytes mined, `on_ask` of asks."""
    rules = harvest(config, selection, again=again, jobs=jobs, progress=progress)
    words = text or prompt()
    if rules.interrupted:
        none = ModelReport(
            model=model.name,
            prompt=words.label,
            stopped="interrupted",
            interrupted=True,
        )
        return WriteReport(rules, none)
    todo = plan(
        config, selection, session=session, limit=limit, tokens=tokens, text=words
    )
    return WriteReport(rules, tell(config, model, todo, on_ask=on_ask))


class Plan(Struct, frozen=True):
    """What is to be asked. `remaining` windows were found and are not among them; `reason` says why there are none."""

    prompt: Prompt
    asks: tuple[Asked, ...]
    remaining: int = 0
    reason: str = ""

    @property
    def windows(self) -> int:
        return sum(len(ask.windows) for ask in self.asks)

    @property
    def sessions(self) -> int:
        return len({ask.session for ask in self.asks})


def plan(
    config: Config,
    selection: Selection = EVERYTHING,
    *,
    session: str | None = None,
    limit: int = ASK_LIMIT,
    tokens: int = ASK_TOKENS,
    text: Prompt | None = None,
    now: float | None = None,
) -> Plan:
    """The best windows there are, in asks of at most `tokens` of windows each."""
    if tokens < SMALLEST_WINDOW:
        raise UsageError(
            f"a window needs {SMALLEST_WINDOW} tokens to be understood; give as many or more"
        )
    chosen = windows(
        config,
        selection,
        session=session,
        limit=limit,
        now=now,
        tokens=limit * min(LARGEST_WINDOW, tokens),
        largest=min(LARGEST_WINDOW, tokens),
    )
    own_words = text or prompt()
    words = replace(
        own_words, text=redactor_of(config).redact(own_words.text).text
    )  # a person's own may hold anything
    return Plan(
        words,
        tuple(asked(words, group) for group in _grouped(chosen.windows, tokens)),
        chosen.remaining,
        chosen.reason,
    )


def _grouped(chosen: Sequence[Window], tokens: int) -> list[list[Window]]:
    """Windows of one session together, in its order, while they fit; what holds the best window first."""
    groups: list[list[Window]] = []
    open_: dict[str, list[Window]] = {}
    for window in chosen:
        group = open_.get(window.session)
        if (
            group is None
            or sum(member.tokens for member in group) + window.tokens > tokens
        ):
            open_[window.session] = group = []
            groups.append(group)
        group.append(window)
    return [sorted(group, key=lambda member: member.lines[0].line) for group in groups]


def outline(plan: Plan, model: str, price: Price) -> Outline:
    """A plan to the letter, and the most it can cost. Nothing is sent."""
    most, cost = worst_case((question.ask for question in plan.asks), price)
    return Outline(
        model=model,
        prompt=plan.prompt.label,
        sessions=plan.sessions,
        windows=plan.windows,
        remaining=plan.remaining,
        asks=tuple(map(_sending, plan.asks)),
        schema=schema(),
        input=most.input,
        output=most.output,
        cost=cost,
        reason=plan.reason,
    )


def _sending(question: Asked) -> Sending:
    most, _ = worst_case([question.ask])
    return Sending(
        question.session,
        tuple(_ids(question)),
        question.ask.messages,
        most.input,
        most.output,
    )


def tell(
    config: Config,
    model: Model,
    plan: Plan,
    *,
    at_once: int = ASKS_AT_ONCE,
    now: float | None = None,
    on_ask: Progress = lambda position, total: None,
) -> ModelReport:
    """Asks what was planned and keeps what holds. A cap, or a model that does not answer at all, ends it early and is
    said; nothing kept before is touched. What another process has done meanwhile is not asked."""
    run = _Run(config, f"model:{model.name} {plan.prompt.label}", now)
    started, before = time.monotonic(), model.spent
    for start in range(0, len(plan.asks), at_once):
        on_ask(start, len(plan.asks))
        over = windows_read(config)
        questions = [
            question
            for question in plan.asks[start : start + at_once]
            if not over.issuperset(_ids(question))
        ]
        try:
            run.take(questions, model.ask_all([question.ask for question in questions]))
        except KeyboardInterrupt:
            run.stopped, run.interrupted = "interrupted", True
        if run.stopped:
            break
    else:
        on_ask(len(plan.asks), len(plan.asks))
    return ModelReport(
        model=model.name,
        prompt=plan.prompt.label,
        sessions=len(run.sessions),
        windows=run.windows,
        remaining=plan.remaining + plan.windows - run.windows,
        asks=run.asks,
        answered=run.answered,
        lessons=tuple(run.heard),
        outcomes=dict(
            Counter(question.became.outcome for question in run.heard).most_common()
        ),
        refused=dict(
            Counter(
                question.became.kind for question in run.heard if question.became.kind
            ).most_common()
        ),
        failures=dict(run.failures.most_common()),
        spent=model.spent.since(before),
        stopped=run.stopped,
        capped=run.capped,
        interrupted=run.interrupted,
        reason=plan.reason,
        seconds=time.monotonic() - started,
    )


class _Run:
    """One run in progress: what was heard so far."""

    def __init__(self, config: Config, by: str, now: float | None) -> None:
        self.config, self.by, self.now = config, by, now
        self.redactor = redactor_of(config)
        self.heard: list[LessonOutcome] = []
        self.sessions: set[str] = set()
        self.windows = self.asks = self.answered = 0
        self.failures: Counter[str] = Counter()
        self.stopped = ""
        self.capped = self.interrupted = False

    def take(
        self, questions: Sequence[Asked], answers: Sequence[Answer | Exception]
    ) -> None:
        lost = ""  # why the way to the model failed
        for question, answer in zip(questions, answers, strict=True):
            if isinstance(answer, Answer):
                self.asks += 1
                self._keep(question, answer)
            elif isinstance(answer, CapReached):
                self.stopped, self.capped = str(answer), True
            elif not isinstance(answer, ModelError):
                raise answer
            elif answer.kind == NOT_ASKED:
                self.stopped = self.stopped or lost or str(answer)
            else:
                problem = self._failed(question, answer)
                lost = lost or problem
        if not any(isinstance(answer, Answer) for answer in answers):
            self.stopped = self.stopped or lost

    def _failed(self, question: Asked, error: ModelError) -> str:
        """Counts it. Returns what is wrong where that is no fault of the windows."""
        self.asks += 1
        self.failures[error.kind or "no answer"] += 1
        if error.kind not in UNUSABLE:
            return str(error)
        windows_failed(self.config, _ids(question))
        return ""

    def _keep(self, question: Asked, answer: Answer) -> None:
        """Marked as read only when its lessons are kept: killed in between, it is asked again."""
        answered = lessons(answer.data, question)
        became = remember_all(self.config, answered, by=self.by, now=self.now)
        for lesson, outcome in zip(answered, became, strict=True):
            refused = outcome.outcome == "refused"
            reported = self._redacted(lesson) if refused else lesson
            self.heard.append(LessonOutcome(question.session, outcome, reported))
        windows_were_read(self.config, _ids(question))
        self.answered += 1
        self.windows += len(question.windows)
        self.sessions.add(question.session)

    def _redacted(self, lesson: Lesson) -> Lesson:
        """What was refused may be so for a secret; a report is no place for it."""

        def clean(text: str) -> str:
            return self.redactor.redact(text).text

        return replace(
            lesson,
            fact=clean(lesson.fact),
            situation=clean(lesson.situation),
            remedy=clean(lesson.remedy),
            category=clean(lesson.category),
            citations=tuple(
                replace(citation, quote=clean(citation.quote))
                for citation in lesson.citations
            ),
        )


def _ids(question: Asked) -> list[str]:
    return [window.id for window in question.windows]
