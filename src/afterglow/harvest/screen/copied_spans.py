"""What of a span could have been copied from elsewhere (eight words in a row, an address, a command), and
where such runs of words stand first: one pass over all texts, however many runs are looked for."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain, islice, pairwise
from string import ascii_lowercase, ascii_uppercase
from typing import NamedTuple

import msgspec
from stringzilla import find

from afterglow.calls import shell_line
from afterglow.harvest.human_text import is_prose, is_term
from afterglow.harvest.quoted_stretches import own_words, quoted_at
from afterglow.harvest.screen.advice import REMEDY, Advice, is_message, is_rare
from afterglow.harvest.screen.same_matter import matter_of
from afterglow.harvest.trust import RUN
from afterglow.records.knowledge import Evidence, Finding, Trust

Run = tuple[bytes, ...]

TEXT = 1_000_000  # characters of one text that are looked at

# Marks that come and go around the same words; what joins a path, a flag or an address stays inside its word.
_AROUND = "\"'`*()[]{}<>,;!?#|=\\\n\r\t"
_SMALL = bytes.maketrans(
    _AROUND.encode() + ascii_uppercase.encode(),
    b" " * len(_AROUND) + ascii_lowercase.encode(),
)

LESSON = "fact"  # the slot in which somebody's lesson stands beside what it cites
CHAIN = "chain"  # the slot with the commands that are to be run because of it
SPAN = 4000  # characters of a span that are looked at
COMMAND = 20  # characters from which a command is nobody's chance
HINTS = 100  # of one command
LONG, MARKED = (
    8,
    6,
)  # letters that make a word of a command one of its own, and with marks or digits in it

_ESCAPES = re.compile(r"\\[nrt\"/]")
_ADDRESS = re.compile(r"\b(?:https?|ssh|ftp|git)://[^\s\"'`<>()\[\]\\]{12,300}")
_DOCUMENT = re.compile(
    r"<<[-~]?\s*['\"]?(\w+)['\"]?.*?(?:^\s*\1\b|\Z)", re.DOTALL | re.MULTILINE
)
_CODE = re.compile(r"`([^`]+)`")
_OLD = ("old_string", "old_str", "oldText")
_PROSE = re.compile(
    r"path\"\s*:\s*\"[^\"\n]{0,300}(?:\.(?:mdc?|markdown|txt|rst|adoc)|rules|/[\w-]+)\""
)
_BETWEEN = re.compile(r"&&|\|\||[;|\n]")
_SAID = re.compile(
    r"(?<!c )\"[^\"\s]*\s[^\"]*\"|(?<!c )'[^'\s]*\s[^']*'"
)  # a message; but `sh -c "..."` is run
_PATH = re.compile(rb"/|\.[a-z]{1,4}$")
_NAME = re.compile(rb"@?[a-z]{2,}(?:[-_./:@][a-z0-9]+)+")
_OUTSIDE = (b"/etc/", b"/usr/", b"/opt/", b"/var/", b"~/")
_MARKS = re.compile(rb"[a-z][-_:=@.\d]|\d[a-z]")


def told_slots(lesson: str, remedy: str = "") -> dict[str, str]:
    """The slots of a finding that a lesson is to rest on: its words, the commands in them, and what it tells to do."""
    commands = "\n".join(_CODE.findall(lesson))
    return {LESSON: lesson, CHAIN: commands, REMEDY: remedy or lesson}


class Claim:
    """What is looked for among the texts before a span.

    `runs` have the trust of where they first stood. `hints` are shorter: they count only when they came from outside,
    from a text that also holds the word beside them, and no person said them. `matter` are the words that name what it
    is about, where it is something that was written down. `advice` is what a text may have told to do. `least` is known
    without looking.
    """

    def __init__(self, least: Trust | None = None) -> None:
        self.least = least
        self.runs: set[Run] = set()
        self.hints: dict[Run, bytes] = {}
        self.matter: set[Run] = set()
        self.followed = True  # whether words of this project's files count, too
        self.advice: Advice | None = None

    def about(self, finding: Finding) -> Claim:
        """With the words of the lesson that is to rest on the span, if one is told: they may say more than it does."""
        lesson = words_of(finding.slots.get(LESSON, ""))
        self.matter |= matter_of(lesson)
        return self

    @cached_property
    def all(self) -> set[Run]:
        return self.runs | self.hints.keys() | self.matter | self.advised

    @property
    def advised(self) -> set[Run]:
        """The word by which a text is found that told to do it."""
        if self.advice is None or not is_rare(self.advice.word):
            return set()
        return {words_of(self.advice.word)}


def claim_of(
    finding: Finding, evidence: Evidence, words: str, text: str, shell: bool
) -> Claim:
    """`words` is the span and `text` all that stands at its place."""
    if evidence.part == "arguments" and REMEDY in finding.slots:
        # What is told is the remedy, and that it ended a failure was seen: what else stands in the calls is no part of it.
        lines = finding.slots.get(CHAIN, "").splitlines()
        return _of_command(
            "\n".join(line for line in lines if not is_message(line, [text]))
        )
    return _of_span(finding, evidence, words, text, shell)


def _of_span(
    finding: Finding, evidence: Evidence, words: str, text: str, shell: bool
) -> Claim:
    claim = Claim()
    if evidence.trust == "user":
        if _is_pasted(evidence, words, text):
            claim.least = "external"
        claim.runs = _copied(words)  # what stood in an output before was copied from it
        return claim
    if evidence.trust not in {"assistant", "tool"}:
        return claim
    if shell:
        # What is written into files and messages is not run.
        line = shell_line(text)[:SPAN]
        command = _DOCUMENT.sub(" ", line)
        claim = _of_command(f"{command}\n{finding.slots.get(CHAIN, '')}")
        if LESSON in finding.slots:
            claim.matter = matter_of(words_of(_written(line)))
        return claim.about(finding)
    if evidence.part == "arguments":
        words = _added(text) if evidence.start == 0 else _ESCAPES.sub(" ", words)
        # A program quotes the source it complains about, an edit the code it changes: there only what is not from here
        # counts. What is written down for people and agents to follow is another matter.
        claim.followed = bool(_PROSE.search(text[:SPAN]))
    elif evidence.part == "result":
        claim.followed = False
        if evidence.trust == "assistant":
            words = text  # a person chose among words of the model: all of them were there to choose from
        elif is_prose(words):
            claim.least = "file"  # the program printed it, somebody else wrote it
    claim.runs = _copied(words)
    is_written_down = evidence.part == "text" or claim.followed
    if evidence.trust == "assistant" and evidence.part != "result" and is_written_down:
        claim.matter = matter_of(words_of(words[:SPAN]))
    return claim.about(finding)


def _written(line: str) -> str:
    """What a command writes down instead of running it: documents, messages."""
    documents = [match[0] for match in _DOCUMENT.finditer(line)]
    return "\n".join([*documents, *_SAID.findall(_DOCUMENT.sub(" ", line))])


def _is_pasted(evidence: Evidence, words: str, text: str) -> bool:
    """Whether a span lies in a stretch of a person's message that somebody else wrote. The reason of a refusal is a
    message of its own, in a sentence of the agent's."""
    if evidence.part == "result":
        return not own_words(words).strip()
    end = evidence.start + evidence.length
    return any(
        start <= evidence.start and end <= stop for start, stop in quoted_at(text)
    )


