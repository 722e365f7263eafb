"""The manuscript: every number in it leads to where it was computed, and it claims nothing else."""

import re
from importlib import import_module

import msgspec
import pytest
from msgspec.structs import replace
from tests.experiment.report.made import ESTIMATES, PLAN, SPECS, analysis, evil
from tests.experiment.report.outline import outline, text

from afterglow.experiment.report import appendix, as_paper, paper
from afterglow.experiment.report.view import view_of
from afterglow.records.experiment import PLANNED_FIRST, FairnessCheck
from afterglow.show.blocks import numbers

FOUND = analysis()
VIEW = view_of(FOUND, SPECS)


@pytest.fixture(scope="module")
def html():
    return as_paper(FOUND, SPECS, html=True)


def test_it_is_as_expected(golden, request):
    golden(
        request.path.with_name("paper.expected.md"), as_paper(FOUND, SPECS, html=False)
    )


def test_it_has_the_parts_of_a_manuscript(html):
    assert outline(html).headings[1:] == [
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


def test_every_place_named_in_the_appendix_is_in_the_analysis():
    plain = msgspec.to_builtins(FOUND)
    for found in numbers(paper.manuscript(VIEW)):
        value = plain
        for part in re.findall(r"[\w-]+", found.path.replace("lost.", "assigned.")):
            value = value[int(part)] if isinstance(value, list | tuple) else value[part]
        assert value is not None, found


def test_every_function_named_in_the_appendix_exists():
    named = {
        appendix.source_of(VIEW, found).function
        for found in numbers(paper.manuscript(VIEW))
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


def test_a_plan_written_after_its_data_was_called_written_before():
    late = replace(
        FOUND,
        checks=(
            FairnessCheck(
                PLANNED_FIRST, False, "5 of 300 began before the plan was written"
            ),
        ),
    )
    told = as_paper(late, SPECS, html=False)
    assert "before there was data" in as_paper(FOUND, SPECS, html=False)
    assert "before there was data" not in told and "when there was data already" in told
