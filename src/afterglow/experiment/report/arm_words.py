"""What the sessions of each arm were told, in words: an arm's name alone says it to nobody but its author."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.experiment.moments import forms, is_arm, telling
from afterglow.experiment.report.view import View
from afterglow.records.delivery import When
from afterglow.records.experiment import PLACEBO
from afterglow.records.form import Form
from afterglow.show.blocks import Block, Definitions, Grid, Num, Para, say
from afterglow.text.clip import printable
from afterglow.text.numbers import number

LESSONS = "lessons of earlier sessions, chosen for the repository and the request, as it begins"
ON_FAILURE = "one line right after a call failed in a way that is known"
SHAM = "small facts of the shell that are true and of no use"
MOMENTS: tuple[tuple[When, str], ...] = (
    ("start", "as it begins"),
    ("failure", "after such a failure"),
)


def arm_words(view: View) -> Iterator[Block]:
    if view.plan.unit == "task" and not view.ran_here:
        yield Para(
            say(
                "The tasks were run elsewhere, and what their arms were told there is not recorded. By their names:"
            ),
            "mute",
        )
    yield Definitions(
        tuple((printable(arm), say(_words(view, arm))) for arm in view.plan.arms)
    )
    if view.analysis.told_by_arm:
        yield _in_fact(view)


def _in_fact(view: View) -> Grid:
    """Whether the arms differ in what their names say: what the runs were handed, whatever their agents made of it."""
    return Grid(
        f"What the {view.unit}s were in fact told",
        ("arm", f"{view.unit}s", "told something", "tokens each, on average"),
        "lrrr",
        tuple(
            (
                say(printable(arm_told.arm)),
                say(Num(number(arm_told.trials), f"told_by_arm[{at}].trials")),
                say(
                    Num(number(arm_told.told_trials), f"told_by_arm[{at}].told_trials")
                ),
                say(Num(number(round(arm_told.tokens)), f"told_by_arm[{at}].tokens")),
            )
            for at, arm_told in enumerate(view.analysis.told_by_arm)
        ),
    )


def _words(view: View, arm: str) -> str:
    arms = view.plan.arms
    if not is_arm(arm):
        return "what its author means by it; nothing that afterglow tells by itself."
    if arm == PLACEBO:
        return _placebo_words(view)
    at_start = sorted(map(_form_words, forms(arms, arm, "start")))
    at_failure = [ON_FAILURE] if forms(arms, arm, "failure") else []
    return f"{'; and '.join([*at_start, *at_failure]) or 'nothing'}."


def _placebo_words(view: View) -> str:
    arms = view.plan.arms
    times = " and ".join(
        words for when, words in MOMENTS if telling(arms, PLACEBO, when) == "placebo"
    )
    if not times:
        return "nothing."
    return f"{SHAM}, as long as the longest of the others, {times}."


def _form_words(form: Form) -> str:
    if form.kind == "context":
        return LESSONS
    what = f"the {form.part} alone of the" if form.part else "the"
    most = f", in at most {form.tokens} tokens," if form.tokens else ""
    return f"{what} template of earlier sessions that fits{most} as it begins"
