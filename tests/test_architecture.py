"""House rules, checked on every run: where code lives, what it may import, and what it must not do.

LAYERS is the map of the package. Data flows down it and imports point up it: a name may import only from lines above
its own, never from below, never from beside. Each rule lists what breaks it.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib import import_module

from house import MODULES, PACKAGE, ROOT, Module

LAYERS = """
errors registry
records folders home_folder loopback
config_file
config environment text
calls
llm sessions
stats
show
profile
sample
harvest
store
context warm connect memory
measure
experiment dataset
flows
api mcp web hooks
adapters
cli
hermes
__main__
"""
RANK = {
    name: rank for rank, line in enumerate(LAYERS.split("\n")) for name in line.split()
}
DOORS = sorted(path.parent for path in (PACKAGE / "flows").glob("*/__init__.py"))

READS_ENVIRONMENT = {"config.py", "environment.py", "home_folder.py"}
# Only to clean up: they raise again.
CATCHES_EVERYTHING = {
    "flows/local_processes.py",
    "flows/ray_cluster.py",
    "store/catalog.py",
}
# The one place where an error of one session becomes `Stumbled`; nothing is swallowed.
ISOLATES = {"flows/isolation.py"}
# Inside an agent nothing may fly out: it is noted in the log.
FAILS_OPEN = {"hooks/main.py", "hermes/guard.py"}
EMPTY_WORDS = set(
    "utils util helpers helper common misc manager service base core".split()
)
MAX_LINES = 400


def test_every_module_has_a_place_on_the_map():
    assert [module.name for module in MODULES if module.layer not in RANK] == []


def test_imports_point_up_the_map():
    wrong = [
        f"{place} imports {name}; pass the value in from a flow"
        for module in MODULES
        for place, name in module.imports
        if RANK.get(name.split(".")[1], -1) >= RANK[module.layer]
        if name.split(".")[1] != module.layer
    ]
    assert wrong == []


def test_imports_are_absolute():
    relative = [
        place
        for module in MODULES
        for place, name in module.imports
        if name.startswith(".")
    ]
    assert relative == []


def test_private_names_stay_in_their_package():
    private = [
        f"{place} imports {name}"
        for module in MODULES
        for place, name in module.imports
        if re.search(r"\._(?!_version__$)", name)
        if name.split(".")[1] != module.layer
    ]
    assert private == []


def test_what_lies_behind_a_door_is_imported_only_there():
    doors = {f"afterglow.flows.{door.name}": door for door in DOORS}
    wrong = []
    for module in MODULES:
        for place, name in module.imports:
            parts = name.split(".")
            door = doors.get(".".join(parts[:3]))
            if door is None or len(parts) < 4 or module.path.is_relative_to(door):
                continue
            if (door / f"{parts[3]}.py").exists():
                wrong.append(f"{place} imports {name}; ask the door for it")
    assert wrong == []


def test_a_door_offers_what_it_says():
    """Names for the type checker, names loaded on use, and modules that do not stand in their way."""
    for door in DOORS:
        package = import_module(f"afterglow.flows.{door.name}")
        listed = {
            (node.module.rsplit(".", 1)[1], alias.name)
            for node in Module(door / "__init__.py").nodes
            if isinstance(node, ast.ImportFrom) and "flows" in (node.module or "")
            for alias in node.names
        }
        for home, name in listed:
            value = getattr(import_module(f"{package.__name__}.{home}"), name)
            assert getattr(package, name) is value, f"{door.name}: {name}"
        modules = {path.stem for path in door.glob("*.py")}
        assert not modules & {name for _, name in listed}, door.name


def test_the_simulated_fleet_stays_beside_the_package():
    """Only the command that shows it knows it, and that command is loaded on use."""
    knows = [
        module.name
        for module in MODULES
        if re.search(r"^\s*(?:from|import) afterglow_demo\b", module.text, re.MULTILINE)
    ]
    assert knows == ["cli/demo.py"]
    code = (
        "import sys, afterglow.cli.main; "
        "sys.exit(any(name.split('.')[0] == 'afterglow_demo' for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_module_says_what_it_is_for():
    mute = [module.name for module in MODULES if not ast.get_docstring(module.tree)]
    assert mute == []


def test_modules_have_telling_names():
    empty = [
        module.name
        for module in MODULES
        if EMPTY_WORDS & set(re.split(r"[/_.]", module.name))
    ]
    assert empty == []


def test_modules_are_short_enough_to_have_one_topic():
    long = [module.name for module in MODULES if module.text.count("\n") > MAX_LINES]
    assert long == []


def test_the_environment_is_read_in_one_place():
    reading = [
        f"{module.at(node)}: take an argument"
        for module in MODULES
        if module.name not in READS_ENVIRONMENT
        for node in module.nodes
        if isinstance(node, ast.Attribute)
        if ast.unparse(node) in {"os.environ", "os.getenv", "Path.home"}
    ]
    assert reading == []


def test_only_the_command_line_prints():
    printing = [
        module.at(node)
        for module in MODULES
        if module.layer != "cli"
        for node in module.nodes
        if isinstance(node, ast.Call)
        if ast.unparse(node.func) in {"print", "click.echo"}
    ]
    assert printing == []


def catches_everything(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    caught = {ast.unparse(part) for part in ast.walk(handler.type)}
    return bool(caught & {"Exception", "BaseException"})


def may_catch_everything(module: Module, handler: ast.ExceptHandler) -> bool:
    last = handler.body[-1]
    if module.name in CATCHES_EVERYTHING:
        return isinstance(last, ast.Raise) and last.exc is None
    if module.name in ISOLATES:
        return "raise Stumbled(" in ast.unparse(last)
    return module.name in FAILS_OPEN


def test_errors_are_caught_by_name():
    nameless = [
        f"{module.at(node)}: name the error"
        for module in MODULES
        for node in module.nodes
        if isinstance(node, ast.ExceptHandler) and catches_everything(node)
        if not may_catch_everything(module, node)
    ]
    assert nameless == []


def test_tests_use_no_mocks_and_do_not_sleep():
    wrong = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Import | ast.ImportFrom | ast.Call):
                continue
            written, place = ast.unparse(node), f"{path.name}:{node.lineno}"
            if "mock" in written.split("(")[0].lower():
                wrong.append(f"{place}: ship a fake instead")
            if written.startswith(("time.sleep(", "sleep(")):
                wrong.append(f"{place}: wait for something, not for time")
            if "perf_counter(" in written or "process_time(" in written:
                wrong.append(f"{place}: speed lives in bench/")
    assert wrong == []


def test_the_map_in_the_readme_is_the_package():
    """Every folder and top module of the package is on the map, and nothing else is."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = text.split("## The map")[1].split("```")[1]
    named = set(re.findall(r"^ {4}(\w+)(?:/|\.py)", block, re.MULTILINE))
    there = {
        path.name.removesuffix(".py")
        for path in PACKAGE.iterdir()
        if (path.suffix == ".py" or path.is_dir()) and path.name[:2] != "__"
    }
    assert named == there


def test_every_command_is_in_the_guide():
    from afterglow.cli.main import COMMANDS

    guide = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "docs").glob("*.md"))
    assert [name for name in COMMANDS if f"afterglow {name}" not in guide] == []


def test_nothing_tells_where_it_was_made():
    """No path of a developer's machine, no download address."""
    tracked = [
        path
        for folder in "src tests docs bench dataset examples integrations".split()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix not in {".pyc", ".png"}
        if "out" not in path.parts
    ]
    tracked += [
        path for path in ROOT.iterdir() if path.is_file() and path.name != ".git"
    ]
    words = (
        "/" + "work/",
        "/" + "root/",
        "../" + "shared",
        "pypi" + ".org",
        "files.python" + "hosted",
    )
    telling = [
        path
        for path in tracked
        if any(
            word in path.read_text(encoding="utf-8", errors="replace") for word in words
        )
    ]
    assert telling == []
