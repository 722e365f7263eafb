"""A question about warm sessions, answered on one's own history: the answer, its tables and figures, its limits.

Plain values: encoded as JSON an answer reads as it stands. Shares are fractions of one, every interval is 95 %.
"""

from __future__ import annotations

from msgspec import Struct

from afterglow.records.profile_report import Difference, Rate

Cell = str | int | float | Rate | Difference | None


class ResearchQuestion(Struct, frozen=True):
    """What can be asked: its name on the command line, and in words."""

    name: str
    title: str


class ResearchTable(Struct, frozen=True, kw_only=True):
    """`heads` has one word a column, and every row one cell a column; the first names the row. `about` says what the
    rows compare."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    about: str = ""


class FigurePanel(Struct, frozen=True, tag_field="kind", tag="rates"):
    """Intervals one below the other, under a name; all panels of a figure share their rows' order and their axis."""

    name: str
    rows: tuple[tuple[str, Rate], ...]


class DifferencePanel(Struct, frozen=True, tag_field="kind", tag="differences"):
    """Differences one below the other around zero, under a name; `sides` say what left and right of it mean."""

    name: str
    rows: tuple[tuple[str, Difference], ...]
    sides: tuple[str, str] = ("", "")


class ExpectedPanel(Struct, frozen=True, tag_field="kind", tag="expected"):
    """Rates along something, each beside the one that was to be expected if nothing but what `expected` says were at
    work. `axis` says along what."""

    name: str
    rows: tuple[tuple[str, Rate, Rate], ...]
    observed: str
    expected: str
    axis: str


Panel = FigurePanel | DifferencePanel | ExpectedPanel


class ResearchFigure(Struct, frozen=True, kw_only=True):
    """Numbers with their intervals, in panels. `name` is that of its file."""

    name: str
    title: str
    caption: str
    panels: tuple[Panel, ...]


class ResearchAnswer(Struct, frozen=True, kw_only=True):
    """`answer` is one sentence, `findings` are what else is worth a sentence. `enough` is False where there are too few
    sessions to say anything, and the answer says so. `method` is how the numbers were made, `limits` what they cannot
    say, `next_step` what the user could do to know more. Of the history that was looked at: how many sessions,
    repositories and days, and what was left out."""

    question: str
    title: str
    answer: str
    enough: bool = True
    findings: tuple[str, ...] = ()
    sessions: int = 0
    repos: int = 0
    first_day: str = ""
    last_day: str = ""
    selection: dict[str, str] = {}
    left_out: dict[str, int] = {}
    tables: tuple[ResearchTable, ...] = ()
    figures: tuple[ResearchFigure, ...] = ()
    limits: tuple[str, ...] = ()
    method: tuple[str, ...] = ()
    next_step: str = ""
    simulated: bool = False
    troubles: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0


class SessionCourse(Struct, frozen=True):
    """Call by call of one session: `outcomes` has one letter a call as a profile has, `kinds` one for what it did (looks,
    runs, changes, else). `words` are those of the first request; `talked`: the person spoke again before any call."""

    outcomes: str = ""
    kinds: str = ""
    words: int = 0
    talked: bool = False
