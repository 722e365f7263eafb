"""Anthropic's messages, no framework. Needs `anthropic`.

python examples/warm_anthropic_messages.py
"""

from anthropic import Anthropic
from harbour import PROMPT, TASK, folder, home_that_knows, run, scripted_model

from afterglow.adapters.anthropic_messages import record, tool_result, warm

place = folder()
ag = home_that_knows("dockhand", place)  # yours: Afterglow(agent="dockhand")
schema = {"type": "object", "properties": {"command": {"type": "string"}}}
tools = [{"name": "bash", "input_schema": schema}]

with scripted_model() as model, Anthropic(base_url=model.url, api_key="-") as api:
    session = ag.session(TASK, cwd=place)
    system = warm(session, PROMPT)
    messages = [{"role": "user", "content": TASK}]
    while True:
        answer = api.messages.create(
            model="scripted",
            max_tokens=1000,
            system=system,
            messages=messages,
            tools=tools,
        )
        messages.append({"role": "assistant", "content": answer.content})
        results = [
            tool_result(session, part, run(part.input["command"], place))
            for part in answer.content
            if part.type == "tool_use"
        ]
        if not results:
            break
        messages.append({"role": "user", "content": results})
    record(session, messages, system=system, model="scripted")
    model.show()
