"""gemini-cli."""

NAME = "gemini-cli"


def sniff(path, head):
    return False
