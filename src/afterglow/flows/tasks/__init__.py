"""tasks: an agent runs tasks in every arm of an experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterglow.registry import exports

if TYPE_CHECKING:
    from afterglow.flows.tasks.agent_programs import AGENTS, Endpoint
    from afterglow.flows.tasks.run_room import folder_name
    from afterglow.flows.tasks.task_folders import read_tasks
    from afterglow.flows.tasks.task_study import run_tasks
else:
    __getattr__ = exports(
        __name__,
        {
            "agent_programs": "AGENTS Endpoint",
            "run_room": "folder_name",
            "task_folders": "read_tasks",
            "task_study": "run_tasks",
        },
    )
