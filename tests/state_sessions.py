"""What checks say about invented sessions."""

from __future__ import annotations

from afterglow.harvest.events.explained import explained
from afterglow.harvest.state_checks import Explanation
from trails import trail_of
from writing import Transcript


def explanations(transcript: Transcript) -> list[Explanation]:
    return list(explained(trail_of(transcript)).values())


def lines(transcript: Transcript) -> list[str]:
    """What would have been said at each failure."""
    return [explanation.line for explanation in explanations(transcript)]


def line(transcript: Transcript) -> str:
    """The same where one failure is explained."""
    (only,) = lines(transcript)
    return only


def read(transcript: Transcript, path: str, text: str) -> Transcript:
    """A file as the agent's own tool shows it."""
    numbered = [
        f"{number:6}→{row}" for number, row in enumerate(text.split("\n"), start=1)
    ]
    return transcript.ask("Read", file_path=path).answer("\n".join(numbered))


def edit(
    transcript: Transcript, path: str, old: str, new: str = "x", *, fails: str = ""
) -> Transcript:
    transcript.ask("Edit", file_path=path, old_string=old, new_string=new)
    if not fails:
        return transcript.answer("The file has been updated.")
    return transcript.answer(f"<tool_use_error>{fails}</tool_use_error>", error=True)
