"""apiary: members, feed, laboratory and labels of a beekeepers' club."""

from __future__ import annotations

from bench.closed_loop.rules import Answer, Call, finished, refused
from bench.closed_loop.tasks import ENVIRONMENT, PERSON, Family

MEMBERS = ("ottavia", "bram", "celia", "dunstan", "elif", "fausto", "greta", "hana")
HIVES = ("amber", "basil", "clover", "daisy", "erica", "fennel", "gorse", "heather")
EVERYBODY = 200  # members: a page has to hold them
WAIT = "var/feed.wait"
TOKEN = "larkspur 41 drone"  # invented; opens nothing


def pay(call: Call) -> Answer:
    split = call.split("--limit")
    limit = split.options.get("--limit", "20")
    match split.operands:
        case ("pay", member) if limit.isdigit() and int(limit) >= EVERYBODY:
            return finished(call, member, f"{member} has paid")
        case ("pay", member):
            return refused(f"404 {member}")
    return refused("pay for whom?", code=2)


def order(call: Call) -> Answer:
    match call.split().operands:
        case ("order", hive) if WAIT in call.files:
            return finished(call, hive, f"feed for {hive} ordered", delete=[WAIT])
        case ("order", _):
            return refused("429")
    return refused("order for which hive?", code=2)


def send_to_lab(call: Call) -> Answer:
    match call.split().operands:
        case ("send", hive) if call.variables.get("APIARY_LAB", "").strip() == TOKEN:
            return finished(call, hive, f"sample of {hive} sent")
        case ("send", _):
            return refused("401 (APIARY_LAB)")
    return refused("send which sample?", code=2)


def send_label(call: Call) -> Answer:
    split = call.split("--reader")
    reader = split.options.get("--reader", "anybody").lower()
    match split.operands:
        case ("send", hive):
            return finished(call, f"{hive} {reader}", f"{hive} goes to {reader}")
    return refused("send which label?", code=2)


APIARY = (
    Family(
        project="apiary", name="roster", kind="pagination", tools=("roster",),
        usage="roster pay MEMBER", items=MEMBERS, rule=pay,
        request="ITEM paid the fee in cash, note it in the roster please: `./roster pay ITEM`",
        naive="./roster pay ITEM", solution="./roster pay ITEM --limit 500",
        corrections=(
            "it only ever looks at the first page of members. give it --limit 500 and it finds everybody",
            "ITEM is a member alright, just not on page one. Put --limit 500 behind it.",
        ),
        about=r"\broster\b|members?\b", right=r"--limit|\b500\b",
    ),
    Family(
        project="apiary", name="feed", kind="rate limit", tools=("feed",),
        usage="feed order HIVE", items=HIVES, rule=order,
        request="Order winter feed for the hive ITEM. The usual way is `./feed order ITEM`.",
        naive="./feed order ITEM", solution="mkdir -p var && touch var/feed.wait && ./feed order ITEM",
        corrections=(
            "you're being throttled. create an empty file var/feed.wait first, then the order gets queued",
            "Same as every time: they only let you in if there is a file called var/feed.wait. Touch it and order again.",
        ),
        about=r"\bfeed\b|throttl|429", right=r"feed\.wait",
        wrong=r"\bsleep\b|\bwait (?:a|some|for)\b",
    ),
    Family(
        project="apiary", name="samples", kind=ENVIRONMENT, tools=("lab",),
        usage="lab send HIVE", items=HIVES, rule=send_to_lab,
        files={
            "etc/lab.key": "foxglove 17 worker\n", "etc/old/lab.key": "foxglove 09 worker\n",
            "share/queens.txt": f"{TOKEN}\n", "share/hives.txt": "amber 2\nbasil 3\nclover 1\n",
            "share/drones.txt": "harebell 23 drone\n",
        },
        request="Send the sample of hive ITEM to the laboratory, `./lab send ITEM`.",
        naive="./lab send ITEM", solution='APIARY_LAB="$(cat share/queens.txt)" ./lab send ITEM',
        corrections=(
            "the word for the lab is the line in share/queens.txt, not the .key file, thats dead. it goes into APIARY_LAB",
            "No login there. APIARY_LAB has to be what's in share/queens.txt (don't ask why it's in that file).",
        ),
        about=r"\blab\b|APIARY_LAB|laboratory", right=r"queens\.txt", wrong=r"lab\.key|drones\.txt",
    ),
    Family(
        project="apiary", name="labels", kind=PERSON, tools=("label",),
        usage="label send HIVE [--reader NAME]", items=HIVES, rule=send_label, receipt="ITEM odile",
        request="The label for the honey of ITEM is ready to be read, send it off with `./label send ITEM`.",
        naive="./label send ITEM", solution="./label send ITEM --reader odile",
        corrections=(
            "not to just anybody please. labels are always read by odile first (--reader odile)",
            "I'd like Odile to be the reader of our labels, she knows the law. Send it again to her.",
        ),
        about=r"\blabels?\b", right=r"\bodile\b",
    ),
)  # fmt: skip