def _copied(text: str) -> set[Run]:
    text = text[:SPAN]
    addresses = map(words_of, _ADDRESS.findall(text))
    return {*runs_of(words_of(text), RUN), *addresses}


def _of_command(command: str) -> Claim:
    claim = Claim()
    claim.runs = _copied(command)
    for part in _BETWEEN.split(command):
        words = words_of(part)
        is_long = len(words) > 2 and len(part.strip()) >= COMMAND
        if is_long and words[0] != b"cd":
            claim.runs.add(words)
    parts = _BETWEEN.split(_SAID.sub(" ", command))
    hints = chain.from_iterable(_hints(words_of(part)) for part in parts)
    claim.hints = dict(islice(hints, HINTS))
    return claim


def _hints(words: Run) -> Iterator[tuple[Run, bytes]]:
    """A long flag beside its program, a word of its own with the one before it, a script by its path; by itself what
    nobody else is called: a name with marks in it, a place on the machine outside of the project."""
    if not words or words[0] == b"cd":
        return
    program = words[0]
    if b"/" in program and len(program) >= LONG:
        yield (program,), b""
    for before, word in pairwise(words):
        is_flag = word.startswith(b"-")
        if is_flag and len(word) >= LONG:
            yield (word,), program
        if len(word) >= LONG and (_is_name(word) or word.startswith(_OUTSIDE)):
            yield (word,), b""
        if not is_flag and (_is_own(word) or _is_own(before)):
            yield (before, word), b""


