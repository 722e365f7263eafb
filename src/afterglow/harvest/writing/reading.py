"""A lesson read beside its problem: what one event says to it.

An event speaks for a lesson where what ended it is what the lesson says, and against it where the remedy was used and
the same failure came. Both are told by what calls name, never by whole strings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from afterglow.harvest.events.claims import coarse
from afterglow.harvest.writing.cited_lines import (
    NOTHING_CITED,
    Cited,
    cited_in,
    is_borne_out,
)
from afterglow.harvest.writing.episode_words import (
    calls_of,
    errors_of,
    goes_by_error,
    had_turn,
    helping_calls,
    names_between,
    passed_by_itself,
    words_of_error,
)
from afterglow.harvest.writing.lesson_names import (
    LEAVING,
    LessonNames,
    lesson_names,
)
from afterglow.harvest.writing.lesson_words import (
    LessonWords,
    has_hidden_end,
    lesson_words,
)
from afterglow.harvest.writing.named_by_person import is_named_by_person
from afterglow.harvest.writing.names import (
    RUN,
    as_pattern,
    forms_in,
    is_file,
    is_file_name,
    is_form,
    is_path_name,
    is_program,
    is_related,
    is_same_again,
    is_same_call,
    is_typed,
    names_of_call,
    newly_quoted,
    spans,
    words_in,
)
from afterglow.harvest.writing.situation import (
    names_another_check,
    names_another_place,
)
from afterglow.records.problems import Event, FollowingCall, Problem
from afterglow.records.tools import is_shell
from afterglow.records.writing import WrittenAnswer, WrittenCase

Stand = Literal["confirms", "contradicts", "otherwise", "silent"]


def lesson_in(case: WrittenCase) -> Lesson:
    """The lesson of a case, read beside its problem."""
    cited = cited_in(case.answer, case.problem, case.dossier)
    return lesson_of(case.answer, case.problem, cited)


def lesson_of(
    answer: WrittenAnswer, problem: Problem, cited: Cited = NOTHING_CITED
) -> Lesson:
    names = lesson_names(answer.situation, answer.remedy, calls_of(problem.events))
    events = [event for event in problem.events if event.call in cited.calls]
    cited_ends = [event for event in events if event.call in cited.ends]
    failing = tuple(names_of_call(event.tool, event.command) for event in events)
    return Lesson(
        names,
        lesson_words(answer.remedy),
        cited.calls,
        frozenset(e.call for e in cited_ends if is_borne_out(answer.remedy, e)),
        failing,
        frozenset(error for event in events for error in errors_of(event)),
        _objects(answer, events),
        not names.commands and LEAVING.search(answer.remedy) is not None,
        answer.situation,
        answer.remedy,
        problem.key.removeprefix("rule ") if problem.key.startswith("rule ") else "",
    )


def _objects(answer: WrittenAnswer, cited: Sequence[Event]) -> frozenset[str]:
    """Words of code in the lesson that stand both in a cited call and in what it printed, but for its program; of a
    path the longest stretch."""
    lesson_words = words_in(" ".join(spans(f"{answer.situation} {answer.remedy}")))
    words = {
        word
        for event in cited
        for word in lesson_words & words_of_error(event) & words_in(event.command)
        if word not in words_in(event.program)
    }
    return frozenset(
        word for word in words if not any(word in longer for longer in words - {word})
    )


class Lesson(Struct, frozen=True):
    """What a lesson names, the events that its writer cites, what their failing calls name and what these printed.
    `borne_out`: events of which it cites what ended them or what was said there, and nothing there says otherwise.
    `objects` is what lesson, calls and errors name alike: errors that name something else are about that. `leaves_out`:
    nothing is to be run, something is to be left out. `rule` is the linter's that the problem is about."""

    names: LessonNames
    words: LessonWords = LessonWords()
    cited: frozenset[int] = frozenset()
    borne_out: frozenset[int] = frozenset()
    cited_calls: tuple[frozenset[str], ...] = ()
    cited_errors: frozenset[str] = frozenset()
    objects: frozenset[str] = frozenset()
    leaves_out: bool = False
    situation: str = ""
    remedy: str = ""
    rule: str = ""

    def stand(self, event: Event) -> Stand:
        """What one event says to the lesson."""
        if names_another_check(self.situation, event.rules):
            return "silent"
        is_cited = event.call in self.cited
        if not is_cited and names_another_place(self.situation, event):
            return "silent"
        if self._is_silenced_otherwise(event):
            return "otherwise"
        failing = names_of_call(event.tool, event.command)
        if self._is_told_in_words(event, failing):
            return "confirms"
        if self._was_in_use(event, failing):
            return "contradicts"
        if event.call in self.borne_out and not has_hidden_end(event):
            return "confirms"
        if event.remedy is None or not event.remedy.command:
            is_found_out = self.words.are_found_out(event)
            is_further = is_found_out or self._got_further(event, failing)
            return "confirms" if is_further else "silent"
        if self._ended(event, event.remedy, failing):
            return "confirms"
        return "otherwise" if self.is_about(event) else "silent"

    def is_about(self, event: Event) -> bool:
        """The event is the situation of the lesson, and not another cause of the same family."""
        if event.call in self.cited:
            return True
        if event.target and self.files_gone:
            return self.is_gone(event)
        if self.objects and self.objects.isdisjoint(words_of_error(event)):
            return False
        failing = names_of_call(event.tool, event.command)
        named = {name for name in self.names.situation if not name.startswith(RUN)}
        typed = {name for name in named & self.names.lost if is_typed(name)}
        return bool((typed or named) & failing) and self._fails_alike(event)

    def is_of_another(self, event: Event) -> bool:
        """It was about another check of a linter, or answered by a comment that the lesson does not tell: whoever cites
        it has not read that."""
        is_other_check = names_another_check(self.situation, event.rules)
        return is_other_check or self._is_silenced_otherwise(event)

    def _is_silenced_otherwise(self, event: Event) -> bool:
        return bool(self.rule) and self.words.is_silenced_otherwise(event, self.rule)

    @property
    def files_gone(self) -> frozenset[str]:
        """Files of which the lesson says that they are not there."""
        return frozenset(filter(is_file_name, self.names.lost))

    def is_gone(self, event: Event) -> bool:
        """One of them was asked for."""
        return not self.files_gone.isdisjoint(words_in(event.target))

    def is_cited_and_solved(self, event: Event) -> bool:
        return event.call in self.cited and event.remedy is not None

    def _fails_alike(self, event: Event) -> bool:
        return not self.cited_errors or not self.cited_errors.isdisjoint(
            errors_of(event)
        )

    def new_forms(self, event: Event) -> set[str]:
        """The forms that the lesson tells to run and that the failing call did not have."""
        failing = names_of_call(event.tool, event.command)
        names = zip(self.names.commands, self.names.command_names, strict=True)
        return {
            form
            for span, command in names
            if any(map(is_form, command & self.names.gained - failing))
            and is_related(command, failing)
            for form in forms_in(span)
        }

    def _ended(
        self, event: Event, remedy: FollowingCall, failing: frozenset[str]
    ) -> bool:
        ending = names_of_call(remedy.tool, remedy.command)
        if self._is_run_as_told(event.command, remedy.command):
            return True
        if self._brings(ending, failing) or self._leaves_out(event, ending, failing):
            return True
        if is_same_call(ending, failing) and self._changes_words(event, remedy):
            return True
        if self._is_waited_for(event, ending == failing):
            return True
        if self.names.finds_in_folder_above(ending, failing):
            return True
        if self.names.is_quoting and newly_quoted(event.command, remedy.command):
            return True
        if is_same_again(ending, failing) and self._came_between(event, failing):
            return True
        is_cited = event.call in self.cited
        return is_cited and self.words.are_done(event, self.names.gained)

    def _is_waited_for(self, event: Event, is_same: bool) -> bool:
        """The same call passed: by itself, where the lesson says to try again; behind a person's turn, where it says to
        ask them."""
        if self._tells_to_repeat() and is_same and passed_by_itself(event):
            return True
        is_again = event.remedy is not None and event.remedy.again
        return self.words.asks_person and is_again and had_turn(event)

    def _changes_words(self, event: Event, remedy: FollowingCall) -> bool:
        """Of the same call, a text that the lesson shows, or what the error names and is to be left out."""
        if self._changes_literal(event.command, remedy.command):
            return True
        return self.leaves_out and goes_by_error(event, remedy)

    def _came_between(self, event: Event, failing: frozenset[str]) -> bool:
        """The same call again: what helped came between."""
        between = (names_between(call) for call in helping_calls(event))
        return any(self._brings(names, failing) for names in between)

    def _is_run_as_told(self, failing: str, ending: str) -> bool:
        """A command of the remedy was run to the letter, but for what it leaves open, and the failing call was not."""
        return any(
            pattern.search(ending) and not pattern.search(failing)
            for pattern in map(as_pattern, self.names.commands)
        )

    def _tells_to_repeat(self) -> bool:
        """The remedy runs what the situation ran, and nothing else: what failed passes by itself."""
        names = self.names
        has_new = bool(names.literal_parts or names.gained)
        return not has_new and any(
            command <= names.situation for command in names.command_names
        )

    def _changes_literal(self, failing: str, ending: str) -> bool:
        """A text that the lesson shows to the letter stands in one of the calls and not in the other."""
        return any(
            (text in failing) != (text in ending) for text in self.names.literals
        )

    def _got_further(self, event: Event, failing: frozenset[str]) -> bool:
        """Nobody saw the end, but a try that was made as the lesson says did not fail with these words again; or a
        call found the file that the lesson names."""
        error = errors_of(event)
        for call in event.tried:
            names = names_of_call(call.tool, call.command)
            if is_shell(call.tool):
                is_passed = coarse(call.printed) not in error
                is_near = event.call in self.cited or is_related(names, failing)
                is_after_it = is_passed and is_near
                if is_after_it and self._brings(names, failing):
                    return True
                if is_passed and self._is_done_instead(event, call):
                    return True
            elif call.worked and self._finds(names, failing):
                return True
        return False

    def _is_done_instead(self, event: Event, call: FollowingCall) -> bool:
        """Nothing reached the goal, and a cited episode went another way, which the lesson tells."""
        is_way = call.changes and call.worked and event.call in self.cited
        return is_way and self._is_run_as_told(event.command, call.command)

    def _finds(self, names: frozenset[str], failing: frozenset[str]) -> bool:
        paths = {name for name in self.names.gained if is_file(name)}
        return not paths.isdisjoint(names - failing)

    def _brings(self, ending: frozenset[str], failing: frozenset[str]) -> bool:
        """What the remedy brings came: with a program that it runs, or by a name that stands alone."""
        new = self.names.gained & (ending - failing)
        if any(_is_mostly(literal, new) for literal in self.names.literal_parts):
            return True
        return any(
            command & new and any(map(ending.__contains__, filter(is_program, command)))
            for command in self.names.brought
        )

    def _leaves_out(
        self, event: Event, ending: frozenset[str], failing: frozenset[str]
    ) -> bool:
        """The same call without what the lesson says to leave out, and nothing else in its place."""
        if not is_same_call(ending, failing):
            return False
        if self._is_run_without(ending, failing):
            return True
        dropped = self.names.lost & (failing - ending)
        if not dropped:
            return False
        if any(command <= ending for command in self.names.command_names):
            return True
        came = ending - failing
        if any(map(is_typed, dropped)):
            return not any(map(is_typed, came))
        is_replaced = any(map(is_path_name, came)) and any(
            map(is_path_name, self.names.gained)
        )
        return not is_replaced and bool(dropped & words_of_error(event))

    def _is_run_without(self, ending: frozenset[str], failing: frozenset[str]) -> bool:
        """A command of the remedy was run, without a flag or wrapper that the situation has and it has not."""
        dropped = {
            name for name in self.names.situation & failing - ending if is_typed(name)
        }
        return any(
            command <= ending and not dropped <= command
            for command in self.names.command_names
        )

    def _is_told_in_words(self, event: Event, failing: frozenset[str]) -> bool:
        """A person said what the lesson says."""
        if not event.person:
            return False
        if event.call in self.cited and is_named_by_person(self.remedy, event):
            return True
        words = words_in(event.person) - failing
        return any(span in event.person for span in self.names.commands) or any(
            _is_mostly(literal, words) for literal in self.names.literal_parts
        )

    def _was_in_use(self, event: Event, failing: frozenset[str]) -> bool:
        """The failing call was made as the lesson tells, or a try made so failed with the same words."""
        if self.tells(failing) and self.cited_errors and self._fails_alike(event):
            return True
        failed = [call for call in event.tried if not call.worked]
        is_repeated = self._tells_to_repeat() and not self.words.asks_person
        if is_repeated and any(
            names_of_call(call.tool, call.command) == failing for call in failed
        ):
            return True
        error = errors_of(event)
        return any(
            self.tells(names_of_call(call.tool, call.command))
            for call in failed
            if coarse(call.printed) in error
        )

    def runs(self, call: frozenset[str], *, alone: bool = False) -> bool:
        """A command of the remedy was run; `alone`: and nothing that the lesson does not name."""
        named = frozenset().union(self.names.situation, *self.names.command_names)
        if alone and any(name.startswith("task ") for name in call - named):
            return False
        return any(command <= call for command in self.names.command_names)

    def tells(self, call: frozenset[str]) -> bool:
        """Everything that a command of the remedy names stands in the call, and nothing that is to go."""
        is_without = any(is_typed(name) for name in self.names.lost & call)
        if is_without or self.names.is_quoting:
            return False
        new = self._new_names(call)
        return any(
            command <= call and command & new
            for command in self.names.command_names
            if not any(command <= failing for failing in self.cited_calls)
        )

    def _new_names(self, call: frozenset[str]) -> set[str]:
        """What the remedy brings; where the call has nothing of the code beside its commands, flags alone are not it."""
        new = {name for name in self.names.gained if not name.startswith("task ")}
        parts = [part for part in self.names.literal_parts if part <= new]
        if parts and not any(part <= call for part in parts):
            return {name for name in new if not is_typed(name)}
        return new


def _is_mostly(literal: frozenset[str], new: frozenset[str]) -> bool:
    """Of a text in backticks at least half of what it names."""
    return bool(literal) and 2 * len(literal & new) >= len(literal)
