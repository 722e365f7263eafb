"""Findings as machines of a team send them, and what became of them."""

from __future__ import annotations

from hashlib import blake2b
from itertools import count

import msgspec

from afterglow.config import Config
from afterglow.flows.hub import merge_pending, take_in
from afterglow.records.contributions import Contribution
from afterglow.records.knowledge import Evidence, Finding, KnowledgeItem
from afterglow.store.knowledge import Knowledge

NOW = 1_795_000_000.0
DAY = 86400.0
HARBOR = "acme/harbor"
_seq = count(1)


def span(session: str, quote: str = "use pnpm", **fields) -> Evidence:
    """A person's words, on the day that the number in the session's name says."""
    mark = blake2b(quote.encode(), digest_size=8).hexdigest()
    day = int("".join(filter(str.isdigit, session)) or 0)
    values = {
        "agent": "claude_code", "line": 1, "part": "text", "start": 0, "length": len(quote), "hash": mark,
        "quote": quote, "trust": "user", "repo": HARBOR, "time": NOW - (100 - day) * DAY,
    }  # fmt: skip
    return Evidence(session=session, **(values | fields))


def rule(session: str, words: str = "always run the tide tests", **fields) -> Finding:
    repo = fields.get("repo", HARBOR)
    slots = {"words": words, "key": "", "value": ""}
    evidence = (span(session, **{"quote": words, **fields}),)
    return Finding("rules", f"rule|{words} @ {repo}", slots, evidence)


def row(
    kind: str, key: str, body: object, *, repo: str = HARBOR, seq: int = 0
) -> Contribution:
    raw = msgspec.Raw(msgspec.json.encode(body))
    return Contribution(kind, key, repo, seq or next(_seq), body=raw)


def session(name: str, *findings: Finding, **fields) -> Contribution:
    return row("session", name, findings or (rule(name),), **fields)


def withdrawn(kind: str, key: str, seq: int = 0) -> Contribution:
    return Contribution(kind, key, HARBOR, seq or next(_seq), withdrawn=True)


class Team:
    """A hub with its members, their machines and its merger."""

    def __init__(self, hub, home) -> None:
        self.hub, self.home = hub, home

    def config(self, name: str) -> Config:
        return Config(home=self.home, user_home=self.home, hub=self.hub.member(name))

    def send(self, name: str, *rows: Contribution, machine: str = "laptop"):
        return take_in(self.config(name), machine, rows, now=NOW)

    def merge(self) -> None:
        while merge_pending(self.hub.merge, now=NOW):
            pass

    def items(self, name: str = "") -> dict[str, KnowledgeItem]:
        """As the merger, or a member, sees them."""
        place = self.hub.member(name) if name else self.hub.merge
        with Knowledge(place) as knowledge:
            return {item.id: item for item in knowledge.items(evidence=True)}
