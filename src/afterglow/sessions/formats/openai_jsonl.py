"""openai-jsonl."""

NAME = "openai-jsonl"


def sniff(path, head):
    return False
