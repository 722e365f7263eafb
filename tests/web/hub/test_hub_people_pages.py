"""People, rights and tokens: everybody looks after their own tokens, admins after the rest; a token is shown once."""

from __future__ import annotations

import pytest

from web.desk import words_of
from web.hub.members import ORIGIN, HubSite, Visitor, new_token

pytestmark = pytest.mark.slow
FOR_LAPTOP = {"label": "laptop", "scope": "sync", "days": "30"}


def test_a_new_token_is_shown_once_and_lets_in(site: HubSite):
    ben = site.member("ben")
    page = ben.post("/tokens/make", FOR_LAPTOP)
    token = new_token(page)
    assert "it is not shown again" in page
    assert "afterglow join http://127.0.0.1:8378" in page
    assert token not in ben.get("/tokens")
    assert "laptop" in ben.get("/tokens")
    assert "<b>ben</b>" in Visitor(site, token).get("/tokens")


def test_a_token_made_in_a_browser_outlives_it(site: HubSite):
    ben = site.member("ben")
    token = new_token(ben.post("/tokens/make", FOR_LAPTOP))
    ben.post("/logout")
    Visitor(site, token).get("/tokens")


def test_a_revoked_token_lets_nobody_in(site: HubSite):
    ben = site.member("ben")
    token = new_token(ben.post("/tokens/make", FOR_LAPTOP))
    row = ben.get("/tokens").split("laptop")[1]
    number = row.split('name="token" value="')[1].split('"')[0]
    page = ben.post("/tokens/revoke", {"token": number})
    assert "it lets nobody in any more" in page
    answer = site.stranger().post(
        "/login", data={"token": token}, headers={"origin": ORIGIN}
    )
    assert answer.status_code == 403


def test_a_browser_of_a_sync_token_makes_no_others_and_says_why(site: HubSite):
    token = new_token(site.member("ben").post("/tokens/make", FOR_LAPTOP))
    laptop = Visitor(site, token)
    assert "which makes no others" in laptop.get("/tokens")
    assert "makes no others" in laptop.post("/tokens/make", FOR_LAPTOP, status=403)


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({**FOR_LAPTOP, "scope": "admin"}, "makes none with the scope admin"),
        ({**FOR_LAPTOP, "scope": "everything"}, "no scope"),
        ({**FOR_LAPTOP, "days": "0"}, "days must be"),
        ({**FOR_LAPTOP, "days": "soon"}, "for how many days"),
    ],
)
def test_a_token_is_for_no_more_than_the_one_that_makes_it(
    site: HubSite, form: dict[str, str], words: str
):
    ben = site.member("ben")
    values = {"csrf": ben.form_token, **form}
    answer = ben.client.post("/tokens/make", data=values, headers={"origin": ORIGIN})
    assert answer.status_code in (400, 403)
    assert words in answer.text


def test_nobody_revokes_anothers_token(site: HubSite):
    ada = site.member("ada").get("/tokens")
    number = ada.split('name="token" value="')[1].split('"')[0]
    site.member("ben").post("/tokens/revoke", {"token": number}, status=404)
    site.member("ada").get("/tokens")


@pytest.mark.parametrize("path", ["/people", "/audit"])
def test_pages_of_admins_are_for_admins(site: HubSite, path: str):
    answer = site.member("ben").get(path, status=403)
    assert "this page is for admins: ada" in answer
    assert path not in site.member("ben").get("/tokens")


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/people/add", {"person": "mallory"}),
        ("/people/admin", {"person": "ben", "admin": "yes"}),
        ("/people/remove", {"person": "cyd"}),
        ("/people/token", {"person": "ada", **FOR_LAPTOP}),
        ("/people/team", {"team": "pilots"}),
        ("/people/grant", {"holder": "ben", "pattern": "*", "right": "review"}),
        ("/people/grant/take", {"holder": "cyd", "pattern": "acme/harbor"}),
    ],
)
def test_who_is_no_admin_changes_nothing_about_others(
    site: HubSite, path: str, form: dict[str, str]
):
    site.member("ben").post(path, form, status=403)


def test_an_admin_brings_somebody_in(site: HubSite):
    ada = site.member("ada")
    assert "fay is a member now" in ada.post("/people/add", {"person": "fay"})
    grant = {"holder": "fay", "pattern": "acme/*", "right": "review"}
    assert "fay may review acme/*" in ada.post("/people/grant", grant)
    token = new_token(
        ada.post(
            "/people/token",
            {"person": "fay", "label": "first", "scope": "review", "days": "30"},
        )
    )
    fay = Visitor(site, token)
    assert "<b>fay</b>" in fay.get("/tokens")
    page = words_of(ada.get("/people"))
    assert "review acme/*" in page
    assert token not in ada.get("/people")


def test_whoever_is_removed_is_out_at_once_and_no_last_admin_is(site: HubSite):
    ada, ben = site.member("ada"), site.member("ben")
    ben.get("/tokens")
    assert "is let in no more" in ada.post("/people/remove", {"person": "ben"})
    assert "Your token" in ben.get("/tokens")
    assert "only admin" in ada.post("/people/remove", {"person": "ada"}, status=403)


def test_teams_carry_rights(site: HubSite):
    ada = site.member("ada")
    ada.post("/people/team", {"team": "pilots"})
    ada.post(
        "/people/team/member", {"team": "pilots", "person": "dee", "belongs": "yes"}
    )
    ada.post(
        "/people/grant",
        {"holder": "pilots", "pattern": "acme/harbor", "right": "review"},
    )
    assert "Log out" in site.member("dee").get("/review")
    ada.post(
        "/people/team/member", {"team": "pilots", "person": "dee", "belongs": "no"}
    )
    assert "is gone" in ada.post("/people/team/end", {"team": "pilots"})


def test_the_audit_says_who_did_what_and_holds_no_token(site: HubSite):
    ada = site.member("ada")
    token = new_token(ada.post("/people/token", {"person": "ben", **FOR_LAPTOP}))
    page = ada.get("/audit")
    assert "tokens added" in page
    assert "ada" in words_of(page)
    assert token not in page


def test_another_organisation_sees_nothing_of_it(site: HubSite):
    eve = words_of(site.member("eve").get("/people"))
    assert "ada" not in eve.split("Members")[1]
    assert "ben" not in words_of(site.member("eve").get("/audit"))


def test_names_are_shown_as_text(site: HubSite):
    ada = site.member("ada")
    ada.post("/people/add", {"person": "<script>fay"})
    page = ada.get("/people")
    assert "<script>fay" not in page
    assert "&lt;script&gt;fay" in page


def test_numbers_are_for_admins_by_their_token(site: HubSite):
    stranger = site.stranger()
    for token, status in (
        ("token-of-ada", 200),
        ("token-of-ben", 403),
        ("guessed", 401),
    ):
        answer = stranger.get("/metrics", headers={"authorization": f"Bearer {token}"})
        assert answer.status_code == status, answer.text
    text = stranger.get(
        "/metrics", headers={"authorization": "Bearer token-of-ada"}
    ).text
    for name in (
        "afterglow_requests_total",
        "afterglow_request_seconds_bucket",
        "afterglow_pending 0",
        "afterglow_people 4",
        "afterglow_merge_last_seconds",
    ):
        assert name in text
    assert "ada" not in text
