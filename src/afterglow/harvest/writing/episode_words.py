"""What one episode shows, as a lesson is held against it: the words of its errors, of its calls, and of all of it."""

from __future__ import annotations

from collections.abc import Iterable

from afterglow.harvest.events.claims import LINE_END, coarse, is_telling
from afterglow.harvest.user_speech import about
from afterglow.harvest.writing.lesson_names import Calls
from afterglow.harvest.writing.names import is_path_name, names_of_call, words_in
from afterglow.records.problems import Event, FollowingCall
from afterglow.records.tools import is_shell

# Of English words, where plural, "-ing" and "-ed" are gone: "shar" of "shared" beside "share".
_FURTHER_ENDINGS = ("ion", "e")
MIN_ROOT = 2  # letters that are left of a word, at least one more


def errors_of(event: Event) -> set[str]:
    """The telling lines of an event by the words that stay the same; without those that say nothing by themselves."""
    return {words for line in event.lines if is_telling(words := coarse(line.text))}


def words_of_error(event: Event) -> frozenset[str]:
    return frozenset().union(*(words_in(line.text) for line in event.lines))


def goes_by_error(event: Event, remedy: FollowingCall) -> bool:
    """A path that the error names stood in the call and is not in the one that ended it, which has no new one."""
    before, after = words_in(event.command), words_in(remedy.command)
    went = {name for name in before - after if is_path_name(name)}
    came = {name for name in after - before if is_path_name(name)}
    return not came and not went.isdisjoint(words_of_error(event))


def helping_calls(event: Event) -> list[FollowingCall]:
    return [call for call in event.tried if call.worked]


def deeds_of(event: Event) -> str:
    """What was done and said in an episode by its agent and its person, and what a linter says of its rule: whatever else
    programs print is nobody's deed."""
    texts = [event.command, event.because, event.person]
    texts += [call.command for call in event.following]
    reports = [line.text for line in event.lines] if event.rules else []
    return " ".join([*texts, *reports])


def names_between(call: FollowingCall) -> frozenset[str]:
    """What a step names between two runs of the same call: of an edit its changed lines, not its file."""
    if is_shell(call.tool):
        return names_of_call(call.tool, call.command)
    return words_in(call.command.partition(LINE_END)[2])


def words_about(sentence: str, most: int) -> frozenset[str]:
    """What a text is about, in words that are the same in other sentences about it: `share` and "shared", `duplicate`
    and "duplication"."""
    return frozenset(map(_root, about(sentence, most=most).split()))


def _root(word: str) -> str:
    """What is left of a word that has lost its commonest endings already."""
    ending = next(filter(word.endswith, _FURTHER_ENDINGS), "")
    return word.removesuffix(ending) if len(word) > len(ending) + MIN_ROOT else word


def calls_of(events: Iterable[Event]) -> Calls:
    """What the calls of a problem name."""
    listed = list(events)
    endings = [event.remedy for event in listed if event.remedy]
    helping = [call for event in listed for call in helping_calls(event)]
    return Calls(
        tuple(names_of_call(event.tool, event.command) for event in listed),
        tuple(names_of_call(call.tool, call.command) for call in endings + helping),
        tuple(line.text for event in listed for line in event.lines),
    )


def had_turn(event: Event) -> bool:
    """A person did something or spoke before it passed."""
    return bool(event.turns or event.person)


def passed_by_itself(event: Event) -> bool:
    """Nothing was changed in between, and no person did something or spoke."""
    return not (helping_calls(event) or had_turn(event))
