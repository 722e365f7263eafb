"""The report as a page: the answer first, nothing to load, everything escaped."""

import math
import re

import pytest
from msgspec.structs import replace
from tests.experiment.report.made import (
    CHECKS,
    ESTIMATES,
    PLAN,
    SPECS,
    analysis,
    estimate,
    evil,
)
from tests.experiment.report.outline import outline, text

from afterglow.experiment.report import as_html, as_paper
from afterglow.records.experiment import Interval

EVIL = """<script>alert("x")</script><img src=x onerror=y>'"&"""


@pytest.fixture(scope="module")
def html():
    return as_html(analysis(), SPECS)


def test_it_is_as_expected(golden, request, html):
    golden(request.path.with_name("report.expected.html"), html[html.index("<body") :])


def test_the_first_words_answer_the_question(html):
    assert re.search(
        r'<h1>Does warm beat cold\? \(daily\)</h1>\s*<p class="lead"><strong>Yes</strong>, on error-rate',
        html,
    )


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        ("better", "Yes, on error-rate warm did better than cold"),
        ("worse", "No, on error-rate warm did worse than cold"),
        (
            "no difference that matters",
            "No difference that matters between warm and cold",
        ),
        (
            "could not tell",
            "Could not tell whether warm does better or worse than cold",
        ),
    ],
)
def test_each_verdict_has_its_answer(verdict, words):
    assert words in text(
        as_html(analysis(estimates=(estimate(verdict=verdict),)), SPECS)
    )


def test_sections_come_in_the_order_of_the_questions_with_harms_before_all_outcomes(
    html,
):
    assert outline(html).headings[1:] == [
        "Harms", "What was not shown", "All outcomes", "Evidence over time", "Strata", "From assignment to analysis",
        "Was it fair?", "How it was done", "Limitations", "The plan", "Fingerprints",
    ]  # fmt: skip


def test_a_failed_check_and_a_placebo_that_helps_too_stand_before_the_numbers():
    helped = (estimate(verdict="better"), estimate(arm="placebo", verdict="better"))
    html = as_html(analysis(estimates=helped), SPECS)
    first, _, _ = text(html).partition("any time:")
    assert "the check of missing failed" in first
    assert "need not have been the lessons" in first


def test_what_got_worse_is_named_and_what_could_not_be_told_is_not_called_safe(html):
    said = text(html)
    assert "Shown to be worse: tokens (warm)." in said
    assert "Looks worse, and is not shown: tokens (placebo)." in said
    assert (
        "Could not be told, so a harm is not ruled out: error-rate (placebo), success (warm)"
        in said
    )


def test_without_a_shown_harm_it_does_not_say_there_is_none():
    said = text(as_html(analysis(estimates=ESTIMATES[:1]), SPECS))
    assert "No outcome was shown to be worse. That is not proof that none is" in said


def test_every_planned_outcome_is_shown_also_what_only_describes_and_what_has_no_numbers(
    html,
):
    said = text(html)
    assert all(name in said for name in SPECS)
    assert "corrections (proxy)" in said
    few = text(as_html(analysis(estimates=ESTIMATES[:1]), SPECS))
    assert (
        "not computed from these data: success, seconds, tokens, corrections (proxy), tools"
        in few
    )


def test_a_task_run_in_every_arm_is_counted_as_runs_and_compared_task_by_task():
    plan = replace(
        PLAN, unit="task", design="paired", arms=("cold", "warm"), allocation=(0.5, 0.5)
    )
    said = text(as_html(analysis(plan=plan), SPECS))
    assert (
        "Each task was run in every arm, in random order: cold and warm; cold is the control"
        in said.replace("\xa0", " ")
    )
    assert "245 runs assigned" in said
    assert "count only at the planned size of 200 tasks per arm" in said


def test_the_plan_stands_whole_with_the_hashes(html):
    said = text(html)
    for value in (
        PLAN.salt,
        PLAN.hypothesis,
        "robots, empty",
        "ab" * 32,
        "cd" * 32,
        '"min_effect":0.02',
    ):
        assert value in said


def test_it_needs_no_script_and_no_network(html):
    for page in (html, as_paper(analysis(), SPECS, html=True)):
        assert "script" not in outline(page).tags
        assert not re.search(r"https?://|src=|@import|url\(", page)
        assert all(link.startswith("#") for link in outline(page).links)


def test_it_follows_the_reader_into_the_dark_and_onto_paper(html):
    assert "prefers-color-scheme: dark" in html
    assert "@media print" in html
    assert "FONT" not in html


@pytest.mark.parametrize(
    "render",
    [as_html, lambda *args: as_paper(*args, html=True)],
    ids=["report", "paper"],
)
@pytest.mark.parametrize(
    "found",
    [analysis(simulated=True), analysis(plan=replace(PLAN, simulated=True))],
    ids=["data", "plan"],
)
def test_simulated_is_stamped_on_title_page_captions_and_figures(render, found):
    page = render(found, SPECS)
    assert page.index("banner stamp") < page.index("<h1>Simulated: ")
    assert "<title>Simulated: " in page
    assert "@bottom-left" in page
    captions = re.findall(r"<b>(?:Figure|Table) \d+\.</b> (\S+)", page)
    assert captions and set(captions) == {"Simulated."}
    drawings = page.count('<svg class="fig')
    assert page.count(">SIMULATED</text>") == drawings > page.count("<figure>")


def test_what_is_not_simulated_does_not_say_so(html):
    assert "imulated:" not in html.replace("<dt>simulated</dt>", "").replace(
        '"simulated":', ""
    )


@pytest.mark.parametrize(
    "render",
    [as_html, lambda *args: as_paper(*args, html=True)],
    ids=["report", "paper"],
)
def test_whatever_people_wrote_is_shown_as_text(render):
    found = outline(render(evil(EVIL), SPECS))
    assert not found.tags & {"script", "img"}
    assert EVIL in "".join(found.text)


@pytest.mark.parametrize(
    "found",
    [
        analysis(estimates=(), checks=(), evidence=(), strata=()),
        analysis(
            plan=replace(
                PLAN, planned=0, min_effect=0.0, hypothesis="", strata=(), exclusions=()
            )
        ),
        analysis(
            plan=replace(
                PLAN,
                unit="task",
                design="paired",
                arms=("cold", "warm"),
                allocation=(0.5, 0.5),
            )
        ),
        analysis(assigned={}, analysed={}, excluded={}),
        analysis(
            estimates=(
                estimate(
                    interval=Interval(-math.inf, math.inf),
                    sequence=Interval(-math.inf, math.inf),
                    p=1.0,
                ),
                estimate(
                    "tokens", values=(0.0, 0.0), half=0.0, wide=0.0, p=math.nan, e=1e300
                ),
                estimate("unheard-of", values=(math.nan, 1.0)),
            )
        ),
    ],
    ids=["nothing yet", "no size", "paired", "no counts", "no bounds"],
)
def test_it_can_be_made_of_little_and_of_odd_numbers(found):
    for page in (as_html(found, SPECS), as_paper(found, SPECS, html=True)):
        assert not re.search(
            r"\bnan\b|\binf\b", re.sub("<style>.*</style>", "", page, flags=re.DOTALL)
        )
        outline(page)


def test_the_same_analysis_gives_the_same_page(html):
    assert as_html(analysis(checks=CHECKS), dict(reversed(SPECS.items()))) == html
