"""What a session was about: the files, addresses, repositories and commands it used most."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from afterglow.calls import commands_in, decode, project_pattern
from afterglow.harvest import user_speech
from afterglow.harvest.trail import Step, Trail
from afterglow.records.template import ContextMarkers

MAX_MARKERS = 10  # of each kind: what comes later was used once
MAX_MARKER_CHARACTERS = 120  # a deep path; a command with its flags
MAX_WHOLE_CHARACTERS = 4000  # before it is cleaned and cut; a longer one says nothing

TAKEN_OUT = "REDACTED"  # what others write where a name was: it names nothing

_URL = re.compile(r"https?://[^\s\"'`<>()\[\]{}\\|]+")
_FILE = re.compile(
    r"(?:[\w@.-]+/)+[\w@-][\w@.-]*\.[A-Za-z]\w{0,5}|[\w@-]+\.[A-Za-z]\w{0,3}"
)
_FILE_NAME = re.compile(r"\.\w+$|(?:^|/)[A-Z]\w+$")  # a file, not a folder
_NUMBERED = re.compile(r"[\d.]+|.*\.(?:\d|com|org|net|io|dev)\d*")
_FORGE = re.compile(
    r"(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)[/:]([\w.-]+/[\w.-]+)"
)
_REPO_OPTION = re.compile(r"(?:^|\s)(?:-R|--repo)[= ]([\w.-]+/[\w.-]+)")
_ADDRESS_ARGUMENTS = frozenset({"url", "uri", "href", "link", "urls"})


def markers(trail: Trail) -> ContextMarkers:
    """Counted over calls that worked, not yet redacted; addresses also from what the person said."""
    steps = [step for step in trail.steps if step.ok]
    files: list[str] = []
    commands: list[str] = []
    for step in steps:
        files += dict.fromkeys(files_named(trail, step))
        commands += dict.fromkeys(_commands(trail, step))
    urls = list(_urls(trail, steps))
    mentioned = _most_common(_mentioned_repos(urls, steps))
    return ContextMarkers(
        files=_most_common(files),
        urls=_most_common(map(_bare, urls)),
        repos=_distinct([*_repos_of_session(trail), *mentioned]),
        commands=_most_common(commands),
    )


def _most_common(values: Iterable[str]) -> tuple[str, ...]:
    """Whole: what is cut before it is cleaned may hide half a secret. The cleaner shortens them."""
    counts = Counter(
        value
        for value in values
        if 0 < len(value) <= MAX_WHOLE_CHARACTERS and TAKEN_OUT not in value
    )
    return tuple(value for value, _ in counts.most_common(MAX_MARKERS))


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))[:MAX_MARKERS]


def _urls(trail: Trail, steps: Iterable[Step]) -> Iterator[str]:
    for step in steps:
        for text in _addressed(step):
            yield from _URL.findall(text)
    for turn in trail.turns:
        if user_speech.is_speech(turn):
            yield from _URL.findall(turn.text)


def _repos_of_session(trail: Trail) -> list[str]:
    if trail.repo:
        return [trail.repo]
    names = _FORGE.findall(trail.session.remote)
    return [name.removesuffix(".git") for name in names]


def _mentioned_repos(urls: Iterable[str], steps: Iterable[Step]) -> Iterator[str]:
    names: list[str] = []
    for url in urls:
        names += _FORGE.findall(url)
    for step in steps:
        if step.program[:3] in {"gh ", "gla"}:
            names += _REPO_OPTION.findall(step.command)
    for name in names:
        yield name.removesuffix(".git").rstrip(".")


def _bare(url: str) -> str:
    """An address without login, query and fragment."""
    try:
        parts = urlsplit(url.rstrip(".,;:!?*"))
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}".rstrip(
            "/"
        )
    except ValueError:
        return ""


def _addressed(step: Step) -> Iterator[str]:
    """The texts of a call that may hold an address."""
    if step.command:
        for command in commands_in(step.command):
            yield command.text
        return
    for name, value in decode(step.call.arguments).values.items():
        if name.lower() not in _ADDRESS_ARGUMENTS:
            continue
        values = value if isinstance(value, list) else [value]
        for text in values:
            if isinstance(text, str):
                yield text


def files_named(trail: Trail, step: Step) -> Iterator[str]:
    """The files a call names, from the top of the repository; what lies outside of it is left out."""
    if not step.command:
        path = _within(decode(step.call.arguments).file, trail)
        if _FILE_NAME.search(path):
            yield path
        return
    for command in commands_in(step.command):
        if command.words[:2] == ("git", "config"):
            continue
        for word in command.words[1:]:
            if len(word) > 2 * MAX_MARKER_CHARACTERS:
                continue
            path = _within(word, trail)
            if _is_file(path):
                yield path


def _is_file(path: str) -> bool:
    if ".." in path or _NUMBERED.fullmatch(path):
        return False
    return _FILE.fullmatch(path) is not None


def _within(path: str, trail: Trail) -> str:
    """From the top of the repository; empty where it lies outside."""
    path = path.replace("\\", "/")
    roots = [root for root in (trail.session.git_root, trail.session.cwd) if root]
    for root in roots:
        folder = f"{root.rstrip('/')}/"
        if path.startswith(folder):
            return path.removeprefix(folder)
    if roots and _is_elsewhere(path):
        return ""
    return path.removeprefix("./")


def _is_elsewhere(path: str) -> bool:
    has_drive = path[1:2] == ":"
    return has_drive or path.startswith(("/", "~", "..", "$"))


def _commands(trail: Trail, step: Step) -> Iterator[str]:
    if not step.command:
        return
    root = trail.session.git_root or trail.session.cwd
    for command in commands_in(step.command):
        shape = project_pattern(command, root)
        if shape is not None:
            yield shape.text
