"""playhouse: seats, bills, costumes and rights of a theatre."""

from __future__ import annotations

import re

from bench.closed_loop.rules import STATE, Answer, Call, finished, refused
from bench.closed_loop.tasks import ORDER, STALE, Family

PLAYS = (
    "antigone",
    "birds",
    "cyrano",
    "dido",
    "electra",
    "faustus",
    "galileo",
    "medea",
)
ROWS = ("row_a7", "row_c2", "row_f9", "row_b4", "row_h1", "row_d8", "row_k3", "row_g5")
THEIR_ROWS = tuple(row.replace("_", "-") for row in ROWS)


def sync(call: Call) -> Answer:
    match call.split().operands:
        case ("sync", row) if re.fullmatch(r"row-\w+", row):
            return finished(call, row, f"{row}: 1 matched")
        case ("sync", row):
            return refused(f"{row}: 0 matched")
    return refused("sync what?", code=2)


def publish(call: Call) -> Answer:
    match call.split().operands:
        case ("propose", play):
            return finished(call, play, f"{play} proposed")
        case ("publish", _):
            return refused("405")
    return refused("unknown command", code=2)


def store(call: Call) -> Answer:
    operands = call.split().operands
    if len(operands) != 1:
        return refused("needs a play", code=2)
    play = operands[0]
    index, rows = f"{STATE}/{play}.index", f"{STATE}/{play}.rows"
    if call.tool == "importer":
        if index in call.files:  # a second try starts from nothing
            return refused(f"{play}: key 0 exists", delete=[index, rows])
        return Answer(0, f"{play}: 40 rows", {rows: "40\n"})
    if rows not in call.files:
        return Answer(0, f"{play}: indexed 0", {index: "0\n"})
    return finished(call, play, f"{play}: indexed 40", write={index: "40\n"})


def ask_rights(call: Call) -> Answer:
    works = "3" if call.number == 0 else "annex"
    desk = call.variables.get("PLAYHOUSE_DESK", "").strip()
    match call.split().operands:
        case ("ask", play) if desk == works:
            return finished(call, play, f"asked for {play}")
        case ("ask", _):
            return refused(f"desk {desk or '?'} is not in")
    return refused("ask what?", code=2)


PLAYHOUSE = (
    Family(
        project="playhouse", name="seats", kind="ids of another system", tools=("stalls",),
        usage="stalls sync ROW", items=ROWS, values=THEIR_ROWS, rule=sync, receipt="VALUE",
        request="Sync ITEM with the box office please (`./stalls sync ITEM`).",
        naive="./stalls sync ITEM", solution="./stalls sync VALUE",
        corrections=(
            "the box office writes rows with a hyphen, so VALUE",
            "They don't know our underscores over there. It's a dash: ./stalls sync VALUE",
        ),
        about=r"\bstalls\b|box office|\brows?\b", right=r"hyphen|\bdash|\brow-\w",
    ),
    Family(
        project="playhouse", name="bills", kind="protected branch", tools=("bill",),
        usage="bill publish PLAY", items=PLAYS, rule=publish,
        request="The bill for ITEM is final, publish it with `./bill publish ITEM`.",
        naive="./bill publish ITEM", solution="./bill propose ITEM",
        corrections=(
            "nobody can publish directly, that branch is protected. ./bill propose ITEM, the office merges it",
            "Publishing is locked for us. Use propose with the same name and it's fine.",
        ),
        about=r"\bbills?\b|405|publish", right=r"\bpropos",
    ),
    Family(
        project="playhouse", name="costumes", kind=ORDER, tools=("indexer", "importer"),
        usage="indexer PLAY, ./importer PLAY", items=PLAYS, rule=store,
        request="Get the costumes of ITEM into the new store and indexed: `./indexer ITEM && ./importer ITEM`.",
        naive="./indexer ITEM && ./importer ITEM", solution="./importer ITEM && ./indexer ITEM",
        corrections=(
            "wrong way round, sorry. the importer comes first and the indexer after it",
            "Import first, index afterwards! ./importer ITEM and then ./indexer ITEM.",
        ),
        about=r"\bimport|\bindexe?r?\b",
        right=r"importer\b.{0,30}(?:&&|;|,|→|\bthen\b|\band\b).{0,15}indexer|\bimport\w*\b[^.]*\bfirst\b|"
        r"\bfirst\b.{0,12}\bimport|\bindex\w*\b[^.]*\bafter|\bimport\w*\b.{0,40}\bbefore\b",
    ),
    Family(
        project="playhouse", name="rights", kind=STALE, tools=("rights",),
        usage="rights ask PLAY", items=PLAYS, rule=ask_rights,
        request="Ask for the rights to ITEM, `./rights ask ITEM`.",
        naive="./rights ask ITEM", solution="PLAYHOUSE_DESK=annex ./rights ask ITEM",
        first_solution="PLAYHOUSE_DESK=3 ./rights ask ITEM",
        corrections=(
            "it has to know which desk. ours is 3, PLAYHOUSE_DESK=3 in front",
            "Desk 3 has been closed. Everything is done by the annex now, so PLAYHOUSE_DESK=annex ./rights ask ITEM",
        ),
        about=r"\brights\b|PLAYHOUSE_DESK|\bdesk\b", right=r"\bannex\b", wrong=r"PLAYHOUSE_DESK=3|\bdesk 3\b",
    ),
)  # fmt: skip
