"""A program that is not on the PATH, though the session shows how it is reached: a runner, a path, another name."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.harvest.state_checks.explanation import Explanation, is_short
from afterglow.harvest.state_checks.moment import Moment

NAME = "program"

# Programs that systems have kept under a numbered name only.
_NUMBERED = {"python": "python3", "pip": "pip3"}


def explain(moment: Moment) -> Explanation | None:
    for name in missing_programs(moment):
        if way := _way(moment, name):
            topic = f"`{name}` is not on the PATH"
            line = f"{topic} here: `{_rerun(moment, name, way)}`"
            return Explanation(NAME, topic, line, f"{topic} here", f"run `{way} …`")
    return None


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


def _rerun(moment: Moment, name: str, way: str) -> str:
    """The command itself where it is short."""
    command = next(item for item in moment.commands if item.words[0] == name)
    text = " ".join([way, *command.written[1:]])
    return text if is_short(text) else f"{way} …"
