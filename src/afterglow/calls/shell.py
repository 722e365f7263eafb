"""A shell line -> the typed commands it runs, in order, and which of them decided its end.

`parse` applies the shell's own precedence to the blocks the grammar gives: pipes bind
tighter than `&&` and `||`, these tighter than `;` and `&`. It follows `cd` through the line,
looks into `bash -lc "..."`, `ssh host '...'` and `$(...)`, and tells for each command
whether its failure makes the line fail (`decides`) and what can hide it (`hidden_by`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from afterglow.calls.command import (
    Anatomy,
    Assignment,
    Command,
    Word,
    Wrapper,
    anatomy,
    assignment,
    is_assignment,
    join,
)
from afterglow.calls.grammar import Block, Group, Simple, parse_tree
from afterglow.calls.precedence import gives_up, split_at
from afterglow.calls.programs import program_name
from afterglow.calls.wrappers import unwrap

# Characters of a line that are looked at. Longer lines are programs written into a
# here-document; what they run stands before it. Read 8,000 and a line costs at most ~2 ms.
MAX_LINE_CHARACTERS = 8_000
# Lines inside lines (`ssh a 'bash -lc "..."'`): nobody nests deeper on purpose.
MAX_NESTED_LINES = 4
# `-euxo`: nobody sets more options of a shell in one word.
MAX_OPTION_CHARACTERS = 6
CACHED_LINES = 4096  # agents repeat their lines; a harvest asks for each several times
# Blocks inside blocks, so that a line of a thousand brackets cannot exhaust the stack.
MAX_DEPTH = 60


class Line(Struct, frozen=True):
    """What a line runs. `whole` is false where it was cut or the grammar failed on it.

    `directory` is where its last cd leaves the shell; empty where it does not move.
    """

    commands: tuple[Command, ...] = ()
    exports: tuple[Assignment, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    whole: bool = True
    directory: str = ""

    @property
    def deciding(self) -> tuple[Command, ...]:
        """The commands whose failure makes the line fail."""
        return tuple(command for command in self.commands if command.decides)

    @property
    def hidden(self) -> tuple[Command, ...]:
        """The commands whose failure something in the line can hide."""
        return tuple(command for command in self.commands if command.hidden_by)


def parse(line: str) -> Line:
    """The commands of a line; never raises, whatever the line is."""
    return _parse(line[:MAX_LINE_CHARACTERS], len(line) <= MAX_LINE_CHARACTERS)


@lru_cache(maxsize=CACHED_LINES)
def _parse(line: str, whole: bool) -> Line:
    tree = parse_tree(line)
    run = _Run()
    run.block(tree.block, _Frame())
    return Line(
        commands=tuple(run.commands),
        exports=tuple(run.exports),
        assignments=tuple(run.assignments),
        whole=whole and tree.whole,
        directory=run.directory,
    )


class _Frame(Struct, frozen=True):
    """What holds for a stretch of a line: how it counts, and what it is inside of."""

    decides: bool = True
    hidden_by: str = ""
    after: str = ""
    then: str = ""
    place: tuple[str, ...] = ()
    wrappers: tuple[Wrapper, ...] = ()
    nested: int = 0
    depth: int = 0
    negated: bool = False
    directory: str = ""
    remote: bool = False

    def hide(self, by: str) -> _Frame:
        return replace(self, decides=False, hidden_by=by)

    def inside(self, place: str) -> _Frame:
        return replace(self, place=(*self.place, place), depth=self.depth + 1)


class _Run:
    """Goes through a line as the shell would, and keeps what a later command inherits."""

    def __init__(self) -> None:
        self.commands: list[Command] = []
        self.exports: list[Assignment] = []
        self.assignments: list[Assignment] = []
        self.directory = ""
        self.earlier_directory = ""
        self.stack: list[str] = []
        self.stops_on_error = False
        self.pipefail = False

    def block(self, block: Block, frame: _Frame) -> None:
        """Chains one after the other: all but the last are hidden by `;`, unless `set -e`."""
        if frame.depth > MAX_DEPTH:
            return
        chains = list(split_at(block, ";&"))
        if len(chains) == 1 and not chains[0][-1].operator:
            self._chain(chains[0], frame)
            return
        before = frame.after
        for chain in chains:
            is_last = chain is chains[-1]
            behind = chain[-1].operator
            inner, then = frame, behind
            if behind == "&":
                inner = frame.hide("&").inside("background")
            elif is_last:
                then = frame.then
            elif not self.stops_on_error:
                inner = frame.hide(";")
            self._chain(chain, replace(inner, after=before, then=then), is_last)
            before = behind

    def _chain(self, chain: Block, frame: _Frame, is_last_chain: bool = True) -> None:
        """Pipelines joined by `&&` and `||`."""
        pipelines = list(split_at(chain, ("&&", "||")))
        if len(pipelines) == 1:
            self._pipeline(chain, frame)
            return
        before = frame.after
        for index, pipeline in enumerate(pipelines):
            is_last = pipeline is pipelines[-1]
            inner = _in_chain(pipelines, index, frame)
            if inner is frame and not is_last and not is_last_chain:
                inner = frame.hide(";")  # `set -e` looks at the last of a chain only
            behind = pipeline[-1].operator
            then = frame.then if is_last else behind
            self._pipeline(pipeline, replace(inner, after=before, then=then))
            before = behind

    def _pipeline(self, pipeline: Block, frame: _Frame) -> None:
        if pipeline[0].item.negated:  # `! a | b` turns round how b ends
            frame = replace(frame, negated=not frame.negated)
        if len(pipeline) == 1:
            self._item(pipeline[0].item, frame)
            return
        directory = self.directory
        for index, part in enumerate(pipeline):
            is_last = index == len(pipeline) - 1
            inner = frame if is_last or self.pipefail else frame.hide("|")
            inner = replace(
                inner,
                after="|" if index else frame.after,
                then=frame.then if is_last else "|",
            )
            self._item(part.item, inner)
            self.directory = directory

    def _item(self, item: Simple | Group, frame: _Frame) -> None:
        if isinstance(item, Simple):
            self._simple(item, frame)
        else:
            self._group(item, frame)

    def _group(self, group: Group, frame: _Frame) -> None:
        if group.kind == "function":
            inner = frame.hide("function").inside("function")
            for body in group.bodies:
                self.block(body, inner)
            return
        count, directory = len(self.commands), self.directory
        self._conditions_and_bodies(group, frame)
        if group.kind == "subshell":
            self.directory = directory
        if len(self.commands) > count:
            self._redirect_last(group)

    def _conditions_and_bodies(self, group: Group, frame: _Frame) -> None:
        """What decides whether a group runs cannot fail the line; what a loop runs may be hidden by its last round."""
        place = _PLACES.get(group.kind)
        inner = frame.inside(place) if place else replace(frame, depth=frame.depth + 1)
        is_loop = group.kind == "loop"
        in_condition = inner.hide("while" if is_loop else "if")
        for condition in group.conditions:
            self.block(condition, in_condition)
        if is_loop and not frame.hidden_by:
            inner = replace(inner, hidden_by="loop")
        for body in group.bodies:
            self.block(body, inner)

    def _redirect_last(self, outer: Simple | Group) -> None:
        """What is redirected around several commands is so for the last of them."""
        if outer.redirections:
            last = self.commands[-1]
            both = (*last.redirections, *outer.redirections)
            self.commands[-1] = replace(last, redirections=both)

    def _simple(self, simple: Simple, frame: _Frame) -> None:
        self._substitutions(simple, frame)
        if not simple.words:
            self.assignments += simple.assignments
            return
        self._words(simple, simple.words, tuple(simple.assignments), frame)

    def _substitutions(self, simple: Simple, frame: _Frame) -> None:
        directory = self.directory
        for block in simple.substitutions:
            inner = frame.inside("substitution")
            if simple.words:
                inner = inner.hide("$(")
            self.block(block, replace(inner, after="", then=""))
            self.directory = directory

    def _words(
        self,
        simple: Simple,
        words: Sequence[Word],
        assignments: tuple[Assignment, ...],
        frame: _Frame,
    ) -> None:
        """Takes wrappers off until the command itself is left."""
        while unwrapped := unwrap(words, assignments):
            inner = replace(
                frame,
                wrappers=(*frame.wrappers, unwrapped.wrapper),
                directory=unwrapped.directory or frame.directory,
                remote=frame.remote or unwrapped.remote,
            )
            if unwrapped.line is not None:
                if self._nested(unwrapped.line, inner):
                    self._redirect_last(simple)
                    return
                break
            words, assignments, frame = unwrapped.words, (), inner
        self._command(simple, words, assignments, frame)

    def _nested(self, line: str, frame: _Frame) -> bool:
        """A line inside the line runs in a shell of its own; whether it held a command."""
        if frame.nested >= MAX_NESTED_LINES:
            return False
        count = len(self.commands)
        before = (self.directory, self.stops_on_error, self.pipefail, self.exports)
        self.exports = list(self.exports)
        self.directory = self._start(frame)
        flags = frame.wrappers[-1].words[1:]
        self.stops_on_error = any(_is_cluster_with(word, "e") for word in flags)
        self.pipefail = "pipefail" in flags
        depths = {"nested": frame.nested + 1, "depth": frame.depth + 1}
        self.block(
            parse_tree(line).block, replace(frame, directory="", remote=False, **depths)
        )
        if frame.wrappers[-1].program != "eval":  # eval runs in this very shell
            self.directory, self.stops_on_error, self.pipefail, self.exports = before
        return len(self.commands) > count

    def _start(self, frame: _Frame) -> str:
        """Where a wrapped command begins: its wrapper may go elsewhere, or be elsewhere."""
        here = "" if frame.remote else self.directory
        return join(here, frame.directory) if frame.directory else here

    def _command(
        self,
        simple: Simple,
        words: Sequence[Word],
        assignments: tuple[Assignment, ...],
        frame: _Frame,
    ) -> None:
        texts = tuple(word.text for word in words)
        name = program_name(texts[0])
        parts = anatomy(name, texts[1:])
        if name == "exit" and not frame.place:  # nothing behind it runs any more
            frame = replace(frame, decides=True, hidden_by="")
        here = self._start(frame)
        if parts.directory:
            here = join(here, parts.directory)
        self.commands.append(
            Command(
                program=name,
                words=texts,
                written=tuple(word.written for word in words),
                subcommand=parts.subcommand,
                flags=parts.flags,
                operands=parts.operands,
                assignments=assignments,
                wrappers=frame.wrappers,
                redirections=tuple(simple.redirections),
                directory=here,
                after=frame.after,
                then=frame.then,
                stdin=_stdin(simple, frame),
                place=frame.place,
                decides=frame.decides,
                hidden_by=frame.hidden_by,
                negated=frame.negated,
            )
        )
        if not frame.wrappers or name in _STATEFUL:
            self._remember(name, parts, words)

    def _remember(self, name: str, parts: Anatomy, words: Sequence[Word]) -> None:
        """What a command of the shell itself changes for those behind it."""
        if name in _GOING:
            self._change_directory(_goes_to(parts))
        elif name == "pushd":
            self.stack.append(self.directory)
            self._change_directory(_goes_to(parts))
        elif name == "popd":
            self._change_directory(self.stack.pop() if self.stack else "")
        elif name == "set":
            self._set_options([word.text for word in words[1:]])
        elif _is_export(name, words):
            self.exports += _set_in(words[1:])

    def _change_directory(self, path: str) -> None:
        here = self.directory
        self.directory = self.earlier_directory if path == "-" else join(here, path)
        self.earlier_directory = here

    def _set_options(self, words: list[str]) -> None:
        for word in words:
            if word == "pipefail":
                self.pipefail = True
            elif word in {"+e", "+euo"}:
                self.stops_on_error = False
            elif word == "errexit" or _is_cluster_with(word, "e"):
                self.stops_on_error = True


_PLACES = {"loop": "loop", "if": "condition", "subshell": "subshell"}
_STDIN = {"<<": "document", "<<-": "document", "<<<": "string", "<": "file"}
_GOING = frozenset({"cd", "chdir", "Set-Location"})
_DECLARING = frozenset({"declare", "typeset"})
_STATEFUL = frozenset({"cd", "export", "set", "pushd", "popd"})


def _goes_to(parts: Anatomy) -> str:
    """Where `cd` leads; without an operand it is home."""
    return parts.operands[0] if parts.operands else "~"


def _is_export(name: str, words: Sequence[Word]) -> bool:
    """`export A=1`, `declare -x A=1`."""
    if name == "export":
        return True
    if name not in _DECLARING:
        return False
    return any(_is_cluster_with(word.text, "x") for word in words[1:])


def _set_in(words: Sequence[Word]) -> list[Assignment]:
    return [assignment(*word) for word in words if is_assignment(word.text)]


def _is_cluster_with(word: str, letter: str) -> bool:
    """`-euo` holds `e`; a longer word is one flag."""
    if word[:1] != "-" or word[1:2] == "-":
        return False
    return len(word) <= MAX_OPTION_CHARACTERS and letter in word[1:]


def _in_chain(pipelines: list[Block], index: int, frame: _Frame) -> _Frame:
    """How a pipeline counts: a later `||` hides its failure, unless that gives up."""
    for place in range(index, len(pipelines) - 1):
        if pipelines[place][-1].operator != "||":
            continue
        if gives_up(pipelines[place + 1]):
            return replace(frame, decides=True, hidden_by="")
        return frame.hide("||")
    return frame


def _stdin(simple: Simple, frame: _Frame) -> str:
    """What a command reads: a document, a string or a file it is given, or a pipe."""
    for redirection in simple.redirections:
        if redirection.operator in _STDIN:
            return _STDIN[redirection.operator]
    return "pipe" if frame.after == "|" else ""
