"""kennel: the clinic, walks, food and diet sheets."""

from __future__ import annotations

from bench.closed_loop.rules import STATE, Answer, Call, Files, finished, refused
from bench.closed_loop.tasks import ENVIRONMENT, ORDER, PERSON, Family, Task

DOGS = ("argo", "biscuit", "cosmo", "dante", "freya", "gizmo", "hobbes", "juno")
GRAMS = ("320", "275", "410", "190", "365", "240", "450", "305")
PROFILE = f"{STATE}/profile"
PROFILES = ("default", "office", "night", "paddock", "guest")
DEPOTS = ("a", "b", "c", "d", "e")


def clinic(call: Call) -> Answer:
    profile = call.files.get(PROFILE, "default").strip()
    match call.split().operands:
        case ("use", name) if name in PROFILES:
            return Answer(0, f"profile {name}", {PROFILE: f"{name}\n"})
        case ("use", name):
            return refused(f"no profile {name}")
        case ("book", dog) if profile == "paddock":
            return finished(call, dog, f"{dog} booked")
        case ("book", _):
            return refused(f"403 (profile {profile})")
    return refused("book for whom?", code=2)


def walk(call: Call) -> Answer:
    operands = call.split().operands
    dog = operands[-1] if operands else ""
    leash, plan = f"{STATE}/{dog}.leash", f"{STATE}/{dog}.plan"
    match (call.tool, *operands):
        case ("walk", _):
            write = {plan: "meadow\n", leash: "out\n"}
            return Answer(0, f"{dog} goes to the meadow", write)
        case ("leash", "drop", _):
            return Answer(0, f"{dog} is off the leash", delete=(leash,))
        case ("notice", _) if plan in call.files and leash not in call.files:
            return finished(call, dog, f"{dog} is on the board")
        case ("notice", _):
            return refused(f"{dog}: busy (11)")
    return refused("needs a dog", code=2)


def fetch(call: Call) -> Answer:
    split = call.split("--from")
    source = split.options.get("--from", "").strip("/").removeprefix("./")
    match split.operands:
        case ("fetch", dog) if source == "depot/d":
            return finished(call, dog, f"food for {dog} fetched")
        case ("fetch", _):
            return refused(f"{source or 'upstream'}: no route")
    return refused("fetch for whom?", code=2)


def no_tool(_: Call) -> Answer:
    return refused("there is no such tool", code=2)


def in_grams_a_day(task: Task, files: Files) -> bool:
    sheets = {path: text for path, text in files.items() if path.startswith("sheets/")}
    return any(
        task.item in path.lower() + text.lower() and f"{task.value} g/day" in text
        for path, text in sheets.items()
    )


KENNEL = (
    Family(
        project="kennel", name="shots", kind="default profile", tools=("clinic",),
        usage="clinic book DOG, ./clinic use PROFILE", items=DOGS, rule=clinic,
        files={"etc/profiles.txt": "".join(f"{name}\n" for name in PROFILES)},
        request="Book a date at the clinic for ITEM: `./clinic book ITEM`",
        naive="./clinic book ITEM", solution="./clinic use paddock && ./clinic book ITEM",
        corrections=(
            "the default profile may not book. switch with ./clinic use paddock before",
            "Wrong profile, it's the paddock one for bookings. Then ./clinic book ITEM again.",
        ),
        about=r"\bclinic\b|\bprofiles?\b|\bbook", right=r"\bpaddock\b", wrong=r"\b(?:office|night|guest)\b",
    ),
    Family(
        project="kennel", name="walks", kind=ORDER, tools=("walk", "notice", "leash"),
        usage="walk DOG, ./leash drop DOG, ./notice DOG", items=DOGS, rule=walk,
        request="Take ITEM for a walk and put up the notice: `./walk ITEM && ./notice ITEM`.",
        naive="./walk ITEM && ./notice ITEM", solution="./walk ITEM && ./leash drop ITEM && ./notice ITEM",
        corrections=(
            "ITEM is still on the leash after the walk. ./leash drop ITEM in between, then the notice",
            "Between the walk and the notice you have to drop the leash, that is ./leash drop ITEM.",
        ),
        about=r"\bnotice\b|\bwalk|\bleash\b", right=r"leash drop|drop\w* the leash",
    ),
    Family(
        project="kennel", name="food", kind=ENVIRONMENT, tools=("pantry",),
        usage="pantry fetch DOG [--from PLACE]", items=DOGS, rule=fetch,
        files={f"depot/{name}/index.txt": "kibble 40\nbones 12\n" for name in DEPOTS},
        request="Fetch this week's food for ITEM (`./pantry fetch ITEM`).",
        naive="./pantry fetch ITEM", solution="./pantry fetch ITEM --from depot/d",
        corrections=(
            "there's no way out from this network. we have a mirror in depot/d, so --from depot/d",
            "Upstream can't be reached from here, take the mirror: ./pantry fetch ITEM --from depot/d",
        ),
        about=r"\bpantry\b|\bmirror\b|\bfood\b|upstream", right=r"depot/d\b", wrong=r"depot/[abce]\b",
    ),
    Family(
        project="kennel", name="diets", kind=PERSON, tools=(), writes=True,
        usage="", items=DOGS, values=GRAMS, rule=no_tool, check=in_grams_a_day, receipt="",
        files={"sheets/about.md": "One sheet for each dog.\n"},
        request="Write a diet sheet for ITEM, who gets VALUE grams every day. A short file in sheets/ will do, "
        "`echo ... > sheets/ITEM.md`.",
        naive='echo "ITEM: VALUE grams every day" > sheets/ITEM.md',
        solution='echo "ITEM: VALUE g/day" > sheets/ITEM.md',
        corrections=(
            "could you write the amount as VALUE g/day? the kitchen's labels take it from there, grams in words get lost",
            "On diet sheets it has to read \"VALUE g/day\", exactly like that.",
        ),
        about=r"\bdiets?\b|\bsheets?\b|\bgrams?\b|\bamounts?\b", right=r"g/day",
    ),
)  # fmt: skip
