"""codex."""

NAME = "codex"


def sniff(path, head):
    return False
