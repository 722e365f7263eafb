"""What a task is: a throw-away project folder with tools in it, a request, and a check whether it was done.

The tasks of a family ask for the same thing of other items, so a lesson carries over from one task to the next only if
it is about the work and not about the item. ITEM and VALUE stand for what differs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from bench.closed_loop.client import BOARD, small_files
from bench.closed_loop.project_files import TOOL, board_json, check_script
from bench.closed_loop.rules import Answer, Call, Files, receipts

PROJECTS = "/projects"  # where a project's folder seems to be for the agent
# Kinds that are no quirk of a single tool.
ORDER, PERSON, ENVIRONMENT, STALE = "order", "person", "environment", "stale"
MINUTES = 15  # that a measured run may take
CALLS = 12  # that it may make
# Words between what fails and what is said to work.
REMEDY = r"(?:→|->|=>|\binstead\b:?|\buse\b:?|\brun\b:?|\bworks?:|\bdo\b:?)\s*`?"

ANY_NAME = r"[\w.:<>-]+?"  # an item or value of another task, or what stands for one

Rule = Callable[[Call], Answer]
Check = Callable[["Task", Files], bool]


class Family(Struct, frozen=True, kw_only=True):
    """Tasks that need the same lesson. `naive` is what anybody would try, `solution` what works, `corrections` what a
    person says who watched, in other words in each learning session. `rule` answers for the tools. A line that matches
    `about` is about this work; one of those tells the lesson if it matches `right`, and misleads if it matches `wrong`.
    Of a stale family `first_solution` works in the first task only."""

    project: str
    name: str
    kind: str
    tools: tuple[str, ...]
    usage: str
    request: str
    naive: str
    solution: str
    corrections: tuple[str, str]
    items: tuple[str, ...]
    rule: Rule
    about: str
    right: str
    wrong: str = ""
    values: tuple[str, ...] = ("",)
    files: Mapping[str, str] = {}
    receipt: str = "ITEM"
    check: Check | None = None
    first_solution: str = ""
    writes: bool = False  # the request asks for a file besides

    @property
    def full_name(self) -> str:
        return f"{self.project}-{self.name}"

    @property
    def tool_quirk(self) -> bool:
        return self.kind not in {ORDER, PERSON, ENVIRONMENT, STALE}

    def task(self, number: int) -> Task:
        return Task(self, number)


class Task(Struct, frozen=True):
    family: Family
    number: int

    @property
    def name(self) -> str:
        return f"{self.family.full_name}-{self.number}"

    @property
    def item(self) -> str:
        return self.family.items[self.number % len(self.family.items)]

    @property
    def value(self) -> str:
        return self.family.values[self.number % len(self.family.values)]

    def fill(self, text: str) -> str:
        return text.replace("VALUE", self.value).replace("ITEM", self.item)

    @property
    def request(self) -> str:
        return self.fill(self.family.request)

    @property
    def naive(self) -> str:
        return self.fill(self.family.naive)

    @property
    def solution(self) -> str:
        """Commands that do the task as it is."""
        is_first = self.number == 0 and self.family.first_solution
        return self.fill(
            self.family.first_solution if is_first else self.family.solution
        )

    def correction(self, number: int | None = None) -> str:
        """What the person says in the learning session of that number: this task's own, if none is named."""
        words = self.family.corrections
        return self.fill(
            words[(self.number if number is None else number) % len(words)]
        )

    def call(
        self,
        tool: str,
        words: Sequence[str],
        files: Files,
        variables: Mapping[str, str],
    ) -> Call:
        return Call(
            task=self.name,
            number=self.number,
            family=self.family.name,
            tool=tool,
            words=tuple(words),
            files=files,
            variables=variables,
            item=self.item,
            value=self.value,
        )

    def files(self) -> dict[str, str]:
        """The project's files as this task finds them, without its tools."""
        neighbours = _neighbours(self.family)
        usages = "".join(
            f"- `./{family.usage}`\n" for family in neighbours if family.usage
        )
        files = {"README.md": f"# {self.family.project}\n\n{usages}"}
        for family in neighbours:
            task = family.task(self.number)
            for name, text in family.files.items():
                files[task.fill(name)] = task.fill(text)
        return files

    def lay_out(self, folder: Path, board_url: str) -> None:
        """The project as this task finds it, with the tools of all its families."""
        for name, text in self.files().items():
            _write(folder / name, text)
        for family in _neighbours(self.family):
            for tool in family.tools:
                _write(folder / tool, TOOL, 0o755)
        about = board_json(board_url, self.family.full_name, self.number)
        _write(folder / BOARD, about)

    def receipts(self, files: Files) -> list[str]:
        return receipts(self.name, self.family.name, files)

    def is_done(self, files: Files) -> bool:
        if self.family.check is not None:
            return self.family.check(self, files)
        return self.fill(self.family.receipt) in self.receipts(files)

    def solved(self, folder: Path) -> bool:
        return self.is_done(small_files(folder))

    def finished(self, folder: Path) -> bool:
        """Whether the work seems done: a person who wants it otherwise sees it now. Elsewhere tools say what is not."""
        files = small_files(folder)
        if self.family.kind != PERSON:
            return self.is_done(files)
        if self.family.writes and not self._changed(files):
            return False
        return not self.family.receipt or bool(self.receipts(files))

    def _changed(self, files: Files) -> bool:
        before = self.files()
        return any(
            before.get(path) != text
            for path, text in files.items()
            if not path.startswith(("done/", "var/"))
        )

    def lesson(self, text: str) -> str:
        """Whether a text that is told tells what to do: `right`, `wrong` (a line of it misleads), `missing`."""
        about = [line for line in text.splitlines() if _has(self.family.about, line)]
        right = [line for line in about if _has(self.family.right, line)]
        misled = [
            line
            for line in about
            if line not in right
            and (_has(self.family.wrong, line) or _has(self._naive_remedy, line))
        ]
        if misled:
            return "wrong"
        return "right" if right else "missing"

    @property
    def _naive_remedy(self) -> str:
        """The command that fails, told as what works: for any item, and with nothing behind it."""
        naive = re.escape(self.family.naive)
        shape = naive.replace("ITEM", ANY_NAME).replace("VALUE", ANY_NAME)
        return rf"{REMEDY}{shape}(?:`|[.;,]?(?:\s*$|\s*[(\[]))"


def write_tasks(
    folder: Path,
    numbers: Sequence[int],
    board_url: str,
    families: Sequence[Family] | None = None,
    *,
    calls: int = CALLS,
) -> list[Task]:
    """Tasks as `afterglow experiment run` takes them: these numbers of every family, each of at most so many calls."""
    if families is None:
        from bench.closed_loop.families import FAMILIES

        families = FAMILIES
    tasks = [family.task(number) for number in numbers for family in families]
    for task in tasks:
        place = folder / task.name
        task.lay_out(place / "project", board_url)
        family = task.family
        _write(place / "request.md", task.request + "\n")
        check = check_script(board_url, family.full_name, task.number)
        _write(place / "check.sh", check, 0o755)
        about = f'family = "{family.full_name}"\nrepo = "{family.project}"\n'
        _write(place / "task.toml", f"{about}minutes = {MINUTES}\ncalls = {calls}\n")
    return tasks


def _neighbours(family: Family) -> list[Family]:
    """All families of the same project."""
    from bench.closed_loop.families import FAMILIES  # they are made of what is here

    return [neighbour for neighbour in FAMILIES if neighbour.project == family.project]


def _has(pattern: str, line: str) -> bool:
    return bool(pattern) and re.search(pattern, line, re.IGNORECASE) is not None


def _write(path: Path, text: str, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
