"""glasshouse: beds, vents, lamps and counts of a nursery."""

from __future__ import annotations

from bench.closed_loop.rules import STATE, Answer, Call, finished, refused
from bench.closed_loop.tasks import ENVIRONMENT, ORDER, STALE, Family

PLANTS = (
    "aloe",
    "begonia",
    "cistus",
    "dracaena",
    "echium",
    "ficus",
    "gardenia",
    "hoya",
)
BEDS = ("4", "7", "2", "9", "11", "5", "8", "12")
RUNNERS = tuple(f"opt/{name}/run" for name in ("dev", "field", "lts", "next", "old", "twin"))  # fmt: skip
RUNNER = "opt/twin/run"


def sow(call: Call) -> Answer:
    operands = call.split().operands
    if not operands:
        return refused("needs a bed", code=2)
    bed = operands[-1]
    state = f"{STATE}/bed-{bed}"
    before = call.files.get(state, "").strip()
    if call.tool == "turn":
        return Answer(0, f"bed {bed} turned", {state: "turned\n"})
    if call.tool == "soak":  # what is turned afterwards is dry again
        after = "ready" if before == "turned" else "wet"
        return Answer(0, f"bed {bed} soaked", {state: f"{after}\n"})
    if len(operands) != 2:
        return refused("needs a plant and a bed", code=2)
    if before != "ready":
        return refused(f"bed {bed}: state 4")
    return finished(call, f"{operands[0]} {bed}", f"{operands[0]} sown in bed {bed}")


def open_vent(call: Call) -> Answer:
    works = "relay" if call.number == 0 else "bus"
    match call.split().operands:
        case (way, house) if way == works:
            return finished(call, house, f"vent of {house} open")
        case ("open" | "relay" | "bus", house):
            return refused(f"{house}: 503")
    return refused("open which?", code=2)


def dim(call: Call) -> Answer:
    match call.split().operands:
        case ("dim", target) if target.startswith("strip/"):
            plant = target.removeprefix("strip/")
            return finished(call, plant, f"{target} dimmed")
        case ("dim", target):
            return refused(f"no {target}")
    return refused("dim what?", code=2)


def count(call: Call) -> Answer:
    words = call.split().operands
    if call.tool in RUNNERS:
        if not words or words[0].removeprefix("./") != "tally.py":
            return refused("cannot run that", code=2)
        words = words[1:]
    if len(words) != 1:
        return refused("count what?", code=2)
    if call.tool != RUNNER:
        return refused("trellis 3 is not in this interpreter")
    return finished(call, words[0], f"{words[0]} 31")


GLASSHOUSE = (
    Family(
        project="glasshouse", name="beds", kind=ORDER, tools=("sow", "soak", "turn"),
        usage="sow PLANT BED, ./soak BED, ./turn BED", items=PLANTS, values=BEDS, rule=sow, receipt="ITEM VALUE",
        request="Sow ITEM in bed VALUE please. `./sow ITEM VALUE` is all it takes, normally.",
        naive="./sow ITEM VALUE", solution="./turn VALUE && ./soak VALUE && ./sow ITEM VALUE",
        corrections=(
            "a bed is turned first and then soaked, in that order: ./turn VALUE, ./soak VALUE, and only then sow",
            "The bed isn't prepared. Turn it, soak it afterwards (not the other way round), then you can sow.",
        ),
        about=r"\bsow|\bbeds?\b|\bsoak", right=r"\bturn\w*\b.*\bsoak", wrong=r"\bsoak\w*\b.*\bturn",
    ),
    Family(
        project="glasshouse", name="vents", kind=STALE, tools=("vent",),
        usage="vent open HOUSE", items=PLANTS, rule=open_vent,
        request="It is hot in the ITEM house, open the vent: `./vent open ITEM`.",
        naive="./vent open ITEM", solution="./vent bus ITEM", first_solution="./vent relay ITEM",
        corrections=(
            "open doesn't do anything at the moment, the motors hang on the relay. ./vent relay ITEM",
            "The relay was taken out on Friday, all vents are on the bus now. So: ./vent bus ITEM",
        ),
        about=r"\bvents?\b", right=r"\bbus\b", wrong=r"\brelay\b",
    ),
    Family(
        project="glasshouse", name="lamps", kind="renamed resource", tools=("lamp",),
        usage="lamp dim KIND/NAME", items=PLANTS, rule=dim,
        request="Dim the lamps over the ITEM row, that's `./lamp dim row/ITEM`.",
        naive="./lamp dim row/ITEM", solution="./lamp dim strip/ITEM",
        corrections=(
            "rows are called strips in the new controller: strip/ITEM",
            "There are no rows in there any longer. What used to be row/ITEM is strip/ITEM today.",
        ),
        about=r"\blamps?\b|\brows?\b", right=r"\bstrips?\b",
    ),
    Family(
        project="glasshouse", name="tally", kind=ENVIRONMENT, tools=("tally.py", *RUNNERS),
        usage="tally.py PLANT", items=PLANTS, rule=count,
        request="Count the ITEM plants with `python3 tally.py ITEM`.",
        naive="python3 tally.py ITEM", solution="opt/twin/run tally.py ITEM",
        corrections=(
            "python3 is the wrong one here, the count needs the interpreter in opt/twin. opt/twin/run tally.py ITEM",
            "Take opt/twin/run for that instead of python3, it's the only one that has the module.",
        ),
        about=r"\btally\b|python3|interpreter|\bcount", right=r"opt/twin",
        wrong=r"opt/(?:dev|field|lts|next|old)\b|\bpip3? install",
    ),
)  # fmt: skip
