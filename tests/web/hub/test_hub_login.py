"""Who is let into a hub, by what, for how long; and what is refused."""

from __future__ import annotations

import re

import pytest

from afterglow.web.hub.limits import Pace
from hub_database import token_of
from web.hub.members import COOKIE, ORIGIN, HubSite, Visitor, hub_over

pytestmark = pytest.mark.slow


def test_without_a_login_every_page_leads_to_it_and_back(shared_site: HubSite):
    answer = shared_site.stranger().get("/knowledge?repo=acme%2Fharbor")
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/login?next=%2Fknowledge")
    page = shared_site.stranger().get(answer.headers["location"])
    assert 'value="/knowledge?repo=acme%2Fharbor"' in page.text


def test_a_pasted_token_becomes_a_cookie_that_is_another_token(shared_site: HubSite):
    answer = shared_site.stranger().post(
        "/login",
        data={"token": token_of("ben"), "next": "/tokens"},
        headers={"origin": ORIGIN},
    )
    assert (answer.status_code, answer.headers["location"]) == (303, "/tokens")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert token_of("ben") not in cookie


def test_an_address_with_the_token_logs_in_and_leaves_the_history(shared_site: HubSite):
    answer = shared_site.stranger().get(f"/knowledge?repo=x&token={token_of('ben')}")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/knowledge?repo=x"
    assert COOKIE in answer.headers["set-cookie"]


def test_a_link_on_a_page_of_a_stranger_logs_nobody_in(shared_site: HubSite):
    headers = {"sec-fetch-site": "cross-site"}
    answer = shared_site.stranger().get(f"/?token={token_of('eve')}", headers=headers)
    assert answer.headers["location"] == "/login"
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("token", ["", "guessed", "x" * 300, "token-of-ben\n\n"])
def test_a_token_of_nobody_is_told_so_and_not_repeated(
    shared_site: HubSite, token: str
):
    answer = shared_site.stranger().post(
        "/login", data={"token": token}, headers={"origin": ORIGIN}
    )
    if token.strip() == token_of("ben"):
        assert answer.status_code == 303
        return
    assert answer.status_code == 403
    assert "not known here" in answer.text
    assert "set-cookie" not in answer.headers


def test_tries_from_one_place_have_an_end_and_cost_nobody_else(shared_site: HubSite):
    shared_site.hub.refusal_pace = Pace(60, 3, lambda: 0.0)
    stranger = shared_site.stranger()

    def status(token: str) -> int:
        form = {"token": token}
        answer = stranger.post("/login", data=form, headers={"origin": ORIGIN})
        return answer.status_code

    assert [status(token_of("ben")) for _ in range(5)] == [303] * 5
    assert [status("guessed") for _ in range(4)] == [403, 403, 403, 429]
    headers = {"authorization": "Bearer guessed"}
    assert stranger.get("/api/v1/me", headers=headers).status_code == 429


def test_behind_a_proxy_tries_count_by_what_it_saw(shared_database, tmp_path):
    site = HubSite(hub_over(shared_database, tmp_path, "https://hub.example"))
    site.hub.refusal_pace = Pace(60, 1, lambda: 0.0)
    stranger = site.stranger("hub.example")

    def status(hops: str) -> int:
        headers = {"origin": "https://hub.example", "x-forwarded-for": hops}
        answer = stranger.post("/login", data={"token": "guessed"}, headers=headers)
        return answer.status_code

    assert status("10.0.0.1") == 403
    assert status("10.9.9.9, 10.0.0.1") == 429
    assert status("10.0.0.2") == 403


@pytest.mark.parametrize(
    "target", ["https://example.org/x", "//example.org", "/\\example.org", "/login"]
)
def test_a_login_leads_to_pages_of_this_hub_only(shared_site: HubSite, target: str):
    answer = shared_site.stranger().post(
        "/login",
        data={"token": token_of("ben"), "next": target},
        headers={"origin": ORIGIN},
    )
    assert answer.headers["location"] in ("/", "/example.org")


def test_logging_out_revokes_the_cookie(shared_site: HubSite):
    ben = shared_site.member("ben")
    ben.post("/logout")
    stranger = shared_site.stranger()
    stranger.cookies.set(COOKIE, ben.session)
    assert stranger.get("/tokens").status_code == 303


