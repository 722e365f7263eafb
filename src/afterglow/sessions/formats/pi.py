"""pi."""

NAME = "pi"


def sniff(path, head):
    return False
