"""The report as Markdown: readable as it is, and nothing in it but what we wrote."""

import pytest
from markdown_it import MarkdownIt
from msgspec.structs import replace
from tests.experiment.report.made import PLAN, SPECS, analysis, evil

from afterglow.experiment.report import as_markdown, as_paper, figures
from afterglow.experiment.report.text_figures import WIDE, bar
from afterglow.records.experiment import Interval
from afterglow.show.markdown import escape

EVIL = [
    "<script>alert(1)</script>",
    "![x](http://evil.example/x.png) [y](javascript:z)",
    "| a | b |\n\n# heading\n\n- list",
    "```\n</code></pre><b>out</b>",
    "**bold** _under_ ~~gone~~ &lt; $x$ https://evil.example www.evil.example <https://evil.example>",
    "1. first",
    "\\",
    "[ref]: http://evil.example",
]


def tokens(text):
    """Every token of the document, those inside lines too."""
    found = []
    for token in MarkdownIt("gfm-like", {"linkify": False}).parse(text):
        found += [token, *(token.children or [])]
    return found


def shown(text):
    return "".join(
        token.content
        for token in tokens(text)
        if token.type in ("text", "text_special", "fence", "code_inline")
    )


def test_it_is_as_expected(golden, request):
    golden(request.path.with_name("report.expected.md"), as_markdown(analysis(), SPECS))


@pytest.mark.parametrize("text", EVIL)
def test_escaped_words_are_shown_and_do_nothing(text):
    flat = text.replace("\n", " ")
    inline = [token for token in tokens(f"x {escape(text)}") if token.children]
    assert {child.type for child in inline[0].children} <= {"text", "text_special"}
    assert shown(f"x {escape(text)}") == f"x {flat}"


@pytest.mark.parametrize("text", EVIL)
def test_names_and_hypotheses_cannot_add_markup(text):
    quiet = [token.type for token in tokens(as_markdown(evil("quiet"), SPECS))]
    loud = tokens(as_markdown(evil(text), SPECS))
    kinds = (
        "html_block",
        "html_inline",
        "image",
        "link_open",
        "heading_open",
        "tr_open",
        "bullet_list_open",
    )
    assert not [
        token
        for token in loud
        if token.type in ("html_block", "html_inline", "image", "link_open")
    ]
    for kind in kinds:
        assert [token.type for token in loud].count(kind) == quiet.count(kind), kind


def test_no_mark_of_ours_is_left_over_as_text():
    for text in (
        as_markdown(analysis(), SPECS),
        as_paper(analysis(), SPECS, html=False),
    ):
        assert not [
            token
            for token in tokens(text)
            if token.type == "text" and ("**" in token.content or "](" in token.content)
        ]


def test_an_address_is_not_made_a_link():
    assert (
        escape("see https://a.example or www.a.example")
        == "see https\\://a.example or www\\.a.example"
    )


def test_tables_have_as_many_cells_in_every_row():
    rows = [
        line
        for line in as_markdown(analysis(), SPECS).splitlines()
        if line.startswith("|")
    ]
    groups, last = [], ""
    for line in as_markdown(analysis(), SPECS).splitlines():
        if line.startswith("|"):
            groups = groups if last.startswith("|") else [*groups, []]
            groups[-1].append(line.count("|"))
        last = line
    assert rows and all(len(set(group)) == 1 for group in groups)


def test_simulated_is_said_on_top_and_in_every_caption():
    text = as_markdown(analysis(plan=replace(PLAN, simulated=True)), SPECS)
    assert text.splitlines()[0].startswith("# Simulated: ")
    assert text.splitlines()[2].startswith("> **Simulated: ")
    captions = [
        line for line in text.splitlines() if line.startswith(("**Figure", "**Table"))
    ]
    assert captions and all(
        ". Simulated\\." in line or ".** Simulated. " in line for line in captions
    )


def test_figures_are_characters_or_files_beside_it():
    assert "![" not in as_markdown(analysis(), SPECS)
    for text in (
        as_markdown(analysis(), SPECS, folder="figures"),
        as_paper(analysis(), SPECS, html=False, folder="figures"),
    ):
        assert all(f"](figures/{name})" in text for name in figures(analysis(), SPECS))


def test_a_drawing_in_characters_has_zero_in_the_middle_and_says_where_it_goes_on():
    assert (
        bar(0.0, 1.0, 1, Interval(-0.5, 0.5))
        == f"{'├' + '─' * 9 + '●' + '─' * 9 + '┤':^{WIDE}}"
    )
    assert (
        bar(0.5, 1.0, -1, Interval(-3.0, 0.75), Interval(0.25, 0.75))
        .strip()
        .endswith("►")
    )
    assert bar(0.8, 1.0, 1, Interval(0.6, 1.0))[WIDE // 2] == "┊"
