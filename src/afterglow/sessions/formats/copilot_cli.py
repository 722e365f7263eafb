"""copilot-cli."""

NAME = "copilot-cli"


def sniff(path, head):
    return False