def test_a_browser_can_be_logged_out_from_another(shared_site: HubSite):
    lost, present = shared_site.member("ben"), shared_site.member("ben")
    browsers = present.get("/tokens").split("Browsers that are logged in")[1]
    _, number = re.findall(r'name="token" value="(\d+)"', browsers)[:2]  # newest first
    present.post("/tokens/revoke", {"token": number})
    assert "Your token" in lost.get("/tokens")
    present.get("/tokens")


@pytest.mark.parametrize(
    "origin", ["", "null", "http://example.org", "http://127.0.0.1:1"]
)
def test_a_change_from_elsewhere_is_refused(shared_site: HubSite, origin: str):
    ben = shared_site.member("ben")
    headers = {"origin": origin} if origin else {}
    answer = ben.client.post(
        "/tokens/revoke",
        data={"csrf": ben.form_token, "token": "1"},
        headers=headers,
    )
    assert answer.status_code == 403


def test_the_form_of_somebody_else_does_not_count(shared_site: HubSite):
    ben, cyd = shared_site.member("ben"), shared_site.member("cyd")
    answer = ben.client.post(
        "/tokens/revoke",
        data={"csrf": cyd.form_token, "token": "1"},
        headers={"origin": ORIGIN},
    )
    assert answer.status_code == 403


def test_another_name_for_this_machine_is_refused(shared_site: HubSite):
    assert shared_site.stranger("rebound.example:8378").get("/login").status_code == 421


def test_over_tls_the_cookie_is_for_tls_only(shared_database, tmp_path):
    site = HubSite(hub_over(shared_database, tmp_path, "https://hub.example"))
    answer = site.stranger("hub.example").post(
        "/login",
        data={"token": token_of("ben")},
        headers={"origin": "https://hub.example"},
    )
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-afterglow=")
    assert "Secure" in cookie
    assert "Path=/" in cookie
    assert "max-age" in answer.headers["strict-transport-security"]


def test_a_cookie_counts_for_nothing_where_programs_ask(shared_site: HubSite):
    ben = shared_site.member("ben")
    for path in ("/metrics", "/api/v1/me"):
        answer = ben.client.get(path)
        assert answer.status_code == 401
        assert "Bearer" in answer.json()["error"]


def test_somebody_who_asks_too_often_is_told_when_to_come_back(shared_site: HubSite):
    ben, cyd = shared_site.member("ben"), shared_site.member("cyd")
    shared_site.hub.pace = Pace(60, 2, lambda: 0.0)
    statuses = [ben.client.get("/nowhere").status_code for _ in range(3)]
    assert statuses == [404, 404, 429]
    assert int(ben.client.get("/nowhere").headers["retry-after"]) > 0
    assert cyd.client.get("/nowhere").status_code == 404
    headers = {"authorization": f"Bearer {token_of('dee')}"}
    answers = [cyd.client.get("/api/v1/me", headers=headers) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert "try again in" in answers[-1].json()["error"]


def test_every_answer_says_what_a_browser_may_do(shared_site: HubSite):
    ben = shared_site.member("ben")
    for path in ("/tokens", "/nowhere", "/login", "/healthz"):
        headers = ben.client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["cache-control"] == "no-store"


def test_health_is_told_to_whoever_asks_and_says_nothing(shared_site: HubSite):
    for path in ("/healthz", "/readyz"):
        answer = shared_site.stranger("10.0.0.7:8378").get(path)
        assert (answer.status_code, answer.text) == (200, "ok\n")


def test_a_hub_without_its_database_is_alive_and_not_ready(shared_database, tmp_path):
    hub = hub_over(shared_database, tmp_path)
    hub.app_url = "postgresql://nobody:invented@127.0.0.1:1/nothing"
    site = HubSite(hub)
    assert site.stranger().get("/healthz").status_code == 200
    answer = site.stranger().get("/readyz")
    assert answer.status_code == 503
    assert "invented" not in answer.text
    page = site.stranger()
    page.cookies.set(COOKIE, "anything")
    answer = page.get("/tokens")
    assert answer.status_code == 503
    assert "invented" not in answer.text


def test_visitors_are_never_shown_as_one_another(shared_site: HubSite):
    visitors = {name: shared_site.member(name) for name in ("ben", "cyd", "dee")}
    for name, visitor in visitors.items():
        assert isinstance(visitor, Visitor)
        assert f"<b>{name}</b>" in visitor.get("/tokens")
