"""mini-swe-agent. Needs `mini-swe-agent`.

python examples/warm_mini_swe_agent.py

With its own program, no line of Python is needed:

mini -c mini.yaml -c agent.agent_class=afterglow.adapters.mini_swe_agent.WarmInteractiveAgent -t "Build the pier"
"""

from harbour import PROMPT, STEPS, TASK, folder, home_that_knows, show
from minisweagent.environments.local import LocalEnvironment
from minisweagent.models.test_models import DeterministicModel, make_output

from afterglow.adapters.mini_swe_agent import AGENT, WarmAgent

place = folder()
ag = home_that_knows(AGENT, place)  # yours: it is there already
commands = [*STEPS, "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"]
outputs = [make_output("", [{"command": command}]) for command in commands]
model = DeterministicModel(outputs=outputs)

agent = WarmAgent(
    model,
    LocalEnvironment(cwd=str(place)),
    system_template=PROMPT,
    instance_template="{{task}}",
    cost_limit=0,
    afterglow_home=str(ag.home),
)
agent.run(TASK)
show([message["content"] for message in agent.messages])
