"""Items as bullets and back: whatever the words are, the file keeps its shape and the words come back."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from afterglow.store.folder.entries import entry_of
from afterglow.store.folder.markdown import (
    block,
    escape,
    read_page,
    shown,
    shown_tags,
    unescape,
    write_page,
)
from afterglow.store.folder.names import GLOBAL, Place
from keeping import item

nasty = st.text(
    st.one_of(st.sampled_from("`\\[]<>*_-#&;:~=|+.)(!\n\t 1kab·"), st.characters()),
    max_size=60,
)


def page(*items, place=GLOBAL):
    return write_page(place, items[0].category, [block(entry_of(one)) for one in items])


def only(text, category="pitfall"):
    read = read_page(text, category)
    assert read.problem is None, read.problem
    assert len(read.bullets) == 1
    return read.bullets[0]


def test_a_bullet_reads_well():
    made = page(
        item(
            1,
            fact="`make test` fails until `make generate` has run",
            repo="",
            tags=("go", "tests"),
            last_confirmed=1_790_000_000.0,
        )
    )
    assert made.split("\n")[4:6] == [
        "- `make test` fails until `make generate` has run [k0000001]",
        "  0.80 · 2 sessions · last 2026-09-21 · tags: go, tests",
    ]


@given(nasty)
@example("- # 1. leading")
@example("1. first")
@example("``` not closed")
@example("`a ``` b` and `c")
@example("ends in \\")
@example("a\\`b`c`")
@example("looks like an id [k3f9a1c2]")
@example("`code [k3f9a1c2]`")
@example("<script>alert(1)</script> &lt; <!-- afterglow: -->")
@example("0.86 · 3 sessions · tags: none")
@settings(max_examples=300, deadline=None)
def test_any_words_come_back(words):
    if shown(words):
        bullet = only(page(item(1, fact=words, repo="")))
        assert (bullet.words, bullet.id) == (shown(words), "k0000001")


@given(st.lists(nasty, max_size=3))
@settings(max_examples=100, deadline=None)
def test_any_tags_come_back_as_they_are_shown(tags):
    assert only(page(item(1, repo="", tags=tuple(tags)))).tags == shown_tags(tags)


@given(st.lists(nasty.filter(shown), min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_many_bullets_stay_many(facts):
    items = [
        item(n, fact=fact, repo="r", category=("pitfall", "fact")[n % 2])
        for n, fact in enumerate(facts)
    ]
    read = read_page(page(*items, place=Place("repos", "r")), None)
    assert {(b.id, b.words, b.category) for b in read.bullets} == {
        (i.id, shown(i.fact), i.category) for i in items
    }


@given(st.lists(nasty.filter(shown), min_size=1, max_size=4))
@example(["[a](http://b) ![c](d) <http://e> &amp;", "*a* __b__ ~~c~~", "a\\", "```"])
@settings(max_examples=200, deadline=None)
def test_markdown_shows_the_words_and_nothing_else(facts):
    """Judged by a reader of Markdown that is not ours: as many bullets as items, no links, no markup, no HTML."""
    items = [item(n, fact=fact, repo="", tags=(fact,)) for n, fact in enumerate(facts)]
    tokens = MarkdownIt().parse(page(*items))
    kinds = [token.type for token in tokens]
    assert (
        kinds.count("list_item_open") == len(items)
        and kinds.count("bullet_list_open") == 1
    )
    assert set(kinds) <= {
        "heading_open", "inline", "heading_close", "html_block", "bullet_list_open", "list_item_open", "paragraph_open",
        "paragraph_close", "list_item_close", "bullet_list_close",
    }  # fmt: skip
    assert kinds.count("html_block") == kinds.count("heading_open") == 1
    inline = [part.type for token in tokens for part in token.children or ()]
    assert set(inline) <= {"text", "text_special", "code_inline", "softbreak"}


def test_code_stays_readable():
    assert escape("run `a_b <c> [d]` now") == "run `a_b <c> [d]` now"
    assert escape("snake_case and C:\\dir stay") == "snake_case and C:\\dir stay"
    assert escape("[a](http://b) <b> **c**") == "\\[a](http://b) \\<b> \\*\\*c\\*\\*"


def test_a_person_may_break_a_sentence_over_lines():
    bullet = only(
        "- the words\n  go on here [k0000001]\n  0.80 · 2 sessions · tags: go\n"
    )
    assert (bullet.words, bullet.id, bullet.tags) == (
        "the words go on here",
        "k0000001",
        ("go",),
    )


def test_a_new_bullet_needs_no_id_and_no_second_line():
    bullet = only("- `make ship` needs the tide\n")
    assert (bullet.words, bullet.id, bullet.tags) == (
        "`make ship` needs the tide",
        "",
        None,
    )


def test_words_in_brackets_are_no_id():
    assert unescape("press [keyboard]") == ("press [keyboard]", "", "")


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("# T\n\nsome prose\n", 3, "outside a bullet"),
        ("- a [k0000001]\n<<<<<<< HEAD\n", 2, "git left a conflict"),
        ("- a [k0000001] and more\n", 1, "behind [k0000001]"),
        ("- [k0000001]\n", 1, "without words"),
        ("- a\n  - b\n", 2, "indented bullet"),
        ("- a [k0000001]\n  0.80 · 2 sessions\n  more\n", 3, "nothing may follow"),
        ("- a\n\n```\ncode\n```\n", 3, "outside a bullet"),
        ("## Facts\n- a\n", 1, "outside a bullet"),
    ],
)
def test_what_does_not_fit_is_named_with_its_line(text, line, word):
    problem = read_page(text, "pitfall").problem
    assert problem and problem[0] == line and word in problem[1]


def test_a_bullet_of_a_repo_needs_a_heading():
    assert read_page("# r\n\n- a\n", None).problem == (
        3,
        "the bullet needs a heading above it, like ## Facts",
    )
    assert read_page("## Other\n", None).problem[0] == 1
    assert only("## tool quirks\n- a\n", None).category == "tool-quirk"
