"""The small agent and its person, and the endpoint a model is behind."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from bench.closed_loop.agent import AGAIN, LearningSession, command_in
from bench.closed_loop.families import FAMILIES
from bench.closed_loop.model import Endpoint, Reply
from bench.closed_loop.sandbox import Result
from bench.closed_loop.transcript import Transcript

TASK = FAMILIES[0].task(0)


class Says:
    """A model that says these things, the last of them again and again."""

    name = "says"

    def __init__(self, *texts):
        self.texts, self.seen = list(texts), []

    def reply(self, messages, *, seed):
        self.seen.append([dict(message) for message in messages])
        return Reply(self.texts.pop(0) if len(self.texts) > 1 else self.texts[0])


class Fails:
    def run(self, command, folder, at):
        return Result(1, "no")


def session(model, tmp_path, patience=2):
    transcript = Transcript("s", cwd="/projects/harbor", model="m", start=0.0)
    learner = LearningSession(TASK, 0, tmp_path, model, Fails(), transcript)
    return learner.work(seed=1, calls=8, patience=patience), transcript


def test_who_says_it_is_done_hears_what_is_wrong_and_then_that_it_is_not(tmp_path):
    model = Says("DONE")
    worked, transcript = session(model, tmp_path)
    assert (worked.calls, len(model.seen), worked.helped) == (0, 3, True)
    heard = [messages[-1]["content"] for messages in model.seen[1:]]
    assert heard == [TASK.correction(0), AGAIN]
    assert AGAIN in "".join(transcript.lines)


def test_an_agent_that_repeats_itself_is_given_up_on(tmp_path):
    worked, _ = session(Says("```sh\n./publish gull"), tmp_path, patience=9)
    assert (worked.solved, worked.calls, worked.failed, worked.helped) == (
        False,
        3,
        3,
        False,
    )


def test_an_agent_has_so_many_calls_and_no_more(tmp_path):
    worked, _ = session(
        Says(*(f"```sh\n./publish {number}" for number in range(20))), tmp_path
    )
    assert worked.calls == 8


def test_the_person_says_once_what_is_wrong(tmp_path):
    model = Says(*(f"```sh\n./publish {number}" for number in range(20)))
    worked, transcript = session(model, tmp_path, patience=2)
    assert worked.helped
    words = TASK.correction(0)
    assert sum(words in message["content"] for message in model.seen[-1]) == 1
    assert words in model.seen[2][-1]["content"]
    typed = json.dumps(words)[1:-1]
    assert sum(typed in line for line in transcript.lines) == 1


@pytest.mark.parametrize(
    "text, command",
    [
        ("```sh\nls -l\n```", "ls -l"),
        ("I will look.\n```bash\nls\npwd", "ls\npwd"),
        ("```\nls```", "ls"),
        ("Done, all is well.", ""),
        ("", ""),
    ],
)
def test_the_command_of_a_reply_is_what_stands_in_its_block(text, command):
    assert command_in(text) == command


@pytest.fixture
def server():
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            asked.append(
                (self.path, self.headers.get("Authorization"), json.loads(body))
            )
            answer = {
                "choices": [{"message": {"content": "```sh\nls"}}],
                "usage": {"prompt_tokens": 7},
            }
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, *words):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}/v1/", asked
        http.shutdown()
        thread.join()


def test_any_endpoint_that_takes_chat_completions_will_do(server):
    url, asked = server
    model = Endpoint(url, "small", temperature=0.5, key="k")
    assert model.reply([{"role": "user", "content": "hi"}], seed=3) == Reply(
        "```sh\nls", 7, 0
    )
    path, key, body = asked[0]
    assert (path, key) == ("/v1/chat/completions", "Bearer k")
    assert (body["model"], body["seed"], body["messages"][0]["content"]) == (
        "small",
        3,
        "hi",
    )
