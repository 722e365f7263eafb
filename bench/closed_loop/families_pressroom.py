"""pressroom: galleys, ink, parcels and orders of a printer."""

from __future__ import annotations

import re

from bench.closed_loop.rules import STATE, Answer, Call, Files, finished, refused
from bench.closed_loop.tasks import ORDER, STALE, Family

POSTERS = ("argus", "brave", "comet", "delta", "ember", "fable", "grove", "halo")
BLACKS = ("52", "61", "48", "73", "66", "57", "81", "44")
HOUSE = "conf.d/90-house.ini"
FOLDERS = ("stage", "inbox", "tray", "drop")


def set_galley(call: Call) -> Answer:
    match call.split().operands:
        case ("set", poster):
            if any(path.startswith("var/fonts/") for path in call.files):
                return refused("font table 11, want 12")
            return finished(call, poster, f"{poster} set")
    return refused("set what?", code=2)


def mix(call: Call) -> Answer:
    match call.split().operands:
        case ("mix", poster):
            black = _black(call.files)
            if poster != call.item or black != call.value:
                return refused(f"{poster}: black {black} is out of plan")
            return finished(call, f"{poster} {black}", f"{poster} mixed")
    return refused("mix what?", code=2)


def _black(files: Files) -> str:
    """The house's file wins over the project's, wherever it says something."""
    for path in (HOUSE, "ink.ini"):
        if setting := re.search(r"^black *= *(\d+)", files.get(path, ""), re.MULTILINE):
            return setting[1]
    return "0"


def dispatch(call: Call) -> Answer:
    operands = call.split().operands
    if len(operands) != 1:
        return refused("needs a poster", code=2)
    poster = operands[0]
    stamp, parcel = f"{STATE}/{poster}.stamp", f"{STATE}/{poster}.parcel"
    if call.tool == "endorse":
        return Answer(0, f"{poster} endorsed", {stamp: "yes\n"})
    if call.tool == "bundle":
        kind = "stamped" if stamp in call.files else "plain"
        return Answer(0, f"{poster} bundled", {parcel: f"{kind}\n"})
    if call.files.get(parcel, "").strip() != "stamped":
        return refused(f"{poster}: digest mismatch")
    return finished(call, poster, f"{poster} is on its way")


def take_in(call: Call) -> Answer:
    operands = call.split().operands
    if len(operands) != 1:
        return refused("needs a list", code=2)
    folder, _, name = operands[0].removeprefix("./").rpartition("/")
    works = "stage" if call.number == 0 else "tray"
    if folder != works or operands[0].removeprefix("./") not in call.files:
        return refused(f"{operands[0]}: not an order list")
    return finished(call, name, f"{name} taken in")


PRESSROOM = (
    Family(
        project="pressroom", name="galleys", kind="stale cache", tools=("galley",),
        usage="galley set POSTER", items=POSTERS, rule=set_galley,
        files={"var/fonts/table.bin": "11\n", "var/fonts/index.bin": "0 1 2\n"},
        request="Set the galley of the poster ITEM (`./galley set ITEM`).",
        naive="./galley set ITEM", solution="rm -r var/fonts && ./galley set ITEM",
        corrections=(
            "that's the old font cache. delete var/fonts, it makes a new one",
            "Ah, the cached fonts again. Throw the folder var/fonts away and then ./galley set ITEM goes through.",
        ),
        about=r"\bgalleys?\b|fonts?\b", right=r"var/fonts|font cache",
    ),
    Family(
        project="pressroom", name="ink", kind="two settings files", tools=("ink",),
        usage="ink mix POSTER", items=POSTERS, values=BLACKS, rule=mix, receipt="ITEM VALUE",
        files={
            "ink.ini": "[ink]\nblack = 20\n", HOUSE: "[ink]\nblack = 35\n",
            "conf.d/10-paper.ini": "[paper]\nweight = 90\n", "conf.d/50-dryer.ini": "[dryer]\nheat = 60\n",
        },
        request="ITEM needs black at VALUE: set it in ink.ini, then `./ink mix ITEM`.",
        naive="sed -i 's/^black = .*/black = VALUE/' ink.ini && ./ink mix ITEM",
        solution="sed -i 's/^black = .*/black = VALUE/' conf.d/90-house.ini && ./ink mix ITEM",
        corrections=(
            "sorry, my mistake, ink.ini gets overruled by conf.d/90-house.ini. change black there",
            "It reads conf.d/90-house.ini last and that one wins. Set black = VALUE in that file.",
        ),
        about=r"\bink\b|\bblack\b", right=r"90-house|conf\.d", wrong=r"\bink\.ini\b",
    ),
    Family(
        project="pressroom", name="dispatch", kind=ORDER, tools=("bundle", "ship", "endorse"),
        usage="bundle POSTER, ./endorse POSTER, ./ship POSTER", items=POSTERS, rule=dispatch,
        request="Please bundle ITEM and ship it: `./bundle ITEM && ./ship ITEM`",
        naive="./bundle ITEM && ./ship ITEM", solution="./endorse ITEM && ./bundle ITEM && ./ship ITEM",
        corrections=(
            "you have to ./endorse ITEM before it is bundled, otherwise the bundle is worthless. so endorse, bundle, ship",
            "Nobody endorsed it. First ./endorse ITEM, bundle it once more after that, then ship.",
        ),
        about=r"\bship|\bbundle|\bendorse", right=r"\bendorse",
    ),
    Family(
        project="pressroom", name="orders", kind=STALE, tools=("intake",),
        usage="intake LIST", items=POSTERS, rule=take_in, receipt="ITEM.csv",
        files={f"{folder}/ITEM.csv": "poster,copies\nITEM,200\n" for folder in FOLDERS},
        request="There is a new order list ITEM.csv, take it in with `./intake ITEM.csv`.",
        naive="./intake ITEM.csv", solution="./intake tray/ITEM.csv", first_solution="./intake stage/ITEM.csv",
        corrections=(
            "lists that count are in stage, so ./intake stage/ITEM.csv",
            "We don't use stage any more since the move! It's the one in tray: ./intake tray/ITEM.csv",
        ),
        about=r"\bintake\b|order lists?|\blists?\b", right=r"\btray\b", wrong=r"\bstage\b|\b(?:inbox|drop)/",
    ),
)  # fmt: skip
