"""Which sessions show a problem and this remedy for it, whether the writer named them or not.

Every event of the problem is looked at, also those the dossier had no room for. What ended it is compared with what the
lesson says by what both name: a flag that came, a wrapper that went, another program, a path, the step between, the
words of an edit. Where a lesson names nothing to compare, only the solved episodes it cites speak for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from afterglow.harvest.events.claims import LINE_END, coarse, is_telling
from afterglow.harvest.user_speech import about
from afterglow.harvest.writing.lesson_names import Calls, LessonNames, lesson_names
from afterglow.harvest.writing.names import (
    SHELL_SIGNS,
    commands_in,
    forms_in,
    names_of_call,
    words_in,
)
from afterglow.records.problems import (
    Dossier,
    Event,
    FollowingCall,
    Problem,
    SessionEvents,
)
from afterglow.records.tools import is_shell
from afterglow.records.writing import Witness, Witnesses, WrittenAnswer, WrittenCase

# As where sentences of a person are grouped: two words, and a third of all, make them about the same.
MIN_SHARED_WORDS = 2
SHARED_WORDS = 0.34
MAX_COMPARED_WORDS = 20  # of a sentence
MAX_LESSON_WORDS = 60  # of a lesson: all of them
MAX_EPISODE_WORDS = 400  # of an episode: all of them, but no file's body
# Of a sub-command that names what a call of another tool does; shorter ones (`add`, `run`) are in many.
MIN_TASK_CHARACTERS = 5
# Names of which it is known what they do in a call; a path or a plain word may be any.
_TYPED = ("flag ", "wrapper ", "variable ", "several ")
_RUN = ("program ", "run ", "task ", "tool ")

Stand = Literal["confirms", "contradicts", "otherwise", "silent"]


def witnesses_of(
    answer: WrittenAnswer,
    problem: Problem,
    dossier: Dossier,
    history: Sequence[SessionEvents] = (),
) -> Witnesses:
    """Every session that speaks for the lesson or against it. `history` is everything that ran in the repository."""
    cited = _cited_events(answer, problem, dossier)
    if answer.scope == "user" or problem.kind == "person":
        return _people(answer, problem.events, cited)
    lesson = lesson_of(answer, problem, cited)
    stands = _stands(lesson, problem.events)
    confirming = [_witness(event) for event, stand in stands if stand == "confirms"]
    contradicting = [
        _witness(event) for event, stand in stands if stand == "contradicts"
    ]
    silent = [event for event, stand in stands if stand == "silent"]
    confirming += _ran_later(lesson, silent, history)
    return Witnesses(
        tuple(confirming),
        tuple(contradicting),
        sum(stand == "otherwise" for _, stand in stands),
    )


def _stands(lesson: Lesson, events: Iterable[Event]) -> list[tuple[Event, Stand]]:
    """What each event says. Where nothing is told to be run and the names are examples, one cited episode that shows
    them vouches for the solved ones beside it."""
    stands = [(event, lesson.stand(event)) for event in events]
    is_shown = any(
        stand == "confirms" and event.call in lesson.cited for event, stand in stands
    )
    if lesson.names.commands or not is_shown:
        return stands
    return [
        (event, "confirms" if lesson.is_cited_and_solved(event) else stand)
        for event, stand in stands
    ]


def lesson_in(case: WrittenCase) -> Lesson:
    """The lesson of a case, read beside its problem."""
    cited = _cited_events(case.answer, case.problem, case.dossier)
    return lesson_of(case.answer, case.problem, cited)


def _ran_later(
    lesson: Lesson, silent: Sequence[Event], history: Sequence[SessionEvents]
) -> Iterator[Witness]:
    """Sessions whose problem has no end that anybody saw, and which ran what the lesson tells, and well, behind it."""
    runs = {
        session.events[0].session: session.runs for session in history if session.events
    }
    for event in silent:
        forms = lesson.new_forms(event)
        session_runs = runs.get(event.session, {})
        lines = [run.last for form in forms if (run := session_runs.get(form))]
        later = [line for line in lines if line > event.line]
        if later and lesson.is_about(event):
            yield Witness(event.session, event.line, min(later), event.time)


def lesson_of(
    answer: WrittenAnswer, problem: Problem, cited: frozenset[int] = frozenset()
) -> Lesson:
    names = lesson_names(answer.situation, answer.remedy, calls_of(problem.events))
    events = [event for event in problem.events if event.call in cited]
    return Lesson(
        names,
        _about(answer.remedy, MAX_LESSON_WORDS),
        cited,
        tuple(names_of_call(event.tool, event.command) for event in events),
        frozenset(error for event in events for error in _errors(event)),
    )


def calls_of(events: Iterable[Event]) -> Calls:
    """What the calls of a problem name."""
    listed = list(events)
    endings = [event.remedy for event in listed if event.remedy]
    helping = [call for event in listed for call in _helping(event)]
    return Calls(
        tuple(names_of_call(event.tool, event.command) for event in listed),
        tuple(names_of_call(call.tool, call.command) for call in endings + helping),
        tuple(line.text for event in listed for line in event.lines),
    )


def _witness(event: Event) -> Witness:
    remedy_line = event.remedy.line if event.remedy else 0
    return Witness(event.session, event.line, remedy_line, event.time)


def _cited_events(
    answer: WrittenAnswer, problem: Problem, dossier: Dossier
) -> frozenset[int]:
    """The calls of the events that a writer points at, by any of their lines."""
    places = {
        (line.session, line.line)
        for line in dossier.lines
        if line.number in answer.cites
    }
    return frozenset(
        event.call
        for event in problem.events
        if places.intersection((event.session, line) for line in _lines(event))
    )


def _lines(event: Event) -> Iterable[int]:
    following = [*event.tried, event.remedy] if event.remedy else event.tried
    return {event.line, event.result_line, *(call.line for call in following if call)}


class Lesson(Struct, frozen=True):
    """What a lesson names, the events that its writer cites, what their failing calls name and what these printed."""

    names: LessonNames
    words: frozenset[str] = frozenset()
    cited: frozenset[int] = frozenset()
    cited_calls: tuple[frozenset[str], ...] = ()
    cited_errors: frozenset[str] = frozenset()

    def stand(self, event: Event) -> Stand:
        """What one event says to the lesson."""
        failing = names_of_call(event.tool, event.command)
        if self._is_told_in_words(event, failing):
            return "confirms"
        if self._was_in_use(event, failing):
            return "contradicts"
        if event.remedy is None or not event.remedy.command:
            return "confirms" if self._got_further(event, failing) else "silent"
        if self._ended(event, event.remedy, failing):
            return "confirms"
        return "otherwise" if self.is_about(event) else "silent"

    def is_about(self, event: Event) -> bool:
        """The event is the situation of the lesson, and not another cause of the same family."""
        if event.call in self.cited:
            return True
        failing = names_of_call(event.tool, event.command)
        named = {name for name in self.names.situation if not name.startswith(_RUN)}
        typed = {name for name in named & self.names.lost if _is_typed(name)}
        return bool((typed or named) & failing) and self._fails_alike(event)

    def is_cited_and_solved(self, event: Event) -> bool:
        return event.call in self.cited and event.remedy is not None

    def _fails_alike(self, event: Event) -> bool:
        return not self.cited_errors or not self.cited_errors.isdisjoint(_errors(event))

    def new_forms(self, event: Event) -> set[str]:
        """The forms that the lesson tells to run and that the failing call did not have."""
        failing = names_of_call(event.tool, event.command)
        names = zip(self.names.commands, self.names.command_names, strict=True)
        return {
            form
            for span, command in names
            if any(map(_is_form, command & self.names.gained - failing))
            and _is_related(command, failing)
            for form in forms_in(span)
        }

    def _ended(
        self, event: Event, remedy: FollowingCall, failing: frozenset[str]
    ) -> bool:
        ending = names_of_call(remedy.tool, remedy.command)
        if self._brings(ending, failing) or self._leaves_out(event, ending, failing):
            return True
        is_same = _is_same_call(ending, failing)
        if is_same and self._changes_literal(event.command, remedy.command):
            return True
        if self.names.is_quoting and _quotes(event, remedy):
            return True
        if failing <= ending:  # the same call again: what helped came between
            between = (_names_between(call) for call in _helping(event))
            if any(self._brings(names, failing) for names in between):
                return True
        return event.call in self.cited and self._rests_on_words(event)

    def _rests_on_words(self, event: Event) -> bool:
        """Nothing is told to be run and nothing named, so the episode itself must speak of what the lesson says."""
        if self.names.commands or self.names.literal_parts:
            return False
        shared = self.words & _about(_text_of(event), MAX_EPISODE_WORDS)
        return len(shared) >= MIN_SHARED_WORDS

    def _changes_literal(self, failing: str, ending: str) -> bool:
        """A text that the lesson shows to the letter stands in one of the calls and not in the other."""
        return any(
            (text in failing) != (text in ending) for text in self.names.literals
        )

    def _got_further(self, event: Event, failing: frozenset[str]) -> bool:
        """Nobody saw the end, but a try that was made as the lesson says did not fail with these words again; or a
        call found the file that the lesson names."""
        error = _errors(event)
        for call in event.tried:
            names = names_of_call(call.tool, call.command)
            if is_shell(call.tool):
                is_passed = coarse(call.printed) not in error
                is_after_it = is_passed and _is_related(names, failing)
                if is_after_it and self._brings(names, failing):
                    return True
            elif call.worked and self._finds(names, failing):
                return True
        return False

    def _finds(self, names: frozenset[str], failing: frozenset[str]) -> bool:
        paths = {name for name in self.names.gained if _is_file(name)}
        return not paths.isdisjoint(names - failing)

    def _brings(self, ending: frozenset[str], failing: frozenset[str]) -> bool:
        """What the remedy brings came: with a program that it runs, or by a name that stands alone."""
        new = self.names.gained & (ending - failing)
        if any(_is_mostly(literal, new) for literal in self.names.literal_parts):
            return True
        return any(
            command & new and any(map(ending.__contains__, filter(_is_run, command)))
            for command in self.names.brought
        )

    def _leaves_out(
        self, event: Event, ending: frozenset[str], failing: frozenset[str]
    ) -> bool:
        """The same call without what the lesson says to leave out, and nothing else in its place."""
        if not _is_same_call(ending, failing):
            return False
        if self._is_run_without(ending, failing):
            return True
        dropped = self.names.lost & (failing - ending)
        if not dropped:
            return False
        if any(command <= ending for command in self.names.command_names):
            return True
        came = ending - failing
        if any(map(_is_typed, dropped)):
            return not any(map(_is_typed, came))
        is_replaced = any(map(_is_path, came)) and any(map(_is_path, self.names.gained))
        return not is_replaced and bool(dropped & _words_of_error(event))

    def _is_run_without(self, ending: frozenset[str], failing: frozenset[str]) -> bool:
        """A command of the remedy was run, without a flag or wrapper that the situation has and it has not."""
        dropped = {
            name for name in self.names.situation & failing - ending if _is_typed(name)
        }
        return any(
            command <= ending and not dropped <= command
            for command in self.names.command_names
        )

    def _is_told_in_words(self, event: Event, failing: frozenset[str]) -> bool:
        """A person said what the lesson says."""
        words = words_in(event.person) - failing
        return bool(self.names.gained & words)

    def _was_in_use(self, event: Event, failing: frozenset[str]) -> bool:
        """The failing call was made as the lesson tells, or a try made so failed with the same words."""
        if self.tells(failing) and self.cited_errors and self._fails_alike(event):
            return True
        error = _errors(event)
        return any(
            not call.worked
            and coarse(call.printed) in error
            and self.tells(names_of_call(call.tool, call.command))
            for call in event.tried
        )

    def tells(self, call: frozenset[str]) -> bool:
        """Everything that a command of the remedy names stands in the call, and nothing that is to go."""
        is_without = any(_is_typed(name) for name in self.names.lost & call)
        if is_without or self.names.is_quoting:
            return False
        new = {name for name in self.names.gained if not name.startswith("task ")}
        return any(
            command <= call and command & new
            for command in self.names.command_names
            if not any(command <= failing for failing in self.cited_calls)
        )


def _errors(event: Event) -> set[str]:
    """The telling lines of an event by the words that stay the same; without those that say nothing by themselves."""
    return {words for line in event.lines if is_telling(words := coarse(line.text))}


def _is_typed(name: str) -> bool:
    return name.startswith(_TYPED)


def _is_mostly(literal: frozenset[str], new: frozenset[str]) -> bool:
    """Of a text in backticks at least half of what it names."""
    return bool(literal) and 2 * len(literal & new) >= len(literal)


def _is_run(name: str) -> bool:
    return name.startswith("program ")


def _is_form(name: str) -> bool:
    return name.startswith((*_TYPED, *_RUN))


def _is_file(name: str) -> bool:
    """A path that ends in a name with a suffix."""
    return _is_path(name) and "." in name.rpartition("/")[2]


def _is_path(name: str) -> bool:
    return "/" in name and " " not in name


def _words_of_error(event: Event) -> frozenset[str]:
    return frozenset().union(*(words_in(line.text) for line in event.lines))


def _is_related(call: frozenset[str], failing: frozenset[str]) -> bool:
    """Runs the same program, works on the same file or deep in the same folder, or does what the other is called by."""
    shared = call & failing
    if any(_is_run(name) or _is_place(name) for name in shared):
        return True
    tasks = (name.split()[-1] for name in call if name.startswith("task "))
    return any(len(word) >= MIN_TASK_CHARACTERS and word in failing for word in tasks)


def _is_place(name: str) -> bool:
    """A file's name, or a path of three parts and more."""
    is_file_name = "." in name and "/" not in name and " " not in name
    return is_file_name or name.count("/") >= 2


