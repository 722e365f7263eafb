"""What a session was about: the files, addresses, repositories and commands it used most."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from afterglow.harvest import command_shape, user_speech
from afterglow.harvest.shell import simple_commands
from afterglow.harvest.tool_remedies import decoded, target_key
from afterglow.harvest.trail import Step, Trail
from afterglow.records.template import ContextMarkers

MOST = 10
LONGEST = 120  # characters of one marker
WHOLE = 4000  # a longer one says nothing

_URL = re.compile(r"https?://[^\s\"'`<>()\[\]{}\\|]+")
_FILE = re.compile(
    r"(?:[\w@.-]+/)+[\w@-][\w@.-]*\.[A-Za-z]\w{0,5}|[\w@-]+\.[A-Za-z]\w{0,3}"
)
_NAMED = re.compile(r"\.\w+$|(?:^|/)[A-Z]\w+$")  # a file, not a folder
_NUMBERED = re.compile(r"[\d.]+|.*\.(?:\d|com|org|net|io|dev)\d*")
_FORGE = re.compile(
    r"(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)[/:]([\w.-]+/[\w.-]+)"
)
_CHOSEN = re.compile(r"(?:^|\s)(?:-R|--repo)[= ]([\w.-]+/[\w.-]+)")
_WHERE = frozenset({"url", "uri", "href", "link", "urls"})


def markers(trail: Trail) -> ContextMarkers:
    """Counted over calls that worked, not yet redacted; addresses also from what the person said."""
    steps = [step for step in trail.steps if step.ok]
    spoken = [turn.text for turn in trail.turns if user_speech.is_speech(turn)]
    addresses = [*(text for step in steps for text in _addressed(step)), *spoken]
    urls = [url for text in addresses for url in _URL.findall(text)]
    named = [*(one for url in urls for one in _FORGE.findall(url))]
    named += [
        one
        for step in steps
        if step.program[:3] in {"gh ", "gla"}
        for one in _CHOSEN.findall(step.command)
    ]
    own = (
        [trail.repo]
        if trail.repo
        else [one.removesuffix(".git") for one in _FORGE.findall(trail.session.remote)]
    )
    return ContextMarkers(
        files=_most(
            file for step in steps for file in dict.fromkeys(_files(trail, step))
        ),
        urls=_most(map(_bare, urls)),
        repos=tuple(
            dict.fromkeys(
                [*own, *_most(name.removesuffix(".git").rstrip(".") for name in named)]
            )
        )[:MOST],
        commands=_most(
            name for step in steps for name in dict.fromkeys(_commands(trail, step))
        ),
    )


def _most(found: Iterable[str]) -> tuple[str, ...]:
    """Whole: what is cut before it is cleaned may hide half a secret. The cleaner shortens them."""
    counts = Counter(one for one in found if one and len(one) <= WHOLE)
    return tuple(one for one, _ in counts.most_common(MOST))


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
    if step.command:
        yield from (one.text for one in simple_commands(step.command))
        return
    for name, value in decoded(step.call.arguments).items():
        if name.lower() in _WHERE:
            yield from (
                one
                for one in (value if isinstance(value, list) else [value])
                if isinstance(one, str)
            )


def _files(trail: Trail, step: Step) -> Iterator[str]:
    """The files a call names, from the top of the repository; what lies outside of it is left out."""
    if not step.command:
        values = decoded(step.call.arguments)
        path = _within(str(values.get(target_key(values), "")), trail)
        if _NAMED.search(path):
            yield path
        return
    for one in simple_commands(step.command):
        words = one.words[1:] if one.words[:2] != ("git", "config") else ()
        for path in (
            _within(word, trail) for word in words if len(word) <= 2 * LONGEST
        ):
            if (
                _FILE.fullmatch(path)
                and ".." not in path
                and not _NUMBERED.fullmatch(path)
            ):
                yield path


def _within(path: str, trail: Trail) -> str:
    path = path.replace("\\", "/")
    for root in (trail.session.git_root, trail.session.cwd):
        if root and path.startswith(f"{root.rstrip('/')}/"):
            return path[len(root.rstrip("/")) + 1 :]
    outside = path.startswith(("/", "~", "..", "$")) or path[1:2] == ":"
    return (
        ""
        if outside and (trail.session.git_root or trail.session.cwd)
        else path.removeprefix("./")
    )


def _commands(trail: Trail, step: Step) -> Iterator[str]:
    for one in simple_commands(step.command) if step.command else ():
        shape = command_shape.shape_of(
            one.words, trail.session.git_root or trail.session.cwd
        )
        if shape is not None:
            yield shape.text
