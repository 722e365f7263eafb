"""OpenAI's chat completions, no framework. Needs `openai`.

python examples/warm_openai_messages.py
"""

import json

from harbour import PROMPT, TASK, folder, home_that_knows, run, scripted_model
from openai import OpenAI

from afterglow.adapters.openai_messages import tool_message, warm

place = folder()
ag = home_that_knows("dockhand", place)  # yours: Afterglow(agent="dockhand")
parameters = {"type": "object", "properties": {"command": {"type": "string"}}}
tools = [{"type": "function", "function": {"name": "bash", "parameters": parameters}}]

with scripted_model() as model, OpenAI(base_url=f"{model.url}/v1", api_key="-") as api:
    session = ag.session(TASK, cwd=place)
    messages = warm(session, [{"role": "system", "content": PROMPT}])
    messages.append({"role": "user", "content": TASK})
    while True:
        answer = api.chat.completions.create(
            model="scripted", messages=messages, tools=tools
        )
        message = answer.choices[0].message
        messages.append(message)
        for call in message.tool_calls or ():
            output = run(json.loads(call.function.arguments)["command"], place)
            messages.append(tool_message(session, call, output))
        if not message.tool_calls:
            break
    session.record(messages, model="scripted")
    model.show()
