"""What a task is: a throw-away project folder with tools in it, a request, and a check whether it was done.

A family is one planted quirk of one tool. Its tasks ask for the same thing of other items, so a lesson carries over
from one task to the next only if it is about the tool and not about the item. ITEM and VALUE stand for what differs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

PROJECTS = "/projects"  # where a project's folder seems to be for the agent

# What every tool starts with: `fail` says why, `finish` leaves the receipt that the check looks for.
PRELUDE = """\
#!/bin/sh
tool=$(basename "$0"); home=$(cd "$(dirname "$0")" && pwd); all=" $* "
fail() { echo "$tool: $1" >&2; exit 1; }
finish() { mkdir -p "$home/done" && echo "$1" > "$home/done/$tool" && echo "$tool: $1 done"; }
item=""; for word in "$@"; do case $word in -*) ;; *) item=${item:-$word} ;; esac; done
"""


class Family(Struct, frozen=True, kw_only=True):
    """One tool with one quirk. `naive` is what anybody would try, `solution` what works, `correction` what a person
    says who watched it fail. `receipt` is what the tool leaves when it worked. `quirk` is a pattern: a line about the
    tool that it matches tells the quirk."""

    project: str
    tool: str
    kind: str
    request: str
    naive: str
    solution: str
    correction: str
    quirk: str
    body: str
    files: Mapping[str, str] = {}
    others: Mapping[str, str] = {}  # further tools
    items: tuple[str, ...] = ()
    values: tuple[str, ...] = ("",)
    receipt: str = "ITEM"

    @property
    def name(self) -> str:
        return f"{self.project}/{self.tool}"

    def task(self, number: int) -> Task:
        return Task(
            self,
            self.items[number % len(self.items)],
            self.values[number % len(self.values)],
        )


class Task(Struct, frozen=True):
    family: Family
    item: str
    value: str = ""

    @property
    def name(self) -> str:
        return f"{self.family.name} {self.item}"

    def fill(self, text: str) -> str:
        return text.replace("VALUE", self.value).replace("ITEM", self.item)

    @property
    def request(self) -> str:
        """What is wanted, and how people say it is done: the quirk is what they do not think of."""
        return self.fill(
            f"{self.family.request} Usually `{self.family.naive}` does it."
        )

    def lay_out(self, folder: Path, families: tuple[Family, ...]) -> None:
        """The project as this task finds it, with the tools of all its families."""
        folder.mkdir(parents=True)
        for family in families:
            if family.project == self.family.project:
                for name, text in family.files.items():
                    _write(folder / self.fill(name), self.fill(text))
                for tool, body in {family.tool: family.body, **family.others}.items():
                    _write(folder / tool, PRELUDE + body, 0o755)

    def solved(self, folder: Path) -> bool:
        receipt = folder / "done" / self.family.tool
        return receipt.is_file() and receipt.read_bytes()[:200].decode(
            errors="replace"
        ).strip() == self.fill(self.family.receipt)

    def lesson(self, context: str) -> str:
        """Whether a context tells the quirk: `right`, `wrong` (it speaks of the tool, but not of that), `missing`."""
        about = [
            line
            for line in context.splitlines()[1:]
            if re.search(rf"\b{self.family.tool}\b", line)
        ]
        if any(re.search(self.family.quirk, line) for line in about):
            return "right"
        return "wrong" if about else "missing"


def _write(path: Path, text: str, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
