"""Whether whoever is to write lessons is there, and answered when last asked."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.config import Config, environment
from afterglow.errors import AfterglowError
from afterglow.flows.harvest import LastWriting, last_writing
from afterglow.llm.agents import chosen_agent, installed, is_agent
from afterglow.records.doctor import CheckupLine
from afterglow.text.times import ago


def writing(config: Config, now: float) -> Iterator[CheckupLine]:
    settings = config.write
    if settings.on == "no":
        yield CheckupLine("writing", "ok", "nobody writes lessons: you said no")
        return
    if not settings.agreed:
        agents = installed(environment(config))
        help = f"afterglow connect --write-with {agents[0]}" if agents else ""
        text = "nobody writes lessons about problems that come back"
        yield CheckupLine("writing", "note", text, help)
        return
    name, again = settings.writer, f"afterglow write --with {settings.writer}"
    if trouble := _missing(config, name):
        yield CheckupLine("writing", "attention", f"{name} is to write: {trouble}")
        return
    last = last_writing(config)
    if last is not None and last.trouble:
        text = f"{name} did not write {ago(now - last.time)}: {last.trouble}"
        yield CheckupLine("writing", "attention", text, again)
        return
    yield CheckupLine(
        "writing", "ok", f"{name} writes lessons; {_last_time(last, now)}"
    )


def _missing(config: Config, name: str) -> str:
    """Why a writer cannot be asked at all, as far as that can be seen without asking."""
    if not is_agent(name):
        return "" if config.model.base_url else "[model] has no base_url for it"
    try:
        chosen_agent(name, environment(config))
    except AfterglowError as error:
        return str(error)
    return ""


def _last_time(last: LastWriting | None, now: float) -> str:
    if last is None:
        return "it was not asked in the background yet"
    return f"{last.lessons} of {last.problems} problems became lessons {ago(now - last.time)}"
