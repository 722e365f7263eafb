"""remember: what a model tells of finished sessions, checked against their lines, kept as a candidate.

A lesson lives in the knowledge store alone, with evidence of its own; harvest does not make it and does not take it
away. One telling never makes it active: that takes an independent session, told or mined, or a person.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import UnreadableSource, UsageError
from afterglow.flows.redactor import redactor_of
from afterglow.harvest.confidence import LOWEST
from afterglow.harvest.lessons.citations import Cited, Citing
from afterglow.harvest.lessons.duplicates import grown, same
from afterglow.harvest.lessons.grounding import lack
from afterglow.harvest.merge import item_of
from afterglow.harvest.pipeline import values_in, without
from afterglow.harvest.screen import danger, screen, vague
from afterglow.harvest.trail import Trail
from afterglow.records.catalog import Entry
from afterglow.records.knowledge import (
    CATEGORIES,
    Evidence,
    Finding,
    KnowledgeItem,
    Telling,
    Trust,
    lowest,
)
from afterglow.records.lessons import MINER, Citation, Lesson, Remembered
from afterglow.sessions import load
from afterglow.store.catalog import Catalog
from afterglow.store.knowledge import Knowledge
from afterglow.store.knowledge_rows import fact_mark
from afterglow.text.clip import printable

__all__ = [
    "Citation",
    "Lesson",
    "Remembered",
    "corroborate",
    "items_of",
    "remember",
    "remember_all",
    "remember_json",
]

LONGEST = 400  # characters of a sentence
MAX_LESSONS = 8  # citations of one lesson
DIRECTNESS = 0.5  # suggested, by one model
NEAR = 20  # items that are compared
WAITING = 1000  # told items that are looked at after a harvest
ONCE = "told once: needs an independent session or a person's word"


class Refused(Exception):
    """Why a lesson is not kept, and what would work; `kind` says it in a word or two, to be counted."""

    def __init__(self, kind: str, why: str, missing: Iterable[str] = ()) -> None:
        super().__init__(why)
        self.kind, self.missing = kind, tuple(missing)


def remember(
    config: Config,
    *,
    fact: str,
    category: str,
    citations: Sequence[Citation],
    situation: str = "",
    remedy: str = "",
    repo: str | None = None,
    agent: str = "",
    by: str,
    now: float | None = None,
) -> Remembered:
    """Keeps one lesson, or says why not. `by` names who tells: an agent, a model."""
    lesson = Lesson(
        fact=fact,
        category=category,
        citations=tuple(citations),
        situation=situation,
        remedy=remedy,
        repo=repo,
        agent=agent,
    )
    return remember_all(config, [lesson], by=by, now=now)[0]


def remember_all(
    config: Config, lessons: Sequence[Lesson], *, by: str, now: float | None = None
) -> tuple[Remembered, ...]:
    """What became of each, in order. One that is refused does not keep the others out."""
    checks = _Checks(config)
    when = time.time() if now is None else now
    return tuple(_remembered(config, checks, lesson, by, when) for lesson in lessons)


def items_of(config: Config, lessons: Iterable[Lesson]) -> list[KnowledgeItem]:
    """What those lessons that hold would be as items, without looking at what is known; nothing is kept."""
    checks = _Checks(config)
    items = []
    for lesson in lessons:
        with suppress(Refused):
            items.append(checks.item(lesson))
    return items


def remember_json(
    config: Config, text: bytes, *, by: str, now: float | None = None
) -> tuple[Remembered, ...]:
    """The same for a JSON list of lessons; one that is no lesson is refused like one that does not hold."""
    try:
        decoded = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(
            f"not JSON: {error}; a list of lessons would work, see `afterglow remember --help`"
        ) from error
    rows = decoded if isinstance(decoded, list) else [decoded]
    read = [_read(row) for row in rows]
    results = iter(
        remember_all(
            config,
            [lesson for lesson in read if isinstance(lesson, Lesson)],
            by=by,
            now=now,
        )
    )
    return tuple(
        next(results) if isinstance(lesson, Lesson) else lesson for lesson in read
    )


def _read(row: object) -> Lesson | Remembered:
    try:
        return msgspec.convert(row, Lesson)
    except msgspec.ValidationError as error:
        why = f"not a lesson: {error}; fact, category and citations of session, line and quote are needed"
        return Remembered(outcome="refused", refused=why, kind="no lesson")


def _remembered(
    config: Config, checks: _Checks, lesson: Lesson, by: str, now: float
) -> Remembered:
    try:
        item = checks.item(lesson)
        with Knowledge(config.knowledge) as knowledge, knowledge.transaction():
            return _keep(knowledge, item, f"{MINER}:{by}" if by else MINER, now)
    except Refused as error:
        return Remembered(
            outcome="refused",
            refused=str(error),
            kind=error.kind,
            missing=error.missing,
        )


class _Checks:
    """Lesson -> item. The last few sessions that were cited are kept open: lessons of one window cite the same one."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.redactor = redactor_of(config)
        self._read: dict[int, Citing] = {}

    def item(self, lesson: Lesson) -> KnowledgeItem:
        lesson = self._worded(lesson)
        cited = self._cited(lesson)
        evidence = [
            evidence_part
            for citing, spans in cited
            for evidence_part in self._screened(lesson, citing, spans)
        ]
        self._no_orders(
            lesson, lowest(evidence_part.trust for evidence_part in evidence)
        )
        # An item that is known by an error is expected to say what helps.
        marks = {
            evidence_part.fingerprint
            for _, spans in cited
            for evidence_part in spans
            if lesson.remedy
        } - {""}
        return _told(lesson, evidence, sorted(marks), self._repo(lesson, evidence))

    def _worded(self, lesson: Lesson) -> Lesson:
        """The checks that need no session. What is kept is what a person sees who approves it: nothing hidden."""
        if lesson.category not in CATEGORIES:
            raise Refused(
                "no lesson",
                f"no category {lesson.category[:40]!r}; there are {', '.join(CATEGORIES)}",
            )
        texts = {
            name: " ".join(printable(getattr(lesson, name)).split())
            for name in ("fact", "situation", "remedy")
        }
        for name, text in texts.items():
            if len(text) > LONGEST:
                raise Refused(
                    "too long",
                    f"the {name} has {len(text)} characters; one sentence of at most {LONGEST} would work",
                )
            if secrets := self.redactor.redact(text).counts:
                raise Refused(
                    "secret or personal",
                    f"the {name} holds what must not be kept ({', '.join(secrets)}); leave the value out",
                    secrets,
                )
        if why := vague(texts["fact"]):
            raise Refused(
                "vague",
                f"too vague: {why}; name the command, path, setting or message it is about",
            )
        if not lesson.citations:
            raise Refused(
                "cites nothing",
                "cites nothing; give the session, line and words it rests on",
            )
        if len(lesson.citations) > MAX_LESSONS:
            raise Refused(
                "too long",
                f"{len(lesson.citations)} citations; the {MAX_LESSONS} best would do",
            )
        lesson = replace(lesson, **texts)
        self._no_orders(lesson, "assistant")
        return lesson

    def _no_orders(self, lesson: Lesson, trust: Trust) -> None:
        """The words are the model's, whoever it quotes, and no better than what they rest on."""
        for text in (lesson.fact, lesson.situation, lesson.remedy):
            if why := danger(text, lowest((trust, "assistant"))):
                raise Refused(
                    "an order",
                    f"it reads like an order to an agent ({why}); state what is so, and who said it",
                )

    def _cited(self, lesson: Lesson) -> list[tuple[Citing, list[Cited]]]:
        """By session, each of which must carry the sentence by itself."""
        by_session: dict[str, tuple[Citing, list[Cited]]] = {}
        for citation in lesson.citations:
            citing = self._session(citation.session)
            matches = citing.find(citation.line, citation.quote)
            if isinstance(matches, str):
                raise Refused(
                    "not in the line",
                    f"session {citation.session[:60]}: {self.redactor.redact(matches).text}",
                )
            by_session.setdefault(citing.trail.session.id, (citing, []))[1].append(
                matches
            )
        sentence = ". ".join(
            filter(None, (lesson.fact, lesson.situation, lesson.remedy))
        )
        for citing, cited in by_session.values():
            text = "\n".join(citation.text for citation in cited)
            redacted = self.redactor.redact(
                text
            ).text  # a sentence may name `~/.cache`, as the window does
            missing = lack(
                sentence,
                f"{text}\n{redacted}",
                "\n".join(dict.fromkeys(citation.around for citation in cited)),
            )
            where = f"the lines cited of session {citing.trail.session.id}"
            if missing.names:
                raise Refused(
                    "names not cited",
                    f"{where} do not name {', '.join(missing.names[:8])}; cite the lines that do, or leave it out",
                    missing.names,
                )
            if missing.words:
                raise Refused(
                    "words not cited",
                    f"{where} do not speak of it ({', '.join(missing.words[:8])}); cite the lines that say so",
                    missing.words,
                )
        return list(by_session.values())

    def _screened(
        self, lesson: Lesson, citing: Citing, cited: Sequence[Cited]
    ) -> tuple[Evidence, ...]:
        """The evidence with the trust of where its words come from, redacted."""
        spans = tuple(dict.fromkeys(span.evidence for span in cited))
        screened = screen(
            Finding(MINER, lesson.fact, {"fact": lesson.fact}, spans), citing.trail
        )
        if screened.danger:
            raise Refused(
                "an order",
                f"the cited words give orders to agents ({screened.danger}); nothing is learned from them",
            )
        return tuple(
            replace(span, quote=self._quote(span, citing.trail))
            for span in screened.evidence
        )

    def _quote(self, evidence: Evidence, trail: Trail) -> str:
        """Redacted with what stands around it, so that nothing is met without what gives it away."""
        values = values_in(trail.around(evidence), self.redactor)
        return without(self.redactor.redact(evidence.quote).text, values)

    def _session(self, name: str) -> Citing:
        with Catalog(self.config.catalog) as catalog:
            entries = (
                [entry for entry in catalog.find(name) if not entry.gone]
                if name
                else []
            )
        if len(entries) != 1:
            what = f"{len(entries)} sessions are" if entries else "no session is"
            raise Refused(
                "no session",
                f"{what} called {name[:60]!r}; cite the session id a window gives, or scan first",
            )
        entry = entries[0]
        if entry.origin != "main":
            raise Refused(
                "no session",
                f"{entry.id} is the run of a {entry.origin}; cite the session that started it",
            )
        if entry.key not in self._read:
            if len(self._read) >= MAX_LESSONS:
                self._read.pop(next(iter(self._read)))
            self._read[entry.key] = Citing(_trail(entry))
        return self._read[entry.key]

    def _repo(self, lesson: Lesson, evidence: Sequence[Evidence]) -> str | None:
        """Where it holds, if it was said: no further than its sessions show."""
        repos = {piece.repo for piece in evidence}
        if lesson.agent and lesson.agent not in {piece.agent for piece in evidence}:
            raise Refused(
                "scope",
                f"no cited session is of {lesson.agent[:40]!r}; leave agent out, or name the one that is cited",
            )
        if not lesson.repo:
            return None
        named = [
            repo for repo in repos if lesson.repo in {repo, repo.rpartition("/")[2]}
        ]
        if not named:
            raise Refused(
                "scope",
                f"no cited session worked in {lesson.repo[:60]!r}; leave repo out: it holds where they worked",
            )
        return named[0]


