"""A seed with what harvest knew at some time is the one the extractor would have made with it."""

from __future__ import annotations

import pytest

from afterglow.records.knowledge import KnowledgeItem
from afterglow.sessions import load
from afterglow.text.redact import Redactor
from afterglow.warm.extract import SessionExtractor
from afterglow.warm.extract.with_items import with_items
from writing import ordinary


def item(id: str, **fields) -> KnowledgeItem:
    return KnowledgeItem(
        id=id, status="active", trust="user", source_count=2, confidence=0.9, **fields
    )


FACT = item("k1", fact="Tests run with `make check`.", category="fact")
PITFALL = item(
    "k2",
    fact="f",
    category="pitfall",
    situation="`gh pr diff --stat` fails: unknown flag",
    remedy="`gh pr diff --name-only`",
)
RULE = item(
    "k3",
    fact="f",
    category="pattern",
    miner="rules",
    remedy="Never push to the release branch",
)


@pytest.mark.parametrize(
    "items", [[], [FACT], [PITFALL], [RULE], [FACT, PITFALL, RULE]]
)
def test_it_is_as_if_extracted_with_them(tmp_path, items):
    ordinary(1).save(tmp_path)
    (path,) = tmp_path.glob("*.jsonl")
    (session,) = load(path)
    extractor = SessionExtractor(Redactor())
    alone = extractor.extract(session, "harbor")
    assert with_items(alone, items) == extractor.extract(session, "harbor", items)
