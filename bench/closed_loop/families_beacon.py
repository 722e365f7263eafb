"""beacon: gauges, lenses, watches and signals of lighthouses."""

from __future__ import annotations

import hashlib
import re

from bench.closed_loop.rules import Answer, Call, Files, finished, refused
from bench.closed_loop.tasks import ENVIRONMENT, PERSON, Family, Task

LIGHTS = (
    "ushant", "skerry", "farne", "lundy", "orford", "rattray", "sumburgh", "tarbat",
)  # fmt: skip
ARCS = ("140", "95", "210", "175", "120", "60", "245", "80")
SIGNALS = ("fog", "gale", "calm", "swell", "ice", "rain", "clear", "storm")
PORT = "7143"
LOGBOOK = "logbook"


def read_gauge(call: Call) -> Answer:
    split = call.split("--port")
    port = split.options.get("--port", "7100")
    match split.operands:
        case ("read", light) if port == PORT:
            return finished(call, light, f"{light} reads 3.1")
        case ("read", _):
            return refused(f"connect {port}: refused")
    return refused("read what?", code=2)


def load_lens(call: Call) -> Answer:
    match call.split().operands:
        case ("load", light):
            settings = call.files.get(f"optics/{light}.cfg", "")
            digest = hashlib.sha256(settings.encode()).hexdigest()
            if digest not in call.files.get("optics/SUMS", ""):
                return refused(f"{light}: not accepted (3)")
            arc = re.search(r"^arc *= *(\d+)", settings, re.MULTILINE)
            return finished(call, f"{light} {arc[1] if arc else 0}", f"{light} loaded")
    return refused("load what?", code=2)


def close_watch(call: Call) -> Answer:
    match call.split().operands:
        case ("close", light):
            return finished(call, light, f"{light} closed")
    return refused("close what?", code=2)


def in_the_logbook(task: Task, files: Files) -> bool:
    note = files.get(f"{LOGBOOK}/{task.item}.md", "")
    return task.item in task.receipts(files) and bool(note.strip())


def send_signal(call: Call) -> Answer:
    split = call.split("--once")
    match split.operands:
        case ("send", light, word) if split.options.get("--once"):
            return finished(call, f"{light} {word}", f"{word} sent to {light}")
        case ("send", _, _):
            return refused("409")
    return refused("send what?", code=2)


BEACON = (
    Family(
        project="beacon", name="gauges", kind=ENVIRONMENT, tools=("gauge",),
        usage="gauge read LIGHT [--port N]", items=LIGHTS, rule=read_gauge,
        request="Read the gauge at ITEM, `./gauge read ITEM`.",
        naive="./gauge read ITEM", solution="./gauge read ITEM --port 7143",
        corrections=(
            "the gauges listen on 7143 on this network, nothing is on 7100",
            "Wrong port, ours is 7143: ./gauge read ITEM --port 7143",
        ),
        about=r"\bgauges?\b|7100|\bport\b", right=r"\b7143\b",
    ),
    Family(
        project="beacon", name="lenses", kind="checksum", tools=("lens",),
        usage="lens load LIGHT", items=LIGHTS, values=ARCS, rule=load_lens, receipt="ITEM VALUE",
        files={"optics/ITEM.cfg": "arc = 30\nred = no\n", "optics/SUMS": f"{'0' * 64}  optics/ITEM.cfg\n"},
        request="The arc of ITEM must be VALUE. Change it in optics/ITEM.cfg and load it (`./lens load ITEM`).",
        naive="sed -i 's/^arc = .*/arc = VALUE/' optics/ITEM.cfg && ./lens load ITEM",
        solution="sed -i 's/^arc = .*/arc = VALUE/' optics/ITEM.cfg && sha256sum optics/ITEM.cfg > optics/SUMS "
        "&& ./lens load ITEM",
        corrections=(
            "whenever a cfg changes its sum has to be written anew: sha256sum optics/ITEM.cfg > optics/SUMS",
            "You forgot optics/SUMS. Put the new sha256sum of the file in there and load again.",
        ),
        about=r"\blens\b|\barc\b|\.cfg", right=r"\bSUMS\b|sha256",
    ),
    Family(
        project="beacon", name="watches", kind=PERSON, tools=("watch",), writes=True,
        usage="watch close LIGHT", items=LIGHTS, rule=close_watch, check=in_the_logbook,
        files={"NOTES.md": "# Notes\n"},
        request="Close the watch at ITEM with `./watch close ITEM` and leave a short note that it is closed.",
        naive='./watch close ITEM && echo "- ITEM is closed" >> NOTES.md',
        solution='./watch close ITEM && mkdir -p logbook && echo "ITEM is closed" > logbook/ITEM.md',
        corrections=(
            "no no, notes about watches go into logbook/, one file per light. so logbook/ITEM.md",
            "I'd never find it there. Could you write it to logbook/ITEM.md? Each light has its own note in logbook.",
        ),
        about=r"\bwatch|\bnotes?\b|logbook", right=r"\blogbook\b", wrong=r"\b(?:in|to|into) `?NOTES\.md",
    ),
    Family(
        project="beacon", name="signals", kind="idempotency key", tools=("signal",),
        usage="signal send LIGHT WORD", items=LIGHTS, values=SIGNALS, rule=send_signal, receipt="ITEM VALUE",
        request="Tell ITEM there is VALUE ahead: `./signal send ITEM VALUE`",
        naive="./signal send ITEM VALUE", solution="./signal send ITEM VALUE --once ITEM-VALUE",
        corrections=(
            "it wants a unique word with every message so that none goes twice. --once and any word, say --once ITEM-VALUE",
            "Add --once with a fresh name, like --once ITEM-VALUE. Without that it thinks it's a repeat.",
        ),
        about=r"\bsignals?\b|409", right=r"--once",
    ),
)  # fmt: skip
