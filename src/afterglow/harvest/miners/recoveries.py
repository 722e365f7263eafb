"""Recoveries: a call that failed, and what made it work.

The fix is what changed between the failing and the working call, never "the next thing that worked". Three kinds are
believed: the same program with a few words changed, the same command after one step in between, and the same tool with
another argument. Where files were edited in between nothing is said: which edit mattered cannot be known.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from afterglow.harvest.difference import LONGEST, Hunk, brief, hunks, narrowed, shape, words
from afterglow.harvest.shell import Simple, core_command, simple_commands
from afterglow.harvest.trail import Step, Trail
from afterglow.records.knowledge import Finding, Telling
from afterglow.records.tools import family
from afterglow.sessions.outcomes import VIEWERS, VIEWING, program_of
from afterglow.text.clip import clip
from afterglow.text.fingerprint import fingerprint, telling_line

NAME = "recoveries"
VERSION = 1

REACH = 7  # calls behind a failure in which its fix is looked for
CHANGED = 6  # words that may have changed
# Failures of ordinary development: code was wrong and got edited. Only a step in between says anything about them.
_DEVELOPMENT = re.compile(
    r"--- FAIL|^FAIL\b|\[build failed\]|ERROR task failed|undefined: |cannot use |declared and not used"
    r"|imported and not used|AssertionError|\bassert\b|\d+ failed\b|error TS\d|error\[E\d|SyntaxError|FAILED "
    r"|expected .{1,60} got|test.{1,80}failed"
    r"|panic: |syntax error near|\(typecheck\)",
    re.MULTILINE,
)
# ... unless the run never got as far as the code.
_SETUP = re.compile(
    r"build constraints|setup failed|[Nn]o module named|Cannot find module|command not found|not installed|go mod tidy"
    r"|unknown (?:flag|option|shorthand|command|argument)|unrecognized|no such option|invalid (?:flag|option|choice)"
    r"|usage:"
)
_TRANSIENT = re.compile(
    r"(?i)index\.lock|\block(?:ed)?\b|timed? ?out|temporar|rate limit|connection (?:reset|refused)|EAGAIN|try again"
    r"|\b50[23]\b"
)
# The shell stood in another directory than the agent thought: not what the command was about.
_ASTRAY = re.compile(r"\bcd:|directory not found|not in the working tree|did not match any file|permission denied:\s*$")
_FEEDING = re.compile(r"(?:echo|printf|cat) [^|\n]{1,60}\| ")
_TESTING = re.compile(r"\btest\b|pytest|jest|vitest|\bspec\b|tox\b|unittest")
# Files changed by way of the shell, or put back: as good as an edit.
_WRITING = re.compile(
    r"\bsed -i|(?<![0-9&>-])>{1,2} ?[\w./~$]|\bgit (?:checkout|restore|stash|apply|reset)\b"
    r"|\b(?:patch|tee|touch|cp|mv) "
)
_USAGE = re.compile(
    r"(?i)unknown (?:flag|option|shorthand|argument|command|json field)|unrecognized (?:argument|option|flag)"
    r"|no such option|invalid option|unexpected argument|unknown linters?"
)
_QUOTED = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"|[=-]>|2>&1|\d?>\s*/dev/null")
_GH_CHANGES = re.compile(r"gh \w+ (?:create|merge|edit|close|reopen|comment|review|checkout|rerun|delete|upload|set)")
_UNPLACED = re.compile(r"(?<=^git) -C \S+")
_SENDING = re.compile(r"(?:-f|-F|-d|--data\S*|--field|--raw-field|--input|-X|--method)$")
_PUBLISHING = re.compile(r"git (?:add|commit|push)\b")
_PREPARING = re.compile(
    r"\b(?:install|sync|init|generate|build|up|start|migrate|tidy|pull|fetch|login|setup|bootstrap)\b"
)
_INTERPRETERS = frozenset("python python3 node ruby perl bash sh zsh npx bunx tsx deno php uvx".split())
_PLUMBING = VIEWERS | frozenset("rm mkdir rmdir cp mv touch kill pkill chmod ln cd".split())
_FORMAT = re.compile(r"(?i)uuid|format|must be|type\b|identifier")
_ID = re.compile(r"\d{4,}|[0-9a-f]{8}-[0-9a-f]{4}-")
_ABSENT = re.compile(r"(?i)no such file|does not exist|not found: [./~]|cannot access|no matches found")
_ADVICE = re.compile(
    r"(?i)(?:did you mean|maybe you meant|please (?:run|use)|you can run|try(?: running)?|to (?:update|fix|install) it"
    r"|use|run):?\s+[\"'`]?([^\s\"'`?,;]{2,60}(?: [^\s\"'`?,;]{2,40})?)"
)
_REFUSING = re.compile(
    r"(?i)invalid|validation|required|missing|must |not a valid|unknown|unrecognized|unexpected|not (?:a|an|found)\b"
    r"|non-\w+|expected"
)
_MUTE = re.compile(r"exit -?\d+|no message|[\W_]*|Traceback \(most.*|[\W\d]*\w+[\W\d]*|[\w./@-]+:\d+|Resolving \w+")
_NARROWING = frozenset(
    "-run -k -v -vv -x -q -count --verbose -s --lf --maxfail -short -json -race --tail -n -l -a -la".split()
)
_LOOKING = frozenset(
    "pwd ls cat head tail grep rg find which type echo printf wc sort tree stat file sleep true date whoami env".split()
)
_QUIET = frozenset(
    f"git {verb}" for verb in "status log show diff branch remote rev-parse config ls-files blame".split()
)
_WRITES = frozenset(
    "edit multiedit write create patch apply_patch write_file replace notebookedit str_replace_editor".split()
)


def mine(trail: Trail) -> Iterator[Finding]:
    steps = trail.steps
    for step in steps:
        if not step.failed or _batch_of(steps, step):
            continue
        if step.program:
            yield from _shell(trail, step)
        elif family(step.tool) == "other":
            yield from _arguments(trail, step)


def _batch_of(steps: list[Step], step: Step) -> bool:
    """Calls of one batch that failed the same way are one event: the first stands for all."""
    before = steps[step.index - 1] if step.index else None
    return bool(before and before.failed and before.turn == step.turn and before.call.error == step.call.error)


# A shell command


def _shell(trail: Trail, step: Step) -> Iterator[Finding]:
    failing = simple_commands(step.command)
    if not failing or failing[0].words[0] in _PLUMBING or any(one.after == "||" for one in failing):
        return
    if (step.call.masked and _views(step)) or _ASTRAY.search(step.call.error):
        return
    usage = bool(_USAGE.search(step.call.error[:2000]))  # then a later failure of another kind is also a way past it
    between: list[Step] = []
    for after in trail.steps[step.index + 1 : step.index + 1 + REACH]:
        if after.tool.lower() in _WRITES or (after.program and _writes(after.command)):
            return
        if after.program and (after.ok or (usage and not _USAGE.search(after.call.error))):
            working = simple_commands(after.command)
            if _texts(failing) == _texts(working):
                yield from _step_between(trail, step, after, between)
                return
            extra = _extra(failing, working)
            if extra:
                yield _after_step(trail, step, after, extra)
                return
            if _same_goal(failing, working, after.index - step.index) and _tells(step, after):
                yield _changed(trail, step, after)
                return
        between.append(after)


def _writes(command: str) -> bool:
    return bool(_WRITING.search(_QUOTED.sub("Q", command[:LONGEST])))


def _views(step: Step) -> bool:
    return " ".join(step.program.split(" ")[:2]) in VIEWING


def _texts(commands: Sequence[Simple]) -> list[str]:
    return [shape(one.text) for one in commands]


def _extra(failing: Sequence[Simple], working: Sequence[Simple]) -> str:
    """The one command that was put in front of an otherwise unchanged line."""
    old, new = _texts(failing), _texts(working)
    fresh = [one for one, text in zip(working, new, strict=True) if text not in old]
    kept = [text for text in new if text in old]
    return fresh[0].text if kept == old and len(fresh) == 1 and new[-1] in old and _changes(fresh[0]) else ""


def _same_goal(failing: Sequence[Simple], working: Sequence[Simple], distance: int) -> bool:
    """The same programs and sub-commands; or the same words behind another program or a runner, at once."""
    if len(failing) == len(working) and all(map(_same_program, failing, working)):
        return True
    old, new = failing[-1].words, working[-1].words
    return len(failing) == len(working) == 1 and distance <= 3 and (
        new[-len(old) :] == old or (len(old) > 1 and old[1:] == new[1:])
    )  # fmt: skip


def _same_program(old: Simple, new: Simple) -> bool:
    """The same program and sub-command; of an interpreter also the same script; of a request the same direction."""
    head = old.words[0].rsplit("/", 1)[-1]
    if head != new.words[0].rsplit("/", 1)[-1] or _sends(old) != _sends(new):
        return False
    if head in _INTERPRETERS:
        return [word for word in old.words if "." in word] == [word for word in new.words if "." in word] and not (
            {"-c", "-e", "-p"} & {*old.words, *new.words}
        )
    before, after = (program_of(_UNPLACED.sub("", one.text)) for one in (old, new))
    return before == after or (" " not in before and head not in {"gh", "git"})


def _sends(one: Simple) -> bool:
    return any(_SENDING.match(word) for word in one.words)


def _tells(failed: Step, after: Step) -> bool:
    """Whether the change can be the fix: small, not a mere narrowing, not a place that was guessed, not wrong code."""
    old, new, error = words(core_command(failed.command)), words(core_command(after.command)), failed.call.error
    changes = hunks(old, new)
    if not changes or sum(h.size for h in changes) > CHANGED or len(changes) > 3:
        return False
    came = {word.partition("=")[0] for h in changes for word in h.new.split()}
    went = {word for h in changes for word in h.old.split()}
    if all(word in _NARROWING or word[:1] != "-" for word in came | went) and _TESTING.search(failed.command):
        return False
    if _DEVELOPMENT.search(error) and not _SETUP.search(error):
        return False
    if _ABSENT.search(error):  # a path that was guessed is for `places`; a wrong flag or a missing quote is not
        return any(word[:1] in "-'\"" for word in came) or (_mentions(error, went) and "..." in "".join(went))
    return True


def _mentions(error: str, tokens: set[str]) -> bool:
    return any(len(word) > 2 and word.strip("'\"-") in error for word in tokens)


def _changed(trail: Trail, step: Step, after: Step) -> Finding:
    message, found = _message(step)
    failing, working = core_command(step.command), _fed(after)
    changes = [narrowed(h) for h in hunks(words(failing), words(working))]
    went = " … ".join(h.old for h in changes if h.old)
    came = " … ".join(h.new for h in changes if h.new)
    named = _mentions(step.call.error, set(went.split()))
    program = _program(step)
    topic = f"{program}|{found}" if named else f"{program}|{found}|{clip(went, 80)}|{clip(came, 80)}"
    slots = {
        "kind": "changed", "program": program, "command": brief(failing), "works": brief(working),
        "went": clip(went, 200), "came": clip(came, 200), "error": message,
        "sure": "advice" if _advised(step.call.error, working) else "named" if named else "diff",
    }  # fmt: skip
    return _finding(trail, step, after, topic, slots, found)


def _program(step: Step) -> str:
    """Program and sub-command, also of `git -C /x gc`."""
    first = simple_commands(step.command)[0].words
    plain = first[:1] + first[3:] if first[1:2] == ("-C",) else first
    return " ".join([plain[0].rsplit("/", 1)[-1], *(word for word in plain[1:2] if word[:1].isalpha())])


def _fed(step: Step) -> str:
    """A working command with what was piped into it, where that is how it got its input."""
    core = core_command(step.command)
    feeding = _FEEDING.match(step.command)
    return f"{feeding[0]}{core}" if feeding and not core.startswith(feeding[0]) else core


def _step_between(trail: Trail, step: Step, after: Step, between: list[Step]) -> Iterator[Finding]:
    """The same command failed and worked: something was done in between, or it was only tried again."""
    moved = any(one.cd for one in simple_commands(after.command)) and not any(
        one.cd for one in simple_commands(step.command)
    )
    done = [one for one in between if one.program and one.ok and all(map(_changes, simple_commands(one.command)))]
    named = [one for one in done if len(core_command(one.command)) > 5 and core_command(one.command) in step.call.error]
    done = named[:1] or [one for one in done if step.program.startswith("git") or not _PUBLISHING.match(one.program)]
    if simple_commands(step.command)[0].words[0].rsplit("/", 1)[-1] in _INTERPRETERS and not named:
        done = [one for one in done if _PREPARING.search(one.command)]
    if moved or any(one.cd for past in done for one in simple_commands(past.command)):
        return  # another directory, not another step
    if len(done) == 1 or (done and _advised(step.call.error, done[-1].command)):
        yield _after_step(trail, step, after, core_command(done[-1].command), done[-1])
    elif not between and _TRANSIENT.search(step.call.error):
        message, found = _message(step)
        slots = {"kind": "retry", "program": _program(step), "command": brief(core_command(step.command))}
        slots |= {"error": message, "sure": "diff"}
        yield _finding(trail, step, after, f"{_program(step)}|{found}|retry", slots, found)


def _after_step(trail: Trail, step: Step, after: Step, doing: str, *done: Step) -> Finding:
    message, found = _message(step)
    slots = {
        "kind": "step", "program": _program(step), "command": brief(core_command(step.command)), "error": message,
        "step": brief(doing), "sure": "advice" if _advised(step.call.error, doing) else "diff",
    }  # fmt: skip
    return _finding(trail, step, after, f"{_program(step)}|{found}|after {brief(doing, 60)}", slots, found, *done)


def _changes(one: Simple) -> bool:
    """A command that changes something, not one that looks."""
    head = one.words[0].rsplit("/", 1)[-1]
    if head == "gh" or (head in _INTERPRETERS and {"-c", "-e"} & {*one.words}):
        return _sends(one) or bool(_GH_CHANGES.match(one.text))
    return head not in VIEWERS and head not in _LOOKING and " ".join([head, *one.words[1:2]]) not in _QUIET


def _advised(error: str, working: str) -> bool:
    """The message names its own remedy, and the remedy is what worked."""
    text = shape(working)
    return any(
        len(said[1]) > 3 and not said[1].isalpha() and said[1].rstrip(".:)") in text
        for said in _ADVICE.finditer(error[:3000])
    )


# Any other tool: which argument changed


def _arguments(trail: Trail, step: Step) -> Iterator[Finding]:
    error = step.call.error
    old = _decoded(step.call.arguments)
    if not old or not _REFUSING.search(error[:600]):
        return
    for after in trail.steps[step.index + 1 : step.index + 1 + REACH]:
        if after.tool != step.tool or not after.ok:
            continue
        new = _decoded(after.call.arguments)
        changed = [key for key in {**old, **new} if old.get(key) != new.get(key)]
        if not changed or len(changed) > 3 or not _blamed(changed, old, new, error):
            return
        if any(_is_id(new.get(key)) for key in changed) and not _FORMAT.search(error):
            return  # another record, not another shape
        went = ", ".join(f"{key}={_value(old[key])}" for key in changed if key in old)
        came = ", ".join(f"{key}={_value(new[key])}" for key in changed if key in new)
        gone = ", ".join(f"no {key}" for key in changed if key not in new)
        message, found = _message(step)
        slots = {
            "kind": "arguments", "program": step.tool, "command": clip(f"{step.tool}({went})", 160), "went": clip(went, 120),
            "came": clip(", ".join(filter(None, (came, gone))), 160), "error": message,
            "sure": "advice" if _advised(error, came) else "named" if _mentions(error, set(changed)) else "diff",
        }  # fmt: skip
        topic = f"{step.tool}|{found}|{'+'.join(sorted(changed))}"
        yield _finding(trail, step, after, topic, slots, found)
        return


def _decoded(arguments: str) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(arguments)
    except (msgspec.DecodeError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _blamed(changed: list[str], old: dict[str, Any], new: dict[str, Any], error: str) -> bool:
    """Something stayed the same, or the message names what changed; free text that changed is no remedy."""
    if any(isinstance(new.get(key), str) and len(new[key]) > 120 for key in changed):
        return False
    stayed = any(old[key] == new.get(key) for key in old)
    named = any(key in error or (isinstance(old.get(key), str) and old[key] and old[key] in error) for key in changed)
    return named or (stayed and len(changed) <= 2)


def _is_id(value: object) -> bool:
    return bool(_ID.search(value if isinstance(value, str) else msgspec.json.encode(value).decode()))


def _value(value: object) -> str:
    return clip(shape(value if isinstance(value, str) else msgspec.json.encode(value).decode()), 60)


# What both have in common


def _message(step: Step) -> tuple[str, str]:
    line = telling_line(step.call.error)
    return clip(" ".join(line.split()), 140), fingerprint(step.call.error)


def _finding(
    trail: Trail, step: Step, after: Step, topic: str, slots: dict[str, str], found: str, *done: Step
) -> Finding:
    evidence = (
        trail.asked(step),
        trail.got_words(step, telling_line(step.call.error)),
        *(trail.asked(one) for one in done),
        trail.asked(after),
    )
    return Finding(NAME, f"recovery|{topic}", slots, evidence, fingerprint=found, cost=after.index - step.index)


def tell(findings: Sequence[Finding]) -> Telling | str:
    best = min(
        (f.slots for f in findings), key=lambda slots: (len(slots["command"]) + len(slots.get("works", "")), str(slots))
    )
    error, command, program = best["error"].replace("`", "'"), best["command"], best["program"]
    if _MUTE.fullmatch(error):
        return "the failure has no message"
    kind = best["kind"]
    if kind == "retry":
        if len({f.first.session for f in findings}) < 2:
            return "a retry that worked once"
        situation, remedy = f"`{command}` fails with '{error}'", "it passes: try again"
    elif kind == "step":
        situation, remedy = f"`{command}` fails with '{error}'", f"run `{best['step']}` first"
    elif kind == "arguments":
        situation, remedy = f"{command} fails with '{error}'", f"use {best['came']}"
    else:
        remedies = Counter(f.slots["works"] for f in findings)
        others = [works for works, _ in remedies.most_common(3) if works != best["works"]]
        situation = f"`{command}` fails with '{error}'"
        remedy = f"`{best['works']}` works{_difference(best)}"
        remedy += f"; so does `{others[0]}`" if others else ""
    fact = f"{situation} until `{best['step']}` has run" if kind == "step" else f"{situation}; {remedy}"
    sure = {f.slots["sure"] for f in findings}
    directness = 0.9 if "advice" in sure else 0.85 if "named" in sure else 0.6 if kind == "retry" else 0.8
    quirk = kind in {"changed", "arguments"}
    head = program.split(" ")[0].removeprefix("mcp__").partition("__")[0]
    return Telling(
        fact=f"{fact}.", category="tool-quirk" if quirk else "pitfall", situation=situation, remedy=remedy,
        directness=directness, domain=head, tags=(head, "recovery"),
    )  # fmt: skip


def _difference(slots: dict[str, str]) -> str:
    """Named where the two commands are too long for the eye to find it."""
    went, came = slots["went"], slots["came"]
    if (len(slots["command"]) < 60 and slots["command"] != slots["works"]) or not (went or came):
        return ""
    hunk = Hunk(went, came)
    if not hunk.old:
        return f" (added `{clip(came, 90)}`)"
    return f" (without `{clip(went, 90)}`)" if not hunk.new else f" (`{clip(went, 90)}` → `{clip(came, 90)}`)"
