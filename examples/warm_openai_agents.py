"""An agent of the OpenAI Agents SDK. Needs `openai-agents`.

python examples/warm_openai_agents.py
"""

from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool
from agents import set_tracing_disabled as without_tracing
from harbour import PROMPT, TASK, folder, home_that_knows, run, scripted_model
from openai import AsyncOpenAI

from afterglow.adapters.openai_agents import WarmRun

place = folder()
ag = home_that_knows("dockhand", place)  # yours: Afterglow(agent="dockhand")
without_tracing(True)


@function_tool
def bash(command: str) -> str:
    """Runs a command line."""
    return run(command, place)


with scripted_model() as model:
    api = AsyncOpenAI(base_url=f"{model.url}/v1", api_key="-")
    chat = OpenAIChatCompletionsModel("scripted", openai_client=api)
    agent = Agent("Dockhand", instructions=PROMPT, model=chat, tools=[bash])

    warm = WarmRun(ag, TASK, cwd=place)
    result = Runner.run_sync(agent, TASK, run_config=warm.run_config())
    warm.record(result)
    model.show()
