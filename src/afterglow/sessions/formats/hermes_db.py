"""hermes-db."""

NAME = "hermes-db"


def sniff(path, head):
    return False
