"""What agents read by themselves before a session begins: the instruction files of a checkout and of its person.

Our own block in such a file is left out: what stands there is what we told.
"""

from __future__ import annotations

from pathlib import Path

from afterglow.connect.block import take_out
from afterglow.errors import ConfigError

MAX_BYTES = 200_000  # beyond it, a file is no instruction that anybody reads

# By agent, in the folders from the checkout down to where it works, and in its person's home.
_OF_FOLDER = {
    "claude-code": ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md"),
    "codex": ("AGENTS.override.md", "AGENTS.md"),
    "gemini-cli": ("GEMINI.md",),
    "opencode": ("AGENTS.md",),
}
_OF_PERSON = {
    "claude-code": (".claude/CLAUDE.md",),
    "codex": (".codex/AGENTS.md",),
    "gemini-cli": (".gemini/GEMINI.md",),
    "opencode": (".config/opencode/AGENTS.md",),
}
OF_ANY_AGENT = ("AGENTS.md", "CLAUDE.md")
_OWN_NOTES = ".claude/projects/{slug}/memory/MEMORY.md"  # that Claude Code reads too


def files_read(agent: str, root: Path, folder: Path, user_home: Path) -> dict[str, str]:
    """What stands in each file that is there, by its path as a person would say it."""
    below = [each for each in (folder, *folder.parents) if each.is_relative_to(root)]
    names = _OF_FOLDER.get(agent, OF_ANY_AGENT)
    texts = {
        str((each / name).relative_to(root)): instruction_text(each / name)
        for each in reversed(below)
        for name in names
    }
    of_person = list(_OF_PERSON.get(agent, ()))
    if agent == "claude-code":
        of_person.append(_OWN_NOTES.format(slug=str(root).replace("/", "-")))
    texts |= {f"~/{name}": instruction_text(user_home / name) for name in of_person}
    return {name: text for name, text in texts.items() if text}


def instruction_text(path: Path) -> str:
    """What a person wrote into a file; empty where there is none."""
    try:
        if path.stat().st_size > MAX_BYTES:
            return ""
        content = path.read_bytes()
        return take_out(content, str(path)).decode("utf-8", "replace")
    except (OSError, ConfigError):
        return ""
