"""How the code reads, counted: lines, functions, branches a line, vague names, tables kept from the formatter.

    python -m bench.readability [TREE...]      a tree is a checkout; this one where none is given

By package where one tree is given, in sum where there are several to compare.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from radon.complexity import cc_visit
from radon.visitors import Class, Function

VAGUE = frozenset(
    "one ones found told kept said some known shown given made done seen gone left wanted asked there these those other "
    "others all any own such thing things stuff data info tmp temp obj val res ret foo".split()
)
COLUMNS = (
    "modules",
    "lines",
    "functions",
    "over 15",
    "branches/line",
    "vague %",
    "fmt: skip",
)
ROOT = Path(__file__).parents[1]


def main() -> None:
    trees = [Path(word) for word in sys.argv[1:]] or [ROOT]
    print(f"{'':24}" + "".join(f"{name:>15}" for name in COLUMNS))
    if len(trees) > 1:
        for tree in trees:
            show(tree.resolve().name, count(tree.glob("src/**/*.py")))
        return
    packages = sorted(path for path in trees[0].glob("src/*/*") if path.name[0] != "_")
    for package in packages:
        files = package.rglob("*.py") if package.is_dir() else [package]
        if package.is_dir() or package.suffix == ".py":
            show("/".join(package.parts[-2:]), count(files))
    show("everything", count(trees[0].glob("src/**/*.py")))


def count(paths: Iterable[Path]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for path in paths:
        text = path.read_text(encoding="utf-8")
        counts["modules"] += 1
        counts["lines"] += text.count("\n")
        counts["fmt: skip"] += text.count("# fmt: skip")
        for function in functions(text):
            counts["functions"] += 1
            counts["branches"] += function.complexity
            counts["function lines"] += function.endline - function.lineno + 1
            counts["over 15"] += function.complexity > 15
        names = assigned_names(ast.walk(ast.parse(text)))
        counts["names"] += len(names)
        counts["vague"] += sum(name in VAGUE for name in names)
    return counts


def assigned_names(nodes: Iterable[ast.AST]) -> list[str]:
    """Every name that is assigned, and every argument."""
    names = []
    for node in nodes:
        if isinstance(node, ast.arg):
            names.append(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.append(node.id)
    return names


def functions(text: str) -> list[Function]:
    """Functions and methods; a class stands in the list beside its methods."""
    return [block for block in cc_visit(text) if not isinstance(block, Class)]


def show(name: str, counts: Counter[str]) -> None:
    cells = [
        f"{counts['modules']:,}",
        f"{counts['lines']:,}",
        f"{counts['functions']:,}",
        f"{counts['over 15']:,}",
        f"{counts['branches'] / max(counts['function lines'], 1):.2f}",
        f"{100 * counts['vague'] / max(counts['names'], 1):.1f}",
        f"{counts['fmt: skip']:,}",
    ]
    print(f"{name:24}" + "".join(f"{cell:>15}" for cell in cells))


if __name__ == "__main__":
    main()
