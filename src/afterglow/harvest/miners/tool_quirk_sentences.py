"""What is told of a tool's habits: one sentence for each kind of finding, or why it is not worth one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from afterglow.records.knowledge import Finding, Telling

MAX_EXAMPLES = 3  # names in one sentence
MIN_SHARE_OF_BEST_REMEDY = 4  # one in so many events; else no remedy stands out
MIN_EVENTS_TO_DOUBT_SINGLES = 4  # from here on a remedy seen once may be chance

# How directly it was seen: again and again, as a state of the tool, as the likely cause, or
# once.
DIRECT_REPEATED, DIRECT_STATE, DIRECT_LIKELY, DIRECT_ONCE = 0.85, 0.8, 0.75, 0.6


def tell(findings: Sequence[Finding]) -> Telling | str:
    return _SENTENCES[findings[0].slots["kind"]](findings)


def _refused(findings: Sequence[Finding]) -> Telling | str:
    events = len(findings)
    remedies = Counter(filter(None, _slots(findings, "remedy")))
    if not remedies:
        return "no remedy was seen"
    remedy, worked = remedies.most_common(1)[0]
    if events < 2 and "instead of" not in remedy:
        return "seen once"
    if worked * MIN_SHARE_OF_BEST_REMEDY < events or worked == 1 < events - 1:
        return "no remedy stands out"
    second_best = remedies.most_common(3)[1:]
    is_few = events < MIN_EVENTS_TO_DOUBT_SINGLES
    alternatives = [words for words, count in second_best if count > 1 or is_few]
    situation = _refusal(findings)
    return _quirk(
        f"{situation}: {'; or '.join([remedy, *alternatives])}.",
        situation,
        remedy,
        findings[0].slots["tool"],
        DIRECT_REPEATED if worked > 1 else DIRECT_ONCE,
        times=events,
        worked=worked,
    )


def _refusal(findings: Sequence[Finding]) -> str:
    messages = set(_slots(findings, "message"))
    message = messages.pop() if len(messages) == 1 else findings[0].slots["shape"]
    tools = sorted(set(_slots(findings, "tool")))
    fail = "fails" if len(tools) == 1 else "fail"
    return f"{_joined(tools)} {fail} with '{message.replace('`', '')}'"


def _slots(findings: Sequence[Finding], name: str) -> list[str]:
    return [finding.slots[name] for finding in findings]


def _joined(tools: Sequence[str]) -> str:
    return " and ".join(f"`{tool}`" for tool in tools)


def _name(findings: Sequence[Finding]) -> Telling | str:
    tool = findings[0].slots["tool"]
    pairs = zip(_slots(findings, "wrong"), _slots(findings, "right"), strict=True)
    examples = [pair for pair, _ in Counter(pairs).most_common(MAX_EXAMPLES)]
    wrong = ", ".join(repr(wrong) for wrong, _ in examples)
    right = ", ".join(repr(right) for _, right in examples)
    situation = f"`{tool}` does not find {wrong}"
    remedy = f"use the full name with its prefix: {right}"
    return _quirk(
        f"{situation}: {remedy}.",
        situation,
        remedy,
        tool,
        DIRECT_REPEATED,
        times=len(findings),
    )


def _meant(findings: Sequence[Finding]) -> Telling | str:
    slots = findings[0].slots
    if len(findings) < 2:
        return "a name guessed wrong once"
    situation = f"There is no '{slots['wrong']}' here"
    remedy = f"the file is '{slots['right']}'"
    return Telling(
        f"{situation}: {remedy}.",
        "fact",
        situation,
        remedy,
        DIRECT_REPEATED,
        "files",
        ("file",),
        times=len(findings),
    )


def _broken(findings: Sequence[Finding]) -> Telling | str:
    sessions = len({finding.first.session for finding in findings})
    events = sum(map(int, _slots(findings, "times")))
    if events < 2:
        return "a failure seen once"
    tools = _joined(sorted(set(_slots(findings, "tool"))))
    situation = f"{tools} can fail with '{findings[0].slots['shape']}'"
    remedy = "do not try it again"
    if events > sessions:
        remedy = "do not try again: it stays broken for the rest of the session"
    substitutes = Counter(filter(None, _slots(findings, "remedy")))
    if substitutes:
        commands = " or ".join(words for words, _ in substitutes.most_common(2))
        remedy += f"; use {commands} in the shell instead"
    return _quirk(
        f"{situation}; {remedy}.",
        situation,
        remedy,
        findings[0].slots["tool"],
        DIRECT_STATE,
        times=events,
    )


def _drift(findings: Sequence[Finding]) -> Telling | str:
    tool = findings[0].slots["tool"]
    situation = (
        f"The {tool} tool keeps its working directory between calls: after `cd <dir> && …` a later relative path or "
        "a repeated `cd <dir>` fails with 'no such file or directory', 'directory not found' or 'did not match'"
    )
    remedy = (
        "stay at the repo root, or begin with `cd <absolute root> &&`, use absolute paths or `git -C <root>`; "
        "`pwd` shows where it stands"
    )
    return Telling(
        f"{situation}; {remedy}.",
        "pitfall",
        situation,
        remedy,
        DIRECT_REPEATED,
        "shell",
        ("shell", "cwd"),
        agent_wide=True,
        times=len(findings),
    )


def _bang(findings: Sequence[Finding]) -> Telling | str:
    tool = findings[0].slots["tool"]
    situation = f"The {tool} tool passes `!` on as `\\!`: `!=` inside a quoted jq, awk or SQL program fails to parse"
    remedy = "avoid it: write `== … | not` or select what is wanted, or put the program into a file"
    return _quirk(
        f"{situation}; {remedy}.",
        situation,
        remedy,
        tool,
        DIRECT_STATE,
        times=len(findings),
    )


def _eval(findings: Sequence[Finding]) -> Telling | str:
    slots = findings[0].slots
    if len(findings) < 2:
        return "what the shell stumbled over is a guess from one command"
    messages = {text.replace("`", "'") for text in _slots(findings, "message")}
    quoted = " or ".join(f"'(eval): {message}'" for message in sorted(messages)[:2])
    situation = f"In the {slots['tool']} tool a command with {slots['cause']} fails with {quoted}"
    remedy = f"without it, e.g. `{slots['works']}`, it works"
    if any(_slots(findings, "remedy")):
        remedy = "split it: one command on one line per call"
    return _quirk(
        f"{situation}; {remedy}.",
        situation,
        remedy,
        slots["tool"],
        DIRECT_LIKELY,
        times=len(findings),
    )


def _denied(findings: Sequence[Finding]) -> Telling | str:
    if len({finding.first.session for finding in findings}) < 2:
        return "denied in one session only"
    slots = findings[0].slots
    what = f"`{slots['tool']}`"
    if slots["program"]:
        what = f"`{slots['program']}` commands"
    situation = f"{what} are denied by the permission settings: '{slots['message']}'"
    return _quirk(
        f"{situation}; do it another way or ask.",
        situation,
        "do it another way or ask",
        slots["tool"],
        DIRECT_ONCE,
        times=len(findings),
    )


def _quirk(
    fact: str,
    situation: str,
    remedy: str,
    tool: str,
    directness: float,
    *,
    times: int,
    worked: int = 0,
) -> Telling:
    tags = ("agent-tool", tool.lower())
    return Telling(
        fact,
        "tool-quirk",
        situation,
        remedy,
        directness,
        "agent-tools",
        tags,
        agent_wide=True,
        times=times,
        worked=worked,
    )


_SENTENCES: Mapping[str, Callable[[Sequence[Finding]], Telling | str]] = {
    "refused": _refused,
    "name": _name,
    "meant": _meant,
    "broken": _broken,
    "drift": _drift,
    "bang": _bang,
    "eval": _eval,
    "denied": _denied,
}
