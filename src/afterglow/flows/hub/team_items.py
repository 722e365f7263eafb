"""What the team knows comes to this machine: items page by page in the order of their changes, from where the last pull
ended. Each is looked at before it is kept, as whatever comes from elsewhere: redacted by this machine's rules, held back
where it gives orders to agents and no reviewer approved exactly these words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.hub.hub_client import HubClient
from afterglow.flows.joined_stores import encoded
from afterglow.flows.redactor import redactor_of
from afterglow.harvest.screen import danger
from afterglow.records.contributions import SESSION, hub_session
from afterglow.records.knowledge import Evidence, KnowledgeItem, is_approved
from afterglow.records.team import MAX_PAGE_ITEMS, HubMember, TeamPage
from afterglow.store.membership import Membership
from afterglow.text.redact import RULES

WORDS = ("fact", "situation", "remedy", "value", "reason")

_item = msgspec.json.Decoder(KnowledgeItem)


class Pulled(Struct, frozen=True):
    """Items that were not as kept, that are gone, and that this version does not understand."""

    received: int = 0
    dropped: int = 0
    unread: int = 0


def pull_items(
    config: Config, membership: Membership, client: HubClient, member: HubMember
) -> Pulled:
    """From the last change we had; from the beginning where we may see other things than before, or hide others."""
    pulling = _Pulling(config, membership, client, member)
    while pulling.next_page():
        pass
    return Pulled(pulling.received, pulling.dropped, pulling.unread)


class _Pulling:
    """Where a pull stands is kept with every page, so that a next one goes on there. `pull` counts the walks from the
    beginning: when one is through, what it did not come by is gone."""

    def __init__(
        self,
        config: Config,
        membership: Membership,
        client: HubClient,
        member: HubMember,
    ) -> None:
        self.config, self.membership, self.client = config, membership, client
        self.author = member.author
        self.rules = _rules(config)
        self.received = self.dropped = self.unread = 0
        self.own_sessions = {
            hub_session(member.author, key): key
            for kind, key in membership.sent()
            if kind == SESSION
        }

    def next_page(self) -> bool:
        """Whether there is another one."""
        fact = self.membership.fact
        view, pull = fact("view"), int(fact("pull") or 0)
        if fact("rules") != self.rules:
            pull = self._anew(pull, view)
        page = self._page()
        if page.view != view:
            pull = self._anew(pull, page.view)
            page = self._page()
        items = self._understood(page.items)
        facts = {"change": str(page.change), "last": page.last, "view": page.view}
        received, lost = self.membership.take_page(
            items, page.gone_ids, pull=pull, facts=facts
        )
        self.received += received
        self.dropped += lost
        if page.more:
            return True
        if fact("walked") != str(pull):
            self.dropped += self.membership.drop_older(pull)
            self.membership.set_facts({"walked": str(pull)})
        return False

    def _page(self) -> TeamPage:
        """The one after the last that was kept."""
        fact = self.membership.fact
        query = {"after": fact("change") or 0, "limit": MAX_PAGE_ITEMS}
        if last := fact("last"):
            query["last"] = last
        return self.client.get("/items", TeamPage, query)

    def _anew(self, pull: int, view: str) -> int:
        """Begins a walk through everything; its number."""
        facts = {"view": view, "pull": str(pull + 1), "change": "0", "last": ""}
        self.membership.set_facts({**facts, "rules": self.rules})
        return pull + 1

    def _understood(self, bodies: Iterable[msgspec.Raw]) -> dict[str, str]:
        items = {}
        for body in bodies:
            try:
                item = _item.decode(body)
            except msgspec.DecodeError:  # of a hub that knows more than we
                self.unread += 1
                continue
            items[item.id] = encoded(self._screened(item))
        return items

    def _screened(self, item: KnowledgeItem) -> KnowledgeItem:
        clean = _redacted(self.config, self._as_here(item))
        # Whoever said it there, here it comes from outside.
        threat = "" if is_approved(clean) else danger(clean.fact, "external")
        if threat and clean.status in {"active", "candidate"}:
            return replace(clean, status="quarantined", reason=threat)
        return clean

    def _as_here(self, item: KnowledgeItem) -> KnowledgeItem:
        """One's own sessions have the names they have on this machine."""
        spans = tuple(_named(span, self.own_sessions) for span in item.evidence)
        return replace(item, evidence=spans)


def _named(span: Evidence, own_sessions: Mapping[str, str]) -> Evidence:
    name_here = own_sessions.get(span.session)
    return span if name_here is None else replace(span, session=name_here)


def _redacted(config: Config, item: KnowledgeItem) -> KnowledgeItem:
    quotes = [span.quote for span in item.evidence]
    texts = [*(getattr(item, name) for name in WORDS), *quotes]
    clean = [text.text for text in redactor_of(config).redact_many(texts)]
    if clean == texts:
        return item
    words = dict(zip(WORDS, clean, strict=False))
    spans = tuple(
        replace(span, quote=quote)
        for span, quote in zip(item.evidence, clean[len(WORDS) :], strict=True)
    )
    return msgspec.structs.replace(item, evidence=spans, **words)


def _rules(config: Config) -> str:
    names = "\0".join(sorted(config.names))
    return f"{RULES} {blake2b(names.encode(), digest_size=8).hexdigest()}"
