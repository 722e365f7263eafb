"""who-when."""

NAME = "who-when"


def sniff(path, head):
    return False
