"""Names that zsh keeps for itself: setting `path` loses every program, `status` cannot be set."""

from __future__ import annotations

import re

from afterglow.harvest.state_checks.explanation import Explanation
from afterglow.harvest.state_checks.moment import Moment

NAME = "zsh-names"

_SETS_PATH = re.compile(r"\b(?:for|read(?: -\w+)*) +path\b|(?:^|[;&|(\s])path=")
_READ_ONLY = re.compile(r"read-only variable: (\w+)")


def explain(moment: Moment) -> Explanation | None:
    line = moment.step.command
    if moment.missing and moment.shell_name == "zsh" and _SETS_PATH.search(line):
        return _explanation("path", "is the PATH", "no program is found any more")
    read_only = _READ_ONLY.search(moment.output)
    if read_only and re.search(rf"\b{read_only[1]}\b", line):
        return _explanation(read_only[1], "is read-only", "the line stops there")
    return None


def _explanation(name: str, what: str, effect: str) -> Explanation:
    topic = f"in zsh the variable `{name}` {what}"
    return Explanation(
        NAME,
        topic,
        f"{topic}, so {effect}: use another name, e.g. `{name}_`",
        f"zsh: the variable `{name}` {what}; a script that sets it fails",
        "use another name",
    )
