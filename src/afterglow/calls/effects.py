"""What a command does: it looks, checks, changes files, prepares, installs, sends or publishes; and for what kind of work.

Both come from the table of programs first. Tasks and scripts of a project have no row: they
are told by the words of their names (`npm run lint:fix`, `./scripts/deploy.sh`).
"""

from __future__ import annotations

import re
from functools import lru_cache

from afterglow.calls.command import Command, Redirection
from afterglow.calls.programs import Program, Subcommand, program, table

# Words that tell what a task is for, asked in this order.
KINDS: dict[str, frozenset[str]] = {
    name: frozenset(words.split())
    for name, words in {
        "ci": "checks workflow ci-status",
        "format": "fmt format formatting gofmt gofumpt prettier black rustfmt isort",
        "lint": "lint linter eslint golangci ruff clippy flake8 pylint shellcheck vet stylelint rubocop tflint biome fix",
        "typecheck": "mypy tsc typecheck pyright",
        "test": "test tests pytest jest vitest spec e2e tox nox rspec phpunit ctest cypress playwright bats unittest",
        "generate": "generate gen codegen protoc buf fixtures docs",
        "migrate": "migrate migration migrations alembic",
        "release": "release goreleaser publish deploy",
        "infra": "terraform kubectl helm ansible plan apply",
        "build": "build compile package bundle assemble",
        "deps": "install add sync tidy deps lock restore bootstrap setup ci",
        "check": "check verify validate",
        "review": "gh glab pr issue mr",
        "run": "run start dev serve up compose exec",
    }.items()
}  # fmt: skip
EFFECT_OF_KIND = {
    "test": "checks", "lint": "checks", "typecheck": "checks", "check": "checks",
    "format": "changes", "generate": "prepares", "migrate": "prepares", "build": "prepares",
    "deps": "installs", "release": "publishes",
}  # fmt: skip

CACHED = 4096  # commands: each is asked about by several readers of its session

RUNS_SCRIPTS = frozenset({"interpreter", "shell"})
PRINTING_FAMILIES = frozenset({"viewer", "filter", "talk"})
EVERYDAY_FAMILIES = frozenset({"viewer", "filter", "talk", "setup", "pause", "files"})
_SPLIT = re.compile(r"[\W_]+")
# Programs whose -h is another flag: a host, sizes for people, hidden names.
_OTHER_H = frozenset({"psql", "mysql", "ls", "grep", "du", "df", "sort"})
_HELP_FLAGS = frozenset({"--help", "--version"})
_HELP_SUBCOMMANDS = frozenset({("help",), ("version",)})
_RUN_WORDS = frozenset({"run", "exec", "x", "run-script", "task", "tasks", "r"})
_FIXING = frozenset(
    {"--fix", "--write", "-w", "--in-place", "--apply", "--unsafe-fixes"}
)
_ONLY_CHECKING = frozenset(
    {"--check", "--dry-run", "--list-different", "-l", "-d", "--diff", "--verify"}
)
_SENDING = frozenset(
    "-d --data --data-raw --data-binary --data-urlencode --json -F --form -T --upload-file "
    "--post-data --field --raw-field --input".split()
)
_TWO_MODES = frozenset({"lint", "format", "check"})
_IN_PLACE = frozenset({"sed", "gsed", "perl"})
_CLIENTS = frozenset({"curl", "wget", "http", "https", "xh"})
_APIS = frozenset({"gh api", "glab api"})
_QUERIES = frozenset({"gh api graphql", "glab api graphql"})
_GETTING = frozenset({"GET", "HEAD", "OPTIONS"})
_WRITING = frozenset({">", ">>", ">|", "&>", "&>>"})
_NOWHERE = frozenset(
    {"/dev/null", "/dev/stderr", "/dev/stdout", "/dev/tty", "NUL", "$null"}
)


@lru_cache(maxsize=CACHED)
def effects_of(command: Command) -> frozenset[str]:
    """What a command does; empty where nobody can tell (`python x.py`, an unknown program)."""
    effect = _effect(command)
    if not writes_file(command):
        return frozenset({effect}) if effect else frozenset()
    if effect in {"", "looks"}:
        return frozenset({"changes"})
    return frozenset({effect, "changes"})


def _effect(command: Command) -> str:
    if asks_for_help(command):
        return "looks"
    if _changes_in_place(command):
        return "changes"
    row, subcommand = rows_of(command)
    effect = (subcommand.does if subcommand else "") or row.does
    if effect == "looks":
        return "sends" if _sends(command) else "looks"
    kind = kind_of_work(command)
    if not effect:
        effect = EFFECT_OF_KIND.get(kind, "")
    return _by_mode(command, effect) if kind in _TWO_MODES else effect


def _changes_in_place(command: Command) -> bool:
    """Programs that look, until a flag makes them change what they find."""
    if command.program == "find":
        return _finds_to_change(command)
    return command.program in _IN_PLACE and command.has("-i")


def _by_mode(command: Command, effect: str) -> str:
    """Linters and formatters either check or change. Behind `--` stand the flags of what a task runs."""
    handed_on = {*command.operands}
    if command.has(*_FIXING) or _FIXING & handed_on or _is_fixing_task(command):
        return "changes"
    is_checking = command.has(*_ONLY_CHECKING) or _ONLY_CHECKING & handed_on
    return "checks" if is_checking else effect


def rows_of(command: Command) -> tuple[Program, Subcommand | None]:
    """What the table knows of a command; of `python -m x` that is what it knows of x."""
    row, words = program(command.program), command.subcommand
    if words[:1] == ("-m",):
        row, words = program(words[1]), words[2:]
    return row, row.subcommand(words)


