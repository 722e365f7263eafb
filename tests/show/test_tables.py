"""Tables on a screen: never wider than it, numbers whole, colour only where somebody looks."""

import contextvars

import pytest

from afterglow.show.screen import styled, use_colour
from afterglow.show.tables import paragraph, table, width

HEADERS = ("session", "repo", "rate", "95 %", "calls", "title")
ROW = (
    "b91bb193-be4c",
    "an-organisation-with-a-long-name/and-a-repository-with-another",
    "12.5 %",
    "10.0–15.2 %",
    "1,203",
    "please look into the gate that does not open when the tide is high " * 2,
)


@pytest.fixture(params=[80, 120])
def screen(request, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(request.param))
    return request.param


def test_no_line_is_wider_than_the_screen_and_no_number_is_cut(screen):
    lines = table(HEADERS, [ROW] * 3, right="rate calls").splitlines()
    assert max(map(width, lines)) == screen
    assert all(text in lines[2] for text in ("12.5 %", "10.0–15.2 %", "1,203", ROW[0]))


def test_the_widest_words_are_cut_first(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    line = table(("name", "title"), [("a name of thirty characters ok", "x " * 60)])
    assert "a name of thirty characters ok" in line and "…" in line


def test_what_does_not_fit_at_its_narrowest_stands_below_with_the_first_column_again(
    screen,
):
    headers = ("name", *(f"count{n}" for n in range(20)))
    text = table(headers, [("first", *range(20))], right=" ".join(headers[1:]))
    assert max(map(width, text.splitlines())) <= screen
    assert text.count("first") > 1 and all(header in text for header in headers)


def test_below_a_row_is_named_again_by_as_many_columns_as_it_takes(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    headers = ("outcome", "arm", *(f"count{n}" for n in range(8)))
    rows = [("errors", arm, *range(8)) for arm in ("template:examples", "start")]
    lines = table(headers, rows, whole="arm", named_by=2).splitlines()
    heads = [line for line in lines if line.startswith("outcome")]
    assert len(heads) > 1 and all("arm" in line for line in heads)
    assert sum("template:examples" in line for line in lines) == len(heads)


def test_optional_columns_go_before_a_table_is_split(monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    text = table(
        ("name", "n", "state"), [("a" * 12, "1", "finished")], optional="state"
    )
    assert "state" not in text and len(text.splitlines()) == 3
    monkeypatch.setenv("COLUMNS", "80")
    assert "finished" in table(("n", "state"), [(1, "finished")], optional="state")


def test_a_column_that_must_stay_whole_is_not_cut(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    verdict = "no difference that matters"
    text = table(("verdict", "why"), [(verdict, "because " * 20)], whole="verdict")
    assert verdict in text


def test_wide_characters_take_two_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    lines = table(("a", "b"), [("値" * 30, "x"), ("y", "z")]).splitlines()
    assert max(map(width, lines)) <= 40


def test_a_paragraph_is_no_wider_than_the_screen(screen):
    text = paragraph("many words " * 60, bullet="- ")
    assert max(map(len, text.splitlines())) <= screen


def test_colour_is_off_unless_somebody_decided_and_on_after():
    rows = [("a", 1)]
    assert "\x1b" not in table(("name", "n"), rows)

    def coloured() -> str:
        use_colour(True)
        return table(("name", "n"), rows) + styled("well", "good")

    text = contextvars.Context().run(coloured)
    assert "\x1b[1mname" in text and "\x1b[32mwell\x1b[0m" in text
    assert "\x1b" not in table(("name", "n"), rows)
