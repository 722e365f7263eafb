"""hermes-json."""

NAME = "hermes-json"


def sniff(path, head):
    return False
