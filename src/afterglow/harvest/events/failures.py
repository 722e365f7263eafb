"""Calls that went wrong, whatever their exit codes say: failed, hidden, empty, reported from elsewhere, or refused."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from afterglow.calls import (
    Action,
    Command,
    is_answer,
    kind_of_work,
    lasting_name,
    program,
    written_files,
)
from afterglow.harvest.events import claims
from afterglow.harvest.events.call_text import deciding_command
from afterglow.harvest.events.claim_stems import may_claim
from afterglow.harvest.events.claims import MESSAGE, REPORT
from afterglow.harvest.failure_kinds import answers_nothing
from afterglow.harvest.trail import Step, Trail
from afterglow.harvest.user_speech import reason_in
from afterglow.records.problems import EventKind, TellingLine
from afterglow.records.session import Outcome
from afterglow.records.tools import tool_kind

MAX_SHORT_OUTPUT = 600  # characters that a program says by itself, and not about a file
MAX_LINES_TOLD_FIRST = (
    30  # of an output that begins with what matters; longer ones end so
)
MAX_HEAD_CHARACTERS = 300  # in which an agent writes how a command ended
_NO_MATCH = re.compile(
    r"(?:Exit code:?|[Ee]xited with code) 1\b[^\n]*\n(?:.*?^Output:\n)?",
    re.DOTALL | re.MULTILINE,
)
_EXIT = re.compile(r"exit (\d+)")
# How agents say where a command prints that goes on while they do.
_BEING_WRITTEN = re.compile(r"[Oo]utput is being written to:? (\S+)")
NOTHING_ANSWERED = "(it ended well and answered nothing)"
_CI_WORDS = ("/logs", "/jobs", "check-runs", "check-suites", "/annotations")
_LOG_WORDS = ("--log", "/logs")
_CHECKS = frozenset({"test", "lint", "typecheck", "check"})


class Symptom(Struct, frozen=True):
    """How a call went wrong, and the lines that say so. `elsewhere`: the call got what it asked for, and that says that
    something else failed."""

    kind: EventKind
    lines: tuple[TellingLine, ...] = ()
    elsewhere: bool = False

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)


@lru_cache(maxsize=1)  # asked for the same session more than once
def symptoms(trail: Trail) -> list[Symptom | None]:
    """What is wrong with each call of a session, in order; None for nearly all of them."""
    logs: set[str] = set()
    symptoms_in_order: list[Symptom | None] = []
    for step in trail.steps:
        symptoms_in_order.append(symptom_of(step) or _logged(step, logs))
        logs.update(_printed_into(step))
    return symptoms_in_order


def symptom_of(step: Step) -> Symptom | None:
    """What is wrong with a call; None for nearly all of them."""
    outcome = step.call.outcome
    if outcome is Outcome.CANCELLED:
        return None
    if outcome is Outcome.BLOCKED:
        return _refused(step)
    if outcome is Outcome.FAILED:
        return _failed(step)
    if step.action.kind == "shell":
        return _quiet(step)
    return _answered_nothing(step) if outcome is Outcome.OK else None


def ended_well(step: Step, symptom: Symptom | None) -> bool:
    """Its exit code says so; or nobody noted that, and the few lines it printed say nothing against it."""
    if step.call.outcome is not Outcome.UNKNOWN:
        return step.ok
    printed = step.call.result or ""
    is_seen = claims.says_something(printed) and len(printed) <= MAX_SHORT_OUTPUT
    return is_seen and (symptom is None or symptom.elsewhere)


def _answered_nothing(step: Step) -> Symptom | None:
    if not answers_nothing(step):
        return None
    good = claims.good_hash(step.tool, NOTHING_ANSWERED)
    return Symptom("hidden", (TellingLine(NOTHING_ANSWERED, good, REPORT),))


def _printed_into(step: Step) -> Iterator[str]:
    """The files that a command prints into which goes on while the session does."""
    if step.action.kind != "shell":
        return
    yield from _BEING_WRITTEN.findall((step.call.result or "")[:MAX_SHORT_OUTPUT])
    for command in step.action.commands:
        if "background" in command.place or command.then == "&":
            yield from written_files(command)


def _logged(step: Step, logs: Collection[str]) -> Symptom | None:
    """A look at what a command has printed meanwhile that the session had left running."""
    if not logs or not (step.ok and step.looks):
        return None
    action = step.action
    words = {word for command in action.working for word in command.operands}
    if not words.union((action.target.value,)).isdisjoint(logs):
        text = claims.ends_of(step.call.result or "")
        lines = claims.claims(text, program_of(action), MESSAGE)
        return Symptom("hidden", tuple(lines), elsewhere=True) if lines else None
    return None


def _refused(step: Step) -> Symptom | None:
    """A refusal without a word of a plan is how people accept one and begin afresh."""
    words = reason_in(step.call)
    if tool_kind(step.tool) == "approve" and not words:
        return None
    return Symptom("refused")


def _failed(step: Step) -> Symptom | None:
    action = step.action
    text = claims.ends_of(_longest_text(step), whole=True)
    if action.kind != "shell":
        return Symptom("failed", tuple(claims.first_claim(text, step.tool)))
    if _reports_ci(action):
        reported = claims.ci_claims(text)
        if reported:
            return Symptom("ci", tuple(reported), elsewhere=True)
    lines = _lines_of_failure(action, text)
    says_so = any(line.strength >= REPORT for line in lines)
    if not says_so and _is_answer(step):
        lines = _said_before_answer(action, _without_exit_line(text))
        return Symptom("failed", tuple(lines)) if lines else None
    return Symptom("failed", tuple(lines))


def _longest_text(step: Step) -> str:
    """The error where the agent tells it apart and says more than the result."""
    texts = (step.call.error, step.call.result or "")
    return max(texts, key=len)


def _lines_of_failure(action: Action, text: str) -> list[TellingLine]:
    """What the programs themselves say counts first where the line only shows texts."""
    name = program_of(action)
    if only_shows_texts(action):
        messages = claims.own_messages(text, _names(action))
        if messages or _shows_files(action):
            return messages
    text = _without_exit_line(text)
    lines = claims.claims(text, name, claims.WORD)
    says_so = any(line.strength >= REPORT for line in lines)
    return lines if says_so else _with_an_end(lines, text, name)


def _with_an_end(lines: list[TellingLine], text: str, name: str) -> list[TellingLine]:
    """Where nothing is plainly said, an end of the output first: of a long one the last line."""
    plain = claims.plain_lines(text, name)
    if text.count("\n") > MAX_LINES_TOLD_FIRST:
        plain.reverse()
    end = plain[:1]
    further = [line for line in lines if line.text not in {item.text for item in end}]
    return [*end, *further]


def _without_exit_line(text: str) -> str:
    first, _, rest = text.partition("\n")
    is_exit = (
        first.strip().lower().startswith(("exit code", "exit ", "<tool_use_error>exit"))
    )
    return rest if is_exit else text


def _is_answer(step: Step) -> bool:
    """The last command of the line answers with its exit code, and nothing in the output says otherwise."""
    deciding = step.action.parsed.deciding
    ended = _EXIT.match(step.call.error)
    if not deciding or ended is None:
        return False
    return is_answer(deciding[-1], int(ended[1]))


def _said_before_answer(action: Action, text: str) -> list[TellingLine]:
    """The last command may have answered, or never have run: what stands before it in a chain says so in few words."""
    is_chain = any(command.then == "&&" for command in action.commands)
    if not is_chain or len(text) > MAX_SHORT_OUTPUT:
        return []
    plain = claims.plain_lines(text, program_of(action))
    messages = claims.claims(text, program_of(action), MESSAGE)
    return messages if len(messages) == len(plain) else []


def _quiet(step: Step) -> Symptom | None:
    """A shell line that ended well, or of which nobody knows how it ended."""
    result = step.call.result or ""
    action = step.action
    if not claims.says_something(result):
        return _empty(step)
    if _reports_ci(action):
        return _reported(action, result)
    is_unknown = step.call.outcome is Outcome.UNKNOWN
    text = claims.ends_of(result, whole=is_unknown)
    if is_unknown or action.parsed.hidden:
        lines = _unseen_lines(step, text)
    else:
        lines = _checked_nothing(action, text) or _shell_messages(text)
    return Symptom("hidden", tuple(lines)) if lines else None


def _reported(action: Action, result: str) -> Symptom | None:
    """What a check elsewhere reported, or that there is no report."""
    lines = claims.ci_claims(result)
    if lines:
        return Symptom("ci", tuple(lines), elsewhere=True)
    lines = _no_log(action, result)
    return Symptom("ci", tuple(lines)) if lines else None


def _shell_messages(text: str) -> list[TellingLine]:
    """A shell that did not run the command at all says so, and little else stands there."""
    return claims.own_messages(text, ()) if len(text) <= MAX_SHORT_OUTPUT else []


def _unseen_lines(step: Step, text: str) -> list[TellingLine]:
    """What an output says of a failure that no exit code shows."""
    lines: list[TellingLine] = []
    if step.call.masked or may_claim(text):
        lines = _hidden_lines(step, text)
    return lines or _beside_a_search(step.action, text) or _unusual_words(step, text)


def _no_log(action: Action, result: str) -> list[TellingLine]:
    """Asked for a log, or for checks, and got a sentence."""
    if len(result) > MAX_SHORT_OUTPUT:
        return []
    name = program_of(action)
    messages = claims.claims(result, name, MESSAGE)
    asks_for_log = any(word in action.line for word in _LOG_WORDS)
    if messages or not asks_for_log or claims.is_stamped(result):
        return messages
    last = claims.plain_lines(result, name)[-1:]
    return [replace(line, strength=REPORT) for line in last]


def _beside_a_search(action: Action, text: str) -> list[TellingLine]:
    """A search that ended with "no match" printed nothing, so what stands there another command said."""
    deciding = action.parsed.deciding
    ended = _NO_MATCH.search(text[:MAX_HEAD_CHARACTERS])
    if not ended or not deciding or not is_answer(deciding[-1], 1):
        return []
    is_search = len(action.commands) > 1 and deciding[-1].after == "|"
    lines = (
        claims.plain_lines(text[ended.end() :], program_of(action)) if is_search else []
    )
    return [replace(line, strength=REPORT) for line in lines[:1]]


def _unusual_words(step: Step, text: str) -> list[TellingLine]:
    """What a check printed whose end nobody saw. Whether it is a check that says nothing when all is well, other runs
    tell: such lines have no strength of their own."""
    is_unseen = step.call.outcome is Outcome.UNKNOWN or _hides_work(step.action)
    if not is_unseen or not prints_by_habit(step.action):
        return []
    return claims.plain_lines(text, program_of(step.action))[:1]


def _hidden_lines(step: Step, text: str) -> list[TellingLine]:
    action = step.action
    messages = claims.own_messages(text, _names(action))
    if only_shows_texts(action):
        if messages or len(text) > MAX_SHORT_OUTPUT:
            return messages
        if _shows_files(action):  # what stands first is no file that begins so
            text = text.strip().partition("\n")[0]
        return _messages(action, text)
    is_hidden = step.call.outcome is Outcome.UNKNOWN or _hides_work(action)
    if not is_hidden:
        return messages
    # Where files are shown beside the work, places and counts may be theirs.
    least = MESSAGE if _shows_files(action) else REPORT
    return claims.claims(text, program_of(action), least) or messages


def _messages(action: Action, text: str) -> list[TellingLine]:
    return claims.claims(text, program_of(action), MESSAGE)


def _checked_nothing(action: Action, text: str) -> list[TellingLine]:
    if action.kind_of_work not in _CHECKS:
        return []
    name = program_of(action)
    return [
        TellingLine(line.strip(), claims.good_hash(name, line), MESSAGE)
        for line in text.splitlines()
        if claims.says_nothing_was_checked(line)
    ][:1]


def _empty(step: Step) -> Symptom | None:
    """A check that printed nothing: whether that is its way, the other runs of it tell."""
    is_empty = step.ok and prints_by_habit(step.action)
    return Symptom("empty") if is_empty else None


def _is_silenced(action: Action) -> bool:
    main = action.main
    return main is None or bool(main.redirections) or main.has("-q", "--quiet", "-s")


def _hides_work(action: Action) -> bool:
    """Something in the line can hide the failure of a command that does more than show."""
    return any(not _shows(command) for command in action.parsed.hidden)


def only_shows_texts(action: Action) -> bool:
    return action.effects == {"looks"} or all(map(_shows, action.working))


def _shows(command: Command) -> bool:
    return program(command.program).family in {
        "viewer",
        "filter",
        "talk",
        "setup",
        "pause",
    }


def _shows_files(action: Action) -> bool:
    return any(program(item.program).family == "viewer" for item in action.working)


def _reports_ci(action: Action) -> bool:
    """Shows what a check elsewhere reported: a run, its log, the checks of a pull request."""
    return any(
        program(command.program).fetches
        and (
            kind_of_work(command) == "ci"
            or command.subcommand[:1] == ("run",)
            or any(
                word in operand for operand in command.operands for word in _CI_WORDS
            )
        )
        for command in action.commands
    )


def _names(action: Action) -> set[str]:
    names = {command.program for command in action.commands}
    return names | {command.words[0] for command in action.commands if command.words}


def program_of(action: Action) -> str:
    """Program and sub-command, the same in every session; the tool where no shell ran."""
    main = deciding_command(action)
    return lasting_name(main) if main is not None else action.tool


def is_good_run(step: Step) -> bool:
    """A command that surely ended well: nothing in its line could hide that it did not, and it does more than show."""
    action = step.action
    is_sure = step.ok and action.kind == "shell" and not only_shows_texts(action)
    return is_sure and not _hides_work(action) and not _reports_ci(action)


def prints_by_habit(action: Action) -> bool:
    """A check whose runs are worth counting by whether they print."""
    is_check = "checks" in action.effects or action.kind_of_work in _CHECKS
    return is_check and not _is_silenced(action)
