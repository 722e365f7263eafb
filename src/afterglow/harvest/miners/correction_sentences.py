"""What is told of a refusal or a correction: the person's own words, and what they were about."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from afterglow.harvest.agreeing_findings import session_ids
from afterglow.records.knowledge import Finding, Telling

# The clearest manner first, and how directly each says what is wanted.
_MANNERS = ("ban", "fix", "order", "wish", "none")
_DIRECT = {"ban": 0.85, "fix": 0.8, "order": 0.8, "wish": 0.6, "none": 0.55}
LESS_IF_SAID, LESS_IF_REFUSED = (
    0.1,
    0.05,
)  # words alone; words to a call that was refused
# In which a person says the same, or says no to the same command: once is about the work at hand.
MIN_SESSIONS = 2
DIRECT_ONCE = 0.75  # at most, of a command that was refused once: it waits
ONCE = "said in one session"
TAGS = ("preference",)


def tell(findings: Sequence[Finding]) -> Telling | str:
    speaking = [finding for finding in findings if not finding.against]
    if not speaking:
        return "nobody minded it"
    best = min(speaking, key=_rank)
    if best.topic.split(" @ ")[0] == "refused|wait":
        return "asked to wait: of that moment"
    is_repeated = len(session_ids(speaking)) >= MIN_SESSIONS
    if best.slots["how"] == "said":
        return _tell_correction(best, speaking) if is_repeated else ONCE
    if not is_repeated and best.slots["manner"] == "none":
        return ONCE
    telling = _tell_refusal(best, speaking)
    if is_repeated or isinstance(telling, str):
        return telling
    return replace(telling, directness=min(telling.directness, DIRECT_ONCE))


def _tell_correction(best: Finding, findings: Sequence[Finding]) -> Telling | str:
    """Most of what people put right is about the work at hand; what they say again is not."""
    words, place, manner = (best.slots[name] for name in ("words", "on", "manner"))
    is_said = best.topic.startswith("said|")
    directness = _DIRECT[manner] - (LESS_IF_SAID if is_said else LESS_IF_REFUSED)
    where = f" on `{place}`" if place else ""
    return Telling(
        f'User correction{where}: "{words}".',
        "fact" if manner == "fix" else "pattern",
        f"working{where}" if place else "",
        words,
        round(directness, 2),
        tags=TAGS,
        times=len(findings),
    )


def _tell_refusal(best: Finding, findings: Sequence[Finding]) -> Telling | str:
    words, command, manner = (best.slots[name] for name in ("words", "on", "manner"))
    if manner == "none" and best.slots["how"] == "command":
        return "refused, without a lasting reason"
    fact = f'`{command}` was refused by the user: "{words}".'
    if best.slots["how"] != "command":
        saying = f', saying "{words}"' if words else ""
        fact = f"Ask before `{command}`: the user {_reaction(findings)}{saying}."
    return Telling(
        fact,
        "pattern",
        f"about to run `{command}`",
        _answer(manner, words),
        _DIRECT[manner],
        tags=TAGS,
        times=len(findings),
    )


def _answer(manner: str, words: str) -> str:
    """A ban of one day is no ban for ever: the person is to be asked."""
    if not words:
        return "ask first"
    return f'ask first: it was refused with "{words}"' if manner == "ban" else words


def _reaction(findings: Sequence[Finding]) -> str:
    """Where the command ran, nothing was refused: the person spoke up afterwards."""
    ran = [bool(finding.slots.get("ran")) for finding in findings]
    if all(ran):
        return "objected to it"
    return "refused or objected to it" if any(ran) else "refused it"


def _rank(finding: Finding) -> tuple[int, bool, bool, float]:
    """The clearest wording first: by manner, then what names the command, then the newest."""
    words = finding.slots["words"]
    name = finding.slots["on"].split(" ")[-1].strip("-")
    return (
        _MANNERS.index(finding.slots["manner"]),
        not words,
        name not in words.lower(),
        -(finding.first.time or 0.0),
    )
