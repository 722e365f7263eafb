"""Who typed a line under "user" of Claude Code, by the fields that its program writes beside the words.

Since 2.1 a prompt carries `promptSource` and `origin`, every line `entrypoint`. Older versions do not say; there, lines
that only the interactive program writes show that somebody sat in front of it.
"""

from __future__ import annotations

from msgspec import Struct

from afterglow.records.session import Voice

# What a person sends by pressing enter: at once, or while the agent was at work. What Claude suggested and a person
# accepted with a key ("suggestion_accepted") are Claude's words.
_TYPED = frozenset({"typed", "queued"})
_NOT_TYPED = frozenset({"system", "suggestion_accepted"})
# Programs in which a person types. Headless runs, SDKs, servers and actions are all others.
_WITH_PEOPLE = frozenset(
    """cli claude-vscode claude-jetbrains claude-desktop claude-desktop-3p remote remote_desktop remote_mobile ssh-remote
    """.split()
)
# Lines that only the interactive program writes: what it keeps for going back, how long a turn took on the screen, and
# the mode that shift+tab sets.
INTERACTIVE_LINES = frozenset({"file-history-snapshot", "permission-mode", "mode"})
INTERACTIVE_NOTICES = frozenset({"turn_duration", "local_command"})
REJECTED = (
    b'"User rejected tool use"'  # `toolUseResult` of a call that a person said no to
)


class Origin(Struct, gc=False):
    kind: str | None = None


def voice_of(
    prompt_source: str | None, origin: Origin | None, entrypoint: str | None
) -> Voice:
    """The most exact field decides: of the prompt, of what sent it, of the program."""
    if origin is not None and origin.kind not in (None, "human"):
        return "outside"
    if prompt_source in _TYPED:
        return "typed"
    if prompt_source in _NOT_TYPED:
        return "outside"
    if entrypoint:
        return "typed" if entrypoint in _WITH_PEOPLE else "outside"
    return "unstated" if prompt_source is None else "outside"