def _is_same_call(ending: frozenset[str], failing: frozenset[str]) -> bool:
    """One task of both is the same; the program, where it has no tasks."""
    tasks = {name for name in failing if name.startswith("task ")}
    if tasks:
        return not tasks.isdisjoint(ending)
    return any(name.startswith(_RUN) for name in ending & failing)


def _helping(event: Event) -> list[FollowingCall]:
    return [call for call in event.tried if call.worked]


def _text_of(event: Event) -> str:
    """All that an episode shows."""
    calls = [*event.tried, event.remedy] if event.remedy else event.tried
    texts = [event.command, event.because, event.person]
    texts += [line.text for line in event.lines]
    texts += [f"{call.command} {call.printed}" for call in calls if call]
    return " ".join(texts)


def _names_between(call: FollowingCall) -> frozenset[str]:
    """What a step names between two runs of the same call: of an edit its changed lines, not its file."""
    if is_shell(call.tool):
        return names_of_call(call.tool, call.command)
    return words_in(call.command.partition(LINE_END)[2])


def _quotes(event: Event, remedy: FollowingCall) -> bool:
    """A word with a sign of the shell stood bare, and is quoted in what worked."""
    if not is_shell(event.tool) or not is_shell(remedy.tool):
        return False
    return bool(_bare_words(event.command) & _quoted_words(remedy.command))


