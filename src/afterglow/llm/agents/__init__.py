"""The user's own agent as a model: its program is started headless with the user's own login, so no key is needed.

One file an agent. It says how its program is started for one question and reads what that printed; `headless` runs it.
A contract test runs over the table.

    NAME, PROGRAM, LOGIN         the agent, the program that is it, what a person does to be let in
    SCHEMAS                      which schemas the program itself keeps answers to: any, strict ones, none
    OVERHEAD                     tokens that it sends around a question, at most
    start(question) -> Start     its command line, variables and files; the question itself goes through stdin
    reply(ended) -> Reply        what it answered; raises `Trouble` where it did not

No program gets tools, hooks, MCP servers or memory, and none leaves a session behind that could be mined.
"""

from __future__ import annotations

from collections.abc import Mapping
from shutil import which

from afterglow.errors import UsageError
from afterglow.registry import Table

WRITERS = Table(
    "afterglow.writers",
    {
        "claude": "afterglow.llm.agents.claude",
        "codex": "afterglow.llm.agents.codex",
        "gemini": "afterglow.llm.agents.gemini",
        "hermes": "afterglow.llm.agents.hermes",
    },
)
AUTO = "auto"  # stands for the first of them that is on the PATH


def is_agent(name: str) -> bool:
    """Whether a writer's name is that of an agent, also with a model of it: `claude:sonnet`."""
    return name == AUTO or name.partition(":")[0] in WRITERS.names()


def installed(variables: Mapping[str, str]) -> list[str]:
    """The agents whose programs are on the PATH, in the order of the table."""
    path = variables.get("PATH", "")
    return [
        name for name in WRITERS.names() if which(WRITERS.load(name).PROGRAM, path=path)
    ]


def chosen_agent(name: str, variables: Mapping[str, str]) -> tuple[str, str]:
    """The agent that is meant and the program that is it. Raises `UsageError`, which says what would work."""
    agents = installed(variables)
    agent = name.partition(":")[0]
    if agent == AUTO and agents:
        agent = agents[0]
    if agent not in agents:
        raise UsageError(_missing(agent, agents))
    program = WRITERS.load(agent).PROGRAM
    return agent, which(program, path=variables.get("PATH", "")) or program


def _missing(agent: str, agents: list[str]) -> str:
    if agents:
        return f"{agent} is not on the PATH; {', '.join(agents)} would work (--with {agents[0]})"
    programs = ", ".join(WRITERS.names())
    what = "no agent is" if agent == AUTO else f"{agent} is not"
    return (
        f"{what} on the PATH; install one of {programs}, or name a model and where it answers "
        "(--with MODEL --base-url URL)"
    )
