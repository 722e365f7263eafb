"""Where words first stood: text an agent copied from a result has that result's trust, not the agent's.

All texts of a session are laid end to end, in order and reduced to small words. Whether a span was copied is then a few
searches for stretches of it before its own place; the earliest place says whose words they are, so what a person or the
agent wrote first stays theirs when a file shows it again.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from string import ascii_lowercase, ascii_uppercase
from weakref import WeakKeyDictionary

import msgspec
from msgspec.structs import replace

from afterglow.harvest import trust
from afterglow.harvest.prose import is_prose
from afterglow.harvest.screen.orders import pasted_at
from afterglow.harvest.trail import Trail, span_hash
from afterglow.records.knowledge import Evidence, Part, Trust, lowest
from afterglow.records.tools import is_shell
from afterglow.sessions.outcomes import command_of

RESULT = 200_000  # bytes of one text that are laid out
SPAN = 4000  # characters of a span that are looked at
BLOCK = trust.RUN // 2  # of any RUN words in a row, BLOCK stand at a multiple of BLOCK
DISTINCT = 20  # characters from which one address or command is nobody's chance

# Marks that come and go around the same words; what joins a path, a flag or an address stays inside its word.
_AROUND = "\"'`*()[]{}<>,;!?#|\\\n\r\t"
_SMALL = bytes.maketrans(_AROUND.encode() + ascii_uppercase.encode(), b" " * len(_AROUND) + ascii_lowercase.encode())
_ESCAPES = re.compile(r"\\[nrt\"/]")
_ADDRESS = re.compile(r"\b(?:https?|ssh|ftp|git)://[^\s\"'`<>()\[\]\\]{12,300}")
_DOCUMENT = re.compile(r"<<[-~]?\s*['\"]?(\w+)['\"]?.*?(?:^\s*\1\b|\Z)", re.DOTALL | re.MULTILINE)
_OLD = ("old_string", "old_str", "oldText")
_PROSE = re.compile(r"path\"\s*:\s*\"[^\"\n]{0,300}(?:\.(?:mdc?|markdown|txt|rst|adoc)|rules|/[\w-]+)\"")
_BETWEEN = re.compile(r"&&|\|\||[;|\n]")


def words_of(text: str) -> list[bytes]:
    """Small words without the marks around them."""
    small = text.encode("utf-8", "replace")[:RESULT].translate(_SMALL)
    return small.replace(b". ", b" ").replace(b": ", b" ").rstrip(b" .:").split()


class Lineage:
    """All texts of one session in order, searchable."""

    def __init__(self, trail: Trail) -> None:
        self._starts: list[int] = []
        self._trusts: list[Trust] = []
        self._places: dict[tuple[int, Part], list[tuple[int, str, bool]]] = {}
        laid: list[bytes] = []
        at = 0
        for line, part, text, trust_, shell in _texts(trail):
            self._places.setdefault((line, part), []).append((at, text, shell))
            self._starts.append(at)
            self._trusts.append(trust_)
            laid.append(b" ".join([b"", *words_of(text), b"\n"]))
            at += len(laid[-1])
        self._laid = b"".join(laid)

    def span(self, evidence: Evidence) -> tuple[int, str, bool, str] | None:
        """Where a span stands in the order of texts, its words, whether a shell was asked, and the text around it."""
        for at, text, shell in self._places.get((evidence.line, evidence.part), ()):
            words = text[evidence.start : evidence.start + evidence.length]
            if span_hash(words) == evidence.hash:
                return at, words, shell, text
        return None

    def origin(self, span: str, before: int) -> Trust | None:
        """The lowest trust among the earliest places of what was copied; None when nothing was."""
        words = words_of(span)
        runs = [
            b" ".join(words[at : at + trust.RUN])
            for middle in range(BLOCK, len(words) - BLOCK + 1, BLOCK)
            if self._first(b" ".join(words[middle : middle + BLOCK]), before) >= 0
            or self._first(b" ".join(words[middle - BLOCK : middle]), before) >= 0
            for at in range(max(0, middle - BLOCK), min(middle + 1, len(words) - trust.RUN + 1))
        ]
        runs += [b" ".join(words_of(found)) for found in _ADDRESS.findall(span)]
        return self._earliest(runs, before)

    def origin_of_command(self, command: str, before: int) -> Trust | None:
        parts = (part.strip() for part in _BETWEEN.split(command))
        runs = [b" ".join(words_of(part)) for part in parts if len(part) >= DISTINCT and not part.startswith("cd ")]
        return self._earliest([run for run in runs if run.count(b" ") > 1], before)

    def _first(self, run: bytes, before: int) -> int:
        return self._laid.find(b" " + run + b" ", 0, before)

    def _earliest(self, runs: list[bytes], before: int) -> Trust | None:
        places = [place for run in dict.fromkeys(runs) if (place := self._first(run, before)) >= 0]
        return lowest(self._trusts[bisect_right(self._starts, place) - 1] for place in places) if places else None


_LINEAGES: WeakKeyDictionary[Trail, Lineage] = WeakKeyDictionary()


def lineage_of(trail: Trail) -> Lineage:
    """Laid out when first asked for, once per session."""
    if trail not in _LINEAGES:
        _LINEAGES[trail] = Lineage(trail)
    return _LINEAGES[trail]


def traced(evidence: Evidence, trail: Trail) -> tuple[Evidence, str]:
    """The evidence with the trust of where its words come from, and those words."""
    lineage = lineage_of(trail)
    if (found := lineage.span(evidence)) is None:
        return evidence, evidence.quote
    at, words, shell, text = found
    origin = _origin(evidence, lineage, at, words[:SPAN], shell, text)
    own = lowest((evidence.trust, origin)) if origin else evidence.trust
    return replace(evidence, trust=own), words


def _origin(evidence: Evidence, lineage: Lineage, at: int, words: str, shell: bool, text: str) -> Trust | None:
    if evidence.trust == "user":
        end = evidence.start + evidence.length
        inside = any(start <= evidence.start and end <= stop for start, stop in pasted_at(text))
        return "external" if inside else None
    if evidence.trust not in {"assistant", "tool"}:
        return None
    if shell:
        command = _DOCUMENT.sub(" ", command_of(text)[:SPAN])  # what is written into files and messages is not run
        return lowest(
            origin for origin in ("user", lineage.origin_of_command(command, at), lineage.origin(command, at)) if origin
        )
    if evidence.part == "arguments":
        words = _added(text) if evidence.start == 0 else _ESCAPES.sub(" ", words)
    elif evidence.part == "result" and evidence.trust == "assistant":
        words = text  # a person chose among words of the model: all of them were there to choose from
    origin = lineage.origin(words[:SPAN], at)
    # A program quotes the source it complains about, an edit the code it changes: there only what is not from here
    # counts. What is written down for people and agents to follow is another matter.
    followed = evidence.part == "text" or (evidence.part == "arguments" and _PROSE.search(text[:SPAN]))
    if origin != "external" and evidence.part == "result" and evidence.trust == "tool" and is_prose(words):
        return "file"  # the program printed it, somebody else wrote it
    return origin if followed or origin == "external" else None


def _added(arguments: str) -> str:
    """What a call brings in: all its words, without the lines an edit only repeats to find its place."""
    try:
        found = msgspec.json.decode(arguments, type=dict[str, object])
    except msgspec.DecodeError:
        return _ESCAPES.sub(" ", arguments)
    old = {line.strip() for name in _OLD for line in str(found.get(name, "")).splitlines()}
    return "\n".join(
        line
        for name, value in found.items()
        if name not in _OLD
        for line in str(value).splitlines()
        if line.strip() not in old
    )


def _texts(trail: Trail) -> Iterator[tuple[int, Part, str, Trust, bool]]:
    for turn in trail.turns:
        if turn.role != "tool":
            yield turn.line, "text", turn.text, trust.of_turn(turn), False
        for call in turn.calls:
            yield call.line, "arguments", call.arguments, "assistant", is_shell(call.tool)
        for call in turn.calls:
            line = call.line if call.result_line is None else call.result_line
            yield line, "result", call.result or "", trust.of_result(call), False
