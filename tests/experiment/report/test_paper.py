"""The manuscript: every number in it leads to where it was computed, and it claims nothing else."""

import re
from importlib import import_module

import msgspec
import pytest
from msgspec.structs import replace
from tests.experiment.report.made import (
    DAY,
    ESTIMATES,
    PLAN,
    SPECS,
    START,
    TIMES,
    analysis,
    evil,
    task_study,
)
from tests.experiment.report.outline import outline, text

from afterglow.experiment.report import appendix, as_paper, paper
from afterglow.experiment.report.references import library, related
from afterglow.experiment.report.view import view_of
from afterglow.records.experiment import StudyTimes
from afterglow.show.blocks import numbers

FOUND = analysis()
VIEW = view_of(FOUND, SPECS)
TASKS = task_study()


@pytest.fixture(scope="module")
def html():
    return as_paper(FOUND, SPECS, html=True)


def test_it_is_as_expected(golden, request):
    golden(
        request.path.with_name("paper.expected.md"), as_paper(FOUND, SPECS, html=False)
    )


def test_it_has_the_parts_of_a_manuscript(html):
    headings = [name for name in outline(html).headings[1:] if name != "Related work"]
    assert headings == [
        "Abstract", "Introduction", "Methods", "Results", "Limitations", "Data statement", "References",
        "Appendix A: where every number comes from", "Appendix B: the plan",
    ]  # fmt: skip


def test_every_link_leads_to_one_place(html):
    found = outline(html)
    assert len(found.ids) == len(set(found.ids))
    assert {link.removeprefix("#") for link in found.links} <= set(found.ids)
    assert sum(id.startswith("v") for id in found.ids) > 60


def test_every_number_of_the_results_is_linked(html):
    """Outside links, captions, tables' heads and figures there are no digits but those of a level, like 95 %."""
    results = html[html.index("<h2>Results") : html.index("<h2>Limitations")]
    for pattern in (
        r"<figure>.*?</figure>",
        r"<thead>.*?</thead>",
        r'<p class="caption">.*?</p>',
        r"<a .*?</a>",
        r"<[^>]*>",
    ):
        results = re.sub(pattern, " ", results, flags=re.DOTALL)
    assert re.findall(r"\d+", results) == []


def test_every_function_named_in_the_appendix_exists():
    named = {
        appendix.source_of(view, number).function
        for view in (VIEW, view_of(TASKS, SPECS))
        for number in numbers(paper.manuscript(view))
    }
    assert len(named) >= 5
    for name in named:
        module, _, function = name.rpartition(".")
        assert callable(getattr(import_module(module), function)), name


def test_a_row_of_the_appendix_says_outcome_method_inputs_and_data(html):
    row = re.search(
        r'<tr><td class=" name"><span id="v\d+">−5\.0&nbsp;points.*?</tr>', html
    )[0]
    said = text(row)
    for words in (
        "estimates[0].difference",
        "error-rate, warm against cold",
        "n = 110 and 118",
        "cd" * 6,
    ):
        assert words in said.replace("\xa0", " ")


def test_only_the_literature_of_what_was_done_is_cited():
    exact = as_paper(
        analysis(
            estimates=(replace(ESTIMATES[0], method="exact McNemar test", holm=None),)
        ),
        SPECS,
        html=False,
    )
    assert (
        "McNemar Q (1947)" in exact
        and "Holm S" not in exact
        and "Welch BL" not in exact
    )
    assert "Welch BL" in as_paper(FOUND, SPECS, html=False)


def test_markdown_and_html_have_the_same_words(html):
    """Markup apart, and the figures, which are drawn differently."""
    plain = as_paper(FOUND, SPECS, html=False)
    for words in (
        "Shown to be worse: tokens",
        "The planned size is not reached",
        "whatever became of the context",
    ):
        assert words in plain and words in text(html)


def test_a_plan_without_a_hypothesis_gets_none():
    said = as_paper(analysis(plan=replace(PLAN, hypothesis="")), SPECS, html=False)
    assert "No hypothesis was written down" in said


def test_odd_names_keep_the_links_whole():
    found = outline(as_paper(evil('a"b [c](d) #'), SPECS, html=True))
    assert {link.removeprefix("#") for link in found.links} <= set(found.ids)
    assert all(re.fullmatch(r"(v|ref-)\d+", id) for id in found.ids)


def test_arms_nobody_drew_were_called_randomised():
    """Units that were assigned elsewhere: that they were drawn at random is only what was planned."""
    for words in (
        as_paper(FOUND, SPECS, html=False),
        as_paper(FOUND, SPECS, html=True),
    ):
        assert (
            "a randomised comparison" in words and "only what was planned" not in words
        )
    told = as_paper(replace(FOUND, drawn=False), SPECS, html=False)
    assert "a randomised comparison" not in told and "only what was planned" in told
    assert "recorded were analysed" in told


