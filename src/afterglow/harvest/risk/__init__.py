"""What a remedy does, and whether an agent may be told to do it on nobody's word but a stranger's.

kinds          the kinds of risk, in words a person understands
told           what a lesson tells to do: its code and clauses, and what it tells against
commands       what typed commands do, by `acts.toml` and `settings.toml`
parts          what a command brings in that the failing call did not have, by `parts.toml`
tasks          what its sub-command does
places         where a value leads
familiar       what makes a name no stranger
packages       what is fetched by name, and whether the repository names it
paths          where a command writes, and what it deletes
git_settings   what is set of git
fetched_code   code that runs without standing where it can be read
sending        what leaves the machine
codes          what the code in a lesson does, by all of these
sentences      what words alone tell to do, by `words.toml`
judging        an item with its risk, and with the status that this leaves it
"""

from __future__ import annotations

from afterglow.harvest.risk.judging import REASON, risk_of_words, with_risk
from afterglow.harvest.risk.kinds import WHY, Kind, Risk, is_merely_unknown

__all__ = [
    "REASON",
    "WHY",
    "Kind",
    "Risk",
    "is_merely_unknown",
    "risk_of_words",
    "with_risk",
]
