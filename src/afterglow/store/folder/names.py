"""Which file an item stands in. Names of repos and agents may be anything; file names are safe on every system, tell
names apart that differ only in case, and lead back to the name."""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple
from urllib.parse import quote, unquote

from afterglow.records.knowledge import CATEGORIES, Category

FILES: dict[Category, str] = {
    category: f"{category}s" for category in CATEGORIES
}  # pitfalls, tool-quirks, ...
TITLES: dict[Category, str] = {
    category: FILES[category].replace("-", " ").capitalize() for category in CATEGORIES
}
LONGEST = 100  # characters of one part of a path

_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE
)  # no file names on Windows


class Place(NamedTuple):
    """Where items hold: `global`, one of the `repos`, or one of the `agents`."""

    kind: str
    name: str = ""


GLOBAL = Place("global")


def place_of(repo: str, agent: str) -> Place:
    return Place("repos", repo) if repo else Place("agents", agent) if agent else GLOBAL


def path_of(place: Place, category: Category) -> str:
    """`global/pitfalls.md`, `repos/acme/harbor.md`, `agents/codex.md`: relative to the folder."""
    if place.kind == "global":
        return f"global/{FILES[category]}.md"
    parts = place.name.split("/")
    return (
        f"{place.kind}/"
        + "/".join(_part(part) for part in (parts if all(parts) else [place.name]))
        + ".md"
    )


def read_path(
    path: str, places: dict[str, Place]
) -> tuple[Place, Category | None] | None:
    """The place, and the category of a global file; None when the path is none of ours. `known` has the places whose
    name is too long to be read back."""
    kind, _, rest = path.removesuffix(".md").partition("/")
    if kind == "global":
        category = next(
            (category for category, name in FILES.items() if name == rest), None
        )
        return (GLOBAL, category) if category else None
    if path in places:
        return places[path], None
    place = Place(
        kind, "/".join(unquote(part.partition("~")[0]) for part in rest.split("/"))
    )
    return (place, None) if place.name and path_of(place, "fact") == path else None


def _part(name: str) -> str:
    text = quote(name, safe="@+").replace("~", "%7E")
    if text.startswith("."):
        text = "%2E" + text[1:]
    if text.endswith("."):
        text = text[:-1] + "%2E"
    if text.lower().endswith(
        ".md"
    ):  # a folder of this name would stand where a file belongs
        text = f"{text[:-3]}%2E{text[-2:]}"
    if _DEVICE.match(text):
        text = f"%{ord(text[0]):02X}{text[1:]}"
    if len(text) > LONGEST:
        return f"{text[:60]}~{_digest(name, 16)}"
    return f"{text}~{_digest(name, 4)}" if name != name.lower() else text


def _digest(name: str, length: int) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:length]
