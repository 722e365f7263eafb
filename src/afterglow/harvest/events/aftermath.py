"""What followed a failure: what was tried and changed, the call that reached the goal, what was said, what it cost."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from afterglow.calls import Edit, effects_of, lasting_name, only_shows, program
from afterglow.harvest import trust
from afterglow.harvest.events.call_text import (
    call_text,
    change_text,
    is_named,
    plain_call,
    whole_call,
)
from afterglow.harvest.events.failures import Symptom, ended_well
from afterglow.harvest.events.goals import (
    CHANGING,
    checks_otherwise,
    distinct_words,
    has_same_goal,
    is_same_call,
    is_similar,
    numbers_of,
)
from afterglow.harvest.events.mending import about, mended_by
from afterglow.harvest.events.refused_names import got_otherwise
from afterglow.harvest.events.said_by_agent import About, telling_sentence
from afterglow.harvest.events.said_by_agent import words_in as _words
from afterglow.harvest.events.spoken_words import (
    Words,
    first_short,
    spoken,
    words_after,
)
from afterglow.harvest.lint_lines import Lint
from afterglow.harvest.trail import Step, Trail
from afterglow.harvest.user_speech import is_common, is_short, is_speech
from afterglow.records.problems import FollowingCall
from afterglow.records.session import Turn
from afterglow.text.clip import clip, uncoloured
from afterglow.text.fingerprint import is_noise, telling_line

# Calls behind a failure in which its goal is looked for: 95 of 100 are solved within the first number. The same call
# once more is looked for further on: it is the goal beyond doubt.
MAX_REACH, MAX_REACH_OF_SAME_CALL = 16, 40
# Families of programs that prepare no call by what they do.
_PASSING = frozenset({"setup", "pause"})
MAX_ATTEMPTS = 2  # further failures on the way that are kept: the first and the last
MAX_CHANGES = 6  # changes on the way that are kept, those that the failure names first
MAX_READ_OF_OUTPUT = 6_000  # characters of the failing output that may name a file
MAX_END_READ = (
    2_000  # characters of an output or a message in which a line is looked for
)
MAX_PRINTED_CHARACTERS = 100  # of what a call printed: that it worked, and how it looks
MAX_DATA_CHARACTERS = 40  # of data that it printed: enough to see that it did
# Turns behind a failure, in which a person answers what they were told of it.
MAX_TURNS_TO_ANSWER = 24
MAX_LOOKS_BESIDE = 6  # calls behind a look in vain, in which the right place is found

_BEHIND_THE_END = re.compile(r"\s*<system-reminder>[^<]{1,80}\bis shorter than\b")
# Sub-commands of every tool that keeps versions: they hand on a change that was made before.
_DELIVERING = frozenset({("add",), ("commit",), ("push",)})


class Aftermath(Struct, frozen=True):
    """See the fields of `Event` with these names."""

    calls: int = 0
    turns: int = 0
    tried: tuple[FollowingCall, ...] = ()
    remedy: FollowingCall | None = None
    because: str = ""
    person: Words = Words()


def aftermath(
    trail: Trail,
    step: Step,
    wrong: Sequence[Symptom | None],
    lints: Sequence[Lint] = (),
) -> Aftermath:
    """`wrong` says what is wrong with each call of the session; `lints` are the reports of the failed one."""
    failure = _Failure(trail, step, wrong)
    reached = failure.reached()
    end = reached.index if reached else step.index + 1 + MAX_REACH
    on_the_way = trail.steps[step.index + 1 : end]
    attempts = [later for later in on_the_way if _is_attempt(step, later)]
    failure.mended = mended_by(on_the_way, lints)
    last = reached or [step, *attempts][-1]
    turns_between = trail.turns[step.turn + 1 : last.turn + 1]
    speech = list(filter(is_speech, turns_between))
    person = failure.words_of(speech, last, is_reached=reached is not None)
    failure.named_by_person = _telling_words(person.text) - failure.words
    tries = failure.telling_tries(on_the_way, attempts, is_reached=reached is not None)
    got = got_otherwise(
        trail.steps[step.index :], failure.symptom.text, failure.ended_well
    )
    if got is not None and got.step is not reached:
        tries = [*(later for later in tries if later is not got.step), got.step]
        failure.got[got.step.index] = got.name
    return Aftermath(
        calls=1 + min(len(on_the_way if reached else attempts), MAX_REACH),
        turns=len(speech),
        tried=tuple(map(failure.following, tries)),
        remedy=failure.following(reached) if reached else None,
        because=failure.cause(reached),
        person=person,
    )


class _Failure:
    """A failed call in its session; `wrong` says what is wrong with each call of it. `command` is what failed where
    that is one of several in its line."""

    def __init__(
        self, trail: Trail, step: Step, wrong: Sequence[Symptom | None]
    ) -> None:
        self.trail, self.step, self.wrong = trail, step, wrong
        self.symptom = wrong[step.index] or Symptom("failed")
        self.output = _output(step)
        text = call_text(step, self.symptom.text)
        self.command = text if text.startswith("…") else ""
        # What it is about: the call, and what was said of the failure.
        self.told = _words(self.symptom.text) or _words(self.output)
        self.words = distinct_words(step) | self.told
        self.mended: dict[int, list[Lint]] = {}  # by the calls whose edits did
        self.named_by_person: frozenset[str] = frozenset()  # what it does not name
        self.got: dict[int, str] = {}  # what it was refused, by the calls that got it

    def reached(self) -> Step | None:
        """The call that got what the failed one was after: the same call again, or another before it."""
        start = self.step.index + 1
        after = self.trail.steps[start : start + MAX_REACH_OF_SAME_CALL]
        good = list(filter(self.ended_well, after))
        again = next((later for later in good if is_same_call(self.step, later)), None)
        end = again.index if again else len(self.trail.steps)
        near = [later for later in good if later.index < min(end, start + MAX_REACH)]
        if self.symptom.elsewhere:  # another look at it passes nothing
            return again
        is_check = "checks" in self.step.action.effects and again is not None
        if is_check:
            return next(filter(self._passes, near), again)
        return self._most_of_it(list(filter(self._serves, near))) or again

    def _most_of_it(self, serving: Sequence[Step]) -> Step | None:
        """The first that serves; but of a call that names two things by number, a run and its job, one that asks for
        the other thing says more."""
        numbers = numbers_of(self.step)
        if len(numbers) < 2 or not serving:
            return next(iter(serving), None)
        further = numbers - numbers_of(serving[0])
        return next(
            (later for later in serving if further & numbers_of(later)), serving[0]
        )

    def ended_well(self, later: Step) -> bool:
        """Nothing is wrong with it; or it got the log of something that failed elsewhere, and that was asked for. A file
        that was read behind its end showed nothing."""
        symptom = self.wrong[later.index]
        if not ended_well(later, symptom):
            return False
        if _BEHIND_THE_END.match(later.call.result or ""):
            return False
        return symptom is None or (symptom.elsewhere and not self.symptom.elsewhere)

    def _passes(self, later: Step) -> bool:
        """Where nothing but the same check can pass."""
        return is_similar(self.step, later) and not checks_otherwise(self.step, later)

    def _serves(self, later: Step) -> bool:
        return has_same_goal(self.step, later, self.symptom.text)

    def words_of(
        self, speech: Sequence[Turn], last: Step, *, is_reached: bool
    ) -> Words:
        """What a person said of it: about it, beside it, or when they were told of it."""
        words = self.words_about(speech) or self.words_beside(speech, last)
        return words or (Words() if is_reached else self.words_when_told())

    def words_about(self, speech: Sequence[Turn]) -> Words:
        """What a person said on the way about the failure: something of it is named."""
        naming = (turn for turn in speech if _words(turn.text) & self.words)
        return spoken(next(naming, None))

    def words_beside(self, speech: Sequence[Turn], last: Step) -> Words:
        """What else a person said: directly behind the call, or behind the last try. Where the same call passed behind
        a short message, that too: whoever unlocks a key says "ok, done" and names nothing."""
        words = words_after(self.trail, self.step)
        if words or self.step.looks:
            return words
        is_again = last is not self.step and is_same_call(self.step, last)
        return words_after(self.trail, last) or (
            first_short(speech) if is_again else Words()
        )

    def words_when_told(self) -> Words:
        """What a person answered when the agent gave up and told them: its last message before theirs names the failure."""
        before = ""
        turns = self.trail.turns[self.step.turn + 1 :]
        for turn in turns[:MAX_TURNS_TO_ANSWER]:
            if is_speech(turn):
                is_told = bool(_words(before[:MAX_END_READ]) & self.told)
                return spoken(turn if is_told and is_short(turn.text) else None)
            if turn.role == "assistant" and turn.text:
                before = turn.text
        return Words()

    def cause(self, reached: Step | None) -> str:
        """What the assistant said about it until its goal was reached."""
        failing = _words(plain_call(self.step))
        new = _words(plain_call(reached)) - failing if reached else frozenset()
        return telling_sentence(self.trail, self.step, reached, About(self.told, new))

    def telling_tries(
        self, on_the_way: Sequence[Step], attempts: Sequence[Step], *, is_reached: bool
    ) -> list[Step]:
        """What was tried in vain, and what changed something; looking around is left out."""
        in_vain = [later for later in attempts if not self.ended_well(later)]
        chosen = in_vain[:1] + in_vain[1:][-(MAX_ATTEMPTS - 1) :]
        is_other_work = self.step.looks and not self.symptom.elsewhere
        if is_reached or not is_other_work:
            changes = [later for later in on_the_way if later not in in_vain]
            chosen += self._changes(changes)
        if self.step.looks:
            looks = list(filter(self._looks_next, attempts))
            beside = list(filter(self._looks_beside, on_the_way[:MAX_LOOKS_BESIDE]))
            nearest = (looks or beside)[:1]
            reads = [
                later
                for later in beside
                if later.action.kind == "read" and later not in nearest
            ]
            chosen += [*nearest, *reads[:1]]
        return sorted(chosen, key=lambda later: later.index)

    def _changes(self, on_the_way: Sequence[Step]) -> list[Step]:
        """What changed something, what the failure or a person names first; with edits, not what merely hands them on."""
        changes = [
            later for later in on_the_way if later.ok and _changes_something(later)
        ]
        if any(later.edits for later in changes):
            changes = [later for later in changes if not _only_delivers(later)]
        return sorted(changes, key=self._farness)[:MAX_CHANGES]

    def _farness(self, later: Step) -> tuple[bool, bool, int]:
        is_named = _names(later, self.output) or bool(
            self.named_by_person & _words(plain_call(later))
        )
        return later.index not in self.mended, not is_named, -later.index

    def _looks_next(self, later: Step) -> bool:
        is_same_look = later.action.goal == self.step.action.goal
        return is_same_look and self.ended_well(later)

    def _looks_beside(self, later: Step) -> bool:
        """A look at the folder of what was not there, or at something in it."""
        folder = self.step.action.arguments.file.rpartition("/")[0]
        parts = "/".join(folder.split("/")[-2:])
        is_look = later.looks and self.ended_well(later)
        return is_look and len(parts) > 1 and parts in plain_call(later)

    def following(self, later: Step) -> FollowingCall:
        """A call behind the failed one. An edit is shown with the lines it changed; of anything else, what it printed."""
        call, symptom = later.call, self.wrong[later.index]
        command = whole_call(later, self.command, self.trail.session.cwd)
        mended = self.mended.get(later.index, [])
        edits = self._rewritten(later) or later.action.edits
        change = change_text(edits, about(mended) or self.output)
        is_quiet = later.action.kind in {"read", "edit", "write"}
        return FollowingCall(
            line=call.line,
            tool=call.tool,
            command=f"{command}\n{change}".strip() if command else "",
            worked=not later.failed and (symptom is None or symptom.elsewhere),
            printed="" if is_quiet else _printed(later, symptom),
            trust=trust.of_result(call),
            again=is_same_call(self.step, later) and not _does_more(self.step, later),
            changes=_changes_something(later),
            edits=later.action.only_edits,
            mends=tuple(lint.rule for lint in mended),
            got=self.got.get(later.index, ""),
        )

    def _rewritten(self, later: Step) -> tuple[Edit, ...]:
        """What changed in a file that was written once more as a whole: the session wrote it before."""
        written = later.action.written
        if written is None:
            return ()
        earlier = (
            step.action.written
            for step in reversed(self.trail.steps[: later.index])
            if step.ok
        )
        of_file = (edit for edit in earlier if edit and edit.path == written.path)
        before = next(of_file, None)
        return (Edit(written.path, before.new, written.new),) if before else ()


def _does_more(step: Step, later: Step) -> bool:
    """A line that does something else before the same call: that may be what helped."""
    commands_before = {lasting_name(command) for command in step.action.commands}
    return any(
        lasting_name(command) not in commands_before
        and not only_shows(command)
        and effects_of(command) != {"looks"}
        and program(command.program).family not in _PASSING
        for command in later.action.working
    )


def _is_attempt(step: Step, later: Step) -> bool:
    return later.tool == step.tool and (
        later.action.goal == step.action.goal or has_same_goal(step, later)
    )


def _changes_something(step: Step) -> bool:
    """An edit, or a command that does more than look and check; also one of which nobody can tell what it does."""
    if step.edits or step.action.effects & CHANGING:
        return True
    return step.action.kind == "shell" and not step.action.effects


def _only_delivers(step: Step) -> bool:
    """Commits or sends what was changed before: `git add x && git commit`, not `cargo add x`."""
    working = [item for item in step.action.working if not only_shows(item)]
    return bool(working) and all(
        item.subcommand[:1] in _DELIVERING and "installs" not in effects_of(item)
        for item in working
    )


def _names(step: Step, output: str) -> bool:
    """Whether the failing output speaks of what a change was made to."""
    if step.action.edits:
        return any(is_named(edit, output) for edit in step.action.edits)
    if step.action.written:
        return is_named(step.action.written, output)
    return any(word in output for word in distinct_words(step))


def _output(step: Step) -> str:
    return (step.call.result or step.call.error)[-MAX_READ_OF_OUTPUT:]


def _printed(step: Step, symptom: Symptom | None) -> str:
    """The line that says most: of a failure the telling one, of a look the first, of anything else the last."""
    text = uncoloured(step.call.result or "")
    if symptom is not None and symptom.lines:
        return clip(symptom.lines[0].text.strip(), MAX_PRINTED_CHARACTERS)
    if step.failed:
        return clip(telling_line(step.call.error or text), MAX_PRINTED_CHARACTERS)
    part = text[:MAX_END_READ] if step.looks else text[-MAX_END_READ:]
    lines = part.splitlines()
    lines_that_say = map(_said, lines if step.looks else reversed(lines))
    line = next(filter(None, lines_that_say), "(nothing)")
    is_data = line.startswith(("{", "["))
    return clip(line, MAX_DATA_CHARACTERS if is_data else MAX_PRINTED_CHARACTERS)


def _said(raw: str) -> str:
    """A line of an output; empty where it says nothing."""
    line = raw.strip()
    return "" if is_noise(line) else line


def _telling_words(text: str) -> frozenset[str]:
    return frozenset(word for word in _words(text) if not is_common(word))