@pytest.mark.parametrize(
    ("times", "words"),
    [
        (TIMES, "The plan was written on 2026-05-28 20:26 UTC, 3.0 h before the first session was given its arm. "
                "The sessions are dated from 2026-05-28 23:26 UTC to 2026-07-06 20:26 UTC."),
        (replace(TIMES, assigned=None), "by the times that their records give; nobody here gave out the arms."),
        (replace(TIMES, first=START - 5 * DAY), "5 days after the first session began: it may have been made to fit"),
        (replace(TIMES, planned=None), "When the plan was written is not recorded, so it cannot be shown that it came"),
        (StudyTimes(planned=START), "When the sessions were run is not recorded, so it cannot be shown that the plan"),
    ],
)  # fmt: skip
def test_when_the_plan_was_written_was_told_without_times(times, words):
    """It said "before there was data", whatever was known of that."""
    told = as_paper(analysis(times=times), SPECS, html=False)
    assert words in re.sub(r"\[([^\]]*)\]\(#v\d+\)", r"\1", told)
    assert "before there was data" not in told


def test_a_study_of_tasks_tells_its_model_its_tasks_and_the_pairs():
    told = re.sub(r"\[([^\]]*)\]\(#v\d+\)", r"\1", as_paper(TASKS, SPECS, html=False))
    for words in (
        "All 8 runs were made by mini-swe 2.1.0 and the model large-2, with afterglow 0.1.0.",
        "4 tasks of 2 families, each with its name and what came of it in a table at the end.",
        "Where they come from: written by the team (3 tasks) and not recorded (1 task).",
        "| warm against cold (success) | 1 | 2 | 0 | 1 | 0.50 (Holm 0.50) |",
        "| warm | 4 | 3 | 231 |",
        "In the arm warm only 3 of 4 runs were told anything",
        "| berth-1 (berths) | acme/till | 0123456789ab | no | yes |",
        "McNemar Q (1947)",
    ):
        assert words in told


def test_a_study_that_was_run_here_was_described_as_daily_sessions():
    """Success was said to be guessed from how a session ended, and lessons of one arm to reach the others."""
    told = as_paper(TASKS, SPECS, html=False)
    assert "the task's own check said so" in told and "it got there" not in told
    assert "taught no other" in told and "could reach the others" not in told
    elsewhere = replace(TASKS, tasks=tuple(replace(task, task_hash="") for task in TASKS.tasks))  # fmt: skip
    told = as_paper(elsewhere, SPECS, html=False)
    assert "it got there" in told and "The tasks were run elsewhere" in told


@pytest.mark.parametrize(
    ("arms", "words"),
    [
        (("cold", "warm"), "- **cold**: nothing."),
        (("cold", "start"), "- **start**: lessons of earlier sessions, chosen for the repository and the request"),
        (("cold", "failure", "placebo"), "- **failure**: one line right after a call failed in a way that is known."),
        (("cold", "failure", "placebo"), "as long as the longest of the others, after such a failure."),
        (("cold", "template:examples"), "- **template:examples**: the examples alone of the template"),
        (("cold", "template:150"), "that fits, in at most 150 tokens, as it begins."),
        (("cold", "ours"), "- **ours**: what its author means by it"),
    ],
)  # fmt: skip
def test_what_an_arm_is_told_stands_in_the_methods(arms, words):
    share = (1 / len(arms),) * len(arms)
    told = as_paper(analysis(plan=replace(PLAN, arms=arms, allocation=share)), SPECS, html=False)  # fmt: skip
    assert words in told


def test_what_is_not_recorded_of_a_study_is_told_as_that():
    bare = replace(TASKS, workers=(), repos=(), pair_tables=())
    told = as_paper(bare, SPECS, html=False)
    assert "Which agents and models worked is not recorded." in told
    assert "Of which repositories the tasks are is not recorded." in told
    assert "Task by task" not in told


def test_where_tasks_of_a_family_are_alike_the_exact_test_is_told_to_be_too_sure():
    plain = as_paper(TASKS, SPECS, html=False)
    alike = replace(TASKS, estimates=(replace(TASKS.estimates[0], clusters=12),))
    words = "Where the two p differ, trust the larger."
    assert words not in plain and words in as_paper(alike, SPECS, html=False)


def test_a_null_says_what_it_rules_out():
    """By the interval that holds at any time: success could be 22 points better or 14 worse."""
    told = re.sub(r"\[([^\]]*)\]\(#v\d+\)", r"\1", as_paper(FOUND, SPECS, html=False))
    assert "| success, warm against cold | **could not tell** | 22.0 points | 14.0 points |" in told  # fmt: skip
    assert "1 better, 1 worse, 5 could not tell" in told


@pytest.mark.parametrize("found", [FOUND, TASKS])
def test_every_place_of_a_number_is_in_the_analysis(found):
    plain = msgspec.to_builtins(found)
    for number in numbers(paper.manuscript(view_of(found, SPECS))):
        value = plain
        for part in re.findall(r"[\w-]+", number.path.replace("lost.", "assigned.")):
            value = value[int(part)] if isinstance(value, list | tuple) else value[part]
        assert value is not None, number


def test_every_reference_says_what_of_it_was_read():
    for key, entry in library().items():
        assert re.fullmatch(r"[a-z0-9_]+", key), key
        assert (
            1900 < entry.year < 2027 and entry.title and entry.venue and entry.authors
        )
        if entry.kind != "method":
            assert entry.says.endswith(".") and entry.read != "citation", key
        if entry.read == "citation":
            assert not entry.says, f"{key}: what was not read cannot be told"


def test_related_work_is_cited_where_there_is_some():
    told = as_paper(FOUND, SPECS, html=False)
    assert ("## Related work" in told) == bool(related())
    for entry in related().values():
        assert entry.title in told and entry.says in told
