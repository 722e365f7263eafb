"""Machines and a hub over real HTTP: what one learned another is told, whatever is lost on the way."""

from __future__ import annotations

import gzip
import random
from contextlib import suppress

import httpx
import pytest

from afterglow.config import Config
from afterglow.errors import Refused, Unreachable
from afterglow.flows.harvest import harvest
from afterglow.flows.hub import join, leave, sync_machine
from afterglow.flows.hub.hub_client import HubClient
from afterglow.flows.knowledge import list_items, reject
from afterglow.flows.told_knowledge import told_knowledge
from afterglow.records.selection import below
from afterglow.store.knowledge import Knowledge
from afterglow.web.hub.limits import Pace
from hub_database import HubDatabase, token_of
from web.hub.running_hub import RunningHub, running_hub
from writing import Transcript

pytestmark = pytest.mark.slow

REPO = "acme/harbor"


@pytest.fixture
def site(hub_database: HubDatabase, tmp_path):
    with running_hub(hub_database, tmp_path) as running:
        yield running


class Machine:
    """Somebody's machine with a home of its own."""

    def __init__(self, site: RunningHub, folder, person: str) -> None:
        self.site, self.person, self.folder = site, person, folder / f"of-{person}"
        self.config = Config(
            home=self.folder / "kept",
            user_home=self.folder / "home",
            aliases={"harbor": REPO},
        )
        join(self.config, site.url, token_of(person))

    def work(self, number: int, flag: str = "--stat") -> None:
        """A session that learns that a flag is not there."""
        transcript = (
            Transcript(number, start=2000 * number, cwd=f"/home/{self.person}/harbor")
            .user("what changed in the pull request?")
            .run(
                f"gh pr diff 41 {flag}",
                f"Exit code 1\nunknown flag: {flag}",
                error=True,
            )
            .run("gh pr diff 41 --name-only", "dock/agent.go")
            .reply("One file changed.")
        )
        transcript.save(self.folder / "s")
        harvest(self.config, below(self.folder / "s"))

    def sync(self, client: HubClient | None = None):
        client = client or self.client()
        return sync_machine(self.config, client=client)

    def client(self, kind=HubClient, **options):
        pause = {"pause": lambda seconds: None}
        return kind(self.site.url, token_of(self.person), **pause, **options)

    def told(self):
        with told_knowledge(self.config) as knowledge:
            items = knowledge.items(status=("active",), evidence=True)
        return {each.fact: each for each in items if each.miner == "recoveries"}


def hub_items(site: RunningHub):
    with Knowledge(site.database.ada) as knowledge:
        items = knowledge.items(evidence=True)
    return {each.id: each for each in items}


def headers(person: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token_of(person)}"}


def test_what_two_people_learned_is_told_to_a_third(site, tmp_path):
    ben, cyd, ada = (Machine(site, tmp_path, name) for name in ("ben", "cyd", "ada"))
    ben.work(1)
    ben.sync()
    site.merge()
    ada.sync()
    assert not ada.told(), "one person is not enough"
    cyd.work(2)
    cyd.sync()
    site.merge()
    ada.sync()
    (lesson,) = ada.told().values()
    assert "--name-only" in lesson.fact and lesson.repo == REPO
    assert len({span.author for span in lesson.evidence}) == 2
    assert {span.quote for span in lesson.evidence} == {""}
    assert not any("11111111" in span.session for span in lesson.evidence)
    ben.sync()
    (shared,) = ben.told().values()
    assert any("11111111" in span.session for span in shared.evidence), "one's own"


def test_who_may_not_read_a_repository_gets_nothing_of_it(site, tmp_path):
    ben, cyd, dee = (Machine(site, tmp_path, name) for name in ("ben", "cyd", "dee"))
    for number, machine in enumerate((ben, cyd), 1):
        machine.work(number)
        machine.sync()
    site.merge()
    dee.sync()
    assert not dee.told() and ben.sync().team


def test_leaving_with_ones_contributions_takes_the_teams_item_away(site, tmp_path):
    ben, cyd = (Machine(site, tmp_path, name) for name in ("ben", "cyd"))
    for number, machine in enumerate((ben, cyd), 1):
        machine.work(number)
        machine.sync()
    site.merge()
    ben.sync()
    assert ben.told()
    assert leave(cyd.config, take_back=True).taken_back >= 1
    site.merge()
    ben.sync()
    assert not ben.told()
    assert list_items(cyd.config, status=None).items, "one's own stay"


def test_a_decision_reaches_the_hub_as_what_it_is(site, tmp_path):
    ben, cyd = (Machine(site, tmp_path, name) for name in ("ben", "cyd"))
    for number, machine in enumerate((ben, cyd), 1):
        machine.work(number)
        machine.sync()
    site.merge()
    ben.sync()
    (shared,) = ben.told().values()
    reject(ben.config, [shared.id], why="gh has it again")
    ben.sync()
    site.merge()
    assert hub_items(site)[shared.id].status != "active", "ben reviews acme/harbor"
    cyd.sync()
    assert not cyd.told()


class Careless(HubClient):
    """Loses what it likes: requests on their way, answers on theirs, and its patience."""

    chances: random.Random

    def _once(self, method, path, body):
        fate = self.chances.random()
        if fate < 0.15:
            raise ConnectionResetError("the request was lost")
        answer = super()._once(method, path, body)
        if fate < 0.4:
            raise ConnectionResetError("the answer was lost")
        return answer


