"""The migration that takes counts and the repository's name out of facts, and puts the counts into fields.

Until layout 1, miners wrote "worked 4 of 5 times in 3 sessions" and "in acme/app" into their sentences. Only sentences
in the words of these templates are touched: never what a person edited, a model told or somebody imported. The next
harvest writes every sentence anew from its findings; this is for the items whose sessions are gone.
"""

from __future__ import annotations

import re
import sqlite3
from time import time, time_ns
from typing import Any

import msgspec

from afterglow.records.knowledge import KnowledgeItem
from afterglow.store.knowledge_rows import FIELDS, FLAGS, LISTS, text_of

# Every way the miners of layout 1 wrote a count, each with its words as they stood.
_SESSIONS = r"\d+ sessions?"
_OFTEN = rf"(?:once|\d+ times in {_SESSIONS})"
_COUNT = re.compile(
    r" \((?:"
    rf"worked \d+ of \d+ times(?: in {_SESSIONS})?"
    rf"|used \d+ times in {_SESSIONS}"
    rf"|done so in {_SESSIONS}"
    rf"|(?:looked for )?{_OFTEN}(?:, never recovered|, last \d{{4}}-\d\d-\d\d)?"
    rf"|\d+ of \d+ times|{_SESSIONS}"
    r")\)"
)
# Facts had a limit, so a count may be cut: with its number, for people write "(used only with ...", too.
_CUT_COUNT = re.compile(r" \((?:worked|used|done so in) \d[^()]*…$")
_ALTERNATIVE = re.compile(r" \(\d+\)(?=; or |\.$)")
_REFUSED = re.compile(
    r"(\b(?:refused it|objected to it|was refused by the user|calls were refused))"
    rf" in {_SESSIONS}(?=[,.:])"
)
_LABELLED = re.compile(rf": said in {_SESSIONS}(?=, as in )")
_OF = re.compile(r"\((?:worked )?(\d+) of (\d+) times")
_TIMES = re.compile(r"\((?:used |looked for )?(\d+) times in |\(done so in (\d+) ")
_ONCE = re.compile(r"\((?:looked for )?once[,)]")

MINERS = frozenset(
    "commands conventions recurring linters corrections rules places causes".split()
)


def counts_into_columns(db: sqlite3.Connection) -> None:
    """Ids, evidence and history stay; what a sentence said before is one more line of its history."""
    for column in ("times", "worked"):
        db.execute(f"ALTER TABLE items ADD COLUMN {column} INTEGER NOT NULL DEFAULT 0")
    columns = {row[1] for row in db.execute("PRAGMA table_info(items)")}
    names = [name for name in FIELDS if name in columns]
    listed = ", ".join(f'"{name}"' for name in names)
    rows = db.execute(f"SELECT n, {listed} FROM items WHERE NOT edited").fetchall()
    now, change = time(), time_ns() // 1000
    for number, *values in rows:
        item = _item(dict(zip(names, values, strict=True)))
        changed = without_counts(item)
        if changed == item:
            continue
        db.execute(
            "UPDATE items SET fact = ?, situation = ?, times = ?, worked = ?, change = ? WHERE n = ?",
            (
                changed.fact,
                changed.situation,
                changed.times,
                changed.worked,
                change,
                number,
            ),
        )
        db.execute(
            "INSERT OR REPLACE INTO texts (rowid, words, scope) VALUES (?, ?, ?)",
            (number, *text_of(changed)),
        )
        db.execute(
            'INSERT INTO history (item, time, "by", what, before, after) VALUES (?, ?, ?, ?, ?, ?)',
            (item.id, now, "upgrade", "fact", item.fact, changed.fact),
        )
        db.execute("UPDATE facts SET value = ? WHERE name = 'change'", [str(change)])


def _item(values: dict[str, Any]) -> KnowledgeItem:
    for name in LISTS:
        values[name] = msgspec.json.decode(values[name], type=tuple[str, ...])
    for name in FLAGS:
        values[name] = bool(values[name])
    return KnowledgeItem(**values)


def without_counts(item: KnowledgeItem) -> KnowledgeItem:
    """The item as today's miners would have told it; the same where its words are not theirs."""
    if item.edited or item.miner not in MINERS:
        return item
    times, worked = _counted(item.fact)
    fact = _CUT_COUNT.sub(".", _COUNT.sub("", item.fact))
    fact = _LABELLED.sub("", _REFUSED.sub(r"\1", fact))
    if item.miner == "conventions":
        fact = _ALTERNATIVE.sub("", fact)
    situation = item.situation
    if item.repo:
        fact, situation = _unplaced(fact, situation, item.repo)
    if item.miner == "commands" and item.domain != "commit" and " `" in fact:
        situation = _lead(fact)
    return msgspec.structs.replace(
        item, fact=fact, situation=situation, times=times, worked=worked
    )


def _lead(fact: str) -> str:
    """What stands before the first command: "Tests run with `make test`" -> "tests run with"."""
    lead = fact.partition(" `")[0].rstrip(":")
    is_name = lead[:2].isupper()  # CI
    return lead if is_name else f"{lead[:1].lower()}{lead[1:]}"


def _counted(fact: str) -> tuple[int, int]:
    """How often it was seen, and how often it worked, by the words of the fact."""
    if pairs := [(int(part), int(whole)) for part, whole in _OF.findall(fact)]:
        worked = sum(part for part, _ in pairs)
        each = [whole for _, whole in pairs]
        # Of a linter's two ways each says how often the message was seen: that is one number, not two.
        times = sum(each) if "(worked" in fact else max(each)
        return times, min(worked, times)
    if counts := [int(many or sessions) for many, sessions in _TIMES.findall(fact)]:
        return sum(counts), 0
    return (1 if _ONCE.search(fact) else 0), 0


def _unplaced(fact: str, situation: str, repo: str) -> tuple[str, str]:
    """Without the repository's name where a template put it."""
    place = rf" in {re.escape(repo)}"
    fact = fact.removeprefix(f"In {repo}: ")
    if fact.startswith(f"In {repo} "):
        fact = fact.removeprefix(f"In {repo} ")
        fact = f"{fact[:1].upper()}{fact[1:]}"
    for before, after in (
        ("^Before a commit", ", run "),
        ("^Open", ": "),
        (r"^`[^`]*`", " keeps failing with "),
        (r"^Open: why does `[^`]*`", " fail with "),
    ):
        fact = re.sub(rf"({before}){place}(?={after})", r"\1", fact, count=1)
    situation = re.sub(rf"{place}(?=$|, never answered$)", "", situation)
    situation = re.sub(rf"^(`[^`]*`){place}(?= keeps failing)", r"\1", situation)
    return fact, situation
