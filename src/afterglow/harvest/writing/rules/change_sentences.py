"""What to do the next time, in words: the change where two calls side by side do not show it, and the call, whole."""

from __future__ import annotations

import re

from afterglow.harvest.writing.rules.agreement import Agreement
from afterglow.harvest.writing.rules.general_form import as_code, general_form
from afterglow.harvest.writing.rules.moves import requoted

_SHELL_SIGNS = frozenset("*?[]{}()!$&|;<>#~\\")
_PLACEHOLDER = re.compile(r"<\w+>(?!/)")
_QUOTED_PLACEHOLDER = re.compile(r"(?<=['\"])<\w+>(?=['\"])")


def remedy_of(agreement: Agreement) -> str:
    """The lead, and the call that worked in its general form."""
    pairs = [case.pair for case in agreement.telling]
    working = [pair.working for pair in pairs]
    worked = [pair.working for pair in pairs if pair.has_worked]
    old_words = {word for pair in pairs for word in pair.failing.words}
    new_words = {word for command in worked for word in command.words} - old_words
    is_ending = agreement.move.kind == "ending"
    call = general_form(working, worked, new_words=new_words, keep_folders=is_ending)
    if agreement.move.kind == "quoting":
        call = _with_sign(call, _signs(agreement))
    if is_ending:
        call = _PLACEHOLDER.sub(rf"\g<0>{agreement.move.after}", call, count=1)
    return f"{_lead(agreement)}{as_code(call)}"


def _lead(agreement: Agreement) -> str:
    move = agreement.move
    match move.kind:
        case "flag" if move.before:
            return _instead_of_flag(agreement)
        case "flag" | "environment" if not move.before:
            return f"add {as_code(move.after)}: "
        case "wrapper" if move.before:
            return f"without {as_code(move.before)}: "
        case "wrapper":
            return "run it as "
        case "value" if not move.after:
            return _without_value(move.before)
        case "fewer operands" if _takes_one(agreement):
            return "give it one at a time: "
        case "ending":
            return f"it ends in {as_code(move.after)}: "
        case "quoting":
            return "quote the word that the shell would expand: "
        case "step":
            return f"first {as_code(move.after)}, then "
        case _:
            return "use "


def _instead_of_flag(agreement: Agreement) -> str:
    """What all sessions put in the place of a flag, if anything."""
    old = as_code(agreement.move.before)
    for item in agreement.companions:
        if item.kind == "flag" and item.after:
            return f"{as_code(item.after)} in place of {old}: "
    return f"leave out {old}: "


def _without_value(before: str) -> str:
    flag, _, value = before.partition(" ")
    if not flag:
        return f"leave out {as_code(value)}: "
    return f"{as_code(flag)} has no {as_code(value)}, leave it out: "


def _takes_one(agreement: Agreement) -> bool:
    """Of the operands that remained, all but one are the same in every session."""
    operands = [set(case.pair.working.operands) for case in agreement.cases]
    shared = set.intersection(*operands)
    return all(len(words - shared) == 1 for words in operands)


def _signs(agreement: Agreement) -> str:
    """The signs that all words have which had to be quoted."""
    words = [{*"".join(requoted(case.pair))} for case in agreement.cases]
    return "".join(sorted(_SHELL_SIGNS.intersection(*words)))


def _with_sign(call: str, signs: str) -> str:
    """The first quoted placeholder with the sign in it: `'<path>?…'`."""
    return _QUOTED_PLACEHOLDER.sub(lambda match: f"{match[0]}{signs}…", call, count=1)