def _bare_words(line: str) -> set[str]:
    return {word for word, written in _signed_words(line) if word == written}


def _quoted_words(line: str) -> set[str]:
    return {word for word, written in _signed_words(line) if word != written}


def _signed_words(line: str) -> list[tuple[str, str]]:
    return [
        (word, written)
        for command in commands_in(line)
        for word, written in zip(command.words, command.written, strict=True)
        if not SHELL_SIGNS.isdisjoint(word)
    ]


def _people(
    answer: WrittenAnswer, events: Sequence[Event], cited: frozenset[int]
) -> Witnesses:
    """Sessions in which a person said it: a cited sentence, one that is about the same, or a refusal of the same call."""
    sentences = [_about(event.person) for event in events if event.call in cited]
    sentences = [words for words in sentences if words]
    names = lesson_names(answer.situation, answer.remedy, calls_of(events))
    lesson_words = _about(f"{answer.situation} {answer.remedy}", MAX_LESSON_WORDS)
    confirming = [
        event
        for event in events
        if (_is_said(event, cited, sentences) and _shares_word(event, lesson_words))
        or _is_refused(event, names)
    ]
    return Witnesses(tuple(map(_witness, confirming)))


def _is_said(
    event: Event, cited: frozenset[int], sentences: Sequence[frozenset[str]]
) -> bool:
    """A sentence that is cited, or one that is about the same."""
    words = _about(event.person)
    return event.call in cited or any(_is_alike(words, said) for said in sentences)


def _shares_word(event: Event, lesson_words: frozenset[str]) -> bool:
    """The lesson is about what was said there, or about the call that was refused without a word."""
    return not lesson_words.isdisjoint(_about(event.person or event.command))


def _about(sentence: str, most: int = MAX_COMPARED_WORDS) -> frozenset[str]:
    return frozenset(about(sentence, most=most).split())


def _is_alike(words: frozenset[str], cited: frozenset[str]) -> bool:
    shared = len(words & cited)
    return shared >= MIN_SHARED_WORDS and shared >= SHARED_WORDS * len(words | cited)


def _is_refused(event: Event, names: LessonNames) -> bool:
    """A person said no to a call that the situation names."""
    if event.kind != "refused":
        return False
    refused = names_of_call(event.tool, event.command)
    return any(command <= refused for command in names.situation_commands)
