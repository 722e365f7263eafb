"""What the habits of an agent's own tools are called: one sentence for each kind that `tool_quirks` finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from afterglow.records.knowledge import Finding, Telling


def tell(findings: Sequence[Finding]) -> Telling | str:
    return _TELLING[findings[0].slots["kind"]](findings)


def _tell_refused(findings: Sequence[Finding]) -> Telling | str:
    events = len(findings)
    remedies = Counter(f.slots["remedy"] for f in findings if f.slots["remedy"])
    if not remedies:
        return "no remedy was seen"
    remedy, worked = remedies.most_common(1)[0]
    if events < 2 and "instead of" not in remedy:
        return "seen once"
    if worked * 4 < events or worked == 1 < events - 1:
        return "no remedy stands out"
    tool = findings[0].slots["tool"]
    messages = {f.slots["message"] for f in findings}
    message = messages.pop() if len(messages) == 1 else findings[0].slots["shape"]
    alternatives = [
        words for words, count in remedies.most_common(3)[1:] if count > 1 or events < 4
    ]
    tools = " and ".join(
        f"`{name}`" for name in sorted({f.slots["tool"] for f in findings})
    )
    situation = (
        f"{tools} fail{'s' * (' and ' not in tools)} with '{message.replace('`', '')}'"
    )
    return _quirk(
        f"{situation}: {'; or '.join([remedy, *alternatives])}.",
        situation,
        remedy,
        tool,
        0.85 if worked > 1 else 0.6,
        times=events,
        worked=worked,
    )


def _tell_name(findings: Sequence[Finding]) -> Telling | str:
    tool = findings[0].slots["tool"]
    pairs = Counter((f.slots["wrong"], f.slots["right"]) for f in findings).most_common(
        3
    )
    situation = (
        f"`{tool}` does not find {', '.join(repr(wrong) for (wrong, _), _ in pairs)}"
    )
    remedy = f"use the full name with its prefix: {', '.join(repr(right) for (_, right), _ in pairs)}"
    return _quirk(
        f"{situation}: {remedy}.",
        situation,
        remedy,
        tool,
        0.85,
        times=len(findings),
    )


def _tell_meant(findings: Sequence[Finding]) -> Telling | str:
    slots = findings[0].slots
    if len(findings) < 2:
        return "a name guessed wrong once"
    situation, remedy = (
        f"There is no '{slots['wrong']}' here",
        f"the file is '{slots['right']}'",
    )
    return Telling(
        f"{situation}: {remedy}.",
        "fact",
        situation,
        remedy,
        0.85,
        "files",
        ("file",),
        times=len(findings),
    )


def _tell_broken(findings: Sequence[Finding]) -> Telling | str:
    sessions = len({f.first.session for f in findings})
    events = sum(int(f.slots["times"]) for f in findings)
    if events < 2:
        return "a failure seen once"
    tools = " and ".join(
        f"`{tool}`" for tool in sorted({f.slots["tool"] for f in findings})
    )
    instead = Counter(f.slots["remedy"] for f in findings if f.slots["remedy"])
    situation = f"{tools} can fail with '{findings[0].slots['shape']}'"
    tried = events > sessions
    remedy = (
        "do not try again: it stays broken for the rest of the session"
        if tried
        else "do not try it again"
    )
    if instead:
        remedy += f"; use {' or '.join(words for words, _ in instead.most_common(2))} in the shell instead"
    return _quirk(
        f"{situation}; {remedy}.",
        situation,
        remedy,
        findings[0].slots["tool"],
        0.8,
        times=events,
    )


def _tell_drift(findings: Sequence[Finding]) -> Telling | str:
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
        0.85,
        "shell",
        ("shell", "cwd"),
        agent_wide=True,
        times=len(findings),
    )


def _tell_bang(findings: Sequence[Finding]) -> Telling | str:
    tool = findings[0].slots["tool"]
    situation = f"The {tool} tool passes `!` on as `\\!`: `!=` inside a quoted jq, awk or SQL program fails to parse"
    remedy = "avoid it: write `== … | not` or select what is wanted, or put the program into a file"
    return _quirk(
        f"{situation}; {remedy}.",
        situation,
        remedy,
        tool,
        0.8,
        times=len(findings),
    )


def _tell_eval(findings: Sequence[Finding]) -> Telling | str:
    slots = findings[0].slots
    if len(findings) < 2:
        return "what the shell stumbled over is a guess from one command"
    messages = " or ".join(
        f"'(eval): {m}'"
        for m in sorted({f.slots["message"].replace("`", "'") for f in findings})[:2]
    )
    situation = f"In the {slots['tool']} tool a command with {slots['cause']} fails with {messages}"
    split = any(f.slots["remedy"] for f in findings)
    remedy = (
        "split it: one command on one line per call"
        if split
        else f"without it, e.g. `{slots['works']}`, it works"
    )
    return _quirk(
        f"{situation}; {remedy}.",
        situation,
        remedy,
        slots["tool"],
        0.75,
        times=len(findings),
    )


def _tell_denied(findings: Sequence[Finding]) -> Telling | str:
    if len({f.first.session for f in findings}) < 2:
        return "denied in one session only"
    slots = findings[0].slots
    what = (
        f"`{slots['program']}` commands" if slots["program"] else f"`{slots['tool']}`"
    )
    situation = f"{what} are denied by the permission settings: '{slots['message']}'"
    return _quirk(
        f"{situation}; do it another way or ask.",
        situation,
        "do it another way or ask",
        slots["tool"],
        0.6,
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


_TELLING = {
    "refused": _tell_refused, "name": _tell_name, "meant": _tell_meant, "broken": _tell_broken, "drift": _tell_drift,
    "bang": _tell_bang, "eval": _tell_eval, "denied": _tell_denied,
}  # fmt: skip
