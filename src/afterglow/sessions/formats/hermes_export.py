"""hermes-export."""

NAME = "hermes-export"


def sniff(path, head):
    return False
