"""The packages that a repository names itself: in the manifests of its package managers, as text.

Read by pattern and not by each manager's own format, because a session shows a manifest with line numbers before its
lines, or only a part of it.
"""

from __future__ import annotations

import re
from functools import lru_cache

MAX_PACKAGES = 2_000  # of one text: a manifest that people write has fewer
MAX_CHARACTERS = 200_000  # of a manifest that are read

# How a tool manager is told where a tool comes from: `cargo:cargo-deny`.
BACKEND = re.compile(
    r"^(?:core|npm|pipx?|cargo|go|aqua|ubi|asdf|vfox|gem|spm|dotnet|github):"
)
_VERSION = re.compile(r"(?<=[\w\]])(?:[@=<>~!^;\[ ].*|:[\w.-]+)$")
_VERSIONED = r"\"(@?[\w./-]{2,80})\"\s*:\s*\"(?:[\^~<>=v*]|\d|workspace:|npm:|latest|file:|link:|catalog:)"
_ASSIGNED = r"(?:^|\n)[\s\d→|:]*\"?([A-Za-z@][\w./:@-]{1,80})\"?\s*=\s*[\"{\[\d]"
_LISTED = r"[\"']([A-Za-z][\w.-]{1,60})(?:\[[\w, -]+\])?\s*(?:[<>=~!;].{0,60}?)?[\"']"
_REQUIRED = r"(?:^|\n)[\s\d→|]*([A-Za-z][\w.-]{1,60})(?:\[[\w, -]+\])?\s*(?:[<>=~!]=|@|;|(?=\n|$))"
_MODULE = r"((?:[\w-]+\.)+\w+(?:/[\w.~-]+)+)\s+v\d"
_GEM = r"\bgem\s+[\"']([\w-]+)"
_TOOL = r"(?:^|\n)[\s\d→|]*([a-z][\w:./-]{1,60})[ \t]+(?:v?\d|latest|system)"
_FORMULA = r"\b(?:brew|cask|tap|mas)\s+[\"']([\w./@-]+)"
_IMAGE = r"(?:\bFROM|image:)\s+[\"']?([\w./-]+)"
_PLUGIN = (
    r"<artifactId>([\w.-]+)<|(?:implementation|api|classpath|plugin)\W+[\"']([\w.:-]+)"
)

_MANIFESTS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(name), rules)
    for name, rules in (
        (r"package\.json|composer\.json|deno\.jsonc?|bower\.json", (_VERSIONED,)),
        (r"pyproject\.toml|Pipfile|pixi\.toml|setup\.(?:py|cfg)", (_ASSIGNED, _LISTED)),
        (r"(?:dev-|test-)?requirements[\w.-]*\.(?:txt|in)|constraints\.txt", (_REQUIRED,)),
        (r"Cargo\.toml|\.?mise\.toml|mise\.\w+\.toml|Gopkg\.toml", (_ASSIGNED,)),
        (r"go\.mod|tools\.mod", (_MODULE,)),
        (r"Gemfile|[\w-]+\.gemspec", (_GEM,)),
        (r"\.tool-versions", (_TOOL,)),
        (r"Brewfile", (_FORMULA,)),
        (r"Dockerfile(?:\.\w+)?|Containerfile|(?:docker-)?compose[\w.-]*\.ya?ml", (_IMAGE,)),
        (r"pom\.xml|build\.gradle(?:\.kts)?", (_PLUGIN,)),
    )
)  # fmt: skip
# Manifests of somebody else's code that lies in a repository.
_FOREIGN = re.compile(
    r"(?:^|/)(?:node_modules|vendor|third_party|\.venv|site-packages|tmp|fixtures?|testdata|examples?)(?:/|$)"
)


def plain_name(package: str) -> str:
    """Without version, extras and the backend a tool manager fetches it by."""
    name = BACKEND.sub("", package.strip("\"'"))
    name = _VERSION.sub("", name)
    return name.casefold().replace("_", "-")


def is_manifest(path: str) -> bool:
    """Whether a file of this path says what the repository uses."""
    return bool(_rules(path)) and not _FOREIGN.search(path.replace("\\", "/"))


def packages_in(path: str, text: str) -> frozenset[str]:
    """The packages that a manifest names, without their versions."""
    names: set[str] = set()
    for rule in _rules(path):
        for match in re.finditer(rule, text[:MAX_CHARACTERS]):
            names.add(plain_name(next(filter(None, match.groups()), "")))
            if len(names) >= MAX_PACKAGES:
                break
    return frozenset(names - {""})


def _rules(path: str) -> tuple[str, ...]:
    return _rules_of(path.replace("\\", "/").rpartition("/")[2])


@lru_cache(maxsize=1024)
def _rules_of(name: str) -> tuple[str, ...]:
    return next((rules for rule, rules in _MANIFESTS if rule.fullmatch(name)), ())
