"""Whether connected agents really get something: contexts given out in their last sessions, and if none, why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from afterglow.config import Config
from afterglow.flows.connect import ConnectedFile
from afterglow.flows.doctor.store_checks import read_only_rows
from afterglow.flows.harvest import log_of
from afterglow.records.doctor import CheckupLine, Level

MAX_SESSIONS = 10  # the last of an agent: enough to tell a habit, few enough to be news
MIN_SESSIONS_FOR_ALARM = 3  # so many sessions without a context are no accident
CLOCK_SECONDS = 60  # a context may be noted this long before its session is

_SINCE = (
    "SELECT start, repo FROM sessions JOIN places USING (place) WHERE agent = ? AND origin = 'main' AND NOT empty "
    "AND NOT copy AND start >= ? ORDER BY start DESC LIMIT ?"
)
_GIVEN = "SELECT count(*), coalesce(sum(state = 'delivered'), 0) FROM deliveries WHERE agent = ? AND time >= ?"
_KNOWN = "SELECT count(*) FROM items WHERE status = 'active' AND repo IN (?, '')"


def deliveries(
    config: Config, connected: Sequence[ConnectedFile]
) -> Iterator[CheckupLine]:
    """Did the last sessions of each connected agent get a context? If not: why, most likely."""
    since: dict[str, float] = {}
    for file in connected:
        since[file.agent] = min(file.time, since.get(file.agent, file.time))
    for agent, start in since.items():
        yield _delivered(config, agent, start)


def _delivered(config: Config, agent: str, since: float) -> CheckupLine:
    sessions = (
        read_only_rows(config.catalog, _SINCE, [agent, since, MAX_SESSIONS]) or []
    )
    oldest = min((start for start, _ in sessions), default=since)
    counted = read_only_rows(
        config.ledger_file, _GIVEN, [agent, oldest - CLOCK_SECONDS]
    )
    if counted is None and config.ledger.exists():
        text = f"{agent}: the ledger cannot be read, so nothing is known of deliveries"
        return CheckupLine("delivery", "note", text)
    contexts, proved = counted[0] if counted else (0, 0)
    number = f"{contexts} context{'s' * (contexts != 1)} given out"
    if not sessions:
        text = f"{agent}: no session since it was connected is in the catalogue"
        if contexts:
            text = f"{agent}: {number}; no session since it was connected is in the catalogue yet"
        return CheckupLine("delivery", "note", text, "afterglow scan")
    if not contexts:
        return _undelivered(config, agent, since, [repo for _, repo in sessions])
    text = f"{agent}: {number} in the last {len(sessions)} sessions, {proved} seen to arrive"
    help = "" if proved else "afterglow scan && afterglow measure"
    return CheckupLine("delivery", "ok", text, help)


def _undelivered(
    config: Config, agent: str, since: float, repos: Sequence[str]
) -> CheckupLine:
    """Sessions, and not one context: the likely reason."""
    text = f"{agent} is connected but no context was delivered in the last {len(repos)} sessions"
    if config.hooks.context == "never":
        why = 'config.toml says [hooks] context = "never"'
        return CheckupLine("delivery", "note", f"{text}: {why}")
    if not _something_is_known(config, repos):
        names = ", ".join(filter(None, dict.fromkeys(repos))) or "where they ran"
        why = f"nothing is known of {names} yet"
        return CheckupLine("delivery", "note", f"{text}: {why}", "afterglow harvest")
    failures = [line for line in log_of(config).recent() if line.time >= since]
    if failures:
        last = failures[-1]
        why = f"hooks failed {len(failures)} times, the last time with: {last.what}: {last.detail}"
        return CheckupLine("delivery", "attention", f"{text}: {why}")
    level: Level = "attention" if len(repos) >= MIN_SESSIONS_FOR_ALARM else "note"
    if agent == "codex":
        why = "codex runs hooks only after /hooks trusted them"
        return CheckupLine("delivery", level, f"{text}: {why}")
    why = "its hooks seem not to be called"
    help = f"afterglow disconnect {agent} && afterglow connect {agent}"
    return CheckupLine("delivery", level, f"{text}: {why}", help)


def _something_is_known(config: Config, repos: Sequence[str]) -> bool:
    """Of any of these repositories, or of all."""
    for repo in dict.fromkeys(repos):
        counted = read_only_rows(config.knowledge_file, _KNOWN, [repo])
        if counted and counted[0][0]:
            return True
    return False
