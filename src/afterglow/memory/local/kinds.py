"""What tools are: who asks for a package manager means uv and npm, too. Facts of common knowledge, not of anybody's entries.

A kind is here if people ask for it by that name and answer with a name of their own; a member if the name alone says what it
is. Names that are also everyday words (go, make, edge, black) are left out where they would match too much.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache

from afterglow.memory.local.index import read_words

KINDS = {
    "package manager": "pip pipenv poetry uv pdm conda mamba npm pnpm yarn bun cargo maven gradle composer bundler "
    "homebrew brew apt dnf pacman nix",
    "editor": "vim neovim nvim helix emacs nano vscode zed kakoune sublime pycharm intellij webstorm goland xcode",
    "ide": "vscode pycharm intellij webstorm goland clion rider eclipse xcode",
    "shell": "bash zsh fish nushell powershell",
    "terminal": "alacritty kitty wezterm ghostty iterm tmux zellij",
    "browser": "firefox chrome chromium safari brave",
    "formatter": "ruff prettier gofmt rustfmt biome yapf",
    "linter": "ruff eslint flake8 pylint golangci clippy shellcheck biome",
    "type checker": "mypy pyright",
    "test framework": "pytest unittest jest vitest mocha rspec junit tox nox",
    "test runner": "pytest unittest jest vitest mocha rspec junit tox nox",
    "database": "postgres postgresql mysql mariadb sqlite mongodb redis duckdb",
    "cloud provider": "aws gcp azure hetzner cloudflare digitalocean",
    "operating system": "linux macos windows ubuntu debian fedora nixos",
    "programming language": "python rust typescript javascript java kotlin ruby golang swift php",
    "version control": "git jujutsu mercurial subversion",
    "container": "docker podman kubernetes",
    "keyboard layout": "qwerty dvorak colemak qwertz azerty",
    "messenger": "slack discord telegram signal whatsapp matrix",
}


def kinds_named(stems: Collection[str]) -> Iterator[str]:
    """The kinds whose name stands in a question, word by word."""
    in_question = set(stems)
    for kind, words in _stems_of_names().items():
        if words <= in_question:
            yield kind


@cache
def members(kind: str) -> frozenset[str]:
    """The stems of what is of a kind."""
    return _stems(KINDS[kind])


@cache
def _stems_of_names() -> dict[str, frozenset[str]]:
    return {kind: _stems(kind) for kind in KINDS}


def _stems(text: str) -> frozenset[str]:
    return frozenset(word.stem for word in read_words(text).pieces)
