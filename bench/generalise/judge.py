"""What sessions would have been told, against labels: how many of the asked cases had their lesson in view.

    python -m bench.generalise.judge DUMP.jsonl LABELS [--misses]

DUMP is what `afterglow replay --dump` writes: `context` is what a session started with, `hints` what it was told right
after the failed call at a line. LABELS is a folder with lessons.jsonl and cases.jsonl. A lesson counts as told where ONE
statement (a bullet with what belongs to it) holds both its situation and its remedy.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from bench.generalise.labels import Case, Labels, Lesson, labels_of

_BEGINS = re.compile(r"\s*(?:[-*#]|\d+\.)")
LETTERS_A_TOKEN = 4  # roughly; only for the mean length of contexts


class Hint(Struct, frozen=True):
    line: int
    text: str


class SessionTold(Struct, frozen=True):
    """One session of a dump."""

    session_id: str
    path: str = ""
    context: str = ""
    hints: tuple[Hint, ...] = ()


class JudgedCase(Struct, frozen=True):
    """A case, with the statement that told its lesson at the start, and the one that told it on failure."""

    case: Case
    at_start: str = ""
    on_failure: str = ""


class Score(Struct, frozen=True, kw_only=True):
    """Shares of the asked cases: told at the start, and told at the start or on failure; distinct lessons likewise."""

    cases: int
    in_view: int
    at_hand: int
    lessons: int
    lessons_in_view: int
    lessons_at_hand: int
    tokens: int

    @property
    def share_in_view(self) -> float:
        return self.in_view / max(self.cases, 1)

    @property
    def share_at_hand(self) -> float:
        return self.at_hand / max(self.cases, 1)


def judged(sessions: Iterable[SessionTold], labels: Labels) -> list[JudgedCase]:
    told: dict[str, SessionTold] = {}
    for session in sessions:
        told[session.session_id] = told[Path(session.path).stem] = session
    statements = cache(_statements)
    judged_cases = []
    for case in labels.cases:
        session = told.get(case.session, SessionTold(case.session))
        lesson = labels.lessons[case.lesson or ""]
        hints = [hint.text for hint in session.hints if hint.line == case.line]
        judged_cases.append(
            JudgedCase(
                case,
                _telling(lesson, statements(session.context)),
                _telling(lesson, statements("\n\n".join(hints))),
            )
        )
    return judged_cases


def _telling(lesson: Lesson, statements: Sequence[str]) -> str:
    return next((text for text in statements if lesson.is_stated_in(text)), "")


def _statements(context: str) -> list[str]:
    """A new one begins with a bullet, a number, a heading or an empty line; what else follows belongs to it."""
    statements: list[str] = []
    for line in context.split("\n"):
        if not statements or not line.strip() or _BEGINS.match(line):
            statements.append(line)
        else:
            statements[-1] += f"\n{line}"
    return [text.strip("\n") for text in statements if text.strip()]


def score(sessions: Sequence[SessionTold], labels: Labels) -> Score:
    return score_of(judged(sessions, labels), sessions)


def score_of(cases: Sequence[JudgedCase], sessions: Sequence[SessionTold]) -> Score:
    in_view: dict[str, bool] = defaultdict(bool)
    at_hand: dict[str, bool] = defaultdict(bool)
    for item in cases:
        lesson = item.case.lesson or ""
        in_view[lesson] |= bool(item.at_start)
        at_hand[lesson] |= bool(item.at_start or item.on_failure)
    letters = sum(len(session.context) for session in sessions)
    return Score(
        cases=len(cases),
        in_view=sum(bool(item.at_start) for item in cases),
        at_hand=sum(bool(item.at_start or item.on_failure) for item in cases),
        lessons=len(in_view),
        lessons_in_view=sum(in_view.values()),
        lessons_at_hand=sum(at_hand.values()),
        tokens=round(letters / LETTERS_A_TOKEN / max(len(sessions), 1)),
    )


def dumped(path: Path) -> list[SessionTold]:
    return msgspec.json.Decoder(SessionTold).decode_lines(path.read_bytes())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dump", type=Path)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--misses", action="store_true", help="print every case")
    options = parser.parse_args()
    sessions = dumped(options.dump)
    cases = judged(sessions, labels_of(options.labels))
    if options.misses:
        print("\n".join(map(_shown, cases)))
    print(msgspec.json.encode(score_of(cases, sessions)).decode())


def _shown(item: JudgedCase) -> str:
    how = "start" if item.at_start else "late" if item.on_failure else "miss"
    text = item.at_start or item.on_failure or item.case.error
    place = f"{item.case.session[:8]}:{item.case.line}"
    return f"{how:5} {item.case.lesson} {place} {' '.join(text.split())[:160]}"


if __name__ == "__main__":
    main()
