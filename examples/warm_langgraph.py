"""An agent of LangChain, which is a graph of LangGraph. Needs `langchain`.

python examples/warm_langgraph.py
"""

from harbour import PROMPT, STEPS, TASK, folder, home_that_knows, run, show
from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from afterglow.adapters.langgraph import WarmMiddleware

place = folder()
ag = home_that_knows("dockhand", place)  # yours: Afterglow(agent="dockhand")


class Scripted(GenericFakeChatModel):
    """Stands for your model."""

    def bind_tools(self, tools, **options):
        return self

    def _generate(self, messages, *words, **options):
        self.metadata = {"sent": [message.content for message in messages]}
        return super()._generate(messages, *words, **options)


def bash(command: str) -> str:
    """Runs a command line."""
    return run(command, place)


calls = [
    {"name": "bash", "args": {"command": command}, "id": f"c{step}"}
    for step, command in enumerate(STEPS)
]
steps = [AIMessage("", tool_calls=[call]) for call in calls]
model = Scripted(messages=iter([*steps, AIMessage("Built.")]))

warm = WarmMiddleware(ag, cwd=place)
agent = create_agent(model, [bash], system_prompt=PROMPT, middleware=[warm])
agent.invoke({"messages": [("user", TASK)]})
show(model.metadata)
