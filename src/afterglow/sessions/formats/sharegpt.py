"""sharegpt."""

NAME = "sharegpt"


def sniff(path, head):
    return False