def _sends(command: Command) -> bool:
    """`curl -X POST`, `gh api -f body=...`: a look that is none."""
    if command.name in _QUERIES:
        return any("mutation" in (flag.value or "") for flag in command.flags)
    is_api = command.name in _APIS
    if not is_api and command.program not in _CLIENTS:
        return False
    method = command.value("-X", "--request", "--method")
    if method:
        return method.upper() not in _GETTING
    if command.subcommand == ("api",) and command.has("-f"):
        return True
    return command.has(*_SENDING)


def _finds_to_change(command: Command) -> bool:
    """`find -delete`, `find -exec rm {} +`."""
    if not command.has("-exec", "-execdir", "-ok"):
        return command.has("-delete")
    return any(program(word).does == "changes" for word in command.operands)


def _is_fixing_task(command: Command) -> bool:
    return any("fix" in _SPLIT.split(word) for word in command.subcommand)


def prints_files(command: Command) -> bool:
    """Prints files, or lines of them, as they are: nothing of its own stands before a line."""
    row = program(command.program)
    if row.family == "filter":
        return row.does == "looks" and not edits_files(command)
    return row.family == "viewer" and row.trims and not row.answers


def asks_for_help(command: Command) -> bool:
    """`--help`, `-h`, `help`: nothing is done."""
    if command.subcommand in _HELP_SUBCOMMANDS or command.has(*_HELP_FLAGS):
        return True
    if command.program in _OTHER_H:
        return False
    return any(flag.name == "-h" and flag.value is None for flag in command.flags)


def writes_file(command: Command) -> bool:
    """Sends what it prints into a file."""
    return any(map(_is_written_file, command.redirections))


def written_files(command: Command) -> frozenset[str]:
    """The files that it prints into, or edits in their place."""
    files = {item.target for item in filter(_is_written_file, command.redirections)}
    if command.program in _IN_PLACE and command.has("-i"):
        files.update(command.operands[-1:])
    return frozenset(files)


def _is_written_file(redirection: Redirection) -> bool:
    if redirection.operator not in _WRITING:
        return False
    return redirection.target not in _NOWHERE and redirection.target[:1] != "&"


def only_shows(command: Command) -> bool:
    """Prints what it is given or finds, whatever that says: cat, grep, echo."""
    return program(command.program).family in PRINTING_FAMILIES


@lru_cache(maxsize=CACHED)
def edits_files(command: Command) -> bool:
    """Changes what stands in files, as an editor would: writes, moves, patches or puts them back."""
    edits = program(command.program).edits
    subcommand = " ".join(command.subcommand)
    if edits & {"always", subcommand, subcommand.partition(" ")[0]}:
        return True
    return command.has(*edits) or writes_file(command)


def edits_text(command: Command) -> bool:
    """Does with one file what an editor does: `sed -i`, `apply_patch`, `cat > notes.md <<EOF`."""
    if command.program in _IN_PLACE and command.has("-i"):
        return True
    if command.program in {"apply_patch", "patch"}:
        return True
    is_given_text = any(item.body for item in command.redirections)
    return is_given_text and command.program in {"cat", "tee"}


@lru_cache(maxsize=CACHED)
def kind_of_work(command: Command) -> str:
    """test, lint, build, ...: what the command is for; `script` or `other` where unknown."""
    row, subcommand = rows_of(command)
    if subcommand and subcommand.kind:
        return subcommand.kind
    if row.family in EVERYDAY_FAMILIES:
        return "other"
    if row.kind and row.family != "runner":
        return _kind_by_subcommand(row, subcommand)
    kind = _kind_by_names(_telling_names(command, row))
    if kind:
        return kind
    is_task = row.family == "runner" or _is_script(command)
    return "script" if is_task else "other"


def _kind_by_names(names: list[str]) -> str:
    """The first kind of the table of which a word stands in the names; empty if none does."""
    parts: set[str] = set()
    for name in names:
        parts.update(_SPLIT.split(name.lower()))
    for kind, words in KINDS.items():
        if not parts.isdisjoint(words):
            return kind
    return ""


def _telling_names(command: Command, row: Program) -> list[str]:
    """The names that say what a task is for: of the task, of the script, of the program."""
    names = [word for word in command.subcommand if word != "-m"]
    if row.family == "runner":
        return [word for word in names if word not in _RUN_WORDS]
    if not row.depth:
        names.append(command.program)
    first_operand = command.operands[:1]
    if command.program not in table():  # what it is given may be a task by its name
        names += first_operand
    if _is_script(command):
        names += [word.replace("\\", "/").rsplit("/", 1)[-1] for word in first_operand]
    return names


def _is_script(command: Command) -> bool:
    """A file that is run: by its path, or by an interpreter."""
    if program(command.program).family in RUNS_SCRIPTS:
        reads_file = command.operands[:1] not in {(), ("-",)}
        return reads_file and not command.subcommand
    return "/" in command.words[0] and command.program not in table()


def _kind_by_subcommand(row: Program, subcommand: Subcommand | None) -> str:
    """A test tool that installs its browsers does not test."""
    does = subcommand.does if subcommand else ""
    if does == "installs":
        return "deps"
    if does == "publishes" and row.kind == "build":
        return "release"
    return row.kind


def is_answer(command: Command, code: int) -> bool:
    """Whether this exit code of the command is an answer and not a failure."""
    row = program(command.program)
    subcommand = row.subcommand(command.subcommand)
    if subcommand and subcommand.answers:
        return code in subcommand.answers
    if command.negated and code == 1:
        return True
    return code in row.answers
