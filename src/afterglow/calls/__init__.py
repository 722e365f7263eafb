"""What a call did: the one reader of shell lines and tool arguments.

Every later stage asks the same questions of a call: which program, which file, what was it
after, which command of the line failed, what did a pipe hide. They are answered here, once:

    action = read("Bash", '{"command": "cd web && timeout 60 pnpm --filter api test | tail"}')
    action.goal                  # "pnpm test"
    action.main.wrappers         # timeout 60
    action.main.directory        # "web"
    action.main.hidden_by        # "|": exit 0 of this line says nothing about the tests
    action.effects               # {"checks"}

A table of programs (`programs.toml`) says what is known about programs; a real grammar takes
lines apart (`grammar`, `shell`, `wrappers`, `command`); `arguments` knows what agents call
things; `line_names` says what a line is about; `action` puts it together. `state` follows
the shell through a session, `difference` says what changed between two commands, `learned`
finds the sub-commands of unknown programs, `inner` opens tools that carry calls inside.
Nothing here raises on what an agent wrote.
"""

from __future__ import annotations

from afterglow.calls.action import (
    Action,
    Target,
    is_shell_call,
    is_shell_tool,
    read,
    shape_of,
)
from afterglow.calls.arguments import (
    FILE_KEYS,
    Arguments,
    Edit,
    decode,
    edits,
    readable_arguments,
    shell_line,
    target_key,
    whole_file,
)
from afterglow.calls.command import (
    Assignment,
    Command,
    Flag,
    Redirection,
    Wrapper,
    join,
)
from afterglow.calls.difference import (
    Change,
    Hunk,
    brief,
    changes,
    compared_words,
    hunks,
    line_changes,
    shared_numbers,
    steady,
)
from afterglow.calls.effects import (
    asks_for_help,
    edits_files,
    effects_of,
    is_answer,
    kind_of_work,
    only_shows,
    prints_files,
    writes_file,
    written_files,
)
from afterglow.calls.inner import (
    InnerCall,
    InnerResult,
    inner_calls,
    inner_results,
)
from afterglow.calls.learned import Learned, learn
from afterglow.calls.line_names import (
    as_run,
    commands_in,
    core_line,
    full_line,
    goal_in,
    goal_of_command,
    lasting_name,
    main_command,
    named,
    working_commands,
)
from afterglow.calls.patterns import (
    Pattern,
    is_everyday,
    is_own,
    pattern_of,
    project_pattern,
    shape_of_command,
)
from afterglow.calls.programs import Program, program, program_name
from afterglow.calls.shell import Line, parse
from afterglow.calls.state import Shell, Standing
from afterglow.calls.writing import bare, command_of, quote, write

__all__ = [
    "FILE_KEYS",
    "Action",
    "Arguments",
    "Assignment",
    "Change",
    "Command",
    "Edit",
    "Flag",
    "Hunk",
    "InnerCall",
    "InnerResult",
    "Learned",
    "Line",
    "Pattern",
    "Program",
    "Redirection",
    "Shell",
    "Standing",
    "Target",
    "Wrapper",
    "as_run",
    "asks_for_help",
    "bare",
    "brief",
    "changes",
    "command_of",
    "commands_in",
    "compared_words",
    "core_line",
    "decode",
    "edits",
    "edits_files",
    "effects_of",
    "full_line",
    "goal_in",
    "goal_of_command",
    "hunks",
    "inner_calls",
    "inner_results",
    "is_answer",
    "is_everyday",
    "is_own",
    "is_shell_call",
    "is_shell_tool",
    "join",
    "kind_of_work",
    "lasting_name",
    "learn",
    "line_changes",
    "main_command",
    "named",
    "only_shows",
    "parse",
    "pattern_of",
    "prints_files",
    "program",
    "program_name",
    "project_pattern",
    "quote",
    "read",
    "readable_arguments",
    "shape_of",
    "shape_of_command",
    "shared_numbers",
    "shell_line",
    "steady",
    "target_key",
    "whole_file",
    "working_commands",
    "write",
    "writes_file",
    "written_files",
]
