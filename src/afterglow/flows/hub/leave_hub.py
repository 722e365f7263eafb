"""leave: the team's items go, and what this machine itself knows is as if it had never joined. What it contributed stays
with the team, unless the person takes it back."""

from __future__ import annotations

from afterglow.config import Config
from afterglow.errors import AfterglowError
from afterglow.flows.hub.hub_client import HubClient
from afterglow.flows.hub.join_hub import alone, joined_hub, token_of
from afterglow.flows.joined_stores import drop_team_knowledge
from afterglow.harvest.with_team import TEAM_TAG
from afterglow.records.team import JoinedHub, LeaveReport, Leaving, Withdrawn
from afterglow.store.atomic_create import drop_database
from afterglow.store.knowledge import Knowledge
from afterglow.store.knowledge_erasing import erase_items
from afterglow.store.membership import Membership


def leave(
    config: Config, *, take_back: bool = False, client: HubClient | None = None
) -> LeaveReport:
    """With `take_back` the hub is asked first: if it cannot be reached nothing is done, since without the token nobody
    could take anything back later. Otherwise a hub that is away keeps nobody."""
    hub = joined_hub(config)
    hub_client = client or HubClient(hub.url, token_of(config))
    with alone(config):
        return _left(config, hub, hub_client, take_back)


def _left(
    config: Config, hub: JoinedHub, hub_client: HubClient, take_back: bool
) -> LeaveReport:
    taken_back, trouble = 0, ""
    body = Leaving(hub.machine, take_back)
    try:
        taken_back = hub_client.post("/leave", body, Withdrawn).withdrawn
    except AfterglowError as error:
        if take_back:
            raise
        taken_back, trouble = -1, str(error)
    with Membership(config.membership) as membership:
        items = len(membership.team_ids())
    _drop_adopted(config)
    drop_team_knowledge(config)
    config.hub_token.unlink(missing_ok=True)
    drop_database(config.membership)
    return LeaveReport(hub.url, taken_back, items, trouble)


def _drop_adopted(config: Config) -> None:
    """Items of the team about which a decision here was taken back. What the person decided stays."""
    if not config.knowledge_file.exists():
        return
    with Knowledge(config.knowledge_file) as knowledge:
        listed = knowledge.items(tag=TEAM_TAG)
        undecided = [item.id for item in listed if not item.decided and not item.edited]
        erase_items(knowledge, undecided)
