"""docs/adapters.md: its code is Python, and what it imports from us is there; the adapted packages need not be."""

from __future__ import annotations

import ast
import re

from house import PACKAGE, ROOT

PAGE = (ROOT / "docs/adapters.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```py\n(.*?)```", PAGE, re.DOTALL)
MODULES = {path.stem for path in (PACKAGE / "adapters").glob("*.py")}
SHARED = {"__init__", "mini_swe_task", "prompts"}  # no adapters


def defined(module: str) -> set[str]:
    text = (PACKAGE / "adapters" / f"{module}.py").read_text(encoding="utf-8")
    kinds = ast.FunctionDef | ast.ClassDef
    return {node.name for node in ast.parse(text).body if isinstance(node, kinds)}


def test_the_code_of_the_page_imports_what_is_there():
    assert len(BLOCKS) >= 5
    for block in BLOCKS:
        for node in ast.walk(ast.parse(block, type_comments=False)):
            if isinstance(node, ast.ImportFrom) and "adapters" in str(node.module):
                module = str(node.module).rpartition(".")[2]
                assert {alias.name for alias in node.names} <= defined(module)


def test_every_adapter_and_its_example_stand_on_the_page():
    for module in MODULES - SHARED:
        assert f"examples/warm_{module}.py" in PAGE
        assert (ROOT / "examples" / f"warm_{module}.py").exists()
    classes = re.findall(r"afterglow\.adapters\.(\w+)\.(\w+)", PAGE)
    assert classes
    assert all(name in defined(module) for module, name in classes)


def test_importing_an_adapter_of_plain_messages_needs_no_package():
    """An install without extras has neither `openai` nor `anthropic`."""
    for module in ("openai_messages", "anthropic_messages", "prompts"):
        text = (PACKAGE / "adapters" / f"{module}.py").read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom):
                assert str(node.module).partition(".")[0] in {
                    "__future__",
                    "afterglow",
                    "collections",
                    "typing",
                }
