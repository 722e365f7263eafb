"""How long an experiment would take: in a sentence or two, and drawn for smaller and larger differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from afterglow.experiment.report.outcome_units import Measure, label, measure_of
from afterglow.records.experiment import OutcomeSpec
from afterglow.records.forecast import Forecast, Prospect
from afterglow.show.blocks import Block, Heading, Para, Picture, say
from afterglow.show.svg import Drawing, arrow, hit, line, mark, n, text, toned
from afterglow.text.numbers import count, day, number, short_percent

MAX_WEEKS = 104  # two years: nobody waits longer, and agents are others by then
LONG_WEEKS = 52  # from here on it is said that another plan would be better

Specs = Mapping[str, OutcomeSpec]


class _Canvas(NamedTuple):
    """Names to the left of the bars and numbers to the right; on a phone above them."""

    width: float
    left_edge: float
    right_edge: float
    row: float
    words: float
    bar: float


SCREEN = _Canvas(900.0, 110.0, 550.0, 30.0, 19.0, 9.0)
PHONE = _Canvas(360.0, 2.0, 350.0, 44.0, 14.0, 22.0)
BAR_HEIGHT = 12.0


def forecast_blocks(forecast: Forecast, specs: Specs) -> Iterator[Block]:
    """What it takes, and what more or less would."""
    first, *more = forecast_sentences(forecast, specs)
    yield Para(say(first), "lead")
    for sentence in more:
        yield Para(say(sentence))
    if forecast.chosen.weeks is None:
        return
    yield Heading("Smaller and larger differences", 3)
    yield Picture(
        "Weeks until a difference of each size is shown",
        durations(forecast, specs),
        durations(forecast, specs, PHONE),
    )
    yield Para(
        say(
            "Solid: read once, at the planned size. Pale: read whenever you like, which takes longer and needs no plan "
            f"of when. Both find it in {short_percent(forecast.power)} of cases, and see what is not there in at most "
            f"{short_percent(forecast.alpha)}."
        ),
        "mute",
    )


def forecast_sentences(forecast: Forecast, specs: Specs) -> Iterator[str]:
    """The same for a page and for the command line."""
    history, chosen = forecast.history, forecast.chosen
    measure = _measure(forecast, specs)
    name = label(history.outcome, specs)
    effect = _effect(measure, chosen)
    size = f"{count(chosen.an_arm, 'session')} in each of {len(forecast.arms)} arms"
    if chosen.weeks is None or chosen.any_time is None:
        yield f"To show a difference of {effect} in {name} takes {size}."
        yield "How long that takes cannot be said: no session of the last weeks has it. Name how many come in a week."
    else:
        yield (
            f"To show a difference of {effect} in {name} takes {size}: {_weeks(chosen.weeks)}, or "
            f"{_weeks(chosen.any_time)} if you want to look whenever you like."
        )
    yield (
        f"Reckoned from your last {count(history.sessions, 'session')}: {name} is "
        f"{measure.level(history.mean)} on average. {_pace(forecast)}"
    )
    if (chosen.weeks or 0) > LONG_WEEKS:
        yield "That is too long to be worth it: look for a larger difference, compare fewer arms, or measure something else."


def _pace(forecast: Forecast) -> str:
    history = forecast.history
    a_week = f"{forecast.a_week:.3g}"
    if forecast.a_week != history.a_week:
        return f"You said {a_week} a week."
    if history.until:
        return f"At {a_week} a week, as in the four weeks up to {day(history.until)}; there were none since."
    return f"At {a_week} a week, as in the last four."


def durations(forecast: Forecast, specs: Specs, canvas: _Canvas = SCREEN) -> Drawing:
    """One row a difference; its bar is as long as it takes."""
    measure = _measure(forecast, specs)
    ends = [prospect.any_time or 0.0 for prospect in forecast.prospects]
    chosen_end = 2.5 * (forecast.chosen.any_time or 0.0)
    end = min(max(ends, default=1.0), max(chosen_end, 1.0), MAX_WEEKS)
    marks: list[str] = []
    for at, prospect in enumerate(forecast.prospects):
        y = canvas.row * at
        is_chosen = prospect.effect == forecast.chosen.effect
        marks.append(_row(measure, prospect, canvas, y, end, is_chosen))
    height = canvas.row * len(forecast.prospects) + 6
    return Drawing(canvas.width, height, "".join(marks))


def _row(
    measure: Measure,
    prospect: Prospect,
    canvas: _Canvas,
    y: float,
    end: float,
    is_chosen: bool,
) -> str:
    weeks, any_time = prospect.weeks or 0.0, prospect.any_time or 0.0
    effect = _effect(measure, prospect)
    short = f"{_short(weeks)} weeks, any time {_short(any_time)}"
    size = f"{number(prospect.an_arm)} an arm"
    drawn = [
        *_bar(canvas, y, any_time, end, "band"),
        *_bar(canvas, y, weeks, end, "bar"),
    ]
    words = [
        text(0, y + canvas.words, effect, "s" if is_chosen else ""),
        text(canvas.width, y + canvas.words, f"{size}: {short}", "m", "end"),
    ]
    parts = [
        hit(0, y, canvas.width, canvas.row),
        *words,
        toned("between" if is_chosen else "calls", drawn),
    ]
    return mark(f"{effect}: {size}, {short}", parts)


def _bar(canvas: _Canvas, y: float, weeks: float, end: float, kind: str) -> list[str]:
    """From now on; with an arrow where it goes on beyond the edge."""
    reach = canvas.right_edge - canvas.left_edge
    length = reach * min(weeks / end, 1.0)
    top = y + canvas.bar
    size = f'width="{n(length)}" height="{n(BAR_HEIGHT)}"'
    marks = [f'<rect class="{kind}" x="{n(canvas.left_edge)}" y="{n(top)}" {size}/>']
    if weeks > end:
        marks.append(arrow(canvas.right_edge, top + BAR_HEIGHT / 2, 1, 0))
    return [
        *marks,
        line(canvas.left_edge, top, canvas.left_edge, top + BAR_HEIGHT, "grid"),
    ]


def _measure(forecast: Forecast, specs: Specs) -> Measure:
    history = forecast.history
    smallest = min(prospect.effect for prospect in forecast.prospects)
    return measure_of(specs.get(history.outcome), abs(history.mean), smallest)


def _effect(measure: Measure, prospect: Prospect) -> str:
    """Without its sign: which way is better, the outcome says."""
    return measure.change(prospect.effect).lstrip("+")


def _short(weeks: float) -> str:
    return f"over {MAX_WEEKS}" if weeks > MAX_WEEKS else number(max(round(weeks), 1))


def _weeks(weeks: float) -> str:
    if weeks > MAX_WEEKS:
        return "over two years"
    if weeks < 1:
        return "under a week"
    return f"about {count(round(weeks), 'week')}"
