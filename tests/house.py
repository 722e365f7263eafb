"""The package as the house rules look at it: every module parsed once."""

from __future__ import annotations

import ast
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src"
PACKAGE = SOURCES / "afterglow"


class Module:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.relative_to(SOURCES).as_posix().removeprefix("afterglow/")

    @property
    def layer(self) -> str:
        return self.name.split("/")[0].removesuffix(".py")

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    def at(self, node: ast.AST) -> str:
        return f"{self.name}:{getattr(node, 'lineno', 1)}"

    @cached_property
    def imports(self) -> list[tuple[str, str]]:
        """Where a name of our own is imported, and its whole name."""
        names = []
        for node in self.nodes:
            if isinstance(node, ast.Import):
                names += [(self.at(node), alias.name) for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                home = "." * node.level + (node.module or "")
                names += [
                    (self.at(node), f"{home}.{alias.name}") for alias in node.names
                ]
        return [
            (place, name)
            for place, name in names
            if name.startswith(("afterglow.", "."))
        ]


FLEET = [Module(path) for path in sorted((SOURCES / "afterglow_demo").rglob("*.py"))]
MODULES = [
    Module(path)
    for path in sorted(PACKAGE.rglob("*.py"))
    if path != PACKAGE / "__init__.py"
]
EVERYTHING = [*MODULES, *FLEET]
