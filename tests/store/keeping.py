"""Items and evidence for the tests of the knowledge store."""

from __future__ import annotations

from typing import Any

from afterglow.records.knowledge import Evidence, KnowledgeItem


def span(session: str = "s1", line: int = 3, **more: Any) -> Evidence:
    words: dict[str, Any] = {
        "agent": "codex",
        "part": "result",
        "start": 0,
        "length": 9,
        "hash": "h1",
    }
    return Evidence(
        **{
            **words,
            "session": session,
            "line": line,
            "quote": "no such x",
            "trust": "tool",
            **more,
        }
    )


def item(
    id: str = "a1", fact: str = "`make lint` needs the generated files", **more: Any
) -> KnowledgeItem:
    words: dict[str, Any] = {
        "category": "pitfall",
        "status": "active",
        "evidence": (span(),),
    }
    return KnowledgeItem(**{"id": id, "fact": fact, **words, **more})


WHOLE = KnowledgeItem(
    id="ab12cd",
    fact="`frob --all` fails with 'no index' until `frob init` has run",
    category="tool-quirk",
    status="superseded",
    reason="a newer one says otherwise",
    domain="build",
    repo="acme/app",
    agent="codex",
    confidence=0.71,
    tags=("frob", "index"),
    source_count=3,
    times=5,
    worked=4,
    against=1,
    first_seen=1.7e9,
    last_confirmed=1.75e9 + 0.25,
    expires=1.9e9,
    related=("ff", "ee"),
    situation="`frob --all` fails with 'no index'",
    remedy="`rm -rf frobs`",
    fingerprints=("frob: no index <path>", "no index"),
    cost=2.5,
    trust="tool",
    miner="recoveries",
    topics=("frob|no index", "frob|init"),
    key="frob --all",
    value="init first",
    superseded_by="ab99",
    decided=True,
    edited=True,
    risk="`rm -rf frobs` deletes",
    approved="0123456789abcdef",
    evidence=(
        span(
            "z-late",
            9,
            repo="acme/app",
            author="p1",
            time=1.7e9,
            part="text",
            start=4,
            length=2,
            quote="é 漢 🙂",
        ),
        span("a-early", 1, trust="external"),
        span("a-early", 1, start=7, hash="h2"),
    ),
)
