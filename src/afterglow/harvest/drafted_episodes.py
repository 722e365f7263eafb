"""A line that may stand in a dossier, and the lines of one episode: the failure, what was said, what ended it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from msgspec import Struct
from msgspec.structs import replace

from afterglow.harvest.causes import MIN_SESSIONS_OF_CAUSE
from afterglow.harvest.endings import (
    helping_changes,
    is_edit,
    lines_of,
    manner_of,
)
from afterglow.harvest.episodes import Episode
from afterglow.harvest.events.claims import LINE_END, REPORT, coarse
from afterglow.harvest.screen import danger
from afterglow.records.knowledge import Trust
from afterglow.records.problems import Event, FollowingCall, LinePart, TellingLine
from afterglow.records.tools import is_shell
from afterglow.text.clip import clip
from afterglow.text.numbers import count, day

MAX_CALL_CHARACTERS = 240  # of a failing call; what ended it is never cut
MAX_TELLING_CHARACTERS = 220  # of a line that says what is wrong: what comes behind is the inside of a program
MAX_VERDICT = (
    40  # characters of what a call printed that says little but that it worked
)
MAX_WORD_CHARACTERS = 80  # of one word of such a line
# Of a call that worked: a longer one that is mostly the failing one is told by what changed, in a few places.
MAX_WHOLE_CALL_CHARACTERS = 120
MOSTLY_THE_SAME, MAX_CHANGED_PIECES = 0.6, 3
ID_CHARACTERS = 4  # by which sessions of one dossier are told apart: the last ones vary

_FOLDERS = re.compile(r"^(?:[\w@.-]*/)+(?=[\w@.-]+[:(]\d)")
_IN_SESSIONS = re.compile(r" \(so in \d+ sessions\)")
_QUOTED = re.compile(r"(\"[^\"\n]{40})[^\"\n]{12,}(\")|('[^'\n]{40})[^'\n]{12,}(')")
_LONG_WORD = re.compile(rf"[^\s'\"`]{{{MAX_WORD_CHARACTERS},}}")
UNTRUSTED: frozenset[Trust] = frozenset({"file", "external"})
HELD_BACK = "(left out: text from elsewhere that tells agents what to do)"

# What a dossier needs, the most needed first: of the first two episodes what failed and what worked, what is known and
# was said, then the other causes that come back and how other sessions went on. The second row is good to have. What
# does not fit is left out from the end.
NEEDS = (
    "failure 1", "remedy 1", "tally", "failure 2", "remedy 2", "second 1", "known", "person 1", "person 2", "words 1",
    "words 2", "between 1", "between 2", "cause", "beside", "second 2", "next 1", "next 2",
    "environment", "failure 3", "remedy 3", "second 3", "person 3", "words 3", "more 1", "more 2", "tried 1", "tried 2",
    "next 3", "once", "more 3", "tried 3", "remark", "next",
)  # fmt: skip
NEED_OF = {name: need for need, name in enumerate(NEEDS)}
FIRST_EXTRA = NEED_OF["environment"]


class Draft(Struct, frozen=True):
    """A line that may stand in a dossier; `place` is where, `need` how much it is needed there."""

    place: tuple[int, int]
    need: int
    text: str
    session: str = ""
    line: int = 0
    trust: Trust = "tool"
    part: LinePart = ""


class DraftedEpisode:
    """A failure, its telling lines, what was said, the tries, and the call that reached the goal. Lines that an earlier
    episode has are in `earlier_lines`."""

    def __init__(
        self,
        number: int,
        episode: Episode,
        earlier_lines: set[str],
        *,
        is_counted: bool,
    ) -> None:
        self.number, self.episode = number, episode
        self.event, self.key = episode.event, episode.key
        self.earlier_lines, self.is_counted = earlier_lines, is_counted

    def _draft(
        self,
        place: int,
        need: str,
        part: LinePart,
        text: str,
        line: int,
        trust: Trust = "tool",
    ) -> Draft:
        rank = NEED_OF.get(need, NEED_OF.get(f"{need} {self.number}", 0))
        place_in_all = (self.number, place)
        return Draft(place_in_all, rank, text, self.event.session, line, trust, part)

    def drafts(self) -> Iterator[Draft]:
        event = self.event
        yield self._draft(
            0, "failure", "failure", self._failing(), event.line, "assistant"
        )
        yield from self._telling_lines()
        if event.because:
            # An edit that answers a linter says more than what is said of it.
            need = "words" if not self.key.startswith("rule ") else "remark"
            text = f"assistant: {event.because}"
            self.earlier_lines.add(coarse(text))
            yield self._draft(5, need, "words", text, event.line, "assistant")
        if event.person:
            text = f"person: {event.person}"
            self.earlier_lines.add(coarse(text))
            line = event.person_line or event.line
            yield self._draft(6, "person", "person", text, line, "user")
        yield from self._tries()
        ending = self._ending()
        self.earlier_lines.add(coarse(_IN_SESSIONS.sub("", ending.text)))
        yield ending

    def _failing(self) -> str:
        event = self.event
        where = f" in {event.directory}" if event.directory else ""
        hidden = " [exit 0]" if event.kind in {"hidden", "empty"} else ""
        state = f" ({event.explanation or event.state})" if event.state else ""
        called = clip(with_short_quotes(event.command), MAX_CALL_CHARACTERS)
        return f"{self._when()}{where} {named(event.tool, called)}{hidden}{state}"

    def _when(self) -> str:
        """When and in which session, and how often its cause came where a problem has several."""
        moment = when(self.event)
        if not self.is_counted:
            return moment
        episode = self.episode
        sessions = count(episode.sessions, "session")
        return f"{moment} ({count(episode.times, 'time')} in {sessions})"

    def in_brief(self) -> Draft:
        """Another cause and what ended it, in one line."""
        event = self.event
        first = self._text(self._lines()[0])
        new = [] if first in self.earlier_lines else [first]
        self.earlier_lines.add(first)
        called = named(event.tool, clip(event.command, MAX_CALL_CHARACTERS))
        what = "; ".join(new) if new else called
        text = "; ".join([f"{self._when()} {what}", *self._ways()])
        is_lasting = self.episode.sessions >= MIN_SESSIONS_OF_CAUSE
        need = NEED_OF["cause" if is_lasting else "once"]
        return self._line(need, text)

    def beside(self) -> Iterator[Draft]:
        """How another session went on, in one line, as far as no line before it says that. Where no end is seen, what was
        said comes first, and what was done next goes where there is room."""
        event = self.event
        has_end = event.remedy is not None and not event.remedy.again
        ways = self._ways() if has_end or helping_changes(self.key, event) else []
        words = [f"assistant: {event.because}"] if event.because else []
        words += [f"person: {event.person}"] if event.person else []
        is_open = event.remedy is None and bool(words)
        groups = [words, ways] if is_open else [[*ways, *words]]
        for place, group in enumerate(groups):
            new = [text for text in group if coarse(text) not in self.earlier_lines]
            self.earlier_lines.update(map(coarse, new))
            if new:
                start = "" if place else f"{when(event)} "
                need = "next" if place else "beside"
                yield self._line(NEED_OF[need], f"{start}{'; '.join(new)}", place)

    def _ways(self) -> list[str]:
        """What ended it, in one text; nothing where it was only called again."""
        event = self.event
        changes = [
            _called(f"then{self._manner(call)}", self._shortened(call))
            for call in helping_changes(self.key, event)[-1:]
        ]
        changes += [
            clip(_called(self._how(call, ()), call), MAX_CALL_CHARACTERS)
            for call in event.tried
            if call.got
        ]
        is_same = event.remedy is not None and event.remedy.again
        return changes or ([] if is_same else [self._ending().text])

    def _line(self, need: int, text: str, place: int = 0) -> Draft:
        event = self.event
        remedy_trust = event.remedy.trust if event.remedy else event.trust
        trust = event.trust if event.trust in UNTRUSTED else remedy_trust
        place_in_all = (self.number, place)
        return Draft(
            place_in_all, need, text, event.session, event.line, trust, "brief"
        )

    def _telling_lines(self) -> Iterator[Draft]:
        """The first lines that no earlier episode has are needed, the others are good to have."""
        event = self.event
        lines = self._lines()
        texts = [self._text(line) for line in lines]
        strengths = dict(zip(texts, (line.strength for line in lines), strict=True))
        new = [text for text in texts if text not in self.earlier_lines]
        self.earlier_lines.update(texts)
        for place, text in enumerate(new or ["=> the same"]):
            is_plain = strengths.get(text, 0) >= REPORT
            is_second = place == 1 and is_plain and not self.key.startswith("rule ")
            need = "second" if is_second else "more"
            need = need if place else "failure"
            yield self._draft(
                1 + place, need, "printed", text, event.result_line, event.trust
            )

    def _lines(self) -> list[TellingLine]:
        """The line that tells its cause apart first."""
        lines = lines_of(self.key, self.event)
        reason = self.episode.reason
        if reason:
            lines = [reason, *(line for line in lines if line != reason)]
        return lines or [TellingLine("(it printed nothing that tells)")]

    def _text(self, line: TellingLine) -> str:
        text = line.text.strip()
        if self.key.startswith("rule "):  # in which folder, is no matter of the rule
            text = _FOLDERS.sub("", text)
        text = clip(_LONG_WORD.sub(_end_of_word, text), MAX_TELLING_CHARACTERS)
        return guarded(f"=> {text}", self.event.trust)

    def _shortened(self, call: FollowingCall) -> FollowingCall:
        """An edit that answers a linter by the name of its file: the report has it too."""
        if not self.key.startswith("rule ") or is_shell(call.tool):
            return call
        words, line_end, changed = call.command.partition(f" {LINE_END} ")
        name = words.rpartition("/")[2] if "/" in words else words
        command = f"{call.tool} {name}" if "/" in words else words
        return replace(call, command=f"{command}{line_end}{changed}")

    def _tries(self) -> Iterator[Draft]:
        """What was changed before it worked, and what was tried in vain."""
        helping = helping_changes(self.key, self.event)
        for place, call in enumerate(self.event.tried):
            how = self._how(call, helping)
            if not call.command or not how:
                continue
            need = "remedy" if call in helping[-1:] or call.got else "tried"
            if how == "next" or (how == "between" and not is_edit(call)):
                need = how
            part: LinePart = "tried" if how.startswith("tried") else "ending"
            text = _called(how, self._shortened(call))
            if call.got:
                text = clip(text, MAX_CALL_CHARACTERS)
            if need != "remedy":
                text = with_short_quotes(text)
            yield self._draft(10 + place, need, part, text, call.line, call.trust)

    def _how(self, call: FollowingCall, helping: Sequence[FollowingCall]) -> str:
        """What a call on the way was; empty where it has nothing to do with the problem."""
        if not call.worked:
            return "tried, failed"
        if call in helping:
            return f"then{self._manner(call)}"
        if self.key.startswith("rule ") and not is_shell(call.tool):
            return ""  # it answered another report
        if call.got:
            return f"later got `{call.got}`"
        if call.changes:
            return "between" if self.event.remedy else "later"
        return "" if self.event.remedy else "next"

    def _manner(self, call: FollowingCall) -> str:
        manner = manner_of(self.key, call)
        return f" ({manner})" if manner else ""

    def _ending(self) -> Draft:
        remedy = self.event.remedy
        if remedy is None:
            text = "(not solved in the calls that followed)"
            return self._draft(20, "more", "", text, self.event.line)
        how = f"worked{self._in_how_many()}"
        if remedy.again:
            printed = _printed(remedy)
            if helping_changes(self.key, self.event) and len(printed) > MAX_VERDICT:
                printed = ""  # what was changed says more
            text = f"{how}: the same call again{printed}"
        elif remedy.command:
            text = self._worked(how, remedy)
        else:
            text = f"{how}: a call too long to show (line {remedy.line})"
        return self._draft(20, "remedy", "ending", text, remedy.line, remedy.trust)

    def _in_how_many(self) -> str:
        """In how many sessions it was ended so, where these are several."""
        sessions = self.episode.ended_so
        return f" (so in {sessions} sessions)" if sessions > 1 else ""

    def _worked(self, how: str, remedy: FollowingCall) -> str:
        """The call that reached the goal; of a long one that changed little, what changed."""
        changes = changed_words(self.event.command, remedy.command)
        is_long = len(remedy.command) > MAX_WHOLE_CALL_CHARACTERS
        if not changes or not is_long or remedy.tool != self.event.tool:
            return _called(how, remedy)
        return f"{how}: the same call {changes}{_printed(remedy)}"


def changed_words(before: str, after: str) -> str:
    """What one call has and the other has not, in words; empty where they have little in common."""
    words, later_words = before.split(" "), after.split(" ")
    matcher = SequenceMatcher(None, words, later_words, autojunk=False)
    pieces: list[str] = []
    for kind, start, end, later_start, later_end in matcher.get_opcodes():
        went = " ".join(words[start:end])
        came = " ".join(later_words[later_start:later_end])
        if kind == "insert":
            pieces.append(f"with `{came}` added")
        elif kind == "delete":
            pieces.append(f"without `{went}`")
        elif kind == "replace":
            pieces.append(f"with `{came}` for `{went}`")
    is_alike = matcher.ratio() >= MOSTLY_THE_SAME and len(pieces) <= MAX_CHANGED_PIECES
    return ", ".join(pieces) if is_alike else ""


def when(event: Event) -> str:
    return f"{_short_day(event.time)} {event.session[-ID_CHARACTERS:]}"


def with_short_quotes(call: str) -> str:
    """A call whose quoted texts, patterns mostly, are told by how they begin: it did not work, or is beside the point."""
    return _QUOTED.sub(r"\1\3…\2\4", call)


def _end_of_word(match: re.Match[str]) -> str:
    """Of a path that is longer than a line its end: by that it is known."""
    return f"…{match[0][-MAX_WORD_CHARACTERS // 2 :]}"


def _called(how: str, call: FollowingCall) -> str:
    return f"{how}: {named(call.tool, call.command)}{_printed(call)}"


def _printed(call: FollowingCall) -> str:
    return f" => {guarded(call.printed, call.trust)}" if call.printed else ""


def named(tool: str, command: str) -> str:
    """A call by its words; they begin with the tool where that is no shell."""
    if is_shell(tool):
        return f"$ {command}"
    return command if command.startswith(tool) else f"{tool}: {command}"


def guarded(text: str, trust: Trust) -> str:
    """Text from elsewhere says so; what tells agents what to do is not handed on."""
    if trust not in UNTRUSTED:
        return text
    return HELD_BACK if danger(text, trust) else f"(untrusted) {text}"


def _short_day(time: float | None) -> str:
    """Month and day: the year stands in the head."""
    return day(time)[5:]
