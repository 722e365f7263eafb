"""Templates: what waits, one whole, the difference to what was approved, and a person's word about it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from afterglow.flows import warm
from afterglow.records.template import SessionSeed, ToolCallExample, WarmTemplate
from afterglow.store.templates.folder import Templates
from web.desk import Browser, words_of

NOW = 1_790_000_000.0
SCRIPT = "<script>alert(1)</script>"


def seed(command: str) -> SessionSeed:
    example = ToolCallExample("Bash", f'{{"command": "{command}"}}', SCRIPT)
    return SessionSeed(system_context="Ship with care.", tool_examples=(example,))


@pytest.fixture
def template(home) -> WarmTemplate:
    new = WarmTemplate(id="", name="Ship it", repo="harbor", seed=seed("make ship"))
    return Templates(home.templates).add(new, NOW)


def mark_in(page: str) -> str:
    return page.partition('name="mark" value="')[2].partition('"')[0]


def test_an_empty_home_says_how_to_make_one(browser):
    assert "afterglow warm auto" in browser.get("/templates")


def test_what_waits_is_read_and_approved(browser, home, template):
    assert "1 waiting" in words_of(browser.get("/templates"))
    path = f"/templates/{template.id}"
    page = browser.get(path)
    assert SCRIPT not in page and "&lt;script&gt;" in page
    assert "No session gets it" in words_of(page)
    answer = browser.post(f"{path}/approve", {"mark": mark_in(page)})
    assert "Sessions may start from Ship it, version 1" in words_of(answer.text)
    assert warm.approved_template(home, template.id).version == 1


def test_a_new_version_is_shown_against_what_was_approved(browser, home, template):
    (approved,) = warm.approve(home, [template.id])
    newer = replace(approved, seed=seed("make dock"), approved=False)
    Templates(home.templates).save(newer, NOW + 5)
    page = words_of(browser.get(f"/templates/{template.id}"))
    assert "From version 1, which you approved, to version 2" in page
    assert "+Bash {&#34;command&#34;: &#34;make dock&#34;}" in page
    assert "Sessions start from version 1" in page
    earlier = words_of(browser.get(f"/templates/{template.id}?version=1"))
    assert "This is how it was" in earlier and "Approve" not in earlier
    listed = words_of(browser.get("/templates"))
    assert "sessions get version 1" in listed


def test_two_templates_are_held_against_one_another(browser, home, template):
    other = WarmTemplate(id="", name="Dock it", seed=seed("make dock"))
    other = Templates(home.templates).add(other, NOW + 60)
    page = browser.get(f"/templates/{other.id}?with={template.id}")
    assert "<del>-Ship it</del>" in page and "<ins>+Dock it</ins>" in page


def test_a_page_that_is_old_decides_nothing(browser, home, template):
    path = f"/templates/{template.id}"
    mark = mark_in(browser.get(path))
    Templates(home.templates).save(replace(template, seed=seed("rm -r .")), NOW + 5)
    for decision in ("approve", "reject", "delete"):
        answer = browser.post(f"{path}/{decision}", {"mark": mark})
        assert answer.status_code == 409
        assert "since you looked" in answer.text
    assert not Templates(home.templates).get(template.id).approved


def test_rejected_and_deleted(browser, home, template):
    path = f"/templates/{template.id}"
    answer = browser.post(f"{path}/reject", {"mark": mark_in(browser.get(path))})
    assert "No session gets version 1" in words_of(answer.text)
    assert "1 rejected" in words_of(browser.get("/templates"))
    answer = browser.post(f"{path}/delete", {"mark": mark_in(browser.get(path))})
    assert "trash" in answer.text
    assert Templates(home.templates).ids() == []


def test_who_only_looks_has_no_buttons(home, template):
    browser = Browser(home, read_only=True)
    path = f"/templates/{template.id}"
    page = browser.get(path)
    assert "<button" not in page.partition("<main")[2].partition("filters")[0]
    assert browser.post(f"{path}/approve").status_code == 403


def test_an_unknown_version_is_an_error_that_says_what_there_is(browser, template):
    answer = browser.client.get(f"/templates/{template.id}?version=7")
    assert answer.status_code == 404 and "there are 1" in answer.text
    assert browser.client.get(f"/templates/{template.id}?version=x").status_code == 400
