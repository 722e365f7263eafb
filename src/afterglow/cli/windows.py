"""What `afterglow harvest --windows` prints for people."""

from __future__ import annotations

from afterglow.records.lessons import Windows
from afterglow.text.clip import printable
from afterglow.text.numbers import local_day, number


def describe(found: Windows) -> str:
    """The windows one after the other, each text behind its line number."""
    if not found.windows:
        return f"No window: {found.reason}."
    lines = [found.note]
    for window in found.windows:
        where = f"{window.agent} in {window.repo}" if window.repo else window.agent
        lines += [
            "",
            f"{window.id}  session {window.session}, {where}, {local_day(window.time)}: {window.why}",
        ]
        lines += [
            f"  known: {printable(item.fact)} [{item.id}]" for item in window.known
        ]
        for line in window.lines:
            about = " ".join(filter(None, (line.who, line.tool, line.outcome)))
            text = "\n         ".join(map(printable, line.text.splitlines()))
            lines.append(f"  {line.line:>5}  {about} [{line.trust}]: {text}")
    lines += ["", f"{number(found.tokens)} tokens; {number(found.left)} more windows"]
    return "\n".join(lines)
