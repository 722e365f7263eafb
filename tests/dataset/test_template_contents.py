"""What templates say, when it is asked for: whole, in a crowd, and without names and places."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.dataset.sharing import contents, material, template

from afterglow.dataset import CONTENTS, build
from afterglow.dataset.pseudonyms import KEY
from afterglow.dataset.table import SharedContents
from afterglow.dataset.texts import (
    MAX_TEXT_CHARACTERS,
    may_leave,
    without_names,
    without_places,
)

SALT = b"s" * KEY


def built(**fields):
    return build(material(**fields), SALT, k=5)


def test_words_leave_only_when_asked_for():
    assert CONTENTS not in built()
    assert CONTENTS in built(contents=contents())


def test_every_part_of_a_template_is_a_row_that_joins_its_template():
    tables = built(contents=contents())
    first = tables["templates"].rows[0]["template"]
    rows = [row for row in tables[CONTENTS].rows if row["template"] == first]
    assert [(row["part"], row["position"], row["tool"]) for row in rows] == [
        ("context", 1, ""),
        ("convention", 1, ""),
        ("example", 1, "code"),
        ("example", 2, "code"),
        ("recovery", 1, ""),
    ]
    recovery = rows[-1]
    assert (recovery["text"], recovery["result"], recovery["sessions"]) == (
        "mooring lost",
        "call the tugboat",
        1,
    )


def test_contents_of_a_template_that_stays_behind_stay_behind():
    lonely = replace(template(9), agent="pi", source_sessions=("ana-1",))
    templates = (*material().templates, lonely)
    tables = built(templates=templates, contents=tuple(map(SharedContents, templates)))
    assert tables["templates"].suppressed == 1
    assert tables[CONTENTS].suppressed == 5
    shared_templates = {row["template"] for row in tables["templates"].rows}
    assert {row["template"] for row in tables[CONTENTS].rows} == shared_templates


def test_contents_that_rest_on_few_sessions_are_no_crowd():
    templates = tuple(
        replace(template(number), source_sessions=("ana-1",)) for number in range(6)
    )
    tables = built(templates=templates, contents=tuple(map(SharedContents, templates)))
    assert tables[CONTENTS].rows == ()


def test_what_was_held_back_is_counted():
    assert built(contents=contents(held=2))[CONTENTS].suppressed == 12


def test_a_part_that_tells_a_place_after_all_stays_behind():
    seed = replace(template(1).seed, system_context="It is at https://x.example/y")
    odd = replace(template(1), seed=seed)
    others = [one for one in contents() if one.template.id != odd.id]
    table = built(contents=(SharedContents(odd), *others))[CONTENTS]
    assert table.suppressed == 1
    assert not any("https" in str(row["text"]) for row in table.rows)


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("cd /srv/acme-prod/secrets && ls", "cd <path> && ls"),
        ("see https://git.acme.example/x?y=1.", "see <url>"),
        ("ok github.com/acme/cli/cmd 3.1s", "ok <url> 3.1s"),
        ("pnpm --filter @acme/web test", "pnpm --filter @<name>/web test"),
        ("gh api repos/acme/cli/pulls", "gh api repos/<name>/cli/pulls"),
        ("id 0b5e8c1e-7d41-4b1c-9d3e-2f6a1c0d9e8f", "id <id>"),
        (r"type C:\Work\plans.txt", "type <path>"),
        ('{"workdir":"/mnt/disk/x"}', '{"workdir":"<path>"}'),
        ("a\x1b[0m\rb", "a [0m b"),
        # what every machine has, and what is inside the repository, may stay
        ("cat /etc/hosts /usr/bin/env", "cat /etc/hosts /usr/bin/env"),
        ("<repo>/src/main.go ./a/b src/x/y.py", "<repo>/src/main.go ./a/b src/x/y.py"),
        (".vscode/settings.local.json", ".vscode/settings.local.json"),
        ("decorate with @property", "decorate with @<name>"),
    ],
)
def test_places_are_taken_out_of_a_text(text, without):
    assert without_places(text) == without


def test_names_are_found_inside_longer_ones_and_in_other_spellings():
    hide = without_names(["acme/night-shift", "ana", "x"])
    assert hide("Acme's nightshift_client by ana, not banana; x") == (
        "<name>'s <name>_client by <name>, not banana; x"
    )
    assert hide("/srv/x/ana") == "<path>"


@given(st.text(max_size=200))
def test_what_was_made_safe_stays_as_it_is(text):
    hide = without_names(["acme/harbor"])
    safe = hide(text)
    assert hide(safe) == safe
    assert may_leave(safe)


def test_a_text_without_end_may_not_leave():
    assert not may_leave("x" * (MAX_TEXT_CHARACTERS + 1))
