"""A shell line -> blocks of simple commands and groups, by the grammar of tree-sitter-bash.

The grammar knows words, quotes, substitutions and here-documents, but nests operators as it
meets them (`a | b || c` becomes a pipe that holds a list). So its tree is laid flat here: a
block is a list of items with the operator behind each, and precedence is applied later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import tree_sitter_bash
from msgspec import Struct
from tree_sitter import Language, Node, Parser

from afterglow.calls.command import Assignment, Redirection, Word, assignment
from afterglow.calls.unquoting import unescaped, unescaped_ansi, unescaped_string

OPERATORS = {
    "&&": "&&", "||": "||", ";": ";", "\n": ";", ";;": ";", "&": "&", "|": "|", "|&": "|",
}  # fmt: skip

LAST_NARROW_CHARACTER = "\u00ff"  # the last that the scanner's table of 256 holds
_WIDE = re.compile(rf"[^\0-{LAST_NARROW_CHARACTER}]")
_HEREDOC = re.compile(r"<<-?[ \t]*\\?(['\"]?)([A-Za-z_]\w*)\1")
_LOOPS = frozenset(
    {"for_statement", "c_style_for_statement", "while_statement", "until_statement"}
)
_SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})
_REDIRECTS = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
# Nodes that only hold others; what the grammar could not take is read as far as it goes.
_TRANSPARENT = frozenset({"list", "pipeline", "ERROR"})
_BEHIND_HEREDOC = frozenset({*OPERATORS, "command", "pipeline", "list"})


class Simple(Struct):
    """A command, or assignments without one. `substitutions` run before it does."""

    words: list[Word] = []
    assignments: list[Assignment] = []
    redirections: list[Redirection] = []
    substitutions: list[Block] = []
    negated: bool = False


class Group(Struct):
    """Blocks that run under a condition: kind is subshell, group, loop, if or function."""

    kind: str
    conditions: list[Block] = []
    bodies: list[Block] = []
    redirections: list[Redirection] = []
    negated: bool = False


class Part(Struct):
    """An item of a block and the operator behind it."""

    item: Simple | Group
    operator: str = ""


Block = list[Part]


class Tree(NamedTuple):
    """A line that was read; not `whole` where the grammar could not take all of it."""

    block: Block
    whole: bool


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


def parse_tree(line: str) -> Tree:
    """The blocks of a line; of one that breaks off, what can be read of it."""
    tree = _tree(line)
    if tree.whole:
        return tree
    for ending in _endings(line):
        mended = _tree(line + ending)
        if mended.whole:
            return Tree(mended.block, False)
    return tree


def _tree(line: str) -> Tree:
    source = line.encode("utf-8", "surrogatepass")
    root = _parser().parse(_harmless(line, source)).root_node
    try:
        return Tree(_Layout(line, source).block(root), not root.has_error)
    except RecursionError:  # hundreds of brackets in brackets: nobody wrote that
        return Tree([], False)


def _harmless(line: str, source: bytes) -> bytes:
    """The same number of bytes with letters in place of every character beyond Latin-1.

    The grammar's own scanner looks characters up in a table of 256 without asking how large they are: what it
    reads there is chance, and for an emoji behind a brace the process dies (tree-sitter-bash issue 337).
    """
    if len(line) == len(source) or max(line) <= LAST_NARROW_CHARACTER:
        return source
    return _WIDE.sub(_letters, line).encode()


def _letters(match: re.Match[str]) -> str:
    size = len(match[0].encode("utf-8", "surrogatepass"))
    return {2: "é", 3: "éa", 4: "éé"}[size]


def _endings(line: str) -> Iterator[str]:
    """What may be missing at the end of a line that was cut off."""
    if heredoc := _HEREDOC.search(line):
        yield f"\n{heredoc[2]}\n"
    for quote in ("'", '"'):
        if line.count(quote) % 2:
            yield quote
            yield f'{quote})"' if quote == "'" else f"{quote})"
    yield from (" :", ")", "; done", "; fi")


class _Layout:
    """Lays the grammar's tree flat. One object per line, because a node knows only bytes."""

    def __init__(self, line: str, source: bytes) -> None:
        self.line, self.source = line, source
        self.is_ascii = len(line) == len(source)
        self.has_substitutions = any(sign in line for sign in ("$(", "`", "<(", ">("))

    def text(self, node: Node) -> str:
        if self.is_ascii:
            return self.line[node.start_byte : node.end_byte]
        cut = self.source[node.start_byte : node.end_byte]
        return cut.decode("utf-8", "surrogatepass")

    def block(self, node: Node) -> Block:
        block: Block = []
        self._add_children(block, node)
        return block

    def _add(self, block: Block, node: Node) -> None:
        """Adds what a node stands for; the frequent kinds are asked for first."""
        kind = node.type
        if kind == "command":
            _append(block, self._command(node))
        elif kind in OPERATORS:
            if block:
                block[-1].operator = OPERATORS[kind]
        elif kind in _TRANSPARENT:
            self._add_children(block, node)
        elif kind == "redirected_statement":
            self._add_redirected(block, node)
        elif kind in _REDIRECTS:
            self._add_redirect(block, node)
        elif node.is_named:
            self._add_other(block, node, kind)

    def _add_children(self, block: Block, node: Node) -> None:
        for child in node.children:
            self._add(block, child)

    def _add_other(self, block: Block, node: Node, kind: str) -> None:
        if kind == "negated_command":
            self._add_negated(block, node)
            return
        item = self._simple(node, kind) or self._group(node, kind)
        if item is not None:
            _append(block, item)

    def _add_negated(self, block: Block, node: Node) -> None:
        start = len(block)
        self._add_children(block, node)
        for part in block[start:]:
            part.item.negated = not part.item.negated

    def _simple(self, node: Node, kind: str) -> Simple | None:
        """Commands that the grammar has a name of its own for."""
        if kind in {"variable_assignment", "variable_assignments"}:
            return self._assignments(node)
        if kind in {"declaration_command", "unset_command"}:
            simple = _new_simple()
            for child in node.children:
                self._take_word(child, simple)
            return simple
        if kind == "test_command" or self._is_arithmetic(node, kind):
            return self._bare_words(node)
        return None

    def _is_arithmetic(self, node: Node, kind: str) -> bool:
        return kind == "compound_statement" and self.text(node)[:2] == "(("

    def _group(self, node: Node, kind: str) -> Group | None:
        if kind == "subshell":
            return Group("subshell", [], [self.block(node)], [])
        if kind in {"compound_statement", "do_group"}:
            return Group("group", [], [self.block(node)], [])
        if kind in _LOOPS:
            return self._loop(node)
        if kind in {"if_statement", "case_statement"}:
            return self._choice(node)
        if kind == "function_definition":
            bodies = [self.block(child) for child in node.named_children[1:]]
            return Group("function", [], bodies, [])
        return None

    def _add_redirected(self, block: Block, node: Node) -> None:
        """`a && b > f`: the grammar puts the redirection around both, the shell behind b."""
        if node.children and node.children[0].type in _REDIRECTS:
            _append(block, _new_simple())
        self._add_children(block, node)

    def _add_redirect(self, block: Block, node: Node) -> None:
        if not block:
            return
        part = block[-1]
        is_heredoc = node.type == "heredoc_redirect"
        if is_heredoc and isinstance(part.item, Simple):
            self._add_lost_dash(part.item, node)
        if not part.operator:
            part.item.redirections.append(self._redirection(node))
        if is_heredoc:
            self._add_behind_heredoc(block, node)

    def _add_behind_heredoc(self, block: Block, node: Node) -> None:
        """What follows `<<EOF` on its line is inside it: redirections first, then commands."""
        for child in node.named_children:
            if child.type in _REDIRECTS:
                self._add_redirect(block, child)
        for child in node.children:
            if child.type in _BEHIND_HEREDOC:
                self._add(block, child)

    def _add_lost_dash(self, simple: Simple, node: Node) -> None:
        """The grammar loses the `-` of `python - <<EOF`."""
        before = node.prev_sibling
        if before is not None:
            gap = self.source[before.end_byte : node.start_byte].strip()
            if gap == b"-":
                simple.words.append(Word("-", "-"))

    def _command(self, node: Node) -> Simple:
        simple = _new_simple()
        for child in node.children:
            kind = child.type
            if kind == "variable_assignment":
                self._take_assignment(child, simple)
            elif kind in _REDIRECTS:
                simple.redirections.append(self._redirection(child))
            elif kind == "command_name":
                if child.children:
                    self._take_word(child.children[0], simple)
            elif kind != "comment":
                self._take_word(child, simple)
        return simple

    def _take_assignment(self, node: Node, simple: Simple) -> None:
        text, written = self._word(node)
        simple.assignments.append(assignment(text, written))
        self._find_substitutions(node, simple)

    def _take_word(self, node: Node, simple: Simple) -> None:
        simple.words.append(self._word(node))
        if node.child_count:
            self._find_substitutions(node, simple)

    def _find_substitutions(self, node: Node, simple: Simple) -> None:
        if not self.has_substitutions:
            return
        if node.type in _SUBSTITUTIONS:
            simple.substitutions.append(self.block(node))
            return
        for child in node.children:
            if child.child_count:
                self._find_substitutions(child, simple)

    def _assignments(self, node: Node) -> Simple:
        simple = _new_simple()
        several = node.type == "variable_assignments"
        for child in node.named_children if several else [node]:
            self._take_assignment(child, simple)
        return simple

    def _bare_words(self, node: Node) -> Simple:
        """`[ -f x ]`, `(( a > 1 ))`: their words, without the grammar's own parts."""
        simple = _new_simple()
        for written in self.text(node).split():
            simple.words.append(Word(written.strip("\"'"), written))
        self._find_substitutions(node, simple)
        return simple

    def _loop(self, node: Node) -> Group:
        """The body of a loop; its conditions are a head (`while a`) or what makes its list."""
        group = Group("loop", [], [], [])
        has_head = node.type in {"while_statement", "until_statement"}
        head: Block = []
        for child in node.children:
            if child.type in {"do_group", "compound_statement"}:
                group.bodies.append(self.block(child))
            elif has_head:
                self._add(head, child)
            elif child.child_count:
                listing = _new_simple()
                self._find_substitutions(child, listing)
                group.conditions += listing.substitutions
        if head:
            group.conditions.append(head)
        return group

    def _choice(self, node: Node) -> Group:
        """The conditions and bodies of an if or a case, in the order in which they stand."""
        group = Group("if", [], [], [])
        self._take_branches(node, group)
        return group

    def _take_branches(self, node: Node, group: Group) -> None:
        block: Block = []
        is_condition = node.type in {"if_statement", "elif_clause"}
        for child in node.children:
            if child.type == "then":
                group.conditions.append(block)
                block, is_condition = [], False
            elif child.type in {"elif_clause", "else_clause", "case_item"}:
                if block:
                    group.bodies.append(block)
                    block = []
                self._take_branches(child, group)
            else:
                self._add(block, child)
        if block:
            (group.conditions if is_condition else group.bodies).append(block)

    def _redirection(self, node: Node) -> Redirection:
        if node.type == "heredoc_redirect":
            return self._heredoc(node)
        operator, target, descriptor = "", "", ""
        for child in node.children:
            if child.type == "file_descriptor":
                descriptor = self.text(child)
            elif not child.is_named:
                operator = self.text(child)
            else:
                target = self._word(child).text
        return Redirection(operator, target, self.text(node), descriptor)

    def _heredoc(self, node: Node) -> Redirection:
        operator, start, begin, end = "<<", "", 0, 0
        for child in node.children:
            if child.type == "heredoc_start":
                start = self.text(child)
                begin = self.source.find(b"\n", child.end_byte) + 1
            elif child.type == "heredoc_body":
                end = child.end_byte
            elif child.type == "<<-":
                operator = "<<-"
        body = self.source[begin:end] if 0 < begin < end else b""
        return Redirection(
            operator=operator,
            target=start.strip("'\"\\"),
            written=f"{operator}{start}",
            body=body.decode("utf-8", "surrogatepass"),
        )

    def _word(self, node: Node) -> Word:
        written = self.text(node)
        return Word(self._unquoted(node, written), written)

    def _unquoted(self, node: Node, written: str) -> str:
        kind = node.type
        if kind == "word":
            return unescaped(written)
        if kind == "raw_string":
            return written[1:-1]
        if kind == "string":
            return unescaped_string(written[1:-1])
        if kind == "ansi_c_string":
            return unescaped_ansi(written[2:-1])
        if kind in {"concatenation", "variable_assignment"}:
            parts = (self._unquoted(part, self.text(part)) for part in node.children)
            return "".join(parts)
        return written


def _new_simple() -> Simple:
    return Simple([], [], [], [])


def _append(block: Block, item: Simple | Group) -> None:
    """Two items without an operator between them stood on lines of their own."""
    if block and not block[-1].operator:
        block[-1].operator = ";"
    block.append(Part(item))
