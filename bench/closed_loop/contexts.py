"""What a measured session starts with, by its arm, and whether what was harvested tells its quirk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from afterglow.config import Config
from afterglow.flows.session import bootstrap, start
from afterglow.records.experiment import PLACEBO, WARM
from bench.closed_loop.tasks import Task

AGENT = "claude-code"  # whose files ours are like
MORE_TOKENS = 5  # that a placebo may have: ids and names of two contexts differ


class Given(Struct, frozen=True):
    """A context (empty in the cold arm). `lesson` is of the warm one, in every arm."""

    text: str = ""
    tokens: int = 0
    delivery: str = ""
    lesson: str = ""


def given(
    config: Config,
    arm: str,
    task: Task,
    folder: Path,
    projects: Sequence[str],
    session: str,
) -> Given:
    own, _, _ = bootstrap(config, cwd=folder, agent=AGENT, task=task.request)
    lesson = task.lesson(own.text)
    if arm == WARM:
        got = start(config, agent=AGENT, cwd=folder, task=task.request, session=session)
        return Given(got.text, got.tokens, got.id if got.text else "", lesson)
    if arm == PLACEBO and own.text:
        text, tokens = _others(config, task, folder, projects, own.tokens)
        return Given(text, tokens, "", lesson)
    return Given(lesson=lesson)


def _others(
    config: Config, task: Task, folder: Path, projects: Sequence[str], budget: int
) -> tuple[str, int]:
    """The longest of what other projects taught that is hardly longer than one's own would be, under one's own name."""
    found = [
        (
            context.tokens,
            context.text.replace(f"in {project} ", f"in {task.family.project} ", 1),
        )
        for project in projects
        if project != task.family.project
        for context in bootstrap(
            config,
            cwd=folder,
            repo=project,
            agent=AGENT,
            budget=budget + MORE_TOKENS,
        )[:1]
    ]
    tokens, text = max(found, default=(0, ""))
    return text, tokens
