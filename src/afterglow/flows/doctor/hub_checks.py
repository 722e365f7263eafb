"""Whether the hub that this machine joined was reached when that was last tried."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.config import Config
from afterglow.flows.hub import joined_hub
from afterglow.records.doctor import CheckupLine
from afterglow.text.times import ago

OLD_SECONDS = (
    7 * 86400.0
)  # a week without a session is rare, and so is one without a sync
SYNC = "afterglow sync"


def team(config: Config, now: float) -> Iterator[CheckupLine]:
    if not config.membership.exists():
        return
    hub = joined_hub(config)
    last = f"last synced {ago(now - hub.time)}" if hub.time else "never synced yet"
    text = f"{hub.url} as {hub.person} of {hub.org}: {last}"
    if hub.trouble:
        yield CheckupLine("hub", "attention", f"{text}; then: {hub.trouble}", SYNC)
        return
    is_old = now - (hub.time or hub.since) > OLD_SECONDS
    yield CheckupLine("hub", "note" if is_old else "ok", text, SYNC if is_old else "")
