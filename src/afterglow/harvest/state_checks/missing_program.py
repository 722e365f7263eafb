"""A program that is not on the PATH, though the session shows how it is reached: a runner, a path, another name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from afterglow.harvest.failure_kinds import missing_modules
from afterglow.harvest.state_checks.explanation import Explanation, is_short
from afterglow.harvest.state_checks.moment import Moment
from afterglow.records.knowledge import WITHOUT

NAME = "program"

# Programs that systems have kept under a numbered name only.
_NUMBERED = {"python": "python3", "pip": "pip3"}


def explain(moment: Moment) -> Explanation | None:
    for name in missing_programs(moment):
        if way := _way(moment, name):
            command = next(item for item in moment.commands if item.words[0] == name)
            topic = f"`{name}` is not on the PATH"
            return _explanation(topic, way, command.written[1:])
    return _missing_module(moment)


def absent(moment: Moment) -> Explanation | None:
    """The same where nothing in the session reached it, in any way: it is not there, and nothing more is known."""
    bare = {item.words[0] for item in moment.commands if not item.wrappers}
    for name in missing_programs(moment):
        if name in bare and name not in moment.state.answered:
            topic = f"`{name}` is not on the PATH"
            return Explanation(NAME, topic, "", f"{topic} here", WITHOUT)
    return None


def _missing_module(moment: Moment) -> Explanation | None:
    """A module that this interpreter has not, and another way to run it did."""
    if not moment.says("no module named"):
        return None
    names = missing_modules(moment.output)
    for command in moment.commands:
        flag, *module = command.subcommand[:2] or ("",)
        if flag == "-m" and module[0] in names:
            interpreter = " ".join(
                [*(item.text for item in command.wrappers), command.written[0]]
            )
            way = moment.state.reached.get(module[0], "")
            if way and not way.startswith(f"{interpreter} -m"):
                rest = command.written[command.words.index(module[0]) + 1 :]
                topic = f"`{interpreter}` has no module `{module[0]}`"
                return _explanation(topic, way, rest)
    return None


def _explanation(topic: str, way: str, rest: Sequence[str]) -> Explanation:
    rerun = " ".join([way, *rest])
    rerun = rerun if is_short(rerun) else f"{way} …"
    line = f"{topic} here: `{rerun}`"
    return Explanation(NAME, topic, line, f"{topic} here", f"run `{way} …`")


def missing_programs(moment: Moment) -> Iterator[str]:
    """Programs that the shell did not find and that the call runs by their bare names."""
    names = {command.words[0] for command in moment.commands}
    return (name for name in moment.missing if name in names)


def _way(moment: Moment, name: str) -> str:
    """How the program was reached, or its other name, if that was not missing too."""
    if way := moment.state.reached.get(name):
        return way
    numbered = _NUMBERED.get(name, "")
    return "" if numbered in moment.state.missing else numbered
