"""A path that is not there, though the session has seen a file of that name in another folder."""

from __future__ import annotations

import re
from collections.abc import Iterator

from afterglow.calls import Standing, join, prints_files
from afterglow.harvest.state_checks.explanation import Explanation, is_short
from afterglow.harvest.state_checks.missing_path import MissingPath, missing_paths
from afterglow.harvest.state_checks.moment import Moment
from afterglow.harvest.trail import Step

NAME = "path"

MAX_RESULT_READ = 40_000  # characters of a listing
# Characters of a name before its suffix: `a.ts` may stand anywhere.
MIN_STEM = 4

_PATH = r"[\w@.+~/-]*"
TOPIC = "a path relative to the wrong folder"


def explain(moment: Moment) -> Explanation | None:
    for missing in missing_paths(moment):
        place = moment.shown(_only_place(moment, missing))
        if place and is_short(place):
            path = missing.written if is_short(missing.written) else "the path"
            line = f"`{path}` is not there; this session has seen `{place}`: use that"
            return Explanation(NAME, TOPIC, line)
    return None


def _only_place(moment: Moment, missing: MissingPath) -> str:
    """Where a file of that name lies, if the session has seen one only, and that may be the one meant."""
    name = missing.place.rsplit("/", 1)[-1]
    if len(name.split(".")[0]) < MIN_STEM or "." not in name.strip("."):
        return ""
    places = set(_places(moment, name))
    if len(places) != 1:
        return ""
    place = places.pop()
    is_from_elsewhere = "/" in missing.written and place.endswith(f"/{missing.written}")
    if place == missing.place or not (
        is_from_elsewhere or _leads_through(missing.place, place)
    ):
        return ""
    return place


def _places(moment: Moment, name: str) -> Iterator[str]:
    """Where the session has seen files of that name: read, changed, listed, or given to a command that ended well."""
    end = f"/{name}"
    yield from (place for place in moment.state.touched if place.endswith(end))
    listed = rf"(?<![\w./-]){_PATH}/{re.escape(name)}(?![\w.-])"
    for step, standing in moment.runs_back():
        if not step.ok:
            continue
        yield from _words_ending(end, step, standing)
        result = step.call.result or ""
        if _lists_files(step) and name in result:
            paths = re.findall(listed, result[:MAX_RESULT_READ])
            yield from _resolved(paths, step, standing.directory)


def _words_ending(end: str, step: Step, standing: Standing) -> Iterator[str]:
    if end not in step.command:
        return
    runs = zip(step.action.commands, standing.directories, strict=True)
    for command, directory in runs:
        if command.hidden_by or not command.decides:
            continue  # it may have failed
        words = (word for word in command.words[1:] if word.endswith(end))
        yield from (join(directory, word) for word in words)


def _resolved(paths: list[str], step: Step, directory: str) -> Iterator[str]:
    """Of a search within a folder, nobody knows from where its relative results count."""
    is_within = step.action.kind != "shell" and step.action.arguments.file
    for path in paths:
        if path.startswith("/") or not is_within:
            yield join(directory, path.removeprefix("./"))


def _lists_files(step: Step) -> bool:
    if step.action.kind == "search":
        return True
    commands = step.action.commands
    return step.looks and bool(commands) and not prints_files(commands[0])


def _leads_through(path: str, place: str) -> bool:
    """The place is the path with folders between: `src/settings.rs` and `src/config/settings.rs`."""
    folders = iter(place.split("/")[:-1])
    return all(folder in folders for folder in path.split("/")[:-1])
