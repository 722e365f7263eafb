"""The checks of a lesson: its words, the lines it cites, and where it may hold. What passes is an item."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import UnreadableSource
from afterglow.flows.redactor import redactor_of
from afterglow.harvest.confidence import LOWEST, MIN_WITNESSES
from afterglow.harvest.independence import acting_witnesses
from afterglow.harvest.lessons.citations import Cited, Citing
from afterglow.harvest.lessons.grounding import lack
from afterglow.harvest.merge import item_of
from afterglow.harvest.screen import danger, screen, told_slots, vague
from afterglow.harvest.secret_values import values_in, without
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
from afterglow.records.lessons import MINER, Lesson
from afterglow.sessions import load
from afterglow.store.catalog import Catalog
from afterglow.text.clip import printable

MAX_SENTENCE_CHARACTERS = 400  # a lesson is a sentence; what is longer tells a story
MAX_CITATIONS = 8  # each is looked up; more of them make nothing surer
MAX_OPEN_SESSIONS = 8  # those one lesson can cite stay open for the next
MAX_WORDS_NAMED = 8  # in a refusal: enough to mend the lesson by
MAX_TOPIC_CHARACTERS = 300  # longer sentences differ before that
DIRECTNESS_OF_ONE_TELLING = 0.5  # suggested, by one model
ONCE = "told once: needs an independent session or a person's word"


class Refused(Exception):
    """Why a lesson is not kept, and what would work; `kind` says it in a word or two, to be counted."""

    def __init__(self, kind: str, why: str, missing: Iterable[str] = ()) -> None:
        super().__init__(why)
        self.kind, self.missing = kind, tuple(missing)


class LessonChecks:
    """Lesson -> item. The last few sessions that were cited are kept open: lessons of one window cite the same one."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.redactor = redactor_of(config)
        self._open: dict[int, Citing] = {}

    def item(self, lesson: Lesson) -> KnowledgeItem:
        lesson = self._worded(lesson)
        cited = self._cited(lesson)
        evidence = [
            piece
            for citing, spans in cited
            for piece in self._screened(lesson, citing, spans)
        ]
        self._no_orders(lesson, lowest(piece.trust for piece in evidence))
        # An item that is known by an error is expected to say what helps.
        marks = {
            piece.fingerprint for _, spans in cited for piece in spans if lesson.remedy
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
            if len(text) > MAX_SENTENCE_CHARACTERS:
                raise Refused(
                    "too long",
                    f"the {name} has {len(text)} characters; one sentence of at most {MAX_SENTENCE_CHARACTERS} would work",
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
        if len(lesson.citations) > MAX_CITATIONS:
            raise Refused(
                "too long",
                f"{len(lesson.citations)} citations; the {MAX_CITATIONS} best would do",
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
        for citing, cited in by_session.values():
            self._carried(lesson, citing, cited)
        return list(by_session.values())

    def _carried(self, lesson: Lesson, citing: Citing, cited: Sequence[Cited]) -> None:
        """The lines cited of one session name what the sentence names, and speak of it."""
        sentence = ". ".join(
            filter(None, (lesson.fact, lesson.situation, lesson.remedy))
        )
        text = "\n".join(line.text for line in cited)
        # A sentence may name `~/.cache`, as the window does.
        redacted = self.redactor.redact(text).text
        around = "\n".join(dict.fromkeys(line.around for line in cited))
        missing = lack(sentence, f"{text}\n{redacted}", around)
        where = f"the lines cited of session {citing.trail.session.id}"
        if missing.names:
            raise Refused(
                "names not cited",
                f"{where} do not name {', '.join(missing.names[:MAX_WORDS_NAMED])}; cite the lines that do, or leave it out",
                missing.names,
            )
        if missing.words:
            raise Refused(
                "words not cited",
                f"{where} do not speak of it ({', '.join(missing.words[:MAX_WORDS_NAMED])}); cite the lines that say so",
                missing.words,
            )

    def _screened(
        self, lesson: Lesson, citing: Citing, cited: Sequence[Cited]
    ) -> tuple[Evidence, ...]:
        """The evidence with the trust of where its words come from, redacted."""
        spans = tuple(dict.fromkeys(span.evidence for span in cited))
        parts = (lesson.fact, lesson.situation, lesson.remedy)
        slots = told_slots("\n".join(filter(None, parts)), lesson.remedy)
        screened = screen(Finding(MINER, lesson.fact, slots, spans), citing.trail)
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
        if entry.key not in self._open:
            if len(self._open) >= MAX_OPEN_SESSIONS:
                self._open.pop(next(iter(self._open)))
            self._open[entry.key] = Citing(_trail(entry))
        return self._open[entry.key]

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
    if acting_witnesses(evidence) < MIN_WITNESSES:
        item = replace(item, status="candidate", reason=ONCE)
    return replace(item, repo=repo) if repo is not None and not lesson.agent else item


def _directness(lesson: Lesson) -> float:
    """A model may doubt its lesson; it cannot be surer than one telling allows."""
    return min(max(lesson.confidence, LOWEST), DIRECTNESS_OF_ONE_TELLING)


def _topic(fact: str) -> str:
    """The same words are the same lesson, wherever they were told: its repos and agents are its scope."""
    return f"{MINER}|{' '.join(fact.casefold().split())}"[:MAX_TOPIC_CHARACTERS]