def _trail(entry: Entry) -> Trail:
    try:
        whole = [
            session
            for session in load(Path(entry.source), only={entry.id})
            if session.id == entry.id
        ]
    except (UnreadableSource, OSError) as error:
        raise Refused(
            "no session", f"the source of session {entry.id} cannot be read: {error}"
        ) from error
    if not whole:
        raise Refused(
            "no session", f"the source no longer holds session {entry.id}; scan again"
        )
    return Trail(whole[0], entry.repo)


def _told(
    lesson: Lesson,
    evidence: Sequence[Evidence],
    fingerprints: list[str],
    repo: str | None,
) -> KnowledgeItem:
    """The item as one telling gives it. `repo` narrows it to one place even where sessions of several are cited."""
    category = next(name for name in CATEGORIES if name == lesson.category)
    telling = Telling(
        lesson.fact,
        category,
        lesson.situation,
        lesson.remedy,
        _directness(lesson),
        agent_wide=bool(lesson.agent),
    )
    findings = [
        Finding(MINER, _topic(lesson.fact), {}, tuple(evidence), mark)
        for mark in fingerprints or [""]
    ]
    item = item_of(telling, findings, None, {})
    if isinstance(item, str):
        raise Refused(item.partition(":")[0], item)
    item = replace(item, status="candidate", reason=ONCE)
    return replace(item, repo=repo) if repo is not None and not lesson.agent else item


