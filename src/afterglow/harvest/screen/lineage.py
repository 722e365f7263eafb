"""Where words first stood: text an agent copied from a result has that result's trust, not the agent's.

What could have been copied of each span is looked for among all texts of the session, in order and in one pass. The
earliest place says whose words they are, so what a person or the agent wrote first stays theirs when a file shows it
again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from afterglow.harvest import trust
from afterglow.harvest.quoted_stretches import quoted_at
from afterglow.harvest.screen.advice import Advice
from afterglow.harvest.screen.api_advice import is_obeyed, obeys
from afterglow.harvest.screen.copied_spans import (
    TEXT,
    Claim,
    Run,
    claim_of,
    first_places,
    spaced,
    words_of,
)
from afterglow.harvest.screen.injection import danger
from afterglow.harvest.screen.obeyed import (
    advice_to,
    can_tell,
    is_told_in_comment,
    last_act_of,
)
from afterglow.harvest.screen.same_matter import is_same_matter
from afterglow.harvest.screen.session_texts import NO_STEP, Span, Text
from afterglow.harvest.trail import Step, Trail, span_hash
from afterglow.records.knowledge import Evidence, Finding, Part, Trust, lowest
from afterglow.records.tools import is_shell

RUNS = (
    200_000  # runs of words that are looked for in one pass: they are what takes memory
)
NEAR = 300  # characters around a copied stretch that belong to it
PASTED = -1  # the line of what a person pasted: code to work with, but nothing to be done because it says so


class Lineage:
    """All texts of one session in order."""

    def __init__(self, trail: Trail) -> None:
        self.texts = list(_texts(trail))
        self._steps = trail.steps
        self._places: dict[tuple[int, Part], list[int]] = {}
        for at, text in enumerate(self.texts):
            self._places.setdefault((text.line, text.part), []).append(at)
        self.results = {
            text.step: at for at, text in enumerate(self.texts) if text.part == "result"
        }
        self._typed: list[tuple[int, bytes]] | None = None
        self._lowered = -1, ""

    def span(self, evidence: Evidence) -> Span | None:
        for at in self._places.get((evidence.line, evidence.part), ()):
            text = self.texts[at]
            words = text.whole[evidence.start : evidence.start + evidence.length]
            if span_hash(words) == evidence.hash:
                return Span(at, text, words)
        return None

    def origins(self, claims: Iterable[tuple[int, Claim]]) -> Iterator[Trust | None]:
        """Of each claim, made in the text of that number, the trust of what was copied; None when nothing was."""
        waiting: list[tuple[int, Claim]] = []
        runs: dict[Run, int] = {}  # with the number of the last text that has each
        for at, claim in claims:
            waiting.append((at, claim))
            runs |= {run: max(at, runs.get(run, 0)) for run in claim.all}
            if len(runs) > RUNS:
                yield from self._settled(waiting, runs)
                waiting, runs = [], {}
        yield from self._settled(waiting, runs)

    def _settled(
        self, waiting: Sequence[tuple[int, Claim]], runs: Mapping[Run, int]
    ) -> Iterator[Trust | None]:
        first = first_places((text.own_words for text in self.texts), runs)
        for at, claim in waiting:
            earlier = {run: first[run] for run in claim.all if first.get(run, at) < at}
            trusts = list(self._found(claim, at, earlier))
            if not trusts and self._is_fetched_later(claim, at):
                trusts.append("external")
            yield lowest(trusts) if trusts else None

    def _is_fetched_later(self, claim: Claim, at: int) -> bool:
        """Whether a person's words stand in what was fetched behind them, and the agent did not send them there: they
        were copied from the same place."""
        if self.texts[at].trust != "user" or not claim.runs:
            return False
        later = range(at + 1, len(self.texts))
        fetched = [place for place in later if self._is_fetched(place)]
        held = first_places(
            (self.texts[place].own_words for place in fetched),
            dict.fromkeys(claim.runs, len(fetched)),
        )
        return any(
            not self._was_sent(run, at, fetched[number]) for run, number in held.items()
        )

    def _is_fetched(self, place: int) -> bool:
        text = self.texts[place]
        return text.part == "result" and text.trust == "external"

    def _was_sent(self, run: Run, after: int, before: int) -> bool:
        looked_for = spaced(run)
        sent = (text for text in self.texts[after:before] if text.trust == "assistant")
        return any(looked_for in spaced(words_of(text.own_words)) for text in sent)

    def _found(self, claim: Claim, at: int, first: dict[Run, int]) -> Iterator[Trust]:
        """The trust of each copied piece, by the first place where it stands."""
        if claim.least:
            yield claim.least
        for run, place in sorted(first.items(), key=lambda item: item[1]):
            trusted = self.texts[place].trust
            if run in claim.runs and (claim.followed or trusted == "external"):
                yield trusted
            if run in claim.hints and self._trust(place, run) == "external":
                beside = self._holds(place, claim.hints[run])
                if beside and not self._was_typed(run, at):
                    yield "external"
        if claim.matter and self._is_of_outside(claim.matter, at, first):
            yield "external"
        if claim.advice is not None:
            places = [first[run] for run in claim.advised if run in first]
            yield from self._told(claim.advice, at, places)

    def _told(self, advice: Advice, at: int, first: Sequence[int]) -> Iterator[Trust]:
        """The trust of the texts that told a session to do what it did. What the agent or a person named before is
        theirs, whoever says it again."""
        told_from = min(advice.errors, default=at)
        if any(place < told_from and self._is_own(place) for place in first):
            return
        if advice.word and self._was_typed(words_of(advice.word), at):
            return
        for place in advice.errors:
            if advice.is_named_by(self.texts[place].own_words):
                yield self._of_program(place)
        for place in first:
            text = self.texts[place]
            if can_tell(text, self._steps) and advice.is_given_by(text.own_words):
                yield self._of_program(place)
                if is_told_in_comment(advice, text, self._steps):
                    yield "external"

    def _is_own(self, place: int) -> bool:
        return self.texts[place].trust in {"user", "assistant"}

    def _of_program(self, place: int) -> Trust:
        return lowest((self.texts[place].trust, "tool"))

    def _is_of_outside(self, matter: set[Run], at: int, first: dict[Run, int]) -> bool:
        """Whether a text from outside brought in what is said, and no person spoke of it."""
        brought = [
            (run, place)
            for run, place in first.items()
            if run in matter and self.texts[place].trust == "external"
        ]
        likely = is_same_matter(matter, brought)
        if not likely:
            return False
        unsaid = [pair for pair in brought if not self._was_typed(pair[0], at)]
        return is_same_matter(matter, unsaid)

    def _trust(self, at: int, run: Run) -> Trust:
        """What is said to be done because a pasted text says so, or a program or file that gives orders around these
        words: they do not speak for themselves."""
        text = self.texts[at]
        if text.line == PASTED:
            return "external"
        if text.part != "result" or text.trust not in {"tool", "file"}:
            return text.trust
        longest_word = max(run, key=len).decode("utf-8", "ignore")
        place = max(self._small(at).find(longest_word), 0) // NEAR * NEAR
        around = text.own_words[max(place - NEAR, 0) : place + 2 * NEAR]
        return "external" if danger(around, text.trust) else text.trust

    def _holds(self, at: int, word: bytes) -> bool:
        escaped = re.escape(word.decode("utf-8", "ignore"))
        pattern = rf"(?<!\w){escaped}(?!\w)"
        return re.search(pattern, self._small(at)) is not None

    def _small(self, at: int) -> str:
        """A text in small letters; the last one is kept, for many runs come from one."""
        if self._lowered[0] != at:
            self._lowered = at, self.texts[at].own_words[:TEXT].lower()
        return self._lowered[1]

    def _was_typed(self, run: Run, before: int) -> bool:
        """Whether a person said it, in their own words."""
        if self._typed is None:
            self._typed = [
                (at, spaced(words_of(text.own_words)))
                for at, text in enumerate(self.texts)
                if text.trust == "user"
            ]
        looked_for = spaced(run)
        return any(looked_for in words for at, words in self._typed if at < before)


def traced(
    findings: Sequence[Finding], trail: Trail
) -> Iterator[list[tuple[Evidence, str]]]:
    """Of each finding, its evidence with the trust of where the words come from, and those words."""
    lineage = Lineage(trail)
    spans = [[lineage.span(span) for span in finding.evidence] for finding in findings]
    origins = lineage.origins(_claims(findings, spans, trail, lineage))
    for finding, row in zip(findings, spans, strict=True):
        pieces: list[tuple[Evidence, str]] = []
        for evidence, span in zip(finding.evidence, row, strict=True):
            if span is None:
                pieces.append((evidence, evidence.quote))
            else:
                pieces.append((_inherited(evidence, next(origins)), span.words))
        yield pieces


def _claims(
    findings: Sequence[Finding],
    spans: Sequence[Sequence[Span | None]],
    trail: Trail,
    lineage: Lineage,
) -> Iterator[tuple[int, Claim]]:
    steps = trail.steps
    for finding, row in zip(findings, spans, strict=True):
        last_act = last_act_of(row)
        for evidence, span in zip(finding.evidence, row, strict=True):
            if span is None:
                continue
            claim = _claim(finding, evidence, span, steps)
            if span is last_act:
                claim.advice = advice_to(finding, row, steps, lineage.results)
            yield span.at, claim


def _claim(
    finding: Finding, evidence: Evidence, span: Span, steps: Sequence[Step]
) -> Claim:
    at = span.text.step
    is_step = at != NO_STEP
    is_request = is_step and evidence.part == "arguments"
    is_answer = is_step and evidence.part == "result"
    in_shell = is_request and is_shell(steps[at].tool)
    claim = claim_of(finding, evidence, span.words, span.text.whole, in_shell)
    if is_request and obeys(steps, at):
        claim.least = "external"
    if is_answer and is_obeyed(steps, at):
        claim.least = "external"
    return claim


def _inherited(evidence: Evidence, origin: Trust | None) -> Evidence:
    if origin is None:
        return evidence
    return replace(evidence, trust=lowest((evidence.trust, origin)))


def _texts(trail: Trail) -> Iterator[Text]:
    steps = {id(step.call): step.index for step in trail.steps}
    for turn in trail.turns:
        if turn.role != "tool":
            yield from _said(turn.line, turn.text, trust.of_turn(turn))
        for call in turn.calls:
            arguments, step = call.arguments, steps.get(id(call), NO_STEP)
            yield Text(call.line, "arguments", arguments, arguments, "assistant", step)
        for call in turn.calls:
            result, step = call.result or "", steps.get(id(call), NO_STEP)
            line = call.line if call.result_line is None else call.result_line
            yield Text(line, "result", result, result, trust.of_result(call), step)


def _said(line: int, text: str, trusted: Trust) -> Iterator[Text]:
    """A message; what a person pasted into theirs is somebody else's."""
    stretches = quoted_at(text) if trusted == "user" else ()
    own_words: list[str] = []
    pasted: list[str] = []
    end = 0
    for start, stop in stretches:
        own_words.append(text[end:start])
        pasted.append(text[start:stop])
        end = stop
    own_words.append(text[end:])
    yield Text(line, "text", text, "\n".join(own_words), trusted)
    if pasted:
        yield Text(PASTED, "text", "", "\n".join(pasted), "file")
