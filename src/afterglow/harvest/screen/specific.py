"""x"""
def vague(fact: str) -> str:
    return ""