def _directness(lesson: Lesson) -> float:
    """A model may doubt its lesson; it cannot be surer than one telling allows."""
    return min(max(lesson.confidence, LOWEST), DIRECTNESS)


def _topic(fact: str) -> str:
    """The same words are the same lesson, wherever they were told: its repos and agents are its scope."""
    return f"{MINER}|{' '.join(fact.casefold().split())}"[:300]


def _keep(knowledge: Knowledge, item: KnowledgeItem, by: str, now: float) -> Remembered:
    """Inside the store's turn: a new item, more evidence for one that says the same, or nothing new."""
    if knowledge.buried([item.id, fact_mark(item.fact), *item.topics]):
        raise Refused("set aside", "a person deleted this; it stays deleted")
    existing = knowledge.find([item.id]).get(item.id) or _same(knowledge, item)
    if existing is None:
        knowledge.save([item], by=by, now=now)
        return Remembered(
            outcome="kept", id=item.id, status=item.status, reason=item.reason
        )
    if existing.status == "quarantined" or (
        existing.status == "retired" and existing.decided
    ):
        raise Refused(
            "set aside",
            f"{existing.id} says the same and was set aside: {existing.reason}",
        )
    more = grown(existing, item.evidence, item.fingerprints)
    if more == existing:
        return Remembered(
            outcome="known",
            id=existing.id,
            status=existing.status,
            reason=existing.reason,
        )
    knowledge.save([more], by=by, now=now)
    return Remembered(
        outcome="added", id=more.id, status=more.status, reason=more.reason
    )


