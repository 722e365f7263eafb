"""The data card: what is in the dataset, how it was made, what it cannot tell. Every number comes out of the rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from msgspec import Struct

from bench.closed_loop.dataset.columns import TABLES, Row
from bench.closed_loop.dataset.files import CHECKSUMS

VERDICTS = ("right", "wrong", "missing")
ARMS = {
    "cold": "nothing",
    "start": "lessons of the repository, at the start",
    "context": "the same as `start`",
    "failure": "a lesson behind a call that failed in a known way, where there is one",
    "both": "by moment: at the start and behind failures; by form: context and template",
    "template": "a template: what good sessions knew, and calls that worked, at the start",
    "placebo": "as much text as the longest of the others, without lessons",
}
_COUNTS_ONLY = """\
Tasks done, and of how many runs what they were told tells the lesson of their family. Counts only: differences within
tasks, with intervals that know of families, come from `python -m bench.closed_loop.analyse` and stand in `docs/paper/`."""

_HEAD = """\
---
license: cc-by-4.0
language: en
pretty_name: afterglow, closed loop
size_categories: {size}
tags: [agents, memory, tool-use, evaluation]
configs:
{configs}
---

# A closed loop: what agents' sessions taught, and whether telling it helped

Sessions of a language model that works in a shell on invented projects, the lessons and templates that afterglow made of
them by itself, and later runs on tasks of the same kinds that were told them or not. Made to ask one question: do sessions
that are told what earlier ones taught do better?
"""

_LOADING = """\
## Loading

```py
import pyarrow.parquet

runs = pyarrow.parquet.read_table("dataset/runs.parquet")
```

```py
import datasets  # Hugging Face's, where installed

runs = datasets.load_dataset("dataset", "runs", split="train")  # or "sessions"
lessons = datasets.load_dataset(
    "json", data_files="dataset/lessons.jsonl", split="train"
)
```

`sha256sum -c {checksums}` in the folder tells whether the files are whole.
"""

_MADE = """\
## How it was made

1. **Families.** {families} families of tasks in {projects} invented projects; {quirks} are a quirk of one tool or
   service, {others} are not ({kinds}). What decides lies in a service that the tools ask, not in the project.
2. **Learning.** `{model}` worked on two tasks of each family, with a scripted person beside it who says once what is
   wrong, in words written beforehand. {solved} of {learning} sessions did the task; in {helped} the person spoke.
3. **Lessons.** `afterglow harvest`, `write` and `warm auto`. Lessons: {lessons}, of these {active} active; templates:
   {templates}. None was written, changed or taken out by hand; all templates that passed the screens were approved.
4. **Measuring.** `afterglow experiment run`: each task of a plan in every arm, in random order, in a room of its own, with
   nobody to help, by {workers}.

{times}

*Splits*: `learning` (tasks 0 and 1 of a family) and `measured` (later ones). No measured run taught anything.
"""

_LIMITS = """\
## Known limits

- One model, one agent, invented tools: it says that telling a lesson can help such a model with such tasks, not how much it
  helps people with theirs.
- The person's words were written together with the tasks, so corrections are clearer than most. `lesson` and `judged` come
  from patterns fixed with the families, not from people who read every line.
- Tasks of a family are alike: use intervals that know of `family`. Runs of one plan share tasks: compare within tasks.
- Tokens and seconds are of one machine and one server. Where an agent recorded nothing, a cell is empty.
- The families are public from now on: a model that was trained on this has seen their answers.
- Stamps are seconds within a session. Learning sessions carry the dates of two days, but were run on one.

## Ethics and privacy

No person's sessions are in it: projects, tools, people, tokens and requests are invented, and the "person" is a program.
Folders of the machine became words (`<room>`, `<loop>`, `<python>`, `~`), its name `<machine>`; every text went through
afterglow's redaction{redacted}. The maker refuses to write a row that names
somebody's folder. The lessons are text that a program derived from a model's output: do not run their commands elsewhere
on their word.

## Licence

