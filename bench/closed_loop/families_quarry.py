"""quarry: blasts, carts, scans and assays."""

from __future__ import annotations

from bench.closed_loop.rules import STATE, Answer, Call, Files, finished, refused
from bench.closed_loop.tasks import ENVIRONMENT, PERSON, Family, Task

STONES = (
    "agate",
    "basalt",
    "chert",
    "dolomite",
    "epidote",
    "flint",
    "gneiss",
    "jasper",
)
GRADES = ("71", "64", "88", "53", "92", "47", "79", "66")
CHANGELOG = "CHANGELOG.md"


def blast(call: Call) -> Answer:
    split = call.split(flags=("--dry", "--dry-run"))
    match split.operands:
        case ("run", face):
            plan = f"{STATE}/{face}.plan"
            if split.options:
                return Answer(0, f"{face}: 14 holes", {plan: "14\n"})
            if plan not in call.files:
                return refused("412")
            return finished(call, face, f"{face} blasted", delete=[plan])
    return refused("run what?", code=2)


def haul(call: Call) -> Answer:
    match call.split().operands:
        case ("to", yard) if yard.endswith("/"):
            return finished(call, yard.rstrip("/"), f"cart is in {yard}")
        case ("to", yard):
            return refused(f"301 {yard}")
    return refused("where to?", code=2)


def scan(call: Call) -> Answer:
    split = call.split("--out")
    place = split.options.get("--out", "out").strip("./")
    if len(split.operands) != 1:
        return refused("scan what?", code=2)
    stone = split.operands[0]
    if place != "spool":
        return refused(f"{place}/{stone}.pts: errno 30")
    return finished(call, stone, f"{stone} scanned", write={f"spool/{stone}.pts": "0 0 1\n"})  # fmt: skip


def put(call: Call) -> Answer:
    match call.split().operands:
        case ("put", stone, grade):
            return finished(call, f"{stone} {grade}", f"{stone} is {grade}")
    return refused("put what?", code=2)


def said_to_buyers(task: Task, files: Files) -> bool:
    lines = files.get(CHANGELOG, "").splitlines()
    entries = [line.lstrip("-* ") for line in lines if task.item in line]
    is_put = f"{task.item} {task.value}" in task.receipts(files)
    return is_put and any(entry.startswith("Buyers:") for entry in entries)


QUARRY = (
    Family(
        project="quarry", name="blasts", kind="dry run first", tools=("blast",),
        usage="blast run FACE", items=STONES, rule=blast,
        request="Everybody is out, run the blast at the ITEM face: `./blast run ITEM`.",
        naive="./blast run ITEM", solution="./blast run ITEM --dry && ./blast run ITEM",
        corrections=(
            "it won't do the real one before it has seen a dry one. once with --dry, then again without",
            "You need a rehearsal: ./blast run ITEM --dry, and straight after that the same without --dry.",
        ),
        about=r"\bblasts?\b|412", right=r"--dry|\bdry\b",
    ),
    Family(
        project="quarry", name="carts", kind="trailing slash", tools=("haul",),
        usage="haul to YARD", items=STONES, rule=haul,
        request="Move the cart to the yard ITEM, like always with `./haul to ITEM`.",
        naive="./haul to ITEM", solution="./haul to ITEM/",
        corrections=(
            "yards are written with a slash at the end, ITEM/",
            "It's picky: ./haul to ITEM/ with the slash behind the name, then it goes.",
        ),
        about=r"\bhaul\b|\byards?\b|\bcarts?\b", right=r"slash|haul to \S+/",
    ),
    Family(
        project="quarry", name="scans", kind=ENVIRONMENT, tools=("scan",),
        usage="scan STONE [--out FOLDER]", items=STONES, rule=scan, files={"out/.keep": "", "spool/.keep": ""},
        request="Make a scan of the ITEM block (`./scan ITEM`).",
        naive="./scan ITEM", solution="./scan ITEM --out spool",
        corrections=(
            "out is mounted read-only on these machines. write to spool instead: --out spool",
            "You can't write to out here, it's a read-only mount. We let scans go to the spool folder.",
        ),
        about=r"\bscans?\b|errno 30|read-only", right=r"\bspool\b", wrong=r"chmod|sudo|remount",
    ),
    Family(
        project="quarry", name="assays", kind=PERSON, tools=("assay",), writes=True,
        usage="assay put STONE GRADE", items=STONES, values=GRADES, rule=put, check=said_to_buyers,
        files={CHANGELOG: "# Changelog\n\n"},
        request="Enter grade VALUE for ITEM (`./assay put ITEM VALUE`) and add an entry about it to CHANGELOG.md.",
        naive='./assay put ITEM VALUE && echo "- ITEM has grade VALUE" >> CHANGELOG.md',
        solution='./assay put ITEM VALUE && echo "- Buyers: ITEM now has grade VALUE" >> CHANGELOG.md',
        corrections=(
            "an entry should start with who it is for. for assays it is \"Buyers:\", so - Buyers: ITEM now has grade VALUE",
            "Please begin changelog entries on assays with the word Buyers and a colon, the newsletter is made from that.",
        ),
        about=r"\bassays?\b|changelog|\bentr(?:y|ies)\b", right=r"\bBuyers\b",
    ),
)  # fmt: skip