def _same(
    knowledge: Knowledge, item: KnowledgeItem, *, mined: bool = False
) -> KnowledgeItem | None:
    """What says the same already, in the same place or everywhere; only what miners found, if so said."""
    near = knowledge.search(
        item.fact, limit=NEAR, status=("active", "candidate", "quarantined", "retired")
    )
    marked = knowledge.of_fingerprints(item.fingerprints)
    similar = knowledge.find(
        {
            *(hit.item.id for hit in near),
            *(id for ids in marked.values() for id in ids),
        }
    )
    return same(
        item,
        [
            existing
            for _, existing in sorted(similar.items())
            if existing.repo in {item.repo, ""}
            and existing.agent in {item.agent, ""}
            and existing.status != "superseded"
            and (existing.status != "retired" or existing.decided)
            and not (mined and existing.miner == MINER)
        ],
    )


def corroborate(knowledge: Knowledge, now: float) -> int:
    """After a harvest, inside the store's turn: what was told and a miner has found too. Where the mined item is active
    it holds alone; where it waits as well, and other sessions stand behind it, the two together are enough."""
    changed: dict[str, KnowledgeItem] = {}
    waiting = knowledge.items(
        miner=MINER, status=("candidate", "active"), limit=WAITING, evidence=True
    )
    for item in waiting:
        mined = (
            None if item.decided or item.edited else _same(knowledge, item, mined=True)
        )
        if mined is None:
            continue
        mined = changed.get(mined.id, mined)
        if mined.status == "active":
            reason = f"mined as well: {mined.id}"
            surer = grown(
                mined, item.evidence, item.fingerprints
            )  # by the sessions that only the lesson knew
            changed |= {
                item.id: replace(
                    item, status="superseded", superseded_by=mined.id, reason=reason
                ),
                surer.id: surer,
            }
        elif item.status == "candidate" and mined.status == "candidate":
            both = grown(item, mined.evidence)
            if both.status == "active":
                changed[item.id] = replace(
                    both, reason=f"{both.reason}, with {mined.id}"
                )
    return knowledge.save(changed.values(), by="harvest", now=now) if changed else 0