CC BY 4.0 (`LICENSE`).
"""


class PlanTimes(Struct, frozen=True):
    """A plan with its arms in order, when it was written, and when its runs were."""

    name: str
    arms: tuple[str, ...]
    written: float
    first: float
    last: float


class Story(Struct, frozen=True, kw_only=True):
    """What the rows do not say."""

    model: str
    plans: tuple[PlanTimes, ...]
    redacted: Mapping[str, int]


def card(tables: Mapping[str, Sequence[Row]], story: Story) -> str:
    parts = (
        _head(tables),
        "\n".join(_contents(tables)),
        _LOADING.format(checksums=CHECKSUMS),
        _made(tables, story),
        "\n".join(_results(tables["runs"], story.plans)),
        "\n".join(_arms(story.plans)),
        _LIMITS.format(redacted=_redacted(story.redacted)),
        "\n".join(_fields()),
    )
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _head(tables: Mapping[str, Sequence[Row]]) -> str:
    rows = max(map(len, tables.values()))
    size = "n<1K" if rows < 1000 else "1K<n<10K" if rows < 10_000 else "10K<n<100K"
    configs = "\n".join(
        f"- config_name: {name}\n  data_files: {table.file}"
        + ("\n  default: true" if name == "runs" else "")
        for name, table in TABLES.items()
        if table.file.endswith(".parquet")  # `datasets` reads one format a folder
    )
    return _HEAD.format(size=size, configs=configs)


def _contents(tables: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    sessions = {row["session"]: row["split"] for row in tables["sessions"]}
    splits = Counter(sessions.values())
    yield from ("## Files", "", "| file | rows | what |", "|---|---:|---|")
    for name, table in TABLES.items():
        yield f"| `{table.file}` | {len(tables[name]):,} | {table.words} |"
    yield ""
    yield (
        f"Transcripts: {splits['learning']:,} learning sessions, {splits['measured']:,} measured runs."
    )


def _made(tables: Mapping[str, Sequence[Row]], story: Story) -> str:
    families = {row["family"]: row for row in tables["tasks"]}
    learning = [row for row in tables["tasks"] if row["split"] == "learning"]
    quirks = sum(row["tool_quirk"] for row in families.values())
    kinds = Counter(row["kind"] for row in families.values() if not row["tool_quirk"])
    return _MADE.format(
        families=len(families),
        projects=len({row["project"] for row in families.values()}),
        quirks=quirks,
        others=len(families) - quirks,
        kinds=", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        or "none",
        model=story.model,
        solved=sum(bool(row["solved"]) for row in learning),
        learning=len(learning),
        helped=sum(bool(row["helped"]) for row in learning),
        lessons=len(tables["lessons"]),
        active=sum(row["status"] == "active" for row in tables["lessons"]),
        templates=len(tables["templates"]),
        workers=_workers(tables["runs"]),
        times="\n".join(_times(story.plans)),
    )


def _workers(runs: Sequence[Row]) -> str:
    """Who did the measured runs, as recorded with each."""
    workers = Counter(
        (row["agent"], row["agent_version"], row["model"]) for row in runs
    )
    words = (
        f"{agent or 'an agent that was not recorded'} {version}".strip()
        + f" with `{model}` ({count:,} runs)"
        for (agent, version, model), count in sorted(workers.items())
    )
    return ", ".join(words) or "nobody yet"


def _times(plans: Sequence[PlanTimes]) -> Iterator[str]:
    yield from ("| plan | written (UTC) | first run | last run |", "|---|---|---|---|")
    for plan in plans:
        moments = (plan.written, plan.first, plan.last)
        yield f"| {plan.name} | {' | '.join(map(_minute, moments))} |"


def _minute(time: float) -> str:
    return f"{datetime.fromtimestamp(time, UTC):%Y-%m-%d %H:%M}"


def _results(runs: Sequence[Row], plans: Sequence[PlanTimes]) -> Iterator[str]:
    """Success by plan and arm: counted, nothing else. What may be concluded stands in the paper."""
    yield from ("## Runs", "", _COUNTS_ONLY)
    yield from ("", f"| plan | arm | done | of | told {' / '.join(VERDICTS)} |")
    yield "|---|---|---:|---:|---|"
    for plan in plans:
        for arm in plan.arms:
            of_arm = [
                row for row in runs if (row["plan"], row["arm"]) == (plan.name, arm)
            ]
            tasks_done = sum(bool(row["success"]) for row in of_arm)
            yield f"| {plan.name} | {arm} | {tasks_done} | {len(of_arm)} | {_verdicts(of_arm)} |"


def _verdicts(runs: Sequence[Row]) -> str:
    verdicts = Counter(row["lesson"] for row in runs if row["lesson"])
    if not verdicts:
        return "nothing"
    return " / ".join(str(verdicts[word]) for word in VERDICTS)


def _arms(plans: Sequence[PlanTimes]) -> Iterator[str]:
    """What each arm that was run means."""
    run_arms = dict.fromkeys(arm for plan in plans for arm in plan.arms)
    yield from ("| arm | its sessions were told |", "|---|---|")
    for arm in run_arms:
        yield f"| {arm} | {_meaning(arm)} |"


def _meaning(arm: str) -> str:
    head, _, part = arm.partition(":")
    if part.isdecimal():
        return f"the template, in at most {part} tokens"
    if part:
        return f"of the template its {part} alone"
    return ARMS.get(head, "")


def _redacted(counts: Mapping[str, int]) -> str:
    if not counts:
        return ", which found nothing to hide"
    by_rule = ", ".join(f"{rule} {count:,}" for rule, count in sorted(counts.items()))
    return f" (found and replaced: {by_rule})"


def _fields() -> Iterator[str]:
    yield from ("## Columns", "")
    for table in TABLES.values():
        yield from (f"### {table.file}", "", table.words, "")
        yield from ("| column | type | meaning |", "|---|---|---|")
        for column in table.columns:
            yield f"| `{column.name}` | {column.kind} | {column.words} |"
        yield ""


def counts_in(text: str) -> dict[str, int]:
    """The rows that a card says each file has."""
    return dict(_counted(text.splitlines()))


def _counted(lines: Iterable[str]) -> Iterator[tuple[str, int]]:
    files = {table.file for table in TABLES.values()}
    for line in lines:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and cells[0].strip("`") in files:
            yield cells[0].strip("`"), int(cells[1].replace(",", ""))
