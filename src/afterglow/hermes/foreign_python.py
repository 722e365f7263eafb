"""The events of a Hermes whose own Python has no afterglow: `python -m afterglow.hermes.foreign_python EVENT`.

The plugin's folder calls it with the event as JSON on standard input, in the folder the session works in. The answer is
JSON too: a context, a result with a line behind it, or null.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import msgspec

from afterglow.hermes import call_events, session_events
from afterglow.hermes.guard import guarded, note

EVENTS: dict[str, Callable[..., Any]] = {
    "on_session_start": session_events.started,
    "pre_llm_call": session_events.context,
    "transform_tool_result": call_events.ended,
    "on_session_finalize": session_events.finished,
}


def main() -> None:
    event = sys.argv[1] if len(sys.argv) > 1 else ""
    answer = None
    if event in EVENTS:
        try:
            fields = msgspec.json.decode(sys.stdin.buffer.read(), type=dict)
        except msgspec.DecodeError:
            note(event, "what Hermes told is no JSON object")
        else:
            answer = guarded(event, EVENTS[event])(**fields)
    sys.stdout.write(msgspec.json.encode(answer).decode())


if __name__ == "__main__":
    main()
