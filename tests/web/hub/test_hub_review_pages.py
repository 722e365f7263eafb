"""The pages of one machine over a hub: each member sees and decides what they may."""

from __future__ import annotations

import pytest

from hub_database import HubDatabase
from web.desk import words_of
from web.hub.members import HARBOR, QUAY, HubSite, bring_items

pytestmark = pytest.mark.slow
WAITING, RISKY, APPROVED, OF_QUAY, OF_ALL = (
    "k0000002",
    "k0000003",
    "k0000001",
    "k0000004",
    "k0000005",
)


@pytest.fixture
def team(shared_site: HubSite) -> HubSite:
    """Where nothing is changed."""
    return shared_site


@pytest.fixture
def deciding_team(site: HubSite, hub_database: HubDatabase) -> HubSite:
    bring_items(hub_database)
    return site


def test_home_says_what_waits_for_whom(team: HubSite):
    ben = words_of(team.member("ben").get("/"))
    assert "3 lessons , 2 of them for you to decide" in ben
    assert HARBOR in ben
    assert QUAY not in ben
    dee = words_of(team.member("dee").get("/"))
    assert "others decide about them" in dee
    assert HARBOR not in dee


def test_knowledge_lists_what_a_member_may_read(team: HubSite):
    ada = team.member("ada").get("/knowledge?status=any")
    assert "ROPE=long" in ada
    assert "pier 2" in ada
    dee = team.member("dee").get("/knowledge?status=any")
    assert "ROPE=long" in dee
    assert "a branch of its own" in dee
    assert "pier" not in dee
    eve = team.member("eve").get("/knowledge?status=any")
    assert "pier" not in eve


def test_search_finds_nothing_across_a_border(team: HubSite):
    assert "pier 1" in team.member("ben").get("/knowledge?search=pier")
    assert "No item fits" in team.member("dee").get("/knowledge?search=pier")


def test_a_reviewer_approves_and_history_says_who(deciding_team: HubSite):
    ben = deciding_team.member("ben")
    page = ben.get(f"/knowledge/{WAITING}")
    assert f"/knowledge/{WAITING}/approve" in page
    mark = page.split('name="mark" value="')[1].split('"')[0]
    page = ben.post(f"/knowledge/{WAITING}/approve", {"mark": mark})
    assert "Approved: sessions are told exactly these words." in page
    assert "ben" in words_of(page.split("History")[1])
    assert "pier 2" in deciding_team.member("cyd").get("/knowledge")


def test_a_reviewer_decides_from_the_queue_and_takes_it_back(deciding_team: HubSite):
    ben = deciding_team.member("ben")
    page = ben.get(f"/review?repo={HARBOR}&item={WAITING}")
    mark = page.split(f'name="mark" value="{WAITING} ')[1].split('"')[0]
    form = {"verdict": "reject", "id": WAITING, "mark": f"{WAITING} {mark}"}
    page = ben.post("/review/decide", form)
    assert "Rejected" in page
    page = ben.post("/review/undo", {})
    assert "Undone" in page


def test_who_only_reads_sees_no_buttons_and_is_refused(team: HubSite):
    cyd = team.member("cyd")
    page = cyd.get(f"/knowledge/{WAITING}")
    assert "/approve" not in page
    answer = cyd.post(f"/knowledge/{WAITING}/approve", status=403)
    assert "an admin can give you the right" in answer
    answer = cyd.post(
        "/review/decide", {"verdict": "approve", "id": WAITING}, status=403
    )
    assert "an admin can give you the right" in answer


def test_a_reviewer_of_one_repository_is_no_reviewer_of_another(team: HubSite):
    ben = team.member("ben")
    page = ben.get(f"/knowledge/{OF_ALL}")
    assert "/approve" not in page
    assert "k0000004" not in ben.get("/review")
    ben.post(f"/knowledge/{OF_ALL}/approve", {"mark": "any"}, status=409)
    answer = ben.post(f"/knowledge/{OF_QUAY}/approve", {"mark": ""}, status=404)
    assert "moor" not in answer


def test_risky_words_want_a_second_yes(team: HubSite):
    ben = team.member("ben")
    page = ben.get(f"/knowledge/{RISKY}")
    mark = page.split('name="mark" value="')[1].split('"')[0]
    answer = ben.post(f"/knowledge/{RISKY}/approve", {"mark": mark}, status=400)
    assert "is risky" in answer


def test_evidence_is_what_was_shared_and_leads_to_no_transcript(team: HubSite):
    page = team.member("ben").get(f"/knowledge/{APPROVED}")
    assert "pier 1 is missing" in page
    assert "Transcripts stay on their members' machines" in page
    assert "/sessions/" not in page
    assert "/evidence" not in page
    page = team.member("ben").get(f"/knowledge/{WAITING}")
    assert "its words were not shared" in page


def test_a_preview_is_of_repositories_one_may_read(team: HubSite):
    ben = team.member("ben")
    page = ben.get(f"/preview?repo={HARBOR}")
    assert "pier 1" in page
    assert "Folder, to look" not in page
    assert QUAY not in page
    assert "pier" not in team.member("dee").get(f"/preview?repo={HARBOR}")


def test_a_preview_looks_into_no_folder_of_the_server(team: HubSite):
    page = team.member("ben").get("/preview?folder=/etc&repo=")
    assert "/etc" not in page


def test_a_failure_is_explained_from_what_the_team_knows(team: HubSite):
    page = team.member("ben").post(
        "/preview/failure",
        {"repo": HARBOR, "command": "make ship", "error": "pier 1 is missing"},
    )
    assert "would be said" in page


@pytest.mark.parametrize(
    "path",
    [
        "/sessions",
        "/problems",
        "/settings",
        "/memory",
        "/templates",
        "/measure",
        "/replay",
        "/profile",
        "/settings/forget",
        "/settings/backup",
    ],
)
def test_what_is_a_persons_own_machine_is_no_page_of_a_hub(team: HubSite, path: str):
    assert "There is no such page" in team.member("ada").get(path, status=404)


def test_experiments_of_the_team_are_listed_and_not_planned_here(team: HubSite):
    page = team.member("ben").get("/experiments")
    assert "No machine has sent one yet" in page
    assert "/experiments/new" not in page
    team.member("ben").get("/experiments/new", status=404)


def test_a_page_is_old_when_something_was_decided_meanwhile(deciding_team: HubSite):
    ben, ada = deciding_team.member("ben"), deciding_team.member("ada")
    state = ben.get("/knowledge").split("/changed?state=")[1].split('"')[0]
    assert ben.client.get(f"/changed?state={state}").status_code == 204
    page = ada.get(f"/knowledge/{OF_QUAY}")
    mark = page.split('name="mark" value="')[1].split('"')[0]
    ada.post(f"/knowledge/{OF_QUAY}/approve", {"mark": mark})
    assert "Make it again" in ben.get(f"/changed?state={state}")