@pytest.mark.parametrize("seed", range(3))
def test_any_order_and_any_losses_end_in_the_same_items(
    site, hub_template, tmp_path, seed
):
    """Against machines that worked one after the other and lost nothing."""
    from hub_database import copied_hub

    chances = random.Random(seed)
    with (
        copied_hub(hub_template) as second,
        running_hub(second, tmp_path / "calm") as calm,
    ):
        work = [
            (person, 10 * index + number, chances.choice(("--stat", "--files")))
            for index, person in enumerate(("ben", "cyd", "ada"))
            for number in range(2)
        ]
        for person in ("ben", "cyd", "ada"):
            machine = Machine(calm, tmp_path / "calm", person)
            for worker, number, flag in work:
                if worker == person:
                    machine.work(number, flag)
            machine.sync()
        calm.merge()
        machines = {
            name: Machine(site, tmp_path, name) for name in ("ben", "cyd", "ada")
        }
        chances.shuffle(work)
        for person, number, flag in work:
            machine = machines[person]
            machine.work(number, flag)
            _tried(machine, chances)
            if chances.random() < 0.5:
                site.merge()
        for machine in machines.values():
            machine.sync()
        site.merge()
        assert _plain(hub_items(site)) == _plain(hub_items(calm))
        assert any(each.status == "active" for each in hub_items(site).values())


def _tried(machine: Machine, chances: random.Random) -> None:
    client = machine.client(Careless)
    client.chances = chances
    with suppress(Unreachable):
        machine.sync(client)


def _plain(items):
    """Without what says in which organisation's database it lies."""
    return {
        id: (
            each.fact,
            each.status,
            each.reason,
            each.source_count,
            each.times,
            sorted((span.line, span.part, span.hash) for span in each.evidence),
        )
        for id, each in items.items()
    }


# Whoever else knocks


def test_the_door_opens_to_tokens_alone(site):
    assert httpx.get(f"{site.url}/api/v1/me").status_code == 401
    wrong = {"Authorization": "Bearer token-of-nobody"}
    for path in ("me", "items?after=0"):
        answer = httpx.get(f"{site.url}/api/v1/{path}", headers=wrong)
        assert answer.status_code == 401 and answer.json()["error"]
    cookie = httpx.get(
        f"{site.url}/api/v1/me", cookies={"afterglow-hub": token_of("ben")}
    )
    assert cookie.status_code == 401
    with pytest.raises(Refused):
        HubClient(site.url, "token-of-nobody").get("/me", dict)


@pytest.mark.parametrize(
    "body",
    [
        b"not json",
        b"[]",
        b'{"machine": "m"}',
        b'{"machine": "../..", "batch": []}',
        b'{"machine": "m", "batch": [{"kind": 1}]}',
        b"[" * 100_000,
    ],
)
def test_what_is_no_batch_is_refused_in_words(site, body):
    answer = httpx.post(
        f"{site.url}/api/v1/contributions", content=body, headers=headers("ben")
    )
    assert answer.status_code == 400 and answer.json()["error"]


def test_bombs_and_floods_are_refused_before_they_are_read(site):
    address = f"{site.url}/api/v1/contributions"
    bomb = gzip.compress(b" " * 50_000_000)
    packed = headers("ben") | {"Content-Encoding": "gzip"}
    assert httpx.post(address, content=bomb, headers=packed).status_code == 400
    garbage = httpx.post(address, content=b"no gzip at all", headers=packed)
    assert garbage.status_code == 400
    flood = httpx.post(address, content=b" " * 3_000_000, headers=headers("ben"))
    assert flood.status_code == 400
    rows = [
        {"kind": "session", "key": str(n), "repo": REPO, "seq": 1} for n in range(501)
    ]
    many = httpx.post(
        address, json={"machine": "m", "batch": rows}, headers=headers("ben")
    )
    assert many.status_code == 400 and "500 rows" in many.json()["error"]


def test_rows_are_refused_one_by_one_with_the_reason(site):
    batch = [
        {"kind": "session", "key": "s1", "repo": "acme/secret", "seq": 1, "body": []},
        {"kind": "session", "key": "s2", "repo": REPO, "seq": 1, "body": [], "new": 1},
    ]
    answer = httpx.post(
        f"{site.url}/api/v1/contributions",
        json={"machine": "m", "batch": batch, "newer": True},
        headers=headers("cyd"),
    ).json()
    assert answer["accepted"] == 1
    (refused,) = answer["refused"]
    assert refused["key"] == "s1" and "acme/secret" in refused["why"]


def test_numbers_that_are_none_are_said(site):
    for query in ("after=x", "after=-1", "limit=1e9", "after=99999999999999999999"):
        answer = httpx.get(f"{site.url}/api/v1/items?{query}", headers=headers("ben"))
        assert answer.status_code == 400


def test_who_asks_too_often_is_told_when_to_come_back(site):
    site.hub.pace = Pace(60, 2, now=lambda: 0.0)
    address = f"{site.url}/api/v1/me"
    answers = [httpx.get(address, headers=headers("dee")) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert int(answers[-1].headers["retry-after"]) >= 1
    assert httpx.get(address, headers=headers("ben")).status_code == 200


def test_who_sends_too_much_is_told_when_to_come_back(site):
    site.hub.byte_pace = Pace(60, 1000, now=lambda: 0.0)
    address = f"{site.url}/api/v1/contributions"
    body = b'{"machine": "m", "batch": []}' + b" " * 600
    answers = [
        httpx.post(address, content=body, headers=headers("ben")) for _ in range(2)
    ]
    assert [answer.status_code for answer in answers] == [200, 429]
