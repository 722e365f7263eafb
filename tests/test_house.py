"""House rules about how code reads: names that say something, functions that can be held in mind, one table of programs.

Debts are written down here and only shrink: where a number has become smaller, the test asks for the smaller number.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter

from bench.readability import VAGUE, assigned_names, functions

from afterglow.calls.programs import table
from house import EVERYTHING, MODULES

VAGUE_SHARE = 0.02
# Vague names still assigned, by folder; what is not listed has none. The list only shrinks.
VAGUE_NAMES: dict[str, int] = {
    "flows": 7,
    "harvest": 2,
    "llm": 8,
    "mcp": 1,
    "measure": 1,
    "records": 14,
    "registry": 1,
    "sessions": 4,
    "store": 42,
    "text": 11,
}

COMPLEX = 15

# Programs named for another reason than to say what they are.
NAMES_PROGRAMS = {
    "text/redact/commands.py",  # where a command line carries a secret
    "harvest/screen/cues_actions.py",  # words of an order, written in prose
    "memory/local/kinds.py",  # what people ask for in prose: browsers and layouts, too
}
MANY_PROGRAMS = 5


def test_names_say_what_is_in_them():
    total = 0
    vague: Counter[str] = Counter()
    for module in EVERYTHING:
        names = assigned_names(module.nodes)
        total += len(names)
        vague[module.layer] += sum(name in VAGUE for name in names)
    assert vague.total() <= VAGUE_SHARE * total
    still = {folder: count for folder, count in sorted(vague.items()) if count}
    assert still == VAGUE_NAMES, "say what is inside, or lower the number"


def test_functions_can_be_held_in_mind():
    complex_functions = [
        f"{module.name}:{function.lineno} {function.name} has {function.complexity}"
        for module in EVERYTHING
        for function in functions(module.text)
        if function.complexity > COMPLEX
    ]
    assert complex_functions == [], "take it apart into steps with names"


def rows(node: ast.AST) -> int:
    """The most rows of any list, set, tuple or dict in it."""
    sizes = [
        len(part.keys if isinstance(part, ast.Dict) else part.elts)
        for part in ast.walk(node)
        if isinstance(part, ast.Dict | ast.List | ast.Set | ast.Tuple)
    ]
    return max(sizes, default=0)


def is_table(node: ast.AST) -> bool:
    """A literal of several rows that gets a name: data that reads as a table."""
    return isinstance(node, ast.Assign | ast.AnnAssign) and rows(node) >= 4


def test_only_tables_are_formatted_by_hand():
    wrong = []
    for module in EVERYTHING:
        if "fmt: skip" not in module.text:
            continue
        tables = {node.end_lineno for node in module.nodes if is_table(node)}
        tokens = tokenize.generate_tokens(io.StringIO(module.text).readline)
        wrong += [
            f"{module.name}:{token.start[0]}"
            for token in tokens
            if token.type == tokenize.COMMENT and "fmt: skip" in token.string
            if token.start[0] not in tables
        ]
    assert wrong == []


def listed_words(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.split(r"[\s,|]+", node.value.strip())
    if isinstance(node, ast.List | ast.Set | ast.Tuple):
        return [
            item.value
            for item in node.elts
            if isinstance(item, ast.Constant) and isinstance(item.value, str)
        ]
    return []


def test_programs_are_listed_in_one_table():
    """Which programs there are and what they are like stands in calls/programs.toml, and nowhere else."""
    programs = table()
    wrong = []
    for module in MODULES:
        if module.layer == "calls" or module.name in NAMES_PROGRAMS:
            continue
        for node in module.nodes:
            words = listed_words(node)
            listed = [word for word in words if word in programs]
            if len(listed) >= MANY_PROGRAMS and len(listed) >= 0.7 * len(words):
                wrong.append(f"{module.at(node)} {' '.join(listed[:6])}")
    assert wrong == []
