"""tramline: platforms, letters, fares and signs of a tram company."""

from __future__ import annotations

import re

from bench.closed_loop.rules import Answer, Call, Files, finished, refused
from bench.closed_loop.tasks import PERSON, STALE, Family, Task

STOPS = ("alder", "birch", "cedar", "dogwood", "elder", "fir", "ginkgo", "hazel")
TIMES = ("14:00", "09:30", "16:45", "11:15", "08:20", "17:05", "12:40", "10:10")
TICKETS = tuple(f"TRAM-{number}" for number in (214, 231, 246, 259, 268, 273, 285, 297))
FARES = ("2.40", "3.10", "2.75", "1.95", "4.20", "3.60", "2.15", "3.85")
LETTERS = 120  # to be sent in every task
BATCH = 40  # that go out at once


def book(call: Call) -> Answer:
    match call.split().operands:
        case ("book", stop, time) if re.fullmatch(r"\d\d:\d\d\+09:?00", time):
            return finished(call, f"{stop} {time[:5]}", f"{stop} booked for {time}")
        case ("book", _, time):
            return refused(f"{time} is not in the timetable")
    return refused("book what?", code=2)


def send(call: Call) -> Answer:
    match call.split().operands:
        case ("send", stop, numbers) if re.fullmatch(r"\d+-\d+", numbers):
            first, last = map(int, numbers.split("-"))
            if last - first + 1 > BATCH:
                return refused("413")
            receipt = f"{stop} {numbers}"
            return finished(call, receipt, f"{receipt} sent", part=f"-{numbers}")
    return refused("send which?", code=2)


def all_sent(task: Task, files: Files) -> bool:
    numbers: set[int] = set()
    for receipt in task.receipts(files):
        stop, _, sent = receipt.rpartition(" ")
        first, last = map(int, sent.split("-"))
        if stop == task.item:
            numbers |= set(range(first, last + 1))
    return numbers >= set(range(1, LETTERS + 1))


def set_fare(call: Call) -> Answer:
    split = call.split("-m", "--message")
    message = split.options.get("-m") or split.options.get("--message") or ""
    match split.operands:
        case ("set", "7", fare) if message:
            return finished(call, f"7 {fare} {message}", f"line 7 now {fare}")
    return refused("needs a line, a fare and -m MESSAGE", code=2)


def ends_with_ticket(task: Task, files: Files) -> bool:
    return any(
        receipt.startswith(f"7 {task.value} ") and receipt.endswith(f"/ {task.item}")
        for receipt in task.receipts(files)
    )


def show_sign(call: Call) -> Answer:
    split = call.split("--panel")
    panel = split.options.get("--panel", "")
    works = "left" if call.number == 0 else "north"
    match split.operands:
        case ("show", stop) if panel == works:
            return finished(call, stop, f"{stop} shown")
        case ("show", _):
            return refused(f"panel {panel or 'main'} does not answer")
    return refused("show what?", code=2)


TRAMLINE = (
    Family(
        project="tramline", name="slots", kind="time zone", tools=("slot",),
        usage="slot book STOP HH:MM", items=STOPS, values=TIMES, rule=book,
        request="Please book the platform at ITEM for VALUE today. Usually that's `./slot book ITEM VALUE`.",
        naive="./slot book ITEM VALUE", solution="./slot book ITEM VALUE+09:00", receipt="ITEM VALUE",
        corrections=(
            "the timetable server sits in the depot's zone and wants the offset behind the hour, so VALUE+09:00",
            "It has no idea which clock we mean. You write the time with the depot's offset: VALUE+09:00.",
        ),
        about=r"\bslots?\b|timetable|platform", right=r"\+09:?00|\+0?9\b",
    ),
    Family(
        project="tramline", name="letters", kind="quota per batch", tools=("post",),
        usage="post send STOP FIRST-LAST", items=STOPS, rule=send, check=all_sent,
        request="Send letters 1 to 120 to the riders of ITEM (`./post send ITEM 1-120`). All of them should go out.",
        naive="./post send ITEM 1-120",
        solution="./post send ITEM 1-40 && ./post send ITEM 41-80 && ./post send ITEM 81-120",
        corrections=(
            "too many at once. the post office takes forty per go, so 1-40, then 41-80, then 81-120",
            "That's over the limit, you can only hand in 40 letters at a time. Split it up: ./post send ITEM 1-40 and so on.",
        ),
        about=r"\bpost\b|letters?", right=r"\b40\b|\bforty\b",
    ),
    Family(
        project="tramline", name="fares", kind=PERSON, tools=("fare",),
        usage="fare set LINE FARE -m MESSAGE", items=TICKETS, values=FARES, rule=set_fare,
        check=ends_with_ticket,
        request="Set the fare of line 7 to VALUE with `./fare set 7 VALUE -m MESSAGE`; the message should say what "
        "changed. It is for ITEM.",
        naive='./fare set 7 VALUE -m "ITEM: fare of line 7 is VALUE"',
        solution='./fare set 7 VALUE -m "fare of line 7 is VALUE / ITEM"',
        corrections=(
            "please put the ticket at the very end of the message, after a slash. like: fare of line 7 is VALUE / ITEM. "
            "I search for that",
            "Hm, fare messages have to end in a slash and the ticket number, \"... / ITEM\". Do it over like that?",
        ),
        about=r"\bfares?\b|ticket|message", right=r"slash|/ ?(?:TRAM|ticket|<|ITEM|\$|\[)",
        wrong=r"(?:start|begin|prefix)\w* with (?:the )?(?:ticket|TRAM)",
    ),
    Family(
        project="tramline", name="signs", kind=STALE, tools=("sign",),
        usage="sign show STOP", items=STOPS, rule=show_sign,
        request="The sign at ITEM should show the stop's new name: `./sign show ITEM`.",
        naive="./sign show ITEM", solution="./sign show ITEM --panel north",
        first_solution="./sign show ITEM --panel left",
        corrections=(
            "only the left panels are wired up at the moment. --panel left",
            "They rewired all the signs over the weekend, the left panels are dead. Now it's ./sign show ITEM --panel north",
        ),
        about=r"\bsigns?\b|panel", right=r"\bnorth\b", wrong=r"panel[ =]left|left panel",
    ),
)  # fmt: skip