def _is_name(word: bytes) -> bool:
    """A package, an image, a host: letters with marks between them, and no number."""
    return _is_own(word) and _NAME.fullmatch(word) is not None


def _is_own(word: bytes) -> bool:
    """Whether a word of a command is one that is not met by chance; paths are of the project, whoever names them."""
    if word.startswith(b"-") or _PATH.search(word):
        return False
    if _MARKS.search(word):
        return len(word) >= MARKED
    return len(word) >= LONG and not is_term(word.decode("utf-8", "ignore"))


def _added(arguments: str) -> str:
    """What a call brings in: all its words, without the lines an edit only repeats to find its place."""
    try:
        values_by_name = msgspec.json.decode(arguments, type=dict[str, object])
    except (msgspec.DecodeError, RecursionError):
        return _ESCAPES.sub(" ", arguments)
    repeated: set[str] = set()
    lines: list[str] = []
    for name, value in values_by_name.items():
        if name in _OLD:
            repeated.update(map(str.strip, str(value).splitlines()))
        else:
            lines += str(value).splitlines()
    return "\n".join(line for line in lines if line.strip() not in repeated)


def words_of(text: str) -> Run:
    """Small words without the marks around them."""
    return _cut(_small(text))


def _small(text: str) -> bytes:
    return text[:TEXT].encode("utf-8", "replace").translate(_SMALL)


def _cut(small: bytes) -> Run:
    sentences = b" ".join(small.split(b". "))  # faster than to replace them
    return tuple(b" ".join(sentences.split(b": ")).rstrip(b" .:").split())


def _closed_up(small: bytes) -> bytes:
    """Without what stands between words: where words stand in a row, their letters do."""
    return small.translate(None, b" .:\v\f")


def spaced(words: Run) -> bytes:
    """Words in a row, a space at each end, so that a search meets whole words alone."""
    return b" ".join([b"", *words, b""])


def runs_of(words: Run, size: int) -> list[Run]:
    """All stretches of so many words."""
    return [words[at : at + size] for at in range(len(words) - size + 1)]


def first_places(texts: Iterable[str], runs: Mapping[Run, int]) -> dict[Run, int]:
    """The number of the first text that holds each run, for those that stand in a text before the one whose number is
    beside them. What a text holds that stood there before stood there first."""
    sought = _SoughtRuns(runs)
    ends = set(runs.values())
    places: dict[Run, int] = {}
    earlier_texts: set[str] = set()
    for number, text in enumerate(texts):
        if number in ends:
            sought.drop_ended(number)
        if sought.is_over:
            break
        if text not in earlier_texts:
            earlier_texts.add(text)
            places |= dict.fromkeys(sought.taken_from(text), number)
    return places


class _Sought(NamedTuple):
    """A run, its letters closed up, how it stands in a text, and the number of the text from which on it is not looked
    for."""

    run: Run
    closed_up: bytes
    row: bytes
    end: int


class _SoughtRuns:
    """The runs that are still looked for. Few texts hold the longest word of a run, fewer its letters in a row: only
    those are cut into words."""

    def __init__(self, runs: Mapping[Run, int]) -> None:
        self._by_word: dict[bytes, list[_Sought]] = defaultdict(list)
        for run, end in runs.items():
            if run:
                sought = _Sought(run, _closed_up(b"".join(run)), spaced(run), end)
                self._by_word[max(run, key=len)].append(sought)

    @property
    def is_over(self) -> bool:
        return not self._by_word

    def drop_ended(self, number: int) -> None:
        """Those that are not looked for in the text of this number, nor behind it."""
        for word, listed in list(self._by_word.items()):
            self._keep(word, [each for each in listed if each.end > number])

    def taken_from(self, text: str) -> list[Run]:
        """Those that a text holds: they are not looked for any more."""
        small = _small(text)
        longest_words = [word for word in self._by_word if find(small, word) >= 0]
        if not longest_words:
            return []
        closed_up, row = _closed_up(small), b""
        taken: list[Run] = []
        for word in longest_words:
            listed = self._by_word[word]
            likely = [each for each in listed if find(closed_up, each.closed_up) >= 0]
            if not likely:
                continue
            row = row or spaced(_cut(small))
            held = {each.run for each in likely if find(row, each.row) >= 0}
            if held:
                taken += held
                self._keep(word, [each for each in listed if each.run not in held])
        return taken

    def _keep(self, word: bytes, sought: list[_Sought]) -> None:
        if sought:
            self._by_word[word] = sought
        else:
            del self._by_word[word]
